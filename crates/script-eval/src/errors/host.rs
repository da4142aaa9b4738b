//! What Python raises: the errors of host code.

use std::fmt;

use tvmscript_script_value::ScriptValue;

use crate::eval::Placeholder;

/// An exception of Python: which one, and its text as CPython writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostError {
    /// Which exception.
    pub kind: HostErrorKind,
    /// CPython's text, without the class in front.
    pub message: String,
    /// `true` if the message names the type of a [`Placeholder`](crate::Placeholder): the evaluator lacks the value.
    pub(crate) is_gap: bool,
}

/// The exceptions that evaluating an expression can raise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HostErrorKind {
    /// An operation on values of the wrong type.
    Type,
    /// A value of the right type that does not fit.
    Value,
    /// Division by zero.
    ZeroDivision,
    /// A number beyond what the operation can do.
    Overflow,
    /// An index out of range.
    Index,
    /// A key that is not in the dictionary.
    Key,
    /// An attribute that the value does not have.
    Attribute,
    /// A name without a value.
    Name,
    /// An `assert` that does not hold.
    Assertion,
    /// `next` of an iterator that is done.
    StopIteration,
    /// A module that cannot be imported.
    Import,
    /// A container that changed while it was iterated over, and other misuse.
    Runtime,
    /// A codec that does not exist.
    Lookup,
    /// Bytes that are no UTF-8.
    UnicodeDecode,
    /// A value nested deeper than it can be shown.
    Recursion,
    /// Anything that a `raise` raises.
    Raised,
}

impl HostError {
    /// An exception with its text.
    pub fn new(kind: HostErrorKind, message: impl Into<String>) -> HostError {
        HostError { kind, message: message.into(), is_gap: false }
    }

    /// A `TypeError` about values.
    pub(crate) fn wrong_type(message: String, values: &[&ScriptValue]) -> HostError {
        let is_gap = values.iter().any(|value| value.as_host::<Placeholder>().is_some());
        HostError { kind: HostErrorKind::Type, message, is_gap }
    }

    pub(crate) fn type_error(message: impl Into<String>) -> HostError {
        HostError::new(HostErrorKind::Type, message)
    }

    pub(crate) fn value_error(message: impl Into<String>) -> HostError {
        HostError::new(HostErrorKind::Value, message)
    }

    pub(crate) fn overflow(message: impl Into<String>) -> HostError {
        HostError::new(HostErrorKind::Overflow, message)
    }

    pub(crate) fn zero_division(message: impl Into<String>) -> HostError {
        HostError::new(HostErrorKind::ZeroDivision, message)
    }

    pub(crate) fn index(message: impl Into<String>) -> HostError {
        HostError::new(HostErrorKind::Index, message)
    }

    /// The text for people: that of a missing key is the key alone.
    pub(crate) fn explained(&self) -> String {
        match self.kind {
            HostErrorKind::Key => format!("the key {} is not there", self.message),
            _ => self.to_string(),
        }
    }

    /// The name of the exception in Python.
    pub fn class(&self) -> &'static str {
        match self.kind {
            HostErrorKind::Type => "TypeError",
            HostErrorKind::Value => "ValueError",
            HostErrorKind::ZeroDivision => "ZeroDivisionError",
            HostErrorKind::Overflow => "OverflowError",
            HostErrorKind::Index => "IndexError",
            HostErrorKind::Key => "KeyError",
            HostErrorKind::Attribute => "AttributeError",
            HostErrorKind::Name => "NameError",
            HostErrorKind::Assertion => "AssertionError",
            HostErrorKind::StopIteration => "StopIteration",
            HostErrorKind::Import => "ImportError",
            HostErrorKind::Lookup => "LookupError",
            HostErrorKind::UnicodeDecode => "UnicodeDecodeError",
            HostErrorKind::Runtime => "RuntimeError",
            HostErrorKind::Recursion => "RecursionError",
            HostErrorKind::Raised => "Exception",
        }
    }
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.message.is_empty() { f.write_str(self.class()) } else { f.write_str(&self.message) }
    }
}

impl std::error::Error for HostError {}
