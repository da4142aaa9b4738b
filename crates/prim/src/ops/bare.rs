//! Types of bare numbers: the types of `5` and `1.5` in the text that this thread parses.
//!
//! The default is Python's rule: `int32` (`int64` if the value does not fit) and `float32`. Text printed with other
//! default types records them in its header, from where they come into the rules of the text ([`TextRules`]). Only numbers
//! of the text use these types, not nodes that functions build.

use tvmscript_ir_core::{DataType, TextRules};

use super::python::{Operand, int_literal};
use crate::class::Expr;
use crate::error::PrimResult;
use crate::node::{FloatImm, IntImm};

/// A bare integer of the text.
/// # Errors
/// [`crate::PrimError::OutOfRange`] if it does not fit the header's type.
pub fn int(value: i64) -> PrimResult<Expr> {
    match TextRules::current().int {
        Some(dtype) => IntImm::try_new(dtype, value),
        None => Ok(int_literal(value)),
    }
}

/// A bare float of the text.
/// # Errors
/// [`crate::PrimError::OutOfRange`] if it does not fit the type.
pub fn float(value: f64) -> PrimResult<Expr> {
    FloatImm::try_new(TextRules::current().float.unwrap_or(DataType::FLOAT32), value)
}

/// Converts numbers of the text to literals; expressions are unchanged.
/// # Errors
/// As [`int`] and [`float`].
pub fn operand(operand: Operand) -> PrimResult<Operand> {
    Ok(match operand {
        Operand::Int(value) => Operand::Expr(int(value)?),
        Operand::Float(value) => Operand::Expr(float(value)?),
        Operand::Expr(_) | Operand::Bool(_) => operand,
    })
}

/// Returns `true` if integer literals of the type print as bare numbers.
pub fn is_int(dtype: DataType) -> bool {
    dtype.is_integer() && !dtype.is_bool() && dtype.is_scalar()
}

/// Returns `true` if float literals of the type print as bare numbers.
pub fn is_float(dtype: DataType) -> bool {
    dtype.is_any_float() && dtype.is_scalar()
}
