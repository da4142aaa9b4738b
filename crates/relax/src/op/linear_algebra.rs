//! Products of matrices and of vectors.
//!
//! Upstream counterpart: `src/relax/op/tensor/linear_algebra.cc`.

use super::elementwise::{ADD, broadcast_dims, common_dtype};
use super::prelude::*;
use super::shape::permute_dims;
use crate::describe;
use crate::node::attrs::MatmulAttrs;

operators! {
    /// The matrix product, with broadcast batches. A vector counts as a matrix of one row or column.
    matmul(x1: Expr, x2: Expr; out_dtype: Option<DataType> = None)
        -> infer(multiplied), attrs = MatmulAttrs { out_dtype: or_void(out_dtype) }, sharding = Sharding::Product;
    /// The product with the transposed weight, plus the optional bias.
    fn linear(data: Expr, weight: Expr, bias: Option<Expr> = None, out_dtype: Option<DataType> = None)
        = linear_call;
    /// The outer product of two vectors.
    outer(x1: Expr, x2: Expr) -> infer(all_products);
}

fn linear_call(data: Expr, weight: Expr, bias: Option<Expr>, out_dtype: Option<DataType>) -> Ref<Call> {
    let product = matmul(data, permute_dims(weight, None).upcast(), out_dtype);
    match bias {
        Some(bias) => ADD.call(None, [product.upcast(), bias]),
        None => product,
    }
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
            return Err(cx.wrong_rank(index, "rank 1 or more", 0));
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
        let (a, b) = (describe::scalar(inner_a), describe::scalar(inner_b));
        let axis = if is_column { -1 } else { -2 };
        let what = format!(
            "contraction dimensions differ: dimension -1 of the first operand is {a}, dimension {axis} of the second is {b}"
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
            return Err(cx.wrong_rank(index, "rank 1", x.ndim));
        }
    }
    let [x1, x2] = &tensors;
    Ok(match (x1.dims(), x2.dims()) {
        (Some(a), Some(b)) => tensor_of([a[0].clone(), b[0].clone()], x1.dtype, None),
        _ => tensor_of_rank(2, x1.dtype, None),
    })
}
