//! Methods and attributes of numbers.

use num_traits::Signed;
use tvmscript_script_value::ScriptValue;

use super::Table;
use crate::errors::HostError;
use crate::python::builtins::{args, optional};
use crate::python::cost::{self, Cost};
use crate::python::number::{Number, float_to_big, index, int, word};

pub(super) const INT: Table = &[
    ("bit_length", Cost::Own, |_, v, a| {
        let [] = args("bit_length", a)?;
        let bits = index(v).map_or(0, |value| value.bits());
        Ok(ScriptValue::Int(bits as i64))
    }),
    ("bit_count", Cost::Linear, |_, v, a| {
        let [] = args("bit_count", a)?;
        let ones = index(v).map_or(0, |value| value.magnitude().count_ones());
        Ok(ScriptValue::Int(ones as i64))
    }),
    ("conjugate", Cost::Own, |_, v, a| {
        let [] = args("conjugate", a)?;
        Ok(number(v))
    }),
    ("as_integer_ratio", Cost::Own, |_, v, a| {
        let [] = args("as_integer_ratio", a)?;
        Ok(ScriptValue::tuple([number(v), ScriptValue::Int(1)]))
    }),
    ("to_bytes", Cost::Own, |p, v, mut a| {
        let signed = match a.take_keyword("signed") {
            Some(signed) => p.truth(&signed)?,
            None => false,
        };
        for name in ["length", "byteorder"] {
            if let Some(value) = a.take_keyword(name) {
                a.positional.push(value);
            }
        }
        let [length, order] = optional("to_bytes", a, 0)?;
        let length = length.map_or(Ok(1), |length| word(&length))?;
        let length = usize::try_from(length)
            .map_err(|_| HostError::value_error("length argument must be non-negative"))?;
        let little = match order.as_ref().map(ScriptValue::as_str) {
            None | Some(Some("big")) => false,
            Some(Some("little")) => true,
            Some(Some(_)) => {
                return Err(HostError::value_error("byteorder must be either 'little' or 'big'").into());
            }
            Some(None) => return Err(HostError::type_error("byteorder must be str").into()),
        };
        let value = index(v).unwrap_or_default();
        if value.is_negative() && !signed {
            return Err(HostError::overflow("can't convert negative int to unsigned").into());
        }
        let needed = match signed {
            true => value.to_signed_bytes_be().len(),
            false => value.bits().div_ceil(8) as usize,
        };
        // CPython writes -1 into no bytes at all.
        let is_empty = length == 0 && signed && value.magnitude().bits() <= 1 && value.is_negative();
        let fits = needed <= length || is_empty || *value == num_bigint::BigInt::ZERO;
        if !fits {
            return Err(HostError::overflow("int too big to convert").into());
        }
        cost::text_bytes(p, length)?;
        let mut bytes = match signed {
            true => value.to_signed_bytes_le(),
            false => value.magnitude().to_bytes_le(),
        };
        bytes.resize(length, if value.is_negative() { 0xff } else { 0 });
        if !little {
            bytes.reverse();
        }
        Ok(ScriptValue::Bytes(bytes.into()))
    }),
];

pub(super) const FLOAT: Table = &[
    ("is_integer", Cost::Own, |_, v, a| {
        let [] = args("is_integer", a)?;
        Ok(ScriptValue::Bool(matches!(v, ScriptValue::Float(f) if f.fract() == 0.0)))
    }),
    ("conjugate", Cost::Own, |_, v, a| {
        let [] = args("conjugate", a)?;
        Ok(v.clone())
    }),
    ("as_integer_ratio", Cost::Own, |_, v, a| {
        let [] = args("as_integer_ratio", a)?;
        let ScriptValue::Float(f) = v else { return Ok(ScriptValue::None) };
        if f.is_nan() {
            return Err(HostError::value_error("cannot convert NaN to integer ratio").into());
        }
        if f.is_infinite() {
            return Err(HostError::overflow("cannot convert Infinity to integer ratio").into());
        }
        let (mut mantissa, mut shift) = (*f, 0u32);
        while mantissa.fract() != 0.0 {
            mantissa *= 2.0;
            shift += 1;
        }
        let denominator = num_bigint::BigInt::from(1) << shift;
        Ok(ScriptValue::tuple([int(float_to_big(mantissa)), int(denominator)]))
    }),
    ("hex", Cost::Own, |_, v, a| {
        let [] = args("hex", a)?;
        let ScriptValue::Float(f) = v else { return Ok(ScriptValue::None) };
        Ok(ScriptValue::str(&hex(*f)))
    }),
];

/// `float.hex`
fn hex(value: f64) -> String {
    if !value.is_finite() {
        return crate::python::repr::float(value);
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let bits = value.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    let field = ((bits >> 52) & 0x7ff) as i32;
    match (field, fraction) {
        (0, 0) => format!("{sign}0x0.0p+0"),
        (0, _) => format!("{sign}0x0.{fraction:013x}p-1022"),
        _ => format!("{sign}0x1.{fraction:013x}p{:+}", field - 1023),
    }
}

/// The number, `True` and `False` as 1 and 0.
fn number(value: &ScriptValue) -> ScriptValue {
    match value {
        ScriptValue::Bool(b) => ScriptValue::Int(i64::from(*b)),
        other => other.clone(),
    }
}

/// `real`, `imag`, `numerator`, `denominator`.
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
