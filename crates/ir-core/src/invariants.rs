//! Invariants between the fields of a node.
//!
//! A node declares its invariants as a function, `#[node(check = path)]`. It runs whenever reflection constructs the
//! node (JSON, [`crate::TypeInfo::construct`]), after [`crate::mutate()`] changed it, and in [`violations`]. Struct
//! literals are not checked; constructors of dialects call the same function.
//!
//! ```
//! use tvmscript_ir_core::invariants::{Checked, Invalid};
//! use tvmscript_ir_core::{Class, Node, Object, Ref, Value};
//!
//! /// A half-open interval.
//! #[derive(Debug, Clone, Node)]
//! #[node(key = "doc.Interval", check = Interval::check)]
//! struct Interval {
//!     start: i64,
//!     end: i64,
//! }
//!
//! impl Interval {
//!     fn check(&self) -> Checked {
//!         match self.start <= self.end {
//!             true => Ok(()),
//!             false => Err(Invalid::at("end", format!("{} is before the start, {}", self.end, self.start))),
//!         }
//!     }
//! }
//!
//! let info = Interval::type_info();
//! assert!(info.construct(vec![Value::Int(1), Value::Int(2)]).is_ok());
//! let error = info.construct(vec![Value::Int(2), Value::Int(1)]).unwrap_err();
//! assert_eq!(error.to_string(), "field `end` of `doc.Interval` is invalid: 1 is before the start, 2");
//!
//! let wrong: Object = Ref::new(Interval { start: 2, end: 1 }).into();
//! assert_eq!(tvmscript_ir_core::invariants::violations(&wrong, 10).len(), 1);
//! ```

use std::fmt::Display;

use crate::access_path::{AccessPath, PathId, PathStep, PathTable};
use crate::containers::TensorNode;
use crate::raw::Object;
use crate::shared::Visited;
use crate::type_table::Shape;
use crate::value::{FieldError, FieldRef, Value};

/// Result of checking a node.
pub type Checked = Result<(), Invalid>;

/// A broken invariant of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    field: &'static str,
    reason: String,
}

impl Invalid {
    /// The value of `field` contradicts other fields or is out of range.
    #[cold]
    pub fn at(field: &'static str, reason: impl Display) -> Invalid {
        Invalid { field, reason: reason.to_string() }
    }

    /// Converts into the error for a node of type `key`.
    #[cold]
    pub(crate) fn of(self, key: &'static str) -> FieldError {
        let Invalid { field, reason } = self;
        FieldError::Invalid { key, field, reason }
    }
}

/// A broken invariant in a graph.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}, at `{path}`")]
pub struct Violation {
    /// Path from the root to the node.
    pub path: AccessPath,
    /// Broken invariant.
    pub error: FieldError,
    /// Span of the node.
    pub span: crate::span::Span,
}

/// Returns up to `limit` broken invariants of the graph, in the order of a walk that visits shared nodes once.
pub fn violations(root: &Object, limit: usize) -> Vec<Violation> {
    // Tracks paths only if there is a violation.
    let first = Checker { paths: None, limit: limit.min(1), ..Checker::default() };
    if first.run(root).is_empty() {
        return Vec::new();
    }
    Checker { paths: Some(PathTable::new()), limit, ..Checker::default() }.run(root)
}

/// A walk, with or without paths.
#[derive(Default)]
struct Checker<'a> {
    paths: Option<PathTable>,
    limit: usize,
    stack: Vec<(&'a Object, PathId)>,
    visited: Visited,
}

impl<'a> Checker<'a> {
    fn run(mut self, root: &'a Object) -> Vec<Violation> {
        let mut found = Vec::new();
        self.stack.push((root, PathId::ROOT));
        while let Some((object, path)) = self.stack.pop() {
            if found.len() >= self.limit {
                break;
            }
            if !self.visited.is_first(object) {
                continue;
            }
            if let Err(error) = object.check() {
                let path = self.paths.as_ref().map(|paths| paths.to_path(path)).unwrap_or_default();
                found.push(Violation { path, error, span: object.span() });
            }
            let before = self.stack.len();
            self.children(object, path);
            // The first child is popped first.
            self.stack[before..].reverse();
        }
        found
    }

    fn children(&mut self, object: &'a Object, path: PathId) {
        match object.info().shape() {
            Shape::Fields => {
                for (index, field) in object.info().fields().iter().enumerate() {
                    if let FieldRef::Node(child) = object.field(index) {
                        self.enter(path, || PathStep::Field(field.name), child);
                    }
                }
            }
            Shape::Array => {
                let items = object.array_items();
                for (index, item) in items.iter().enumerate() {
                    if let Value::Node(child) = item {
                        self.enter(path, || PathStep::Index(index as u32), child);
                    }
                }
            }
            Shape::Map => {
                for (key, value) in object.map_entries() {
                    for child in [key, value].into_iter().filter_map(Value::as_object) {
                        self.enter(path, || PathStep::Key(key.clone()), child);
                    }
                }
            }
            Shape::Str | Shape::Tensor => {}
        }
    }

    fn enter(&mut self, parent: PathId, step: impl FnOnce() -> PathStep, child: &'a Object) {
        if child.info().shape() != Shape::Str {
            let path = self.paths.as_mut().map_or(PathId::ROOT, |paths| paths.child(parent, step()));
            self.stack.push((child, path));
        }
    }
}

/// Checks a tensor: a valid element type, no negative dimension, and the number of bytes that the shape requires.
pub(crate) fn check_tensor(tensor: &TensorNode) -> Checked {
    if !tensor.dtype.is_valid() || tensor.dtype.lanes <= 0 {
        return Err(Invalid::at("dtype", format_args!("`{}` is not an element type", tensor.dtype)));
    }
    if let Some(dim) = tensor.shape.iter().find(|dim| **dim < 0) {
        return Err(Invalid::at("shape", format_args!("dimension {dim} is negative")));
    }
    let Some(bytes) = tensor.bytes() else { return Ok(()) };
    let expected = crate::tensor::byte_count(&tensor.shape, tensor.dtype);
    if expected != Some(bytes.len()) {
        let found = bytes.len();
        let (shape, dtype) = (&tensor.shape, tensor.dtype);
        let expected = expected.map_or("more than memory holds".to_owned(), |count| count.to_string());
        let reason = format!("{found} bytes, but shape {shape:?} of `{dtype}` takes {expected}");
        return Err(Invalid::at("data", reason));
    }
    Ok(())
}
