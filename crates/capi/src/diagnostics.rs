//! Lists of diagnostics.

use std::sync::Arc;

use tvmscript::diagnostics::{
    self, Diagnostic, DiagnosticKind as _, ErrorCode, LineIndex, Message, Report, Severity,
};
use tvmscript::ir_core::json::SaveError;
use tvmscript::ir_core::registry::INVARIANT;
use tvmscript::{DiagnosticOptions, DocsifyError, JsonError, Object, RewriteError};

use crate::plugin::PluginError;
use crate::program::{Origin, Part};

/// Diagnostics about one text or node, with their data.
pub(crate) struct Findings {
    found: Vec<Diagnostic>,
    pub(crate) reports: Vec<Report>,
    /// Name of the text.
    pub(crate) name: Arc<str>,
    text: Arc<str>,
    /// The node that labels are on, if it has no text.
    root: Option<(Object, Arc<Origin>)>,
}

/// Codes that the command declares for files, with the same meaning.
pub(crate) mod codes {
    use super::ErrorCode;

    pub(crate) static JSON: ErrorCode = ErrorCode {
        code: "E0803",
        name: "json",
        meaning: "The file begins like JSON of a node, but is not valid JSON, or names types and fields that do not exist.",
    };
    pub(crate) static NO_PROGRAM: ErrorCode = ErrorCode {
        code: "E0814",
        name: "no-program",
        meaning: "There is no program that builds the node: its text does not read back, or the builder got a value that has no text in host code.",
    };
    pub(crate) static LEFT_OUT: ErrorCode = ErrorCode {
        code: "E0805",
        name: "left-out",
        meaning: "The text leaves out the elements of a constant. Give the file that `print --constants-out` wrote with it.",
    };
}

impl Findings {
    fn new(
        found: Vec<Diagnostic>,
        name: Arc<str>,
        text: Arc<str>,
        root: Option<(Object, Arc<Origin>)>,
    ) -> Findings {
        let reports = diagnostics::reports(&found, &text);
        Findings { found, reports, name, text, root }
    }

    /// Diagnostics whose labels are on ranges of a text.
    pub(crate) fn in_text(found: Vec<Diagnostic>, origin: &Origin) -> Findings {
        Findings::new(found, Arc::clone(&origin.name), Arc::clone(&origin.text), None)
    }

    /// Diagnostics about a node: in its text if all labels are there, else in its printed form.
    pub(crate) fn of_part(found: Vec<Diagnostic>, part: &Part) -> Findings {
        let in_text = found.iter().flat_map(|found| &found.labels).all(|label| label.range().is_some());
        let root = (!in_text).then(|| (part.node.clone(), Arc::clone(&part.origin)));
        Findings::new(found, Arc::clone(&part.origin.name), Arc::clone(&part.origin.text), root)
    }

    /// Errors without places.
    pub(crate) fn of_messages(found: Vec<Diagnostic>, name: &str) -> Findings {
        Findings::new(found, name.into(), "".into(), None)
    }

    /// One error without a place.
    pub(crate) fn message(code: &'static ErrorCode, text: &str, name: &str) -> Findings {
        let diagnostic = Diagnostic::new(Message::new(code, text), 0..0);
        Findings::new(vec![diagnostic], name.into(), "".into(), None)
    }

    /// The error of loading JSON.
    pub(crate) fn of_json(error: &JsonError, name: &str, text: &str) -> Findings {
        let offset = LineIndex::new(text).position(error.offset_bytes).offset as u32;
        let diagnostic = Diagnostic::new(Message::new(&codes::JSON, error.to_string()), offset..offset);
        Findings::new(vec![diagnostic], name.into(), text.into(), None)
    }

    /// The error of printing.
    pub(crate) fn of_print(error: &DocsifyError, part: &Part) -> Findings {
        Findings::message(error.error_code(), &error.to_string(), &part.origin.name)
    }

    /// The error of a rewrite.
    pub(crate) fn of_rewrite(error: &RewriteError, part: &Part) -> Findings {
        Findings::message(error.error_code(), &error.to_string(), &part.origin.name)
    }

    /// The reason that a function of the caller gives for its failure.
    pub(crate) fn of_callback(message: &str) -> Findings {
        Findings::of_plugin(&PluginError::Callback { message: message.to_owned() }, "<callback>")
    }

    /// A node whose fields do not fit.
    pub(crate) fn ill_formed(message: &str) -> Findings {
        Findings::message(&INVARIANT, message, "<built>")
    }

    /// The error of loading a plugin or a description.
    pub(crate) fn of_plugin(error: &PluginError, name: &str) -> Findings {
        match error {
            PluginError::Description { found, text, .. } => {
                let found = found.iter().map(Diagnostic::erased).collect();
                Findings::new(found, name.into(), text.as_str().into(), None)
            }
            error => Findings::message(error.error_code(), &error.to_string(), name),
        }
    }

    /// The error of writing JSON.
    pub(crate) fn of_save(error: &SaveError, part: &Part) -> Findings {
        Findings::message(&codes::LEFT_OUT, &error.to_string(), &part.origin.name)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns `true` if there is an error among warnings and notes.
    pub(crate) fn has_errors(&self) -> bool {
        self.found.iter().any(|found| found.severity == Severity::Error)
    }

    /// Adds diagnostics about the same text.
    pub(crate) fn and(self, more: Vec<Diagnostic>, part: &Part) -> Findings {
        if more.is_empty() {
            return self;
        }
        let mut found = self.found;
        found.extend(more);
        Findings::of_part(found, part)
    }

    /// The diagnostics as a JSON array, as `tvmscript check --format json` writes them.
    pub(crate) fn json(&self) -> String {
        // Strings are always representable.
        serde_json::to_string(&self.reports).unwrap_or_default()
    }

    /// The diagnostics for people, with the lines that they are about.
    pub(crate) fn render(&self) -> String {
        if let Some((root, origin)) = &self.root {
            let name = format!("{} (printed)", self.name);
            let options = DiagnosticOptions { name: &name, ..DiagnosticOptions::default() };
            let rendered = tvmscript::render_diagnostics(root, origin.of_release(), &self.found, &options);
            if let Ok(rendered) = rendered {
                return rendered;
            }
        }
        diagnostics::render(&self.found, &self.name, &self.text, false)
    }
}
