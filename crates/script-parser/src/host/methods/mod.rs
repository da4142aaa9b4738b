//! Methods of text, lists, dictionaries, tuples, sets and numbers.

mod mapping;
mod sequence;
mod set;
mod text;

use tvmscript_ir_core::{Map, ObjectLike, Value};
use tvmscript_irbuilder::ScriptValue;

use crate::host::builtins::{Method, MethodFn, args};
use crate::host::number::Number;
use crate::host::set::Set;

type Table = &'static [(&'static str, MethodFn)];

fn table(value: &ScriptValue) -> Table {
    match value {
        ScriptValue::Str(_) => text::STR,
        ScriptValue::List(_) => sequence::LIST,
        ScriptValue::Tuple(_) => sequence::TUPLE,
        ScriptValue::Dict(_) => mapping::DICT,
        ScriptValue::Int(_) | ScriptValue::BigInt(_) | ScriptValue::Bool(_) => INT,
        ScriptValue::Float(_) => FLOAT,
        ScriptValue::Host(_) if value.as_host::<Set>().is_some() => set::SET,
        ScriptValue::Node(object) if Map::<Value, Value>::try_ref(object).is_some() => mapping::MAP,
        _ => &[],
    }
}

/// The attribute of a value that Python itself gives it.
pub(crate) fn of(value: &ScriptValue, name: &str) -> Option<ScriptValue> {
    if let ScriptValue::DType(dtype) = value {
        return match name {
            "bits" => Some(ScriptValue::Int(i64::from(dtype.bits))),
            "lanes" => Some(ScriptValue::Int(i64::from(dtype.lanes))),
            "itemsize" => Some(ScriptValue::Int((i64::from(dtype.bits) * i64::from(dtype.lanes) + 7) / 8)),
            _ => of(&ScriptValue::str(&dtype.to_string()), name),
        };
    }
    if let (ScriptValue::Slice(slice), "start" | "stop" | "step") = (value, name) {
        return Some(match name {
            "start" => slice.start.clone(),
            "stop" => slice.stop.clone(),
            _ => slice.step.clone(),
        });
    }
    let (name, call) = table(value).iter().find(|(n, _)| *n == name)?;
    Some(ScriptValue::host(Method { name, receiver: value.clone(), call: *call }))
}

/// The names of the attributes that Python itself gives a value.
pub(crate) fn names(value: &ScriptValue) -> impl Iterator<Item = &'static str> {
    table(value).iter().map(|(name, _)| *name)
}

const INT: Table = &[("bit_length", |p, v, a| {
    let [] = args("bit_length", a)?;
    let _ = p;
    Ok(ScriptValue::Int(Number::of(v).and_then(|n| n.to_big()).map_or(0, |n| n.bits() as i64)))
})];

const FLOAT: Table = &[("is_integer", |_, v, a| {
    let [] = args("is_integer", a)?;
    Ok(ScriptValue::Bool(matches!(v, ScriptValue::Float(f) if f.fract() == 0.0)))
})];
