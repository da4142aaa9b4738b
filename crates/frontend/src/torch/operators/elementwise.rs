//! Arithmetic, comparisons and functions of single elements.

use tvmscript_ir_core::{DataType, Ref, arithmetic::is_float};
use tvmscript_prim::{self as prim, ops as scalar};
use tvmscript_relax::op::elementwise as op;
use tvmscript_relax::op::linear_algebra::matmul;
use tvmscript_relax::op::tvm_0_27::tensor::atan2;
use tvmscript_relax::{Call, Expr, PrimValue};

use super::super::node::{DEFAULT_FLOAT, Node};
use super::super::value::{Converted, Number, Value};
use super::promote::{as_tensors, promoted};
use super::{operand, rows};
use crate::error::Reason;
use crate::ops::{dtype_of, integer_power};

/// An operator of two tensors.
type Binary = fn(Expr, Expr) -> Ref<Call>;
/// An operator of two lengths.
type OfLengths = fn(prim::Expr, prim::Expr) -> Result<prim::Expr, prim::PrimError>;

rows! { "aten.":
    "abs.default" => "abs", |cx| unary(cx, op::abs);
    "acos.default", "arccos.default" => "acos", |cx| unary_float(cx, op::acos);
    "acosh.default" => "acosh", |cx| unary_float(cx, op::acosh);
    "asin.default" => "asin", |cx| unary_float(cx, op::asin);
    "asinh.default" => "asinh", |cx| unary_float(cx, op::asinh);
    "atan.default" => "atan", |cx| unary_float(cx, op::atan);
    "atanh.default" => "atanh", |cx| unary_float(cx, op::atanh);
    "bitwise_not.default" => "bitwise_not", |cx| unary(cx, op::bitwise_not);
    "ceil.default" => "ceil", |cx| unary(cx, op::ceil);
    "cos.default" => "cos", |cx| unary_float(cx, op::cos);
    "cosh.default" => "cosh", |cx| unary_float(cx, op::cosh);
    "erf.default" => "erf", |cx| unary_float(cx, op::erf);
    "erfc.default", "special_erfc.default" => "erf, subtract", erfc;
    "exp.default" => "exp", |cx| unary_float(cx, op::exp);
    "exp2.default" => "power", exp2;
    "expm1.default" => "exp, subtract", expm1;
    "floor.default" => "floor", |cx| unary(cx, op::floor);
    "frac.default" => "trunc, subtract", frac;
    "isfinite.default" => "isfinite", |cx| unary(cx, op::isfinite);
    "isinf.default" => "isinf", |cx| unary(cx, op::isinf);
    "isnan.default" => "isnan", |cx| unary(cx, op::isnan);
    "log.default" => "log", |cx| unary_float(cx, op::log);
    "log2.default" => "log, divide", |cx| log_of(cx, std::f64::consts::LN_2);
    "log10.default" => "log, divide", |cx| log_of(cx, std::f64::consts::LN_10);
    "log1p.default" => "add, log", log1p;
    "logical_not.default" => "astype, logical_not", logical_not;
    "neg.default" => "negative", |cx| unary(cx, op::negative);
    "reciprocal.default" => "divide", reciprocal;
    "round.default", "round.decimals" => "round", round;
    "rsqrt.default" => "rsqrt", |cx| unary_float(cx, op::rsqrt);
    "sigmoid.default", "special_expit.default" => "sigmoid", |cx| unary_float(cx, op::sigmoid);
    "sign.default", "sgn.default" => "sign", |cx| unary(cx, op::sign);
    "sin.default" => "sin", |cx| unary_float(cx, op::sin);
    "sinh.default" => "sinh", |cx| unary_float(cx, op::sinh);
    "sqrt.default" => "sqrt", |cx| unary_float(cx, op::sqrt);
    "square.default" => "square", |cx| unary(cx, op::square);
    "tan.default" => "tan", |cx| unary_float(cx, op::tan);
    "tanh.default" => "tanh", |cx| unary_float(cx, op::tanh);
    "trunc.default", "fix.default" => "trunc", |cx| unary(cx, op::trunc);
    "positive.default" => "the operand", operand;

    "add.Tensor", "add.Scalar" => "add", |cx| scaled(cx, op::add, scalar::add);
    "sub.Tensor", "sub.Scalar" => "subtract", |cx| scaled(cx, op::subtract, scalar::sub);
    "rsub.Tensor", "rsub.Scalar" => "subtract", rsub;
    "mul.Tensor", "mul.Scalar" => "multiply", |cx| binary(cx, op::multiply, scalar::mul);
    "div.Tensor", "div.Scalar", "true_divide.Tensor" => "divide", |cx| divide(cx, "");
    "div.Tensor_mode", "div.Scalar_mode" => "divide, floor_divide, trunc", |cx| {
        let mode = cx.text(2, "rounding_mode", "")?;
        divide(cx, &mode)
    };
    "floor_divide.default", "floor_divide.Scalar"
        => "floor_divide", |cx| binary(cx, op::floor_divide, scalar::floordiv);
    "remainder.Tensor", "remainder.Scalar", "remainder.Scalar_Tensor"
        => "floor_mod", |cx| binary(cx, op::floor_mod, scalar::floormod);
    "fmod.Tensor", "fmod.Scalar" => "mod", |cx| binary(cx, op::mod_, scalar::floormod);
    "atan2.default", "arctan2.default" => "atan2", |cx| floats(cx, atan2);
    "logaddexp.default" => "log_add_exp", |cx| floats(cx, op::log_add_exp);
    "maximum.default", "max.other", "fmax.default" => "maximum", |cx| binary(cx, op::maximum, scalar::max);
    "minimum.default", "min.other", "fmin.default" => "minimum", |cx| binary(cx, op::minimum, scalar::min);
    "pow.Tensor_Tensor", "pow.Tensor_Scalar", "pow.Scalar" => "power, multiply", pow;
    "eq.Tensor", "eq.Scalar" => "equal", |cx| compare(cx, op::equal);
    "ne.Tensor", "ne.Scalar", "not_equal.Tensor" => "not_equal", |cx| compare(cx, op::not_equal);
    "lt.Tensor", "lt.Scalar" => "less", |cx| compare(cx, op::less);
    "le.Tensor", "le.Scalar" => "less_equal", |cx| compare(cx, op::less_equal);
    "gt.Tensor", "gt.Scalar" => "greater", |cx| compare(cx, op::greater);
    "ge.Tensor", "ge.Scalar" => "greater_equal", |cx| compare(cx, op::greater_equal);
    "logical_and.default" => "astype, logical_and", |cx| logical(cx, op::logical_and);
    "logical_or.default" => "astype, logical_or", |cx| logical(cx, op::logical_or);
    "logical_xor.default" => "astype, logical_xor", |cx| logical(cx, op::logical_xor);
    "bitwise_and.Tensor", "bitwise_and.Scalar", "__and__.Tensor", "__and__.Scalar"
        => "bitwise_and", |cx| binary(cx, op::bitwise_and, scalar::bitwise_and);
    "bitwise_or.Tensor", "bitwise_or.Scalar", "__or__.Tensor", "__or__.Scalar"
        => "bitwise_or", |cx| binary(cx, op::bitwise_or, scalar::bitwise_or);
    "bitwise_xor.Tensor", "bitwise_xor.Scalar", "__xor__.Tensor", "__xor__.Scalar"
        => "bitwise_xor", |cx| binary(cx, op::bitwise_xor, scalar::bitwise_xor);
    "bitwise_left_shift.Tensor", "bitwise_left_shift.Tensor_Scalar", "__lshift__.Scalar", "__lshift__.Tensor"
        => "left_shift", |cx| binary(cx, op::left_shift, scalar::shift_left);
    "bitwise_right_shift.Tensor", "bitwise_right_shift.Tensor_Scalar", "__rshift__.Scalar", "__rshift__.Tensor"
        => "right_shift", |cx| binary(cx, op::right_shift, scalar::shift_right);
    "addcmul.default" => "multiply, add", |cx| add_joined(cx, op::multiply);
    "addcdiv.default" => "divide, multiply, add", |cx| add_joined(cx, op::divide);
    "lerp.Scalar", "lerp.Tensor" => "subtract, multiply, add", lerp;

    "clamp.default", "clamp.Tensor", "clip.default", "clip.Tensor"
        => "clip, broadcast_to, maximum, minimum", |cx| clamp(cx, Some((1, "min")), Some((2, "max")));
    "clamp_min.default", "clamp_min.Tensor" => "clip, broadcast_to, maximum", |cx| clamp(cx, Some((1, "min")), None);
    "clamp_max.default", "clamp_max.Tensor" => "clip, broadcast_to, minimum", |cx| clamp(cx, None, Some((1, "max")));
    "where.self", "where.Scalar", "where.ScalarSelf", "where.ScalarOther" => "where", where_;
    "matmul.default", "mm.default", "bmm.default", "mv.default", "dot.default", "vdot.default" => "matmul", |cx| {
        let (a, b) = (cx.tensor(0)?, cx.tensor(1)?);
        let (a, b) = promoted(cx, a, b)?;
        cx.result(matmul(a, b, Some(DEFAULT_FLOAT)))
    };
}

// --- one tensor --------------------------------------------------------------------------------------------------

fn unary(cx: &mut Node<'_, '_>, op: fn(Expr) -> Ref<Call>) -> Converted {
    let x = cx.tensor(0)?;
    cx.result(op(x))
}

/// An operator whose result is a floating-point number also for integers.
fn unary_float(cx: &mut Node<'_, '_>, op: fn(Expr) -> Ref<Call>) -> Converted {
    let x = cx.float_tensor(0)?;
    cx.result(op(x))
}

/// A constant of the type of a tensor.
pub(super) fn like(x: &Expr, value: f64) -> Expr {
    Number::Float(value).constant(dtype_of(x))
}

fn erfc(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.float_tensor(0)?;
    cx.result(op::subtract(like(&x, 1.0), op::erf(x).upcast()))
}

fn exp2(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.float_tensor(0)?;
    cx.result(op::power(like(&x, 2.0), x))
}

fn expm1(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.float_tensor(0)?;
    let one = like(&x, 1.0);
    cx.result(op::subtract(op::exp(x).upcast(), one))
}

fn frac(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    cx.result(op::subtract(x.clone(), op::trunc(x).upcast()))
}

fn log_of(cx: &mut Node<'_, '_>, base: f64) -> Converted {
    let x = cx.float_tensor(0)?;
    let base = like(&x, base);
    cx.result(op::divide(op::log(x).upcast(), base))
}

fn log1p(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.float_tensor(0)?;
    let one = like(&x, 1.0);
    cx.result(op::log(op::add(x, one).upcast()))
}

fn reciprocal(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.float_tensor(0)?;
    cx.result(op::divide(like(&x, 1.0), x))
}

fn logical_not(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let x = cx.cast(x, DataType::BOOL)?;
    cx.result(op::logical_not(x))
}

/// Digits after the point are kept by scaling with a power of ten, in 32 bits for shorter types.
fn round(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let decimals = cx.int(1, "decimals", 0)?;
    if decimals == 0 {
        return cx.result(op::round(x));
    }
    let stated = dtype_of(&x);
    let x = if stated.bits < 32 { cx.cast(x, DEFAULT_FLOAT)? } else { x };
    let largest = if stated.bits == 64 { 308 } else { 38 };
    let digits = i32::try_from(decimals.unsigned_abs()).unwrap_or(i32::MAX);
    let scale = if digits > largest { f64::INFINITY } else { 10f64.powi(digits) };
    let scale = like(&x, scale);
    let (up, down): (Binary, Binary) =
        if decimals > 0 { (op::multiply, op::divide) } else { (op::divide, op::multiply) };
    let rounded = op::round(up(x, scale.clone()).upcast()).upcast();
    let result = down(rounded, scale);
    match stated.bits < 32 {
        true => cx.result(tvmscript_relax::op::datatype::astype(result.upcast(), stated)),
        false => cx.result(result),
    }
}

// --- two tensors -------------------------------------------------------------------------------------------------

/// An operator of two tensors or numbers, and its counterpart for lengths.
pub(super) fn binary(cx: &mut Node<'_, '_>, op: Binary, of_lengths: OfLengths) -> Converted {
    let (a, b) = (cx.needed(0, "self")?, cx.needed(1, "other")?);
    joined(cx, a, b, op, of_lengths)
}

fn joined(cx: &mut Node<'_, '_>, a: Value, b: Value, op: Binary, of_lengths: OfLengths) -> Converted {
    if let (Some(a), Some(b)) = (a.dim(), b.dim()) {
        return Ok(Value::Dim(of_lengths(a, b)?));
    }
    let (a, b) = as_tensors(cx, a, b, false)?;
    cx.result(op(a, b))
}

/// A comparison.
fn compare(cx: &mut Node<'_, '_>, op: Binary) -> Converted {
    let (a, b) = (cx.needed(0, "self")?, cx.needed(1, "other")?);
    let (a, b) = as_tensors(cx, a, b, true)?;
    cx.result(op(a, b))
}

/// A comparison of lengths.
pub(super) fn compare_lengths(cx: &mut Node<'_, '_>, op: OfLengths) -> Converted {
    let (a, b) = (cx.needed(0, "a")?, cx.needed(1, "b")?);
    match (a.dim(), b.dim()) {
        (Some(a), Some(b)) => {
            let value: Expr = PrimValue::new(op(a, b)?).upcast();
            cx.result(value)
        }
        _ => Err("the operands must be lengths".into()),
    }
}

/// An operator of two tensors of floating-point numbers.
fn floats(cx: &mut Node<'_, '_>, op: Binary) -> Converted {
    let (a, b) = (cx.float_tensor(0)?, cx.float_tensor(1)?);
    let (a, b) = promoted(cx, a, b)?;
    cx.result(op(a, b))
}

/// The second operand, multiplied by a factor.
fn multiplied(cx: &mut Node<'_, '_>, value: Value, factor: Number) -> Converted {
    match value {
        _ if factor.as_f64() == 1.0 => Ok(value),
        Value::Number(Number::Int(value)) if !matches!(factor, Number::Float(_)) => {
            let product = value.checked_mul(factor.as_i64()).ok_or("the factor `alpha` is too large")?;
            Ok(Value::Number(Number::Int(product)))
        }
        Value::Number(value) => Ok(Value::Number(Number::Float(value.as_f64() * factor.as_f64()))),
        other => {
            let (x, factor) = as_tensors(cx, other, Value::Number(factor), false)?;
            cx.result(op::multiply(x, factor))
        }
    }
}

/// Addition and subtraction, whose second operand may have a factor.
fn scaled(cx: &mut Node<'_, '_>, op: Binary, of_lengths: OfLengths) -> Converted {
    let (a, b) = (cx.needed(0, "self")?, cx.needed(1, "other")?);
    let factor = cx.number_or(2, "alpha", Number::Int(1))?;
    let b = multiplied(cx, b, factor)?;
    joined(cx, a, b, op, of_lengths)
}

fn rsub(cx: &mut Node<'_, '_>) -> Converted {
    let (a, b) = (cx.needed(0, "self")?, cx.needed(1, "other")?);
    let factor = cx.number_or(2, "alpha", Number::Int(1))?;
    let a = multiplied(cx, a, factor)?;
    joined(cx, b, a, op::subtract, scalar::sub)
}

/// Division. Quotients of integers are floating-point numbers unless they are rounded.
fn divide(cx: &mut Node<'_, '_>, rounding: &str) -> Converted {
    let (a, b) = (cx.needed(0, "self")?, cx.needed(1, "other")?);
    match rounding {
        "floor" => {
            let (a, b) = as_tensors(cx, a, b, true)?;
            return cx.result(op::floor_divide(a, b));
        }
        "trunc" => {
            let (a, b) = as_tensors(cx, a, b, true)?;
            let is_float = is_float(dtype_of(&a));
            let quotient = cx.emit(op::divide(a, b))?;
            // Quotients of integers are truncated already.
            return if is_float { cx.result(op::trunc(quotient)) } else { Ok(quotient.into()) };
        }
        "" => {}
        other => return Err(Reason(format!("the rounding `{other}` is not supported"))),
    }
    let as_float = |value| match value {
        Value::Number(number) => Value::Number(Number::Float(number.as_f64())),
        other => other,
    };
    let (mut a, mut b) = as_tensors(cx, as_float(a), as_float(b), false)?;
    if !is_float(dtype_of(&a)) && !dtype_of(&a).is_void() {
        a = cx.cast(a, DEFAULT_FLOAT)?;
        b = cx.cast(b, DEFAULT_FLOAT)?;
    }
    cx.result(op::divide(a, b))
}

/// Powers of integers are repeated products if the exponent is known.
fn pow(cx: &mut Node<'_, '_>) -> Converted {
    let (a, b) = (cx.needed(0, "self")?, cx.needed(1, "exponent")?);
    if let (Value::Known(x), Value::Number(Number::Int(count @ 0..=MAX_PRODUCTS))) = (&a, &b)
        && dtype_of(x).is_integer()
    {
        if *count == 0 {
            return cx.result(tvmscript_relax::op::create::ones_like(x.clone(), None));
        }
        let mut power = x.clone();
        for _ in 1..*count {
            power = cx.emit(op::multiply(power, x.clone()))?;
        }
        return Ok(power.into());
    }
    if let (Value::Known(x), Value::Known(y)) = (&a, &b)
        && [x, y].into_iter().all(|x| !is_float(dtype_of(x)) && !dtype_of(x).is_void())
    {
        let (x, y) = promoted(cx, x.clone(), y.clone())?;
        let dtype = dtype_of(&x);
        return cx.result(integer_power(x, y, dtype));
    }
    let (a, b) = as_tensors(cx, a, b, false)?;
    cx.result(op::power(a, b))
}

/// Maximum exponent of an integer.
const MAX_PRODUCTS: i64 = 64;

fn logical(cx: &mut Node<'_, '_>, op: Binary) -> Converted {
    let (a, b) = (cx.tensor(0)?, cx.tensor(1)?);
    let a = cx.cast(a, DataType::BOOL)?;
    let b = cx.cast(b, DataType::BOOL)?;
    cx.result(op(a, b))
}

// --- three tensors -----------------------------------------------------------------------------------------------

/// The first operand plus the product or quotient of the others, with a factor.
fn add_joined(cx: &mut Node<'_, '_>, op: Binary) -> Converted {
    let (x, a, b) = (cx.tensor(0)?, cx.tensor(1)?, cx.tensor(2)?);
    let factor = cx.number_or(3, "value", Number::Int(1))?;
    let joined = cx.emit(op(a, b))?;
    let joined = multiplied(cx, joined.into(), factor)?;
    let (x, joined) = as_tensors(cx, x.into(), joined, false)?;
    cx.result(op::add(x, joined))
}

fn lerp(cx: &mut Node<'_, '_>) -> Converted {
    let (start, end, weight) = (cx.tensor(0)?, cx.tensor(1)?, cx.needed(2, "weight")?);
    let difference = cx.emit(op::subtract(end, start.clone()))?;
    let (difference, weight) = as_tensors(cx, difference.into(), weight, false)?;
    let step = cx.emit(op::multiply(difference, weight))?;
    cx.result(op::add(start, step))
}

/// Bounds that are tensors become `maximum` and `minimum`; numbers become bounds of `clip`.
fn clamp(cx: &mut Node<'_, '_>, least: Option<(usize, &str)>, most: Option<(usize, &str)>) -> Converted {
    let mut x = cx.tensor(0)?;
    let mut bounds = [Number::Float(f64::NEG_INFINITY), Number::Float(f64::INFINITY)];
    let sides: [(Option<(usize, &str)>, Binary); 2] = [(least, op::maximum), (most, op::minimum)];
    for ((side, op), bound) in sides.into_iter().zip(&mut bounds) {
        let Some((index, name)) = side else { continue };
        match cx.value(index, name)? {
            None | Some(Value::None) => {}
            Some(Value::Number(number)) => *bound = number,
            Some(Value::Known(tensor)) => {
                let shape = tvmscript_relax::op::shape::broadcast_to(tensor, super::shape::shape_expr(&x)?);
                let tensor = cx.emit(shape)?;
                let (a, b) = promoted(cx, x, tensor)?;
                x = cx.emit(op(a, b))?;
            }
            Some(_) => return Err("a bound must be a tensor or a number".into()),
        }
    }
    let [least, most] = bounds;
    let is_cut = [least, most].iter().any(|bound| bound.as_f64().is_finite() && !bound.is_integral());
    let x = if is_cut && !is_float(dtype_of(&x)) { cx.cast(x, DEFAULT_FLOAT)? } else { x };
    cx.result(op::clip(x, least.scalar(), most.scalar()))
}

fn where_(cx: &mut Node<'_, '_>) -> Converted {
    let condition = cx.tensor(0)?;
    let condition = cx.cast(condition, DataType::BOOL)?;
    let (a, b) = (cx.needed(1, "self")?, cx.needed(2, "other")?);
    let (a, b) = match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let dtype = match (a, b) {
                (Number::Float(_), _) | (_, Number::Float(_)) => DEFAULT_FLOAT,
                (Number::Bool(_), Number::Bool(_)) => DataType::BOOL,
                _ => DataType::INT64,
            };
            (a.constant(dtype), b.constant(dtype))
        }
        (a, b) => as_tensors(cx, a, b, false)?,
    };
    cx.result(op::where_(condition, a, b))
}
