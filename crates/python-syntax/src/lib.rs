//! Python source text to a syntax tree, with recovery from errors and without any knowledge of IR.
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
//! [`Stmt::Invalid`](ast::Stmt::Invalid), every error is in [`ParsedPython::errors`]. Comments are kept apart from the tree.

pub mod ast;
mod identifier;
mod parser;
pub mod prescan;

pub use identifier::is_identifier;
pub use parser::{
    Backend, MAX_TEXT_BYTES, Nesting, ParsedPython, PythonOptions, SyntaxError, SyntaxErrorKind,
    parse_python, parse_python_bytes,
};
