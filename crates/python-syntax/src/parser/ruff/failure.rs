//! Conversion of errors.

use rustpython_ruff_python_parser::{LexicalErrorType, ParseError, ParseErrorType};

use crate::parser::Failure;
use crate::parser::error::SyntaxErrorKind;

pub(super) fn failure(error: &ParseError) -> Failure {
    let (start, end) = (error.location.start().into(), error.location.end().into());
    let detail = error.error.to_string();
    let kind = match &error.error {
        ParseErrorType::UnexpectedIndentation => Some(SyntaxErrorKind::UnexpectedIndent),
        ParseErrorType::OtherError(text) if text.starts_with("Expected an indented block") => {
            Some(SyntaxErrorKind::ExpectedIndent)
        }
        ParseErrorType::PositionalAfterKeywordArgument
        | ParseErrorType::PositionalAfterKeywordUnpacking
        | ParseErrorType::InvalidArgumentUnpackingOrder => Some(SyntaxErrorKind::PositionalAfterKeyword),
        ParseErrorType::NonDefaultParamAfterDefaultParam => Some(SyntaxErrorKind::ParameterOrder),
        ParseErrorType::DuplicateKeywordArgumentError(name) => {
            Some(SyntaxErrorKind::DuplicateKeyword { name: name.as_str().into() })
        }
        ParseErrorType::FStringError(_) => Some(SyntaxErrorKind::InvalidFString),
        ParseErrorType::TStringError(_) => Some(SyntaxErrorKind::TemplateString),
        ParseErrorType::Lexical(kind) => Some(lexical(kind)),
        ParseErrorType::OtherError(text) if text.contains("iteral") => Some(SyntaxErrorKind::InvalidString),
        ParseErrorType::OtherError(text) if text.starts_with("Expected") => None,
        // The token at the position determines the kind.
        ParseErrorType::ExpectedToken { .. }
        | ParseErrorType::ExpectedExpression
        | ParseErrorType::SimpleStatementsOnSameLine
        | ParseErrorType::SimpleAndCompoundStatementOnSameLine => None,
        _ => Some(SyntaxErrorKind::Other),
    };
    Failure { kind, start, end: Some(end), detail }
}

fn lexical(kind: &LexicalErrorType) -> SyntaxErrorKind {
    match kind {
        LexicalErrorType::UnclosedStringError => SyntaxErrorKind::UnterminatedString,
        LexicalErrorType::StringError
        | LexicalErrorType::UnicodeError
        | LexicalErrorType::MissingUnicodeLbrace
        | LexicalErrorType::MissingUnicodeRbrace => SyntaxErrorKind::InvalidEscape,
        LexicalErrorType::IndentationError => SyntaxErrorKind::InconsistentDedent,
        LexicalErrorType::UnrecognizedToken { tok } => SyntaxErrorKind::InvalidCharacter { found: *tok },
        LexicalErrorType::FStringError(_) => SyntaxErrorKind::InvalidFString,
        LexicalErrorType::TStringError(_) => SyntaxErrorKind::TemplateString,
        LexicalErrorType::InvalidByteLiteral => SyntaxErrorKind::InvalidString,
        LexicalErrorType::LineContinuationError => SyntaxErrorKind::BadContinuation,
        LexicalErrorType::Eof => SyntaxErrorKind::UnexpectedEndOfText,
        // Reported for numbers only; errors of strings have their own kinds.
        LexicalErrorType::OtherError(text) if text.contains("igit") || text.contains("ecimal") => {
            SyntaxErrorKind::InvalidNumber
        }
        LexicalErrorType::OtherError(text) if text.contains("literal") => SyntaxErrorKind::InvalidString,
        LexicalErrorType::OtherError(_) => SyntaxErrorKind::Other,
    }
}
