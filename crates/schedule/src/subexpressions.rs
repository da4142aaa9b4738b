//! Computations that occur in stored values, and expressions in their place.
//!
//! Upstream counterpart: `src/tir/transforms/common_subexpr_elim_tools.cc`.

use hashbrown::{HashMap, HashSet};
use tvmscript_arith::{Analyzer, effect};
use tvmscript_ir_core::ptr_map::Structural;
use tvmscript_ir_core::{
    Descend, Mutator, Object, ObjectLike as _, Ref, for_each_child, mutate, post_order_visit,
};
use tvmscript_prim::op::Effect;
use tvmscript_prim::{Broadcast, Expr, PrimExpr, Ramp};
use tvmscript_tir::{Buffer, BufferStore};

use crate::error::Result;

/// The number of nodes of an expression.
pub(crate) fn complexity(e: &Expr) -> usize {
    let mut count = 0usize;
    post_order_visit(e, |node| count += usize::from(node.downcast_ref::<PrimExpr>().is_some()));
    count
}

/// Returns `true` for a computation without effects that is more than a variable or a constant.
fn is_eligible(e: &Expr) -> bool {
    matches!(effect(e), Effect::Annotation | Effect::Pure)
        && !e.is::<Ramp>()
        && !e.is::<Broadcast>()
        && complexity(e) > 1
}

/// Calls `f` for the largest computations in a node.
fn largest(node: &Object, f: &mut impl FnMut(&Expr)) {
    struct Search<'f, F>(&'f mut F);
    impl<F: FnMut(&Expr)> Mutator for Search<'_, F> {
        fn enter(&mut self, node: &Object) -> Descend {
            match node.downcast_ref::<PrimExpr>() {
                Some(e) if is_eligible(e) => {
                    (self.0)(e);
                    Descend::Keep
                }
                _ if node.is::<Buffer>() => Descend::Keep,
                _ => Descend::Into,
            }
        }
    }
    let _ = mutate(node.clone(), &mut Search(f));
}

/// The computations in the value of a store that occur often enough, in order of their ends.
pub(crate) fn repeated(store: &Ref<BufferStore>, least: usize) -> Vec<Expr> {
    let mut analyzer = Analyzer::new();
    let mut candidates: Vec<(Expr, usize)> = Vec::new();
    let mut places: HashMap<Structural, usize> = HashMap::new();
    let mut add = |candidates: &mut Vec<(Expr, usize)>, value: &Expr, count: usize| {
        let place = *places.entry(simple(value, &mut analyzer)).or_insert_with(|| {
            candidates.push((value.clone(), 0));
            candidates.len() - 1
        });
        if let Some((_, total)) = candidates.get_mut(place) {
            *total += count;
        }
    };
    let indices = store.indices.iter().map(Ref::object);
    for part in [store.value.object()].into_iter().chain(indices) {
        largest(part, &mut |e| add(&mut candidates, e, 1));
    }
    // The parts of those that occur too seldom.
    let mut at = 0;
    while let Some((value, count)) = candidates.get(at).cloned() {
        at += 1;
        if count >= least {
            continue;
        }
        let mut parts = Vec::new();
        for_each_child(value.object(), |child| largest(child, &mut |e| parts.push(e.clone())));
        parts.iter().for_each(|part| add(&mut candidates, part, count));
    }
    let mut found: Vec<Expr> = Vec::new();
    let mut is_found: HashSet<usize> = HashSet::new();
    post_order_visit(&store.value, |node| {
        let Some(e) = node.downcast_ref::<PrimExpr>() else { return };
        let Some(place) = places.get(&simple(e, &mut Analyzer::new())) else { return };
        if let Some((value, count)) = candidates.get(*place)
            && *count >= least
            && is_found.insert(*place)
        {
            found.push(value.clone());
        }
    });
    found
}

/// The key of a computation: equivalent ones simplify to the same.
fn simple(e: &Expr, analyzer: &mut Analyzer) -> Structural {
    Structural::new(analyzer.simplify(e).into_object())
}

/// Expressions in the place of computations.
pub(crate) struct Replacement(HashMap<Structural, Expr>);

impl Replacement {
    /// Pairs of a computation and what takes its place.
    pub(crate) fn new<'e>(pairs: impl Iterator<Item = (&'e Expr, &'e Expr)>) -> Replacement {
        let mut analyzer = Analyzer::new();
        Replacement(pairs.map(|(old, new)| (simple(old, &mut analyzer), new.clone())).collect())
    }

    /// The store with all replacements.
    pub(crate) fn make(&mut self, store: Ref<BufferStore>) -> Result<Ref<BufferStore>> {
        Ok(mutate(store, self)?)
    }
}

impl Mutator for Replacement {
    fn enter(&mut self, node: &Object) -> Descend {
        let Some(e) = node.downcast_ref::<PrimExpr>() else {
            return if node.is::<Buffer>() { Descend::Keep } else { Descend::Into };
        };
        match self.0.get(&simple(e, &mut Analyzer::new())) {
            Some(new) => Descend::Replace(new.object().clone()),
            None => Descend::Into,
        }
    }
}
