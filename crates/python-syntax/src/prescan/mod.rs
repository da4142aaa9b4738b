//! One linear pass over Python text, before any parser sees it.
//!
//! It answers what a parser does not say or says too late: where the logical lines are and how they are indented,
//! how deep brackets, blocks and operators nest (from which the native stack of the foreign parser is sized),
//! where the comments are, and which bracket or string is not closed. Recovery after a syntax error stands on it:
//! a logical line is the unit that is cut out, a piece (a top-level definition, or a run of simple lines) the unit
//! that is parsed again.
//!
//! It knows strings, comments and brackets, and of the grammar only which words begin a statement. It never fails
//! and uses no recursion; on text that is not Python its answers are a best guess, and bounded.
//!
//! An unclosed bracket would swallow the rest of the text. Where a line inside brackets begins with a word that no
//! expression holds (`return`, `with`, ..), the logical line is ended there. Where the text ends inside brackets,
//! the guilty logical line is scanned again, and ended at the first line that looks like a new statement.

mod bracket;
mod class;
mod line;
mod piece;
mod scan;
mod string;
mod word;

pub use line::{Comment, Head, LogicalLine, Problem, ProblemKind};
pub(crate) use word::{is_keyword, keyword_like};

/// How much nesting is accepted; what is deeper is a typed error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Brackets within brackets, calls included.
    pub brackets: u32,
    /// Blocks within blocks.
    pub blocks: u32,
    /// Operators, calls and attributes in a chain, and `elif`s of one `if`.
    pub chain: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { brackets: 10_000, blocks: 20_000, chain: 300_000 }
    }
}

/// What an f-string is to the parser that will read the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FStrings {
    /// A string like any other: its quote ends it, also inside `{}` (Python up to 3.11).
    Plain,
    /// Strings may nest inside `{}` (Python from 3.12).
    Nested,
}

/// The result of the pass.
#[derive(Debug, Clone, Default)]
pub struct Prescan {
    /// The logical lines, in order. Blank lines and lines of comments alone are none.
    pub lines: Vec<LogicalLine>,
    /// The comments, in order.
    pub comments: Vec<Comment>,
    /// What is wrong already, in order of logical lines; each names the line that cannot be parsed.
    pub problems: Vec<Problem>,
    /// The deepest nest of brackets on an acceptable line.
    pub max_brackets: u32,
    /// An upper bound of the depth that operators and calls add to an acceptable line's tree.
    pub max_chain: u32,
    /// The deepest nest of blocks.
    pub max_blocks: u32,
    /// The most `elif`s in one `if`, those of the blocks around it added.
    pub max_elifs: u32,
}

impl Prescan {
    /// Scans a text, which must be shorter than 4 GiB.
    pub fn new(text: &str, f_strings: FStrings, limits: &Limits) -> Prescan {
        scan::Scanner::new(text.as_bytes(), f_strings, *limits).run()
    }

    /// Bytes of code: without indentation, blank lines and comments between statements.
    pub fn code_bytes(&self) -> usize {
        self.lines.iter().map(|line| (line.end - line.start) as usize).sum()
    }

    /// The logical line that holds this offset, or else the last one before it.
    pub fn line_at(&self, offset: u32) -> Option<usize> {
        if self.lines.is_empty() {
            return None;
        }
        Some(self.lines.partition_point(|line| line.begin <= offset).saturating_sub(1))
    }
}
