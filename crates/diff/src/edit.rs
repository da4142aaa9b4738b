//! Edits and edit scripts.

use std::fmt;

use tvmscript_ir_core::{AccessPath, Object, PathStep, Value};

#[cfg(feature = "print")]
use crate::render::Side;

/// Kind of an [`Edit`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EditOp {
    /// A part has another value.
    Change,
    /// A part, or a node around a part, is only on the right.
    Insert,
    /// A part, or a node around a part, is only on the left.
    Remove,
    /// A name differs.
    Rename,
    /// A part is at another place.
    Move,
}

impl EditOp {
    /// Returns the name, e.g. `insert`.
    pub fn name(self) -> &'static str {
        match self {
            EditOp::Change => "change",
            EditOp::Insert => "insert",
            EditOp::Remove => "remove",
            EditOp::Rename => "rename",
            EditOp::Move => "move",
        }
    }
}

impl fmt::Display for EditOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One difference between two graphs, A and B.
#[derive(Debug, Clone)]
pub struct Edit {
    /// Kind.
    pub op: EditOp,
    /// Path of the part in A; `None` if A lacks it.
    pub a: Option<AccessPath>,
    /// Path of the part in B; `None` if B lacks it.
    pub b: Option<AccessPath>,
    /// The part of A.
    pub old: Value,
    /// The part of B.
    pub new: Value,
    /// For a node that is inserted or removed around a part: path of that part, on the side of the node.
    pub inner: Option<AccessPath>,
    /// `true` if equality ignores the difference: a name hint.
    pub is_ignored: bool,
}

#[cfg(feature = "print")]
impl Edit {
    /// Path of the part on a side.
    pub(crate) fn path(&self, side: Side) -> Option<&AccessPath> {
        match side {
            Side::A => self.a.as_ref(),
            Side::B => self.b.as_ref(),
        }
    }

    /// Path of the part that an inserted or removed node is around, on the side that has the node.
    pub(crate) fn around(&self, side: Side) -> Option<&AccessPath> {
        let has_node = match side {
            Side::A => self.op == EditOp::Remove,
            Side::B => self.op == EditOp::Insert,
        };
        self.inner.as_ref().filter(|_| has_node)
    }
}

impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.op)?;
        // Keys of one name can be different nodes.
        let text = |path: &Option<AccessPath>| path.as_ref().map(ToString::to_string);
        match (text(&self.a), text(&self.b)) {
            (Some(a), Some(b)) if a != b => write!(f, " {a} -> {b}"),
            (Some(path), _) | (None, Some(path)) => write!(f, " {path}"),
            (None, None) => Ok(()),
        }
    }
}

/// A change of A. Paths are those of A before any change.
#[derive(Debug, Clone)]
pub(crate) enum Action {
    /// Replaces a part by one of B.
    Set { at: AccessPath, value: Value },
    /// Puts a node of B around a part; the part takes the place at `hole` below that node.
    Wrap { at: AccessPath, wrapper: Object, hole: Vec<PathStep> },
    /// Replaces a part by one of its own parts.
    Unwrap { at: AccessPath, rest: Vec<PathStep> },
    /// Removes an element or entry.
    Remove { at: AccessPath },
    /// Inserts a part of B as an element, at this index of the new array.
    Insert { array: AccessPath, index: usize, value: Value },
    /// Inserts an element of A, with its own changes, at this index of the new array.
    MoveIn { array: AccessPath, index: usize, from: AccessPath },
    /// Inserts an entry of B.
    InsertEntry { map: AccessPath, key: Value, value: Value },
    /// Changes another occurrence of a shared node in the same way.
    Same { at: AccessPath, other: AccessPath },
    /// Takes the fields that equality ignores, such as derived ones, from a node of B.
    Ignored { at: AccessPath, like: Object },
}

impl Action {
    /// Path of the part of A that changes.
    pub(crate) fn at(&self) -> &AccessPath {
        match self {
            Action::Set { at, .. }
            | Action::Wrap { at, .. }
            | Action::Unwrap { at, .. }
            | Action::Remove { at }
            | Action::Insert { array: at, .. }
            | Action::MoveIn { array: at, .. }
            | Action::InsertEntry { map: at, .. }
            | Action::Same { at, .. }
            | Action::Ignored { at, .. } => at,
        }
    }
}

/// The edits that lead from a graph A to a graph B; see [`crate::diff`].
#[derive(Debug, Clone)]
pub struct EditScript {
    /// The edits, in the order of a walk over both graphs.
    pub edits: Vec<Edit>,
    /// `true` if the graphs are structurally equal. Then all edits are ignored ones.
    pub is_equal: bool,
    /// The changes behind the edits.
    pub(crate) actions: Vec<Action>,
    /// Variables and other nodes with identity that correspond: of A, of B.
    pub(crate) entities: Vec<(Object, Object)>,
}

impl EditScript {
    /// Returns the edits that equality does not ignore.
    pub fn differences(&self) -> impl Iterator<Item = &Edit> {
        self.edits.iter().filter(|edit| !edit.is_ignored)
    }

    /// Variables, buffers and other nodes with identity that correspond, as pairs of a node of A and one of B.
    pub fn correspondences(&self) -> &[(Object, Object)] {
        &self.entities
    }
}
