//! JSON of graphs: the [`native`] form, and building blocks for other forms.
//!
//! A form is a flat list of nodes, each of which occurs once, so loading takes time linear in the text regardless of
//! depth and sharing. Each node must be of the class that its field requires and satisfy its invariants
//! ([`crate::invariants`]); otherwise loading fails with the path and position of the first that does not. A byte
//! order mark is skipped.
//!
//! Other crates define further forms with [`scan`], [`emit`], [`base64`], [`JsonError`] and the [`limits`]. serde_json
//! reads and writes the native form. [`scan`] and [`emit`] do not use it, because the other forms need not be strict
//! JSON: they may have the bare tokens `NaN` and `Infinity`, and a spelling that is to be reproduced to the byte.
//!
//! ```
//! use tvmscript_ir_core::json::{self, JsonErrorKind};
//! use tvmscript_ir_core::{Dialect, Node, Ref, RegistryBuilder, Value};
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
//!
//! let text = json::native::save(&list.into());
//! let read = json::native::load(&text, &registry)?;
//! let cell = read.as_object().and_then(|node| node.as_node::<Cell>()).expect("a cell was saved");
//! assert_eq!((cell.number, cell.next.as_ref().map(|next| next.number)), (1, Some(2)));
//!
//! let error = json::native::load(&text.replace("\"number\":2", "\"number\":true"), &registry).unwrap_err();
//! assert_eq!(error.path, "$.nodes[0].fields.number");
//! assert_eq!(error.kind.to_string(), "field `number` of `doc.Cell` takes an int, not bool");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod base64;
mod description;
pub mod emit;
mod error;
pub mod limits;
pub mod native;
pub mod scan;
mod unknown;

pub use description::check_description;
pub use error::{JsonError, JsonErrorKind, SaveError};
pub use unknown::{UnknownGraph, UnknownNode, UnknownTypes, unknown_types};
