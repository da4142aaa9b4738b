//! Writes at indices and slices.
//!
//! Upstream counterpart: `src/relax/op/tensor/manipulate.cc`.

use tvmscript_prim::PrimExprExt;

use super::prelude::*;
use crate::describe;
use crate::node::attrs::{IndexPutAttrs, ScatterElementsAttrs, ScatterNDAttrs, SliceScatterAttrs};

operators! {
    /// The data with updates at indices along an axis; values at one position are combined by the reduction: `update`, `add`,
    /// `mul`, `min`, `max`, `mean`.
    scatter_elements(data: Expr, indices: Expr, updates: Expr; axis: Int = 0, reduction: Str = "update")
        -> infer(with_elements), attrs = ScatterElementsAttrs { axis: plain_int(axis), .. };
    /// The data with updates at the positions that the last axis of the indices lists, combined by the reduction.
    scatter_nd(data: Expr, indices: Expr, updates: Expr; reduction: Str = "update")
        -> infer(with_slices), attrs = ScatterNDAttrs;
    /// The tensor with a slice along an axis replaced by another tensor.
    slice_scatter(input_tensor: Expr, src: Expr, start: Scalar, end: Scalar, step: Scalar; axis: Int = 0)
        -> infer(with_slice), attrs = SliceScatterAttrs;
    /// The data with values stored at, or added to, the elements at indices, one tensor of indices per axis.
    index_put(data: Expr, indices: TensorTuple, values: Expr; accumulate: Flag = false)
        -> infer(with_values), attrs = IndexPutAttrs;
}

/// The struct info of the data: with its dimensions if they are known, otherwise of its rank.
pub(super) fn like_data(data: &TensorStructInfo) -> Ref<StructInfo> {
    match data.dims() {
        Some(dims) => data.reshaped(dims.iter().cloned()),
        None => data.reranked(data.ndim),
    }
}

/// Checks that values have the element type of the data, if both are known.
pub(super) fn expect_dtype_of(
    cx: &Infer<'_>,
    index: usize,
    values: &TensorStructInfo,
    data: &TensorStructInfo,
) -> Checked<()> {
    let is_known = !data.is_unknown_dtype() && !values.is_unknown_dtype();
    if is_known && data.dtype != values.dtype {
        return Err(cx.wrong_dtype(index, format!("the type of the data, `{}`", data.dtype), values.dtype));
    }
    Ok(())
}

fn with_elements(cx: &mut Infer<'_>) -> Inferred {
    let [data, indices, updates] = cx.tensors()?;
    if data.is_unknown_ndim() {
        return Ok(data.reranked(UNKNOWN_NDIM));
    }
    if !indices.is_unknown_ndim() && !updates.is_unknown_ndim() {
        cx.expect_rank(1, &indices, data.ndim)?;
        cx.expect_rank(2, &updates, indices.ndim)?;
    }
    expect_dtype_of(cx, 2, &updates, &data)?;
    cx.expect_integers(1, &indices)?;
    if let (Some(a), Some(b)) = (indices.dims(), updates.dims()) {
        for (axis, (a, b)) in a.iter().zip(b.iter()).enumerate() {
            if cx.differ(a, b)? {
                return Err(
                    cx.wrong_shape_at(2, format!("dimensions of indices and updates differ on axis {axis}"))
                );
            }
        }
    }
    Ok(like_data(&data))
}

fn with_slices(cx: &mut Infer<'_>) -> Inferred {
    let [data, indices, updates] = cx.tensors()?;
    for (index, tensor) in [(0, &data), (2, &updates)] {
        if tensor.is_unknown_dtype() {
            return Err(cx.wrong_kind(index, "a tensor of known element type"));
        }
    }
    expect_dtype_of(cx, 2, &updates, &data)?;
    cx.expect_integers(1, &indices)?;
    if let (Some(shape), Some(places), Some(values)) = (data.dims(), indices.dims(), updates.dims()) {
        let Some(length) = places.iter().next_back() else {
            return Err(cx.wrong_rank(1, "rank 1 or more", 0));
        };
        let Some(length) = length.as_node::<IntImm>() else {
            return Err(cx.wrong_shape_at(1, "the length of the last axis of the indices is unknown"));
        };
        let length = usize::try_from(length.value).ok().filter(|length| *length <= shape.len());
        let Some(length) = length else {
            return Err(cx.wrong_shape_at(1, "expected at most one number per axis of the data in an index"));
        };
        let expected: Vec<_> =
            places.iter().take(places.len() - 1).chain(shape.iter().skip(length)).cloned().collect();
        if expected.len() != values.len() {
            let (expected, found) = (format!("rank {}", expected.len()), values.len() as i64);
            return Err(cx.wrong_rank(2, expected, found));
        }
        for (axis, (a, b)) in expected.iter().zip(values.iter()).enumerate() {
            let is_same = tvmscript_prim::ops::eq(a.clone(), b.clone())?;
            if !cx.analyzer.can_prove(&is_same) {
                let a = describe::scalar(a);
                return Err(
                    cx.wrong_shape_at(2, format!("expected length {a} for axis {axis} of the updates"))
                );
            }
        }
    }
    Ok(like_data(&data))
}

fn integer(cx: &Infer<'_>, index: usize) -> Checked<prim::Expr> {
    let value = cx.prim_value(index)?;
    match value.dtype() {
        dtype if dtype.is_int() || dtype.is_uint() => Ok(value),
        dtype => Err(cx.wrong_dtype(index, "an integer", dtype)),
    }
}

fn with_slice(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(5)?;
    let (data, src) = (cx.tensor(0)?, cx.tensor(1)?);
    if data.is_unknown_ndim() {
        return Ok(data.reranked(UNKNOWN_NDIM));
    }
    let axis = cx.axis(cx.attrs::<SliceScatterAttrs>()?.axis, data.ndim)?;
    cx.expect_rank(1, &src, data.ndim)?;
    expect_dtype_of(cx, 1, &src, &data)?;
    let (start, end, step) = (integer(cx, 2)?, integer(cx, 3)?, integer(cx, 4)?);
    if cx.analyzer.can_prove(&ops::lt(step.clone(), IntImm::int32(1))?) {
        return Err(cx.wrong_shape_at(4, "the step must be positive"));
    }
    if cx.analyzer.can_prove(&ops::lt(end.clone(), start.clone())?) {
        return Err(cx.wrong_shape_at(3, "the slice ends before it starts"));
    }
    if let (Some(a), Some(b)) = (data.dims(), src.dims()) {
        let length = ops::add(ops::sub(end.clone(), start.clone())?, step.clone())?;
        let length = ops::floordiv(ops::sub(length, IntImm::int32(1))?, step.clone())?;
        for (i, (a, b)) in a.iter().zip(b.iter()).enumerate() {
            let expected = if i == axis { &length } else { a };
            if cx.differ(expected, b)? {
                let (expected, b) = (describe::scalar(expected), describe::scalar(b));
                return Err(
                    cx.wrong_shape_at(1, format!("expected length {expected} for axis {i}, found {b}"))
                );
            }
        }
    }
    Ok(data.upcast())
}

fn with_values(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(3)?;
    let (data, values) = (cx.tensor(0)?, cx.tensor(2)?);
    let indices = match cx.info(1)?.downcast::<TensorStructInfo>() {
        Ok(only) => vec![only],
        Err(_) => cx.tensors_of_tuple(1)?,
    };
    if data.is_unknown_ndim() {
        return Ok(data.reranked(UNKNOWN_NDIM));
    }
    for tensor in &indices {
        if tensor.ndim == 0 {
            return Err(cx.wrong_rank(1, "rank 1 or more", 0));
        }
        cx.expect_integers(1, tensor)?;
    }
    if indices.len() as i64 != data.ndim {
        let what = format!("expected one tensor of indices per axis, {}, found {}", data.ndim, indices.len());
        return Err(cx.wrong_shape_at(1, what));
    }
    expect_dtype_of(cx, 2, &values, &data)?;
    Ok(like_data(&data))
}
