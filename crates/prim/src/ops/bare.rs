//! Types of bare numbers: the types of `5` and `1.5` in the text that this thread parses.
//!
//! The default is Python's rule: `int32` (`int64` if the value does not fit) and `float32`. Text printed with other
//! default types records them in its header; the parser of the header sets them for this thread and resets them at the
//! end. Only numbers of the text use these types, not nodes that functions build.

use std::cell::Cell;

use tvmscript_ir_core::DataType;

use super::python::{Operand, int_literal};
use crate::class::Expr;
use crate::error::Result;
use crate::node::{FloatImm, IntImm};

thread_local! {
    static INT: Cell<Option<DataType>> = const { Cell::new(None) };
    static FLOAT: Cell<Option<DataType>> = const { Cell::new(None) };
    /// Number of open nested texts to which the types do not apply.
    static SUSPENDED: Cell<u32> = const { Cell::new(0) };
}

/// Sets the type of bare integers; `None` for Python's rule.
pub fn set_int(dtype: Option<DataType>) {
    INT.set(dtype);
    SUSPENDED.set(0);
}

/// Sets the type of bare floats; `None` for Python's rule.
pub fn set_float(dtype: Option<DataType>) {
    FLOAT.set(dtype);
    SUSPENDED.set(0);
}

/// Enters nested text to which the types do not apply, because its dialect prints literals by its own rules.
pub fn suspend() {
    SUSPENDED.set(SUSPENDED.get().saturating_add(1));
}

/// Leaves the nested text.
pub fn resume() {
    SUSPENDED.set(SUSPENDED.get().saturating_sub(1));
}

/// A bare integer of the text.
/// # Errors
/// [`crate::PrimError::OutOfRange`] if it does not fit the header's type.
pub fn int(value: i64) -> Result<Expr> {
    match INT.get() {
        Some(dtype) if SUSPENDED.get() == 0 => IntImm::try_new(dtype, value),
        _ => Ok(int_literal(value)),
    }
}

/// A bare float of the text.
/// # Errors
/// [`crate::PrimError::OutOfRange`] if it does not fit the type.
pub fn float(value: f64) -> Result<Expr> {
    let said = FLOAT.get().filter(|_| SUSPENDED.get() == 0);
    FloatImm::try_new(said.unwrap_or(DataType::FLOAT32), value)
}

/// Converts numbers of the text to literals; expressions are unchanged.
/// # Errors
/// As [`int`] and [`float`].
pub fn operand(operand: Operand) -> Result<Operand> {
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
