//! Direct parser of the common subset of Python.
//!
//! Scripts consist mostly of a small subset of Python. This module parses that subset from the logical lines of the
//! scan into the tree, without tokens and without a foreign tree. For everything else, including invalid text, it
//! returns `None`, and the foreign parser reads the same lines.
//!
//! Invariant: it never accepts what the foreign parser rejects or parses differently. Not in the subset are
//! comprehensions, `yield`, `await`, `:=`, f-strings and other prefixed strings, most escapes, numbers other than
//! decimal ones, non-ASCII identifiers, `\` at the end of a line, `;`, blocks on the line of their header, `try`,
//! `match`, `async`, special parameters, and other rare syntax.
//!
//! Positions are relative to the piece. The range of a node excludes the parentheses around it; the range of its
//! parent includes them.

mod atom;
mod expr;
mod lex;
mod stmt;

use std::ops::Range;

use super::PythonOptions;
use super::sink::Sink;
use crate::ast::{ExprId, StmtId};
use crate::prescan::Lines;

/// Bytes of stack for one level of nested expressions, without optimisation.
pub(super) const LEVEL_BYTES: usize = 4 << 10;

/// Parses the statements of logical lines of one block. `sink.base` is the start of the piece.
pub(super) fn parse(sink: Sink<'_>, lines: Lines<'_>, options: &PythonOptions) -> Option<Vec<StmtId>> {
    let text = sink.text;
    let mut reader = DirectParser {
        sink,
        bytes: text.as_bytes(),
        text,
        lines,
        pos: 0,
        brackets: 0,
        levels: options.limits.foreign_chain,
        dotted_keywords: options.dotted_keywords,
    };
    reader.statements(0..lines.len())
}

struct DirectParser<'a> {
    sink: Sink<'a>,
    text: &'a str,
    bytes: &'a [u8],
    lines: Lines<'a>,
    /// Position in the piece.
    pos: usize,
    /// Number of open brackets, inside which line breaks are blanks.
    brackets: u32,
    /// Number of expressions that may still be nested: the stack has room for so many.
    levels: u32,
    dotted_keywords: bool,
}

/// An expression, and its range including enclosing parentheses.
#[derive(Clone, Copy)]
struct SpannedExpr {
    id: ExprId,
    start: u32,
    end: u32,
}

impl DirectParser<'_> {
    /// Range of the tokens of a line.
    fn bounds(&self, line: usize) -> Range<usize> {
        let (line, base) = (self.lines.at(line), self.sink.base);
        (line.start - base) as usize..(line.end - base) as usize
    }
}
