//! Scalar values, and the arithmetic of element types.

use tvmscript_ir_core::arithmetic::{self, Operator};
use tvmscript_ir_core::small_float::{decode, encode, is_small_float};
use tvmscript_ir_core::{DataType, TypeCode};

use crate::error::{Result, unsupported_type};

/// A number. Its type is that of the expression that made it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar {
    /// An integer or truth value, sign- or zero-extended from its width; 64-bit unsigned ones by their bits.
    Int(i64),
    /// A float of any width.
    Float(f64),
}

impl Scalar {
    /// Returns the integer.
    pub fn as_int(self) -> Option<i64> {
        match self {
            Scalar::Int(value) => Some(value),
            Scalar::Float(_) => None,
        }
    }

    /// Returns the value of a float type.
    pub fn as_float(self) -> Option<f64> {
        match self {
            Scalar::Float(value) => Some(value),
            Scalar::Int(_) => None,
        }
    }

    /// The 64 bits of a register.
    pub(crate) fn bits(self) -> u64 {
        match self {
            Scalar::Int(value) => value as u64,
            Scalar::Float(value) => value.to_bits(),
        }
    }

    /// The value of a register that holds a value of a type.
    pub(crate) fn of_bits(is_float: bool, bits: u64) -> Scalar {
        match is_float {
            true => Scalar::Float(f64::from_bits(bits)),
            false => Scalar::Int(bits as i64),
        }
    }
}

/// Returns `true` for types whose values are floats.
pub(crate) fn is_float(dtype: DataType) -> bool {
    arithmetic::is_float(dtype) || is_small_float(dtype.code)
}

/// Rounds a float to a type.
pub(crate) fn round(dtype: DataType, value: f64) -> Option<f64> {
    match arithmetic::round(dtype, value) {
        None => decode(dtype.code, encode(dtype.code, value)?),
        rounded => rounded,
    }
}

pub(crate) fn float_from_bits(dtype: DataType, bits: u64) -> Option<f64> {
    arithmetic::float_from_bits(dtype, bits).or_else(|| decode(dtype.code, bits))
}

pub(crate) fn float_to_bits(dtype: DataType, value: f64) -> Option<u64> {
    arithmetic::float_to_bits(dtype, value).or_else(|| encode(dtype.code, value))
}

/// The bytes that an element takes in memory. Elements of less than 8 bits take a byte each.
pub(crate) fn storage_bytes(dtype: DataType) -> Option<usize> {
    match (dtype.code, dtype.bits) {
        (TypeCode::Handle, 64) => Some(8),
        (TypeCode::Int | TypeCode::UInt, 1..=7) => Some(1),
        (code, 1..=8) if is_small_float(code) => Some(1),
        _ => arithmetic::element_bytes(dtype),
    }
}

/// Applies an operator to the bits of registers; `None` for divisions by zero and shifts out of range.
pub(crate) fn operate(operator: Operator, dtype: DataType, a: u64, b: u64) -> Option<u64> {
    if arithmetic::is_float(dtype) {
        return arithmetic::floats(operator, dtype, f64::from_bits(a), f64::from_bits(b)).map(f64::to_bits);
    }
    if is_small_float(dtype.code) {
        let wide = arithmetic::floats(operator, DataType::FLOAT32, f64::from_bits(a), f64::from_bits(b))?;
        return round(dtype, wide).map(f64::to_bits);
    }
    let is_shift = matches!(operator, Operator::ShiftLeft | Operator::ShiftRight);
    let (a, b) = (wide(dtype, a), if is_shift { i128::from(b as i64) } else { wide(dtype, b) });
    arithmetic::integers(operator, dtype, a, b).map(|value| value as i64 as u64)
}

/// The value of an integer register, which 64-bit unsigned ones are not.
pub(crate) fn wide(dtype: DataType, value: u64) -> i128 {
    match dtype.code == TypeCode::UInt && dtype.bits == 64 {
        true => i128::from(value),
        false => i128::from(value as i64),
    }
}

/// Wraps an integer to the width of a type.
pub(crate) fn wrap(dtype: DataType, value: i64) -> u64 {
    match dtype.code {
        TypeCode::Handle => value as u64,
        _ => arithmetic::wrap(dtype, value.into()) as i64 as u64,
    }
}

/// Converts between types as a cast does: integers wrap, floats are rounded to the target or truncated to integers.
pub(crate) fn cast(from: DataType, to: DataType, value: u64) -> u64 {
    match (is_float(from), is_float(to)) {
        (false, true) => match arithmetic::round_integer(to, wide(from, value)) {
            Some(value) => value.to_bits(),
            None => round(to, wide(from, value) as f64).unwrap_or_default().to_bits(),
        },
        (true, true) => round(to, f64::from_bits(value)).unwrap_or_default().to_bits(),
        (false, false) if to.is_bool() => u64::from(value != 0),
        (false, false) => wrap(to, value as i64),
        (true, false) if to.is_bool() => u64::from(f64::from_bits(value) != 0.0),
        (true, false) if to.code == TypeCode::UInt && to.bits == 64 => f64::from_bits(value) as u64,
        (true, false) => wrap(to, f64::from_bits(value) as i64),
    }
}

/// The register bits of a number of a type.
pub(crate) fn number(dtype: DataType, value: f64) -> Result<Scalar> {
    match round(dtype, value) {
        Some(value) => Ok(Scalar::Float(value)),
        None => unsupported_type(dtype),
    }
}
