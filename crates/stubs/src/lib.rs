//! Python stubs, hover data and reference pages from the declarations of script functions.
//!
//! Dialects register each function with its signature, types and documentation. [`stubs`] writes them as a tree of
//! `.pyi` files, [`reference`](fn@reference) lists them as data. Nothing is listed a second time: a dialect of another
//! crate in the same registry is part of both.
//!
//! ```
//! # use tvmscript_ir_core::RegistryBuilder;
//! use tvmscript_stubs::{Layout, reference, stubs};
//!
//! let registry = RegistryBuilder::new().with(tvmscript_circuit_dialect::dialect()).build().unwrap();
//! let files = stubs(&registry, Layout::Sources);
//! let circuit = files.iter().find(|file| file.path == "netlist/circuit/__init__.pyi").unwrap();
//! assert!(circuit.text.contains("def xor(a: _circuit_nodes.Wire, b: _circuit_nodes.Wire)"), "{}", circuit.text);
//!
//! let entries = reference(&registry);
//! let xor = entries.iter().find(|entry| entry.name == "C.xor").unwrap();
//! assert_eq!(xor.signature, "C.xor(a: Wire, b: Wire) -> Wire");
//! assert_eq!(xor.doc, "The exclusive disjunction of two wires.");
//! ```
//!
//! # Type checkers and scripts
//!
//! The annotations of a script are calls, which no type checker accepts as types. Decorators of functions are therefore
//! `typing.no_type_check` in the stubs: annotations and body belong to the script's own checker. [`tools`](fn@tools) gives plugins and
//! settings for what stubs cannot say.
#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

mod classes;
mod function;
mod item;
mod module;
mod package;
mod reference;
mod tools;

pub use package::{Layout, StubFile, stubs};
pub use reference::{Entry, EntryKind, Parameter, page, reference, to_json, to_markdown};
pub use tools::tools;
