//! Diagnostics about the nodes of scripts, of well-formedness checks and passes, at their places in the text.

use tvmscript::Registry;
use tvmscript::diagnostics::{Anchor, Diagnostic, Severity};
use tvmscript::ir_core::{Object, Span, SpanKind};
use tvmscript::pass::PassError;
use tvmscript::python_syntax::ast::TextRange;

use crate::input::Script;

/// The errors of a file's scripts.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    /// Errors with a position in the text, in source order.
    pub(crate) in_text: Vec<Diagnostic>,
    /// Errors of scripts without text, such as JSON, with their root. Labels are on access paths.
    pub(crate) in_ir: Vec<(Object, Vec<Diagnostic>)>,
}

impl Errors {
    /// Takes out the notes.
    pub(crate) fn take_notes(&mut self) -> Vec<Diagnostic> {
        self.in_text.extract_if(.., |diagnostic| diagnostic.severity == Severity::Note).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.in_text.is_empty() && self.in_ir.is_empty()
    }
}

/// The dialects of a script's release, which have the checks of its programs.
pub(crate) fn dialects_of<'r>(script: &Script, registry: &'r Registry) -> &'r Registry {
    registry.of_release(script.release).unwrap_or(registry)
}

/// Checks the scripts whose decorator does not disable it.
pub(crate) fn errors(scripts: &[Script], registry: &Registry) -> Errors {
    let mut errors = Errors::default();
    for script in scripts.iter().filter(|script| script.is_checked) {
        let found = dialects_of(script, registry).check(&script.node);
        if script.range.is_empty() && !found.is_empty() {
            errors.in_ir.push((script.node.clone(), found));
        } else {
            let is_note = script.release.syntax.may_be_ill_formed;
            let severity = if is_note { Severity::Note } else { Severity::Error };
            let found =
                found.into_iter().map(|diagnostic| Diagnostic { severity, ..in_text(script, diagnostic) });
            errors.in_text.extend(found);
        }
    }
    errors.in_text.sort_by_key(|error| (error.range().start, error.range().end));
    errors
}

/// An error of a pass over a script: in the text of the script if its place comes from there, else in the printed input
/// of the pass.
pub(crate) fn of_pass(script: &Script, error: &PassError) -> Errors {
    let mut errors = Errors::default();
    let mut diagnostic = error.diagnostic().clone();
    if let Some(pass) = error.pass() {
        diagnostic.notes.push(format!("in the pass `{pass}`"));
    }
    let place = diagnostic.labels.first().map(|label| &label.at);
    match (error.root(), place) {
        (Some(root), Some(place)) if range(script, place.span(root)).is_none() => {
            errors.in_ir.push((root.clone(), vec![diagnostic]));
        }
        (root, _) => errors.in_text.push(located(script, root.unwrap_or(&script.node), diagnostic)),
    }
    errors
}

/// Moves the labels to ranges of the text.
pub(crate) fn in_text(script: &Script, diagnostic: Diagnostic) -> Diagnostic {
    located(script, &script.node, diagnostic)
}

/// Moves the labels on parts of a root to ranges of the text.
fn located(script: &Script, root: &Object, mut diagnostic: Diagnostic) -> Diagnostic {
    let labels = std::mem::take(&mut diagnostic.labels);
    for (index, mut label) in labels.into_iter().enumerate() {
        match (range(script, label.at.span(root)), &label.at) {
            (Some(range), _) => {
                label.at = Anchor::Text(range.into());
                diagnostic.labels.push(label);
            }
            // A node without a source position is identified by its access path.
            (None, Anchor::Path { path, .. }) if index == 0 => {
                diagnostic.notes.insert(0, format!("at {path}"));
                label.at = Anchor::Text(script.range.into());
                diagnostic.labels.push(label);
            }
            _ if label.text.is_empty() => {}
            _ => diagnostic.notes.push(label.text),
        }
    }
    diagnostic
}

/// The range of a span in the text of a script: for a node that a helper made, the call in the script; for a span that a
/// marker states, the statement with the marker.
pub(crate) fn range(script: &Script, span: Span) -> Option<TextRange> {
    let origin = script.origin.as_ref()?;
    let mut at = span;
    loop {
        at = match at.kind() {
            SpanKind::Range { source, start_bytes, end_bytes } if source == origin.source => {
                return Some(TextRange::new(start_bytes, end_bytes));
            }
            SpanKind::CallSite { caller, .. } => caller,
            _ => break,
        };
    }
    let stmt = origin.comments.stmts_of(span).into_iter().next()?;
    let stmt = origin.comments.stmts().get(stmt)?;
    Some(TextRange::new(stmt.start_bytes, stmt.end_bytes))
}
