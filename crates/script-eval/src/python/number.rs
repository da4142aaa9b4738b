//! Numbers: `int` (of any size, including `bool`) and `float`.

use std::borrow::Cow;

use num_bigint::BigInt;
use num_traits::{FromPrimitive, Signed, ToPrimitive};
use tvmscript_script_value::ScriptValue;

use crate::errors::HostError;

/// Maximum number of digits that CPython converts between text and integers.
pub(crate) const MAX_DIGITS: usize = 4300;

/// A number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Number<'a> {
    Int(i64),
    Big(&'a BigInt),
    Float(f64),
}

impl<'a> Number<'a> {
    /// The value as a number.
    #[inline]
    pub(crate) fn of(value: &'a ScriptValue) -> Option<Number<'a>> {
        Some(match value.plain() {
            ScriptValue::Int(i) => Number::Int(*i),
            ScriptValue::Bool(b) => Number::Int(i64::from(*b)),
            ScriptValue::Float(f) => Number::Float(*f),
            ScriptValue::BigInt(i) => Number::Big(i),
            _ => return None,
        })
    }

    /// The number as a big integer; `None` for floats.
    pub(crate) fn to_big(&self) -> Option<Cow<'a, BigInt>> {
        match self {
            Number::Int(i) => Some(Cow::Owned(BigInt::from(*i))),
            Number::Big(i) => Some(Cow::Borrowed(i)),
            Number::Float(_) => None,
        }
    }

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
        _ => raise!(Overflow, "int too large to convert to float"),
    }
}

pub(crate) fn int(value: BigInt) -> ScriptValue {
    ScriptValue::big_int(value)
}

/// The integer part of a float.
pub(crate) fn float_to_int(value: f64) -> Result<ScriptValue, HostError> {
    if value.is_nan() {
        raise!(Value, "cannot convert float NaN to integer");
    }
    if value.is_infinite() {
        raise!(Overflow, "cannot convert float infinity to integer");
    }
    Ok(int(float_to_big(value)))
}

/// The integer part of a finite float.
pub(crate) fn float_to_big(value: f64) -> BigInt {
    BigInt::from_f64(value).unwrap_or_default()
}

/// Compares an integer with a float, exactly.
pub(crate) fn compare_big_float(a: &BigInt, b: f64) -> Option<std::cmp::Ordering> {
    if !b.is_finite() {
        return 0.0.partial_cmp(&b);
    }
    0.0.partial_cmp(&b.fract()).map(|rest| a.cmp(&float_to_big(b)).then(rest))
}

/// The integer in a context that requires one; `bool` counts.
pub(crate) fn index(value: &ScriptValue) -> Option<Cow<'_, BigInt>> {
    if let ScriptValue::Host(_) = value {
        return match super::object::number(value)? {
            ScriptValue::Int(i) => Some(Cow::Owned(BigInt::from(i))),
            ScriptValue::BigInt(i) => Some(Cow::Owned((*i).clone())),
            _ => None,
        };
    }
    match Number::of(value)? {
        Number::Float(_) => None,
        number => number.to_big(),
    }
}

/// [`index`] saturated to 64 bits, which exceeds any container.
pub(crate) fn small_index(value: &ScriptValue) -> Option<i64> {
    match value.plain() {
        ScriptValue::Int(i) => Some(*i),
        ScriptValue::Bool(b) => Some(i64::from(*b)),
        ScriptValue::BigInt(i) => Some(if i.is_negative() { i64::MIN } else { i64::MAX }),
        ScriptValue::Host(_) => match super::object::number(value)? {
            ScriptValue::Int(i) => Some(i),
            ScriptValue::BigInt(_) => Some(i64::MAX),
            _ => None,
        },
        _ => None,
    }
}

fn no_integer(value: &ScriptValue) -> HostError {
    wrong_type!("'{}' object cannot be interpreted as an integer", value)
}

/// The integer value of an argument.
pub(crate) fn integer(value: &ScriptValue) -> Result<Cow<'_, BigInt>, HostError> {
    index(value).ok_or_else(|| no_integer(value))
}

/// The integer value of an argument that must fit a machine word.
pub(crate) fn word(value: &ScriptValue) -> Result<i64, HostError> {
    match value.plain() {
        ScriptValue::BigInt(_) => raise!(Overflow, "Python int too large to convert to C ssize_t"),
        value => small_index(value).ok_or_else(|| no_integer(value)),
    }
}

/// Modulus of hashes of numbers, 2^61 - 1.
const MODULUS: u64 = (1 << 61) - 1;

/// CPython's hash of a number. Equal numbers of different types have equal hashes.
pub(crate) fn hash(number: &Number) -> i64 {
    let (negative, rest) = match number {
        Number::Int(i) => (*i < 0, i.unsigned_abs() % MODULUS),
        Number::Big(i) => (i.is_negative(), (i.magnitude() % MODULUS).to_u64().unwrap_or(0)),
        Number::Float(f) if f.is_nan() => return 0,
        Number::Float(f) if f.is_infinite() => return if *f > 0.0 { 314_159 } else { -314_159 },
        Number::Float(f) => (*f < 0.0, float_residue(f.abs())),
    };
    match (negative, rest as i64) {
        // -1 marks errors inside CPython.
        (true, 1) => -2,
        (true, rest) => -rest,
        (false, rest) => rest,
    }
}

/// `mantissa * 2**exponent` modulo 2^61 - 1: powers of two rotate the bits.
fn float_residue(value: f64) -> u64 {
    if value == 0.0 {
        return 0;
    }
    let bits = value.to_bits();
    let field = ((bits >> 52) & 0x7ff) as i64;
    let fraction = bits & ((1 << 52) - 1);
    let (mantissa, exponent) = match field {
        0 => (fraction, -1074),
        _ => (fraction | (1 << 52), field - 1075),
    };
    let turn = exponent.rem_euclid(61) as u32;
    let wide = u128::from(mantissa) << turn;
    (wide % u128::from(MODULUS)) as u64
}
