//! Parser of scripts: from Python syntax to builder calls of any registered dialect.
//!
//! [`parse_script`] parses a text. Dialects register the meaning of statements, decorators and operators with
//! [`ParseDialect`]; their handlers work with a [`Parser`]. Evaluation of Python code is in
//! [`tvmscript_script_eval`]; the types of it that occur in signatures of handlers are re-exported here.
//!
//! ```
//! use tvmscript_ir_core::{Dialect, RegistryBuilder};
//! use tvmscript_script_parser::{ParseDialect as _, ParseOptions, parse_script};
//!
//! let dialect = Dialect::new("toy").namespace(&["Y"]);
//! let registry = RegistryBuilder::new().with(dialect).build().expect("a single dialect");
//! let text = "@Y.unknown\ndef f():\n    pass\n";
//! let parsed = parse_script("f.py", text, &registry, &ParseOptions::default());
//! assert_eq!(parsed.errors[0].to_string(), "the dialect `toy` has no attribute `unknown`");
//! ```
//!
//! Errors are values: [`Parsed::errors`] and [`Parsed::warnings`]. `render` and `reports` of `tvmscript_diagnostics`
//! show them in the text for people, and list them with line, column and code for programs:
//!
//! ```
//! # use tvmscript_ir_core::{Dialect, RegistryBuilder};
//! # use tvmscript_script_parser::{ParseDialect as _, ParseOptions, parse_script};
//! use tvmscript_diagnostics::{render, reports};
//!
//! # let dialect = Dialect::new("toy").namespace(&["Y"]);
//! # let registry = RegistryBuilder::new().with(dialect).build().expect("a single dialect");
//! # let text = "@Y.unknown\ndef f():\n    pass\n";
//! # let parsed = parse_script("f.py", text, &registry, &ParseOptions::default());
//! let color = false;
//! print!("{}", render(&parsed.errors, "f.py", text, color));
//! let first = &reports(&parsed.errors, text)[0];
//! assert_eq!((first.start.line, first.code), (1, "E0203"));
//! ```
//!
//! Printing is in `tvmscript-docsifier`, comparison (`structural_equal`, `mismatches`) in `tvmscript-ir-core`. The tests
//! of `tests/circuit-dialect` in the repository combine them: they parse, render errors, print, read back and list
//! mismatches. `examples/steps.rs` defines a dialect with a decorator: `cargo run -p tvmscript-script-parser --example
//! steps`.
#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

mod comments;
pub mod defaults;
mod errors;
mod header;
mod parser;
mod release;
mod scope;
mod table;

pub use errors::{ParseError, ParseErrorKind};
pub use header::{Header, HeaderError, ReaderOption};
pub use parser::{
    Binder, CaptureRule, Decorator, Expansion, Globals, HostBuilder, ModuleLoader, ModuleText, Namespace,
    OpenScope, Operations, ParseOptions, Parsed, Parser, Script, UnknownFunctions, is_type_variable,
    parse_script,
};
pub use release::detect_release;
pub use scope::Shadowing;
pub use table::{
    DeclareFn, DecoratorRule, DefineFn, Definition, DescribedFn, ExpandFn, FragmentReader, LocalFunctionHook,
    Member, ModuleMember, NodeClass, ParseDialect, ParserFn, Parsers, Provided, PythonModule, ScopeFn,
    Statement, TextRulesFn, UnknownFn, WholeTextReader, unknown_value,
};
pub use tvmscript_script_eval::{
    EvalErrorKind, EvalResult, HostCode, Indices, Limits, Mode, NodeRules, Operator, Reported,
};
