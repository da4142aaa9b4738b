//! Python exceptions raised by host code.

use std::fmt;

use tvmscript_ir_core::error_codes;
use tvmscript_script_value::ScriptValue;

use crate::eval::Placeholder;

/// A Python exception.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostError {
    /// The exception class.
    pub kind: HostErrorKind,
    /// CPython's message, without the class name.
    pub message: String,
    /// The name of the exception class, if the kind does not say it.
    name: Option<Box<str>>,
    /// `true` if the message names the type of a [`Placeholder`]: the evaluator lacks the value.
    pub(crate) is_gap: bool,
}

macro_rules! exceptions {
    ($($(#[$doc:meta])* $kind:ident = $code:literal, $class:literal, $meaning:literal;)*) => {
        /// Classes of exceptions that evaluation can raise.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum HostErrorKind {
            $($(#[$doc])* $kind,)*
        }

        error_codes! {
            HostErrorKind {
                $(HostErrorKind::$kind => $code $class $meaning;)*
            }
        }

        impl fmt::Display for HostErrorKind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.class())
            }
        }

        impl HostErrorKind {
            /// The name of the exception class in Python.
            fn class(self) -> &'static str {
                match self {
                    $(HostErrorKind::$kind => $class,)*
                }
            }

            /// The kind for a class name; [`HostErrorKind::Raised`] for an unknown class.
            pub(crate) fn of_class(name: &str) -> HostErrorKind {
                match name {
                    $($class => HostErrorKind::$kind,)*
                    _ => HostErrorKind::Raised,
                }
            }
        }
    };
}
exceptions! {
    /// Any other exception of a `raise` statement.
    Raised = "E0400", "Exception",
        "Host code raises an exception of a class without a code of its own, and nothing catches it.";
    /// An operation on values of the wrong type.
    Type = "E0401", "TypeError",
        "Host code applies an operation to values of the wrong type, as in CPython.";
    /// A value of the right type that does not fit.
    Value = "E0402", "ValueError",
        "Host code passes a value of the right type that the operation does not accept.";
    /// Division by zero.
    ZeroDivision = "E0403", "ZeroDivisionError",
        "Host code divides by zero.";
    /// A result out of range.
    Overflow = "E0404", "OverflowError",
        "A result of host code is too large for its type, such as a float beyond its range.";
    /// An index out of range.
    Index = "E0405", "IndexError",
        "Host code reads an element beyond the end of a list, tuple or string.";
    /// A key that is not in the dictionary.
    Key = "E0406", "KeyError",
        "Host code reads a key that the dictionary does not have.";
    /// An attribute that the value does not have.
    Attribute = "E0407", "AttributeError",
        "Host code reads an attribute that the value does not have.";
    /// A name that is not bound.
    Name = "E0408", "NameError",
        "Host code raises a `NameError`. The use of an undefined name has the code E0201.";
    /// A failed `assert`.
    Assertion = "E0409", "AssertionError",
        "An `assert` of host code fails.";
    /// `next` of an exhausted iterator.
    StopIteration = "E0410", "StopIteration",
        "Host code calls `next` on an iterator that is exhausted.";
    /// A module that cannot be imported.
    Import = "E0411", "ImportError",
        "Host code imports a module or name that does not exist for scripts.";
    /// A container that changed during iteration, and other misuse.
    Runtime = "E0412", "RuntimeError",
        "Host code misuses a container or generator, e.g. changes a dictionary while it iterates over it.";
    /// An unknown codec.
    Lookup = "E0413", "LookupError",
        "Host code names a codec or another registered thing that does not exist.";
    /// Bytes that are not UTF-8.
    UnicodeDecode = "E0414", "UnicodeDecodeError",
        "Host code decodes bytes that are not valid in the encoding.";
    /// A value nested too deeply for `repr`.
    Recursion = "E0415", "RecursionError",
        "A value of host code is nested too deeply for `repr` or a comparison.";
}

impl HostError {
    /// An exception with its message.
    pub fn new(kind: HostErrorKind, message: impl Into<String>) -> HostError {
        HostError { kind, message: message.into(), name: None, is_gap: false }
    }

    /// An exception of the class of this name.
    pub(crate) fn of_class(name: &str, message: impl Into<String>) -> HostError {
        let kind = HostErrorKind::of_class(name);
        let name = (kind.class() != name).then(|| name.into());
        HostError { kind, message: message.into(), name, is_gap: false }
    }

    /// The same exception with another message.
    pub(crate) fn with_message(self, message: String) -> HostError {
        HostError { message, ..self }
    }

    /// A `TypeError` whose message names the types of `values`.
    pub(crate) fn wrong_type(message: String, values: &[&ScriptValue]) -> HostError {
        let is_gap = values.iter().any(|value| value.as_host::<Placeholder>().is_some());
        HostError { kind: HostErrorKind::Type, message, name: None, is_gap }
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

    /// The message for diagnostics. CPython's message of a `KeyError` is the key alone.
    pub(crate) fn explained(&self) -> String {
        match self.kind {
            HostErrorKind::Key => format!("the key {} is not there", self.message),
            _ => self.to_string(),
        }
    }

    /// The name of the exception class in Python.
    pub fn class(&self) -> &str {
        self.name.as_deref().unwrap_or(self.kind.class())
    }
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.name, self.message.is_empty()) {
            (_, true) => f.write_str(self.class()),
            (Some(name), false) => write!(f, "{name}: {}", self.message),
            (None, false) => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for HostError {}
