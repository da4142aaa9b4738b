//! Methods and attributes of values, by type.

mod bytes;
mod generator;
mod mapping;
mod number;
mod sequence;
mod set;
mod text;

use tvmscript_ir_core::{Map, ObjectLike, TypeCode, Value};
use tvmscript_script_value::ScriptValue;

#[cfg(feature = "library")]
use crate::eval::Context;
use crate::eval::IterObject;
use crate::eval::class::{ClassObject, PROPERTY, Property};
use crate::eval::generator::is_generator;
use crate::python::builtins::{Builtin, BuiltinKind, Native, Table, class_method};
#[cfg(feature = "library")]
use crate::python::library::contextlib;
#[cfg(feature = "numpy")]
use crate::python::numpy::array::Array;
use crate::python::set::Set;
use crate::python::{dict_class, object, range, view};

pub(crate) use text::make_translation;

/// The method tables of a value.
fn tables(value: &ScriptValue) -> [Table; 2] {
    match value {
        ScriptValue::Host(_) => match value.as_host::<Set>() {
            Some(set) => tables_of(if set.frozen { "frozenset" } else { "set" }),
            None if range::of(value).is_some() => tables_of("range"),
            None if value.as_host::<Property>().is_some() => [PROPERTY, &[]],
            None if view::is_set(value) => [mapping::VIEW, &[]],
            #[cfg(feature = "library")]
            None if let Some(context) = value.as_host::<Context>() => match context {
                Context::Stack(_) => [contextlib::MANAGER, contextlib::STACK],
                _ => [contextlib::MANAGER, &[]],
            },
            None if is_generator(value) => [generator::GENERATOR, &[]],
            None if value.as_host::<IterObject>().is_some_and(|iter| iter.length_hint().is_some()) => {
                [generator::ITERATOR, &[]]
            }
            None => [object::of(value).map_or(&[], |object| object.methods()), &[]],
        },
        ScriptValue::Node(object) if Map::<Value, Value>::try_ref(object).is_some() => [mapping::MAP, &[]],
        ScriptValue::Str(_) => tables_of("str"),
        ScriptValue::Bytes(_) => tables_of("bytes"),
        ScriptValue::List(_) => tables_of("list"),
        ScriptValue::Tuple(_) => tables_of("tuple"),
        ScriptValue::Dict(dict) => [dict_class::methods(&dict.borrow()), mapping::DICT],
        ScriptValue::Int(_) | ScriptValue::BigInt(_) | ScriptValue::Bool(_) => tables_of("int"),
        ScriptValue::Float(_) => tables_of("float"),
        ScriptValue::Slice(_) => tables_of("slice"),
        _ => [&[], &[]],
    }
}

/// The method tables of a built-in type.
fn tables_of(type_name: &str) -> [Table; 2] {
    match type_name {
        "str" => [text::STR, &[]],
        "bytes" => [bytes::BYTES, &[]],
        "list" => [sequence::LIST, &[]],
        "tuple" => [sequence::TUPLE, &[]],
        "dict" => [mapping::DICT, &[]],
        "OrderedDict" => [dict_class::ORDERED, mapping::DICT],
        "Counter" => [dict_class::COUNTER, mapping::DICT],
        "defaultdict" => [&[], mapping::DICT],
        "int" | "bool" => [number::INT, &[]],
        "float" => [number::FLOAT, &[]],
        "set" => [set::FROZENSET, set::SET],
        "frozenset" => [set::FROZENSET, &[]],
        "range" => [sequence::RANGE, &[]],
        "slice" => [sequence::SLICE, &[]],
        "property" => [PROPERTY, &[]],
        _ => [&[], &[]],
    }
}

/// The method of a built-in type: `str.lower`.
pub(crate) fn of_type(type_name: &str, name: &str) -> Option<&'static Native> {
    tables_of(type_name).into_iter().flatten().find(|native| native.name == name)
}

/// The attribute that Python gives a value of this type.
pub(crate) fn of(value: &ScriptValue, name: &str) -> Option<ScriptValue> {
    match value {
        ScriptValue::DType(dtype) => {
            let (bits, lanes) = (i64::from(dtype.bits), i64::from(dtype.lanes));
            return match name {
                "bits" => Some(ScriptValue::Int(bits)),
                "lanes" => Some(ScriptValue::Int(lanes)),
                "name" => Some(ScriptValue::str(&dtype.to_string())),
                "kind" => Some(ScriptValue::str(match dtype.code {
                    TypeCode::Bool => "b",
                    TypeCode::Int => "i",
                    TypeCode::UInt => "u",
                    TypeCode::Float => "f",
                    _ => "V",
                })),
                "itemsize" => Some(ScriptValue::Int((bits * lanes + 7) / 8)),
                _ => of(&ScriptValue::str(&dtype.to_string()), name),
            };
        }
        ScriptValue::Dict(dict) => {
            if let Some(found) = dict_class::attribute(&dict.borrow(), name) {
                return Some(found);
            }
        }
        ScriptValue::Slice(slice) => {
            return match name {
                "start" => Some(slice.start.clone()),
                "stop" => Some(slice.stop.clone()),
                "step" => Some(slice.step.clone()),
                _ => sequence::SLICE
                    .iter()
                    .find(|native| native.name == name)
                    .map(|native| Builtin::value(native, BuiltinKind::Method(value.clone()))),
            };
        }
        ScriptValue::Int(_) | ScriptValue::BigInt(_) | ScriptValue::Bool(_) | ScriptValue::Float(_) => {
            if let Some(part) = number::part(value, name) {
                return Some(part);
            }
        }
        _ => {}
    }
    if let Some(native) = tables(value).into_iter().flatten().find(|native| native.name == name) {
        return Some(Builtin::value(native, BuiltinKind::Method(value.clone())));
    }
    // Class methods are found through instances, too.
    let owner = match value {
        ScriptValue::Str(_) => "str",
        ScriptValue::Bytes(_) => "bytes",
        ScriptValue::Dict(_) => "dict",
        ScriptValue::Float(_) => "float",
        ScriptValue::Int(_) | ScriptValue::BigInt(_) | ScriptValue::Bool(_) => "int",
        _ => return None,
    };
    Some(Builtin::value(class_method(owner, name)?, BuiltinKind::Function(owner)))
}

/// The description of an attribute that Python's type has, or may have, and that is not evaluated.
pub(crate) fn left_out(value: &ScriptValue, name: &str) -> Option<&'static str> {
    let of = match value.as_host::<Builtin>() {
        Some(builtin) if builtin.is_type() => builtin.native.name.to_owned(),
        _ => crate::python::type_name(value),
    };
    let is_missing = |names: &str| names.split_whitespace().any(|known| known == name);
    match of.as_str() {
        "bytes" if is_missing(bytes::MISSING) => return Some("this method of `bytes`"),
        "Counter" if is_missing(dict_class::MISSING) => return Some("this method of `Counter`"),
        #[cfg(feature = "library")]
        "collections.deque" if is_missing(crate::python::library::MISSING_OF_DEQUE) => {
            return Some("this method of `deque`");
        }
        "functools._lru_cache_wrapper" if is_missing("cache_info cache_parameters") => {
            return Some("this method of a cache");
        }
        "float" if is_missing("fromhex hex") => return Some("the hexadecimal text of floats"),
        _ => {}
    }
    if let Some(class) = value.as_host::<ClassObject>()
        && class.metaclass.is_some()
        && name == "register"
    {
        return Some("`register` of an abstract class");
    }
    #[cfg(feature = "numpy")]
    if Array::of(value).is_some() {
        return Some("this attribute of an array");
    }
    None
}

/// The names of the methods of a built-in type.
pub(crate) fn type_names(type_name: &str) -> impl Iterator<Item = &'static str> {
    tables_of(type_name).into_iter().flatten().map(|native| native.name)
}

/// The names of the methods of a value.
pub(crate) fn names(value: &ScriptValue) -> impl Iterator<Item = &'static str> {
    tables(value).into_iter().flatten().map(|native| native.name)
}
