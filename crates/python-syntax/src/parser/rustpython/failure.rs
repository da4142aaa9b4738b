//! Conversion of errors.

use rustpython_parser::lexer::LexicalErrorType;
use rustpython_parser::{ParseError, ParseErrorType, Tok};

use crate::parser::Failure;
use crate::parser::error::SyntaxErrorKind;

pub(super) fn failure(text: &str, error: ParseError) -> Failure {
    let mut offset = u32::from(error.offset);
    if let ParseErrorType::Lexical(LexicalErrorType::UnrecognizedToken { tok }) = error.error
        && text.get(..offset as usize).is_some_and(|before| before.ends_with(tok))
    {
        // The position is usually after the character.
        offset -= tok.len_utf8() as u32;
    }
    let detail = error.error.to_string();
    let kind = match error.error {
        ParseErrorType::Eof => Some(SyntaxErrorKind::UnexpectedEndOfText),
        ParseErrorType::UnrecognizedToken(Tok::Indent, _) => Some(SyntaxErrorKind::UnexpectedIndent),
        ParseErrorType::UnrecognizedToken(_, Some(expected)) if expected == "Indent" => {
            Some(SyntaxErrorKind::ExpectedIndent)
        }
        ParseErrorType::UnrecognizedToken(Tok::Newline, _) => Some(SyntaxErrorKind::UnexpectedEndOfLine),
        ParseErrorType::UnrecognizedToken(Tok::EndOfFile, _) => Some(SyntaxErrorKind::UnexpectedEndOfText),
        ParseErrorType::Lexical(kind) => lexical(kind),
        // The token at the position determines the kind.
        ParseErrorType::ExtraToken(_)
        | ParseErrorType::InvalidToken
        | ParseErrorType::UnrecognizedToken(..) => None,
    };
    Failure { kind, start: offset, end: None, detail }
}

fn lexical(kind: LexicalErrorType) -> Option<SyntaxErrorKind> {
    Some(match kind {
        // The scan reports unterminated strings.
        LexicalErrorType::UnicodeError | LexicalErrorType::StringError => SyntaxErrorKind::InvalidEscape,
        LexicalErrorType::IndentationError => SyntaxErrorKind::InconsistentDedent,
        LexicalErrorType::TabError | LexicalErrorType::TabsAfterSpaces => SyntaxErrorKind::InconsistentTabs,
        LexicalErrorType::DefaultArgumentError => SyntaxErrorKind::ParameterOrder,
        LexicalErrorType::DuplicateArgumentError(name) => {
            SyntaxErrorKind::DuplicateParameter { name: name.into() }
        }
        LexicalErrorType::PositionalArgumentError | LexicalErrorType::UnpackedArgumentError => {
            SyntaxErrorKind::PositionalAfterKeyword
        }
        LexicalErrorType::DuplicateKeywordArgumentError(name) => {
            SyntaxErrorKind::DuplicateKeyword { name: name.into() }
        }
        LexicalErrorType::UnrecognizedToken { tok } => SyntaxErrorKind::InvalidCharacter { found: tok },
        LexicalErrorType::FStringError(_) => SyntaxErrorKind::InvalidFString,
        LexicalErrorType::LineContinuationError => SyntaxErrorKind::BadContinuation,
        LexicalErrorType::Eof => SyntaxErrorKind::UnexpectedEndOfText,
        // Reported for numbers only.
        LexicalErrorType::OtherError(detail)
            if matches!(&*detail, "Invalid Syntax" | "Invalid Token" | "Invalid decimal literal") =>
        {
            SyntaxErrorKind::InvalidNumber
        }
        LexicalErrorType::OtherError(detail) if detail.contains("literal") => SyntaxErrorKind::InvalidString,
        LexicalErrorType::NestingError => return None,
        LexicalErrorType::OtherError(_) => SyntaxErrorKind::Other,
    })
}
