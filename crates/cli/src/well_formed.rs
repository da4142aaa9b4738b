//! The checks behind the parser as diagnostics: what is wrong with a function as a whole.

use tvmscript::ir_core::invariants::{self, Violation};
use tvmscript::ir_core::{AccessPath, Str};
use tvmscript::ir_core::{Span, SpanKind};
use tvmscript::python_syntax::ast::TextRange;
use tvmscript::script_parser::{ParseError, ParseErrorKind};
use tvmscript::tir::check::Note;
use tvmscript::{relax, tir};

use crate::input::Script;

/// The mistakes of scripts that are meant to be well-formed, in order of place.
pub(crate) fn errors(scripts: &[Script]) -> Vec<ParseError> {
    let mut errors: Vec<ParseError> = Vec::new();
    for script in scripts.iter().filter(|script| script.is_checked) {
        let of_nodes = invariants::violations(&script.node, tir::check::MAX_ERRORS);
        let of_nodes = of_nodes.into_iter().map(Finding::from);
        let of_scalars = tir::check::well_formed(&script.node).into_iter().map(Finding::from);
        let of_tensors = relax::check::well_formed(&script.node).into_iter().map(Finding::from);
        let all = of_nodes.chain(of_scalars).chain(of_tensors);
        errors.extend(all.map(|finding| diagnostic(script, finding)));
    }
    errors.sort_by_key(|error| (error.range().start, error.range().end));
    errors
}

/// A mistake that a dialect found, or a node about itself.
struct Finding {
    message: String,
    help: Option<String>,
    function: Option<Str>,
    path: AccessPath,
    span: Span,
    notes: Vec<Note>,
}

impl From<Violation> for Finding {
    fn from(violation: Violation) -> Finding {
        let Violation { path, error, span } = violation;
        Finding { message: error.to_string(), help: None, function: None, path, span, notes: Vec::new() }
    }
}

impl From<tir::check::WellFormedError> for Finding {
    fn from(error: tir::check::WellFormedError) -> Finding {
        let (message, help) = (error.kind.to_string(), error.help());
        Finding {
            message,
            help,
            function: error.function,
            path: error.path,
            span: error.span,
            notes: error.notes,
        }
    }
}

impl From<relax::check::WellFormedError> for Finding {
    fn from(error: relax::check::WellFormedError) -> Finding {
        let (message, help) = (error.kind.to_string(), error.help());
        Finding {
            message,
            help,
            function: error.function,
            path: error.path,
            span: error.span,
            notes: Vec::new(),
        }
    }
}

fn diagnostic(script: &Script, error: Finding) -> ParseError {
    let kind = ParseErrorKind::IllFormed { message: error.message };
    let mut out = match range(error.span) {
        Some(range) => ParseError::new(kind, range),
        // A node that no text made: its path has to do.
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

fn range(span: Span) -> Option<TextRange> {
    match span.kind() {
        SpanKind::Range { start_bytes, end_bytes, .. } => Some(TextRange::new(start_bytes, end_bytes)),
        SpanKind::CallSite { caller, .. } => match caller.kind() {
            SpanKind::Range { start_bytes, end_bytes, .. } => Some(TextRange::new(start_bytes, end_bytes)),
            _ => None,
        },
        _ => None,
    }
}
