//! Diagnostics in a machine-readable form.

use serde::Serialize;

use super::{LineIndex, ParseError, Position, escape};

/// A diagnostic with positions instead of byte ranges, for serialization.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Stable code, e.g. `E0201`.
    pub code: &'static str,
    /// Name of the kind, e.g. `undefined-name`.
    pub kind: &'static str,
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// The message.
    pub message: String,
    /// Start of the primary label.
    pub start: Position,
    /// End of the primary label.
    pub end: Position,
    /// Secondary labels.
    pub labels: Vec<DiagnosticLabel>,
    /// Notes.
    pub notes: Vec<String>,
    /// A suggested fix.
    pub help: Option<String>,
}

/// A secondary label of a [`Diagnostic`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DiagnosticLabel {
    /// The label's text.
    pub message: String,
    /// Start of the labelled text.
    pub start: Position,
    /// End of the labelled text.
    pub end: Position,
}

/// Converts diagnostics to their machine-readable form, in the given order.
pub fn diagnostics(errors: &[ParseError], text: &str) -> Vec<Diagnostic> {
    let lines = LineIndex::new(text);
    let words = |text: &str| escape::message(text).into_owned();
    let diagnostic = |error: &ParseError| {
        let range = error.range();
        Diagnostic {
            code: error.kind.code(),
            kind: error.kind.name(),
            severity: error.severity.name(),
            message: words(&error.kind.to_string()),
            start: lines.position(range.start as usize),
            end: lines.position(range.end as usize),
            labels: error
                .labels
                .iter()
                .skip(1)
                .map(|label| DiagnosticLabel {
                    message: words(&label.text),
                    start: lines.position(label.range.start as usize),
                    end: lines.position(label.range.end as usize),
                })
                .collect(),
            notes: error.notes.iter().map(|note| words(note)).collect(),
            help: error.help.as_deref().map(words),
        }
    };
    errors.iter().map(diagnostic).collect()
}
