//! One linear pass over Python text, before parsing.
//!
//! The scan finds logical lines and their indentation, the nesting depth of brackets, blocks and operators (from
//! which the stack size of the foreign parser is computed), comments, and unclosed brackets and strings. Error
//! recovery builds on it: a logical line is the unit that is cut out, a piece (a top-level definition, or a run of
//! simple lines) is the unit that is parsed again.
//!
//! The scan knows strings, comments, brackets and the keywords that start a statement, but no other grammar. It never
//! fails and does not recurse; its results for text that is not Python are a best guess.
//!
//! An unclosed bracket would swallow the rest of the text. If a line inside brackets starts with a keyword that no
//! expression contains (`return`, `with`, ..), the logical line ends there. If the text ends inside brackets, the
//! logical line is scanned again and ends before the first line that looks like a new statement.

mod bracket;
mod class;
mod line;
mod lines;
mod scan;
mod string;
mod word;

use std::ops::Range;

pub use line::{Comment, Head, LogicalLine, Problem, ProblemKind};
pub(crate) use lines::Lines;
pub(crate) use word::{is_keyword, keyword_like};

/// Maximum number of simple top-level lines per piece.
const MAX_SIMPLE_LINES: usize = 256;

/// Limits on nesting; deeper nesting is reported as an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Nested brackets, including calls.
    pub brackets: u32,
    /// Nested blocks.
    pub blocks: u32,
    /// Operators, calls and attributes in one chain.
    pub chain: u32,
    /// As `brackets`, outside the common subset of Python, where a foreign parser reads the text.
    pub foreign_brackets: u32,
    /// As `chain`, outside the common subset of Python; and `elif` clauses of one `if`.
    pub foreign_chain: u32,
}

impl Default for Limits {
    /// The limits of a native stack that grows. In WebAssembly it does not, and the limits are lower.
    fn default() -> Self {
        match cfg!(target_family = "wasm") {
            false => Limits {
                brackets: 100_000,
                blocks: 20_000,
                chain: 2_200_000,
                foreign_brackets: 10_000,
                foreign_chain: 210_000,
            },
            true => Limits { brackets: 50, blocks: 50, chain: 500, foreign_brackets: 50, foreign_chain: 500 },
        }
    }
}

/// Syntax of f-strings in the parser that reads the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FStrings {
    /// As other strings: the quote ends the f-string, also inside `{}` (Python up to 3.11).
    Plain,
    /// Strings may be nested inside `{}` (Python 3.12 and later).
    Nested,
}

/// Result of the scan.
#[derive(Debug, Clone, Default)]
pub struct Prescan {
    /// Logical lines in source order, without blank lines and lines that contain only a comment.
    pub lines: Vec<LogicalLine>,
    /// Comments in source order.
    pub comments: Vec<Comment>,
    /// Errors, in order of their logical lines.
    pub problems: Vec<Problem>,
    /// Lines that are nested too deeply for a foreign parser, in order.
    pub deep: Vec<Problem>,
    /// Maximum nesting depth of brackets on a line without errors.
    pub max_brackets: u32,
    /// Upper bound of the tree depth that operators and calls add to a line without errors.
    pub max_chain: u32,
    /// Maximum nesting depth of blocks.
    pub max_blocks: u32,
    /// Maximum number of `elif` clauses of one `if`, plus those of the blocks around it.
    pub max_elifs: u32,
}

impl Prescan {
    /// Scans a text of less than 4 GiB.
    pub fn new(text: &str, f_strings: FStrings, limits: &Limits) -> Prescan {
        scan::Scanner::new(text.as_bytes(), f_strings, *limits).run()
    }

    /// The lines of [`Prescan::deep`] in a range.
    pub(crate) fn deep_in(&self, lines: Range<usize>) -> &[Problem] {
        let start = self.deep.partition_point(|problem| (problem.line as usize) < lines.start);
        let end = self.deep.partition_point(|problem| (problem.line as usize) < lines.end);
        self.deep.get(start..end).unwrap_or_default()
    }

    /// The logical lines by number.
    pub(crate) fn lines(&self) -> Lines<'_> {
        Lines(&self.lines)
    }

    /// Number of bytes of logical lines.
    pub fn code_bytes(&self) -> usize {
        self.lines.iter().map(|line| (line.end - line.start) as usize).sum()
    }

    /// Index of the logical line at an offset, or of the last line before it.
    pub fn line_at(&self, offset: u32) -> Option<usize> {
        if self.lines.is_empty() {
            return None;
        }
        Some(self.lines.partition_point(|line| line.begin <= offset).saturating_sub(1))
    }

    /// Logical lines of each piece: a top-level definition with its decorators, blocks and `else` clauses, or a run
    /// of simple top-level lines. The pieces cover all lines in order.
    pub fn pieces(&self) -> Vec<Range<usize>> {
        let mut pieces = Vec::new();
        let mut start = 0;
        let mut simple = true;
        let following = self.lines.iter().enumerate().skip(1);
        for (previous, (index, line)) in self.lines.iter().zip(following) {
            let inside = line.indent > 0 || line.head.is_continuation() || previous.head == Head::Decorator;
            if inside {
                simple &= line.indent == 0 && !line.head.is_continuation();
                continue;
            }
            let starts_definition = line.opens_block || line.head == Head::Decorator;
            if simple && !starts_definition && !previous.opens_block && index - start < MAX_SIMPLE_LINES {
                continue;
            }
            pieces.push(start..index);
            start = index;
            simple = true;
        }
        if !self.lines.is_empty() {
            pieces.push(start..self.lines.len());
        }
        pieces
    }
}
