//! Access paths from a root to a node, such as `<root>.body.seq[2]` or `<root>.functions["main"].body`.
//!
//! Walks extend paths in a [`PathTable`], which links steps to their parents, and build an [`AccessPath`] on request.
//! [`AccessPath::parse`] parses the text of a path against a root.

mod find;
mod text;

pub use find::NodeSearch;

pub use text::PathError;

use std::fmt;

use crate::containers::{ArrayNode, ByValue, MapNode, StrNode};
use crate::raw::Object;
use crate::value::Value;
pub(crate) use text::KeyText;

/// A step from a node to a part of it.
#[derive(Debug, Clone)]
pub enum PathStep {
    /// A field.
    Field(&'static str),
    /// An element of an array.
    Index(u32),
    /// The value of a map's entry.
    Key(Value),
    /// The key of a map's entry.
    KeyItself(Value),
    /// An element that this side of a comparison lacks.
    MissingIndex(u32),
    /// An entry that this side of a comparison lacks.
    MissingKey(Value),
}

impl PartialEq for PathStep {
    fn eq(&self, other: &PathStep) -> bool {
        use crate::containers::Key;
        match (self, other) {
            (PathStep::Field(a), PathStep::Field(b)) => a == b,
            (PathStep::Index(a), PathStep::Index(b))
            | (PathStep::MissingIndex(a), PathStep::MissingIndex(b)) => a == b,
            (PathStep::Key(a), PathStep::Key(b))
            | (PathStep::KeyItself(a), PathStep::KeyItself(b))
            | (PathStep::MissingKey(a), PathStep::MissingKey(b)) => {
                Key::new(a.clone()) == Key::new(b.clone())
            }
            _ => false,
        }
    }
}
impl Eq for PathStep {}

impl fmt::Display for PathStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathStep::Field(name) => write!(f, ".{name}"),
            PathStep::Index(i) => write!(f, "[{i}]"),
            PathStep::Key(k) => write!(f, "[{}]", KeyText(k)),
            PathStep::KeyItself(k) => write!(f, ".key[{}]", KeyText(k)),
            PathStep::MissingIndex(i) => write!(f, "[<missing item at {i}>]"),
            PathStep::MissingKey(k) => write!(f, "[<missing item at {}>]", KeyText(k)),
        }
    }
}

impl PathStep {
    /// Returns the part of `node` that the step leads to.
    pub fn follow(&self, node: &Object) -> Option<Value> {
        match self {
            PathStep::Field(name) => Some(node.field(node.info().field_index(name)?).to_value()),
            PathStep::Index(index) => node.as_node::<ArrayNode>()?.items().get(*index as usize).cloned(),
            PathStep::Key(key) => node.as_node::<MapNode>()?.entries().get(&ByValue(key)).cloned(),
            PathStep::KeyItself(key) => {
                let entries = node.as_node::<MapNode>()?.entries();
                entries.contains_key(&ByValue(key)).then(|| key.clone())
            }
            PathStep::MissingIndex(_) | PathStep::MissingKey(_) => None,
        }
    }

    /// Returns `true` for a part that this side of a comparison lacks.
    pub fn is_missing(&self) -> bool {
        matches!(self, PathStep::MissingIndex(_) | PathStep::MissingKey(_))
    }
}

/// A path in a [`PathTable`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PathId(u32);

impl PathId {
    /// The root.
    pub const ROOT: PathId = PathId(0);

    /// Returns the index of the path in its table; 0 for the root.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Paths as steps linked to their parents.
#[derive(Debug, Default)]
pub struct PathTable {
    steps: Vec<(PathId, PathStep)>,
}

impl PathTable {
    /// Creates a table with the root only.
    pub fn new() -> PathTable {
        PathTable::default()
    }

    /// Appends a step to `parent`. Equal steps get separate ids.
    #[inline]
    pub fn child(&mut self, parent: PathId, step: PathStep) -> PathId {
        self.steps.push((parent, step));
        PathId(self.steps.len() as u32)
    }

    /// Returns the parent of a path and its last step; `None` for the root.
    #[inline]
    pub fn parent(&self, path: PathId) -> Option<(PathId, &PathStep)> {
        let (parent, step) = self.steps.get(path.index().checked_sub(1)?)?;
        Some((*parent, step))
    }

    /// Builds a path.
    pub fn to_path(&self, path: PathId) -> AccessPath {
        let mut steps = Vec::new();
        let mut at = path;
        while let Some((parent, step)) = self.parent(at) {
            steps.push(step.clone());
            at = parent;
        }
        steps.reverse();
        AccessPath { steps }
    }
}

/// A path from a root to a part of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccessPath {
    /// Steps from the root.
    pub steps: Vec<PathStep>,
}

impl AccessPath {
    /// Returns the path of the root.
    pub fn root() -> AccessPath {
        AccessPath::default()
    }

    /// Appends a step.
    #[must_use]
    pub fn then(mut self, step: PathStep) -> AccessPath {
        self.steps.push(step);
        self
    }

    /// Appends a field.
    #[must_use]
    pub fn field(self, name: &'static str) -> AccessPath {
        self.then(PathStep::Field(name))
    }

    /// Appends an element.
    #[must_use]
    pub fn item(self, index: u32) -> AccessPath {
        self.then(PathStep::Index(index))
    }

    /// Appends all steps of another path.
    #[must_use]
    pub fn join(mut self, rest: &AccessPath) -> AccessPath {
        self.steps.extend_from_slice(&rest.steps);
        self
    }

    /// Returns the text, with map keys that are nodes as `key` writes them, e.g. `[Toy.name("main")]`.
    pub fn to_text_with(&self, mut key: impl FnMut(&Object) -> String) -> String {
        let mut out = String::from("<root>");
        for step in &self.steps {
            match step {
                PathStep::Key(Value::Node(node)) if !node.is::<StrNode>() => {
                    out.push_str(&format!("[{}]", key(node)));
                }
                PathStep::MissingKey(Value::Node(node)) if !node.is::<StrNode>() => {
                    out.push_str(&format!("[<missing item at {}>]", key(node)));
                }
                step => out.push_str(&step.to_string()),
            }
        }
        out
    }

    /// Returns the part of `root` that the path leads to.
    pub fn follow(&self, root: &Object) -> Option<Value> {
        let mut at = Value::Node(root.clone());
        for step in &self.steps {
            at = step.follow(at.as_object()?)?;
        }
        Some(at)
    }

    /// Returns `true` if the path leads to a name: a field or entry such as `name_hint` or `global_symbol`.
    pub fn is_of_name(&self) -> bool {
        let name = match self.steps.last() {
            Some(PathStep::Field(name)) => name,
            Some(PathStep::Key(key)) => key.as_str().unwrap_or_default(),
            _ => return false,
        };
        name == "name" || name == "name_hint" || name.ends_with("_name") || name.ends_with("_symbol")
    }

    /// Returns `true` if this path leads to `other` or a part that contains it.
    pub fn is_prefix_of(&self, other: &AccessPath) -> bool {
        other.steps.starts_with(&self.steps)
    }
}

impl fmt::Display for AccessPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<root>")?;
        self.steps.iter().try_for_each(|step| step.fmt(f))
    }
}
