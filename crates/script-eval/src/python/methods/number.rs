//! Methods and attributes of numbers.

use num_bigint::BigInt;
use num_traits::Signed;
use tvmscript_script_value::ScriptValue;

use crate::errors::HostError;
use crate::python::builtins::{Table, is_little_endian, linear, own};
use crate::python::cost;
use crate::python::number::{Number, float_to_big, index, int, word};

pub(super) static INT: Table = &[
    own("bit_length").zero(|_, v| {
        let bits = index(v).map_or(0, |value| value.bits());
        Ok(ScriptValue::Int(bits as i64))
    }),
    linear("bit_count").zero(|_, v| {
        let ones = index(v).map_or(0, |value| value.magnitude().count_ones());
        Ok(ScriptValue::Int(ones as i64))
    }),
    own("conjugate").zero(|_, v| Ok(number(v))),
    own("as_integer_ratio").zero(|_, v| Ok(ScriptValue::tuple([number(v), ScriptValue::Int(1)]))),
    own("to_bytes")
        .zero_to_three(|p, v, [length, order, signed]| {
            let signed = signed.map_or(Ok(false), |signed| p.truth(&signed))?;
            let length = length.map_or(Ok(1), |length| word(&length))?;
            let length = usize::try_from(length)
                .map_err(|_| HostError::value_error("length argument must be non-negative"))?;
            let little = is_little_endian(order.as_ref(), "byteorder")?;
            let value = index(v).unwrap_or_default();
            if value.is_negative() && !signed {
                raise!(Overflow, "can't convert negative int to unsigned");
            }
            let needed = match signed {
                true => value.to_signed_bytes_be().len(),
                false => value.bits().div_ceil(8) as usize,
            };
            // CPython converts -1 to zero bytes.
            let is_empty = length == 0 && signed && value.magnitude().bits() <= 1 && value.is_negative();
            let fits = needed <= length || is_empty || *value == BigInt::ZERO;
            if !fits {
                raise!(Overflow, "int too big to convert");
            }
            cost::text_bytes(p.state, length)?;
            let mut bytes = match signed {
                true => value.to_signed_bytes_le(),
                false => value.magnitude().to_bytes_le(),
            };
            bytes.resize(length, if value.is_negative() { 0xff } else { 0 });
            if !little {
                bytes.reverse();
            }
            Ok(ScriptValue::Bytes(bytes.into()))
        })
        .with_keywords(&["length", "byteorder", "signed"])
        .with_keyword_only(1),
];

pub(super) static FLOAT: Table = &[
    own("is_integer")
        .zero(|_, v| Ok(ScriptValue::Bool(matches!(v, ScriptValue::Float(f) if f.fract() == 0.0)))),
    own("conjugate").zero(|_, v| Ok(v.clone())),
    own("as_integer_ratio").zero(|_, v| {
        let ScriptValue::Float(f) = v else { return Ok(ScriptValue::None) };
        if f.is_nan() {
            raise!(Value, "cannot convert NaN to integer ratio");
        }
        if f.is_infinite() {
            raise!(Overflow, "cannot convert Infinity to integer ratio");
        }
        let (mut mantissa, mut shift) = (*f, 0u32);
        while mantissa.fract() != 0.0 {
            mantissa *= 2.0;
            shift += 1;
        }
        let denominator = BigInt::from(1) << shift;
        Ok(ScriptValue::tuple([int(float_to_big(mantissa)), int(denominator)]))
    }),
];

/// The number, with `True` and `False` as 1 and 0.
fn number(value: &ScriptValue) -> ScriptValue {
    match value {
        ScriptValue::Bool(b) => ScriptValue::Int(i64::from(*b)),
        other => other.clone(),
    }
}

/// Attributes `real`, `imag`, `numerator` and `denominator`.
pub(super) fn part(value: &ScriptValue, name: &str) -> Option<ScriptValue> {
    let is_float = matches!(Number::of(value), Some(Number::Float(_)));
    match (name, is_float) {
        ("real", _) | ("numerator", false) => Some(number(value)),
        ("imag", true) => Some(ScriptValue::Float(0.0)),
        ("imag", false) => Some(ScriptValue::Int(0)),
        ("denominator", false) => Some(ScriptValue::Int(1)),
        _ => None,
    }
}
