//! Errors of evaluation.
//!
//! An [`EvalError`] has a typed kind, labels (the first one is primary), notes and a suggested fix. Errors are
//! collected: code that finds one records it and returns [`Reported`], and callers stay silent. Names whose definition
//! failed are poisoned, so that their uses stay silent too. The crate `tvmscript-diagnostics` formats
//! them.

mod host;
mod kind;
mod literal;
mod own;
pub mod suggest;

pub use host::{HostError, HostErrorKind};
pub use kind::{EvalErrorKind, syntax_codes};
pub(crate) use literal::place_in_literal;
pub use own::{OwnError, OwnErrorKind};
pub use tvmscript_ir_core::diagnostic::{Applicability, Diagnostic, DiagnosticKind, Fix, Label, Severity};

use tvmscript_python_syntax::SyntaxError;

/// Marks an error that was recorded already; callers report nothing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Reported(pub(crate) ());

impl Reported {
    /// For a failure that follows from an error recorded elsewhere.
    pub fn already() -> Reported {
        Reported(())
    }
}

/// A result whose error was recorded already.
pub type EvalResult<T> = Result<T, Reported>;

/// A diagnostic of an evaluation.
pub type EvalError = Diagnostic<EvalErrorKind>;

/// Converts a syntax error.
pub fn syntax_error(error: SyntaxError) -> EvalError {
    let mut out = EvalError::new(EvalErrorKind::Syntax(error.kind), error.range);
    out.notes.extend(error.detail.map(String::from));
    out.help = error.help.map(String::from);
    let fix = error.fix.map(|(range, text)| Fix::replace(range, String::from(text), Applicability::Certain));
    out.fixes.extend(fix);
    if let Some((range, text)) = error.related {
        out.labels.push(Label::new(range, text));
    }
    out
}
