//! Stable codes of syntax errors.

use super::SyntaxErrorKind;

impl SyntaxErrorKind {
    /// Stable code, e.g. `E0107`. A code never changes its meaning and is never reused.
    pub fn code(&self) -> &'static str {
        match self {
            SyntaxErrorKind::Other => "E0100",
            SyntaxErrorKind::InvalidUtf8 => "E0101",
            SyntaxErrorKind::TextTooLarge { .. } => "E0102",
            SyntaxErrorKind::TooDeep { .. } => "E0103",
            SyntaxErrorKind::UnclosedBracket { .. } => "E0104",
            SyntaxErrorKind::MismatchedBracket { .. } => "E0105",
            SyntaxErrorKind::UnmatchedBracket { .. } => "E0106",
            SyntaxErrorKind::UnterminatedString => "E0107",
            SyntaxErrorKind::InvalidFString => "E0108",
            SyntaxErrorKind::TemplateString => "E0109",
            SyntaxErrorKind::InvalidEscape => "E0110",
            SyntaxErrorKind::InvalidString => "E0111",
            SyntaxErrorKind::InvalidNumber => "E0112",
            SyntaxErrorKind::InvalidCharacter { .. } => "E0113",
            SyntaxErrorKind::BadContinuation => "E0114",
            SyntaxErrorKind::UnexpectedIndent => "E0115",
            SyntaxErrorKind::ExpectedIndent => "E0116",
            SyntaxErrorKind::InconsistentDedent => "E0117",
            SyntaxErrorKind::InconsistentTabs => "E0118",
            SyntaxErrorKind::UnexpectedToken { .. } => "E0119",
            SyntaxErrorKind::UnexpectedEndOfLine => "E0120",
            SyntaxErrorKind::UnexpectedEndOfText => "E0121",
            SyntaxErrorKind::InvalidTarget { .. } => "E0122",
            SyntaxErrorKind::StarredTarget => "E0123",
            SyntaxErrorKind::ParameterOrder => "E0124",
            SyntaxErrorKind::DuplicateParameter { .. } => "E0125",
            SyntaxErrorKind::DuplicateKeyword { .. } => "E0126",
            SyntaxErrorKind::PositionalAfterKeyword => "E0127",
            SyntaxErrorKind::LongInteger { .. } => "E0128",
            SyntaxErrorKind::LoneSurrogate => "E0129",
            SyntaxErrorKind::TooManyParts { .. } => "E0130",
            SyntaxErrorKind::ParserFailed => "E0199",
        }
    }
}
