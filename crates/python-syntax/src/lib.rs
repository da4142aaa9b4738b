//! Parser from Python source text to a syntax tree, with error recovery and without any knowledge of IR.
//!
//! ```
//! use tvmscript_python_syntax::ast::{Expr, Stmt};
//! use tvmscript_python_syntax::{PythonOptions, parse_python};
//!
//! let parsed = parse_python("x = a + 1\n", &PythonOptions::default());
//! assert!(parsed.errors.is_empty());
//! let Stmt::Assign(assign) = parsed.ast.stmt(parsed.ast.module_body()[0]) else { panic!() };
//! let Expr::BinOp { left, .. } = parsed.ast.expr(assign.value) else { panic!() };
//! assert_eq!(parsed.ast.range(*left).to_usize(), 4..5);
//! ```
//!
//! [`parse_python`] never fails as a whole: statements with syntax errors become
//! [`Stmt::Invalid`](ast::Stmt::Invalid), and [`ParsedPython::errors`] lists all errors. Comments are not part of the
//! tree.
#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

pub mod ast;
mod byte_table;
mod identifier;
mod parser;
pub mod prescan;
pub mod walk;

pub use identifier::{is_identifier, is_keyword};
pub use parser::{
    Backend, MAX_TEXT_BYTES, Nesting, ParsedPython, PythonOptions, SyntaxError, SyntaxErrorKind,
    parse_python, parse_python_bytes,
};
