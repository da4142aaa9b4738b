//! Well-formedness checks, which dialects register beside the invariants of single nodes.

use super::Dialect;
use super::{Registry, Resolver, Slot};
use crate::diagnostic::{Anchor, Diagnostic, ErrorCode, Message};
use crate::invariants::{self, Violation};
use crate::raw::Object;

/// Finds mistakes in a function, a module or another object. Objects of other dialects have none. Labels are on paths
/// from the object, on nodes or on spans.
pub type Check = fn(&Object) -> Vec<Diagnostic>;

/// Code of broken invariants between the fields of a node.
pub static INVARIANT: ErrorCode = ErrorCode {
    code: "E0602",
    name: "ill-formed",
    meaning: "The fields of a node contradict each other, e.g. a count and the length of the list that it counts. The \
              message names the field and the contradiction.",
};

impl From<Violation> for Diagnostic {
    fn from(violation: Violation) -> Diagnostic {
        let Violation { path, error, span } = violation;
        Diagnostic::new(Message::new(&INVARIANT, error.to_string()), Anchor::path(path, span))
    }
}

/// The checks of all dialects, in the order of the dialects.
#[derive(Debug, Default, Clone)]
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
    /// Checks an object. Returns broken invariants of its nodes, then the diagnostics of each dialect.
    pub fn check(&self, object: &Object) -> Vec<Diagnostic> {
        let violations = invariants::violations(object, MAX_VIOLATIONS);
        let checks = self.slot::<Checks>().map(|checks| checks.0.as_slice()).unwrap_or_default();
        let found = checks.iter().flat_map(|check| check(object));
        violations.into_iter().map(Diagnostic::from).chain(found).collect()
    }
}
