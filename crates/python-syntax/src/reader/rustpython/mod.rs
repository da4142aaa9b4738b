//! The default backend: `rustpython-parser`.
//!
//! The foreign tree is consumed as it is converted, so that it is walked once. Chains (`a + b + ..`, `a.b(c)[d]`)
//! are converted by a loop; what else nests recurses, on the stack that [`parse_python`](super::parse_python) sized.

mod expr;
mod failure;
mod stmt;

use rustpython_parser::Mode;
use rustpython_parser::ast::{self as py, Ranged};

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
    let parse = || rustpython_parser::parse(text, Mode::Module, "");
    // The parser has a few `unwrap`s of its own.
    match std::panic::catch_unwind(parse) {
        Ok(Ok(py::Mod::Module(module))) => Ok(module.body),
        Ok(Ok(_)) => Ok(Vec::new()),
        Ok(Err(error)) => Err(failure::failure(text, error)),
        Err(_) => Err(Failure::of_parser()),
    }
}

/// A link of a chain that waits for its left end.
enum Link {
    BinOp(BinOp, Box<py::Expr>, (u32, u32)),
    Attribute(py::Identifier, (u32, u32)),
    Subscript(Box<py::Expr>, (u32, u32)),
    Call(Vec<py::Expr>, Vec<py::Keyword>, (u32, u32)),
}

struct Converter<'a> {
    sink: Sink<'a>,
    spine: Vec<Link>,
}

fn bounds(node: &impl Ranged) -> (u32, u32) {
    let range = node.range();
    (range.start().into(), range.end().into())
}
