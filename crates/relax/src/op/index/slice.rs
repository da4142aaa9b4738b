//! `R.strided_slice` and `R.dynamic_strided_slice`: every so-many-th element between bounds.

use tvmscript_ir_core::{Array, Ref};
use tvmscript_ir_macros::operators;
#[cfg(feature = "build")]
use tvmscript_irbuilder::BuildError;
use tvmscript_prim::{self as prim, DataType, IntImm, ops};

use super::Inferred;
use crate::analysis::{BaseCheck, base_check};
#[cfg(feature = "build")]
use crate::build::args::{AnyExprArg, FlagArg};
use crate::node::attrs::StridedSliceAttrs;
use crate::node::*;
use crate::op::{Infer, InferError, InferErrorKind, Operator};

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

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
