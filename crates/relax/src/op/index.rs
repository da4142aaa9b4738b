//! Indexing and slicing.
//!
//! Upstream counterparts: `src/relax/op/tensor/index.cc`, `src/relax/op/tensor/manipulate.cc`.

use super::infer::dim_mut;
use super::prelude::*;
use crate::analysis::{BaseCheck, base_check, same_dim};
use crate::node::attrs::{GatherElementsAttrs, GatherNDAttrs, StridedSliceAttrs, TakeAttrs};

operators! {
    /// The elements at indices along an axis. The mode decides on indices out of bounds: `fast` (undefined), `wrap`, `clip`,
    /// `nan`.
    take(x: Expr, indices: Expr; axis: Option<Int> = None, mode: Str = "fast")
        -> infer(taken), attrs = TakeAttrs;
    /// For each index the element there along an axis, and at the index's own position along the others.
    gather_elements(data: Expr, indices: Expr; axis: Int = 0)
        -> infer(elements), attrs = GatherElementsAttrs { axis: plain_int(axis) };
    /// The elements or slices at the positions that the last axis of the indices lists; leading axes may be batches.
    gather_nd(data: Expr, indices: Expr; batch_dims: Int = 0)
        -> infer(slices_at), attrs = GatherNDAttrs { batch_dims: plain_int(batch_dims) };
    /// The elements at indices, one tensor of indices per axis; these are broadcast.
    index_tensor(data: Expr, indices: TensorTuple) -> infer(indexed);
    /// Strided slices along some axes. Negative bounds count from the end.
    strided_slice(
        x: AnyExpr, axes: AnyExpr, begin: AnyExpr, end: AnyExpr, strides: Option<AnyExpr> = None;
        assume_inbound: Flag = false
    ) -> infer(sliced), attrs = StridedSliceAttrs;
    /// Like `R.strided_slice`, for every axis, with bounds and strides that are tensors.
    dynamic_strided_slice(x: Expr, begin: Expr, end: Expr, strides: Expr) -> infer(sliced_at_run_time);
}

fn taken(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(2)?;
    let x = cx.tensor(0)?;
    // A scalar index is like a tensor of rank 0.
    let info = cx.info(1)?;
    let indices = match info.as_node::<PrimStructInfo>() {
        Some(prim) => TensorStructInfo::of_shape(ShapeExpr::of([].into_iter().collect()), prim.dtype, None),
        None => info.downcast().map_err(|_| cx.wrong_kind(1, "a tensor or a scalar"))?,
    };
    cx.expect_integers(1, &indices)?;
    let axis = cx.attrs::<TakeAttrs>()?.axis;
    if axis.is_none() && x.ndim != 1 {
        return Err(cx.wrong_rank(0, "rank 1 without an axis", x.ndim));
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

/// Checks that indices are signed integers, if their type is known.
fn expect_signed(cx: &Infer<'_>, index: usize, indices: &TensorStructInfo) -> Checked<()> {
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
        return Err(cx.wrong_attribute("batch_dims", format!("must not be negative, found {batch}")));
    }
    if !indices.is_unknown_dtype() && indices.dtype != DataType::INT64 {
        return Err(cx.wrong_dtype(1, "a tensor of `int64`", indices.dtype));
    }
    if data.is_unknown_ndim() || indices.is_unknown_ndim() {
        return Ok(data.reranked(UNKNOWN_NDIM));
    }
    let limit = data.ndim.min(indices.ndim - 1);
    if batch > limit {
        return Err(cx.wrong_attribute("batch_dims", format!("must be at most {limit}, found {batch}")));
    }
    let length = |places: &Array<prim::Expr>| Some(places.iter().next_back()?.as_node::<IntImm>()?.value);
    let Some((places, length)) = indices.dims().and_then(|places| Some((places, length(places)?))) else {
        return Ok(data.reranked(UNKNOWN_NDIM));
    };
    let Some(dims) = data.dims() else {
        return Ok(data.reranked(indices.ndim + data.ndim - length - 1 - batch));
    };
    if !(0..=data.ndim - batch).contains(&length) {
        let what = format!("expected at most {} numbers per index, found {length}", data.ndim - batch);
        return Err(cx.wrong_shape_at(1, what));
    }
    let rest = dims.iter().skip((batch + length) as usize);
    Ok(data.reshaped(places.iter().take(places.len() - 1).chain(rest).cloned()))
}

/// Broadcasts several shapes; `None` if the result is unknown.
fn broadcast_all(cx: &mut Infer<'_>, shapes: &[Array<prim::Expr>]) -> Checked<Option<Vec<prim::Expr>>> {
    let literal = |dim: &prim::Expr| dim.as_node::<IntImm>().map(|dim| dim.value);
    let ndim = shapes.iter().map(|dims| dims.len()).max().unwrap_or(0);
    let mut result = vec![IntImm::int64(1); ndim];
    for dims in shapes {
        for (known, dim) in result.iter_mut().rev().zip(dims.iter().rev()) {
            match (literal(known), literal(dim)) {
                (Some(1), _) => *known = dim.clone(),
                (_, Some(1)) => {}
                (Some(a), Some(b)) if a != b => {
                    let what = format!("dimensions {a} and {b} of the indices cannot be broadcast");
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
        return Err(cx.wrong_rank(0, format!("at least rank {count}"), data.ndim));
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

/// Checks that an operand is a tuple of `int64`, or may be one. Returns the length of a tuple literal.
fn check_tuple(cx: &mut Infer<'_>, index: usize) -> Checked<Option<usize>> {
    let info = cx.info(index)?;
    let int64 = PrimStructInfo::new(DataType::INT64);
    let is_int64 = |field| base_check(&int64, field, cx.analyzer) == BaseCheck::Pass;
    let is_right = match info.as_node::<TupleStructInfo>() {
        Some(tuple) => tuple.fields.iter().all(is_int64),
        None => info.is::<ObjectStructInfo>(),
    };
    match is_right {
        true => Ok(cx.arg(index)?.as_node::<Tuple>().map(|tuple| tuple.fields.len())),
        false => Err(cx.wrong_kind(index, "a tuple of `int64` scalars")),
    }
}

/// The scalars of a tuple operand, if all are known.
fn scalars(cx: &Infer<'_>, index: usize) -> Checked<Option<Vec<prim::Expr>>> {
    let info = cx.info(index)?;
    let Some(tuple) = info.as_node::<TupleStructInfo>() else { return Ok(None) };
    Ok(tuple.fields.iter().map(|field| field.as_node::<PrimStructInfo>()?.value.clone()).collect())
}

/// A slice along an axis.
struct Slice {
    axis: Ref<IntImm>,
    begin: prim::Expr,
    end: prim::Expr,
    stride: prim::Expr,
}

/// The slices, if all numbers are known.
fn slices(cx: &Infer<'_>) -> Checked<Option<Vec<Slice>>> {
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
            let what = format!("expected one number per axis, {}, found {}", axes.len(), column.len());
            return Err(cx.wrong_shape_at(index, what));
        }
        columns.push(column.into_iter());
    }
    let mut next = |i: usize| columns.get_mut(i)?.next();
    let slice = |axis| Some(Slice { axis, begin: next(0)?, end: next(1)?, stride: next(2)? });
    Ok(axes.into_iter().map(slice).collect())
}

/// A bound relative to the first element, clamped to at most one position outside.
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

/// The length of a slice.
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

/// The condition that both bounds lie within the tensor.
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
        return Err(InferErrorKind::Count { expected: 5, found }.into());
    }
    let x = cx.tensor(0)?;
    let mut axes = None;
    for index in 1..found {
        let Some(count) = check_tuple(cx, index)? else { continue };
        let axes = *axes.get_or_insert(count);
        if count != axes {
            return Err(
                cx.wrong_shape_at(index, format!("expected one number per axis, {axes}, found {count}"))
            );
        }
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
        let extent = dim_mut(&mut dims, axis);
        let count = length(slice, extent, is_inbound)?;
        let count = match is_inbound {
            true => {
                cx.analyzer.with_constraint(&is_within(slice, extent)?, |analyzer| analyzer.simplify(&count))
            }
            false => cx.analyzer.simplify(&count),
        };
        // Upstream infers a negative length where the end lies before the start.
        let is_empty = count.as_node::<IntImm>().is_some_and(|count| count.value < 0);
        *extent = if is_empty { IntImm::int64(0) } else { count };
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
            return Err(
                cx.wrong_shape_at(index, format!("expected a tensor of {} numbers, one per axis", x.ndim))
            );
        }
        if !numbers.is_unknown_dtype() && numbers.dtype != DataType::INT64 {
            return Err(cx.wrong_dtype(index, "a tensor of `int64`", numbers.dtype));
        }
    }
    Ok(x.reranked(x.ndim))
}
