//! Immutable, reference-counted nodes of a compiler IR, with reflection.
//!
//! A node is a plain struct with `#[derive(Node)]`. A handle ([`Ref`]) is thin, counted and immutable; identity is
//! the pointer. Walks, equality, hash, JSON and dumps work by reflection, so they apply to third-party nodes and to
//! types registered at run time. The crate contains no dialect and no Python.
//!
//! ```
//! use tvmscript_ir_core::{Class, Node, Ref, Span, Str};
//!
//! /// The class of shapes.
//! #[derive(Class)]
//! #[class(key = "doc.Figure")]
//! struct Figure(());
//!
//! /// A named circle.
//! #[derive(Debug, Clone, Node)]
//! #[node(key = "doc.Circle", parent = Figure)]
//! struct Circle {
//!     radius: i64,
//!     label: Str,
//!     span: Span,
//! }
//!
//! let circle: Ref<Figure> = Ref::new(Circle { radius: 2, label: "c".into(), span: Span::UNKNOWN }).upcast();
//! assert_eq!(circle.as_node::<Circle>().map(|c| c.radius), Some(2));
//! ```
//!
//! `examples/expressions.rs` declares a dialect, folds constants, compares, and saves JSON:
//! `cargo run -p tvmscript-ir-core --example expressions`.

#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

extern crate self as tvmscript_ir_core;

mod raw;

pub mod access_path;
pub mod arithmetic;
mod children;
pub mod containers;
pub mod diagnostic;
pub mod digest;
pub mod dtype;
pub mod dump;
mod dynamic;
pub mod element;
pub mod equal;
pub mod fallible;
pub mod fresh;
pub mod hash;
pub mod invariants;
pub mod json;
pub mod mutate;
pub mod names;
pub mod node;
pub mod operators;
pub mod ptr_map;
pub mod registry;
pub mod release;
pub mod session;
pub mod shared;
pub mod small_float;
pub mod span;
pub mod stack;
pub mod tensor;
pub mod text_rules;
pub mod type_table;
pub mod use_def;
pub mod use_scopes;
pub mod value;
pub mod vectors;
pub mod view;
pub mod visit;

pub use access_path::{AccessPath, NodeSearch, PathError, PathId, PathStep, PathTable};
pub use children::{for_each_child, for_each_own_child};
pub use containers::Tensor;
pub use diagnostic::{Diagnostic, ErrorCode};
pub use dtype::{DataType, TypeCode};
pub use dynamic::{Content, DynamicCheck, DynamicField, DynamicType, Origin};
pub use element::Element;
pub use equal::{Mismatch, MismatchKind, StructuralEqual, mismatches, structural_equal};
pub use fresh::{copy_fresh, free_variables};
pub use hash::{StructuralHash, structural_hash};
pub use mutate::{
    Descend, Mutator, RewriteError, TryMutator, mutate, post_order_mutate, substitute, try_mutate,
    try_post_order_mutate,
};
pub use node::{Class, Node, SubclassOf};
pub use operators::{IntoOperand, Operand, PoisonNode};
pub use ptr_map::{PtrMap, PtrSet, Structural, StructuralMap, ptr_map};
pub use raw::{
    ALIGNMENT_BYTES, AlignedBytes, Array, Map, MapPart, NameCell, NodeId, NodeSlot, Object, ObjectLike, Ref,
    Str, node_bytes_made,
};
#[cfg(feature = "mimalloc")]
pub use raw::{NodeAllocator, OutOfMemoryHandler, set_out_of_memory_handler};
pub use registry::{
    Dialect, Registry, RegistryBuilder, RegistryError, RegistryErrors, Resolver, Slot, Token,
};
pub use release::{Release, Syntax};
pub use session::{Limits, Session};
pub use span::{
    CurrentSpan, OpenCall, SourceComments, SourceGuard, SourceId, SourceTexts, Span, SpanKind, SpanMark,
    nodes_where_span,
};
pub use stack::with_stack;
pub use tensor::{ContentHash, Elided, TensorData};
pub use text_rules::{Folding, TextRules, TextScope};
pub use tvmscript_ir_macros::{Class, Node};
pub use type_table::{EqKind, FieldInfo, TypeInfo};
pub use use_def::UseDef;
pub use value::{Field, FieldError, FieldRef, Fields, IntField, Value};
pub use visit::{
    TreeSize, Visitor, Walk, any_node, post_order_visit, pre_order_visit, pre_post_order_visit, tree_size,
    visit_nodes,
};
