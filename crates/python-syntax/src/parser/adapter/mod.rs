//! Conversion of a foreign syntax tree, compiled once for each backend.
//!
//! The trees of the two foreign parsers differ in few places, so this module is included by both backends with
//! `#[path]`. `super::py` is the tree of the including backend; what differs is in the functions that the backend
//! module defines ([`py`], `foreign` and the helpers beside them).
//!
//! The foreign tree is consumed while it is converted. Chains (`a + b + ..`, `a.b(c)[d]`) are converted in a loop; other
//! nesting recurses, on the stack that [`parse_python`](crate::parse_python) allocates.

mod expr;
mod stmt;

pub(super) use expr::conversion;

use super::{foreign, py};
use crate::ast::{BinOp, StmtId};
use crate::parser::Failure;
use crate::parser::sink::Sink;

/// Parses the text of a sink. Fails with the first error, in positions of that text.
pub(in crate::parser) fn parse(sink: Sink<'_>) -> Result<Vec<StmtId>, Failure> {
    let mut module = foreign(sink.text)?;
    if sink.frame.is_nested {
        module = match module.pop() {
            Some(py::Stmt::If(outer)) if module.is_empty() => outer.body,
            _ => return Err(Failure::of_parser()),
        };
    }
    let mut converter = Converter { sink, spine: Vec::new() };
    Ok(module.into_iter().map(|stmt| converter.stmt(stmt)).collect())
}

/// Parses a text without keeping the tree.
pub(in crate::parser) fn check(text: &str) -> Result<(), Failure> {
    foreign(text).map(drop)
}

/// A link of a chain, kept until its left operand is converted.
pub(super) enum Link {
    BinOp(BinOp, Box<py::Expr>, (u32, u32)),
    Attribute(py::Identifier, (u32, u32)),
    Subscript(Box<py::Expr>, (u32, u32)),
    Call(Vec<py::Expr>, Vec<py::Keyword>, (u32, u32)),
}

pub(super) struct Converter<'a> {
    pub(super) sink: Sink<'a>,
    spine: Vec<Link>,
}

/// Start and end of a foreign node in the parsed text.
pub(super) fn bounds(node: &impl py::Ranged) -> (u32, u32) {
    let range = node.range();
    (range.start().into(), range.end().into())
}
