//! `blockize`: a nest, or neighbouring blocks, become the body of a block.

use tvmscript_arith::{Analyzer, DomMap, IntSet, eval_set_of_range};
use tvmscript_ir_core::{Array, Map, Object, PtrMap, Ref, Span, substitute};
use tvmscript_prim::{Expr, IntImm, PrimExprExt as _, Range, Var, ops};
use tvmscript_tir::{
    Block, BlockRealize, Buffer, BufferRegion, For, IterType, IterVar, SeqStmt, StmtRef, flatten,
};

use crate::argument::{Argument, RvValue};
use crate::bindings::reused_blocks;
use crate::division::{Division, Inner, Part};
use crate::error::{Result, ScheduleError};
use crate::flags::Flags;
use crate::primitive::{Default, Place, Primitive, Results, parameter, with_default};
use crate::reads::mentions;
use crate::schedule::Schedule;
use crate::state::{Item, Reused, State};
use crate::substitution::substitute_simplified;
use crate::walk::Found;

pub(in crate::primitive) static BLOCKIZE: Primitive = Primitive {
    kind: "Blockize",
    name: "blockize",
    doc: "Makes a block of a loop with all that is in it, or of neighbouring blocks.",
    parameters: &[
        parameter("target", Place::Input),
        with_default("preserve_unit_iters", Place::Attribute, Default::Bool(true)),
    ],
    is_pure: false,
    results: Results::One,
    apply: |schedule, args| {
        let [target, preserves_units] = args else {
            return Err(ScheduleError::plain("expected a target and `preserve_unit_iters`"));
        };
        let preserves_units = preserves_units.bool()?;
        let block = match target {
            Argument::List(blocks) => {
                let blocks: Vec<Item> =
                    blocks.iter().map(|block| schedule.item(block)).collect::<Result<_>>()?;
                blockize_blocks(schedule, &blocks, preserves_units)?
            }
            target => {
                let target = schedule.loop_item(target)?;
                blockize_loop(schedule, target, preserves_units)?
            }
        };
        Ok(vec![RvValue::Block(block)])
    },
};

fn blockize_loop(schedule: &mut Schedule, target: Item, preserves_units: bool) -> Result<Item> {
    let (realize, reused) = blockized(schedule.state(), target, preserves_units)?;
    let state = schedule.state_mut();
    state.replace(target, realize.clone().upcast(), &reused)?;
    let block = handle(state, &realize)?;
    let scope = state.scope(block)?;
    let is_affine = state.flags(scope).is_affine;
    state.update(scope)?;
    state.set_flags(scope, Flags { is_affine, ..state.flags(scope) });
    Ok(block)
}

/// The handle of a block in the module.
pub(super) fn handle(state: &State, realize: &Ref<BlockRealize>) -> Result<Item> {
    state.find(Found::Block(realize)).ok_or_else(|| ScheduleError::plain("the new block is lost"))
}

/// The block around what is in a loop, and the blocks that keep their handles.
pub(super) fn blockized(
    state: &State,
    target: Item,
    preserves_units: bool,
) -> Result<(Ref<BlockRealize>, Vec<Reused>)> {
    let item = state.only_block(target)?;
    let mut analyzer = Analyzer::new();
    let division = state.divide(item, Inner::UpTo(target), preserves_units, &mut analyzer)?;
    let old = state.block_of(item)?.clone();
    let mut outer = Iterators::default();
    let parts = inner_parts(&old, &division, &mut outer, None, preserves_units, &mut analyzer)?;
    let Inside { block, realize, domains } =
        inside(&old, &division, &parts, &outer, &PtrMap::default(), &mut analyzer)?;
    let name = block.name_hint.as_str();
    let init =
        block.init.as_ref().map(|init| outer_init(init, &realize, &division.loops, name)).transpose()?;
    let mut body: StmtRef = realize.clone().upcast();
    for found in &division.loops {
        let mut found = found.clone();
        found.make_mut().body = body;
        body = found.upcast();
    }
    let around = Block {
        span: Span::current(),
        iter_vars: Array::new(outer.vars),
        reads: relaxed(&block.reads, &domains)?,
        writes: relaxed(&block.writes, &domains)?,
        name_hint: format!("{name}_o").into(),
        alloc_buffers: Array::default(),
        match_buffers: Array::default(),
        annotations: Map::default(),
        init,
        body,
    };
    let reused = reused_pairs(&old, &realize.block);
    let around = realize_of(outer.values, division.outer_predicate, around);
    Ok((around, reused))
}

fn realize_of(values: Vec<Expr>, predicate: Expr, block: Block) -> Ref<BlockRealize> {
    let iter_values = Array::new(values);
    Ref::new(BlockRealize { span: Span::current(), iter_values, predicate, block: Ref::new(block) })
}

/// A block and those in it with what they became.
fn reused_pairs(old: &Ref<Block>, new: &Ref<Block>) -> Vec<Reused> {
    let mut reused = reused_blocks(&old.body, &new.body);
    reused.push((old.clone(), new.clone()));
    reused
}

/// Iterators of a block with their values.
#[derive(Debug, Default, Clone)]
struct Iterators {
    vars: Vec<Ref<IterVar>>,
    values: Vec<Expr>,
}

impl Iterators {
    fn add(&mut self, axis: &IterVar, suffix: &str, part: &Part) -> Result<Ref<Var>> {
        let dom = Some(Range::try_from_extent(part.extent.clone())?);
        let var = with_suffix(&axis.var, suffix);
        let iter_type = axis.iter_type;
        self.vars.push(Ref::new(IterVar { dom, var: var.clone(), iter_type, thread_tag: "".into() }));
        self.values.push(part.value.clone());
        Ok(var)
    }
}

fn with_suffix(var: &Ref<Var>, suffix: &str) -> Ref<Var> {
    Var::new(format!("{}{suffix}", var.name.text()), var.dtype)
}

/// The iterators of an inner block, and the old iterators in terms of outer and inner ones.
struct Parts {
    inner: Iterators,
    old: PtrMap<Object>,
}

/// Makes the iterators of the outer block, unless they are there already, and of the inner block.
fn inner_parts(
    old: &Block,
    division: &Division,
    outer: &mut Iterators,
    known: Option<&Iterators>,
    preserves_units: bool,
    analyzer: &mut Analyzer,
) -> Result<Parts> {
    let mut parts = Parts { inner: Iterators::default(), old: PtrMap::default() };
    for (at, (axis, (of_outer, of_inner))) in old.iter_vars.iter().zip(&division.parts).enumerate() {
        let outer_var = match known {
            None => outer.add(axis, "_o", of_outer)?,
            Some(known) => same_iterator(known, at, of_outer, analyzer)?,
        };
        let outer_var: Expr = outer_var.upcast();
        let is_unit = ops::is_one(&of_outer.extent);
        let value = if ops::is_one(&of_inner.extent) {
            match is_unit && !preserves_units {
                true => ops::make_const(of_outer.extent.dtype(), 0)?,
                false => outer_var,
            }
        } else {
            let inner: Expr = parts.inner.add(axis, "_i", of_inner)?.upcast();
            match is_unit {
                true => inner,
                false => ops::add(ops::mul(outer_var, of_inner.extent.clone())?, inner)?,
            }
        };
        parts.old.insert(axis.var.object().clone(), value.object().clone());
    }
    Ok(parts)
}

/// The outer iterator of another block with the same values.
fn same_iterator(known: &Iterators, at: usize, part: &Part, analyzer: &mut Analyzer) -> Result<Ref<Var>> {
    if let (Some(axis), Some(value)) = (known.vars.get(at), known.values.get(at))
        && let Some(dom) = &axis.dom
        && analyzer.can_prove_equal(&dom.extent, &part.extent)
        && analyzer.can_prove_equal(value, &part.value)
    {
        return Ok(axis.var.clone());
    }
    Err(ScheduleError::plain("the blocks have different iterators over the outer loops"))
}

/// An inner block.
struct Inside {
    /// The old block with new iterators in place of old ones.
    block: Ref<Block>,
    /// The new block.
    realize: Ref<BlockRealize>,
    /// The inner iterators, which outer regions are relaxed over.
    domains: DomMap,
}

fn inside(
    old: &Ref<Block>,
    division: &Division,
    parts: &Parts,
    outer: &Iterators,
    outer_loops: &PtrMap<Object>,
    analyzer: &mut Analyzer,
) -> Result<Inside> {
    let mut domains = DomMap::new();
    for axis in &parts.inner.vars {
        let Some(dom) = &axis.dom else { continue };
        let dom = substitute(dom.clone(), outer_loops)?;
        domains.insert(&axis.var, IntSet::from_range(&dom.min, &dom.extent));
        analyzer.bind_range(&axis.var, &dom.min, &dom.extent);
    }
    let block = substitute_simplified(old.clone(), &parts.old, analyzer)?;
    let mut new = block.clone();
    let changed = new.make_mut();
    changed.iter_vars = Array::new(parts.inner.vars.iter().cloned());
    let is_reduced = outer.vars.iter().any(|axis| axis.iter_type == IterType::CommReduce);
    if changed.init.take().is_some() && is_reduced {
        changed.reads = block.writes.iter().chain(block.reads.iter()).cloned().collect();
    }
    let iter_values = Array::new(parts.inner.values.iter().cloned());
    let predicate = division.inner_predicate.clone();
    let realize = BlockRealize { span: Span::current(), iter_values, predicate, block: new };
    Ok(Inside { block, realize: Ref::new(realize), domains })
}

/// The nest that initializes what the outer block reduces.
fn outer_init(init: &StmtRef, inner: &Ref<BlockRealize>, loops: &[Ref<For>], name: &str) -> Result<StmtRef> {
    let mut renamed = PtrMap::default();
    let mut iterators = Iterators::default();
    for (axis, value) in inner.block.iter_vars.iter().zip(inner.iter_values.iter()) {
        if axis.iter_type != IterType::DataPar || !uses(init, &axis.var) {
            continue;
        }
        let mut axis = axis.clone();
        let var = with_suffix(&axis.var, "_init");
        renamed.insert(axis.var.object().clone(), var.object().clone());
        axis.make_mut().var = var;
        iterators.vars.push(axis);
        iterators.values.push(value.clone());
    }
    let block = Block {
        span: Span::current(),
        iter_vars: Array::new(iterators.vars),
        reads: Array::default(),
        writes: substitute(inner.block.writes.clone(), &renamed)?,
        name_hint: format!("{name}_init").into(),
        alloc_buffers: Array::default(),
        match_buffers: Array::default(),
        annotations: Map::default(),
        init: None,
        body: substitute(init.clone(), &renamed)?,
    };
    let mut stmt: StmtRef = realize_of(iterators.values.clone(), inner.predicate.clone(), block).upcast();
    let mut copies = PtrMap::default();
    for found in loops {
        if !iterators.values.iter().any(|value| mentions(value, &found.loop_var)) {
            continue;
        }
        let mut found = found.clone();
        let var = with_suffix(&found.loop_var, "");
        copies.insert(found.loop_var.object().clone(), var.object().clone());
        let changed = found.make_mut();
        changed.loop_var = var;
        changed.body = stmt;
        stmt = found.upcast();
    }
    Ok(substitute(stmt, &copies)?)
}

fn uses(stmt: &StmtRef, var: &Ref<Var>) -> bool {
    tvmscript_ir_core::any_node(stmt, |node| node.ptr_eq(var.object()))
}

/// Regions over all values of variables.
fn relaxed(regions: &Array<Ref<BufferRegion>>, domains: &DomMap) -> Result<Array<Ref<BufferRegion>>> {
    let relax = |region: &Ref<BufferRegion>| {
        let mut ranges = Vec::new();
        for (range, full) in region.region.iter().zip(region.buffer.shape.iter()) {
            let set = eval_set_of_range(&range.min, &range.extent, domains);
            ranges.push(match set.cover_range() {
                Some((min, extent)) => Range::from_min_extent(min, extent),
                None => Range::try_from_extent(full.clone())?,
            });
        }
        Ok(BufferRegion::try_new(region.buffer.clone(), Array::new(ranges))?)
    };
    regions.iter().map(relax).collect()
}

fn blockize_blocks(schedule: &mut Schedule, blocks: &[Item], preserves_units: bool) -> Result<Item> {
    let state = schedule.state();
    let common = state.common_ancestor(blocks);
    let common = common.ok_or_else(|| ScheduleError::plain("`blockize` needs blocks of one function"))?;
    let mut analyzer = Analyzer::new();
    let mut outer = Iterators::default();
    let mut predicate: Expr = IntImm::bool(true);
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let mut name = "outer_".to_owned();
    let mut reused = Vec::new();
    let mut sequence = Vec::new();
    let mut outer_loops = PtrMap::default();
    for (at, item) in blocks.iter().copied().enumerate() {
        let division = state.divide(item, Inner::Below(common), preserves_units, &mut analyzer)?;
        let old = state.block_of(item)?.clone();
        let known = (at > 0).then(|| outer.clone());
        if known.as_ref().is_some_and(|known| known.vars.len() != old.iter_vars.len()) {
            return Err(ScheduleError::plain("the blocks have different numbers of iterators"));
        }
        let parts = inner_parts(&old, &division, &mut outer, known.as_ref(), preserves_units, &mut analyzer)?;
        for (axis, value) in outer.vars.iter().zip(&outer.values) {
            if value.is::<Var>() {
                outer_loops.insert(value.object().clone(), axis.var.object().clone());
            }
        }
        let is_reduced = outer.vars.iter().any(|axis| axis.iter_type == IterType::CommReduce);
        if old.init.is_some() && is_reduced {
            let message = "the outer loops of several blocks must not be reduced";
            return Err(ScheduleError::plain(message).at(old));
        }
        let Inside { block, realize, domains } =
            inside(&old, &division, &parts, &outer, &outer_loops, &mut analyzer)?;
        reads.extend(relaxed(&block.reads, &domains)?.iter().cloned());
        writes.extend(relaxed(&block.writes, &domains)?.iter().cloned());
        name.push_str(block.name_hint.as_str());
        name.push('_');
        reused.extend(reused_pairs(&old, &realize.block));
        let mut stmt: StmtRef = realize.upcast();
        for found in &division.loops {
            let mut found = found.clone();
            let changed = found.make_mut();
            changed.body = stmt;
            changed.extent = substitute(changed.extent.clone(), &outer_loops)?;
            stmt = found.upcast();
        }
        sequence.push(stmt);
        predicate = division.outer_predicate;
    }
    let around = Block {
        span: Span::current(),
        iter_vars: Array::new(outer.vars),
        reads: united(&reads)?,
        writes: united(&writes)?,
        name_hint: name.into(),
        alloc_buffers: Array::default(),
        match_buffers: Array::default(),
        annotations: Map::default(),
        init: None,
        body: flatten(sequence, true),
    };
    let realize = realize_of(outer.values, predicate, around);
    let new = without(state, common, blocks, &realize)?;
    let state = schedule.state_mut();
    match Found::of(&new) {
        Some(Found::Block(found)) => state.replace_block(common, found.block.clone(), &reused)?,
        _ => state.replace(common, new, &reused)?,
    }
    let block = handle(state, &realize)?;
    let scope = state.scope(block)?;
    state.update(scope)?;
    Ok(block)
}

/// The ancestor of blocks with another statement in their place.
fn without(state: &State, common: Item, blocks: &[Item], new: &Ref<BlockRealize>) -> Result<StmtRef> {
    let found = state.stmt(common)?.clone();
    let body = match Found::of(&found) {
        Some(found) => found.body(),
        None => return Err(ScheduleError::plain("the blocks have no common loop or block")),
    };
    let Some(sequence) = body.as_node::<SeqStmt>() else {
        return Err(ScheduleError::plain("the blocks are nested"));
    };
    let mut stmts: Vec<StmtRef> = Vec::new();
    let mut last: Option<usize> = None;
    for (at, stmt) in sequence.seq.iter().enumerate() {
        let mut holds = false;
        crate::walk::topmost_blocks(stmt, &mut |realize| {
            let item = state.find(Found::Block(realize));
            holds |= item.is_some_and(|item| blocks.contains(&item));
        });
        match (holds, last) {
            (false, _) => stmts.push(stmt.clone()),
            (true, None) => stmts.push(new.clone().upcast()),
            (true, Some(last)) if last + 1 == at => {}
            (true, Some(_)) => return Err(ScheduleError::plain("the blocks are not next to each other")),
        }
        if holds {
            last = Some(at);
        }
    }
    let body = flatten(stmts, true);
    if let Some(realize) = found.downcast_ref::<BlockRealize>() {
        let mut realize = realize.clone();
        realize.make_mut().block.make_mut().body = body;
        return Ok(realize.upcast());
    }
    let mut found = state.loop_of(common)?.clone();
    found.make_mut().body = body;
    Ok(found.upcast())
}

/// One region per buffer, from the least to the greatest element.
fn united(regions: &[Ref<BufferRegion>]) -> Result<Array<Ref<BufferRegion>>> {
    let mut buffers: Vec<(Ref<Buffer>, Vec<Vec<IntSet>>)> = Vec::new();
    for region in regions {
        let at = buffers.iter().position(|(buffer, _)| buffer.ptr_eq(&region.buffer));
        let sets = region.region.iter().map(|range| IntSet::from_range(&range.min, &range.extent));
        match at.and_then(|at| buffers.get_mut(at)) {
            Some((_, dimensions)) => {
                dimensions.iter_mut().zip(sets).for_each(|(known, set)| known.push(set));
            }
            None => buffers.push((region.buffer.clone(), sets.map(|set| vec![set]).collect())),
        }
    }
    let mut united = Vec::new();
    // TVM's table gives the last buffer first.
    for (buffer, dimensions) in buffers.into_iter().rev() {
        let mut ranges = Vec::new();
        for sets in dimensions {
            let set = IntSet::union(&sets);
            let (Some(min), Some(max)) = (set.min(), set.max()) else {
                return Err(ScheduleError::plain("a region has no bounds"));
            };
            let end = ops::add(max.clone(), ops::make_const(max.dtype(), 1)?)?;
            ranges.push(Range::try_from_bounds(min.clone(), end)?);
        }
        united.push(BufferRegion::try_new(buffer, Array::new(ranges))?);
    }
    Ok(Array::new(united))
}
