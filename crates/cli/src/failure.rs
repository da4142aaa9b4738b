//! Failures of files, rendered for people or as JSON.

use std::path::Path;

use tvmscript::interpreter::RunError;
use tvmscript::ir::constants::StoreError;
use tvmscript::ir_core::LeftOut;
use tvmscript::passes::PassError;
use tvmscript::python_syntax::ast::TextRange;
use tvmscript::script_eval::errors::{self, Diagnostic, LineIndex, Position};
use tvmscript::{DocsifyError, JsonError};

use crate::input::{Source, display_name};
use crate::internal::InternalError;

/// A failure, with the text of the file if it was read.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) failure: Failure,
    pub(crate) source: Option<Source>,
}

impl Failed {
    pub(crate) fn new(failure: Failure, source: Option<Source>) -> Box<Failed> {
        Box::new(Failed { failure, source })
    }

    /// The failure as text with source lines.
    pub(crate) fn render(&self, path: &Path, color: bool) -> String {
        self.failure.render(&display_name(path), self.source.as_ref(), color)
    }
}

/// Cause of a failure.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The file cannot be read.
    Unreadable { reason: String },
    /// The file is larger than `limit` bytes.
    TooLarge { limit: u32 },
    /// The file is not UTF-8 at `byte`, which follows the text `before`.
    NotText { before: String, byte: u8 },
    /// The script has errors, in source order.
    Script { errors: Vec<errors::ParseError> },
    /// The script parses but is not well-formed; errors in source order.
    IllFormed { errors: Vec<errors::ParseError> },
    /// The text is JSON but not that of a node.
    Json(JsonError),
    /// The file contains no constants.
    Constants(StoreError),
    /// The text leaves out elements that are needed.
    LeftOut(LeftOut),
    /// The node cannot be printed.
    Unprintable(Box<DocsifyError>),
    /// An access path on the command line does not exist.
    Path(crate::paths::PathError),
    /// A pass failed.
    Pass(PassError),
    /// The file has no TIR function, or none of this name, which is quoted after a space.
    NoFunction { name: String },
    /// A function cannot be run.
    Run { function: String, error: RunError, range: Option<TextRange> },
    /// A bug in this program.
    Internal(InternalError),
}

impl From<InternalError> for Failure {
    fn from(error: InternalError) -> Failure {
        Failure::Internal(error)
    }
}

impl Failure {
    /// The failure as text, with source lines if it has a position.
    pub(crate) fn render(&self, name: &str, source: Option<&Source>, color: bool) -> String {
        match self {
            Failure::Script { errors } | Failure::IllFormed { errors } => {
                let text = source.map_or("", |s| s.text.as_str());
                errors::render(errors, name, text, color)
            }
            Failure::Internal(error) => format!("{}: {error}\n", errors::escape::name(name)),
            _ => {
                let (start, _) = self.range(source);
                let name = errors::escape::name(name);
                let at = match self {
                    Failure::Unreadable { .. }
                    | Failure::TooLarge { .. }
                    | Failure::Unprintable(_)
                    | Failure::Path(_)
                    | Failure::NoFunction { .. }
                    | Failure::Pass(_) => name.into_owned(),
                    _ => format!("{name}:{}:{}", start.line, start.column),
                };
                format!("error: {at}: {}\n", errors::escape::message(&self.message()))
            }
        }
    }

    /// The failure in one line, for lists of files.
    pub(crate) fn one_line(&self, source: Option<&Source>) -> String {
        match self {
            Failure::Script { errors } | Failure::IllFormed { errors } => {
                let text = source.map_or("", |s| s.text.as_str());
                let mut mistakes = errors.iter().filter(|error| error.is_error());
                let Some(first) = mistakes.next() else { return "no script".to_owned() };
                let place = LineIndex::new(text).position(first.range().start as usize);
                let more = match mistakes.count() {
                    0 => String::new(),
                    n => format!(" (and {n} more)"),
                };
                let message = first.to_string();
                format!("{}:{}: {}{more}", place.line, place.column, errors::escape::message(&message))
            }
            _ => errors::escape::message(self.message().lines().next().unwrap_or_default()).into_owned(),
        }
    }

    fn message(&self) -> String {
        match self {
            Failure::Unreadable { reason } => reason.clone(),
            Failure::TooLarge { limit } => {
                format!("larger than {limit} bytes; `--max-input-bytes` sets another limit")
            }
            Failure::NotText { byte, .. } => format!("not UTF-8 text: byte 0x{byte:02x}"),
            Failure::Script { .. } | Failure::IllFormed { .. } => String::new(),
            Failure::Json(error) => error.to_string(),
            Failure::Constants(error) => error.to_string(),
            Failure::LeftOut(error) => error.to_string(),
            Failure::Unprintable(error) => format!("cannot be printed: {error}"),
            Failure::Path(error) => error.to_string(),
            Failure::Pass(error) => error.to_string(),
            Failure::NoFunction { name } => format!("no TIR function{name} to run"),
            Failure::Run { function, error, .. } => format!("in `{function}`: {error}"),
            Failure::Internal(error) => error.to_string(),
        }
    }

    /// Range of the failure; the start of the file if the failure has none.
    fn range(&self, source: Option<&Source>) -> (Position, Position) {
        match self {
            Failure::NotText { before, .. } => {
                let start = LineIndex::new(before).position(before.len());
                (start, Position { column: start.column + 1, offset: start.offset + 1, ..start })
            }
            Failure::Run { range, .. } => {
                let text = source.map_or("", |s| s.text.as_str());
                let index = LineIndex::new(text);
                match range {
                    Some(range) => (index.position(range.start as usize), index.position(range.end as usize)),
                    None => (Position::START, Position::START),
                }
            }
            Failure::Json(error) => {
                let text = source.map_or("", |s| s.text.as_str());
                let position = LineIndex::new(text).position(error.offset_bytes);
                (position, position)
            }
            _ => (Position::START, Position::START),
        }
    }

    /// The errors as JSON data.
    pub(crate) fn diagnostics(&self, source: Option<&Source>) -> Vec<Diagnostic> {
        let (code, kind) = match self {
            Failure::Script { errors } | Failure::IllFormed { errors } => {
                return errors::diagnostics(errors, source.map_or("", |s| s.text.as_str()));
            }
            Failure::Unreadable { .. } => ("E0801", "unreadable"),
            Failure::TooLarge { .. } => ("E0808", "too-large"),
            Failure::NotText { .. } => ("E0802", "not-utf8"),
            Failure::Json(_) => ("E0803", "json"),
            Failure::Constants(_) => ("E0804", "constants"),
            Failure::LeftOut(_) => ("E0805", "left-out"),
            Failure::Unprintable(_) => ("E0806", "unprintable"),
            Failure::Path(_) => ("E0807", "path"),
            Failure::Pass(_) => ("E0809", "pass"),
            Failure::NoFunction { .. } => ("E0810", "no-function"),
            Failure::Run { .. } => ("E0811", "run"),
            Failure::Internal(_) => ("E0899", "internal"),
        };
        let (start, end) = self.range(source);
        vec![Diagnostic {
            code,
            kind,
            severity: "error",
            message: errors::escape::message(&self.message()).into_owned(),
            start,
            end,
            labels: Vec::new(),
            notes: Vec::new(),
            help: None,
        }]
    }
}
