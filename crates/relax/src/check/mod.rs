//! Well-formedness of functions of tensors: what their nodes alone cannot rule out.
//!
//! [`well_formed`] reports variables used where nothing defines them or defined twice, scalar variables that no signature or
//! cast defines, values that are not normal, effects in functions that are said to have none, and struct info that what is
//! bound contradicts. All mistakes are reported, with the route to the node and its place in the source.
//!
//! Upstream counterpart: `src/relax/analysis/well_formed.cc`. Unlike it, each call with effects is a mistake of its own.

mod call_tir;
mod error;
mod walk;

pub use call_tir::CallTirError;
pub use error::{WellFormedError, WellFormedErrorKind};

use tvmscript_ir::{IRModule, global_symbol};
use tvmscript_ir_core::registry::Finding;
use tvmscript_ir_core::{Object, Ref, Str};

use crate::node::Function;
use walk::Checker;

/// After how many errors the check stops.
pub const MAX_ERRORS: usize = 100;

/// [`well_formed`] as a check of the dialect.
pub(crate) fn findings(object: &Object) -> Vec<Finding> {
    well_formed(object).into_iter().map(Finding::from).collect()
}

/// The mistakes in a function or in all functions of a module, in the order of the nodes, at most [`MAX_ERRORS`]. Other
/// objects, and functions of other dialects, have none here.
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

/// The name that a function says it has.
fn symbol(function: &Ref<Function>) -> Option<Str> {
    global_symbol(&function.attrs).map(Str::from)
}
