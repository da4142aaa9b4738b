//! Diagnostics: messages about texts and about IR.
//!
//! A [`Diagnostic`] has a kind, which supplies message and stable code, and labels on ranges of a text, on spans, on
//! nodes or on access paths. Parsers use their own kinds; passes and checks make a [`Message`] from an [`ErrorCode`].
//! Nothing here renders: the crate `tvmscript-diagnostics` formats labels on texts, the docsifier locates nodes in
//! printed text first.
//!
//! ```
//! use tvmscript_ir_core::diagnostic::{Diagnostic, ErrorCode, Message, Severity};
//! use tvmscript_ir_core::{Array, ObjectLike, Value};
//!
//! static ODD: ErrorCode = ErrorCode { code: "X0001", name: "odd", meaning: "A list has an odd number of elements." };
//!
//! let list = Array::of_values([Value::Int(1)]).into_object();
//! let message = Message::new(&ODD, "this list has 1 element");
//! let diagnostic: Diagnostic = Diagnostic::warning(message, list).with_help("append an element");
//! assert_eq!(diagnostic.severity, Severity::Warning);
//! assert_eq!(diagnostic.code(), "X0001");
//! assert_eq!(diagnostic.to_string(), "this list has 1 element");
//! ```

mod anchor;
mod code;
mod fix;

use std::fmt;
use std::ops::Range;

use crate::access_path::AccessPath;

pub use anchor::{Anchor, IntoAnchor};
pub use code::{DiagnosticKind, ErrorCode, Message};
pub use fix::{Applicability, Fix, TextEdit};

/// Severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Severity {
    /// Advice on how to continue.
    Help,
    /// Information; nothing has to change.
    Note,
    /// Something was left out, guessed or is suspicious; what was read is right.
    Warning,
    /// An error: the input has to change.
    #[default]
    Error,
}

impl Severity {
    /// The lower-case name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Help => "help",
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A labelled place.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// The place.
    pub at: Anchor,
    /// The label's text; empty if the message says it all.
    pub text: String,
}

impl Label {
    /// A label with its text.
    pub fn new(at: impl IntoAnchor, text: impl Into<String>) -> Label {
        Label { at: at.into_anchor(), text: text.into() }
    }

    /// The range of the diagnosed text, if the label is on one.
    pub fn range(&self) -> Option<Range<u32>> {
        match &self.at {
            Anchor::Text(range) => Some(range.clone()),
            _ => None,
        }
    }
}

/// A diagnostic of kind `K`. The first label is the primary one, the others explain it.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic<K = Message> {
    /// Kind: code and message.
    pub kind: K,
    /// Severity.
    pub severity: Severity,
    /// Labels.
    pub labels: Vec<Label>,
    /// Notes.
    pub notes: Vec<String>,
    /// A suggested fix in words.
    pub help: Option<String>,
    /// Suggested fixes as edits of the text; at most one of them is meant to be applied.
    pub fixes: Vec<Fix>,
}

impl<K> Diagnostic<K> {
    /// An error at a range, span, node or path.
    pub fn new(kind: impl Into<K>, at: impl IntoAnchor) -> Diagnostic<K> {
        let labels = vec![Label::new(at, "")];
        let severity = Severity::Error;
        Diagnostic { kind: kind.into(), severity, labels, notes: Vec::new(), help: None, fixes: Vec::new() }
    }

    /// A warning.
    pub fn warning(kind: impl Into<K>, at: impl IntoAnchor) -> Diagnostic<K> {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::new(kind, at) }
    }

    /// A note; nothing has to change.
    pub fn note_at(kind: impl Into<K>, at: impl IntoAnchor) -> Diagnostic<K> {
        Diagnostic { severity: Severity::Note, ..Diagnostic::new(kind, at) }
    }

    /// Advice.
    pub fn help_at(kind: impl Into<K>, at: impl IntoAnchor) -> Diagnostic<K> {
        Diagnostic { severity: Severity::Help, ..Diagnostic::new(kind, at) }
    }

    /// The same diagnostic with another kind.
    pub fn map<L>(self, f: impl FnOnce(K) -> L) -> Diagnostic<L> {
        let Diagnostic { kind, severity, labels, notes, help, fixes } = self;
        Diagnostic { kind: f(kind), severity, labels, notes, help, fixes }
    }

    /// Tests whether this is an error, not a warning, note or advice.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The range of the primary label in the diagnosed text; empty if the label is on a node.
    pub fn range(&self) -> Range<u32> {
        self.labels.first().and_then(Label::range).unwrap_or(0..0)
    }

    /// The access path of the primary label, if it is on one.
    pub fn path(&self) -> Option<&AccessPath> {
        match &self.labels.first()?.at {
            Anchor::Path { path, .. } => Some(path),
            _ => None,
        }
    }

    /// Adds a call site as a label, unless there are enough labels already.
    pub fn called_from(&mut self, at: impl IntoAnchor) {
        let at = at.into_anchor();
        if self.labels.len() < 4 && self.labels.iter().all(|label| label.at != at) {
            self.labels.push(Label { at, text: "called from here".to_owned() });
        }
    }

    /// The same diagnostic of another kind.
    #[must_use]
    pub fn with_kind<J>(self, kind: J) -> Diagnostic<J> {
        let Diagnostic { kind: _, severity, labels, notes, help, fixes } = self;
        Diagnostic { kind, severity, labels, notes, help, fixes }
    }

    /// Sets the text of the primary label.
    #[must_use]
    pub fn labelled(mut self, text: impl Into<String>) -> Diagnostic<K> {
        if let Some(label) = self.labels.first_mut() {
            label.text = text.into();
        }
        self
    }

    /// Adds a suggested fix, unless there is one.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Diagnostic<K> {
        self.help.get_or_insert(help.into());
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Diagnostic<K> {
        self.notes.push(note.into());
        self
    }

    /// Adds a secondary label.
    #[must_use]
    pub fn with_label(mut self, at: impl IntoAnchor, text: impl Into<String>) -> Diagnostic<K> {
        self.labels.push(Label::new(at, text));
        self
    }

    /// Adds a fix.
    #[must_use]
    pub fn with_fix(mut self, fix: Fix) -> Diagnostic<K> {
        self.fixes.push(fix);
        self
    }
}

impl<K: DiagnosticKind> Diagnostic<K> {
    /// The stable code, e.g. `E0201`.
    pub fn code(&self) -> &'static str {
        self.kind.error_code().code
    }

    /// The same diagnostic with its message as text.
    pub fn erased(&self) -> Diagnostic {
        Diagnostic {
            kind: Message::new(self.kind.error_code(), self.kind.to_string()),
            severity: self.severity,
            labels: self.labels.clone(),
            notes: self.notes.clone(),
            help: self.help.clone(),
            fixes: self.fixes.clone(),
        }
    }
}

impl<K: fmt::Display> fmt::Display for Diagnostic<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl<K: fmt::Display + fmt::Debug> std::error::Error for Diagnostic<K> {}
