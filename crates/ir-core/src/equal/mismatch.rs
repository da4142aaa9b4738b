//! Places where two nodes differ.

use std::fmt;

use crate::access_path::{AccessPath, PathStep};

/// What differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MismatchKind {
    /// The types of the nodes, or the kinds of the values.
    Type,
    /// Values of one kind.
    Value,
    /// Variables, or nodes whose sharing must match, that do not stand for each other.
    Binding,
    /// One side lacks the element or entry.
    Missing,
}

impl fmt::Display for MismatchKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MismatchKind::Type => "different types",
            MismatchKind::Value => "different values",
            MismatchKind::Binding => "not bound to each other",
            MismatchKind::Missing => "only on one side",
        })
    }
}

/// One place where two nodes differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The path on the left. Where the left lacks something, the last step is a missing one.
    pub lhs: AccessPath,
    /// The path on the right.
    pub rhs: AccessPath,
    /// What differs.
    pub kind: MismatchKind,
    /// Other paths to the same difference, on the left and on the right: where both sides hold the same two nodes
    /// again. Of one comparison at most 1,000.
    pub repeats: Vec<(AccessPath, AccessPath)>,
}

impl fmt::Display for Mismatch {
    /// What differs and where, with both paths where they are not the same.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lhs == self.rhs {
            true => write!(f, "{} at `{}`", self.kind, self.lhs),
            false => write!(f, "{} at `{}` and `{}`", self.kind, self.lhs, self.rhs),
        }
    }
}

impl Mismatch {
    /// Whether the difference is in a name: a field, entry or key such as `name_hint` or `global_symbol`.
    pub fn is_in_name(&self) -> bool {
        if self.kind == MismatchKind::Missing {
            return false;
        }
        let name = match self.lhs.steps.last() {
            Some(PathStep::Field(name)) => name,
            Some(PathStep::Key(key)) => key.as_str().unwrap_or_default(),
            _ => return false,
        };
        name == "name" || name == "name_hint" || name.ends_with("_name") || name.ends_with("_symbol")
    }
}
