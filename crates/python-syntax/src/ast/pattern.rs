//! Patterns of `match` statements.

use super::{ExprId, List, Name};

/// A pattern. A list of patterns has them in prefix order: a pattern is followed by its parts, so that no nesting is
/// too deep to be stored or dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    /// Kind.
    pub kind: PatternKind,
    /// Number of patterns in the list from this one to the end of its last part.
    pub size: u32,
}

/// Kinds of patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternKind {
    /// `_`
    Wildcard,
    /// `name`
    Capture(Name),
    /// `part as name`
    As(Name),
    /// A literal, which may be signed or complex, or a dotted name.
    Value(ExprId),
    /// `[part, part]`
    Sequence {
        /// Number of parts.
        parts: u32,
    },
    /// `*name` or `*_` in a sequence.
    Star(Option<Name>),
    /// `{key: part, **rest}`
    Mapping {
        /// Keys; each has a part.
        keys: List<ExprId>,
        /// The name for the remaining entries.
        rest: Option<Name>,
    },
    /// `class(part, name=part)`
    Class {
        /// The class.
        class: ExprId,
        /// Number of parts without a name, which come first.
        positional: u32,
        /// Names of the other parts.
        keywords: List<Name>,
    },
    /// `part | part`
    Or {
        /// Number of parts.
        parts: u32,
    },
}
