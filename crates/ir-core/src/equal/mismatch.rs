//! Differences between two nodes.

use std::fmt;

use crate::access_path::AccessPath;

/// Kind of a [`Mismatch`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MismatchKind {
    /// Types of nodes or kinds of values differ.
    Type,
    /// Values of one kind differ.
    Value,
    /// Variables, or nodes whose sharing must match, are not bound to each other.
    Binding,
    /// One side lacks an element or entry.
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

/// A difference between two nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Path on the left; it ends in a missing step if the left side lacks the part.
    pub lhs: AccessPath,
    /// Path on the right.
    pub rhs: AccessPath,
    /// Kind of the difference.
    pub kind: MismatchKind,
    /// Other pairs of paths to the same two nodes; at most 1,000 per comparison.
    pub repeats: Vec<(AccessPath, AccessPath)>,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lhs == self.rhs {
            true => write!(f, "{} at `{}`", self.kind, self.lhs),
            false => write!(f, "{} at `{}` and `{}`", self.kind, self.lhs, self.rhs),
        }
    }
}

impl Mismatch {
    /// Limit of the steps in all paths of a comparison, with those of repeats. Beyond it no differences are recorded.
    pub const MAX_STEPS: usize = 1 << 20;

    /// Number of steps in all paths.
    pub fn steps(&self) -> usize {
        let repeats = self.repeats.iter().map(|(lhs, rhs)| lhs.steps.len() + rhs.steps.len());
        self.lhs.steps.len() + self.rhs.steps.len() + repeats.sum::<usize>()
    }

    /// Returns `true` if the difference is in a name, such as `name_hint` or `global_symbol`.
    pub fn is_in_name(&self) -> bool {
        if self.kind == MismatchKind::Missing {
            return false;
        }
        self.lhs.is_of_name()
    }
}
