//! What can go wrong while making an expression.

use tvmscript_ir_core::DataType;

use crate::class::{Expr, PrimExprExt};
use crate::node::StringImm;

/// Why an expression cannot be made: one variant, one cause.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PrimError {
    /// A strict constructor got operands of different types.
    #[error("mismatched types: `{left}` against `{right}`")]
    MismatchedTypes {
        /// The left operand's type.
        left: DataType,
        /// The right operand's type.
        right: DataType,
    },
    /// No common type exists for the operands of an operator.
    #[error("no common type for `{left}` and `{right}`")]
    CannotMatch {
        /// The left operand's type.
        left: DataType,
        /// The right operand's type.
        right: DataType,
    },
    /// An extent is no integer.
    #[error("an extent must be an integer, not {found}")]
    Extent {
        /// What it is, in words.
        found: String,
    },
    /// A value cannot stand for one of another size.
    #[error("`reinterpret` keeps the bits: `{from}` and `{to}` differ in size")]
    Reinterpret {
        /// The value's type.
        from: DataType,
        /// The type asked for.
        to: DataType,
    },
    /// An operand has a type that the operation does not take.
    #[error("`{op}` takes {expected}, not `{found}`")]
    OperandType {
        /// The operation's name.
        op: &'static str,
        /// What it takes, in words.
        expected: &'static str,
        /// The operand's type.
        found: DataType,
    },
    /// The lanes of two parts do not agree.
    #[error("`{op}`: lanes do not agree, `{left}` against `{right}`")]
    Lanes {
        /// The operation's name.
        op: &'static str,
        /// The first part's type.
        left: DataType,
        /// The second part's type.
        right: DataType,
    },
    /// A call has the type of an operand that is not given.
    #[error("`{op}` has the type of operand {index}, which is not given")]
    MissingOperand {
        /// The operation's name.
        op: &'static str,
        /// The operand, counted from 0.
        index: usize,
    },
    /// A constant divisor is zero.
    #[error("division by zero")]
    DivideByZero,
    /// A literal does not fit its type.
    #[error("the value {value} does not fit `{dtype}`")]
    OutOfRange {
        /// The value as text.
        value: String,
        /// The type.
        dtype: DataType,
    },
    /// A constant shift amount is negative or not below the width.
    #[error("shift by {amount} of a value of type `{dtype}`")]
    ShiftAmount {
        /// The amount.
        amount: i64,
        /// The shifted value's type.
        dtype: DataType,
    },
    /// `/` of two signed integers does not say which division is meant.
    #[error("`/` of two integers is ambiguous: write `//`, `T.Div` or `T.truncdiv`")]
    AmbiguousDivision,
    /// Python has the operator, expressions do not.
    #[error("`{op}` is not defined for expressions")]
    UnsupportedOperator {
        /// The operator as written.
        op: &'static str,
    },
    /// A Python value cannot stand beside an expression of that type.
    #[error("`{op}` does not take a Python {literal} beside `{dtype}`")]
    LiteralOperand {
        /// The operator as written.
        op: &'static str,
        /// The kind of Python value.
        literal: &'static str,
        /// The expression's type.
        dtype: DataType,
    },
    /// Lanes of a ramp or broadcast are neither a constant above one nor a multiple of `vscale`.
    #[error("lanes must be a constant above 1 or a multiple of `T.vscale()`")]
    BadLanes,
    /// A part is wrong in number.
    #[error("`{op}` takes {expected} {what}, not {found}")]
    Count {
        /// The operation's name.
        op: &'static str,
        /// What is counted.
        what: &'static str,
        /// How many it takes.
        expected: usize,
        /// How many were given.
        found: usize,
    },
}

/// A result with a [`PrimError`].
pub type Result<T> = std::result::Result<T, PrimError>;

/// What an expression is, in words, for messages.
pub fn describe(expr: &Expr) -> String {
    match expr.as_node::<StringImm>() {
        Some(text) => format!("the string \"{}\"", text.value),
        None => format!("an expression of type `{}`", expr.dtype()),
    }
}
