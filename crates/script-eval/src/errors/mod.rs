//! Errors of reading a script.
//!
//! A [`ParseError`] has a typed kind, labels (the first one is primary), notes and a suggested fix. Errors are
//! collected: code that finds one records it and returns [`Reported`], and callers stay silent. Names whose definition
//! failed are poisoned, so that their uses stay silent too. [`render`] formats errors for people, [`diagnostics`] for
//! programs.

pub mod escape;
mod host;
mod json;
mod kind;
mod literal;
mod position;
mod render;
pub mod suggest;

pub use host::{HostError, HostErrorKind};
pub use json::{Diagnostic, DiagnosticLabel, diagnostics};
pub use kind::ParseErrorKind;
pub(crate) use literal::place_in_literal;
pub use position::{LineIndex, Position};
pub use render::render;

use tvmscript_python_syntax::ast::TextRange;

/// Marks an error that was recorded already; callers report nothing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Reported(pub(crate) ());

impl Reported {
    /// For a failure that follows from an error recorded elsewhere.
    pub fn already() -> Reported {
        Reported(())
    }
}

/// A result whose error was recorded already.
pub type Result<T, E = Reported> = std::result::Result<T, E>;

/// A labelled range of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Byte range.
    pub range: TextRange,
    /// The label's text; empty if the message says it all.
    pub text: String,
}

/// A diagnostic. The first label is the primary one, the others explain it.
#[derive(Debug, Clone, PartialEq)]
pub struct ParseError {
    /// Kind.
    pub kind: ParseErrorKind,
    /// Severity.
    pub severity: Severity,
    /// Labels.
    pub labels: Vec<Label>,
    /// Notes.
    pub notes: Vec<String>,
    /// A suggested fix.
    pub help: Option<String>,
}

impl ParseError {
    /// An error at a range.
    pub fn new(kind: impl Into<ParseErrorKind>, range: TextRange) -> ParseError {
        let label = Label { range, text: String::new() };
        let severity = Severity::Error;
        ParseError { kind: kind.into(), severity, labels: vec![label], notes: Vec::new(), help: None }
    }

    /// A warning at a range.
    pub fn warning(kind: impl Into<ParseErrorKind>, range: TextRange) -> ParseError {
        ParseError { severity: Severity::Warning, ..ParseError::new(kind, range) }
    }

    /// A note at a range; nothing has to change.
    pub(crate) fn note_at(kind: impl Into<ParseErrorKind>, range: TextRange) -> ParseError {
        ParseError { severity: Severity::Note, ..ParseError::new(kind, range) }
    }

    /// Tests whether this is an error, not a warning or note.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The range of the primary label.
    pub fn range(&self) -> TextRange {
        self.labels.first().map_or(TextRange::default(), |l| l.range)
    }

    /// Adds a call site as a label, unless there are enough labels already.
    pub(crate) fn called_from(&mut self, range: TextRange) {
        if self.labels.len() < 4 && self.labels.iter().all(|label| label.range != range) {
            self.labels.push(Label { range, text: "called from here".to_owned() });
        }
    }

    /// Adds a suggested fix, unless there is one.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> ParseError {
        self.help.get_or_insert(help.into());
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> ParseError {
        self.notes.push(note.into());
        self
    }

    /// Adds a secondary label.
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

/// Severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Severity {
    /// Information; nothing has to change.
    Note,
    /// Something was left out or guessed; what was read is right.
    Warning,
    /// An error: the enclosing definition is not read.
    #[default]
    Error,
}

impl Severity {
    /// The lower-case name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}
