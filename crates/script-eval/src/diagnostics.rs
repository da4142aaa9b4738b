//! Errors, warnings and notes of an evaluation.

use std::collections::HashSet;

use tvmscript_python_syntax::ast::TextRange;

use crate::errors::{EvalError, EvalErrorKind};

/// Errors, warnings and notes so far, in order of occurrence.
#[derive(Default)]
pub struct Diagnostics {
    /// Errors.
    pub errors: Vec<EvalError>,
    /// Warnings and notes.
    pub warnings: Vec<EvalError>,
    /// Exceptions of host code that may still be caught.
    pub(crate) raised: Vec<EvalError>,
    /// Reasons that already have a warning.
    warned: HashSet<String>,
    /// Number of statements and expressions that failed, reported or not. A change means that the enclosing definition
    /// has errors.
    pub failures: u64,
    /// Above zero where errors of calls are dropped because they follow from a reported one.
    pub silenced: u32,
    /// Statements with syntax errors, by start and end.
    invalid: HashSet<(u32, u32)>,
    /// Their words: they may define any of them.
    invalid_words: HashSet<String>,
    /// Maximum number of recorded errors.
    max_errors: usize,
}

impl Diagnostics {
    pub(crate) fn new(max_errors: usize) -> Diagnostics {
        Diagnostics { max_errors, ..Diagnostics::default() }
    }

    /// Tests whether the maximum number of errors is reached.
    pub fn is_exhausted(&self) -> bool {
        self.errors.len() >= self.max_errors
    }

    /// Tests whether no exception of host code will be recorded any more.
    pub(crate) fn is_full_of_raised(&self) -> bool {
        self.raised.len() >= self.max_errors
    }

    /// Records a statement with syntax errors and its text.
    pub(crate) fn add_invalid(&mut self, range: TextRange, text: &str) {
        if !self.invalid.insert((range.start, range.end)) {
            return;
        }
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        self.invalid_words.extend(words.map(str::to_owned));
    }

    /// Tests whether a statement with syntax errors mentions the name, and may have defined it.
    pub(crate) fn is_in_invalid(&self, name: &str) -> bool {
        self.invalid_words.contains(name)
    }

    pub(crate) fn push(&mut self, error: EvalError) {
        if !self.is_exhausted() {
            self.errors.push(error);
        }
    }

    /// Adds an exception that may still be caught.
    pub(crate) fn push_raised(&mut self, error: EvalError) {
        if !self.is_full_of_raised() {
            self.raised.push(error);
        }
    }

    /// Records a note; nothing has to change.
    pub fn note(&mut self, kind: EvalErrorKind, range: TextRange) {
        self.push_warning(EvalError::note_at(kind, range));
    }

    pub(crate) fn push_warning(&mut self, warning: EvalError) {
        if self.warnings.len() < self.max_errors {
            self.warnings.push(warning);
        }
    }

    /// Warns of host code that is not evaluated, once per reason.
    pub(crate) fn warn(&mut self, reason: &str, range: TextRange) {
        if self.warnings.len() < self.max_errors && self.warned.insert(reason.to_owned()) {
            let kind = EvalErrorKind::NotEvaluated { reason: reason.to_owned() };
            self.push_warning(EvalError::warning(kind, range));
        }
    }

    /// Number of errors and of exceptions, for [`Diagnostics::called_from`].
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.errors.len(), self.raised.len())
    }

    /// Adds a call site to the errors and exceptions recorded since `before`.
    pub(crate) fn called_from(&mut self, before: (usize, usize), range: TextRange) {
        let reported = self.errors.iter_mut().skip(before.0);
        let new = reported.chain(self.raised.iter_mut().skip(before.1));
        new.for_each(|error| error.called_from(range));
    }
}
