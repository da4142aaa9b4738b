//! Operators of three tensors, element by element.
//!
//! Upstream counterparts: `src/relax/op/tensor/ternary.cc`, `R.where` in `src/relax/op/tensor/search.cc`.

use tvmscript_ir::VDevice;
use tvmscript_ir_core::{DataType, Ref, Span};
use tvmscript_ir_macros::operators;

use super::elementwise::{broadcast_dims, common_dtype};
use super::{Infer, InferError, InferErrorKind, Operator, shared_device, tensor_of, tensor_of_rank};
use crate::analysis::same_dim;
use crate::node::*;

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// The product of the first two, plus the third.
    ewise_fma(x1: Expr, x2: Expr, x3: Expr) -> infer(multiply_add);
    /// Elements of `x1` where the condition holds, of `x2` where it does not.
    where_(condition: Expr, x1: Expr, x2: Expr) -> infer(chosen);
}

/// The shape that one variable holds for all.
fn common_shape(tensors: &[Ref<TensorStructInfo>; 3]) -> Option<&Ref<tvmscript_ir::RelaxExpr>> {
    let [first, rest @ ..] = tensors;
    let shape = first.shape.as_ref()?;
    rest.iter().all(|tensor| tensor.shape.as_ref().is_some_and(|s| s.ptr_eq(shape))).then_some(shape)
}

fn without_dims(
    tensors: &[Ref<TensorStructInfo>; 3],
    ndim: i64,
    dtype: DataType,
    vdevice: Option<Ref<VDevice>>,
) -> Ref<StructInfo> {
    match common_shape(tensors).cloned() {
        Some(shape) => {
            let (shape, ndim) = (Some(shape), tensors[0].ndim);
            Ref::new(TensorStructInfo { span: Span::current(), shape, dtype, vdevice, ndim }).upcast()
        }
        None => tensor_of_rank(ndim, dtype, vdevice),
    }
}

fn multiply_add(cx: &mut Infer<'_>) -> Inferred {
    let tensors = cx.tensors::<3>()?;
    let mut ndim = UNKNOWN_NDIM;
    for (index, tensor) in tensors.iter().enumerate() {
        if ndim == UNKNOWN_NDIM {
            ndim = tensor.ndim;
        }
        if !tensor.is_unknown_ndim() {
            cx.expect_rank(index, tensor, ndim)?;
        }
    }
    let dtype = if tensors.iter().any(|tensor| tensor.is_unknown_dtype()) {
        DataType::VOID
    } else {
        let dtype = tensors[0].dtype;
        if let Some(index) = tensors.iter().position(|tensor| tensor.dtype != dtype) {
            let (expected, found) = (format!("operands of one type, so `{dtype}`"), tensors[index].dtype);
            return Err(InferErrorKind::Dtype { op: cx.op(), expected, found }.at(index));
        }
        dtype
    };
    let vdevice = shared_device(&tensors);
    let [a, b, c] = &tensors;
    let (Some(a), Some(b), Some(c)) = (a.dims(), b.dims(), c.dims()) else {
        return Ok(without_dims(&tensors, ndim, dtype, vdevice));
    };
    for i in 0..a.len() {
        if !same_dim(&a[i], &b[i], cx.analyzer) || !same_dim(&b[i], &c[i], cx.analyzer) {
            return Err(cx.wrong_shape(format!("the operands are of one shape, but axis {i} differs")));
        }
    }
    Ok(tensor_of(a.iter().cloned(), dtype, vdevice))
}

fn chosen(cx: &mut Infer<'_>) -> Inferred {
    let tensors = cx.tensors::<3>()?;
    let vdevice = shared_device(&tensors);
    let [condition, x1, x2] = &tensors;
    if !condition.dtype.is_bool() {
        let (expected, found) = ("a tensor of truth values".to_owned(), condition.dtype);
        return Err(InferErrorKind::Dtype { op: cx.op(), expected, found }.at(0));
    }
    let dtype = common_dtype(cx, x1.dtype, x2.dtype).map_err(|e| InferError { argument: Some(2), ..e })?;
    let ndim = match tensors.iter().any(|tensor| tensor.is_unknown_ndim()) {
        true => UNKNOWN_NDIM,
        false => tensors.iter().map(|tensor| tensor.ndim).max().unwrap_or(UNKNOWN_NDIM),
    };
    let (Some(condition), Some(a), Some(b)) = (condition.dims(), x1.dims(), x2.dims()) else {
        return Ok(without_dims(&tensors, ndim, dtype, vdevice));
    };
    let mut dims = broadcast_dims(cx, a, b, 2)?;
    if let Some(both) = dims {
        dims = broadcast_dims(cx, condition, &both.into_iter().collect(), 0)?;
    }
    Ok(match dims {
        Some(dims) => tensor_of(dims, dtype, vdevice),
        None => tensor_of_rank(ndim, dtype, vdevice),
    })
}
