//! Lists of errors, warnings and notes.

use std::sync::Arc;

use super::handle::{Errors, Handle as _, Text};
use super::{Out, Str, absent, enter};
use crate::diagnostics::Findings;
use crate::status::{Outcome, Status};
use crate::text::OwnedText;

/// Severity of a diagnostic.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Advice on how to continue.
    Help = 0,
    /// Information; nothing has to change.
    Note = 1,
    /// Something was left out, guessed or is suspicious; what was read is right.
    Warning = 2,
    /// The input has to change.
    Error = 3,
}

/// A position in a text.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Offset in bytes, from 0.
    pub offset: u64,
}

/// A diagnostic. Its texts live until the list is freed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Error {
    /// Severity.
    pub severity: Severity,
    /// Stable code, such as "E0201".
    pub code: Str,
    /// Name of the kind, such as "undefined-name".
    pub kind: Str,
    /// The message, in one sentence without full stop.
    pub message: Str,
    /// What to do; may be empty.
    pub help: Str,
    /// Name of the text, as given to the call that read it.
    pub source: Str,
    /// Access path of the node, such as "<root>.body"; empty if the place is in a text.
    pub path: Str,
    /// Start of the place; that of the text if there is none.
    pub start: Position,
    /// End of the place.
    pub end: Position,
    /// Number of secondary places and of notes: `tvmscript_errors_json` has them.
    pub details: usize,
}

const START: Position = Position { line: 0, column: 0, offset: 0 };
absent! {
    Position => START,
    Error => Error {
        severity: Severity::Help,
        code: Str::EMPTY,
        kind: Str::EMPTY,
        message: Str::EMPTY,
        help: Str::EMPTY,
        source: Str::EMPTY,
        path: Str::EMPTY,
        start: START,
        end: START,
        details: 0,
    }
}

impl From<tvmscript::diagnostics::Position> for Position {
    fn from(position: tvmscript::diagnostics::Position) -> Position {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Position {
            line: number(position.line),
            column: number(position.column),
            offset: position.offset as u64,
        }
    }
}

fn error(findings: &Findings, index: usize) -> Option<Error> {
    let report = findings.reports.get(index)?;
    let severity = match report.severity {
        "help" => Severity::Help,
        "note" => Severity::Note,
        "warning" => Severity::Warning,
        _ => Severity::Error,
    };
    Some(Error {
        severity,
        code: Str::of(report.code),
        kind: Str::of(report.kind),
        message: Str::of(&report.message),
        help: Str::of(report.help.as_deref().unwrap_or_default()),
        source: Str::of(&findings.name),
        path: Str::of(report.path.as_deref().unwrap_or_default()),
        start: report.start.into(),
        end: report.end.into(),
        details: report.labels.len() + report.notes.len(),
    })
}

/// Writes findings, if there are any. The status is [`Status::Errors`] if there are errors among them.
pub(crate) fn report(findings: Findings, out: Out<Errors>) -> Outcome {
    let has_errors = findings.has_errors();
    if out.is_wanted() && !findings.is_empty() {
        out.set(Errors::store(Arc::new(findings))?);
    }
    if has_errors { Err(Status::Errors) } else { Ok(()) }
}

/// Returns the number of diagnostics; 0 for the null handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_errors_count(errors: Errors, out_count: *mut usize) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_count)? };
        if errors.id != 0 {
            out.set(errors.load()?.reports.len());
        }
        Ok(())
    })
}

/// Returns a diagnostic, in the order of the text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_errors_get(errors: Errors, index: usize, out_error: *mut Error) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_error)? };
        out.set(error(&*errors.load()?, index).ok_or(Status::OutOfRange)?);
        Ok(())
    })
}

/// Writes the diagnostics as a JSON array, as `tvmscript check --format json` does: with all places, notes and fixes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_errors_json(errors: Errors, out_json: *mut Text) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_json)? };
        let json = if errors.id == 0 { "[]".to_owned() } else { errors.load()?.json() };
        out.set(Text::store(Arc::new(OwnedText::new(json)))?);
        Ok(())
    })
}

/// Writes the diagnostics for people, with the lines that they are about.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_errors_render(errors: Errors, out_text: *mut Text) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_text)? };
        let text = if errors.id == 0 { String::new() } else { errors.load()?.render() };
        out.set(Text::store(Arc::new(OwnedText::new(text)))?);
        Ok(())
    })
}

/// Frees a list, and with it the texts of its diagnostics. Does nothing for the null handle.
#[unsafe(no_mangle)]
pub extern "C" fn tvmscript_errors_free(errors: Errors) -> Status {
    enter(|| errors.free())
}
