//! Operators that gather elements: `R.gather_elements`, `R.gather_nd`, `R.index_tensor`.

use tvmscript_ir_core::{Array, Ref, Span};
use tvmscript_ir_macros::operators;
use tvmscript_prim::{self as prim, DataType, IntImm};

use super::Inferred;
use crate::analysis::same_dim;
#[cfg(feature = "build")]
use crate::build::args::{ExprArg, IntArg, IntImmArg, TupleArg};
use crate::node::attrs::{GatherElementsAttrs, GatherNDAttrs};
use crate::node::*;
use crate::op::{Infer, InferError, InferErrorKind, Operator};

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// For each index the element there along an axis, and at the index's own place along the others.
    gather_elements(data: ExprArg, indices: ExprArg, axis: IntArg = 0) -> infer(elements) {
        let attrs = Ref::new(GatherElementsAttrs { axis: IntImmArg::from(axis.0).0 }).upcast();
        Ok(Call::of_op("relax.gather_elements", [data.0, indices.0], Some(attrs)))
    }
    /// The elements or slices at places that the last axis of the indices names; leading axes may be batches.
    gather_nd(data: ExprArg, indices: ExprArg, batch_dims: IntArg = 0) -> infer(slices) {
        let attrs = Ref::new(GatherNDAttrs { batch_dims: IntImmArg::from(batch_dims.0).0 }).upcast();
        Ok(Call::of_op("relax.gather_nd", [data.0, indices.0], Some(attrs)))
    }
    /// The elements at indices, one tensor of indices an axis; these are broadcast.
    index_tensor(data: ExprArg, indices: TupleArg) -> infer(indexed) {
        Ok(Call::of_op("relax.index_tensor", [data.0, indices.0], None))
    }
}

/// Checks that indices are signed integers, where their type is known.
fn expect_signed(
    cx: &Infer<'_>,
    index: usize,
    indices: &TensorStructInfo,
) -> std::result::Result<(), InferError> {
    if indices.is_unknown_dtype() || indices.dtype.is_int() {
        return Ok(());
    }
    Err(cx.wrong_dtype(index, "a tensor of signed integers", indices.dtype))
}

fn elements(cx: &mut Infer<'_>) -> Inferred {
    let [data, indices] = cx.tensors()?;
    expect_signed(cx, 1, &indices)?;
    if data.is_unknown_ndim() || indices.is_unknown_ndim() {
        return Ok(data.reranked(UNKNOWN_NDIM));
    }
    cx.axis(cx.attrs::<GatherElementsAttrs>()?.axis.value, data.ndim)?;
    cx.expect_rank(1, &indices, data.ndim)?;
    let (TensorStructInfo { shape, ndim, .. }, TensorStructInfo { dtype, vdevice, .. }) = (&*indices, &*data);
    let (span, shape, vdevice) = (Span::current(), shape.clone(), vdevice.clone());
    Ok(Ref::new(TensorStructInfo { span, shape, dtype: *dtype, vdevice, ndim: *ndim }).upcast())
}

fn slices(cx: &mut Infer<'_>) -> Inferred {
    let [data, indices] = cx.tensors()?;
    let batch = cx.attrs::<GatherNDAttrs>()?.batch_dims.value;
    if batch < 0 {
        return Err(cx.wrong_attribute("batch_dims", format!("is 0 or more, not {batch}")));
    }
    if !indices.is_unknown_dtype() && indices.dtype != DataType::INT64 {
        return Err(cx.wrong_dtype(1, "a tensor of `int64`", indices.dtype));
    }
    if data.is_unknown_ndim() || indices.is_unknown_ndim() {
        return Ok(data.reranked(UNKNOWN_NDIM));
    }
    let limit = data.ndim.min(indices.ndim - 1);
    if batch > limit {
        return Err(cx.wrong_attribute("batch_dims", format!("is {limit} or less, not {batch}")));
    }
    let length = |places: &Array<prim::Expr>| Some(places.iter().next_back()?.as_node::<IntImm>()?.value);
    let Some((places, length)) = indices.dims().and_then(|places| Some((places, length(places)?))) else {
        return Ok(data.reranked(UNKNOWN_NDIM));
    };
    let Some(dims) = data.dims() else {
        return Ok(data.reranked(indices.ndim + data.ndim - length - 1 - batch));
    };
    if !(0..=data.ndim - batch).contains(&length) {
        let what = format!("an index has {} numbers or fewer, not {length}", data.ndim - batch);
        return Err(cx.wrong_shape_at(1, what));
    }
    let rest = dims.iter().skip((batch + length) as usize);
    Ok(data.reshaped(places.iter().take(places.len() - 1).chain(rest).cloned()))
}

/// The dimensions of several shapes, broadcast to one; nothing where it cannot be told.
fn broadcast_all(
    cx: &mut Infer<'_>,
    shapes: &[Array<prim::Expr>],
) -> std::result::Result<Option<Vec<prim::Expr>>, InferError> {
    let literal = |dim: &prim::Expr| dim.as_node::<IntImm>().map(|dim| dim.value);
    let ndim = shapes.iter().map(|dims| dims.len()).max().unwrap_or(0);
    let mut result = vec![IntImm::int64(1); ndim];
    for dims in shapes {
        for (known, dim) in result.iter_mut().rev().zip(dims.iter().rev()) {
            match (literal(known), literal(dim)) {
                (Some(1), _) => *known = dim.clone(),
                (_, Some(1)) => {}
                (Some(a), Some(b)) if a != b => {
                    let what = format!("the dimensions {a} and {b} of indices cannot be broadcast");
                    return Err(cx.wrong_shape_at(1, what));
                }
                _ if same_dim(known, dim, cx.analyzer) => {}
                _ => return Ok(None),
            }
        }
    }
    Ok(Some(result))
}

fn indexed(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(2)?;
    let (data, indices) = (cx.tensor(0)?, cx.tensors_of_tuple(1)?);
    if indices.is_empty() {
        return Err(cx.wrong_kind(1, "at least one tensor of indices"));
    }
    for tensor in &indices {
        expect_signed(cx, 1, tensor)?;
    }
    let count = indices.len();
    if !data.is_unknown_ndim() && count as i64 > data.ndim {
        let expected = format!("rank {count} or more");
        return Err(InferErrorKind::Rank { op: cx.op(), expected, found: data.ndim }.at(0));
    }
    let shapes: Option<Vec<_>> = indices.iter().map(|tensor| tensor.dims().cloned()).collect();
    let places = match &shapes {
        Some(shapes) => broadcast_all(cx, shapes)?,
        None => None,
    };
    Ok(match (places, data.dims()) {
        (Some(places), Some(dims)) => {
            data.reshaped(places.into_iter().chain(dims.iter().skip(count).cloned()))
        }
        (Some(places), None) if !data.is_unknown_ndim() => {
            data.reranked(places.len() as i64 + data.ndim - count as i64)
        }
        _ => data.reranked(UNKNOWN_NDIM),
    })
}
