//! Failures of evaluation whose place is not known yet, and macros that raise Python exceptions.

use tvmscript_script_value::{BuildError, ScriptValue};

use crate::errors::{EvalErrorKind, HostError, Reported};
use crate::eval::Placeholder;

/// The failure of an operation. The caller that knows the place in the text records it.
#[derive(Debug)]
pub enum Raise {
    /// Recorded already.
    Reported,
    /// An error without its place.
    Kind(EvalErrorKind),
    /// An error without its place, and how to fix it.
    WithHelp(EvalErrorKind, String),
    /// A dialect's error.
    Build(BuildError),
    /// A Python exception as a value.
    Exception(ScriptValue),
    /// The operation needs a value of host code that is not known.
    Unknown(Placeholder),
}

impl From<Reported> for Raise {
    fn from(_: Reported) -> Raise {
        Raise::Reported
    }
}

impl From<HostError> for Raise {
    fn from(error: HostError) -> Raise {
        Raise::Kind(error.into())
    }
}

impl From<EvalErrorKind> for Raise {
    fn from(kind: EvalErrorKind) -> Raise {
        Raise::Kind(kind)
    }
}

impl From<BuildError> for Raise {
    fn from(error: BuildError) -> Raise {
        Raise::Build(error)
    }
}

/// Returns from the function with an exception: `raise!(Value, "negative count {count}")`.
macro_rules! raise {
    ($kind:ident, $($message:tt)+) => {
        return Err($crate::errors::HostError::new(
            $crate::errors::HostErrorKind::$kind,
            format_args!($($message)+).to_string(),
        )
        .into())
    };
}

/// A `TypeError` whose message names the types of values: each positional `{}` takes a value and shows its type.
///
/// If one of them is a [`Placeholder`], the failure is a gap of the evaluator, not a mistake in the text.
macro_rules! wrong_type {
    ($message:literal $(, $value:expr)+ $(,)?) => {
        $crate::errors::HostError::wrong_type(
            format!($message $(, $crate::python::type_name($value))+),
            &[$($value),+],
        )
    };
}
