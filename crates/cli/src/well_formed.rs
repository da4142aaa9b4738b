//! Results of the well-formedness checks as diagnostics.

use tvmscript::ir_core::registry::Finding;
use tvmscript::ir_core::{Span, SpanKind};
use tvmscript::python_syntax::ast::TextRange;
use tvmscript::script_parser::{ParseError, ParseErrorKind};

use crate::input::Script;
use crate::registry::registry;

/// Checks the scripts whose decorator does not disable it. Errors are in source order.
pub(crate) fn errors(scripts: &[Script]) -> Vec<ParseError> {
    let mut errors: Vec<ParseError> = Vec::new();
    for script in scripts.iter().filter(|script| script.is_checked) {
        let findings = registry().check(&script.node);
        errors.extend(findings.into_iter().map(|finding| diagnostic(script, finding)));
    }
    errors.sort_by_key(|error| (error.range().start, error.range().end));
    errors
}

fn diagnostic(script: &Script, error: Finding) -> ParseError {
    let kind = ParseErrorKind::IllFormed { message: error.message };
    let mut out = match range(error.span) {
        Some(range) => ParseError::new(kind, range),
        // A node without a source position is identified by its access path.
        None => {
            let function =
                error.function.as_ref().map_or(String::new(), |name| format!(" of function `{name}`"));
            ParseError::new(kind, script.range).with_note(format!("at {}{function}", error.path))
        }
    };
    for note in &error.notes {
        out = match range(note.span) {
            Some(range) => out.with_label(range, note.text.as_str()),
            None => out.with_note(note.text.as_str()),
        };
    }
    match error.help {
        Some(help) => out.with_help(help),
        None => out,
    }
}

/// Range of a node in the text of its script.
pub(crate) fn range(span: Span) -> Option<TextRange> {
    match span.kind() {
        SpanKind::Range { start_bytes, end_bytes, .. } => Some(TextRange::new(start_bytes, end_bytes)),
        SpanKind::CallSite { caller, .. } => match caller.kind() {
            SpanKind::Range { start_bytes, end_bytes, .. } => Some(TextRange::new(start_bytes, end_bytes)),
            _ => None,
        },
        _ => None,
    }
}
