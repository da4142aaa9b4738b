//! Conversion of IR nodes to docs and text: printer table, dispatch tokens, frames, names and configuration.
//!
//! A printer (handler) is a function from a node, its path and the [`Docsifier`] to a doc. It is registered for a node type
//! under the default token, or under one token only. Lookup tries (current token, exact type), then (default token, exact
//! type); a node without printer becomes a reference into the metadata section.
//!
//! ```
//! use tvmscript_docsifier::{DocsifyDialect, PrinterConfig, print};
//! use tvmscript_ir_core::{Dialect, Node, Object, Ref, RegistryBuilder};
//!
//! /// A constant.
//! #[derive(Debug, Clone, Node)]
//! #[node(key = "toy.Const")]
//! struct Const {
//!     value: i64,
//! }
//!
//! let toy = Dialect::new("toy")
//!     .alias("toy")
//!     .node::<Const>()
//!     .docsify(|node: &Ref<Const>, _, d| {
//!         let callee = d.prefixed("toy", "const");
//!         let value = d.docs.int(node.value);
//!         Ok(d.docs.call_args(callee, &[value]))
//!     })
//!     .finish();
//! let registry = RegistryBuilder::new().with(toy).build()?;
//! let node = Object::from(Ref::new(Const { value: 3 }));
//! assert_eq!(print(&node, &registry, &PrinterConfig::default())?, "toy.const(3)");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `examples/toy.rs` declares variables and prints a graph that shares nodes:
//! `cargo run -p tvmscript-docsifier --example toy`.
//!
//! Printing takes one pass. What a printer needs to know in advance comes from `analysis`; a name conflict that cannot be
//! resolved is an error ([`DocsifyError::DefinedTwice`], [`DocsifyError::TakenWord`]; of prefixes and aliases [`DocsifyError::NameClash`]). No dialect
//! is known here.

#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

mod analysis;
mod config;
mod definitions;
mod diagnose;
mod dispatch;
mod docsifier;
mod error;
mod frame;
mod labels;
mod list;
mod mapped;
mod margins;
mod messages;
mod metadata;
pub mod names;
mod options;
mod path_index;
mod plain;
mod preamble;
mod prefixes;
mod script;
mod shared;
mod stmts;
mod table;
mod words;

pub use config::{DialectOptions, NodeCallback, PrinterConfig};
pub use diagnose::{DiagnosticOptions, SourceFiles, SourceTexts, render_diagnostics};
pub use docsifier::{DocFactory, Docsifier, field_value, text_of};
pub use error::{DocsifyError, DocsifyResult};
pub use frame::{ExitCallback, Frame};
pub use labels::{NodeLabels, exceeds_unfolded_size};
pub use mapped::{MappedText, print_mapped, print_mapped_at};
pub use options::{HeaderValue, OptionArgument, PrinterOption};
pub use path_index::PathIndex;
pub use plain::{NodeField, PrintField, Signature};
pub use script::{PrintedText, doc_json, expr_text, print, print_text, script};
pub use stmts::Stmts;
pub use table::{DataPrinter, DocsifyDialect, MapPrinter, Printed, PrinterTable, Printers};
pub use tvmscript_doc as doc;

/// Items that [`printers!`] uses.
#[doc(hidden)]
pub mod __private {
    pub use tvmscript_ir_core::Ref;
}
