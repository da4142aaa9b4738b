//! Methods and attributes of numbers.

use tvmscript_script_value::ScriptValue;

use crate::python::builtins::{Table, linear, own};
use crate::python::number::{Number, index};

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
];

pub(super) static FLOAT: Table = &[
    own("is_integer")
        .zero(|_, v| Ok(ScriptValue::Bool(matches!(v, ScriptValue::Float(f) if f.fract() == 0.0)))),
    own("conjugate").zero(|_, v| Ok(v.clone())),
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
