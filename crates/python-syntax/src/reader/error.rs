//! What can be wrong with the syntax of a text.

use std::fmt;

use crate::ast::TextRange;

/// What went past a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Nesting {
    /// Brackets within brackets, which calls are too.
    Brackets,
    /// Blocks within blocks.
    Blocks,
    /// Operators, calls and attributes in one expression.
    Chain,
}

impl fmt::Display for Nesting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Nesting::Brackets => "brackets are nested",
            Nesting::Blocks => "blocks are nested",
            Nesting::Chain => "an expression is chained",
        })
    }
}

/// What is wrong: one variant, one cause. Both backends answer with the same kind where both see the cause.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SyntaxErrorKind {
    /// The text is not UTF-8 at this byte.
    #[error("the text is not UTF-8")]
    InvalidUtf8,
    /// The text has more lines, brackets and items than allowed.
    #[error("the text is too large: its lines, brackets and separators count for more than {limit}")]
    TooManyParts {
        /// The limit.
        limit: u64,
    },
    /// The text is longer than allowed.
    #[error("the text is larger than {limit} bytes")]
    TextTooLarge {
        /// The largest size.
        limit: u32,
    },
    /// Nesting went past a limit.
    #[error("{what} deeper than {limit} levels")]
    TooDeep {
        /// What is nested.
        what: Nesting,
        /// The deepest level that is read.
        limit: u32,
    },
    /// A bracket is never closed.
    #[error("`{open}` is never closed")]
    UnclosedBracket {
        /// The bracket.
        open: char,
    },
    /// A bracket is closed by one of another kind.
    #[error("`{close}` closes `{open}`")]
    MismatchedBracket {
        /// The bracket that was open.
        open: char,
        /// The bracket that stands here.
        close: char,
    },
    /// A closing bracket without an opening one.
    #[error("`{close}` closes nothing")]
    UnmatchedBracket {
        /// The bracket.
        close: char,
    },
    /// A string is never closed.
    #[error("the string is never closed")]
    UnterminatedString,
    /// An f-string is not well formed.
    #[error("the f-string is not well formed")]
    InvalidFString,
    /// A t-string, which no script may hold.
    #[error("t-strings are not supported")]
    TemplateString,
    /// An escape in a string is not well formed.
    #[error("the escape in the string is not well formed")]
    InvalidEscape,
    /// Adjacent literals that cannot be joined, or characters that cannot stand in bytes.
    #[error("the string literal is not well formed")]
    InvalidString,
    /// A number is not well formed.
    #[error("the number is not well formed")]
    InvalidNumber,
    /// A decimal integer with more digits than Python converts.
    #[error(
        "Exceeds the limit (4300 digits) for integer string conversion: value has {digits} digits; use sys.set_int_max_str_digits() to increase the limit - Consider hexadecimal for huge integer literals to avoid decimal conversion limits."
    )]
    LongInteger {
        /// The number of its digits.
        digits: u32,
    },
    /// An escape that stands for half of a surrogate pair, which text cannot hold.
    #[error("the string holds a lone surrogate, which text cannot hold here")]
    LoneSurrogate,
    /// A character that no token begins with.
    #[error("unexpected character `{found}`")]
    InvalidCharacter {
        /// The character.
        found: char,
    },
    /// `\` is followed by something else than the end of the line.
    #[error("unexpected character behind the line continuation `\\`")]
    BadContinuation,
    /// A line is indented deeper than the block it stands in.
    #[error("unexpected indentation")]
    UnexpectedIndent,
    /// A block has no lines.
    #[error("expected an indented block")]
    ExpectedIndent,
    /// A line is indented less than its block, and as no block around it.
    #[error("the indentation matches no block around it")]
    InconsistentDedent,
    /// Tabs and spaces are mixed so that the block depends on the width of a tab.
    #[error("tabs and spaces are mixed in the indentation")]
    InconsistentTabs,
    /// A token that cannot stand here.
    #[error("unexpected `{found}`")]
    UnexpectedToken {
        /// The token as written.
        found: Box<str>,
    },
    /// The line ends where more was expected.
    #[error("unexpected end of the line")]
    UnexpectedEndOfLine,
    /// The text ends where more was expected.
    #[error("unexpected end of the text")]
    UnexpectedEndOfText,
    /// Something is assigned to, deleted or bound that cannot be.
    #[error("cannot assign to {what}")]
    InvalidTarget {
        /// What it is, with its article.
        what: &'static str,
    },
    /// `*x` stands as a target on its own.
    #[error("a starred target must be in a list or tuple")]
    StarredTarget,
    /// A parameter without default behind one with.
    #[error("a parameter without default follows one with a default")]
    ParameterOrder,
    /// Two parameters have one name.
    #[error("duplicate parameter `{name}`")]
    DuplicateParameter {
        /// The name.
        name: Box<str>,
    },
    /// A call has a keyword twice.
    #[error("duplicate keyword argument `{name}`")]
    DuplicateKeyword {
        /// The name.
        name: Box<str>,
    },
    /// A positional argument behind a keyword argument.
    #[error("a positional argument follows a keyword argument")]
    PositionalAfterKeyword,
    /// Any other violation of the grammar; the detail says which.
    #[error("invalid syntax")]
    Other,
    /// The parser behind this crate failed. This is a fault of the program, not of the text.
    #[error("the Python parser failed on this text; please report it")]
    ParserFailed,
}

/// A syntax error: what, where, and what else helps to see it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct SyntaxError {
    /// What is wrong.
    pub kind: SyntaxErrorKind,
    /// Where, in bytes of the text; for what is missing, the empty range where it should stand.
    pub range: TextRange,
    /// The parser's own words, if they say more.
    pub detail: Option<Box<str>>,
    /// How to mend it.
    pub help: Option<Box<str>>,
    /// Another place that explains this one.
    pub related: Option<(TextRange, &'static str)>,
}

impl SyntaxError {
    /// An error without detail and help.
    pub fn new(kind: SyntaxErrorKind, range: TextRange) -> Self {
        SyntaxError { kind, range, detail: None, help: None, related: None }
    }

    pub(crate) fn with_detail(mut self, detail: impl Into<Box<str>>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    pub(crate) fn with_help(mut self, help: impl Into<Box<str>>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn with_related(mut self, range: TextRange, label: &'static str) -> Self {
        self.related = Some((range, label));
        self
    }
}
