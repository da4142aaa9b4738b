//! Results of the scan.

use crate::ast::TextRange;

/// A logical line: one simple statement (or several, separated by `;`), or the header of a compound statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogicalLine {
    /// Start of its first physical line, before the indentation.
    pub begin: u32,
    /// Start of its first token.
    pub start: u32,
    /// End of its last token.
    pub end: u32,
    /// Columns of indentation; a tab advances to the next multiple of eight.
    pub indent: u32,
    /// First keyword of the line.
    pub head: Head,
    /// `true` if the line ends with a `:` outside brackets, so that a block follows.
    pub opens_block: bool,
    /// `true` if a [`Problem`] refers to the line, so that it cannot be parsed.
    pub broken: bool,
    /// `true` if the line is nested in more than [`Limits::blocks`](super::Limits::blocks) blocks.
    pub too_deep: bool,
}

/// First keyword of a logical line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Head {
    /// Any other token.
    Other,
    /// `@`.
    Decorator,
    Def,
    Class,
    If,
    Elif,
    Else,
    For,
    While,
    With,
    Try,
    Except,
    Finally,
    Async,
    /// The soft keywords `match` and `case`, or a name of that spelling.
    MatchOrCase,
}

impl Head {
    /// Returns `true` if the line continues a compound statement above it at the same indentation.
    pub fn is_continuation(self) -> bool {
        matches!(self, Head::Elif | Head::Else | Head::Except | Head::Finally)
    }
}

/// A comment, from `#` to the end of its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comment {
    /// Range without the line break.
    pub range: TextRange,
    /// `true` if the comment is alone on its physical line.
    pub own_line: bool,
}

/// An error that the scan finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Problem {
    /// Index of the logical line.
    pub line: u32,
    /// Range in the text.
    pub range: TextRange,
    /// Kind of the error.
    pub kind: ProblemKind,
}

/// Kind of a [`Problem`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// A bracket that is never closed.
    Unclosed,
    /// A closing bracket that does not match the opening one.
    Mismatched {
        /// Offset of the opening bracket.
        open: u32,
    },
    /// A closing bracket without an opening one.
    Unopened,
    /// A string that is never closed.
    UnterminatedString,
    /// Brackets nested deeper than [`Limits::brackets`](super::Limits::brackets).
    DeepBrackets,
    /// A chain of operators longer than [`Limits::chain`](super::Limits::chain).
    LongChain,
    /// Blocks nested deeper than [`Limits::blocks`](super::Limits::blocks).
    DeepBlocks,
    /// A decimal integer with more digits than Python converts.
    LongInteger {
        /// Number of digits.
        digits: u32,
    },
    /// An escape of half a surrogate pair.
    LoneSurrogate,
    /// A character that identifiers cannot contain.
    InvalidCharacter,
}
