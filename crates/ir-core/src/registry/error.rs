//! Errors of building a registry.

use std::fmt;
use std::panic::Location;

use crate::release::Release;

/// Registration site: the source location of a registration.
pub type RegistrationSite = &'static Location<'static>;

/// A conflict between dialects.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// Something was registered twice.
    #[error("{what} is registered twice: at {first} and at {second}")]
    Duplicate {
        /// The registered thing, e.g. "the node `toy.Trace`".
        what: String,
        /// The source location of the first registration.
        first: String,
        /// The source location of the second registration.
        second: String,
    },
    /// A registration refers to something that no dialect registers.
    #[error("{what}, registered at {place}, is missing: add the dialect that registers it")]
    Missing {
        /// The missing thing, e.g. "the parent `toy.Step` of the node `toy.Trace`".
        what: String,
        /// The source location of the registration that refers to it.
        place: String,
    },
    /// A node was declared before its parent had a type. Types are never changed, so the order matters.
    #[error(
        "the node `{node}`, registered at {place}, was declared before its parent `{parent}`: create the dialect of \
         `{parent}` first"
    )]
    LateParent {
        /// Type key of the node.
        node: String,
        /// Type key of the parent.
        parent: String,
        /// The source location of the node's registration.
        place: String,
    },
    /// A conflict that only a further release has.
    #[error("{error}, in the release `{release}`")]
    InRelease {
        /// The release.
        release: String,
        /// The conflict.
        error: Box<RegistryError>,
    },
    /// A table is full.
    #[error("there are too many {what}: at most {limit}")]
    TooMany {
        /// The kind of entries, e.g. "dispatch tokens".
        what: &'static str,
        /// The maximum number of entries.
        limit: usize,
    },
}

impl RegistryError {
    pub(super) fn in_release(self, release: &Release) -> RegistryError {
        RegistryError::InRelease { release: release.id(), error: Box::new(self) }
    }
}

/// All conflicts between dialects, at least one; displayed one per line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryErrors(pub(super) Vec<RegistryError>);

impl RegistryErrors {
    /// Returns the errors in the order of the dialects.
    pub fn errors(&self) -> &[RegistryError] {
        &self.0
    }
}

impl fmt::Display for RegistryErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for RegistryErrors {}
