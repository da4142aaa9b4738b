//! TVM's JSON: a graph of nodes in post-order, as `tvm.ir.save_json` writes it.
//!
//! `{"root_index": n, "nodes": [..], "metadata": {"tvm_version": ..}}`. A node is `{"type": key, "data": ..}`. The data of a
//! node with fields is an object: ints, floats, bools and dtypes inline, everything else by index; a missing value is the
//! index of the node `None`. Equal strings, boxed numbers and absent values occur once, other nodes once per object.
//! Some types have other data: an array and a map (keys and values in turn) their indices, a string its text, a shape its
//! integers, a tensor its bytes in base64, and a node known by its name
//! ([`TypeInfo::by_name`](tvmscript_ir_core::TypeInfo::by_name)) the name.
//!
//! Differences between releases of TVM are data: [`TvmJsonVersion`]. The format is not strict JSON: `NaN`, `Infinity` and
//! `-Infinity` are bare tokens.
//!
//! [`load_any`] reads this format and the project's [native](tvmscript_ir_core::json::native) one.
//!
//! ```
//! use tvmscript_ir_core::{Dialect, Node, Ref, RegistryBuilder};
//!
//! /// A number and what comes after it.
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
//! Upstream counterpart: `src/ffi/extra/serialization.cc` of tvm-ffi.

mod form;
mod load;
mod save;
mod tensor;
mod version;

pub use form::{Form, detect, load_any};
pub use load::{load, load_version};
pub use save::{ExtraField, SaveOptions, save, save_with};
pub use version::{TvmJsonVersion, TypeKeys};
