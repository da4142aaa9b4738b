//! Syntax as data, and its printers.
//!
//! An IR node is first converted to docs: expressions, statements, functions and classes that are independent of the
//! target language. A printer then writes the docs as text; [`python`] is the one for Python. Docs live in a
//! [`DocArena`], one per print, and are handled as small ids.
//!
//! ```
//! use tvmscript_doc::{BinaryOp, DocArena, python};
//!
//! let mut docs = DocArena::new();
//! let (a, b, two) = (docs.id("a"), docs.id("b"), docs.int(2));
//! let sum = docs.binary(BinaryOp::Add, b, two);
//! let product = docs.binary(BinaryOp::Mult, a, sum);
//! let target = docs.id("c");
//! let stmt = docs.bind(target, product);
//! let text = python::print(&docs, stmt, &python::PythonOptions::default())?;
//! assert_eq!(text, "c = a * (b + 2)");
//! # Ok::<(), tvmscript_doc::PrintError>(())
//! ```
//!
//! This crate knows syntax but no dialect: `Toy.trace` is a name, an attribute and a call. Names are neither generated nor
//! checked.
//!
//! Invariant: a doc refers only to earlier docs, and nothing recurses over docs, so depth costs heap only.
//!
//! Upstream counterpart: `include/tvm/script/printer/doc.h` and `src/script/printer/doc_printer`.

#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

mod arena;
mod build_expr;
mod build_stmt;
mod decorate;
mod dense;
mod dump;
mod element;
mod error;
mod expr;
mod layout;
mod margin;
mod marks;
mod operation;
mod stmt;
mod sym;

pub mod builder;
pub mod python;

pub use arena::DocArena;
pub use build_stmt::FunctionParts;
pub use error::{DocError, PrintError};
pub use expr::{ByteText, Call, CallId, Expr, ExprDoc, ExprList, KwargList, ScriptFnId, SliceDoc, Subscript};
pub use margin::Margin;
pub use marks::{LocatedPart, MapEntry, SourceMap};
pub use operation::{BinaryOp, OperationKind, UnaryOp};
pub use stmt::{Doc, DocRef, Function, FunctionId, Stmt, StmtDoc, StmtList, StmtRole};
pub use sym::{Name, Sym};
pub use tvmscript_ir_core::{AccessPath, PathId, PathStep, PathTable};
