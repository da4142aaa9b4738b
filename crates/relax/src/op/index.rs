//! Elements read at indices: `R.take`, `R.gather_elements`, `R.gather_nd`, `R.index_tensor`, `R.strided_slice`,
//! `R.dynamic_strided_slice`.
//!
//! Upstream counterparts: `src/relax/op/tensor/index.cc`, `src/relax/op/tensor/manipulate.cc`.

use tvmscript_ir_core::{Array, Ref, Span, Str};
use tvmscript_ir_macros::operators;
#[cfg(feature = "build")]
use tvmscript_irbuilder::BuildError;
use tvmscript_prim::{self as prim, DataType, IntImm, ops};

use super::kind::{Int, TensorTuple};
use super::{Infer, InferError, InferErrorKind, Operator};
use crate::analysis::{BaseCheck, base_check, same_dim};
#[cfg(feature = "build")]
use crate::build::args::{AnyExprArg, ExprArg, FlagArg, IntArg, IntImmArg};
use crate::node::attrs::{GatherElementsAttrs, GatherNDAttrs, StridedSliceAttrs, TakeAttrs};
use crate::node::*;

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// The elements at indices along an axis; what indices outside mean is said by the mode: `fast` (nothing), `wrap`, `clip`, `nan`.
    take(x: Expr, indices: Expr; axis: Option<Int> = None, mode: Str = "fast")
        -> infer(taken), attrs = TakeAttrs;
    /// For each index the element there along an axis, and at the index's own place along the others.
    gather_elements(data: ExprArg, indices: ExprArg, axis: IntArg = 0) -> infer(elements) {
        let attrs = Ref::new(GatherElementsAttrs { axis: IntImmArg::from(axis.0).0 }).upcast();
        Ok(Call::of_op("relax.gather_elements", [data.0, indices.0], Some(attrs)))
    }
    /// The elements or slices at places that the last axis of the indices names; leading axes may be batches.
    gather_nd(data: ExprArg, indices: ExprArg, batch_dims: IntArg = 0) -> infer(slices_at) {
        let attrs = Ref::new(GatherNDAttrs { batch_dims: IntImmArg::from(batch_dims.0).0 }).upcast();
        Ok(Call::of_op("relax.gather_nd", [data.0, indices.0], Some(attrs)))
    }
    /// The elements at indices, one tensor of indices an axis; these are broadcast.
    index_tensor(data: Expr, indices: TensorTuple) -> infer(indexed);
    /// The elements between bounds, along some axes, and of these every so-many-th. Negative bounds count from the last.
    strided_slice(
        x: AnyExprArg, axes: AnyExprArg, begin: AnyExprArg, end: AnyExprArg,
        strides: Option<AnyExprArg> = None, assume_inbound: FlagArg = false
    ) -> infer(sliced) {
        let mut args = vec![x.0, axes.0, begin.0, end.0];
        args.extend(strides.map(|strides| strides.0));
        let mut known = None;
        for (index, arg) in args.iter().enumerate().skip(1) {
            let Some(tuple) = arg.as_node::<Tuple>() else { continue };
            let (found, expected) = (tuple.fields.len(), *known.get_or_insert(tuple.fields.len()));
            if found != expected {
                let message =
                    format!("axes, bounds and strides are equally many, but here are {found}, not {expected}");
                return Err(BuildError::message(message).at_position(index));
            }
        }
        let attrs = Ref::new(StridedSliceAttrs { assume_inbound: assume_inbound.0 }).upcast();
        Ok(Call::of_op("relax.strided_slice", args, Some(attrs)))
    }
    /// As `R.strided_slice`, for every axis, with bounds and strides that are tensors.
    dynamic_strided_slice(x: Expr, begin: Expr, end: Expr, strides: Expr) -> infer(sliced_at_run_time);
}

fn taken(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(2)?;
    let x = cx.tensor(0)?;
    // A scalar is an index as a tensor of rank 0 is.
    let info = cx.info(1)?;
    let indices = match info.as_node::<PrimStructInfo>() {
        Some(prim) => TensorStructInfo::of_shape(ShapeExpr::of([].into_iter().collect()), prim.dtype, None),
        None => info.downcast().map_err(|_| cx.wrong_kind(1, "a tensor or a scalar"))?,
    };
    cx.expect_integers(1, &indices)?;
    let axis = cx.attrs::<TakeAttrs>()?.axis;
    if axis.is_none() && x.ndim != 1 {
        let expected = "rank 1 (no axis is given)".to_owned();
        return Err(InferErrorKind::Rank { op: cx.op(), expected, found: x.ndim }.at(0));
    }
    if x.is_unknown_ndim() || indices.is_unknown_ndim() {
        return Ok(x.reranked(UNKNOWN_NDIM));
    }
    let axis = cx.axis(axis.unwrap_or(0), x.ndim)?;
    let (Some(dims), Some(places)) = (x.dims(), indices.dims()) else {
        return Ok(x.reranked(indices.ndim + x.ndim - 1));
    };
    let (before, after) = (dims.iter().take(axis), dims.iter().skip(axis + 1));
    Ok(x.reshaped(before.chain(places.iter()).chain(after).cloned()))
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

fn slices_at(cx: &mut Infer<'_>) -> Inferred {
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

/// Checks that an operand is a tuple of `int64`, or may be one.
fn check_tuple(cx: &mut Infer<'_>, index: usize) -> std::result::Result<(), InferError> {
    let info = cx.info(index)?;
    let int64 = PrimStructInfo::new(DataType::INT64);
    let is_int64 = |field| base_check(&int64, field, cx.analyzer) == BaseCheck::Pass;
    let is_right = match info.as_node::<TupleStructInfo>() {
        Some(tuple) => tuple.fields.iter().all(is_int64),
        None => info.is::<ObjectStructInfo>(),
    };
    if is_right { Ok(()) } else { Err(cx.wrong_kind(index, "a tuple of `int64` scalars")) }
}

/// The scalars of an operand that is a tuple of them, where all are known.
fn scalars(cx: &Infer<'_>, index: usize) -> std::result::Result<Option<Vec<prim::Expr>>, InferError> {
    let info = cx.info(index)?;
    let Some(tuple) = info.as_node::<TupleStructInfo>() else { return Ok(None) };
    Ok(tuple.fields.iter().map(|field| field.as_node::<PrimStructInfo>()?.value.clone()).collect())
}

/// What is sliced along which axis.
struct Slice {
    axis: Ref<IntImm>,
    begin: prim::Expr,
    end: prim::Expr,
    stride: prim::Expr,
}

/// The slices, where all numbers are known.
fn slices(cx: &Infer<'_>) -> std::result::Result<Option<Vec<Slice>>, InferError> {
    let Some(axes) = scalars(cx, 1)? else { return Ok(None) };
    let Ok(axes) =
        axes.into_iter().map(|axis| axis.downcast::<IntImm>()).collect::<std::result::Result<Vec<_>, _>>()
    else {
        return Ok(None);
    };
    let mut columns = Vec::with_capacity(3);
    for index in 2..5 {
        let column = match index < cx.arg_count() {
            true => scalars(cx, index)?,
            false => Some(vec![IntImm::int64(1); axes.len()]),
        };
        let Some(column) = column else { return Ok(None) };
        if column.len() != axes.len() {
            let what = format!("there are {} numbers for {} axes", column.len(), axes.len());
            return Err(cx.wrong_shape_at(index, what));
        }
        columns.push(column.into_iter());
    }
    let mut next = |i: usize| columns[i].next();
    let slice = |axis| Some(Slice { axis, begin: next(0)?, end: next(1)?, stride: next(2)? });
    Ok(axes.into_iter().map(slice).collect())
}

/// A bound counted from the first element, and within reach: at most one before or behind the others.
///
/// # Source
/// `CanonicalizeIndex`, `include/tvm/topi/transform.h`.
fn canonical(
    bound: &prim::Expr,
    extent: &prim::Expr,
    stride: &prim::Expr,
) -> std::result::Result<prim::Expr, prim::PrimError> {
    let literal = |e: &prim::Expr| e.as_node::<IntImm>().map(|e| e.value);
    if let (Some(bound), Some(extent), Some(stride)) = (literal(bound), literal(extent), literal(stride)) {
        let (low, high) = if stride < 0 { (-1, extent.saturating_sub(1)) } else { (0, extent) };
        let bound = if bound < 0 { bound.saturating_add(extent) } else { bound };
        return Ok(IntImm::int64(bound.max(low).min(high)));
    }
    if let (Some(a), Some(b)) = (bound.as_node::<prim::Var>(), extent.as_node::<prim::Var>())
        && a.name.get() == b.name.get()
    {
        return Ok(bound.clone());
    }
    let int = IntImm::int32;
    let is_backward = ops::lt(stride.clone(), int(0))?;
    let low = ops::if_then_else(is_backward.clone(), int(-1), int(0))?;
    let high = ops::if_then_else(is_backward, ops::sub(extent.clone(), int(1))?, extent.clone())?;
    let bound = match literal(bound) {
        Some(value) if value >= 0 => bound.clone(),
        _ => {
            let from_last = ops::add(bound.clone(), extent.clone())?;
            ops::if_then_else(ops::lt(bound.clone(), int(0))?, from_last, bound.clone())?
        }
    };
    ops::min(ops::max(bound, low)?, high)
}

/// How many elements a slice has.
///
/// # Source
/// `GetLength`, `include/tvm/topi/transform.h`.
fn length(
    slice: &Slice,
    extent: &prim::Expr,
    is_inbound: bool,
) -> std::result::Result<prim::Expr, prim::PrimError> {
    let Slice { begin, end, stride, .. } = slice;
    if is_inbound {
        return ops::ceildiv(ops::sub(end.clone(), begin.clone())?, stride.clone());
    }
    let (begin, end) = (canonical(begin, extent, stride)?, canonical(end, extent, stride)?);
    let backward = ops::ceildiv(ops::sub(begin.clone(), end.clone())?, ops::neg(stride.clone())?)?;
    let forward = ops::ceildiv(ops::sub(end, begin)?, stride.clone())?;
    ops::if_then_else(ops::lt(stride.clone(), IntImm::int32(0))?, backward, forward)
}

/// That both bounds lie within the tensor.
fn is_within(slice: &Slice, extent: &prim::Expr) -> std::result::Result<prim::Expr, prim::PrimError> {
    let mut all: Option<prim::Expr> = None;
    for bound in [&slice.begin, &slice.end] {
        let low = ops::le(IntImm::int32(0), bound.clone())?;
        let high = ops::le(bound.clone(), extent.clone())?;
        for condition in [low, high] {
            all = Some(match all {
                Some(all) => ops::and(all, condition)?,
                None => condition,
            });
        }
    }
    Ok(all.unwrap_or_else(|| IntImm::bool(true)))
}

fn sliced(cx: &mut Infer<'_>) -> Inferred {
    let found = cx.arg_count();
    if !(4..=5).contains(&found) {
        return Err(InferErrorKind::Count { op: cx.op(), expected: 5, found }.into());
    }
    let x = cx.tensor(0)?;
    for index in 1..found {
        check_tuple(cx, index)?;
    }
    let without_dims = x.reranked(x.ndim);
    if x.shape.is_none() {
        return Ok(without_dims);
    }
    let Some(slices) = slices(cx)? else { return Ok(without_dims) };
    let Some(dims) = x.known_dims() else {
        return Ok(if slices.is_empty() { x.upcast() } else { without_dims });
    };
    let axes: Array<_> = slices.iter().map(|slice| slice.axis.clone()).collect();
    let axes = cx.axes(&axes, x.ndim)?;
    let is_inbound = cx.attrs::<StridedSliceAttrs>()?.assume_inbound;
    let mut dims: Vec<_> = dims.iter().cloned().collect();
    for (slice, axis) in slices.iter().zip(axes) {
        let extent = &mut dims[axis];
        let count = length(slice, extent, is_inbound)?;
        let count = match is_inbound {
            true => {
                cx.analyzer.with_constraint(&is_within(slice, extent)?, |analyzer| analyzer.simplify(&count))
            }
            false => cx.analyzer.simplify(&count),
        };
        *extent = count;
    }
    Ok(x.reshaped(dims))
}

fn sliced_at_run_time(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(4)?;
    let x = cx.tensor(0)?;
    if x.is_unknown_ndim() {
        return Ok(x.reranked(UNKNOWN_NDIM));
    }
    for index in 1..4 {
        let numbers = cx.tensor(index)?;
        let length =
            numbers.dims().filter(|dims| dims.len() == 1).and_then(|dims| dims[0].as_node::<IntImm>());
        if length.is_none_or(|length| length.value != x.ndim) {
            return Err(cx.wrong_shape_at(index, format!("there is one number for each of {} axes", x.ndim)));
        }
        if !numbers.is_unknown_dtype() && numbers.dtype != DataType::INT64 {
            return Err(cx.wrong_dtype(index, "a tensor of `int64`", numbers.dtype));
        }
    }
    Ok(x.reranked(x.ndim))
}
