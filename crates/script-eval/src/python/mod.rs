//! Python's values and operations, as in CPython 3.11, including the messages of exceptions.
//!
//! Nodes are treated as arrays, maps and text only; operators on them belong to the dialects.

pub(crate) mod arith;
pub(crate) mod big_range;
pub(crate) mod builtins;
pub(crate) mod codec;
pub(crate) mod compare;
pub(crate) mod cost;
pub(crate) mod dict_class;
pub(crate) mod exceptions;
pub(crate) mod format;
pub(crate) mod identity;
pub(crate) mod library;
pub(crate) mod methods;
pub(crate) mod number;
#[cfg(feature = "numpy")]
pub(crate) mod numpy;
pub(crate) mod object;
pub(crate) mod percent;
pub(crate) mod range;
pub(crate) mod repr;
pub(crate) mod set;
pub(crate) mod sort;
pub(crate) mod subscript;
pub(crate) mod template;
pub(crate) mod text_index;
pub(crate) mod unicode;
pub(crate) mod union;
pub(crate) mod view;

use num_traits::Zero;
use tvmscript_ir_core::{Array, Map, Object, ObjectLike, Value};
use tvmscript_script_value::ScriptValue;

use builtins::Builtin;

use crate::eval::Raise;
use crate::eval::class::{ClassObject, is_instance};

/// The result of an operation of host code.
pub(crate) type Outcome = Result<ScriptValue, Raise>;

/// The Python type name of a value.
pub(crate) fn type_name(value: &ScriptValue) -> String {
    match value {
        ScriptValue::Host(_) if value.as_host::<ClassObject>().is_some() => "type".to_owned(),
        ScriptValue::None => "NoneType".to_owned(),
        ScriptValue::Frame(frame) => frame.name().to_owned(),
        ScriptValue::Function(_) => "function".to_owned(),
        ScriptValue::Host(host) => match host.as_any().downcast_ref::<Builtin>() {
            Some(builtin) => builtin.class().to_owned(),
            None => host.type_name().trim_start_matches("a ").to_owned(),
        },
        other => other.type_name(),
    }
}

/// The type that makes a value unhashable: its own or that of an element.
pub(crate) fn unhashable_part(value: &ScriptValue) -> String {
    let mut work = vec![value.clone()];
    while let Some(at) = work.pop() {
        match &at {
            ScriptValue::Tuple(items) => work.extend(items.iter().rev().cloned()),
            ScriptValue::List(_) | ScriptValue::Dict(_) | ScriptValue::Slice(_) => return type_name(&at),
            _ => {}
        }
    }
    type_name(value)
}

/// Tests whether the library defines a decorator, so that it is applied.
pub(crate) fn is_decorator(value: &ScriptValue) -> bool {
    let kind = value.as_host::<Builtin>().map(|builtin| &builtin.kind);
    #[cfg(feature = "library")]
    if value.as_host::<library::Partial>().is_some() {
        return true;
    }
    object::of(value).is_some()
        || matches!(kind, Some(builtins::BuiltinKind::Function(module)) if !module.is_empty())
        || matches!(kind, Some(builtins::BuiltinKind::Method(_)))
}

/// Describes a value, for messages.
pub(crate) fn describe(value: &ScriptValue) -> String {
    match value {
        ScriptValue::None => "`None`".to_owned(),
        ScriptValue::Bool(true) => "`True`".to_owned(),
        ScriptValue::Bool(false) => "`False`".to_owned(),
        ScriptValue::Int(i) => format!("the int `{i}`"),
        ScriptValue::BigInt(_) => "a large int".to_owned(),
        ScriptValue::Str(_) => "a string".to_owned(),
        ScriptValue::Bytes(_) => "bytes".to_owned(),
        ScriptValue::DType(dtype) => format!("the dtype `{dtype}`"),
        ScriptValue::Node(object) => format!("a `{}`", object.info().display_key()),
        ScriptValue::Frame(frame) => format!("the scope `{}`", frame.name()),
        ScriptValue::Function(function) => format!("the function `{}`", function.name),
        ScriptValue::Host(host) => match host.as_any().downcast_ref::<Builtin>() {
            Some(builtin) => format!("the function `{}`", builtin.native.name),
            None if is_instance(value) => format!("an instance of `{}`", host.type_name()),
            None => host.type_name().to_owned(),
        },
        ScriptValue::Ellipsis => "`...`".to_owned(),
        other => format!("a {}", other.type_name()),
    }
}

/// The truth of a value that is not a node.
pub(crate) fn truth(value: &ScriptValue) -> bool {
    match value {
        ScriptValue::None => false,
        ScriptValue::Bool(b) => *b,
        ScriptValue::Int(i) => *i != 0,
        ScriptValue::BigInt(i) => !i.is_zero(),
        ScriptValue::Float(f) => *f != 0.0,
        ScriptValue::Str(s) => !s.as_str().is_empty(),
        ScriptValue::Bytes(b) => !b.is_empty(),
        ScriptValue::Tuple(items) => !items.is_empty(),
        ScriptValue::List(items) => !items.borrow().is_empty(),
        ScriptValue::Dict(dict) => !dict.borrow().is_empty(),
        ScriptValue::Host(_) => match (set::len(value), range::of(value)) {
            (Some(len), _) => len > 0,
            (None, Some(range)) => range.len() > 0,
            (None, None) => true,
        },
        _ => true,
    }
}

/// The length of an IR array or map.
pub(crate) fn node_len(object: &Object) -> Option<usize> {
    if let Some(array) = Array::<Value>::try_ref(object) {
        return Some(array.values().len());
    }
    Map::<Value, Value>::try_ref(object).map(|map| map.len())
}

/// The elements of an IR array or the keys of an IR map.
pub(crate) fn node_items(object: &Object) -> Option<Vec<ScriptValue>> {
    if let Some(array) = Array::<Value>::try_ref(object) {
        return Some(array.values().iter().map(ScriptValue::from).collect());
    }
    let map = Map::<Value, Value>::try_ref(object)?;
    Some(map.iter().map(|(key, _)| ScriptValue::from(key)).collect())
}
