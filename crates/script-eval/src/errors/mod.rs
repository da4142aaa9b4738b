//! Errors of reading a script: what, where, and what to do about it.
//!
//! A [`ParseError`] has a typed kind, labelled places (the first is the primary one), notes and help. They are collected:
//! whoever meets an error records it with the parser and gets a [`Reported`], which says that nothing more needs to be
//! said; names whose definition failed are poisoned, and using one is silent. [`render`] shows errors to people,
//! [`diagnostics`] to programs.

pub mod escape;
mod host;
mod json;
mod kind;
mod literal;
mod position;
mod render;
mod severity;
pub mod suggest;

pub use host::{HostError, HostErrorKind};
pub use json::{Diagnostic, DiagnosticLabel, diagnostics};
pub use kind::ParseErrorKind;
pub(crate) use literal::place_in_literal;
pub use position::{LineIndex, Position};
pub use render::render;
pub use severity::Severity;

use tvmscript_python_syntax::ast::TextRange;

/// An error was recorded already; whoever gets this says nothing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Reported(pub(crate) ());

impl Reported {
    /// For a failure that follows from an error which was recorded elsewhere.
    pub fn already() -> Reported {
        Reported(())
    }
}

/// A result whose error was recorded already.
pub type Result<T, E = Reported> = std::result::Result<T, E>;

/// A place that an error speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The bytes of the text.
    pub range: TextRange,
    /// What is to be seen there; empty where the message says it all.
    pub text: String,
}

/// An error with the places it speaks of: the first label is the primary one, the rest explain it.
#[derive(Debug, Clone, PartialEq)]
pub struct ParseError {
    /// What is wrong.
    pub kind: ParseErrorKind,
    /// How serious it is.
    pub severity: Severity,
    /// Where.
    pub labels: Vec<Label>,
    /// What else helps to see it.
    pub notes: Vec<String>,
    /// How to mend it.
    pub help: Option<String>,
}

impl ParseError {
    /// An error at a place.
    pub fn new(kind: impl Into<ParseErrorKind>, range: TextRange) -> ParseError {
        let label = Label { range, text: String::new() };
        let severity = Severity::Error;
        ParseError { kind: kind.into(), severity, labels: vec![label], notes: Vec::new(), help: None }
    }

    /// A warning at a place.
    pub fn warning(kind: impl Into<ParseErrorKind>, range: TextRange) -> ParseError {
        ParseError { severity: Severity::Warning, ..ParseError::new(kind, range) }
    }

    /// A note at a place: nothing has to be changed.
    pub fn note_at(kind: impl Into<ParseErrorKind>, range: TextRange) -> ParseError {
        ParseError { severity: Severity::Note, ..ParseError::new(kind, range) }
    }

    /// Whether it is a mistake, not a warning or note.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The primary place.
    pub fn range(&self) -> TextRange {
        self.labels.first().map_or(TextRange::default(), |l| l.range)
    }

    /// Says from where the code was called in which the error lies; the innermost few calls are kept.
    pub(crate) fn called_from(&mut self, range: TextRange) {
        if self.labels.len() < 4 && self.labels.iter().all(|label| label.range != range) {
            self.labels.push(Label { range, text: "called from here".to_owned() });
        }
    }

    /// The same error, with how to mend it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> ParseError {
        self.help.get_or_insert(help.into());
        self
    }

    /// The same error, with a further note.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> ParseError {
        self.notes.push(note.into());
        self
    }

    /// The same error, with a further place.
    #[must_use]
    pub fn with_label(mut self, range: TextRange, text: impl Into<String>) -> ParseError {
        self.labels.push(Label { range, text: text.into() });
        self
    }
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for ParseError {}

impl From<tvmscript_python_syntax::SyntaxError> for ParseError {
    fn from(error: tvmscript_python_syntax::SyntaxError) -> ParseError {
        let mut out = ParseError::new(ParseErrorKind::Syntax(error.kind), error.range);
        out.notes.extend(error.detail.map(String::from));
        out.help = error.help.map(String::from);
        if let Some((range, text)) = error.related {
            out.labels.push(Label { range, text: text.to_owned() });
        }
        out
    }
}
