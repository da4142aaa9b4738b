//! Products of matrices and of vectors.
//!
//! Upstream counterpart: `src/relax/op/tensor/linear_algebra.cc`.

use tvmscript_ir_core::{Array, DataType, Ref};
use tvmscript_ir_macros::operators;

use super::elementwise::{broadcast_dims, common_dtype};
use super::shape;
use super::{Infer, InferError, InferErrorKind, Operator, tensor_of, tensor_of_rank};
#[cfg(feature = "build")]
use crate::build::args::ExprArg;
use crate::node::attrs::MatmulAttrs;
use crate::node::*;

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// The product of matrices, or of batches of them, which are broadcast; of a vector it is the one of its one row or column.
    matmul(x1: ExprArg, x2: ExprArg, out_dtype: Option<DataType> = None) -> infer(multiplied) {
        Ok(product_of(x1.0, x2.0, out_dtype))
    }
    /// The product with the transposed weight, plus the bias where there is one.
    fn linear(
        data: ExprArg, weight: ExprArg, bias: Option<ExprArg> = None, out_dtype: Option<DataType> = None
    ) {
        let product = product_of(data.0, shape::permuted(weight.0, None).upcast(), out_dtype);
        Ok(match bias {
            Some(bias) => Call::of_op("relax.add", [product.upcast(), bias.0], None),
            None => product,
        })
    }
    /// The product of each element of one vector with each of another.
    outer(x1: Expr, x2: Expr) -> infer(all_products);
}

fn product_of(x1: Expr, x2: Expr, out_dtype: Option<DataType>) -> Ref<Call> {
    let attrs = Ref::new(MatmulAttrs { out_dtype: out_dtype.unwrap_or(DataType::VOID) }).upcast();
    Call::of_op("relax.matmul", [x1, x2], Some(attrs))
}

fn multiplied(cx: &mut Infer<'_>) -> Inferred {
    let [x1, x2] = cx.tensors()?;
    let vdevice = match (&x1.vdevice, &x2.vdevice) {
        (Some(a), Some(b)) => a.ptr_eq(b).then(|| a.clone()),
        (a, b) => a.as_ref().or(b.as_ref()).cloned(),
    };
    let stated = cx.attrs::<MatmulAttrs>()?.out_dtype;
    let dtype = if stated.is_void() { common_dtype(cx, x1.dtype, x2.dtype)? } else { stated };
    if x1.is_unknown_ndim() || x2.is_unknown_ndim() {
        return Ok(tensor_of_rank(UNKNOWN_NDIM, dtype, vdevice));
    }
    for (index, x) in [&x1, &x2].into_iter().enumerate() {
        if x.ndim == 0 {
            let expected = "rank 1 or more".to_owned();
            return Err(InferErrorKind::Rank { op: cx.op(), expected, found: 0 }.at(index));
        }
    }
    let (is_row, is_column) = (x1.ndim == 1, x2.ndim == 1);
    let ndim = x1.ndim.max(2).max(x2.ndim) - i64::from(is_row) - i64::from(is_column);
    let (Some(a), Some(b)) = (x1.dims(), x2.dims()) else { return Ok(tensor_of_rank(ndim, dtype, vdevice)) };
    let batch = |dims: &Array<_>| dims.iter().take(dims.len().saturating_sub(2)).cloned().collect();
    let Some(mut dims) = broadcast_dims(cx, &batch(a), &batch(b), 1)? else {
        return Ok(tensor_of_rank(ndim, dtype, vdevice));
    };
    let (inner_a, inner_b) = (&a[a.len() - 1], &b[b.len().saturating_sub(2)]);
    if cx.differ(inner_a, inner_b)? {
        let (a, b) = (crate::describe::scalar(inner_a), crate::describe::scalar(inner_b));
        let which = if is_column { "only" } else { "last but one" };
        let what = format!(
            "the {which} dimension of this operand is {b}, and is summed up with the last one of the first operand, which is {a}"
        );
        return Err(cx.wrong_shape_at(1, what));
    }
    if !is_row {
        dims.push(a[a.len() - 2].clone());
    }
    if !is_column {
        dims.push(b[b.len() - 1].clone());
    }
    Ok(tensor_of(dims, dtype, vdevice))
}

fn all_products(cx: &mut Infer<'_>) -> Inferred {
    let tensors = cx.tensors::<2>()?;
    for (index, x) in tensors.iter().enumerate() {
        if x.ndim != 1 {
            let expected = "rank 1".to_owned();
            return Err(InferErrorKind::Rank { op: cx.op(), expected, found: x.ndim }.at(index));
        }
    }
    let [x1, x2] = &tensors;
    Ok(match (x1.dims(), x2.dims()) {
        (Some(a), Some(b)) => tensor_of([a[0].clone(), b[0].clone()], x1.dtype, None),
        _ => tensor_of_rank(2, x1.dtype, None),
    })
}
