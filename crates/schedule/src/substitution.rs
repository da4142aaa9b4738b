//! Substitution of variables with simplification of what changes.

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::{
    Descend, Object, ObjectLike, PtrMap, RewriteError, TryMutator, substitute, try_mutate,
};
use tvmscript_prim::PrimExpr;
use tvmscript_tir::IterVar;

use crate::error::Result as ScheduleResult;

/// Replaces variables in a node, and simplifies each expression that has one. Block iterators that are replaced stay
/// where they are defined.
pub(crate) fn substitute_simplified<T: ObjectLike>(
    root: T,
    map: &PtrMap<Object>,
    analyzer: &mut Analyzer,
) -> ScheduleResult<T> {
    Ok(try_mutate(root, &mut Substitution { map, analyzer })?)
}

struct Substitution<'s> {
    map: &'s PtrMap<Object>,
    analyzer: &'s mut Analyzer,
}

impl TryMutator for Substitution<'_> {
    type Error = RewriteError;

    fn enter(&mut self, node: &Object) -> Result<Descend, RewriteError> {
        let is_defined = |axis: &IterVar| self.map.contains_key(axis.var.object());
        if node.as_node::<IterVar>().is_some_and(is_defined) {
            return Ok(Descend::Keep);
        }
        let Some(old) = node.downcast_ref::<PrimExpr>() else { return Ok(Descend::Into) };
        let new = substitute(old.clone(), self.map)?;
        Ok(match new.ptr_eq(old) {
            true => Descend::Keep,
            false => Descend::Replace(self.analyzer.simplify(&new).into_object()),
        })
    }
}
