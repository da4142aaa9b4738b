//! Numbers: Python's `int` (of any size, `bool` among them) and `float`.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};
use tvmscript_irbuilder::ScriptValue;

use crate::errors::HostError;

/// A number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Number {
    Int(i64),
    Big(BigInt),
    Float(f64),
}

impl Number {
    /// The value as a number, if it is one.
    #[inline]
    pub(crate) fn of(value: &ScriptValue) -> Option<Number> {
        Some(match value {
            ScriptValue::Int(i) => Number::Int(*i),
            ScriptValue::Bool(b) => Number::Int(i64::from(*b)),
            ScriptValue::Float(f) => Number::Float(*f),
            ScriptValue::BigInt(i) => Number::Big((**i).clone()),
            _ => return None,
        })
    }

    /// The number as an integer of any size; nothing for floats.
    pub(crate) fn to_big(&self) -> Option<BigInt> {
        match self {
            Number::Int(i) => Some(BigInt::from(*i)),
            Number::Big(i) => Some(i.clone()),
            Number::Float(_) => None,
        }
    }

    /// The number as a float.
    pub(crate) fn to_float(&self) -> Result<f64, HostError> {
        match self {
            Number::Int(i) => Ok(*i as f64),
            Number::Big(i) => big_to_float(i),
            Number::Float(f) => Ok(*f),
        }
    }
}

/// The nearest float.
pub(crate) fn big_to_float(value: &BigInt) -> Result<f64, HostError> {
    match value.to_f64() {
        Some(f) if f.is_finite() => Ok(f),
        _ => Err(HostError::overflow("int too large to convert to float")),
    }
}

/// The integer as a value.
pub(crate) fn int(value: BigInt) -> ScriptValue {
    ScriptValue::big_int(value)
}

/// The integer part of a float.
pub(crate) fn float_to_int(value: f64) -> Result<ScriptValue, HostError> {
    if value.is_nan() {
        return Err(HostError::value_error("cannot convert float NaN to integer"));
    }
    if value.is_infinite() {
        return Err(HostError::overflow("cannot convert float infinity to integer"));
    }
    let whole = value.trunc();
    if (-9.0e18..9.0e18).contains(&whole) {
        return Ok(ScriptValue::Int(whole as i64));
    }
    Ok(int(float_to_big(whole)))
}

/// A whole float as an integer.
pub(crate) fn float_to_big(whole: f64) -> BigInt {
    let bits = whole.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i64 - 1075;
    let mantissa = BigInt::from((bits & ((1 << 52) - 1)) | (1 << 52));
    let magnitude = if exponent >= 0 { mantissa << exponent as u64 } else { mantissa >> (-exponent) as u64 };
    if whole < 0.0 { -magnitude } else { magnitude }
}

/// Compares an integer with a float, exactly.
pub(crate) fn compare_big_float(a: &BigInt, b: f64) -> Option<std::cmp::Ordering> {
    use std::cmp::Ordering::*;
    if b.is_nan() {
        return None;
    }
    if b.is_infinite() {
        return Some(if b > 0.0 { Less } else { Greater });
    }
    let whole = float_to_big_or_zero(b.trunc());
    Some(a.cmp(&whole).then_with(|| {
        let rest = b - b.trunc();
        if rest > 0.0 {
            Less
        } else if rest < 0.0 {
            Greater
        } else {
            Equal
        }
    }))
}

fn float_to_big_or_zero(whole: f64) -> BigInt {
    if whole.abs() < 1.0 { BigInt::zero() } else { float_to_big(whole) }
}

/// An integer in a place that needs one: `bool` counts.
pub(crate) fn index(value: &ScriptValue) -> Option<BigInt> {
    match value {
        ScriptValue::Int(i) => Some(BigInt::from(*i)),
        ScriptValue::Bool(b) => Some(BigInt::from(i64::from(*b))),
        ScriptValue::BigInt(i) => Some((**i).clone()),
        _ => None,
    }
}

/// As [`index`], cut to 64 bits: what is larger is beyond any container.
pub(crate) fn small_index(value: &ScriptValue) -> Option<i64> {
    match value {
        ScriptValue::Int(i) => Some(*i),
        ScriptValue::Bool(b) => Some(i64::from(*b)),
        ScriptValue::BigInt(i) => Some(if i.is_negative() { i64::MIN } else { i64::MAX }),
        _ => None,
    }
}
