//! From text to builder calls: our own Python syntax tree, and what walks it.
//!
//! ```
//! use tvmscript_script_parser::ast::{Expr, Stmt};
//! use tvmscript_script_parser::python::{PythonOptions, parse_python};
//!
//! let parsed = parse_python("x = a + 1\n", &PythonOptions::default());
//! assert!(parsed.errors.is_empty());
//! let Stmt::Assign(assign) = parsed.ast.stmt(parsed.ast.module_body()[0]) else { panic!() };
//! let Expr::BinOp { left, .. } = parsed.ast.expr(assign.value) else { panic!() };
//! assert_eq!(parsed.ast.range(*left).to_usize(), 4..5);
//! ```
//!
//! [`parse_script`] runs the whole way: dialects say in a registry what their statements, decorators and operators build
//! ([`ParseDialect`]); their handlers work with a [`Parser`].

pub mod ast;
pub mod prescan;
pub mod python;

pub mod errors;
mod eval;
mod header;
mod host;
mod parser;
mod scope;
pub mod table;

pub use errors::{HostError, HostErrorKind, Label, ParseError, ParseErrorKind, Reported, Result, Severity};
pub use eval::parameter_names;
pub use header::{Header, HeaderError, ReaderOption};
pub use parser::{Binder, Decorator, Namespace, ParseOptions, Parsed, Parser, Script, parse_script};
pub use scope::Shadowing;
pub use table::{
    DecoratorRule, Definition, FragmentReader, Indices, Mode, Operator, ParseDialect, Parsers, Statement,
    Token,
};
