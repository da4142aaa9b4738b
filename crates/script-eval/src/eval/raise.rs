//! How evaluation fails, before the place is known.

use tvmscript_script_value::BuildError;

use super::Placeholder;
use crate::errors::{HostError, ParseErrorKind, Reported};

/// Why an operation failed. Whoever knows the place records it.
#[derive(Debug)]
pub enum Raise {
    /// Recorded already.
    Reported,
    /// An error without its place.
    Kind(ParseErrorKind),
    /// An error without its place, and how to mend it.
    WithHelp(ParseErrorKind, String),
    /// A dialect's error.
    Build(BuildError),
    /// A value of host code that is not known.
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

impl From<ParseErrorKind> for Raise {
    fn from(kind: ParseErrorKind) -> Raise {
        Raise::Kind(kind)
    }
}

impl From<BuildError> for Raise {
    fn from(error: BuildError) -> Raise {
        Raise::Build(error)
    }
}
