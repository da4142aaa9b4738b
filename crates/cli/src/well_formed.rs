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
    let mut out = match range(script, error.span) {
        Some(range) => ParseError::new(kind, range),
        // A node without a source position is identified by its access path.
        None => {
            let function =
                error.function.as_ref().map_or(String::new(), |name| format!(" of function `{name}`"));
            ParseError::new(kind, script.range).with_note(format!("at {}{function}", error.path))
        }
    };
    for note in &error.notes {
        out = match range(script, note.span) {
            Some(range) => out.with_label(range, note.text.as_str()),
            None => out.with_note(note.text.as_str()),
        };
    }
    match error.help {
        Some(help) => out.with_help(help),
        None => out,
    }
}

/// The place of a span in the text of a script: for a node that a helper made, the call in the script; for a span that a
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
