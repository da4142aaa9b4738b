//! Types of elements: promotion, conversion, names.

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use tvmscript_ir_core::{DataType, TypeCode, arithmetic};
use tvmscript_script_value::ScriptValue;

use super::array::Num;
use crate::errors::HostError;
use crate::python::builtins::Builtin;

/// The scalar types with their names.
pub(super) const NAMES: [(&str, DataType); 12] = [
    ("bool", DataType::BOOL),
    ("int8", DataType::int(8)),
    ("int16", DataType::int(16)),
    ("int32", DataType::int(32)),
    ("int64", DataType::int(64)),
    ("uint8", DataType::uint(8)),
    ("uint16", DataType::uint(16)),
    ("uint32", DataType::uint(32)),
    ("uint64", DataType::uint(64)),
    ("float16", DataType::float(16)),
    ("float32", DataType::float(32)),
    ("float64", DataType::float(64)),
];

/// Other names of types.
const ALIASES: [(&str, &str); 24] = [
    ("bool_", "bool"),
    ("?", "bool"),
    ("int", "int64"),
    ("uint", "uint64"),
    ("float", "float64"),
    ("double", "float64"),
    ("single", "float32"),
    ("half", "float16"),
    ("byte", "int8"),
    ("short", "int16"),
    ("intc", "int32"),
    ("long", "int64"),
    ("ubyte", "uint8"),
    ("ushort", "uint16"),
    ("uintc", "uint32"),
    ("i1", "int8"),
    ("i2", "int16"),
    ("i4", "int32"),
    ("i8", "int64"),
    ("u1", "uint8"),
    ("f2", "float16"),
    ("f4", "float32"),
    ("f8", "float64"),
    ("intp", "int64"),
];

/// The type of this name.
pub(crate) fn named(name: &str) -> Option<DataType> {
    let name = name.trim_start_matches(['<', '=', '|']);
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name);
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, dtype)| *dtype)
}

/// The type that an argument names: a name, a type, or a type of numbers.
pub(super) fn argument(value: &ScriptValue) -> Result<DataType, HostError> {
    let name = match value {
        ScriptValue::None => "float64",
        ScriptValue::DType(dtype) => match NAMES.iter().find(|(_, known)| known == dtype) {
            Some((_, dtype)) => return Ok(*dtype),
            None => raise!(Type, "data type '{dtype}' not understood"),
        },
        ScriptValue::Str(text) => text.as_str(),
        other => match other.as_host::<Builtin>().filter(|builtin| builtin.is_type()) {
            Some(builtin) => builtin.native.name,
            None => raise!(Type, "Cannot interpret '{}' as a data type", crate::python::type_name(other)),
        },
    };
    match named(name) {
        Some(dtype) => Ok(dtype),
        None => raise!(Type, "data type '{name}' not understood"),
    }
}

/// The name of the class of numbers of a type.
pub(super) fn scalar_class(dtype: DataType) -> &'static str {
    const CLASSES: [&str; 12] = [
        "numpy.bool",
        "numpy.int8",
        "numpy.int16",
        "numpy.int32",
        "numpy.int64",
        "numpy.uint8",
        "numpy.uint16",
        "numpy.uint32",
        "numpy.uint64",
        "numpy.float16",
        "numpy.float32",
        "numpy.float64",
    ];
    let at = NAMES.iter().position(|(_, known)| *known == dtype);
    at.and_then(|at| CLASSES.get(at)).copied().unwrap_or("numpy.generic")
}

pub(crate) use arithmetic::is_float;

/// The type of both operands' values, by numpy's rules.
pub(super) fn promoted(a: DataType, b: DataType) -> DataType {
    if a == b || b.is_bool() {
        return a;
    }
    if a.is_bool() {
        return b;
    }
    let bits = a.bits.max(b.bits);
    match (is_float(a), is_float(b)) {
        (true, true) => DataType::float(bits),
        (true, false) => DataType::float(a.bits.max(float_bits(b))),
        (false, true) => DataType::float(b.bits.max(float_bits(a))),
        (false, false) if a.code == b.code => DataType { bits, ..a },
        (false, false) => {
            let (signed, unsigned) = if a.code == TypeCode::Int { (a, b) } else { (b, a) };
            match unsigned.bits {
                64 => DataType::float(64),
                wide if wide >= signed.bits => DataType::int(wide * 2),
                _ => signed,
            }
        }
    }
}

/// Size of the float that holds an integer type.
fn float_bits(dtype: DataType) -> u8 {
    match dtype.bits {
        8 => 16,
        16 => 32,
        _ => 64,
    }
}

/// The type of the results of functions on floats.
pub(super) fn floating(dtype: DataType) -> DataType {
    match is_float(dtype) {
        true => dtype,
        false => DataType::float(float_bits(dtype)),
    }
}

/// The value of an integer element.
pub(super) fn wide(value: Num, dtype: DataType) -> i128 {
    match value {
        Num::Int(i) if dtype.code == TypeCode::UInt && dtype.bits == 64 => i128::from(i as u64),
        Num::Int(i) => i128::from(i),
        Num::Float(f) => f as i128,
    }
}

pub(super) fn float(value: Num, dtype: DataType) -> f64 {
    match value {
        Num::Float(f) => f,
        value => wide(value, dtype) as f64,
    }
}

/// An integer in a type, modulo its size.
pub(super) fn wrapped(value: i128, dtype: DataType) -> Num {
    Num::Int(arithmetic::wrap(dtype, value) as i64)
}

/// A float rounded to a type.
pub(crate) fn rounded(value: f64, dtype: DataType) -> Num {
    Num::Float(arithmetic::round(dtype, value).unwrap_or(value))
}

/// An element converted to another type, as by `astype`.
pub(super) fn converted(value: Num, from: DataType, to: DataType) -> Num {
    match (is_float(to), value) {
        (true, value) => rounded(float(value, from), to),
        (false, Num::Float(f)) if to.is_bool() => Num::Int(i64::from(f != 0.0)),
        (false, Num::Float(f)) if !f.is_finite() => wrapped(i128::from(i64::MIN), to),
        (false, value) => wrapped(wide(value, from), to),
    }
}

/// The element as a number of Python.
pub(super) fn python(value: Num, dtype: DataType) -> ScriptValue {
    match value {
        Num::Float(f) => ScriptValue::Float(f),
        Num::Int(i) if dtype.is_bool() => ScriptValue::Bool(i != 0),
        value => ScriptValue::big_int(BigInt::from(wide(value, dtype))),
    }
}

/// The element for a number of Python in a type.
pub(super) fn element(value: &ScriptValue, dtype: DataType) -> Result<Num, HostError> {
    let int = match value {
        ScriptValue::Bool(b) => i128::from(*b),
        ScriptValue::Int(i) => i128::from(*i),
        ScriptValue::BigInt(i) if is_float(dtype) => {
            return Ok(rounded(crate::python::number::big_to_float(i)?, dtype));
        }
        ScriptValue::BigInt(i) => i.to_i128().unwrap_or(i128::MAX),
        ScriptValue::Float(f) => return Ok(converted(Num::Float(*f), DataType::float(64), dtype)),
        other => {
            let name = crate::python::type_name(other);
            raise!(Type, "float() argument must be a string or a real number, not '{name}'")
        }
    };
    if is_float(dtype) {
        return Ok(rounded(int as f64, dtype));
    }
    if dtype.is_bool() {
        return Ok(Num::Int(i64::from(int != 0)));
    }
    let element = wrapped(int, dtype);
    if wide(element, dtype) != int {
        raise!(Overflow, "Python integer {} out of bounds for {dtype}", shown(value));
    }
    Ok(element)
}

fn shown(value: &ScriptValue) -> String {
    match value {
        ScriptValue::BigInt(i) => i.to_string(),
        ScriptValue::Int(i) => i.to_string(),
        other => other.type_name(),
    }
}

/// Appends the bytes of an element, little-endian.
pub(super) fn encode(value: Num, dtype: DataType, out: &mut Vec<u8>) {
    match (value, dtype.bits) {
        (Num::Int(i), bits) => out.extend(i.to_le_bytes().iter().take(usize::from(bits / 8).max(1))),
        (Num::Float(f), bits) => {
            let word = arithmetic::float_to_bits(dtype, f).unwrap_or_default();
            out.extend(word.to_le_bytes().iter().take(usize::from(bits / 8)));
        }
    }
}
