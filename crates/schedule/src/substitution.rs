//! Substitution of variables with simplification of what changes.

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::{Descend, Mutator, Object, ObjectLike, PtrMap, RewriteError, mutate, substitute};
use tvmscript_prim::PrimExpr;
use tvmscript_tir::IterVar;

use crate::error::Result;

/// Replaces variables in a node, and simplifies each expression that has one. Block iterators that are replaced stay
/// where they are defined.
pub(crate) fn substitute_simplified<T: ObjectLike>(
    root: T,
    map: &PtrMap<Object>,
    analyzer: &mut Analyzer,
) -> Result<T> {
    let mut substitution = Substitution { map, analyzer, failed: None };
    let new = mutate(root, &mut substitution)?;
    substitution.failed.map_or(Ok(new), |error| Err(error.into()))
}

struct Substitution<'s> {
    map: &'s PtrMap<Object>,
    analyzer: &'s mut Analyzer,
    failed: Option<RewriteError>,
}

impl Mutator for Substitution<'_> {
    fn enter(&mut self, node: &Object) -> Descend {
        let is_defined = |axis: &IterVar| self.map.contains_key(axis.var.object());
        if node.as_node::<IterVar>().is_some_and(is_defined) {
            return Descend::Keep;
        }
        let Some(old) = node.downcast_ref::<PrimExpr>() else { return Descend::Into };
        match substitute(old.clone(), self.map) {
            Ok(new) if new.ptr_eq(old) => Descend::Keep,
            Ok(new) => Descend::Replace(self.analyzer.simplify(&new).into_object()),
            Err(error) => {
                self.failed.get_or_insert(error);
                Descend::Keep
            }
        }
    }
}
