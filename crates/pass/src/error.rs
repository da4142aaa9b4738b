//! Errors of passes.

use tvmscript_ir_core::RewriteError;
use tvmscript_prim::PrimError;

use crate::context::OptionError;

/// Error of a pass or an instrument.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PassError {
    /// A rewrite made a node that breaks its invariants.
    #[error(transparent)]
    Rewrite(#[from] RewriteError),
    /// A scalar expression could not be made.
    #[error(transparent)]
    Prim(#[from] PrimError),
    /// An option is unknown or has a wrong value.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The input is outside of what the pass can transform.
    #[error("{message}")]
    Unsupported {
        /// The reason, lower case, without a full stop.
        message: String,
    },
    /// A pass that another one requires is not registered.
    #[error("the pass `{pass}` requires `{required}`, which is not registered")]
    MissingRequired {
        /// The pass.
        pass: String,
        /// Name of the required pass.
        required: String,
    },
    /// Passes require each other.
    #[error("the pass `{pass}` requires itself")]
    CircularRequirement {
        /// The pass.
        pass: String,
    },
    /// An instrument rejects the result of a pass.
    #[error("{instrument}: {message}")]
    Instrument {
        /// The instrument.
        instrument: &'static str,
        /// The reason, lower case, without a full stop.
        message: String,
    },
    /// An error with the pass that it occurred in.
    #[error("in the pass `{pass}`: {error}")]
    In {
        /// The pass.
        pass: String,
        /// The error.
        error: Box<PassError>,
    },
}

impl PassError {
    /// An error about input that a pass cannot transform.
    pub fn unsupported(message: impl Into<String>) -> PassError {
        PassError::Unsupported { message: message.into() }
    }

    /// Names the pass, unless a nested one is named already.
    pub(crate) fn in_pass(self, pass: &str) -> PassError {
        match self {
            PassError::In { .. } => self,
            error => PassError::In { pass: pass.to_owned(), error: Box::new(error) },
        }
    }
}
