//! Built-in functions on numbers: `divmod`, `pow`, `round`.

use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use tvmscript_python_syntax::ast::BinOp;
use tvmscript_script_value::ScriptValue;

use super::not_none;
use crate::Eval;
use crate::errors::{HostError, HostErrorKind};
use crate::eval::Raise;
use crate::eval::class::Special;
use crate::host::Operator;
use crate::python::number::{self, Number, float_to_int, index, int, small_index};
#[cfg(feature = "numpy")]
use crate::python::numpy::{self, array::Array};
use crate::python::{Outcome, arith, cost, object};

pub(super) fn divmod(p: &mut Eval<'_>, _: &ScriptValue, x: ScriptValue, y: ScriptValue) -> Outcome {
    if let Special::Value(value) = p.call_special(&x, "__divmod__", [y.clone()])? {
        return Ok(value);
    }
    if let Special::Value(value) = p.call_special(&y, "__rdivmod__", [x.clone()])? {
        return Ok(value);
    }
    if let (Some(Number::Float(_)), Some(b)) | (Some(b), Some(Number::Float(_))) =
        (Number::of(&x), Number::of(&y))
    {
        let _ = b;
        let (Some(a), Some(b)) = (Number::of(&x), Number::of(&y)) else { return Ok(ScriptValue::None) };
        let (a, b) = (a.to_float()?, b.to_float()?);
        if b == 0.0 {
            raise!(ZeroDivision, "float divmod()");
        }
        let (quotient, rest) = arith::float_div_mod(a, b);
        return Ok(ScriptValue::tuple([ScriptValue::Float(quotient), ScriptValue::Float(rest)]));
    }
    let operands = [x, y];
    let quotient = p.apply(Operator::Binary(BinOp::FloorDiv), &operands).map_err(|raise| match raise {
        Raise::Kind(crate::EvalErrorKind::Host(error)) if error.kind == HostErrorKind::Type => {
            HostError::type_error(error.message.replace("//", "divmod()")).into()
        }
        other => other,
    })?;
    let rest = p.apply(Operator::Binary(BinOp::Mod), &operands)?;
    Ok(ScriptValue::tuple([quotient, rest]))
}

pub(super) fn pow(
    p: &mut Eval<'_>,
    _: &ScriptValue,
    base: ScriptValue,
    exponent: ScriptValue,
    modulus: Option<ScriptValue>,
) -> Outcome {
    let Some(modulus) = not_none(modulus) else {
        return p.apply(Operator::Binary(BinOp::Pow), &[base, exponent]);
    };
    if let Special::Value(value) = p.call_special(&base, "__pow__", [exponent.clone(), modulus.clone()])? {
        return Ok(value);
    }
    let all = [&base, &exponent, &modulus];
    let (Some(base), Some(exponent), Some(modulus)) = (index(&base), index(&exponent), index(&modulus))
    else {
        // The operator of floats looks at the third operand before the others.
        if all.iter().any(|value| matches!(value, ScriptValue::Float(_))) {
            raise!(Type, "pow() 3rd argument not allowed unless all arguments are integers");
        }
        let message = arith::unsupported_operator(BinOp::Pow);
        return Err(wrong_type!("{message}: '{}', '{}', '{}'", all[0], all[1], all[2]).into());
    };
    if modulus.is_zero() {
        raise!(Value, "pow() 3rd argument cannot be 0");
    }
    let words = modulus.bits() / 64 + 1;
    cost::product(p.state, base.bits(), modulus.bits())?;
    p.state.program.budget.step(words.saturating_mul(words).saturating_mul(exponent.bits()) / 16)?;
    let result = match exponent.is_negative() {
        false => base.modpow(&exponent, &modulus),
        true => {
            let inverse = base
                .modinv(&modulus.abs())
                .ok_or_else(|| HostError::value_error("base is not invertible for the given modulus"))?;
            inverse.modpow(&exponent.abs(), &modulus)
        }
    };
    Ok(int(result))
}

pub(super) fn round(
    p: &mut Eval<'_>,
    _: &ScriptValue,
    x: ScriptValue,
    digits: Option<ScriptValue>,
) -> Outcome {
    if let Special::Value(value) = p.call_special(&x, "__round__", digits.clone())? {
        return Ok(value);
    }
    if let Some(number) = object::number(&x) {
        let rounded = round(p, &ScriptValue::None, number, digits.clone())?;
        // With digits, the result has the type of the number.
        #[cfg(feature = "numpy")]
        if let (Some(array), Some(_), ScriptValue::Float(f)) = (Array::of(&x), not_none(digits), &rounded) {
            return Ok(Array::scalar(array.dtype, numpy::dtype::rounded(*f, array.dtype)).value());
        }
        return Ok(rounded);
    }
    let digits = not_none(digits).map(|digits| p.as_index(digits)).transpose()?;
    let digits = digits
        .map(|d| small_index(&d).ok_or(d))
        .transpose()
        .map_err(|d| wrong_type!("'{}' object cannot be interpreted as an integer", &d))?;
    match (Number::of(&x), digits) {
        (Some(Number::Float(f)), None) => Ok(float_to_int(f.round_ties_even())?),
        (Some(Number::Float(f)), Some(digits)) => Ok(ScriptValue::Float(round_float(f, digits)?)),
        (Some(number), digits) => {
            let value = number.to_big().unwrap_or_default();
            let Some(digits) = digits.filter(|d| *d < 0) else { return Ok(int(value.into_owned())) };
            // A number of this many bits has fewer digits.
            if digits.unsigned_abs() > value.bits() / 3 + 1 {
                return Ok(ScriptValue::Int(0));
            }
            cost::product(p.state, 2 * value.bits(), 2 * value.bits())?;
            let unit = BigInt::from(10).pow(digits.unsigned_abs() as u32);
            let (quotient, rest) = arith::floor_div(&value, &unit);
            let twice = rest * 2;
            let up = twice > unit || twice == unit && quotient.bit(0);
            Ok(int((quotient + i32::from(up)) * unit))
        }
        (None, _) => Err(wrong_type!("type {} doesn't define __round__ method", &x).into()),
    }
}

/// Rounds the exact value half to even, to `digits` decimal places.
fn round_float(value: f64, digits: i64) -> Result<f64, HostError> {
    if !value.is_finite() || digits > 330 {
        return Ok(value);
    }
    if digits < -310 {
        return Ok(0.0f64.copysign(value));
    }
    let rounded = if digits >= 0 {
        format!("{value:.*}", digits as usize).parse().unwrap_or(value)
    } else {
        // Rounds the integer part as integers are rounded.
        let (whole, unit) = (number::float_to_big(value.trunc()), BigInt::from(10).pow(-digits as u32));
        let (quotient, rest) = arith::floor_div(&whole, &unit);
        let twice = rest * 2;
        // A fraction breaks the tie.
        let more = value.fract() != 0.0 && value > 0.0;
        let less = value.fract() != 0.0 && value < 0.0;
        let up = twice > unit || twice == unit && (more || !less && quotient.bit(0));
        let rounded = (quotient + i32::from(up)) * unit;
        rounded.to_string().parse::<f64>().unwrap_or(value)
    };
    if rounded.is_infinite() {
        raise!(Overflow, "rounded value too large to represent");
    }
    Ok(if rounded == 0.0 { 0.0f64.copysign(value) } else { rounded })
}
