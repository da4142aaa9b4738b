//! C types of values and of elements in memory.

use tvmscript_ir_core::small_float::is_small_float;
use tvmscript_ir_core::{DataType, TypeCode};

use crate::error::{Result, unsupported_type};

/// The C type of a scalar of a type: floats of up to 32 bits are computed in `float` and rounded.
pub(super) fn value_type(dtype: DataType) -> Result<&'static str> {
    Ok(match (dtype.code, dtype.bits) {
        (TypeCode::Bool, _) => "bool",
        (TypeCode::Int, 8) => "int8_t",
        (TypeCode::Int, 16) => "int16_t",
        (TypeCode::Int, 32) => "int32_t",
        (TypeCode::Int, 64) => "int64_t",
        (TypeCode::UInt, 8) => "uint8_t",
        (TypeCode::UInt, 16) => "uint16_t",
        (TypeCode::UInt, 32) => "uint32_t",
        (TypeCode::UInt, 64) => "uint64_t",
        (TypeCode::Float, 64) => "double",
        (TypeCode::Float, 16 | 32) | (TypeCode::BFloat, 16) => "float",
        (TypeCode::Handle, 64) => "void *",
        (code, _) if is_small_float(code) => "float",
        _ => return unsupported_type(dtype),
    })
}

/// The C type of an element in memory.
pub(super) fn storage_type(dtype: DataType) -> Result<&'static str> {
    match (dtype.code, dtype.bits) {
        (TypeCode::Bool, _) => Ok("uint8_t"),
        (TypeCode::Float | TypeCode::BFloat, 16) => Ok("uint16_t"),
        (code, _) if is_small_float(code) => Ok("uint8_t"),
        _ => value_type(dtype),
    }
}

/// The unsigned C type in which integers of a type are added and multiplied without overflow.
pub(super) fn unsigned_type(dtype: DataType) -> &'static str {
    if dtype.bits == 64 { "uint64_t" } else { "uint32_t" }
}

/// Returns `true` for floats that are rounded after each operation.
pub(super) fn is_rounded(dtype: DataType) -> bool {
    is_small_float(dtype.code) || matches!((dtype.code, dtype.bits), (TypeCode::Float | TypeCode::BFloat, 16))
}

/// Returns `true` for integers and truth values.
pub(super) fn is_integer(dtype: DataType) -> bool {
    dtype.is_integer() || dtype.is_bool()
}

/// A declaration of a name with a type.
pub(super) fn declare(ctype: &str, name: &str) -> String {
    if ctype.ends_with('*') { format!("{ctype}{name}") } else { format!("{ctype} {name}") }
}

/// The type of a pointer to elements; to any if they are not known.
pub(super) fn pointer_type(points_to: Option<&str>) -> String {
    match points_to {
        Some(element) if element.ends_with('*') => format!("{element}*"),
        Some(element) => format!("{element} *"),
        None => "void *".to_owned(),
    }
}
