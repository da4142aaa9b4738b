//! Canonical bindings: no variable is just another name of a variable, a constant or a symbolic dimension.
//!
//! Upstream counterpart: `src/relax/transform/canonicalize_bindings.cc`.

mod symbolic;
mod trivial;

use tvmscript_ir::IRModule;
use tvmscript_ir_core::Ref;
use tvmscript_relax::Function;

use crate::Result;
use tvmscript_pass::pass;

pass! {
    /// Replaces the symbolic variables that a cast defines by what they are known to be, inlines constants and variables
    /// that are bound to other variables, and makes variables that are only used in their dataflow block local to it.
    pub CanonicalizeBindings = "relax.CanonicalizeBindings", opt_level = 1 for Function in IRModule |function, _context| {
        canonicalize(&function)
    }
}

pub(super) fn canonicalize(function: &Ref<Function>) -> Result<Ref<Function>> {
    trivial::inline(&symbolic::inline(function)?)
}
