//! Reductions along axes, positions of extremes, scans.

use tvmscript_ir_core::{Array, DataType, Ref};
use tvmscript_prim::{self as prim, IntImm, ops as prim_ops};
use tvmscript_relax::evaluate::Tensor;
use tvmscript_relax::op::create::full;
use tvmscript_relax::op::elementwise::{abs, add, divide, equal, exp, log, multiply, sqrt, subtract, where_};
use tvmscript_relax::op::index::take;
use tvmscript_relax::op::join::flip;
use tvmscript_relax::op::reduce as op;
use tvmscript_relax::op::search::topk;
use tvmscript_relax::op::shape::{shape_of as lengths_at_run_time, shape_to_tensor, squeeze};
use tvmscript_relax::{Call, Constant, Expr, ShapeExpr};

use super::super::node::{Converted, Node, Output, str};
use super::reduce_runtime::{first_along, reduced_at_run_time, static_axes};
use super::rows;
use super::scalar::{constant_int, from_items, like};
use crate::error::Reason;
use crate::ops::{
    axis as axis_in, dims, dtype_of, field, int, int64_number, ints, lengths_of, number, rank, shape,
};

rows! {
    "ArgMax" { 1: |cx| extreme(cx, op::argmax) } => "argmax; flip, subtract for the last one";
    "ArgMin" { 1: |cx| extreme(cx, op::argmin) } => "argmin; flip, subtract for the last one";
    "CumProd" { 26: |cx| scan(cx, op::cumprod) } => "cumprod, flip";
    "CumSum" { 14: |cx| scan(cx, op::cumsum) } => "cumsum, flip";
    "LpNormalization" { 1: lp_normalization } => "abs, multiply, sum, sqrt, divide";
    "ReduceL1" { 13: |cx| by_attribute(cx, L1), 18: |cx| by_operand(cx, L1) } => "abs, sum";
    "ReduceL2" { 13: |cx| by_attribute(cx, L2), 18: |cx| by_operand(cx, L2) } => "multiply, sum, sqrt";
    "ReduceLogSum" { 13: |cx| by_attribute(cx, LOG_SUM), 18: |cx| by_operand(cx, LOG_SUM) } => "sum, log";
    "ReduceLogSumExp" { 13: |cx| by_attribute(cx, LOG_SUM_EXP), 18: |cx| by_operand(cx, LOG_SUM_EXP) }
        => "max, subtract, exp, sum, log, add, squeeze";
    "ReduceMax" { 11: |cx| by_attribute(cx, MAX), 18: |cx| by_operand(cx, MAX) } => "max";
    "ReduceMean" { 13: |cx| by_attribute(cx, MEAN), 18: |cx| by_operand(cx, MEAN) } => "mean";
    "ReduceMin" { 11: |cx| by_attribute(cx, MIN), 18: |cx| by_operand(cx, MIN) } => "min";
    "ReduceProd" { 13: |cx| by_attribute(cx, PROD), 18: |cx| by_operand(cx, PROD) } => "prod";
    "ReduceSum" { 11: |cx| by_attribute(cx, SUM), 13: |cx| by_operand(cx, SUM) } => "sum";
    "ReduceSumSquare" { 13: |cx| by_attribute(cx, SUM_SQUARE), 18: |cx| by_operand(cx, SUM_SQUARE) }
        => "multiply, sum";
    "TopK" { 1: |cx| {
        let k = cx.int("k").unwrap_or(1);
        Ok(topk(cx.input(0)?, k, cx.int("axis").unwrap_or(-1), str("both"), true, INT64).into())
    }, 11: top_k } => "topk";
}

const INT64: DataType = DataType::INT64;

/// An operator along axes: the tensor, the axes or all of them, whether axes of length 1 stay.
pub(super) type Reduction = fn(Expr, Option<Array<Ref<IntImm>>>, bool) -> Ref<Call>;

/// A reduction of ONNX, taken apart.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    /// Applied to the elements before.
    pub(super) before: fn(Expr) -> Expr,
    pub(super) along: Reduction,
    /// Applied to the results after.
    pub(super) after: fn(Expr) -> Expr,
    /// Lengths of a shape, combined.
    of_lengths: Option<super::scalar::ScalarOp>,
    /// The result of no elements.
    of_none: OfNone,
    /// The logarithm of the sum of exponentials, which is computed relative to the greatest element.
    pub(super) is_log_sum_exp: bool,
}

/// The result of a reduction of no elements, which TVM does not compute.
#[derive(Clone, Copy)]
enum OfNone {
    Number(f64),
    Least,
    Greatest,
}

impl OfNone {
    fn value(self, dtype: DataType) -> Result<Expr, Reason> {
        let limit = match self {
            OfNone::Number(value) => return Ok(number(dtype, value)),
            _ if !dtype.is_int() && !dtype.is_uint() && !dtype.is_bool() => {
                let sign = if matches!(self, OfNone::Least) { -1.0 } else { 1.0 };
                return Ok(number(dtype, sign * f64::INFINITY));
            }
            OfNone::Least if dtype.is_int() => -(1i128 << (dtype.bits - 1)),
            OfNone::Least => 0,
            OfNone::Greatest if dtype.is_int() => (1i128 << (dtype.bits - 1)) - 1,
            OfNone::Greatest if dtype.is_bool() => 1,
            OfNone::Greatest => (1i128 << dtype.bits) - 1,
        };
        Ok(Constant::new(Tensor::of_ints(dtype, Vec::new(), [limit]).encode()).upcast())
    }
}

const fn kind(along: Reduction) -> Kind {
    let of_none = OfNone::Number(0.0);
    Kind { before: |x| x, along, after: |x| x, of_lengths: None, of_none, is_log_sum_exp: false }
}

fn squared(x: Expr) -> Expr {
    multiply(x.clone(), x).upcast()
}

const MEAN: Kind = Kind { of_none: OfNone::Number(f64::NAN), ..kind(op::mean) };
const SUM: Kind = Kind { of_lengths: Some(prim_ops::add), ..kind(op::sum) };
const PROD: Kind = Kind { of_lengths: Some(prim_ops::mul), of_none: OfNone::Number(1.0), ..kind(op::prod) };
const MAX: Kind = Kind { of_lengths: Some(prim_ops::max), of_none: OfNone::Least, ..kind(op::max) };
const MIN: Kind = Kind { of_lengths: Some(prim_ops::min), of_none: OfNone::Greatest, ..kind(op::min) };
const L1: Kind = Kind { before: |x| abs(x).upcast(), ..kind(op::sum) };
const L2: Kind = Kind { before: squared, after: |x| sqrt(x).upcast(), ..kind(op::sum) };
const LOG_SUM: Kind =
    Kind { after: |x| log(x).upcast(), of_none: OfNone::Number(f64::NEG_INFINITY), ..kind(op::sum) };
const SUM_SQUARE: Kind = Kind { before: squared, ..kind(op::sum) };
const LOG_SUM_EXP: Kind = Kind { is_log_sum_exp: true, ..LOG_SUM };

impl Kind {
    /// The reduction of a tensor along axes; along all of them if there are none.
    fn reduced(&self, x: Expr, axes: Option<&[i64]>, keepdims: bool) -> Result<Expr, Reason> {
        if let Some(lengths) = lengths_of(&x).filter(|lengths| lengths.contains(&0)) {
            return self.of_empty(&x, &lengths, axes, keepdims);
        }
        Ok(self.of_elements(x, axes, keepdims))
    }

    /// The result for a tensor without elements.
    fn of_empty(
        &self,
        x: &Expr,
        lengths: &[i64],
        axes: Option<&[i64]>,
        keepdims: bool,
    ) -> Result<Expr, Reason> {
        let rank = lengths.len();
        let axes = match axes {
            Some(axes) => axes.iter().map(|axis| axis_in(*axis, rank)).collect::<Result<Vec<_>, _>>()?,
            None => (0..rank).collect(),
        };
        let result = lengths.iter().enumerate().filter_map(|(axis, length)| match axes.contains(&axis) {
            true => keepdims.then_some(1),
            false => Some(*length),
        });
        let result: Vec<i64> = result.collect();
        let dtype = dtype_of(x);
        Ok(full(shape(&result), self.of_none.value(dtype)?, Some(dtype)).upcast())
    }

    fn of_elements(&self, x: Expr, axes: Option<&[i64]>, keepdims: bool) -> Expr {
        let axes = || axes.map(ints);
        if !self.is_log_sum_exp {
            return (self.after)((self.along)((self.before)(x), axes(), keepdims).upcast());
        }
        let greatest: Expr = op::max(x.clone(), axes(), true).upcast();
        let powers = exp(subtract(x, greatest.clone()).upcast()).upcast();
        let sum = log(op::sum(powers, axes(), true).upcast()).upcast();
        let result = add(sum, greatest).upcast();
        if keepdims { result } else { squeeze(result, axes()).upcast() }
    }
}

/// Reduces the lengths of a shape during the import.
fn of_shape(cx: &Node<'_, '_>, kind: Kind, keepdims: bool) -> Option<Converted> {
    let value = cx.optional(0)?;
    let (shape, combine) = (value.as_node::<ShapeExpr>()?, kind.of_lengths?);
    let mut lengths = shape.values.iter().cloned();
    let first = lengths.next()?;
    let combined: Result<prim::Expr, _> = lengths.try_fold(first, combine);
    Some(combined.map_err(Reason::from).and_then(|item| Ok(from_items(vec![item], keepdims)?.into())))
}

/// Older versions: the axes are an attribute.
fn by_attribute(cx: &mut Node<'_, '_>, kind: Kind) -> Converted {
    let keepdims = cx.int("keepdims").unwrap_or(1) != 0;
    let axes = cx.ints("axes").filter(|axes| !axes.is_empty());
    if let Some(value) = of_shape(cx, kind, keepdims) {
        return value;
    }
    let x = cx.tensor(0)?;
    Ok(kind.reduced(x, axes.as_deref(), keepdims)?.into())
}

/// Newer versions: the axes are an operand. Without axes all are reduced, or none.
fn by_operand(cx: &mut Node<'_, '_>, kind: Kind) -> Converted {
    let keepdims = cx.int("keepdims").unwrap_or(1) != 0;
    let axes = static_axes(cx, 1)?;
    let is_noop = cx.flag("noop_with_empty_axes");
    match axes {
        Some(axes) if axes.is_empty() && is_noop => Ok(Output::One(cx.input(0)?)),
        Some(axes) => {
            if let Some(value) = of_shape(cx, kind, keepdims) {
                return value;
            }
            let x = cx.tensor(0)?;
            let axes = (!axes.is_empty()).then_some(axes);
            Ok(kind.reduced(x, axes.as_deref(), keepdims)?.into())
        }
        None => Ok(reduced_at_run_time(cx, kind, keepdims)?.into()),
    }
}

// --- positions -----------------------------------------------------------------------------------------------

type Extreme = fn(Expr, Option<i64>, bool) -> Ref<Call>;

fn extreme(cx: &mut Node<'_, '_>, op: Extreme) -> Converted {
    let x = cx.tensor(0)?;
    let axis = axis_in(cx.int("axis").unwrap_or(0), rank(&x)?)?;
    let keepdims = cx.int("keepdims").unwrap_or(1) != 0;
    let along = Some(axis as i64);
    if !cx.flag("select_last_index") {
        return Ok(op(x, along, keepdims).into());
    }
    let reversed = flip(x.clone(), int(axis as i64)).upcast();
    let found = cx.normalize(op(reversed, along, keepdims))?;
    let length = dims(&x)?.get(axis).and_then(prim_ops::int_value);
    let last = match length {
        Some(length) => int64_number(length - 1),
        None => {
            let lengths = cx.normalize(lengths_at_run_time(x))?;
            let lengths = cx.normalize(shape_to_tensor(lengths))?;
            let length = cx.normalize(take(lengths, int64_number(axis as i64), Some(0), str("fast")))?;
            cx.normalize(subtract(length, int64_number(1)))?
        }
    };
    Ok(subtract(last, found).into())
}

fn top_k(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let axis = cx.int("axis").unwrap_or(-1);
    let is_largest = cx.int("largest").unwrap_or(1) != 0;
    if let Some(k) = constant_int(cx, 1) {
        return Ok(topk(x, k, axis, str("both"), is_largest, INT64).into());
    }
    // All elements, sorted; then as many as the operand says.
    let at = axis_in(axis, rank(&x)?)?;
    let length = dims(&x)?.get(at).and_then(prim_ops::int_value);
    let length = length.ok_or_else(|| Reason::from("needs an axis whose length is a number"))?;
    let sorted = cx.emit(topk(x, length, axis, str("both"), is_largest, INT64))?;
    let count = cx.tensor(1)?;
    let mut results = Vec::new();
    for index in 0..2 {
        let all = cx.emit(field(&sorted, index))?;
        results.push(first_along(cx, all, at, count.clone())?);
    }
    Ok(results.into())
}

// --- scans ---------------------------------------------------------------------------------------------------

type Scan = fn(Expr, Option<i64>, Option<DataType>, Option<bool>) -> Ref<Call>;

/// A scan along an axis; along each axis, with a choice at run time, if it is not constant.
fn scan(cx: &mut Node<'_, '_>, op: Scan) -> Converted {
    let x = cx.tensor(0)?;
    let (is_exclusive, is_reverse) = (cx.flag("exclusive"), cx.flag("reverse"));
    let scanned = |cx: &mut Node<'_, '_>, axis: i64| -> Result<Expr, Reason> {
        let mut value = x.clone();
        if is_reverse {
            value = cx.emit(flip(value, int(axis)))?;
        }
        value = cx.normalize(op(value, Some(axis), None, Some(is_exclusive)))?;
        if is_reverse {
            value = cx.emit(flip(value, int(axis)))?;
        }
        Ok(value)
    };
    if let Some(axis) = constant_int(cx, 1) {
        return Ok(Output::One(scanned(cx, axis)?));
    }
    let (axis, rank) = (cx.tensor(1)?, rank(&x)? as i64);
    let dtype = dtype_of(&axis);
    let axis = cx.normalize(axis)?;
    let mut result = scanned(cx, 0)?;
    for candidate in 1..rank {
        let value = scanned(cx, candidate)?;
        let is = |axis: Expr, number_of: i64| equal(axis, number(dtype, number_of as f64)).upcast();
        let is_it = tvmscript_relax::op::elementwise::logical_or(
            is(axis.clone(), candidate),
            is(axis.clone(), candidate - rank),
        );
        result = cx.emit(where_(is_it.upcast(), value, result))?;
    }
    Ok(Output::One(result))
}

/// Divides by the norm along an axis; where that is 0, by nothing.
fn lp_normalization(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let axis = cx.int("axis").unwrap_or(-1);
    let kind = match cx.int("p").unwrap_or(2) {
        1 => L1,
        2 => L2,
        p => return Err(Reason(format!("the norm {p} is neither 1 nor 2"))),
    };
    let norm = kind.of_elements(x.clone(), Some(&[axis]), true);
    let is_zero = equal(norm.clone(), like(&x, 0.0)).upcast();
    let divisor = where_(is_zero, like(&x, 1.0), norm).upcast();
    Ok(divide(x, divisor).into())
}
