//! Well-formedness of Relax functions: invariants across nodes.
//!
//! [`well_formed`] reports undefined and repeated variables, undefined scalar variables, values that are not in normal
//! form, effects in pure functions, and struct info that contradicts the bound values.
//!
//! Upstream counterpart: `src/relax/analysis/well_formed.cc`. Unlike it, each call with effects is a mistake of its own.

mod call_tir;
mod error;
mod walk;

pub use call_tir::CallTirError;
pub use error::{WellFormedError, WellFormedErrorKind};

use tvmscript_ir::{IRModule, global_symbol, path_of_function};
use tvmscript_ir_core::diagnostic::{Anchor, Diagnostic, DiagnosticKind as _, Message};
use tvmscript_ir_core::{Object, Ref, Str};

use crate::node::Function;
use walk::Checker;

/// Maximum number of reported errors.
pub const MAX_ERRORS: usize = 100;

/// [`well_formed`] for the registry.
pub(crate) fn diagnostics(object: &Object) -> Vec<Diagnostic> {
    let diagnostic = |error: &WellFormedError| {
        let path = path_of_function(object, error.function.as_ref()).join(&error.path);
        let message = Message::new(error.kind.error_code(), error.kind.to_string());
        Diagnostic { help: error.help(), ..Diagnostic::new(message, Anchor::path(path, error.span)) }
    };
    well_formed(object).iter().map(diagnostic).collect()
}

/// Checks a function, or all Relax functions of a module; returns at most [`MAX_ERRORS`] errors in the order of the
/// nodes.
pub fn well_formed(object: &Object) -> Vec<WellFormedError> {
    let mut checker = Checker::default();
    if let Some(function) = object.downcast_ref::<Function>() {
        checker.function(None, function);
    } else if let Some(module) = object.as_node::<IRModule>() {
        checker.module = Some(module);
        for (name, function) in module.functions.iter() {
            let function: &Object = function.object();
            if let Some(function) = function.downcast_ref::<Function>() {
                checker.function(Some(&name.name_hint), function);
            }
        }
    }
    checker.errors.truncate(MAX_ERRORS);
    checker.errors
}

/// The global symbol of a function.
fn symbol(function: &Ref<Function>) -> Option<Str> {
    global_symbol(&function.attrs).map(Str::from)
}
