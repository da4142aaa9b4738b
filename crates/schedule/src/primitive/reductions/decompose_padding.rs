//! `decompose_padding`: a padded copy becomes a fill with a constant and a copy of what is in bounds.

use tvmscript_arith::{Analyzer, IterMapLevel, detect_iter_map, effect};
use tvmscript_ir_core::{Array, Map, Object, PtrMap, Ref, Span, Str, substitute};
use tvmscript_prim::op::Effect;
use tvmscript_prim::{Call, Expr, FloatImm, IntImm, PrimExprExt as _, Range, Var, intrinsic, ops};
use tvmscript_tir::{
    Block, BlockRealize, BufferRegion, BufferStore, For, ForKind, IterType, IterVar, StmtRef, flatten,
};

use crate::argument::RvValue;
use crate::bindings::Ranges;
use crate::error::{Result, ScheduleError};
use crate::flags::Flags;
use crate::fresh::copied;
use crate::primitive::{Place, Primitive, Results, parameter};
use crate::regions::values_of;
use crate::schedule::Schedule;
use crate::scope::{Dependences, check_complete};
use crate::state::{Item, State};
use crate::walk::Found;

pub(in crate::primitive) static DECOMPOSE_PADDING: Primitive = Primitive {
    kind: "DecomposePadding",
    name: "decompose_padding",
    doc: "Makes two blocks of a padded copy: one that fills with the constant, before a loop, and the copy in bounds.",
    parameters: &[parameter("block", Place::Input), parameter("loop", Place::Input)],
    is_pure: false,
    results: Results::One,
    apply: |schedule, args| {
        let [block, target] = args else {
            return Err(ScheduleError::plain("expected a block and a loop"));
        };
        let (block, target) = (schedule.item(block)?, schedule.loop_item(target)?);
        decompose(schedule, block, target).map(|block| vec![RvValue::Block(block)])
    },
};

/// The pattern of a padded copy.
struct Padding {
    store: Ref<BufferStore>,
    /// The copied value, in terms of the block's axes.
    value: Expr,
    /// The constant.
    constant: Expr,
    /// The condition of a copy, in terms of the loops.
    condition: Expr,
    /// The values of the axes that meet the condition, as starts and extents.
    bounds: Vec<(Expr, Expr)>,
}

fn decompose(schedule: &mut Schedule, block: Item, target: Item) -> Result<Item> {
    let state = schedule.state_mut();
    let scope = state.scope(block)?;
    check_complete(state, block, scope)?;
    let loops = state.loops_above(block);
    let realize = state.realize_of(block)?.clone();
    let Some(outermost) = loops.iter().position(|item| *item == target) else {
        let error = ScheduleError::new("LoopPositionError", "the loop is not above the block");
        return Err(error.at(state.loop_of(target)?.clone()).at(realize.block.clone()));
    };
    let nodes: Vec<Ref<For>> =
        loops.iter().map(|item| state.loop_of(*item).cloned()).collect::<Result<_>>()?;
    let mut analyzer = Analyzer::new();
    for node in &nodes {
        analyzer.bind_range(&node.loop_var, &node.min, &node.extent);
    }
    let padding = matched(&realize, &Ranges::of(state, &loops)?, &mut analyzer)?;

    // Loops from the given one, inner ones first, and those around nothing but the block.
    let filled: Vec<&Ref<For>> = nodes.iter().skip(outermost).rev().collect();
    let is_single = |node: &&&Ref<For>| node.body.is::<For>() || node.body.is::<BlockRealize>();
    let single = filled.iter().take_while(is_single).count();
    let Some(highest) = single.checked_sub(1).and_then(|at| filled.get(at)) else {
        return Err(ScheduleError::plain("there are several statements in the innermost loop of the block"));
    };
    let copied: Vec<&Ref<For>> = filled.iter().take(single).copied().collect();
    let (fill, fill_block) = fill(&realize, &padding, &filled, &mut analyzer)?;
    let (copy, copy_block) = in_bounds(&realize, &padding, &copied, &nodes, &mut analyzer)?;
    let mut exchange: PtrMap<Object> = PtrMap::default();
    exchange.insert(highest.object().clone(), copy.object().clone());
    let rest = substitute(state.stmt(target)?.clone(), &exchange)?;
    let new = flatten(vec![fill, rest], true);
    state.replace(target, new, &[(realize.block.clone(), copy_block)])?;

    let lost = || ScheduleError::plain("the new block is lost");
    let item = state.find(Found::Block(&fill_block)).ok_or_else(lost)?;
    state.set_flags(item, Flags { is_affine: true, has_region_cover: true, is_stage_pipeline: true });
    uncover_consumers(state, scope, block, item)?;
    Ok(item)
}

/// Consumers below loops that the fill has left no longer see a producer that writes all they read.
fn uncover_consumers(state: &mut State, scope: Item, block: Item, fill: Item) -> Result<()> {
    let around_fill: Vec<Item> = state.ancestors(fill).collect();
    for consumer in Dependences::of_scope(state, scope)?.consumers(block) {
        let common =
            state.ancestors(consumer).find(|above| state.ancestors(block).any(|other| other == *above));
        if common.is_some_and(|common| !around_fill.contains(&common)) {
            state.set_flags(consumer, Flags { has_region_cover: false, ..state.flags(consumer) });
            state.set_flags(scope, Flags { is_stage_pipeline: false, ..state.flags(scope) });
        }
    }
    Ok(())
}

/// The pattern of a block that stores a value where a condition holds, and a constant elsewhere.
fn matched(realize: &Ref<BlockRealize>, ranges: &Ranges, analyzer: &mut Analyzer) -> Result<Padding> {
    let block = &realize.block;
    let fail = |why: &str| {
        let message = format!("the block `{}` is not a padded copy: {why}", block.name_hint.as_str());
        ScheduleError::new("PaddingPatternMatchError", message).at(block.clone())
    };
    let store = block.body.downcast_ref::<BufferStore>();
    let store = store.ok_or_else(|| fail("its body is not one store"))?;
    let call = store.value.as_node::<Call>().filter(|call| intrinsic::IF_THEN_ELSE.is_called_by(call));
    let Some([condition, value, constant]) = call.and_then(arguments) else {
        return Err(fail("the stored value has no condition"));
    };
    if !constant.is::<IntImm>() && !constant.is::<FloatImm>() {
        return Err(fail("the value out of bounds is not constant"));
    }
    if matches!(effect(&value), Effect::Update | Effect::Opaque) {
        return Err(fail("the value in bounds has effects"));
    }
    let condition = substitute(condition, &values_of(realize))?;
    let mut all: Expr = IntImm::bool(true);
    for part in conjuncts(ops::and(condition, realize.predicate.clone())?) {
        all = ops::and(all, part)?;
    }
    let condition = analyzer.simplify(&all);
    if analyzer.can_prove(&condition) {
        return Err(fail("the condition always holds"));
    }
    let values: Vec<Expr> = realize.iter_values.iter().cloned().collect();
    let map = detect_iter_map(&values, &ranges.0, &condition, IterMapLevel::Surjective, true, analyzer);
    let map = map.ok().filter(|map| !map.sums().is_empty());
    let map = map.ok_or_else(|| fail("the values of its axes are not independent under the condition"))?;
    let mut bounds = Vec::with_capacity(values.len());
    for sum in map.sums() {
        let extent = match sum.args() {
            [] => ops::make_const(sum.base().dtype(), 1)?,
            [part] if analyzer.can_prove_equal(part.scale(), &ops::make_const(part.scale().dtype(), 1)?) => {
                part.extent().clone()
            }
            _ => return Err(fail("the values of its axes have a stride")),
        };
        bounds.push((sum.base().clone(), extent));
    }
    Ok(Padding { store: store.clone(), value, constant, condition, bounds })
}

fn arguments(call: &Call) -> Option<[Expr; 3]> {
    let args: Vec<Expr> = call.args.iter().filter_map(|arg| arg.downcast_ref().cloned()).collect();
    args.try_into().ok()
}

/// The parts of a conjunction, in order, without marks that they are likely.
fn conjuncts(condition: Expr) -> Vec<Expr> {
    let (mut parts, mut pending) = (Vec::new(), vec![condition]);
    while let Some(next) = pending.pop() {
        if let Some(and) = next.as_node::<tvmscript_prim::And>() {
            pending.extend([and.b.clone(), and.a.clone()]);
            continue;
        }
        let likely = next.as_node::<Call>().filter(|call| intrinsic::LIKELY.is_called_by(call));
        let marked = likely.and_then(|call| call.args.iter().next()?.downcast_ref().cloned());
        parts.push(marked.unwrap_or(next));
    }
    parts
}

/// Replaces variables in expressions and regions, and simplifies them.
struct Rewrite<'r> {
    map: PtrMap<Object>,
    analyzer: &'r mut Analyzer,
}

impl Rewrite<'_> {
    fn insert(&mut self, old: &Ref<Var>, new: &Expr) {
        self.map.insert(old.object().clone(), new.object().clone());
    }

    fn expr(&mut self, e: &Expr) -> Result<Expr> {
        Ok(self.analyzer.simplify(&substitute(e.clone(), &self.map)?))
    }

    fn regions(&mut self, regions: &Array<Ref<BufferRegion>>) -> Result<Array<Ref<BufferRegion>>> {
        let mut new = Vec::with_capacity(regions.len());
        for region in regions.iter() {
            let mut ranges = Vec::with_capacity(region.region.len());
            for range in region.region.iter() {
                ranges.push(Range::from_min_extent(self.expr(&range.min)?, self.expr(&range.extent)?));
            }
            new.push(BufferRegion::try_new(region.buffer.clone(), Array::new(ranges))?);
        }
        Ok(Array::new(new))
    }

    /// A store at the rewritten place.
    fn store(&mut self, store: &Ref<BufferStore>, value: Expr) -> Result<StmtRef> {
        let indices = store.indices.iter().map(|index| self.expr(index)).collect::<Result<Array<Expr>>>()?;
        Ok(BufferStore::try_new(store.buffer.clone(), value, indices, store.predicate.clone())?)
    }
}

fn block_of(
    name: &str,
    axes: Vec<Ref<IterVar>>,
    [reads, writes]: [Array<Ref<BufferRegion>>; 2],
    body: StmtRef,
) -> Ref<Block> {
    Ref::new(Block {
        span: Span::current(),
        iter_vars: Array::new(axes),
        reads,
        writes,
        name_hint: Str::from(name),
        alloc_buffers: Array::default(),
        match_buffers: Array::default(),
        annotations: Map::default(),
        init: None,
        body,
    })
}

/// An axis with independent iterations.
fn axis(var: Ref<Var>, dom: Option<Ref<Range>>) -> Ref<IterVar> {
    Ref::new(IterVar { dom, var, iter_type: IterType::DataPar, thread_tag: Str::from("") })
}

/// The nest that stores the constant everywhere.
fn fill(
    realize: &BlockRealize,
    padding: &Padding,
    loops: &[&Ref<For>],
    analyzer: &mut Analyzer,
) -> Result<(StmtRef, Ref<BlockRealize>)> {
    let old = &realize.block;
    let mut rewrite = Rewrite { map: PtrMap::default(), analyzer };
    let mut axes = Vec::with_capacity(old.iter_vars.len());
    for old in old.iter_vars.iter() {
        let var = copied(&old.var);
        rewrite.insert(&old.var, &var.clone().upcast());
        axes.push(axis(var, old.dom.clone()));
    }
    let writes = rewrite.regions(&old.writes)?;
    let body = rewrite.store(&padding.store, padding.constant.clone())?;
    let name = format!("{}_pad_const", old.name_hint.as_str());
    let block = block_of(&name, axes, [Array::default(), writes], body);
    let mut variables = Vec::with_capacity(loops.len());
    for found in loops {
        let var = copied(&found.loop_var);
        rewrite.insert(&found.loop_var, &var.clone().upcast());
        variables.push(var);
    }
    let values = realize.iter_values.iter().map(|value| rewrite.expr(value)).collect::<Result<_>>()?;
    let predicate = rewrite.expr(&realize.predicate)?;
    let block = Ref::new(BlockRealize { span: Span::current(), iter_values: values, predicate, block });
    let mut nest: StmtRef = block.clone().upcast();
    for (found, loop_var) in loops.iter().zip(variables) {
        nest = For::try_new(For {
            span: Span::current(),
            loop_var,
            kind: ForKind::Serial,
            body: nest,
            thread_binding: None,
            annotations: Map::default(),
            ..(***found).clone()
        })?;
    }
    Ok((nest, block))
}

/// The nest that copies what is in bounds, with the block that takes the place of the old one.
fn in_bounds(
    realize: &BlockRealize,
    padding: &Padding,
    loops: &[&Ref<For>],
    all_loops: &[Ref<For>],
    before: &mut Analyzer,
) -> Result<(StmtRef, Ref<Block>)> {
    let old = &realize.block;
    let mut after = Analyzer::new();
    let mut rewrite = Rewrite { map: PtrMap::default(), analyzer: &mut after };
    let mut ranges: PtrMap<(Expr, Expr)> = PtrMap::default();
    let (mut axes, mut values) = (Vec::new(), Vec::new());
    for ((old, value), (min, extent)) in
        old.iter_vars.iter().zip(realize.iter_values.iter()).zip(&padding.bounds)
    {
        let var = copied(&old.var);
        let zero = IntImm::try_new(var.dtype, 0)?;
        rewrite.insert(&old.var, &ops::add(var.clone().upcast(), min.clone())?);
        axes.push(axis(var, Some(Range::from_min_extent(zero.clone(), extent.clone()))));
        let variable = value.downcast_ref::<Var>();
        let of_loop = variable.filter(|var| loops.iter().any(|found| found.loop_var.ptr_eq(*var)));
        match of_loop {
            // The loop becomes as short as the axis.
            Some(variable) => {
                ranges.insert(variable.object().clone(), (zero, extent.clone()));
                rewrite.insert(variable, &ops::add(value.clone(), min.clone())?);
                values.push(value.clone());
            }
            None => values.push(before.simplify(&ops::sub(value.clone(), min.clone())?)),
        }
    }
    for found in all_loops {
        let (min, extent) = (&found.min, &found.extent);
        let range = ranges.entry(found.loop_var.object().clone());
        let (min, extent) = range.or_insert_with(|| (min.clone(), extent.clone()));
        rewrite.analyzer.bind_range(&found.loop_var, min, extent);
    }
    let regions = [rewrite.regions(&old.reads)?, rewrite.regions(&old.writes)?];
    let value = rewrite.expr(&padding.value)?;
    let body = rewrite.store(&padding.store, value)?;
    let block = block_of(old.name_hint.as_str(), axes, regions, body);
    let predicate = rewrite.expr(&padding.condition)?;
    let mut nest = BlockRealize::try_new(Array::new(values), predicate, block.clone())?;
    for found in loops {
        let mut new = (**found).clone();
        if let Some((min, extent)) = ranges.get(found.loop_var.object()) {
            let changed = new.make_mut();
            (changed.min, changed.extent) = (min.clone(), extent.clone());
        }
        new.make_mut().body = nest;
        nest = new.upcast();
    }
    Ok((nest, block))
}
