//! Arithmetic.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Pow, Signed, ToPrimitive, Zero};
use tvmscript_python_syntax::ast::{BinOp, UnaryOp};
use tvmscript_script_value::ScriptValue;

use super::Outcome;
use super::number::{Number, int};
use super::{builtins, cost, dict_class, number, object, set, type_name};
use crate::Eval;
use crate::errors::{EvalErrorKind, HostError};
use crate::eval::{Raise, exception};
use crate::host::Operator;

/// `a op b`, where no operand has an operator of a dialect.
pub(crate) fn binary(p: &mut Eval<'_>, op: BinOp, a: &ScriptValue, b: &ScriptValue) -> Outcome {
    if let (ScriptValue::Int(x), ScriptValue::Int(y)) = (a, b)
        && let Some(value) = small(op, *x, *y)
    {
        return Ok(ScriptValue::Int(value));
    }
    if let (Some(x), Some(y)) = (Number::of(a), Number::of(b)) {
        if let (ScriptValue::Bool(x), ScriptValue::Bool(y)) = (a, b) {
            match op {
                BinOp::BitAnd => return Ok(ScriptValue::Bool(x & y)),
                BinOp::BitOr => return Ok(ScriptValue::Bool(x | y)),
                BinOp::BitXor => return Ok(ScriptValue::Bool(x ^ y)),
                _ => {}
            }
        }
        if let (Some(x), Some(y)) = (x.to_big(), y.to_big()) {
            return big(p, op, &x, &y, a, b);
        }
        if !is_arithmetic(op) {
            return Err(unsupported(op, a, b).into());
        }
        return float(op, x.to_float()?, y.to_float()?);
    }
    if op == BinOp::BitOr
        && let Some(union) = super::union::of(p, a, b)?
    {
        return Ok(union);
    }
    sequence(p, op, a.plain(), b.plain())
}

/// Tests whether floats support the operator.
fn is_arithmetic(op: BinOp) -> bool {
    match op {
        BinOp::Add | BinOp::Sub | BinOp::Mult | BinOp::Div | BinOp::FloorDiv | BinOp::Mod | BinOp::Pow => {
            true
        }
        BinOp::MatMult | BinOp::LShift | BinOp::RShift | BinOp::BitOr | BinOp::BitXor | BinOp::BitAnd => {
            false
        }
    }
}

/// The message for operands that an operator does not support, up to their types.
pub(crate) fn unsupported_operator(op: BinOp) -> String {
    let op = if op == BinOp::Pow { "** or pow()" } else { op.as_str() };
    format!("unsupported operand type(s) for {op}")
}

fn unsupported(op: BinOp, a: &ScriptValue, b: &ScriptValue) -> HostError {
    let message = unsupported_operator(op);
    wrong_type!("{message}: '{}' and '{}'", a, b)
}

/// Results that fit 64 bits and cannot fail.
#[inline]
pub(crate) fn small(op: BinOp, x: i64, y: i64) -> Option<i64> {
    match op {
        BinOp::Add => x.checked_add(y),
        BinOp::Sub => x.checked_sub(y),
        BinOp::Mult => x.checked_mul(y),
        BinOp::FloorDiv if y != 0 => {
            let quotient = x.checked_div(y)?;
            Some(if x % y != 0 && (x < 0) != (y < 0) { quotient - 1 } else { quotient })
        }
        BinOp::Mod if y != 0 => {
            let rest = x.checked_rem(y)?;
            Some(if rest != 0 && (rest < 0) != (y < 0) { rest + y } else { rest })
        }
        BinOp::BitAnd => Some(x & y),
        BinOp::BitOr => Some(x | y),
        BinOp::BitXor => Some(x ^ y),
        BinOp::RShift if y >= 0 => Some(x >> y.min(63)),
        // A larger result may have to be charged.
        BinOp::LShift if y >= 0 && y < i64::from(x.unsigned_abs().leading_zeros()) => Some(x << y),
        _ => None,
    }
}

fn big(p: &mut Eval<'_>, op: BinOp, x: &BigInt, y: &BigInt, a: &ScriptValue, b: &ScriptValue) -> Outcome {
    let (x_bits, y_bits) = (x.bits(), y.bits());
    match op {
        BinOp::Mult | BinOp::FloorDiv | BinOp::Mod | BinOp::Div => {
            cost::product(p.state, x_bits, y_bits)?;
            cost::integer(p.state, x_bits.saturating_add(y_bits))?;
        }
        _ => {
            cost::words(p.state, x_bits.saturating_add(y_bits))?;
            cost::integer(p.state, x_bits.max(y_bits))?;
        }
    }
    Ok(match op {
        BinOp::Add => int(x + y),
        BinOp::Sub => int(x - y),
        BinOp::Mult => int(x * y),
        BinOp::FloorDiv | BinOp::Mod => {
            if y.is_zero() {
                let message = match op {
                    BinOp::Mod => "integer modulo by zero",
                    _ => "integer division or modulo by zero",
                };
                return Err(HostError::zero_division(message).into());
            }
            let (quotient, rest) = floor_div(x, y);
            int(if op == BinOp::FloorDiv { quotient } else { rest })
        }
        BinOp::Div => {
            if y.is_zero() {
                raise!(ZeroDivision, "division by zero");
            }
            ScriptValue::Float(true_div(x, y)?)
        }
        BinOp::Pow => return power(p, x, y),
        BinOp::LShift => {
            if y.is_negative() {
                raise!(Value, "negative shift count");
            }
            if x.is_zero() {
                return Ok(ScriptValue::Int(0));
            }
            let count = y.to_u64().unwrap_or(u64::MAX);
            cost::integer(p.state, count.saturating_add(x_bits))?;
            cost::words(p.state, count)?;
            int(x << count)
        }
        BinOp::RShift => {
            if y.is_negative() {
                raise!(Value, "negative shift count");
            }
            match y.to_u64() {
                Some(count) => int(x >> count),
                None => ScriptValue::Int(if x.is_negative() { -1 } else { 0 }),
            }
        }
        BinOp::BitAnd => int(x & y),
        BinOp::BitOr => int(x | y),
        BinOp::BitXor => int(x ^ y),
        BinOp::MatMult => return Err(unsupported(op, a, b).into()),
    })
}

/// Quotient rounded towards minus infinity, and remainder.
pub(crate) fn floor_div(x: &BigInt, y: &BigInt) -> (BigInt, BigInt) {
    let (quotient, rest) = (x / y, x % y);
    if !rest.is_zero() && (rest.is_negative() != y.is_negative()) {
        (quotient - 1, rest + y)
    } else {
        (quotient, rest)
    }
}

/// Correctly rounded quotient of integers.
fn true_div(x: &BigInt, y: &BigInt) -> Result<f64, HostError> {
    let too_large = || HostError::overflow("integer division result too large for a float");
    if let (Some(a), Some(b)) = (x.to_i64(), y.to_i64())
        && a.unsigned_abs() <= 1 << 53
        && b.unsigned_abs() <= 1 << 53
    {
        return Ok(a as f64 / b as f64);
    }
    if x.is_zero() {
        return Ok(if y.is_negative() { -0.0 } else { 0.0 });
    }
    let negative = x.is_negative() != y.is_negative();
    let (x, y) = (x.magnitude(), y.magnitude());
    // Scaled so that the quotient has about 66 bits, or two bits below the smallest subnormal.
    let shift = (x.bits() as i64 - y.bits() as i64 - 66).max(-1076);
    if shift > 1100 {
        return Err(too_large());
    }
    let by_power_of_two = |n: &BigUint, shift: i64| n << u64::try_from(shift).unwrap_or(0);
    let (scaled, by) = (by_power_of_two(x, -shift), by_power_of_two(y, shift));
    // The lowest bit is sticky: it stands for a remainder.
    let quotient = (&scaled / &by) | BigUint::from(u8::from(!(&scaled % &by).is_zero()));
    let (mantissa, exponent) = match quotient.to_u64() {
        // A subnormal result has fewer bits: round the last two of them here.
        Some(q) if shift == -1076 && q < 1 << 55 => {
            ((q >> 2) as f64 + f64::from(u8::from(q & 3 == 3 || q & 7 == 6)), -1074)
        }
        _ => (quotient.to_f64().ok_or_else(too_large)?, shift as i32),
    };
    // In two steps: 2**exponent alone may underflow.
    let value = mantissa * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
    if value.is_infinite() {
        return Err(too_large());
    }
    Ok(if negative { -value } else { value })
}

fn power(p: &mut Eval<'_>, x: &BigInt, y: &BigInt) -> Outcome {
    if y.is_negative() {
        let (x, y) = (number::big_to_float(x)?, number::big_to_float(y)?);
        return Ok(ScriptValue::Float(float_power(x, y)?));
    }
    if y.is_zero() || x.is_one() {
        return Ok(ScriptValue::Int(1));
    }
    if x.is_zero() {
        return Ok(ScriptValue::Int(0));
    }
    if x.magnitude().is_one() {
        return Ok(ScriptValue::Int(if y.bit(0) { -1 } else { 1 }));
    }
    let exponent = y.to_u64().unwrap_or(u64::MAX);
    let bits = x.bits().saturating_mul(exponent);
    cost::integer(p.state, bits)?;
    cost::product(p.state, bits, bits)?;
    Ok(int(Pow::pow(x, exponent)))
}

fn float_power(x: f64, y: f64) -> Result<f64, Raise> {
    if x == 0.0 && y < 0.0 {
        raise!(ZeroDivision, "0.0 cannot be raised to a negative power");
    }
    let value = x.powf(y);
    if value.is_infinite() && x.is_finite() && y.is_finite() {
        // CPython's error has the number and the message of the C library.
        let args = [ScriptValue::Int(34), ScriptValue::str("Numerical result out of range")];
        return Err(Raise::Exception(exception::of_builtin("OverflowError", args)));
    }
    Ok(value)
}

fn float(op: BinOp, x: f64, y: f64) -> Outcome {
    let zero = |text: &str| if y == 0.0 { Err(HostError::zero_division(text)) } else { Ok(()) };
    Ok(ScriptValue::Float(match op {
        BinOp::Add => x + y,
        BinOp::Sub => x - y,
        BinOp::Mult => x * y,
        BinOp::Div => {
            zero("float division by zero")?;
            x / y
        }
        BinOp::FloorDiv => {
            zero("float floor division by zero")?;
            float_div_mod(x, y).0
        }
        BinOp::Mod => {
            zero("float modulo")?;
            float_div_mod(x, y).1
        }
        BinOp::Pow if x < 0.0 && x.is_finite() && y.is_finite() && y.fract() != 0.0 => {
            raise!(Value, "a complex result is not supported");
        }
        // Other operators are excluded by `is_arithmetic`.
        _ => float_power(x, y)?,
    }))
}

/// CPython's `float_divmod`: the remainder has the sign of the divisor.
pub(crate) fn float_div_mod(x: f64, y: f64) -> (f64, f64) {
    let mut rest = x % y;
    let mut quotient = (x - rest) / y;
    if rest != 0.0 {
        if (y < 0.0) != (rest < 0.0) {
            rest += y;
            quotient -= 1.0;
        }
    } else {
        rest = 0.0f64.copysign(y);
    }
    let floor = if quotient != 0.0 {
        let floor = quotient.floor();
        if quotient - floor > 0.5 { floor + 1.0 } else { floor }
    } else {
        0.0f64.copysign(x / y)
    };
    (floor, rest)
}

/// Operators on text, lists, tuples, sets and dictionaries, and those of library classes.
fn sequence(p: &mut Eval<'_>, op: BinOp, a: &ScriptValue, b: &ScriptValue) -> Outcome {
    if matches!((a, b), (ScriptValue::Host(_), _) | (_, ScriptValue::Host(_)))
        && let Some(value) = object::operate(p, Operator::Binary(op), &[a.clone(), b.clone()])?
    {
        return Ok(value);
    }
    match (op, a, b) {
        (BinOp::Add, ScriptValue::Str(x), ScriptValue::Str(y)) => {
            let (x, y) = (x.as_str(), y.as_str());
            cost::text_bytes(p.state, x.len() + y.len())?;
            Ok(ScriptValue::str(&[x, y].concat()))
        }
        (BinOp::Add, ScriptValue::Bytes(x), ScriptValue::Bytes(y)) => {
            cost::text_bytes(p.state, x.len() + y.len())?;
            Ok(ScriptValue::Bytes([&**x, &**y].concat().into()))
        }
        (BinOp::Add, ScriptValue::List(x), ScriptValue::List(y)) => {
            cost::values(p.state, x.borrow().len() + y.borrow().len())?;
            Ok(ScriptValue::list([&x.borrow()[..], &y.borrow()[..]].concat()))
        }
        (BinOp::Add, ScriptValue::Tuple(x), ScriptValue::Tuple(y)) => {
            cost::values(p.state, x.len() + y.len())?;
            Ok(ScriptValue::tuple([&x[..], &y[..]].concat()))
        }
        (BinOp::Add, ScriptValue::Str(_), _) => {
            Err(wrong_type!("can only concatenate str (not \"{}\") to str", b).into())
        }
        (BinOp::Add, ScriptValue::Bytes(_), _) => Err(wrong_type!("can't concat {} to bytes", b).into()),
        (BinOp::Add, ScriptValue::List(_), _) => {
            Err(wrong_type!("can only concatenate list (not \"{}\") to list", b).into())
        }
        (BinOp::Add, ScriptValue::Tuple(_), _) => {
            Err(wrong_type!("can only concatenate tuple (not \"{}\") to tuple", b).into())
        }
        (BinOp::Mult, sequence, count) | (BinOp::Mult, count, sequence) if is_sequence(sequence) => {
            match number::small_index(count) {
                Some(_) if matches!(count, ScriptValue::BigInt(_)) => {
                    raise!(Overflow, "cannot fit 'int' into an index-sized integer")
                }
                Some(count) => repeat(p, sequence, count),
                None => Err(wrong_type!("can't multiply sequence by non-int of type '{}'", count).into()),
            }
        }
        (BinOp::Mod, ScriptValue::Str(format), _) => super::percent::percent(p, format.as_str(), b),
        (BinOp::Mod, ScriptValue::Bytes(_), _) => {
            Err(EvalErrorKind::UnsupportedExpression { what: "`%` of bytes" }.into())
        }
        (BinOp::BitOr, ScriptValue::Dict(x), ScriptValue::Dict(y)) => {
            cost::entries(p.state, x.borrow().len() + y.borrow().len())?;
            super::set::charge_keys(p.state, y.borrow().keys())?;
            if let Some(value) = dict_class::binary(p, op, x, y)? {
                return Ok(value);
            }
            let mut dict = x.borrow().clone();
            dict.extend(y.borrow().iter().map(|(k, v)| (k.clone(), v.clone())));
            Ok(ScriptValue::Dict(std::rc::Rc::new(std::cell::RefCell::new(dict))))
        }
        (_, ScriptValue::Dict(x), ScriptValue::Dict(y)) => match dict_class::binary(p, op, x, y)? {
            Some(value) => Ok(value),
            None => Err(unsupported(op, a, b).into()),
        },
        _ => match set::binary(p, op, a, b)? {
            Some(value) => Ok(value),
            None => Err(unsupported(op, a, b).into()),
        },
    }
}

fn is_sequence(value: &ScriptValue) -> bool {
    matches!(
        value,
        ScriptValue::Str(_) | ScriptValue::List(_) | ScriptValue::Tuple(_) | ScriptValue::Bytes(_)
    )
}

fn repeat(p: &mut Eval<'_>, sequence: &ScriptValue, count: i64) -> Outcome {
    let count = usize::try_from(count).unwrap_or(0);
    Ok(match sequence {
        ScriptValue::Str(s) if !s.as_str().is_empty() => {
            cost::text_bytes(p.state, s.as_str().len().saturating_mul(count))?;
            ScriptValue::str(&s.as_str().repeat(count))
        }
        ScriptValue::Bytes(b) if !b.is_empty() => {
            cost::text_bytes(p.state, b.len().saturating_mul(count))?;
            ScriptValue::Bytes(b.repeat(count).into())
        }
        ScriptValue::List(items) => {
            let items = items.borrow();
            cost::values(p.state, items.len().saturating_mul(count))?;
            ScriptValue::list(repeated(&items, count))
        }
        ScriptValue::Tuple(items) => {
            cost::values(p.state, items.len().saturating_mul(count))?;
            ScriptValue::tuple(repeated(items, count))
        }
        other => other.clone(),
    })
}

fn repeated(items: &[ScriptValue], count: usize) -> Vec<ScriptValue> {
    let mut out = Vec::with_capacity(items.len() * if items.is_empty() { 0 } else { count });
    if !items.is_empty() {
        (0..count).for_each(|_| out.extend_from_slice(items));
    }
    out
}

/// `op a`, where the operand has no operator of a dialect; not for `not`.
pub(crate) fn unary(p: &mut Eval<'_>, op: UnaryOp, a: &ScriptValue) -> Outcome {
    if let ScriptValue::Host(_) = a
        && let Some(value) = object::operate(p, Operator::Unary(op), std::slice::from_ref(a))?
    {
        return Ok(value);
    }
    if dict_class::is_counter(a) {
        return Err(dict_class::unsupported_operator());
    }
    let bad =
        || HostError::type_error(format!("bad operand type for unary {}: '{}'", op.as_str(), type_name(a)));
    let number = Number::of(a).ok_or_else(bad)?;
    if let Number::Big(big) = number {
        cost::words(p.state, big.bits())?;
        cost::integer(p.state, big.bits())?;
    }
    match (op, number) {
        (UnaryOp::USub, Number::Float(f)) => Ok(ScriptValue::Float(-f)),
        (UnaryOp::UAdd, Number::Float(f)) => Ok(ScriptValue::Float(f)),
        (UnaryOp::USub, Number::Int(i)) => {
            Ok(i.checked_neg().map_or_else(|| int(-BigInt::from(i)), ScriptValue::Int))
        }
        (UnaryOp::UAdd, Number::Int(i)) => Ok(ScriptValue::Int(i)),
        (UnaryOp::Invert, Number::Int(i)) => Ok(ScriptValue::Int(!i)),
        (UnaryOp::USub, Number::Big(i)) => Ok(int(-i)),
        (UnaryOp::UAdd, Number::Big(_)) => Ok(a.clone()),
        (UnaryOp::Invert, Number::Big(i)) => Ok(int(-i - 1)),
        _ => Err(bad().into()),
    }
}

/// Changes `a` in place as Python does; returns `false` if `a op b` is a new value.
pub(crate) fn in_place(p: &mut Eval<'_>, op: BinOp, a: &ScriptValue, b: &ScriptValue) -> Result<bool, Raise> {
    match (op, a.plain()) {
        (BinOp::Add, ScriptValue::List(items)) => {
            let more = p.collect_values(b)?;
            more.iter().try_for_each(|item| p.state.program.keep_container(a, item))?;
            items.borrow_mut().extend(more);
            Ok(true)
        }
        (BinOp::Mult, ScriptValue::List(items)) => {
            let (ScriptValue::Int(_) | ScriptValue::Bool(_), Some(count)) = (b, number::small_index(b))
            else {
                return Ok(false);
            };
            let count = usize::try_from(count).unwrap_or(0);
            let mut items = items.borrow_mut();
            let len = items.len();
            cost::values(p.state, len.saturating_mul(count))?;
            if count == 0 {
                items.clear();
            }
            for _ in 1..if len == 0 { 0 } else { count } {
                items.extend_from_within(..len);
            }
            Ok(true)
        }
        (BinOp::BitOr, ScriptValue::Dict(dict)) => {
            if let Some(dict_class::DictClass::Counter) = dict_class::of(&dict.borrow()) {
                return Ok(false);
            }
            let mut more = tvmscript_script_value::Dict::new();
            builtins::fill(p, &mut more, b)?;
            cost::entries(p.state, more.len())?;
            set::charge_keys(p.state, more.keys())?;
            more.iter().try_for_each(|(_, value)| p.state.program.keep_container(a, value))?;
            dict.borrow_mut().extend(more.iter().map(|(k, v)| (k.clone(), v.clone())));
            Ok(true)
        }
        (_, ScriptValue::Host(_)) => match object::of(a) {
            Some(object) => object.in_place(p, Operator::Binary(op), a, b),
            None => set::in_place(p, op, a, b),
        },
        _ => Ok(false),
    }
}
