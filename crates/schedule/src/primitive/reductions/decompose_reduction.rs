//! `decompose_reduction`: the initialization of a reduction becomes a block of its own.

use hashbrown::HashSet;
use tvmscript_ir_core::{
    Array, Descend, Map, Mutator, Object, ObjectLike as _, PtrMap, Ref, Span, any_node, mutate, substitute,
};
use tvmscript_prim::{And, Expr, IntImm, LT, ops};
use tvmscript_tir::{Block, BlockRealize, For, IterType, Stmt, StmtRef, flatten};

use crate::argument::RvValue;
use crate::error::{Result, ScheduleError};
use crate::fresh::{copied_axis, copied_loop, renamed};
use crate::primitive::{Place, Primitive, Results, parameter};
use crate::reads::mentions;
use crate::scope::check_reduction;
use crate::state::{Item, State};

pub(in crate::primitive) static DECOMPOSE_REDUCTION: Primitive = Primitive {
    kind: "DecomposeReduction",
    name: "decompose_reduction",
    doc: "Moves the initialization of a reduction to a block of its own, before a loop around the reduction.",
    parameters: &[parameter("block", Place::Input), parameter("loop", Place::Input)],
    is_pure: false,
    results: Results::One,
    apply: |schedule, args| {
        let [block, target] = args else { return Err(ScheduleError::plain("expected a block and a loop")) };
        let (block, target) = (schedule.block_item(block)?, schedule.loop_item(target)?);
        decompose(schedule.state_mut(), block, target).map(|init| vec![RvValue::Block(init)])
    },
};

fn decompose(state: &mut State, item: Item, target: Item) -> Result<Item> {
    let block = state.block_of(item)?.clone();
    let scope_item = state.scope(item)?;
    let loops = state.loops_above(item);
    let refused = |class, message: String| -> Result<Item> {
        Err(ScheduleError::new(class, message).at(state.loop_of(target)?.clone()).at(block.clone()))
    };
    let name = block.name_hint.as_str();
    let Some(first) = loops.iter().position(|found| *found == target) else {
        return refused("LoopPositionError", format!("the loop is not above the block `{name}`"));
    };
    if state.is_checked() {
        check_reduction(state, item, scope_item)?;
        if is_reduced(state, item, loops.get(..first).unwrap_or_default())? {
            let message =
                format!("a loop above the given one iterates a reduction axis of the block `{name}`");
            return refused("LoopHeightError", message);
        }
    }
    let (nest, init) = initialization(state, item, loops.get(first..).unwrap_or_default())?;
    let update = updating(&block);
    let old = state.loop_of(target)?.clone();
    let mut insertion = Insertion { target: &old, nest: &nest, block: &block, update: &update };
    let mut scope = state.block_of(scope_item)?.clone();
    let body = mutate(scope.body.clone(), &mut insertion)?;
    scope.make_mut().body = body;
    state.replace_block(scope_item, scope, &[(block.clone(), update)])?;
    state.update_body(scope_item)?;
    state.find_block(&init).ok_or_else(|| ScheduleError::plain("the block of the initialization is lost"))
}

/// Returns `true` if one of the loops iterates a reduction axis of a block.
fn is_reduced(state: &State, item: Item, loops: &[Item]) -> Result<bool> {
    let realize = state.realize_of(item)?;
    for (axis, value) in realize.block.iter_vars.iter().zip(realize.iter_values.iter()) {
        for found in loops.iter().filter(|_| axis.iter_type == IterType::CommReduce) {
            if mentions(value, &state.loop_of(*found)?.loop_var) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The block of the initialization, in copies of those of the loops that its axes use.
fn initialization(state: &State, item: Item, loops: &[Item]) -> Result<(StmtRef, Ref<Block>)> {
    let realize = state.realize_of(item)?;
    let block = &realize.block;
    let Some(init) = &block.init else {
        let message = format!("the block `{}` has no `T.init()`", block.name_hint.as_str());
        return Err(ScheduleError::plain(message).at(block.clone()));
    };
    let mut axes = PtrMap::default();
    let (mut iter_vars, mut iter_values) = (Vec::new(), Vec::new());
    for (axis, value) in block.iter_vars.iter().zip(realize.iter_values.iter()) {
        if axis.iter_type == IterType::DataPar {
            iter_vars.push(copied_axis(axis, &mut axes));
            iter_values.push(value.clone());
        }
    }
    let mut dropped = HashSet::new();
    let mut kept = Vec::new();
    for found in loops {
        let found = state.loop_of(*found)?;
        match iter_values.iter().any(|value| mentions(value, &found.loop_var)) {
            true => kept.push(found),
            false => {
                dropped.insert(found.loop_var.object().address());
            }
        }
    }
    let new = Ref::new(Block {
        span: Span::current(),
        iter_vars: iter_vars.into_iter().collect(),
        reads: Array::default(),
        writes: substitute(block.writes.clone(), &axes)?,
        name_hint: format!("{}_init", block.name_hint.as_str()).into(),
        alloc_buffers: Array::default(),
        match_buffers: Array::default(),
        annotations: Map::clone(&block.annotations),
        init: None,
        body: substitute(init.clone(), &axes)?,
    });
    let predicate = without(&realize.predicate, &dropped)?;
    let mut nest: StmtRef = BlockRealize::try_new(iter_values.into_iter().collect(), predicate, new)?;
    let mut variables = PtrMap::default();
    for found in kept.into_iter().rev() {
        let var = renamed(&found.loop_var, "_init");
        variables.insert(found.loop_var.object().clone(), var.object().clone());
        nest = copied_loop(found, var, nest);
    }
    let nest = substitute(nest, &variables)?;
    let mut init = None;
    crate::walk::topmost_blocks(&nest, &mut |realize| init = Some(realize.block.clone()));
    init.map(|init| (nest, init)).ok_or_else(|| ScheduleError::plain("the initialization is lost"))
}

/// The conditions of a predicate on loops that are not dropped.
fn without(predicate: &Expr, dropped: &HashSet<usize>) -> Result<Expr> {
    let mut kept: Expr = IntImm::bool(true);
    if ops::is_one(predicate) {
        return Ok(kept);
    }
    let mut rest = Some(predicate);
    while let Some(condition) = rest {
        let last = match condition.as_node::<And>() {
            Some(both) => {
                rest = Some(&both.a);
                &both.b
            }
            None => {
                rest = None;
                condition
            }
        };
        let Some(less) = last.as_node::<LT>() else {
            return Err(ScheduleError::plain(
                "a condition of the reduction block is not of the form `x < y`",
            ));
        };
        if !any_node(&less.a, |node| dropped.contains(&node.address())) {
            kept = ops::and(kept, last.clone())?;
        }
    }
    Ok(kept)
}

/// The block without its initialization. It reads what it writes.
fn updating(block: &Ref<Block>) -> Ref<Block> {
    let mut update = block.clone();
    let new_reads =
        block.writes.iter().filter(|write| !block.reads.iter().any(|read| read.buffer.ptr_eq(&write.buffer)));
    let reads = new_reads.chain(block.reads.iter()).cloned().collect();
    let changed = update.make_mut();
    changed.name_hint = format!("{}_update", block.name_hint.as_str()).into();
    changed.init = None;
    changed.reads = reads;
    update
}

/// Replaces a block, and puts a statement before a loop.
struct Insertion<'i> {
    target: &'i Ref<For>,
    nest: &'i StmtRef,
    block: &'i Ref<Block>,
    update: &'i Ref<Block>,
}

impl Mutator for Insertion<'_> {
    fn enter(&mut self, node: &Object) -> Descend {
        if node.ptr_eq(self.block.object()) {
            return Descend::Replace(self.update.object().clone());
        }
        let is_other = node.as_node::<BlockRealize>().is_some_and(|other| !other.block.ptr_eq(self.block));
        match node.is::<Stmt>() && !is_other {
            true => Descend::Into,
            false => Descend::Keep,
        }
    }

    fn leave(&mut self, node: Object) -> Object {
        match node.downcast_ref::<For>() {
            Some(found) if found.loop_var.ptr_eq(&self.target.loop_var) => {
                flatten(vec![self.nest.clone(), found.clone().upcast()], true).into_object()
            }
            _ => node,
        }
    }
}
