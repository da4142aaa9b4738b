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

use crate::access_path::{AccessPath, NodeSearch};
use crate::containers::TensorNode;
use crate::raw::Object;
use crate::value::FieldError;

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
    NodeSearch { limit, derived: true }
        .run(root, |node| node.check().is_err())
        .into_iter()
        .filter_map(|(node, path)| Some(Violation { path, error: node.check().err()?, span: node.span() }))
        .collect()
}

/// Checks a tensor: a valid element type, no negative dimension, and the number of bytes that the shape requires.
pub(crate) fn check_tensor(tensor: &TensorNode) -> Checked {
    if !tensor.dtype.is_valid() || tensor.dtype.lanes <= 0 {
        return Err(Invalid::at("dtype", format_args!("`{}` is not an element type", tensor.dtype)));
    }
    if let Some(dim) = tensor.shape.iter().find(|dim| **dim < 0) {
        return Err(Invalid::at("shape", format_args!("dimension {dim} is negative")));
    }
    let Some(found) = tensor.data.byte_count() else { return Ok(()) };
    let expected = crate::tensor::byte_count(&tensor.shape, tensor.dtype);
    if expected != Some(found) {
        let (shape, dtype) = (&tensor.shape, tensor.dtype);
        let expected = expected.map_or("more than memory holds".to_owned(), |count| count.to_string());
        let reason = format!("{found} bytes, but shape {shape:?} of `{dtype}` takes {expected}");
        return Err(Invalid::at("data", reason));
    }
    Ok(())
}
