//! Why a file has no answer: for people on standard error, for programs as JSON.

use std::path::Path;

use serde_json::{Value, json};
use tvmscript::ir::constants::StoreError;
use tvmscript::ir_core::LeftOut;
use tvmscript::script_parser::errors;
use tvmscript::{DocsifyError, JsonError};

use crate::input::{Source, display_name};
use crate::internal::InternalError;
use crate::place::Place;

/// A file that has no answer: why, and its text if it was read.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) failure: Failure,
    pub(crate) source: Option<Source>,
}

impl Failed {
    pub(crate) fn new(failure: Failure, source: Option<Source>) -> Box<Failed> {
        Box::new(Failed { failure, source })
    }

    /// What a command says of the file.
    pub(crate) fn render(&self, path: &Path, color: bool) -> String {
        self.failure.render(&display_name(path), self.source.as_ref(), color)
    }
}

/// Why a file has no answer: one variant, one cause.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The file cannot be read.
    Unreadable {
        /// The system's words.
        reason: String,
    },
    /// The file is not UTF-8.
    NotText {
        /// What stands before the first wrong byte.
        before: String,
        /// The first wrong byte.
        byte: u8,
    },
    /// The script has mistakes.
    Script {
        /// All of them, in order of place.
        errors: Vec<errors::ParseError>,
    },
    /// The script can be read, but is not well-formed.
    IllFormed {
        /// All mistakes, in order of place.
        errors: Vec<errors::ParseError>,
    },
    /// The text is JSON, but not that of a node.
    Json(JsonError),
    /// The file holds no constants.
    Constants(StoreError),
    /// Elements are needed that the text leaves out.
    LeftOut(LeftOut),
    /// The node cannot be printed.
    Unprintable(Box<DocsifyError>),
    /// A path of the command line leads nowhere.
    Path(crate::paths::PathError),
    /// A bug of ours.
    Internal(InternalError),
}

impl From<InternalError> for Failure {
    fn from(error: InternalError) -> Failure {
        Failure::Internal(error)
    }
}

impl Failure {
    /// The failure in words, with the lines it speaks of where there are any.
    pub(crate) fn render(&self, name: &str, source: Option<&Source>, color: bool) -> String {
        match self {
            Failure::Script { errors } | Failure::IllFormed { errors } => {
                let text = source.map_or("", |s| s.text.as_str());
                errors::render(errors, name, text, color)
            }
            Failure::Internal(error) => format!("{name}: {error}\n"),
            _ => {
                let (start, _) = self.places(source);
                let at = match self {
                    Failure::Unreadable { .. } | Failure::Unprintable(_) | Failure::Path(_) => {
                        name.to_owned()
                    }
                    _ => format!("{name}:{}:{}", start.line, start.column),
                };
                format!("error: {at}: {}\n", self.message())
            }
        }
    }

    /// The failure in one line, for lists of files.
    pub(crate) fn one_line(&self, source: Option<&Source>) -> String {
        match self {
            Failure::Script { errors } | Failure::IllFormed { errors } => {
                let text = source.map_or("", |s| s.text.as_str());
                let Some(first) = errors.first() else { return "no script".to_owned() };
                let place = Place::of(text, first.range().start as usize);
                let more = match errors.len() - 1 {
                    0 => String::new(),
                    n => format!(" (and {n} more)"),
                };
                format!("{}:{}: {first}{more}", place.line, place.column)
            }
            _ => self.message().lines().next().unwrap_or_default().to_owned(),
        }
    }

    fn message(&self) -> String {
        match self {
            Failure::Unreadable { reason } => reason.clone(),
            Failure::NotText { byte, .. } => format!("not UTF-8 text: byte 0x{byte:02x}"),
            Failure::Script { .. } | Failure::IllFormed { .. } => String::new(),
            Failure::Json(error) => error.to_string(),
            Failure::Constants(error) => error.to_string(),
            Failure::LeftOut(error) => error.to_string(),
            Failure::Unprintable(error) => format!("cannot be printed: {error}"),
            Failure::Path(error) => error.to_string(),
            Failure::Internal(error) => error.to_string(),
        }
    }

    fn places(&self, source: Option<&Source>) -> (Place, Place) {
        match self {
            Failure::NotText { before, .. } => {
                let start = Place::of(before, before.len());
                (start, Place { column: start.column + 1, offset: start.offset + 1, ..start })
            }
            Failure::Json(error) => {
                let place = source.map_or(Place::START, |s| Place::of(&s.text, error.offset_bytes));
                (place, place)
            }
            _ => (Place::START, Place::START),
        }
    }

    /// The mistakes as objects: `{"kind", "message", "start", "end", "notes"}`.
    pub(crate) fn to_json(&self, source: Option<&Source>) -> Vec<Value> {
        let kind = match self {
            Failure::Script { errors } => {
                let text = source.map_or("", |s| s.text.as_str());
                return serde_json::from_str(&errors::to_json(errors, text)).unwrap_or_default();
            }
            Failure::IllFormed { errors } => {
                let text = source.map_or("", |s| s.text.as_str());
                let found = serde_json::from_str::<Vec<Value>>(&errors::to_json(errors, text));
                let mut found = found.unwrap_or_default();
                for error in &mut found {
                    error["kind"] = json!("ill-formed");
                }
                return found;
            }
            Failure::Unreadable { .. } => "unreadable",
            Failure::NotText { .. } => "not-utf8",
            Failure::Constants(_) => "constants",
            Failure::LeftOut(_) => "left-out",
            Failure::Json(_) => "json",
            Failure::Unprintable(_) => "unprintable",
            Failure::Path(_) => "path",
            Failure::Internal(_) => "internal",
        };
        let (start, end) = self.places(source);
        vec![json!({
            "kind": kind,
            "message": self.message(),
            "start": start.to_json(),
            "end": end.to_json(),
            "notes": [],
        })]
    }
}
