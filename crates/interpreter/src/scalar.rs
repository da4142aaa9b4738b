//! Scalar values.

use half::{bf16, f16};
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
            (Scalar::Int(value), true) => {
                let is_unsigned = from.code == TypeCode::UInt && from.bits == 64;
                let value = if is_unsigned { value as u64 as f64 } else { value as f64 };
                // Rounded once: a 64-bit integer is rounded to a 32-bit float directly.
                let direct = match (to.code, to.bits) {
                    (TypeCode::Float, 32) if is_unsigned => f64::from(self.int()? as u64 as f32),
                    (TypeCode::Float, 32) => f64::from(self.int()? as f32),
                    _ => value,
                };
                round(to, direct)
            }
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

/// Returns `true` for types whose values are [`Scalar::Float`].
pub fn is_float(dtype: DataType) -> bool {
    matches!(dtype.code, TypeCode::Float | TypeCode::BFloat)
}

/// Wraps an integer to the width of a type.
pub(crate) fn wrap(dtype: DataType, value: i64) -> Result<Scalar> {
    let unused = 64 - u32::from(dtype.bits.min(64));
    Ok(Scalar::Int(match dtype.code {
        TypeCode::Bool => i64::from(value != 0),
        TypeCode::Int => value << unused >> unused,
        TypeCode::UInt => ((value as u64) << unused >> unused) as i64,
        _ => return unsupported_type(dtype),
    }))
}

/// Rounds a float to a type.
pub(crate) fn round(dtype: DataType, value: f64) -> Result<Scalar> {
    match round_float(dtype, value) {
        Some(value) => Ok(Scalar::Float(value)),
        None => unsupported_type(dtype),
    }
}

/// Rounds a number to the precision of a type; `None` for types that are not supported floats.
pub fn round_float(dtype: DataType, value: f64) -> Option<f64> {
    Some(match (dtype.code, dtype.bits) {
        (TypeCode::Float, 64) => value,
        (TypeCode::Float, 32) => f64::from(value as f32),
        (TypeCode::Float, 16) => f16::from_f64(value).to_f64(),
        (TypeCode::BFloat, 16) => bf16::from_f64(value).to_f64(),
        _ => return None,
    })
}

/// Decodes the bits of a float; `None` for types that are not supported floats.
pub fn float_from_bits(dtype: DataType, bits: u64) -> Option<f64> {
    Some(match (dtype.code, dtype.bits) {
        (TypeCode::Float, 64) => f64::from_bits(bits),
        (TypeCode::Float, 32) => f32::from_bits(bits as u32).into(),
        (TypeCode::Float, 16) => f16::from_bits(bits as u16).to_f64(),
        (TypeCode::BFloat, 16) => bf16::from_bits(bits as u16).to_f64(),
        _ => return None,
    })
}

/// Encodes a float; `None` for types that are not supported floats.
pub fn float_to_bits(dtype: DataType, value: f64) -> Option<u64> {
    Some(match (dtype.code, dtype.bits) {
        (TypeCode::Float, 64) => value.to_bits(),
        (TypeCode::Float, 32) => (value as f32).to_bits().into(),
        (TypeCode::Float, 16) => f16::from_f64(value).to_bits().into(),
        (TypeCode::BFloat, 16) => bf16::from_f64(value).to_bits().into(),
        _ => return None,
    })
}

/// Returns the bytes of an element of a type; `None` for types without whole bytes and for handles.
pub(crate) fn element_bytes(dtype: DataType) -> Option<usize> {
    match (dtype.code, dtype.bits) {
        (TypeCode::Bool, _) => Some(1),
        (TypeCode::Int | TypeCode::UInt, 8 | 16 | 32 | 64) => Some(usize::from(dtype.bits / 8)),
        (TypeCode::Float, 16 | 32 | 64) | (TypeCode::BFloat, 16) => Some(usize::from(dtype.bits / 8)),
        _ => None,
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
