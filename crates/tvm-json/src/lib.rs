//! TVM's JSON graph format, the output of `tvm.ir.save_json`.
//!
//! A text is `{"root_index": n, "nodes": [..], "metadata": {"tvm_version": ..}}` (the metadata have the descriptions of dialects
//! that were registered at run time, too) with nodes `{"type": key, "data":
//! ..}` in post-order. The data of a node with fields is an object: ints, floats, bools and dtypes inline, other
//! values by index; an absent value is the index of a node of type `None`. Equal strings, boxed numbers and absent
//! values occur once. Other types have special data: arrays and maps (keys and values alternating) a list of indices,
//! strings their text, shapes their integers, tensors base64, and types identified by name
//! ([`TypeInfo::by_name`](tvmscript_ir_core::TypeInfo::by_name)) the name.
//!
//! [`TvmJsonVersion`] describes a release of the format. Where its nodes have other types and fields than those of the
//! dialects here, the graph is translated as data, with the places of errors in the original text. The format is not strict JSON: `NaN`, `Infinity` and
//! `-Infinity` are bare tokens. [`load_any`] also accepts the project's [native](tvmscript_ir_core::json::native)
//! form.
//!
//! ```
//! use tvmscript_ir_core::{Dialect, Node, Ref, RegistryBuilder};
//!
//! /// A linked list.
//! #[derive(Debug, Clone, Node)]
//! #[node(key = "doc.Cell")]
//! struct Cell {
//!     number: i64,
//!     next: Option<Ref<Cell>>,
//! }
//!
//! let registry = RegistryBuilder::new().with(Dialect::new("doc").node::<Cell>()).build()?;
//! let list = Ref::new(Cell { number: 1, next: Some(Ref::new(Cell { number: 2, next: None })) });
//! let text = tvmscript_tvm_json::save(&list.into())?;
//! assert!(text.starts_with("{\n  \"root_index\": 2,"));
//! let read = tvmscript_tvm_json::load(&text, &registry)?;
//! let cell = read.as_object().and_then(|node| node.as_node::<Cell>()).expect("a cell was saved");
//! assert_eq!(cell.next.as_ref().map(|next| next.number), Some(2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A graph with nodes of types that no dialect declares can be kept ([`load_keeping`]): its nodes come first in whatever
//! is saved with them, under their old numbers.
//!
//! Upstream counterpart: `src/ffi/extra/serialization.cc` of tvm-ffi.

#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

mod form;
mod graph;
mod legacy;
mod load;
mod metadata;
mod save;
mod tensor;
mod translate;
mod version;

pub use form::{Form, detect, load_any, load_any_version, load_section};
pub use load::{load, load_keeping, load_legacy, load_version};
pub use save::{ExtraField, SaveOptions, save, save_with};
pub use version::{PlainNumbers, TvmJsonDialect, TvmJsonVersion, TypeKeys, TypesAsNodes};
