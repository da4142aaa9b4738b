//! Errors of expression constructors.

use tvmscript_ir_core::DataType;

use crate::class::{Expr, PrimExprExt};
use crate::node::StringImm;

/// The reason why an expression cannot be constructed.
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
    /// An extent is not an integer.
    #[error("an extent must be an integer, not {found}")]
    Extent {
        /// Description of the extent.
        found: String,
    },
    /// A reinterpreted value has another size than its new type.
    #[error("`reinterpret` keeps the bits: `{from}` and `{to}` differ in size")]
    Reinterpret {
        /// The value's type.
        from: DataType,
        /// The requested type.
        to: DataType,
    },
    /// An operand has a type that the operation does not support.
    #[error("`{op}` takes {expected}, not `{found}`")]
    OperandType {
        /// The operation's name.
        op: &'static str,
        /// Description of the supported types.
        expected: &'static str,
        /// The operand's type.
        found: DataType,
    },
    /// Lane counts differ.
    #[error("`{op}`: lane counts differ, `{left}` and `{right}`")]
    Lanes {
        /// The operation's name.
        op: &'static str,
        /// The first operand's type.
        left: DataType,
        /// The second operand's type.
        right: DataType,
    },
    /// A call's type follows from an operand that is missing.
    #[error("`{op}` has the type of operand {index}, which is not given")]
    MissingOperand {
        /// The operation's name.
        op: &'static str,
        /// Operand index, from 0.
        index: usize,
    },
    /// A constant divisor is zero.
    #[error("division by zero")]
    DivideByZero,
    /// A literal does not fit its type.
    #[error("the value {value} does not fit `{dtype}`")]
    OutOfRange {
        /// The value.
        value: String,
        /// The type.
        dtype: DataType,
    },
    /// A constant shift amount is negative or at least the bit width.
    #[error("shift amount {amount} is out of range for `{dtype}`")]
    ShiftAmount {
        /// The amount.
        amount: i64,
        /// The shifted value's type.
        dtype: DataType,
    },
    /// `/` of two signed integers does not tell which division is meant.
    #[error("`/` of two integers is ambiguous: write `//`, `T.Div` or `T.truncdiv`")]
    AmbiguousDivision,
    /// A Python operator that expressions do not support.
    #[error("`{op}` is not defined for expressions")]
    UnsupportedOperator {
        /// The operator as written.
        op: &'static str,
    },
    /// A Python value cannot be combined with an expression of this type.
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
    /// The number of operands, vectors or indices is wrong.
    #[error("`{op}` takes {expected} {what}, not {found}")]
    Count {
        /// The operation's name.
        op: &'static str,
        /// The counted objects.
        what: &'static str,
        /// The expected number.
        expected: usize,
        /// The actual number.
        found: usize,
    },
}

/// A result with a [`PrimError`].
pub type PrimResult<T> = Result<T, PrimError>;

/// Describes an expression for error messages.
pub fn describe(expr: &Expr) -> String {
    match expr.as_node::<StringImm>() {
        Some(text) => format!("the string \"{}\"", text.value),
        None => format!("an expression of type `{}`", expr.dtype()),
    }
}
tvmscript_ir_core::error_codes! {
    PrimError {
        _ => "E1107" "pass-expression"
            "A pass makes a scalar expression whose operands do not fit together, or that divides by zero.";
    }
}
