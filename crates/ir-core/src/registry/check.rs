//! Well-formedness checks, which dialects register beside the invariants of single nodes.

use super::Dialect;
use super::{Registry, Resolver, Slot};
use crate::access_path::AccessPath;
use crate::invariants::{self, Violation};
use crate::raw::{Object, Str};
use crate::span::Span;

/// Finds mistakes in a function, a module or another object. Objects of other dialects have none.
pub type Check = fn(&Object) -> Vec<Finding>;

/// A mistake that a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The message, lower case, without a full stop.
    pub message: String,
    /// Suggested fix.
    pub help: Option<String>,
    /// Name of the function in its module; `None` outside of modules.
    pub function: Option<Str>,
    /// Path from the function to the node.
    pub path: AccessPath,
    /// Span of the innermost enclosing node that has one.
    pub span: Span,
    /// Related positions, such as an earlier definition.
    pub notes: Vec<FindingNote>,
}

/// A note that explains a [`Finding`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingNote {
    /// The text.
    pub text: String,
    /// Related position; may be unknown.
    pub span: Span,
}

impl From<Violation> for Finding {
    fn from(violation: Violation) -> Finding {
        let Violation { path, error, span } = violation;
        Finding { message: error.to_string(), help: None, function: None, path, span, notes: Vec::new() }
    }
}

/// The checks of all dialects, in the order of the dialects.
#[derive(Debug, Default)]
pub struct Checks(Vec<Check>);

impl Slot for Checks {
    fn merge(&mut self, other: Self, _: &mut Resolver) {
        self.0.extend(other.0);
    }
}

/// Adds checks to a dialect.
pub trait CheckDialect {
    /// Adds a well-formedness check.
    #[must_use]
    fn check(self, check: Check) -> Self;
}

impl<T> CheckDialect for Dialect<T> {
    fn check(mut self, check: Check) -> Self {
        self.slot_mut::<Checks>().0.push(check);
        self
    }
}

/// Maximum number of broken invariants that [`Registry::check`] reports.
const MAX_VIOLATIONS: usize = 100;

impl Registry {
    /// Checks an object. Returns broken invariants of its nodes, then the findings of each dialect.
    pub fn check(&self, object: &Object) -> Vec<Finding> {
        let violations = invariants::violations(object, MAX_VIOLATIONS);
        let checks = self.slot::<Checks>().map(|checks| checks.0.as_slice()).unwrap_or_default();
        let found = checks.iter().flat_map(|check| check(object));
        violations.into_iter().map(Finding::from).chain(found).collect()
    }
}
