//! Rewriting of matches.

use std::collections::VecDeque;

use tvmscript_ir_core::{PtrMap, PtrSet, Ref};
use tvmscript_relax::{Binding, Expr, Function, VarBinding};

use super::bindings::Bindings;
use super::language::Pattern;
use super::matcher::Match;
use crate::relax::rewrite::{Rules, rewrite};
use tvmscript_pass::PassError;

/// Rewrites the values that a pattern matches, until none is left: the bindings that use a rewritten one are matched again.
/// `replace` returns the new value, which may consist of several nested calls, or `None` to leave a match as it is.
///
/// Values that only the replaced expressions used stay; see
/// [`DeadCodeElimination`](crate::relax::DeadCodeElimination).
///
/// ```
/// use tvmscript_ir_core::Ref;
/// use tvmscript_passes::pattern::{call, rewrite_matches, wildcard};
/// use tvmscript_ir::IRModule;
/// use tvmscript_pass::pass;
/// use tvmscript_relax::Function;
///
/// pass! {
///     /// Removes double negations.
///     pub RemoveDoubleNegation = "doc.RemoveDoubleNegation" for Function in IRModule |function, _context| {
///         let x = wildcard();
///         let pattern = call("relax.negative", [call("relax.negative", [x.clone()])]);
///         rewrite_matches(&function, &pattern, |found, _| Ok(found.of(&x).cloned()))
///     }
/// }
/// ```
///
/// # Errors
/// Fails with the error of `replace`, if a new value is ill-typed, and if the rewriting does not come to an end.
pub fn rewrite_matches(
    function: &Ref<Function>,
    pattern: &Pattern,
    mut replace: impl FnMut(&Match, &Expr) -> Result<Option<Expr>, PassError>,
) -> Result<Ref<Function>, PassError> {
    let mut bindings = Bindings::of(function);
    let mut replaced: PtrMap<Expr> = PtrMap::default();
    let mut work: VecDeque<_> = bindings.variables().iter().cloned().collect();
    let mut queued: PtrSet = work.iter().map(|var| var.vid.object().clone()).collect();
    let mut steps = MIN_STEPS.max(bindings.variables().len().saturating_mul(STEPS_PER_BINDING));
    while let Some(var) = work.pop_front() {
        queued.remove(var.vid.object());
        let Some(value) = bindings.value(&var).cloned() else { continue };
        let Some(found) = pattern.matches(&value, &bindings) else { continue };
        let Some(new) = replace(&found, &value)?.filter(|new| !new.ptr_eq(&value)) else { continue };
        steps = steps
            .checked_sub(1)
            .ok_or_else(|| PassError::unsupported("the rewriting does not come to an end"))?;
        bindings.set(&var, &new);
        replaced.insert(var.vid.object().clone(), new);
        let again: Vec<_> = std::iter::once(&var).chain(bindings.users(&var)).cloned().collect();
        for var in again {
            if queued.insert(var.vid.object().clone()) {
                work.push_back(var);
            }
        }
    }
    if replaced.is_empty() {
        return Ok(function.clone());
    }
    rewrite(function, &mut Replaced(replaced))
}

/// Maximum number of replacements per binding, and for small functions in total.
const STEPS_PER_BINDING: usize = 16;
const MIN_STEPS: usize = 256;

/// New values, by identity of the variable.
struct Replaced(PtrMap<Expr>);

impl Rules for Replaced {
    fn value(&mut self, binding: &Ref<Binding>) -> Option<Expr> {
        self.0.get(binding.as_node::<VarBinding>()?.var.vid.object()).cloned()
    }
}
