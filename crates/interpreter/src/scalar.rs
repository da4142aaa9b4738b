//! Scalar values.

use tvmscript_ir_core::arithmetic::{self, float_from_bits, float_to_bits, is_float};
use tvmscript_ir_core::{DataType, TypeCode};

use crate::error::{Result, RunErrorKind, unsupported_type};

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

    pub(crate) fn int(self) -> Result<i64> {
        self.as_int().ok_or_else(|| RunErrorKind::Kind { expected: "an integer" }.into())
    }

    pub(crate) fn float(self) -> Result<f64> {
        self.as_float().ok_or_else(|| RunErrorKind::Kind { expected: "a float" }.into())
    }

    pub(crate) fn truth(self) -> Result<bool> {
        Ok(self.int()? != 0)
    }

    /// Converts between types as a cast does: integers wrap, floats are rounded to the target or truncated to integers.
    pub(crate) fn cast(self, from: DataType, to: DataType) -> Result<Scalar> {
        match (self, is_float(to)) {
            (Scalar::Int(value), true) => match arithmetic::round_integer(to, wide(from, value)) {
                Some(value) => Ok(Scalar::Float(value)),
                None => unsupported_type(to),
            },
            (Scalar::Int(value), false) if to.is_bool() => Ok(Scalar::Int(i64::from(value != 0))),
            (Scalar::Int(value), false) => wrap(to, value),
            (Scalar::Float(value), true) => round(to, value),
            (Scalar::Float(value), false) if to.is_bool() => Ok(Scalar::Int(i64::from(value != 0.0))),
            (Scalar::Float(value), false) => match to.code {
                TypeCode::UInt if to.bits == 64 => Ok(Scalar::Int(value as u64 as i64)),
                _ => wrap(to, value as i64),
            },
        }
    }
}

/// The value of an integer, which 64-bit unsigned ones are not.
pub(crate) fn wide(dtype: DataType, value: i64) -> i128 {
    match dtype.code == TypeCode::UInt && dtype.bits == 64 {
        true => i128::from(value as u64),
        false => i128::from(value),
    }
}

/// Wraps an integer to the width of a type.
pub(crate) fn wrap(dtype: DataType, value: i64) -> Result<Scalar> {
    match dtype.code {
        TypeCode::Bool | TypeCode::Int | TypeCode::UInt => {
            Ok(Scalar::Int(arithmetic::wrap(dtype, value.into()) as i64))
        }
        _ => unsupported_type(dtype),
    }
}

/// Rounds a float to a type.
pub(crate) fn round(dtype: DataType, value: f64) -> Result<Scalar> {
    match arithmetic::round(dtype, value) {
        Some(value) => Ok(Scalar::Float(value)),
        None => unsupported_type(dtype),
    }
}

/// Reads an element from its little-endian bytes.
pub(crate) fn from_bytes(dtype: DataType, bytes: &[u8]) -> Result<Scalar> {
    let mut word = [0; 8];
    word.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    let word = u64::from_le_bytes(word);
    match float_from_bits(dtype, word) {
        Some(value) => Ok(Scalar::Float(value)),
        None => wrap(dtype, word as i64),
    }
}

/// Returns the element as little-endian bytes, of which the type's width counts.
pub(crate) fn to_bytes(dtype: DataType, value: Scalar) -> Result<[u8; 8]> {
    let word = match value {
        Scalar::Int(value) => value as u64,
        Scalar::Float(value) => match float_to_bits(dtype, value) {
            Some(bits) => bits,
            None => return unsupported_type(dtype),
        },
    };
    Ok(word.to_le_bytes())
}
