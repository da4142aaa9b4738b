//! Arithmetic, comparisons and functions of single elements.

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_prim::ops as prim_ops;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise as op;
use tvmscript_relax::op::shape::expand_dims;
use tvmscript_relax::{Call, Constant, Expr, PrimValue};

use super::super::node::{Converted, Node, Output};
use super::rows;
use super::scalar::{self, ScalarOp, as_tensor, combined, like};
use crate::error::Reason;
use crate::ops::{dtype_of, int_operand, integer_power, ints, numbers, rank_of};

rows! {
    "Abs" { 13: |cx| folding(cx, op::abs) } => "abs";
    "Acos" { 7: |cx| unary(cx, op::acos) } => "acos";
    "Acosh" { 9: |cx| unary(cx, op::acosh) } => "acosh";
    "Add" { 1: |cx| binary(cx, op::add, Some(prim_ops::add)) } => "add";
    "And" { 1: |cx| binary(cx, op::logical_and, None) } => "logical_and";
    "Asin" { 7: |cx| unary(cx, op::asin) } => "asin";
    "Asinh" { 9: |cx| unary(cx, op::asinh) } => "asinh";
    "Atan" { 7: |cx| unary(cx, op::atan) } => "atan";
    "Atanh" { 9: |cx| unary(cx, op::atanh) } => "atanh";
    "BitShift" { 11: bit_shift } => "left_shift or right_shift";
    "BitwiseAnd" { 18: |cx| binary(cx, op::bitwise_and, None) } => "bitwise_and";
    "BitwiseNot" { 18: |cx| folding(cx, op::bitwise_not) } => "bitwise_not";
    "BitwiseOr" { 18: |cx| binary(cx, op::bitwise_or, None) } => "bitwise_or";
    "BitwiseXor" { 18: |cx| binary(cx, op::bitwise_xor, None) } => "bitwise_xor";
    "Ceil" { 1: |cx| unary(cx, op::ceil) } => "ceil";
    "Clip" { 1: clip_to_attributes, 11: clip } => "clip, maximum, minimum";
    "Cos" { 7: |cx| unary(cx, op::cos) } => "cos";
    "Cosh" { 9: |cx| unary(cx, op::cosh) } => "cosh";
    "Div" { 7: divide } => "divide";
    "Equal" { 13: equal } => "equal";
    "Erf" { 13: |cx| unary(cx, op::erf) } => "erf";
    "Exp" { 1: |cx| unary(cx, op::exp) } => "exp";
    "Floor" { 1: |cx| unary(cx, op::floor) } => "floor";
    "Greater" { 1: |cx| binary(cx, op::greater, None) } => "greater";
    "GreaterOrEqual" { 1: |cx| binary(cx, op::greater_equal, None) } => "greater_equal";
    "IsInf" { 10: is_infinite } => "isinf, less, greater, logical_and";
    "IsNaN" { 9: |cx| unary(cx, op::isnan) } => "isnan";
    "Less" { 1: |cx| binary(cx, op::less, None) } => "less";
    "LessOrEqual" { 1: |cx| binary(cx, op::less_equal, None) } => "less_equal";
    "Log" { 13: |cx| folding(cx, op::log) } => "log";
    "Mod" { 10: modulo } => "floor_mod or mod";
    "Mul" { 7: |cx| binary(cx, op::multiply, Some(prim_ops::mul)) } => "multiply";
    "Neg" { 13: negate } => "negative";
    "Not" { 1: |cx| unary(cx, op::logical_not) } => "logical_not";
    "Or" { 1: |cx| binary(cx, op::logical_or, None) } => "logical_or";
    "Pow" { 7: power } => "power, astype";
    "Reciprocal" { 13: reciprocal } => "divide";
    "Round" { 1: |cx| unary(cx, op::round) } => "round";
    "Sigmoid" { 13: |cx| unary(cx, op::sigmoid) } => "sigmoid";
    "Sign" { 9: |cx| unary(cx, op::sign) } => "sign";
    "Sin" { 7: |cx| unary(cx, op::sin) } => "sin";
    "Sinh" { 9: |cx| unary(cx, op::sinh) } => "sinh";
    "Sqrt" { 1: |cx| unary(cx, op::sqrt) } => "sqrt";
    "Sub" { 7: |cx| binary(cx, op::subtract, Some(prim_ops::sub)) } => "subtract";
    "Tan" { 7: |cx| unary(cx, op::tan) } => "tan";
    "Tanh" { 7: |cx| unary(cx, op::tanh) } => "tanh";
    "Where" { 16: choose } => "where";
    "Xor" { 1: |cx| binary(cx, op::logical_xor, None) } => "logical_xor";
}

/// A typed operator of two tensors.
type Binary = fn(Expr, Expr) -> Ref<Call>;

/// An operator of one tensor.
fn unary(cx: &mut Node<'_, '_>, op: fn(Expr) -> Ref<Call>) -> Converted {
    Ok(op(cx.tensor(0)?).into())
}

/// An operator of one tensor that is computed during the import for constants.
fn folding(cx: &mut Node<'_, '_>, op: fn(Expr) -> Ref<Call>) -> Converted {
    let x = cx.tensor(0)?;
    cx.fold(op(x))
}

/// An operator of two tensors that are broadcast, and of shapes and scalar expressions if there is one for them.
fn binary(cx: &mut Node<'_, '_>, op: Binary, scalar: Option<ScalarOp>) -> Converted {
    let (a, b) = (cx.input(0)?, cx.input(1)?);
    let b = at_axis(cx, &a, b)?;
    if let Some(value) = scalar.and_then(|scalar| combined(&a, &b, scalar)) {
        return Ok(value?.into());
    }
    let is_mixed = scalar::known(&a).is_none() || scalar::known(&b).is_none();
    let as_operand = |value: Expr| match is_mixed && value.is::<PrimValue>() {
        true => Ok(value),
        false => as_tensor(value),
    };
    cx.fold(op(as_operand(a)?, as_operand(b)?))
}

/// The second operand with axes of length 1 at its end: before version 7, `axis` says where its axes begin in the first.
fn at_axis(cx: &mut Node<'_, '_>, a: &Expr, b: Expr) -> Result<Expr, Reason> {
    let stated = cx.int("axis").filter(|_| cx.opset < 7 && cx.flag("broadcast"));
    let (Some(axis), Some(rank), Some(own)) = (stated, rank_of(a), rank_of(&b)) else { return Ok(b) };
    match rank.checked_sub(crate::ops::axis(axis, rank)? + own) {
        None => Err(Reason(format!("the {own} axes of the second operand do not end before axis {rank}"))),
        Some(0) => Ok(b),
        Some(missing) => {
            cx.folded(expand_dims(b, ints(&(own as i64..(own + missing) as i64).collect::<Vec<_>>())))
        }
    }
}

fn is_integer(value: &Expr) -> bool {
    scalar::element_type(value).is_integer()
}

fn divide(cx: &mut Node<'_, '_>) -> Converted {
    let (a, b) = (cx.input(0)?, cx.input(1)?);
    if !is_integer(&a) || !is_integer(&b) {
        return binary(cx, op::divide, Some(prim_ops::div));
    }
    let zero = |value: &Expr| match scalar::known(value) {
        Some(known) => known.items.iter().any(prim_ops::is_zero),
        None => numbers(value).is_some_and(|numbers| numbers.contains(&0.0)),
    };
    if zero(&b) {
        return Err("the divisor holds a 0".into());
    }
    binary(cx, op::divide, Some(prim_ops::truncdiv))
}

fn modulo(cx: &mut Node<'_, '_>) -> Converted {
    match cx.flag("fmod") {
        true => binary(cx, op::mod_, Some(prim_ops::truncmod)),
        false => binary(cx, op::floor_mod, Some(prim_ops::floormod)),
    }
}

fn bit_shift(cx: &mut Node<'_, '_>) -> Converted {
    let (x, by) = (cx.input(0)?, cx.input(1)?);
    let bits = f64::from(scalar::element_type(&x).bits);
    if numbers(&by).is_some_and(|by| by.iter().any(|by| *by >= bits)) {
        cx.warn("a shift by all bits or more is 0 in ONNX, and anything here");
    }
    match cx.text("direction").as_deref() {
        None | Some("LEFT") => binary(cx, op::left_shift, None),
        Some("RIGHT") => binary(cx, op::right_shift, None),
        Some(other) => Err(Reason(format!("the direction `{other}` is neither `LEFT` nor `RIGHT`"))),
    }
}

fn power(cx: &mut Node<'_, '_>) -> Converted {
    let (a, b) = (cx.tensor(0)?, cx.tensor(1)?);
    let b = at_axis(cx, &a, b)?;
    let (base, exponent) = (dtype_of(&a), dtype_of(&b));
    let is_constant = a.is::<Constant>() && b.is::<Constant>();
    if is_integer(&a) && !(base == exponent && is_constant) {
        return Ok(Output::One(integer_power(a, b, base)));
    }
    let is_known = !base.is_void() && !exponent.is_void();
    let b = if is_known && base != exponent { cx.folded(astype(b, base))? } else { b };
    cx.fold(op::power(a, b))
}

fn negate(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    if let Some(known) = scalar::known(&x).filter(|_| scalar::is_symbolic(&x)) {
        let ([items], is_vector) = scalar::broadcast([known])?;
        let items = items.into_iter().map(prim_ops::neg).collect::<Result<Vec<_>, _>>()?;
        return Ok(scalar::from_items(items, is_vector)?.into());
    }
    cx.fold(op::negative(x))
}

fn reciprocal(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    Ok(op::divide(like(&x, 1.0), x).into())
}

fn is_infinite(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let wants = |name: &str| cx.int(name).unwrap_or(1) != 0;
    let zero = like(&x, 0.0);
    let infinite = op::isinf(x.clone());
    let with_sign = match (wants("detect_negative"), wants("detect_positive")) {
        (true, true) => return Ok(infinite.into()),
        (true, false) => op::less(x, zero),
        (false, true) => op::greater(x, zero),
        (false, false) => op::not_equal(x.clone(), x.clone()),
    };
    Ok(op::logical_and(infinite.upcast(), with_sign.upcast()).into())
}

fn equal(cx: &mut Node<'_, '_>) -> Converted {
    let (a, b) = (cx.input(0)?, cx.input(1)?);
    let is_symbolic = scalar::is_symbolic(&a) || scalar::is_symbolic(&b);
    let (Some(x), Some(y), true) = (scalar::known(&a), scalar::known(&b), is_symbolic) else {
        return cx.fold(op::equal(as_tensor(a)?, as_tensor(b)?));
    };
    let ([x, y], is_vector) = scalar::broadcast([x, y])?;
    let shape = if is_vector { vec![x.len()] } else { Vec::new() };
    let answers = x.iter().zip(&y).map(|(x, y)| i128::from(scalar::same(x, y)));
    let tensor = tvmscript_relax::evaluate::Tensor::of_ints(DataType::BOOL, shape, answers);
    Ok(cx.named(Constant::new(tensor.encode())).into())
}

/// A choice between elements; between those of shapes and constants during the import.
fn choose(cx: &mut Node<'_, '_>) -> Converted {
    let inputs = [cx.input(0)?, cx.input(1)?, cx.input(2)?];
    let [condition, x, y] = &inputs;
    if inputs.iter().any(scalar::is_symbolic)
        && let (Some(condition), Some(x), Some(y)) =
            (scalar::known(condition), scalar::known(x), scalar::known(y))
    {
        let ([condition, x, y], is_vector) = scalar::broadcast([condition, x, y])?;
        let known: Option<Vec<bool>> =
            condition.iter().map(|item| Some(prim_ops::int_value(item)? != 0)).collect();
        if let Some(known) = known {
            let chosen = known.iter().zip(x.into_iter().zip(y));
            let items = chosen.map(|(is_first, (x, y))| if *is_first { x } else { y }).collect();
            return Ok(scalar::from_items(items, is_vector)?.into());
        }
    }
    let [condition, x, y] = inputs;
    cx.fold(op::where_(as_tensor(condition)?, as_tensor(x)?, as_tensor(y)?))
}

// --- limits --------------------------------------------------------------------------------------------------

/// A tensor between two numbers.
fn clipped(x: Expr, low: f64, high: f64) -> Result<Expr, Reason> {
    // If the limits are in the wrong order, the upper one counts.
    let low = low.min(high);
    let is_float = !is_integer(&x);
    let bound = |value: f64| -> Result<Expr, Reason> {
        Ok(match is_float {
            true => PrimValue::new(prim_ops::make_const(DataType::float(64), value)?).upcast(),
            false => int_operand(value as i64),
        })
    };
    Ok(op::clip(x, bound(low)?, bound(high)?).upcast())
}

fn clip_to_attributes(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let value = match (cx.float("min"), cx.float("max")) {
        (Some(low), Some(high)) => clipped(x, low, high)?,
        (Some(low), None) => op::maximum(x.clone(), like(&x, low)).upcast(),
        (None, Some(high)) => op::minimum(x.clone(), like(&x, high)).upcast(),
        (None, None) => x,
    };
    Ok(value.into())
}

/// Limits are operands. Both constant: one call; else `maximum`, then `minimum`. A limit that is NaN is none.
fn clip(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let exact = |value: &f64| value.abs() < 2f64.powi(53) || value.is_infinite() && !is_integer(&x);
    let (low, high) = (limit(cx, 1)?, limit(cx, 2)?);
    if let (Some((_, Some(low))), Some((_, Some(high)))) = (&low, &high)
        && exact(low)
        && exact(high)
    {
        return Ok(clipped(x, *low, *high)?.into());
    }
    let value = limited(cx, x, low, op::maximum)?;
    Ok(Output::One(limited(cx, value, high, op::minimum)?))
}

/// A limit, and its value if it is constant.
type Limit = (Expr, Option<f64>);

/// The limit that an operand is.
fn limit(cx: &mut Node<'_, '_>, index: usize) -> Result<Option<Limit>, Reason> {
    if cx.optional(index).is_none() {
        return Ok(None);
    }
    let bound = cx.tensor(index)?;
    let constant = cx.constant(index).and_then(|constant| match numbers(&constant)?.as_slice() {
        [value] => Some(*value),
        _ => None,
    });
    Ok(Some((bound, constant)).filter(|(_, constant)| !constant.is_some_and(f64::is_nan)))
}

/// Applies a limit. If it may be NaN, that is tested at run time: an infinity in its place, as TVM's importer has it, is a
/// text that TVM does not read.
fn limited(cx: &mut Node<'_, '_>, x: Expr, limit: Option<Limit>, apply: Binary) -> Result<Expr, Reason> {
    let Some((bound, constant)) = limit else { return Ok(x) };
    let within = apply(x.clone(), bound.clone());
    if constant.is_some() || is_integer(&bound) {
        return cx.emit(within);
    }
    cx.emit(op::where_(op::isnan(bound).upcast(), x, within.upcast()))
}
