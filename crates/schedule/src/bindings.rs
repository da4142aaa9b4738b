//! The values of block iterators.

use tvmscript_arith::{Analyzer, IterMapLevel, VarRange, iter_map_simplify};
use tvmscript_ir_core::{Descend, Mutator, Object, ObjectLike as _, TryMutator, mutate, try_mutate};
use tvmscript_prim::{Expr, ops};
use tvmscript_tir::{BlockRealize, For, Stmt, StmtRef};

use crate::error::{Result, ScheduleError};
use crate::state::{Item, Reused, State};
use crate::walk::all_blocks;

/// The ranges of loops, outer ones first.
#[derive(Debug, Default)]
pub(crate) struct Ranges(pub(crate) Vec<VarRange>);

impl Ranges {
    /// The ranges of the loops above a loop or block, up to the nearest block.
    pub(crate) fn above(state: &State, item: Item) -> Result<Ranges> {
        Ranges::of(state, &state.loops_above(item))
    }

    /// The ranges of loops.
    pub(crate) fn of(state: &State, loops: &[Item]) -> Result<Ranges> {
        let mut ranges = Ranges::default();
        for found in loops {
            ranges.add(state.loop_of(*found)?);
        }
        Ok(ranges)
    }

    pub(crate) fn add(&mut self, found: &For) {
        let (var, min, extent) = (found.loop_var.clone(), found.min.clone(), found.extent.clone());
        self.0.push(VarRange { var, min, extent });
    }
}

/// Pairs the blocks of a statement with those of a copy of the same structure.
pub(crate) fn reused_blocks(old: &StmtRef, new: &StmtRef) -> Vec<Reused> {
    let mut blocks = Vec::new();
    all_blocks(old, &mut |realize| blocks.push(realize.block.clone()));
    let mut at = 0;
    let mut reused = Vec::new();
    all_blocks(new, &mut |realize| {
        if let Some(block) = blocks.get(at)
            && !block.ptr_eq(&realize.block)
        {
            reused.push((block.clone(), realize.block.clone()));
        }
        at += 1;
    });
    reused
}

/// Adds a condition to the outermost blocks of a statement.
pub(crate) fn guarded(stmt: &StmtRef, guard: &Expr) -> Result<StmtRef> {
    try_mutate(stmt.clone(), &mut Guards { guard })
}

struct Guards<'g> {
    guard: &'g Expr,
}

impl TryMutator for Guards<'_> {
    type Error = ScheduleError;

    fn enter(&mut self, node: &Object) -> Result<Descend> {
        let Some(realize) = node.downcast_ref::<BlockRealize>() else {
            return Ok(if is_stmt(node) { Descend::Into } else { Descend::Keep });
        };
        let mut new = realize.clone();
        new.make_mut().predicate = ops::and(realize.predicate.clone(), self.guard.clone())?;
        Ok(Descend::Replace(new.into_object()))
    }
}

fn is_stmt(node: &Object) -> bool {
    node.info().is_a(<Stmt as tvmscript_ir_core::Class>::type_info())
}

/// Simplifies the values of the blocks in a statement, as sums of parts of the loops. Blocks without iterators are entered.
pub(crate) fn simplify_bindings(
    stmt: &StmtRef,
    ranges: &mut Ranges,
    preserves_units: bool,
    reused: &mut Vec<Reused>,
) -> Result<StmtRef> {
    let mut simplifier = Simplifier { ranges, preserves_units };
    let new = mutate(stmt.clone(), &mut simplifier)?;
    reused.extend(reused_blocks(stmt, &new));
    Ok(new)
}

struct Simplifier<'s> {
    ranges: &'s mut Ranges,
    preserves_units: bool,
}

impl Mutator for Simplifier<'_> {
    fn enter(&mut self, node: &Object) -> Descend {
        if let Some(found) = node.downcast_ref::<For>() {
            self.ranges.add(found);
            return Descend::Into;
        }
        let Some(realize) = node.downcast_ref::<BlockRealize>() else {
            return if is_stmt(node) { Descend::Into } else { Descend::Keep };
        };
        if realize.block.iter_vars.is_empty() {
            return Descend::Into;
        }
        let values: Vec<Expr> = realize.iter_values.iter().cloned().collect();
        let mut analyzer = Analyzer::new();
        let simple = iter_map_simplify(
            &values,
            &self.ranges.0,
            &realize.predicate,
            IterMapLevel::Surjective,
            !self.preserves_units,
            &mut analyzer,
        );
        if simple.iter().zip(&values).all(|(new, old)| new.ptr_eq(old)) {
            return Descend::Keep;
        }
        let mut new = realize.clone();
        new.make_mut().iter_values = simple.into_iter().collect();
        Descend::Replace(new.into_object())
    }

    fn leave(&mut self, node: Object) -> Object {
        if node.is::<For>() {
            self.ranges.0.pop();
        }
        node
    }
}
