//! Reductions along axes, and scans.

use tvmscript_ir_core::{Array, DataType, Ref, arithmetic::is_float};
use tvmscript_prim::IntImm;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::{abs, exp, log, multiply, power, sqrt, subtract};
use tvmscript_relax::op::tvm_0_27::tensor::median;
use tvmscript_relax::op::{reduce as op, shape::squeeze};
use tvmscript_relax::{Call, Expr};

use super::super::node::Node;
use super::super::value::{Converted, Number};
use super::elementwise::like;
use super::rows;
use crate::error::Reason;
use crate::ops::{self, dims, dtype_of};

/// A reduction.
type Reduction = fn(Expr, Option<Array<Ref<IntImm>>>, bool) -> Ref<Call>;
/// A scan along an axis.
type Scan = fn(Expr, Option<i64>, Option<DataType>, Option<bool>) -> Ref<Call>;

rows! { "aten.":
    "sum.default", "sum.dim_IntList" => "astype, sum", |cx| {
        let x = cx.tensor(0)?;
        let dtype = cx.dtype(usize::MAX, "dtype")?;
        let is_short = !is_float(dtype_of(&x)) && !dtype_of(&x).is_void();
        let x = match dtype.or(is_short.then_some(DataType::INT64)) {
            Some(dtype) if dtype != dtype_of(&x) || cx.has(usize::MAX, "dtype") => cx.emit(astype(x, dtype))?,
            _ => x,
        };
        reduced(cx, x, op::sum)
    };
    "mean.default", "mean.dim" => "astype, mean", |cx| {
        let x = cx.tensor(0)?;
        let x = match cx.dtype(usize::MAX, "dtype")? {
            Some(dtype) => cx.emit(astype(x, dtype))?,
            None => x,
        };
        reduced(cx, x, op::mean)
    };
    "prod.default", "prod.dim_int" => "prod", |cx| plain(cx, op::prod);
    "max.default" => "max", |cx| plain(cx, op::max);
    "min.default" => "min", |cx| plain(cx, op::min);
    "amax.default" => "max", |cx| plain(cx, op::max);
    "amin.default" => "min", |cx| plain(cx, op::min);
    "any.default", "any.dim", "any.dims" => "astype, max", |cx| of_flags(cx, op::max);
    "all.default", "all.dim", "all.dims" => "astype, min", |cx| of_flags(cx, op::min);
    "median.default", "median.dim" => "median", |cx| {
        let x = cx.tensor(0)?;
        let (axes, keeps) = (cx.axes(1, "dim")?, cx.flag(2, "keepdim", false)?);
        cx.result(median(x, axes, keeps))
    };
    "var.correction", "var.dim", "var.default" => "variance, multiply", |cx| {
        let value = variance(cx)?;
        Ok(value.into())
    };
    "std.correction", "std.dim", "std.default" => "std, variance, multiply, sqrt", |cx| {
        if correction(cx)? == 0.0 {
            let x = cx.tensor(0)?;
            let (axes, keeps) = (statistic_axes(cx)?, statistic_keeps(cx)?);
            return cx.result(op::std(x, axes, keeps));
        }
        let value = variance(cx)?;
        cx.result(sqrt(value))
    };
    "var_mean.correction", "var_mean.dim" => "variance, multiply, mean", |cx| {
        let value = variance(cx)?;
        let mean = mean_beside(cx)?;
        cx.tuple(vec![value, mean])
    };
    "std_mean.correction", "std_mean.dim" => "variance, multiply, sqrt, mean", |cx| {
        let value = variance(cx)?;
        let value = cx.emit(sqrt(value))?;
        let mean = mean_beside(cx)?;
        cx.tuple(vec![value, mean])
    };
    "argmax.default" => "argmax", |cx| {
        let x = cx.tensor(0)?;
        let (axis, keeps) = (cx.optional_int(1, "dim")?, cx.flag(2, "keepdim", false)?);
        cx.result(op::argmax(x, axis, keeps))
    };
    "argmin.default" => "argmin", |cx| {
        let x = cx.tensor(0)?;
        let (axis, keeps) = (cx.optional_int(1, "dim")?, cx.flag(2, "keepdim", false)?);
        cx.result(op::argmin(x, axis, keeps))
    };
    "cumsum.default" => "cumsum", |cx| scan(cx, op::cumsum);
    "cumprod.default" => "cumprod", |cx| scan(cx, op::cumprod);
    "logsumexp.default" => "max, subtract, exp, sum, log, add", log_sum_exp;
    "linalg_vector_norm.default", "norm.ScalarOpt_dim", "norm.Scalar" => "abs, max, min, power, sum", vector_norm;
}

/// A reduction of the axes at position 1.
fn reduced(cx: &mut Node<'_, '_>, x: Expr, op: Reduction) -> Converted {
    let (axes, keeps) = (cx.axes(1, "dim")?, cx.flag(2, "keepdim", false)?);
    cx.result(op(x, axes, keeps))
}

fn plain(cx: &mut Node<'_, '_>, op: Reduction) -> Converted {
    let x = cx.tensor(0)?;
    let x = match cx.dtype(usize::MAX, "dtype")? {
        Some(dtype) => cx.cast(x, dtype)?,
        None => x,
    };
    reduced(cx, x, op)
}

/// A reduction of flags, as numbers of 8 bits.
fn of_flags(cx: &mut Node<'_, '_>, op: Reduction) -> Converted {
    let x = cx.tensor(0)?;
    let x = cx.cast(x, DataType::BOOL)?;
    let (axes, keeps) = (cx.axes(1, "dim")?, cx.flag(2, "keepdim", false)?);
    let reduced = op(astype(x, DataType::int(8)).upcast(), axes, keeps);
    cx.result(astype(reduced.upcast(), DataType::BOOL))
}

/// Number by which the count of elements is lessened.
fn correction(cx: &mut Node<'_, '_>) -> Result<f64, Reason> {
    let operator = cx.proto.operator();
    if operator.ends_with(".correction") {
        return cx.float(usize::MAX, "correction", 1.0);
    }
    // The flag is at position 1 if there are no axes.
    let at = if operator.ends_with(".default") { 1 } else { 2 };
    Ok(if cx.flag(at, "unbiased", true)? { 1.0 } else { 0.0 })
}

/// The axes of a variance.
fn statistic_axes(cx: &mut Node<'_, '_>) -> Result<Option<Array<Ref<IntImm>>>, Reason> {
    if cx.proto.operator().ends_with(".default") { Ok(None) } else { cx.axes(1, "dim") }
}

/// Returns `true` if reduced axes stay, with length 1.
fn statistic_keeps(cx: &mut Node<'_, '_>) -> Result<bool, Reason> {
    let at = if cx.proto.operator().ends_with(".dim") { 3 } else { usize::MAX };
    cx.flag(at, "keepdim", false)
}

fn mean_beside(cx: &mut Node<'_, '_>) -> Result<Expr, Reason> {
    let x = cx.tensor(0)?;
    let (axes, keeps) = (statistic_axes(cx)?, statistic_keeps(cx)?);
    cx.emit(op::mean(x, axes, keeps))
}

/// A variance, bound.
fn variance(cx: &mut Node<'_, '_>) -> Result<Expr, Reason> {
    let x = cx.tensor(0)?;
    let (axes, keeps, correction) = (statistic_axes(cx)?, statistic_keeps(cx)?, correction(cx)?);
    let variance = cx.emit(op::variance(x.clone(), axes.clone(), keeps))?;
    if correction == 0.0 {
        return Ok(variance);
    }
    let count = reduced_count(&x, axes.as_ref())?;
    let scale = if count > correction { count / (count - correction) } else { f64::NAN };
    cx.emit(multiply(variance, like(&x, scale)))
}

/// The number of elements that are reduced to one.
fn reduced_count(x: &Expr, axes: Option<&Array<Ref<IntImm>>>) -> Result<f64, Reason> {
    let dims = dims(x)?;
    let axes: Vec<usize> = match axes {
        None => (0..dims.len()).collect(),
        Some(axes) => axes.iter().map(|axis| ops::axis(axis.value, dims.len())).collect::<Result<_, _>>()?,
    };
    let mut count = 1.0;
    for axis in axes {
        let length = dims.get(axis).and_then(tvmscript_prim::ops::int_value);
        count *= length.ok_or("needs known lengths of the axes that it reduces")? as f64;
    }
    Ok(count)
}

fn scan(cx: &mut Node<'_, '_>, op: Scan) -> Converted {
    let x = cx.tensor(0)?;
    let (axis, dtype) = (cx.optional_int(1, "dim")?, cx.dtype(usize::MAX, "dtype")?);
    cx.result(op(x, axis, dtype, Some(false)))
}

fn log_sum_exp(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.float_tensor(0)?;
    let (axes, keeps) = (cx.axes(1, "dim")?, cx.flag(2, "keepdim", false)?);
    let greatest = cx.emit(op::max(x.clone(), axes.clone(), true))?;
    let rest = cx.emit(exp(subtract(x, greatest.clone()).upcast()))?;
    let sum = cx.emit(log(op::sum(rest, axes.clone(), true).upcast()))?;
    let value = cx.emit(tvmscript_relax::op::elementwise::add(sum, greatest))?;
    if keeps {
        return Ok(value.into());
    }
    match axes {
        Some(axes) => cx.result(squeeze(value, Some(axes))),
        None => cx.result(ops::reshape(value, ops::shape(&[]))?),
    }
}

fn vector_norm(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.float_tensor(0)?;
    let order = cx.number_or(1, "ord", Number::Float(2.0))?.as_f64();
    let (axes, keeps) = (cx.axes(2, "dim")?, cx.flag(3, "keepdim", false)?);
    let magnitudes = abs(x.clone()).upcast();
    if order == f64::INFINITY {
        return cx.result(op::max(magnitudes, axes, keeps));
    }
    if order == f64::NEG_INFINITY {
        return cx.result(op::min(magnitudes, axes, keeps));
    }
    if order == 0.0 {
        return Err("the norm of order 0 is not supported".into());
    }
    let powers = power(magnitudes, like(&x, order)).upcast();
    cx.result(power(op::sum(powers, axes, keeps).upcast(), like(&x, 1.0 / order)))
}
