//! Syntax errors.

use std::fmt;

use crate::ast::TextRange;

/// Kind of nesting that exceeds a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Nesting {
    /// Nested brackets, including calls.
    Brackets,
    /// Nested blocks.
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

/// Kind of a syntax error. The backends report the same kind for the same cause, if both detect it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SyntaxErrorKind {
    /// The text is not UTF-8.
    #[error("the text is not UTF-8")]
    InvalidUtf8,
    /// The text exceeds [`PythonOptions::max_parts`](crate::PythonOptions::max_parts).
    #[error("the text is too large: its lines, brackets and separators exceed a weight of {limit}")]
    TooManyParts {
        /// Maximum.
        limit: u64,
    },
    /// The text exceeds [`PythonOptions::max_text_bytes`](crate::PythonOptions::max_text_bytes).
    #[error("the text is larger than {limit} bytes")]
    TextTooLarge {
        /// Maximum, in bytes.
        limit: u32,
    },
    /// Nesting exceeds a limit.
    #[error("{what} deeper than {limit} levels")]
    TooDeep {
        /// Kind of nesting.
        what: Nesting,
        /// Maximum depth.
        limit: u32,
    },
    /// A bracket is never closed.
    #[error("`{open}` is never closed")]
    UnclosedBracket {
        /// Opening bracket.
        open: char,
    },
    /// A closing bracket does not match the opening one.
    #[error("`{close}` closes `{open}`")]
    MismatchedBracket {
        /// Opening bracket.
        open: char,
        /// Closing bracket.
        close: char,
    },
    /// A closing bracket without an opening one.
    #[error("`{close}` closes nothing")]
    UnmatchedBracket {
        /// Closing bracket.
        close: char,
    },
    /// A string is never closed.
    #[error("the string is never closed")]
    UnterminatedString,
    /// An f-string is malformed.
    #[error("malformed f-string")]
    InvalidFString,
    /// A t-string, which scripts cannot contain.
    #[error("t-strings are not supported")]
    TemplateString,
    /// An escape in a string is malformed.
    #[error("malformed escape in the string")]
    InvalidEscape,
    /// Adjacent literals that cannot be joined, or characters that bytes cannot contain.
    #[error("malformed string literal")]
    InvalidString,
    /// A number is malformed.
    #[error("malformed number")]
    InvalidNumber,
    /// A decimal integer with more digits than Python converts.
    #[error(
        "Exceeds the limit (4300 digits) for integer string conversion: value has {digits} digits; use sys.set_int_max_str_digits() to increase the limit - Consider hexadecimal for huge integer literals to avoid decimal conversion limits."
    )]
    LongInteger {
        /// Number of digits.
        digits: u32,
    },
    /// An escape of half a surrogate pair, which Rust strings cannot contain.
    #[error("the string contains a lone surrogate, which is not supported")]
    LoneSurrogate,
    /// A character that starts no token.
    #[error("unexpected character `{found}`")]
    InvalidCharacter {
        /// Unexpected character.
        found: char,
    },
    /// `\` is not the last character of its line.
    #[error("unexpected character after the line continuation `\\`")]
    BadContinuation,
    /// A line is indented deeper than its block.
    #[error("unexpected indentation")]
    UnexpectedIndent,
    /// A block is missing.
    #[error("expected an indented block")]
    ExpectedIndent,
    /// The indentation of a line matches no enclosing block.
    #[error("the indentation matches no enclosing block")]
    InconsistentDedent,
    /// Tabs and spaces are mixed, so that the block depends on the width of a tab.
    #[error("tabs and spaces are mixed in the indentation")]
    InconsistentTabs,
    /// A token that the grammar does not allow here.
    #[error("unexpected `{found}`")]
    UnexpectedToken {
        /// The token, abbreviated if it is long.
        found: Box<str>,
    },
    /// The line ends too early.
    #[error("unexpected end of the line")]
    UnexpectedEndOfLine,
    /// The text ends too early.
    #[error("unexpected end of the text")]
    UnexpectedEndOfText,
    /// The target of an assignment, `del` or loop cannot be assigned to.
    #[error("cannot assign to {what}")]
    InvalidTarget {
        /// Description with its article.
        what: &'static str,
    },
    /// `*x` is a target outside a list or tuple.
    #[error("a starred target must be in a list or tuple")]
    StarredTarget,
    /// A parameter without a default follows one with a default.
    #[error("a parameter without a default follows one with a default")]
    ParameterOrder,
    /// Two parameters have the same name.
    #[error("duplicate parameter `{name}`")]
    DuplicateParameter {
        /// Parameter.
        name: Box<str>,
    },
    /// A call has the same keyword argument twice.
    #[error("duplicate keyword argument `{name}`")]
    DuplicateKeyword {
        /// Keyword.
        name: Box<str>,
    },
    /// A positional argument follows a keyword argument.
    #[error("a positional argument follows a keyword argument")]
    PositionalAfterKeyword,
    /// Any other error; see [`SyntaxError::detail`].
    #[error("invalid syntax")]
    Other,
    /// The foreign parser panicked. This is a bug.
    #[error("the Python parser failed on this text; please report it")]
    ParserFailed,
}

/// Declares code and meaning of each kind.
macro_rules! codes {
    ($($pattern:pat => $code:literal $meaning:literal;)*) => {
        impl SyntaxErrorKind {
            /// All codes, each with its meaning.
            pub const CODES: &'static [(&'static str, &'static str)] = &[$(($code, $meaning),)*];

            /// Stable code, e.g. `E0107`. A code never changes its meaning and is never reused.
            pub fn code(&self) -> &'static str {
                match self {
                    $($pattern => $code,)*
                }
            }
        }
    };
}

codes! {
    Self::Other =>
        "E0100" "The text is not valid Python, for a reason without a code of its own. A note repeats the message of the \
                 Python parser.";
    Self::InvalidUtf8 => "E0101" "The text is not UTF-8. Save the file as UTF-8; other encodings are not read.";
    Self::TextTooLarge { .. } => "E0102" "The text is larger than the limit of bytes for one text.";
    Self::TooDeep { .. } =>
        "E0103" "Brackets, blocks or a chain of operators are nested deeper than the limit. Bind inner expressions to \
                 names.";
    Self::UnclosedBracket { .. } =>
        "E0104" "An opening bracket has no closing one. The label is on the opening bracket; the closing one is missing \
                 at or before the end of the statement.";
    Self::MismatchedBracket { .. } =>
        "E0105" "A closing bracket is of another kind than the bracket that it closes, as in `(1]`.";
    Self::UnmatchedBracket { .. } => "E0106" "A closing bracket has no opening one. Remove it, or add the opening one.";
    Self::UnterminatedString =>
        "E0107" "A string has no closing quotes. A string in single quotes ends on its line; one over several lines \
                 needs triple quotes.";
    Self::InvalidFString => "E0108" "A replacement field of an f-string is empty, not closed, or not an expression.";
    Self::TemplateString => "E0109" "Template strings (`t\"..\"`) are not supported. Use an f-string or `str.format`.";
    Self::InvalidEscape =>
        "E0110" "An escape in a string is cut short or names no character, such as `\\x1` or `\\N{NO SUCH NAME}`. Double \
                 the backslash if it is meant literally.";
    Self::InvalidString =>
        "E0111" "String literals side by side are of different types, or a bytes literal contains a character beyond \
                 ASCII.";
    Self::InvalidNumber =>
        "E0112" "A number is malformed: a leading zero, a stray underscore, digits that the base does not have, or a \
                 letter directly behind.";
    Self::InvalidCharacter { .. } =>
        "E0113" "A character that starts no token of Python, such as `$` or a quotation mark of typography.";
    Self::BadContinuation =>
        "E0114" "Text follows the line continuation `\\`, which must be the last character of its line.";
    Self::UnexpectedIndent => "E0115" "A line is indented deeper than the block it belongs to.";
    Self::ExpectedIndent =>
        "E0116" "A line that ends with `:` needs an indented block below it. An empty block is `pass`.";
    Self::InconsistentDedent => "E0117" "The indentation of a line is that of no enclosing block.";
    Self::InconsistentTabs =>
        "E0118" "Tabs and spaces are mixed, so that the block of a line depends on the width of a tab. Indent with \
                 spaces.";
    Self::UnexpectedToken { .. } => "E0119" "A token stands where the grammar of Python does not allow it.";
    Self::UnexpectedEndOfLine => "E0120" "A line ends before its statement is complete.";
    Self::UnexpectedEndOfText => "E0121" "The text ends before its last statement is complete.";
    Self::InvalidTarget { .. } =>
        "E0122" "Python cannot assign to this: names, attributes, subscripts and lists of these are targets, calls, \
                 literals and operators are not.";
    Self::StarredTarget => "E0123" "A starred target stands alone. `*a, = x` assigns a list to `a`.";
    Self::ParameterOrder => "E0124" "A parameter without a default value follows one that has one.";
    Self::DuplicateParameter { .. } => "E0125" "Two parameters of a function have the same name.";
    Self::DuplicateKeyword { .. } => "E0126" "A call gives the same keyword argument twice.";
    Self::PositionalAfterKeyword => "E0127" "A positional argument follows a keyword argument. Give it before, or by keyword.";
    Self::LongInteger { .. } =>
        "E0128" "A decimal integer has more digits than CPython converts. Write it in hexadecimal, which has no limit.";
    Self::LoneSurrogate =>
        "E0129" "An escape names half of a surrogate pair, which is not a character. Write the character itself, or bytes.";
    Self::TooManyParts { .. } => "E0130" "The lines, brackets and separators of the text exceed the limit.";
    Self::ParserFailed => "E0199" "The Python parser failed on this text. This is a bug; please report it with the text.";
}

impl SyntaxErrorKind {
    pub(crate) fn is_about_indentation(&self) -> bool {
        matches!(
            self,
            Self::UnexpectedIndent | Self::ExpectedIndent | Self::InconsistentDedent | Self::InconsistentTabs
        )
    }
}

/// A syntax error with its range and explanations.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct SyntaxError {
    /// Kind of the error.
    pub kind: SyntaxErrorKind,
    /// Range in bytes of the text; empty if something is missing there.
    pub range: TextRange,
    /// Message of the foreign parser.
    pub detail: Option<Box<str>>,
    /// Suggested fix.
    pub help: Option<Box<str>>,
    /// The edit that the help means: a range of the text and its replacement.
    pub fix: Option<(TextRange, Box<str>)>,
    /// Another range that explains the error, with its label.
    pub related: Option<(TextRange, &'static str)>,
}

impl SyntaxError {
    /// Creates an error without detail and help.
    pub fn new(kind: SyntaxErrorKind, range: TextRange) -> Self {
        SyntaxError { kind, range, detail: None, help: None, fix: None, related: None }
    }

    pub(crate) fn with_detail(mut self, detail: impl Into<Box<str>>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    pub(crate) fn with_help(mut self, help: impl Into<Box<str>>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn with_fix(mut self, range: TextRange, replacement: &str) -> Self {
        self.fix = Some((range, replacement.into()));
        self
    }

    pub(crate) fn with_related(mut self, range: TextRange, label: &'static str) -> Self {
        self.related = Some((range, label));
        self
    }
}
