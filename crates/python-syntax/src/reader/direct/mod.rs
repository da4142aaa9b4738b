//! Reading without a foreign parser.
//!
//! Scripts are made of a small part of Python. That part is read here, from the logical lines that the scan found
//! straight into our tree: no tokens, no foreign tree. What is not in that part, and all that is wrong, gives nothing:
//! then the foreign parser reads the same lines, and alone decides what is Python and what the errors are.
//!
//! So the one duty is to never accept what the foreign parser refuses or reads in another way. Left to it are
//! comprehensions, `yield`, `await`, `:=`, f-strings and other prefixed strings, most escapes, numbers beyond the
//! plain ones, identifiers beyond ASCII, `\` at the end of a line, `;`, blocks on the line of their header, `try`,
//! `match`, `async`, parameters other than plain ones, and more that is rare.
//!
//! Positions are those of the piece. A node's own place does not hold the parentheses around it; the place of what it is
//! a part of does.

mod atom;
mod expr;
mod lex;
mod stmt;

use std::ops::Range;

use super::sink::Sink;
use crate::ast::{ExprId, StmtId};
use crate::prescan::LogicalLine;

/// Reads the statements of logical lines, all of one block. Positions count from the beginning of the piece, which is
/// `sink.base`.
pub(super) fn parse(sink: Sink<'_>, lines: &[LogicalLine]) -> Option<Vec<StmtId>> {
    let text = sink.text;
    let mut reader = Reader { sink, bytes: text.as_bytes(), text, lines, pos: 0, brackets: 0 };
    reader.statements(0..lines.len())
}

/// A place in the lines.
struct Reader<'a> {
    sink: Sink<'a>,
    text: &'a str,
    bytes: &'a [u8],
    lines: &'a [LogicalLine],
    /// The position in the piece.
    pos: usize,
    /// How many brackets are open: inside them line breaks are blanks.
    brackets: u32,
}

/// An expression, and where it begins and ends with the parentheses around it.
#[derive(Clone, Copy)]
struct Part {
    id: ExprId,
    start: u32,
    end: u32,
}

impl Reader<'_> {
    /// Where the tokens of a line begin and end.
    fn bounds(&self, line: usize) -> Range<usize> {
        let (line, base) = (&self.lines[line], self.sink.base);
        (line.start - base) as usize..(line.end - base) as usize
    }
}
