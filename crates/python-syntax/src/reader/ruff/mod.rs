//! The second backend, behind the feature `ruff`: the republished parser of ruff.
//!
//! The foreign tree is consumed as it is converted, as in the default backend. That parser recurses itself for
//! everything but chains, which the stack of [`parse_python`](super::parse_python) is sized for; it goes on after an
//! error, of which we take the first: later ones may follow from it. Targets that cannot be assigned to it reports
//! as errors; those we leave to the check that both backends share.

mod expr;
mod failure;
mod stmt;

use rustpython_ruff_python_ast as py;
use rustpython_ruff_python_parser as parser;
use rustpython_ruff_text_size::Ranged;

use parser::{Mode, ParseErrorType, ParseOptions};

use super::Failure;
use super::sink::Sink;
use crate::ast::{BinOp, StmtId};

/// Parses a piece of text; its statements, or the first error with the position in the text that was parsed.
pub(super) fn parse(sink: Sink<'_>) -> Result<Vec<StmtId>, Failure> {
    let mut module = foreign(sink.text)?;
    if sink.frame.is_nested {
        module = match module.pop() {
            Some(py::Stmt::If(outer)) if module.is_empty() => outer.body,
            _ => return Err(Failure::of_parser()),
        };
    }
    let mut converter = Converter { sink, spine: Vec::new() };
    let mut body = Vec::with_capacity(module.len());
    for stmt in module {
        body.push(converter.stmt(stmt));
    }
    Ok(body)
}

/// Parses a text and throws the tree away.
pub(super) fn check(text: &str) -> Result<(), Failure> {
    foreign(text).map(drop)
}

fn foreign(text: &str) -> Result<Vec<py::Stmt>, Failure> {
    let parse = || parser::parse_unchecked(text, ParseOptions::from(Mode::Module));
    let parsed = std::panic::catch_unwind(parse).map_err(|_| Failure::of_parser())?;
    let first =
        parsed.errors().iter().filter(|error| !is_target(&error.error)).min_by_key(|e| e.location.start());
    if let Some(error) = first {
        return Err(failure::failure(error));
    }
    match parsed.into_syntax() {
        py::Mod::Module(module) => Ok(module.body),
        py::Mod::Expression(_) => Err(Failure::of_parser()),
    }
}

fn is_target(error: &ParseErrorType) -> bool {
    matches!(
        error,
        ParseErrorType::InvalidAssignmentTarget
            | ParseErrorType::InvalidAnnotatedAssignmentTarget
            | ParseErrorType::InvalidAugmentedAssignmentTarget
            | ParseErrorType::InvalidDeleteTarget
    )
}

/// A link of a chain that waits for its left end.
enum Link {
    BinOp(BinOp, Box<py::Expr>, (u32, u32)),
    Attribute(py::Identifier, (u32, u32)),
    Subscript(Box<py::Expr>, (u32, u32)),
    Call(py::Arguments, (u32, u32)),
}

struct Converter<'a> {
    sink: Sink<'a>,
    spine: Vec<Link>,
}

fn bounds(node: &impl Ranged) -> (u32, u32) {
    let range = node.range();
    (range.start().into(), range.end().into())
}
