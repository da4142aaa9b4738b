//! Errors of a host's own among those of the evaluation.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use tvmscript_ir_core::diagnostic::DiagnosticKind;

/// A kind of errors that a host reports.
pub trait OwnErrorKind: DiagnosticKind + fmt::Debug + Any + Send + Sync {
    /// Tests whether another kind is the same.
    fn is_equal(&self, other: &dyn Any) -> bool;

    /// Tests whether the error does not depend on the arguments of the function around the script.
    fn is_certain(&self) -> bool {
        false
    }
}

/// An error of a host's own.
#[derive(Debug, Clone)]
pub struct OwnError(pub(super) Arc<dyn OwnErrorKind>);

impl OwnError {
    /// An error of a kind.
    pub fn new(kind: impl OwnErrorKind) -> OwnError {
        OwnError(Arc::new(kind))
    }

    /// The kind, if it is of this type.
    pub fn downcast_ref<K: OwnErrorKind>(&self) -> Option<&K> {
        let kind: &dyn Any = &*self.0;
        kind.downcast_ref()
    }

    /// Tests whether the error does not depend on the arguments of the function around the script.
    pub(crate) fn is_certain(&self) -> bool {
        self.0.is_certain()
    }
}

impl PartialEq for OwnError {
    fn eq(&self, other: &OwnError) -> bool {
        self.0.is_equal(&*other.0)
    }
}

impl fmt::Display for OwnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
