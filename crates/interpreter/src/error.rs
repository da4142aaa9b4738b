//! Errors of a run.

use tvmscript_ir_core::arithmetic::Operator;
use tvmscript_ir_core::{DataType, Span};

/// Error of a run, with the span of the innermost statement or expression that has one.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct RunError {
    /// The cause.
    pub kind: RunErrorKind,
    /// Where; may be unknown.
    pub span: Span,
}

/// Cause of an error.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RunErrorKind {
    /// The function uses something that the interpreter leaves out.
    #[error("{construct} cannot be run")]
    Unsupported {
        /// The construct.
        construct: String,
    },
    /// An index is outside of the shape.
    #[error(
        "index {index} is out of bounds for dimension {dimension} of `{buffer}`, which has {extent} elements"
    )]
    OutOfBounds {
        /// Name of the buffer.
        buffer: String,
        /// Position of the index.
        dimension: usize,
        /// The index.
        index: i64,
        /// Extent of the dimension.
        extent: i64,
    },
    /// An element is outside of the memory of the buffer.
    #[error("element {offset} is outside of the memory of `{buffer}`, which has {len} elements")]
    OutsideMemory {
        /// Name of the buffer.
        buffer: String,
        /// Offset in elements.
        offset: i64,
        /// Number of elements.
        len: usize,
    },
    /// A division by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// An assertion failed.
    #[error("assertion failed: {message}")]
    Assertion {
        /// The message of the statement.
        message: String,
    },
    /// A variable has no value.
    #[error("the variable `{name}` has no value")]
    Unbound {
        /// The name.
        name: String,
    },
    /// A tensor does not fit its parameter.
    #[error("the argument for `{parameter}` does not fit: {reason}")]
    Argument {
        /// Name of the parameter.
        parameter: String,
        /// The reason.
        reason: String,
    },
    /// A value is of another kind than its use requires.
    #[error("expected {expected}")]
    Kind {
        /// The required kind.
        expected: &'static str,
    },
    /// The limit of steps is reached.
    #[error("more than {limit} steps")]
    Steps {
        /// The limit.
        limit: u64,
    },
    /// The limit of memory is reached.
    #[error("more than {limit} bytes of buffers")]
    Memory {
        /// The limit.
        limit: usize,
    },
    /// All threads wait for each other.
    #[error("the threads wait for each other: none of them can go on")]
    Deadlock,
    /// A shape is negative or too large.
    #[error("a buffer of shape {shape:?} cannot be made")]
    Shape {
        /// The shape.
        shape: Vec<i64>,
    },
}

/// Result of a step. The span is added on the way out.
pub(crate) type Result<T> = std::result::Result<T, RunError>;

impl From<RunErrorKind> for RunError {
    #[cold]
    fn from(kind: RunErrorKind) -> RunError {
        RunError { kind, span: Span::UNKNOWN }
    }
}

impl RunError {
    /// Adds a span unless there is one.
    #[cold]
    pub(crate) fn at(self, span: Span) -> RunError {
        if self.span.is_known() { self } else { RunError { span, ..self } }
    }
}

#[cold]
pub(crate) fn unsupported<T>(construct: impl Into<String>) -> Result<T> {
    Err(RunErrorKind::Unsupported { construct: construct.into() }.into())
}

#[cold]
pub(crate) fn unsupported_type<T>(dtype: DataType) -> Result<T> {
    unsupported(format!("the type {dtype}"))
}

/// The error of an operator on integers that has no result.
#[cold]
pub(crate) fn undefined(operator: Operator, dtype: DataType, b: i64) -> RunErrorKind {
    match operator {
        Operator::ShiftLeft | Operator::ShiftRight => {
            RunErrorKind::Unsupported { construct: format!("a shift by {b} of {} bits", dtype.bits) }
        }
        Operator::Div | Operator::Mod | Operator::FloorDiv | Operator::FloorMod => {
            RunErrorKind::DivisionByZero
        }
        _ => RunErrorKind::Unsupported { construct: format!("an operator on bits of the type {dtype}") },
    }
}
