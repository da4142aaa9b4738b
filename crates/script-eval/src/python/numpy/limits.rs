//! `np.iinfo` and `np.finfo`: the limits of types.

use tvmscript_ir_core::{DataType, TypeCode};
use tvmscript_script_value::{HostObject, ScriptValue};

use super::dtype;
use crate::errors::HostError;
use crate::python::Outcome;

/// The limits of a type, by name.
struct Limits {
    class: &'static str,
    values: Vec<(&'static str, ScriptValue)>,
}

impl HostObject for Limits {
    fn type_name(&self) -> &str {
        self.class
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        self.values.iter().find(|(own, _)| *own == name).map(|(_, value)| value.clone())
    }
    fn attribute_names(&self) -> Vec<String> {
        self.values.iter().map(|(name, _)| (*name).to_owned()).collect()
    }
}

/// `np.iinfo(dtype)`.
pub(super) fn of_integers(value: &ScriptValue) -> Outcome {
    let dtype = dtype::argument(value)?;
    let bits = u32::from(dtype.bits).clamp(1, 64);
    let (min, max) = match dtype.code {
        TypeCode::Int => {
            (ScriptValue::Int(i64::MIN >> (64 - bits)), ScriptValue::Int(i64::MAX >> (64 - bits)))
        }
        TypeCode::UInt => (ScriptValue::Int(0), ScriptValue::big_int((u64::MAX >> (64 - bits)).into())),
        _ => return Err(invalid("integer", dtype).into()),
    };
    let values = vec![
        ("min", min),
        ("max", max),
        ("bits", ScriptValue::Int(bits.into())),
        ("dtype", ScriptValue::DType(dtype)),
    ];
    Ok(ScriptValue::host(Limits { class: "iinfo", values }))
}

/// `np.finfo(dtype)`.
pub(super) fn of_floats(value: &ScriptValue) -> Outcome {
    let dtype = dtype::argument(value)?;
    // The greatest number, the smallest normal one, and the distance from 1 to the next.
    let (max, tiny, eps) = match (dtype.code, dtype.bits) {
        (TypeCode::Float, 16) => (65_504.0, 6.103_515_625e-5, 9.765_625e-4),
        (TypeCode::Float, 32) => (f64::from(f32::MAX), f64::from(f32::MIN_POSITIVE), f64::from(f32::EPSILON)),
        (TypeCode::Float, 64) => (f64::MAX, f64::MIN_POSITIVE, f64::EPSILON),
        _ => return Err(invalid("inexact", dtype).into()),
    };
    let float = ScriptValue::Float;
    let values = vec![
        ("min", float(-max)),
        ("max", float(max)),
        ("tiny", float(tiny)),
        ("smallest_normal", float(tiny)),
        ("eps", float(eps)),
        ("bits", ScriptValue::Int(dtype.bits.into())),
        ("dtype", ScriptValue::DType(dtype)),
    ];
    Ok(ScriptValue::host(Limits { class: "finfo", values }))
}

fn invalid(kind: &str, dtype: DataType) -> HostError {
    HostError::value_error(format!("Invalid {kind} data type '{dtype}'."))
}
