//! From a syntax tree to builder calls.
//!
//! [`parse_script`] runs the whole way from text: dialects say in a registry what their statements, decorators and operators build
//! ([`ParseDialect`]); their handlers work with a [`Parser`].

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
};
