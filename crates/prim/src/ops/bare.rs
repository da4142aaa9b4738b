//! Types of bare numbers: what `5` and `1.5` are in the text that this thread reads.
//!
//! Python's rule is `int32` (`int64` where that is too narrow) and `float32`. A text that was printed with other types left
//! unsaid names them in its header; whoever reads the header sets them here, for this thread, and resets them behind it.
//! Nodes that functions make by themselves do not ask: only numbers of the text do.

use std::cell::Cell;

use tvmscript_ir_core::DataType;

use super::python::{Operand, int_literal};
use crate::class::Expr;
use crate::error::Result;
use crate::node::{FloatImm, IntImm};

thread_local! {
    static INT: Cell<Option<DataType>> = const { Cell::new(None) };
    static FLOAT: Cell<Option<DataType>> = const { Cell::new(None) };
    /// How many texts with rules of their own are being read inside of the one whose types are set.
    static SUSPENDED: Cell<u32> = const { Cell::new(0) };
}

/// Sets the type of bare integers; `None` is Python's rule.
pub fn set_int(dtype: Option<DataType>) {
    INT.set(dtype);
    SUSPENDED.set(0);
}

/// Sets the type of bare floats; `None` is Python's rule.
pub fn set_float(dtype: Option<DataType>) {
    FLOAT.set(dtype);
    SUSPENDED.set(0);
}

/// Enters text to which the types do not apply, because its dialect prints literals by rules of its own.
pub fn suspend() {
    SUSPENDED.set(SUSPENDED.get().saturating_add(1));
}

/// Leaves such text.
pub fn resume() {
    SUSPENDED.set(SUSPENDED.get().saturating_sub(1));
}

/// A bare integer of the text.
/// # Errors
/// [`crate::PrimError::OutOfRange`] when it does not fit the type that the text's header names.
pub fn int(value: i64) -> Result<Expr> {
    match INT.get() {
        Some(dtype) if SUSPENDED.get() == 0 => IntImm::try_new(dtype, value),
        _ => Ok(int_literal(value)),
    }
}

/// A bare float of the text.
/// # Errors
/// [`crate::PrimError::OutOfRange`] when it does not fit the type.
pub fn float(value: f64) -> Result<Expr> {
    let said = FLOAT.get().filter(|_| SUSPENDED.get() == 0);
    FloatImm::try_new(said.unwrap_or(DataType::FLOAT32), value)
}

/// An operand of the text, a number as its literal.
/// # Errors
/// As [`int`] and [`float`].
pub fn operand(operand: Operand) -> Result<Operand> {
    Ok(match operand {
        Operand::Int(value) => Operand::Expr(int(value)?),
        Operand::Float(value) => Operand::Expr(float(value)?),
        Operand::Expr(_) | Operand::Bool(_) => operand,
    })
}

/// Whether literals of the type can stand bare as integers.
pub fn is_int(dtype: DataType) -> bool {
    dtype.is_integer() && !dtype.is_bool() && dtype.is_scalar()
}

/// Whether literals of the type can stand bare as floats.
pub fn is_float(dtype: DataType) -> bool {
    dtype.is_any_float() && dtype.is_scalar()
}
