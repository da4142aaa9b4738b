//! Diagnostics in a machine-readable form.

use serde::Serialize;
use tvmscript_ir_core::diagnostic::{Anchor, Diagnostic, DiagnosticKind, ErrorCode, Fix, Label, Severity};

use crate::escape;
use crate::position::{LineIndex, Position};

/// A diagnostic with positions instead of byte ranges, for serialization.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Stable code, e.g. `E0201`.
    pub code: &'static str,
    /// Name of the kind, e.g. `undefined-name`.
    pub kind: &'static str,
    /// `error`, `warning`, `note` or `help`.
    pub severity: &'static str,
    /// The message.
    pub message: String,
    /// Start of the primary label; the start of the text if it is on a node.
    pub start: Position,
    /// End of the primary label.
    pub end: Position,
    /// Access path of the primary label, if it is on a part of the IR.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Secondary labels.
    pub labels: Vec<ReportLabel>,
    /// Notes.
    pub notes: Vec<String>,
    /// A suggested fix in words.
    pub help: Option<String>,
    /// Suggested fixes as edits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fixes: Vec<ReportFix>,
}

impl Report {
    /// An error at a range, without labels.
    pub fn new(code: &ErrorCode, message: &str, start: Position, end: Position) -> Report {
        Report {
            code: code.code,
            kind: code.name,
            severity: Severity::Error.name(),
            message: escape::message(message).into_owned(),
            start,
            end,
            path: None,
            labels: Vec::new(),
            notes: Vec::new(),
            help: None,
            fixes: Vec::new(),
        }
    }
}

/// A secondary label of a [`Report`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReportLabel {
    /// The label's text.
    pub message: String,
    /// Start of the labelled text.
    pub start: Position,
    /// End of the labelled text.
    pub end: Position,
    /// Access path, if the label is on a part of the IR.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// A fix of a [`Report`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReportFix {
    /// Description of the fix.
    pub title: String,
    /// `certain` or `uncertain`.
    pub applicability: &'static str,
    /// The edits.
    pub edits: Vec<ReportEdit>,
}

/// An edit of a [`ReportFix`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReportEdit {
    /// Start of the replaced text.
    pub start: Position,
    /// End of the replaced text.
    pub end: Position,
    /// The new text.
    pub replacement: String,
}

/// Converts diagnostics to their machine-readable form, in the given order.
pub fn reports<K: DiagnosticKind>(diagnostics: &[Diagnostic<K>], text: &str) -> Vec<Report> {
    let lines = LineIndex::new(text);
    diagnostics.iter().map(|diagnostic| report(diagnostic, &lines)).collect()
}

fn report<K: DiagnosticKind>(diagnostic: &Diagnostic<K>, lines: &LineIndex<'_>) -> Report {
    let words = |text: &str| escape::message(text).into_owned();
    let position = |offset: u32| lines.position(offset as usize);
    let ends = |label: &Label| {
        let range = label.range().unwrap_or(0..0);
        (position(range.start), position(range.end))
    };
    let code = diagnostic.kind.error_code();
    let range = diagnostic.range();
    let secondary = |label: &Label| {
        let (start, end) = ends(label);
        ReportLabel { message: words(&label.text), start, end, path: path_of(label) }
    };
    let fix = |fix: &Fix| ReportFix {
        title: words(&fix.title),
        applicability: fix.applicability.name(),
        edits: fix
            .edits
            .iter()
            .map(|edit| ReportEdit {
                start: position(edit.range.start),
                end: position(edit.range.end),
                replacement: edit.replacement.clone(),
            })
            .collect(),
    };
    Report {
        code: code.code,
        kind: code.name,
        severity: diagnostic.severity.name(),
        message: words(&diagnostic.to_string()),
        start: position(range.start),
        end: position(range.end),
        path: diagnostic.labels.first().and_then(path_of),
        labels: diagnostic.labels.iter().skip(1).map(secondary).collect(),
        notes: diagnostic.notes.iter().map(|note| words(note)).collect(),
        help: diagnostic.help.as_deref().map(words),
        fixes: diagnostic.fixes.iter().map(fix).collect(),
    }
}

/// The access path of a label on a part of the IR.
pub(crate) fn path_of(label: &Label) -> Option<String> {
    match &label.at {
        Anchor::Path { path, .. } => Some(path.to_string()),
        _ => None,
    }
}
