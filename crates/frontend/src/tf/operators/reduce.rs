//! Reductions along axes.

use tvmscript_ir_core::{Array, DataType, Ref};
use tvmscript_prim::{IntImm, ops as dim};
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::{add, exp, log, multiply, sqrt, square, subtract};
use tvmscript_relax::op::join::flip;
use tvmscript_relax::op::reduce as op;
use tvmscript_relax::{Call, Expr};

use super::super::dims::{DimOp, Dims};
use super::super::node::{Converted, Node};
use super::rows;
use crate::error::Reason;
use crate::ops::{self, dtype_of, int, ints, number, rank_of};

type Axes = Option<Array<Ref<IntImm>>>;
type Reduction = fn(Expr, Axes, bool) -> Ref<Call>;

rows! {
    "All" => |cx| of_bool(cx, op::min), "astype, min, astype", "axes that are not constant";
    "Any" => |cx| of_bool(cx, op::max), "astype, max, astype", "axes that are not constant";
    "ArgMax" => |cx| extreme(cx, op::argmax), "argmax, astype", "an axis that is not constant";
    "ArgMin" => |cx| extreme(cx, op::argmin), "argmin, astype", "an axis that is not constant";
    "Cumprod" => |cx| scan(cx, op::cumprod), "cumprod, flip", "an axis that is not constant";
    "CumulativeLogsumexp" => |cx| scan_with(cx, |cx, x, axis, is_exclusive| {
        let greatest = cx.step(op::max(x.clone(), Some(ints(&[axis])), true))?;
        let shares = cx.step(exp(subtract(x, greatest.clone()).upcast()))?;
        let sums = op::cumsum(shares, Some(axis), None, Some(is_exclusive));
        Ok(add(log(sums.upcast()).upcast(), greatest).upcast())
    }), "max, subtract, exp, cumsum, log, add, flip", "an axis that is not constant";
    "Cumsum" => |cx| scan(cx, op::cumsum), "cumsum, flip", "an axis that is not constant";
    "EuclideanNorm" => |cx| {
        reduce(cx, |x, axes, keeps| sqrt(op::sum(square(x).upcast(), axes, keeps).upcast()))
    }, "square, sum, sqrt", "axes that are not constant";
    "L2Loss" => |cx| {
        let x = cx.input(0)?;
        let half = number(dtype_of(&x), 0.5);
        Ok(multiply(op::sum(square(x).upcast(), None, false).upcast(), half).into())
    }, "square, sum, multiply";
    "Max" => |cx| of_dims(cx, op::max, None), "max", "axes that are not constant";
    "Mean" => |cx| reduce(cx, op::mean), "mean", "axes that are not constant";
    "Min" => |cx| of_dims(cx, op::min, None), "min", "axes that are not constant";
    "Prod" => |cx| of_dims(cx, op::prod, Some((1, dim::mul))), "prod", "axes that are not constant";
    "ReduceLogSumExp" => |cx| {
        reduce(cx, |x, axes, keeps| log(op::sum(exp(x).upcast(), axes, keeps).upcast()))
    }, "exp, sum, log", "axes that are not constant";
    "Sum" => |cx| of_dims(cx, op::sum, Some((0, dim::add))), "sum", "axes that are not constant";
}

/// The axes of a reduction, and whether they stay with length 1; `None` without any, which changes nothing.
fn axes(cx: &mut Node<'_, '_>, x: &Expr) -> Result<Option<(Axes, bool)>, Reason> {
    let keeps = cx.flag("keep_dims") || cx.flag("keepdims");
    let axes = cx.ints(1, "the axes")?;
    if axes.is_empty() || rank_of(x) == Some(0) {
        return Ok(None);
    }
    let axes = match rank_of(x) {
        Some(rank) => {
            let axes = axes.into_iter().map(|axis| Ok(ops::axis(axis, rank)? as i64));
            let mut axes = axes.collect::<Result<Vec<_>, Reason>>()?;
            axes.sort_unstable();
            axes.dedup();
            axes
        }
        None => axes,
    };
    Ok(Some((Some(ints(&axes)), keeps)))
}

fn reduce(cx: &mut Node<'_, '_>, op: Reduction) -> Converted {
    let x = cx.input(0)?;
    Ok(match axes(cx, &x)? {
        Some((axes, keeps)) => op(x, axes, keeps).into(),
        None => x.into(),
    })
}

/// A reduction of a tensor, or of integers that come from shapes.
fn of_dims(cx: &mut Node<'_, '_>, op: Reduction, on_dims: Option<(i64, DimOp)>) -> Converted {
    if cx.is_symbolic(0)
        && let (Some(dims), Some((start, on_dims))) = (cx.known_dims(0), on_dims)
        && !dims.is_scalar
        && matches!(cx.ints(1, "the axes")?.as_slice(), [0 | -1])
    {
        let folded = dims.fold(start, on_dims)?;
        let keeps = cx.flag("keep_dims") || cx.flag("keepdims");
        return Ok(Dims { is_scalar: !keeps, ..Dims::scalar(folded, dims.dtype) }.into());
    }
    reduce(cx, op)
}

fn of_bool(cx: &mut Node<'_, '_>, op: Reduction) -> Converted {
    let x = cx.input(0)?;
    Ok(match axes(cx, &x)? {
        Some((axes, keeps)) => {
            let numbers = astype(x, DataType::int(8)).upcast();
            astype(op(numbers, axes, keeps).upcast(), DataType::BOOL).into()
        }
        None => x.into(),
    })
}

fn extreme(cx: &mut Node<'_, '_>, op: fn(Expr, Option<i64>, bool) -> Ref<Call>) -> Converted {
    let x = cx.input(0)?;
    let axis = if cx.count() > 1 { cx.int(1, "the axis")? } else { 0 };
    let dtype = cx.dtype_attr("output_type")?.unwrap_or(DataType::INT64);
    let found = op(x, Some(axis), false);
    Ok(match dtype == DataType::INT64 {
        true => found.into(),
        false => astype(found.upcast(), dtype).into(),
    })
}

type Scan = fn(Expr, Option<i64>, Option<DataType>, Option<bool>) -> Ref<Call>;

fn scan(cx: &mut Node<'_, '_>, op: Scan) -> Converted {
    scan_with(cx, |_, x, axis, is_exclusive| Ok(op(x, Some(axis), None, Some(is_exclusive)).upcast()))
}

/// A scan along an axis, from its end if the node says so.
fn scan_with<'m>(
    cx: &mut Node<'_, 'm>,
    op: impl FnOnce(&mut Node<'_, 'm>, Expr, i64, bool) -> Result<Expr, Reason>,
) -> Converted {
    let mut x = cx.input(0)?;
    let axis = ops::axis(cx.int(1, "the axis")?, ops::rank(&x)?)? as i64;
    let is_reverse = cx.flag("reverse");
    if is_reverse {
        x = flip(x, int(axis)).upcast();
    }
    let is_exclusive = cx.flag("exclusive");
    let scanned = op(cx, x, axis, is_exclusive)?;
    Ok(match is_reverse {
        true => flip(scanned, int(axis)).into(),
        false => scanned.into(),
    })
}
