//! Invariants of nodes: what must hold between the fields of one node, beyond the classes of the fields.
//!
//! A node declares its invariants once, as a function: `#[node(check = path)]`. The function runs whenever reflection
//! makes the node (JSON, [`crate::TypeInfo::construct`]), after a [`crate::mutate()`] walk changed it, and in
//! [`violations`], which checks a whole graph. Literals of the Rust struct are not checked: constructors of dialects
//! are, by calling the same function.
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
use crate::containers::{ArrayNode, MapNode, TensorNode};
use crate::ptr_map::AddressMap;
use crate::raw::Object;
use crate::type_table::Shape;
use crate::value::{FieldError, FieldRef, Value};

/// The result of checking one node.
pub type Checked = Result<(), Invalid>;

/// A broken invariant of one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    field: &'static str,
    reason: String,
}

impl Invalid {
    /// A field that contradicts others, or that is out of range.
    #[cold]
    pub fn at(field: &'static str, reason: impl Display) -> Invalid {
        Invalid { field, reason: reason.to_string() }
    }

    /// The error for a node of the type `key`.
    #[cold]
    pub(crate) fn of(self, key: &'static str) -> FieldError {
        let Invalid { field, reason } = self;
        FieldError::Invalid { key, field, reason }
    }
}

/// A node of a graph whose invariants do not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}, at `{path}`")]
pub struct Violation {
    /// The path from the root to the node.
    pub path: AccessPath,
    /// The broken invariant.
    pub error: FieldError,
    /// The node's place in its source.
    pub span: crate::span::Span,
}

/// The broken invariants of all nodes below `root`, in the order of a walk, at most `limit`. Visits shared nodes once.
pub fn violations(root: &Object, limit: usize) -> Vec<Violation> {
    // Paths only for a graph that has a mistake.
    let first = Walk { paths: None, limit: limit.min(1), ..Walk::default() };
    if first.run(root).is_empty() {
        return Vec::new();
    }
    Walk { paths: Some(PathTable::new()), limit, ..Walk::default() }.run(root)
}

/// A walk over a graph, with or without paths.
#[derive(Default)]
struct Walk<'a> {
    paths: Option<PathTable>,
    limit: usize,
    stack: Vec<(&'a Object, PathId)>,
    seen: AddressMap<()>,
}

impl<'a> Walk<'a> {
    fn run(mut self, root: &'a Object) -> Vec<Violation> {
        let mut found = Vec::new();
        self.stack.push((root, PathId::ROOT));
        while let Some((object, path)) = self.stack.pop() {
            if found.len() >= self.limit {
                break;
            }
            // Only a node with several handles can come up again.
            if !object.is_unique() && self.seen.insert(object.address(), ()).is_some() {
                continue;
            }
            if let Err(error) = object.check() {
                let path = self.paths.as_ref().map(|paths| paths.to_path(path)).unwrap_or_default();
                found.push(Violation { path, error, span: object.span() });
            }
            let before = self.stack.len();
            self.children(object, path);
            // A stack meets the last one first.
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
                let items = object.as_node::<ArrayNode>().map_or(&[][..], ArrayNode::items);
                for (index, item) in items.iter().enumerate() {
                    if let Value::Node(child) = item {
                        self.enter(path, || PathStep::Index(index as u32), child);
                    }
                }
            }
            Shape::Map => {
                for (key, value) in object.as_node::<MapNode>().into_iter().flat_map(MapNode::entries) {
                    for child in [key.value(), value].into_iter().filter_map(Value::as_object) {
                        self.enter(path, || PathStep::Key(key.value().clone()), child);
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

/// The invariants of a tensor: a type that elements can have, no negative dimension, and as many bytes as the shape
/// needs.
pub(crate) fn check_tensor(tensor: &TensorNode) -> Checked {
    if !tensor.dtype.is_valid() || tensor.dtype.lanes <= 0 {
        return Err(Invalid::at("dtype", format_args!("`{}` is no element type", tensor.dtype)));
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
