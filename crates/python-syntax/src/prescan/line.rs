//! The records of the pass.

use crate::ast::TextRange;

/// A logical line: one simple statement (or several, with `;`), or the header of a compound one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogicalLine {
    /// Where its first physical line begins, before the indentation.
    pub begin: u32,
    /// Where its first token begins.
    pub start: u32,
    /// Where its last token ends.
    pub end: u32,
    /// Columns of indentation; a tab goes to the next multiple of eight.
    pub indent: u32,
    /// What it begins with.
    pub head: Head,
    /// Whether it ends with a `:` outside brackets, so that a block follows.
    pub opens_block: bool,
    /// Whether a [`Problem`] names it, so that parsing it is useless.
    pub broken: bool,
    /// Whether it lies in more blocks than [`Limits::blocks`](super::Limits::blocks).
    pub too_deep: bool,
}

/// What a logical line begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Head {
    /// None of the others.
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
    /// The soft keywords `match` and `case`, also when they are names.
    MatchOrCase,
}

impl Head {
    /// Whether the line continues a compound statement begun above at the same indentation.
    pub fn is_continuation(self) -> bool {
        matches!(self, Head::Elif | Head::Else | Head::Except | Head::Finally)
    }
}

/// A comment, from `#` to the end of its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comment {
    /// Its bytes, without the line break.
    pub range: TextRange,
    /// Whether nothing but blanks stands before it on its physical line.
    pub own_line: bool,
}

/// Something wrong that the pass sees by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Problem {
    /// Index of the logical line.
    pub line: u32,
    /// Where.
    pub range: TextRange,
    /// What.
    pub kind: ProblemKind,
}

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// The bracket at the place is never closed.
    Unclosed,
    /// The bracket at the place closes the one at the offset, which is of another kind.
    Mismatched {
        /// Where the other bracket is.
        open: u32,
    },
    /// The bracket at the place closes nothing.
    Unopened,
    /// The string that begins at the place is never closed.
    UnterminatedString,
    /// Brackets nest deeper than [`Limits::brackets`](super::Limits::brackets) here.
    DeepBrackets,
    /// Operators nest deeper than [`Limits::chain`](super::Limits::chain) here.
    LongChain,
    /// Blocks nest deeper than [`Limits::blocks`](super::Limits::blocks) here.
    DeepBlocks,
    /// A decimal integer of so many digits, more than Python converts.
    LongInteger {
        /// The number of its digits.
        digits: u32,
    },
    /// An escape that stands for half of a surrogate pair.
    LoneSurrogate,
    /// A character that identifiers cannot have.
    InvalidCharacter,
}
