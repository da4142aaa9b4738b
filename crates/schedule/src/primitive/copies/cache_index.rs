//! `cache_index`: computations of a block that repeat are stored in buffers before it.

use tvmscript_arith::{Analyzer, DomMap, IntSet, eval_set};
use tvmscript_ir_core::{
    DataType, Descend, Object, ObjectLike as _, PtrMap, Ref, TryMutator, any_node, post_order_visit,
    pre_order_visit, substitute, try_mutate,
};
use tvmscript_prim::{Expr, IntImm, PrimExprExt as _, Var, ops};
use tvmscript_tir::{Block, BlockRealize, Buffer, BufferParts, BufferStore, StmtRef, flatten};

use crate::argument::RvValue;
use crate::bindings::Ranges;
use crate::cache::finish;
use crate::copies::{Element, NewBlock, axis, elements_of, inserted, point};
use crate::error::{Result, ScheduleError};
use crate::flags::Flags;
use crate::loops::new_loops;
use crate::primitive::{Default, Place, Primitive, Results, parameter, with_default};
use crate::regions::values_of;
use crate::schedule::Schedule;
use crate::state::Item;
use crate::subexpressions::{Replacement, complexity, repeated};

pub(in crate::primitive) static CACHE_INDEX: Primitive = Primitive {
    kind: "CacheIndex",
    name: "cache_index",
    doc: "Stores computations that repeat in a block, such as indices, in buffers that blocks before it fill.",
    parameters: &[
        parameter("block", Place::Input),
        parameter("storage_scope", Place::Attribute),
        with_default("cse_thresh", Place::Attribute, Default::Int(0)),
    ],
    is_pure: false,
    results: Results::List,
    apply: |schedule, args| {
        let [block, storage, least] = args else {
            return Err(ScheduleError::plain("expected a block, a scope and a number"));
        };
        let least = usize::try_from(least.int()?);
        let least = least.map_err(|_| ScheduleError::plain("`cse_thresh` must not be negative"))?;
        let blocks = cache(schedule, schedule.item(block)?, storage.str()?.as_str(), least)?;
        Ok(blocks.into_iter().map(RvValue::Block).collect())
    },
};

fn cache(schedule: &mut Schedule, item: Item, storage: &str, least: usize) -> Result<Vec<Item>> {
    let state = schedule.state_mut();
    let scope = state.scope(item)?;
    let realize = state.realize_of(item)?.clone();
    let block = &realize.block;
    // Stores of blocks below are not part of the block.
    let mut computations: Vec<Expr> = Vec::new();
    own_stores(block, &mut |store| computations.extend(repeated(store, least)));
    computations.sort_by_key(|e| std::cmp::Reverse(complexity(e)));
    if computations.len() < 2 {
        let message = format!("expected several computations to store, found {}", computations.len());
        return Err(ScheduleError::plain(message).at(block.clone()));
    }
    let ranges = Ranges::above(state, item)?;
    let (mut nests, mut copies, mut buffers, mut loads) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (at, computation) in computations.iter().enumerate() {
        let stage = stage(at, computation, &realize, &ranges, storage)?;
        nests.push(stage.nest);
        copies.push(stage.block);
        loads.push(stage.load);
        buffers.push(stage.buffer);
    }
    let replacement = Replacement::new(computations.iter().zip(&loads));
    let new_block = try_mutate(block.clone(), &mut Rewrite { root: block.object().address(), replacement })?;
    let old_scope = state.block_of(scope)?.clone();
    let holds = |stmt: &StmtRef| any_node(stmt, |node| node.ptr_eq(block.object()));
    let position = elements_of(&old_scope.body).iter().position(holds).unwrap_or(0);
    let mut exchange: PtrMap<Object> = PtrMap::default();
    exchange.insert(block.object().clone(), new_block.object().clone());
    let mut new_scope = substitute(old_scope.clone(), &exchange)?;
    let changed = new_scope.make_mut();
    changed.body = inserted(&changed.body, position, &flatten(nests, true))?;
    changed.alloc_buffers = old_scope.alloc_buffers.iter().cloned().chain(buffers).collect();
    state.replace_block(scope, new_scope, &[(block.clone(), new_block)])?;
    let is_stage_pipeline = state.flags(item).is_stage_pipeline;
    let mut items = Vec::with_capacity(copies.len());
    for copy in &copies {
        let new = finish(state, copy)?;
        state.set_flags(new, Flags { is_stage_pipeline, ..state.flags(new) });
        items.push(new);
    }
    Ok(items)
}

/// Calls `f` for the stores of a block that are not in blocks below.
fn own_stores(block: &Ref<Block>, f: &mut impl FnMut(&Ref<BufferStore>)) {
    pre_order_visit(block, |node| {
        if let Some(store) = node.downcast_ref::<BufferStore>() {
            f(store);
            return false;
        }
        !node.is::<Block>() || node.ptr_eq(block.object())
    });
}

/// A buffer for a computation, and how it is filled and read.
struct Stage {
    nest: StmtRef,
    block: Ref<BlockRealize>,
    buffer: Ref<Buffer>,
    load: Expr,
}

/// The distinct variables of an expression, in order.
fn variables(e: &Expr, found: &mut Vec<Ref<Var>>) {
    post_order_visit(e, |node| {
        if let Some(variable) = node.downcast_ref::<Var>()
            && !found.iter().any(|known| known.ptr_eq(variable))
        {
            found.push(variable.clone());
        }
    });
}

fn stage(
    number: usize,
    computation: &Expr,
    realize: &BlockRealize,
    ranges: &Ranges,
    storage: &str,
) -> Result<Stage> {
    let unknown =
        || ScheduleError::plain("a computation depends on more than the axes and loops of the block");
    let values = values_of(realize);
    let (mut axes, mut loops) = (Vec::new(), Vec::new());
    variables(computation, &mut axes);
    let mut bindings: Vec<Expr> = Vec::with_capacity(axes.len());
    for axis in &axes {
        let value = values.get(axis.object()).and_then(|value| value.downcast_ref().cloned());
        let value: Expr = value.ok_or_else(unknown)?;
        variables(&value, &mut loops);
        bindings.push(value);
    }
    let mut domains = DomMap::new();
    for range in &ranges.0 {
        domains.insert(&range.var, IntSet::from_range(&range.min, &range.extent));
    }
    let mut extents: Vec<Expr> = Vec::with_capacity(loops.len());
    let mut loop_vars: Vec<Ref<Var>> = Vec::with_capacity(loops.len());
    let mut renamed: PtrMap<Object> = PtrMap::default();
    for (at, variable) in loops.iter().enumerate() {
        let range = ranges.0.iter().find(|range| range.var.ptr_eq(variable)).ok_or_else(unknown)?;
        let new = Var::new(format!("ax{at}"), index_dtype(&range.min, &range.extent)?);
        renamed.insert(variable.object().clone(), new.object().clone());
        loop_vars.push(new);
        extents.push(range.extent.clone());
    }
    let (mut shape, mut new_axes, mut new_values, mut indices) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut axis_map: PtrMap<Object> = PtrMap::default();
    for ((at, old), value) in axes.iter().enumerate().zip(&bindings) {
        let last = eval_set(value, &domains).max().cloned().ok_or_else(unknown)?;
        shape.push(ops::add(last.clone(), ops::make_const(last.dtype(), 1)?)?);
        // The domain is the extent of the loop with the same number, as in TVM.
        let extent = extents.get(at).ok_or_else(unknown)?;
        let extent = match extent.as_node::<IntImm>() {
            Some(literal) => IntImm::try_new(old.dtype, literal.value)?,
            None => extent.clone(),
        };
        let axis = axis(&format!("v{at}"), &extent)?;
        axis_map.insert(old.object().clone(), axis.var.object().clone());
        indices.push(axis.var.clone().upcast());
        new_axes.push(axis);
        new_values.push(substitute(value.clone(), &renamed)?);
    }
    let name = format!("index_var_{number}");
    let dtype = computation.dtype();
    let data = Var::with_type(name.as_str(), Buffer::pointer_type(dtype, storage));
    let buffer = Buffer::try_new(BufferParts {
        data,
        strides: [IntImm::int32(1)].into_iter().collect(),
        elem_offset: Some(IntImm::int32(0)),
        ..BufferParts::compact(&name, dtype, shape)
    })?;
    let value = substitute(computation.clone(), &axis_map)?;
    let body = Element { buffer: &buffer, indices: &indices }.store(value)?;
    let writes = vec![point(&buffer, &indices)?];
    let name = format!("index_{number}");
    let block =
        NewBlock { name: &name, axes: new_axes, values: new_values, reads: Vec::new(), writes }.around(body);
    let nest = new_loops(loop_vars.into_iter().zip(extents), block.clone().upcast())?;
    let old_axes: Vec<Expr> = axes.iter().map(|axis| axis.clone().upcast()).collect();
    let load = Element { buffer: &buffer, indices: &old_axes }.load()?;
    Ok(Stage { nest, block, buffer, load })
}

/// 32 bits if they hold all values of a range.
fn index_dtype(min: &Expr, extent: &Expr) -> Result<DataType> {
    let bits = |value: i64| ops::make_const(DataType::INT64, value);
    let mut analyzer = Analyzer::new();
    let wide = |e: &Expr| ops::cast(DataType::INT64, e.clone());
    let end = ops::add(wide(min)?, wide(extent)?)?;
    let fits = ops::and(
        ops::ge(wide(min)?, bits(i64::from(i32::MIN))?)?,
        ops::le(end, bits(i64::from(i32::MAX) + 1)?)?,
    )?;
    Ok(if min.dtype().bits <= 32 || analyzer.can_prove(&fits) { DataType::INT32 } else { DataType::INT64 })
}

/// Loads stored computations in the stores of a block.
struct Rewrite {
    root: usize,
    replacement: Replacement,
}

impl TryMutator for Rewrite {
    type Error = ScheduleError;

    fn enter(&mut self, node: &Object) -> Result<Descend> {
        if node.is::<Block>() && node.address() != self.root {
            return Ok(Descend::Keep);
        }
        let Some(store) = node.downcast_ref::<BufferStore>() else { return Ok(Descend::Into) };
        Ok(Descend::Replace(self.replacement.make(store.clone())?.into_object()))
    }
}
