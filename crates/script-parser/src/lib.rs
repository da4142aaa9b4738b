//! From a syntax tree to builder calls.
//!
//! [`parse_script`] runs the whole way from text: dialects say in a registry what their statements, decorators and operators build
//! ([`ParseDialect`]); their handlers work with a [`Parser`].

mod header;
mod parser;
mod scope;
pub mod table;

pub use header::{Header, HeaderError, ReaderOption};
pub use parser::{Binder, Decorator, Namespace, ParseOptions, Parsed, Parser, Script, parse_script};
pub use scope::Shadowing;
pub use table::{
    DecoratorRule, Definition, FragmentReader, Indices, Mode, Operator, ParseDialect, Parsers, Statement,
};
pub use tvmscript_script_eval::errors;
pub use tvmscript_script_eval::{
    HostError, HostErrorKind, Label, Limits, ParseError, ParseErrorKind, Reported, Result, Severity,
    parameter_names,
};
