//! `pad_einsum`: the extents of a block are rounded up, over padded copies of its buffers.

use hashbrown::HashSet;
use tvmscript_arith::Analyzer;
use tvmscript_ir_core::{Descend, Object, ObjectLike as _, PtrMap, Ref, TryMutator, any_node, try_mutate};
use tvmscript_prim::{Expr, IntImm, PrimExprExt as _, Range, Var, ops};
use tvmscript_tir::{
    Block, BlockRealize, Buffer, BufferLoad, BufferParts, BufferRegion, BufferStore, For, IterVar, StmtRef,
    flatten,
};

use crate::argument::Argument;
use crate::bindings::reused_blocks;
use crate::buffers::Access;
use crate::copies::{Element, NewBlock, axis, point};
use crate::error::{Result, ScheduleError};
use crate::flags::Flags;
use crate::insertion::elements;
use crate::loops::new_loops;
use crate::primitive::{Place, Primitive, Results, parameter};
use crate::schedule::Schedule;
use crate::state::Item;
use crate::walk::Found;

pub(in crate::primitive) static PAD_EINSUM: Primitive = Primitive {
    kind: "PadEinsum",
    name: "pad_einsum",
    doc: "Rounds the extents of a block's axes up to multiples, over padded copies of its buffers.",
    parameters: &[parameter("block", Place::Input), parameter("padding", Place::Attribute)],
    is_pure: false,
    results: Results::None,
    apply: |schedule, args| {
        let [block, padding] = args else {
            return Err(ScheduleError::plain("expected a block and numbers"));
        };
        let block = schedule.item(block)?;
        let padding = padding.list()?.iter().map(Argument::int).collect::<Result<Vec<_>>>()?;
        pad(schedule, block, &padding)?;
        Ok(Vec::new())
    },
};

fn pad(schedule: &mut Schedule, item: Item, padding: &[i64]) -> Result<()> {
    let state = schedule.state_mut();
    let scope = state.pipeline_scope(item)?;
    let realize = state.realize_of(item)?.clone();
    let block = realize.block.clone();
    if padding.len() != block.iter_vars.len() || padding.iter().any(|number| *number <= 0) {
        let message = format!("expected {} positive numbers, found {padding:?}", block.iter_vars.len());
        return Err(ScheduleError::new("InvalidPaddingError", message).at(block));
    }
    check_einsum(&block)?;

    let mut analyzer = Analyzer::new();
    let mut padded = Padded::default();
    for ((axis, value), multiple) in block.iter_vars.iter().zip(realize.iter_values.iter()).zip(padding) {
        let Some(dom) = &axis.dom else { continue };
        let multiple = IntImm::try_new(dom.extent.dtype(), *multiple)?;
        let extent = ops::mul(ops::ceildiv(dom.extent.clone(), multiple.clone())?, multiple)?;
        let extent = analyzer.simplify(&extent);
        if !analyzer.can_prove_equal(&extent, &dom.extent) {
            padded.extents.insert(axis.var.object().clone(), extent.clone());
            if let Some(variable) = value.downcast_ref::<Var>() {
                padded.extents.insert(variable.object().clone(), extent);
            }
        }
    }
    let (mut before, mut after, mut copies, mut allocated) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for access in [Access::Read, Access::Write] {
        let is_padded = |range: &Ref<Range>| padded.extents.contains_key(range.min.object());
        let regions = access.regions(&block).iter();
        for region in regions.filter(|region| region.region.iter().any(is_padded)) {
            let new = padded_buffer(region, &padded)?;
            let (nest, copy) = copy(&region.buffer, &new, access, &mut analyzer)?;
            match access {
                Access::Read => before.push(nest),
                Access::Write => after.push(nest),
            }
            copies.push(copy);
            allocated.push((region.buffer.clone(), new));
        }
    }
    for (old, new) in &allocated {
        padded.buffers.insert(old.object().clone(), new.clone());
    }

    let mut new_scope = state.block_of(scope)?.clone();
    let mut statements = Vec::new();
    let mut reused = Vec::new();
    for stmt in elements(&new_scope.body) {
        if !any_node(&stmt, |node| node.ptr_eq(block.object())) {
            statements.push(stmt);
            continue;
        }
        let new = try_mutate(stmt.clone(), &mut padded)?;
        reused.extend(reused_blocks(&stmt, &new));
        statements.append(&mut before);
        statements.push(new);
        statements.append(&mut after);
    }
    let buffers = new_scope.alloc_buffers.iter().cloned().chain(allocated.into_iter().map(|(_, new)| new));
    let buffers = buffers.collect();
    let changed = new_scope.make_mut();
    changed.body = flatten(statements, false);
    changed.alloc_buffers = buffers;
    state.replace_block(scope, new_scope, &reused)?;
    for copy in &copies {
        if let Some(item) = state.find(Found::Block(copy)) {
            let flags = Flags { is_affine: true, has_region_cover: true, is_stage_pipeline: true };
            state.set_flags(item, flags);
        }
    }
    Ok(())
}

/// Refuses a block that accesses a buffer twice, or at other places than variables and constants.
fn check_einsum(block: &Ref<Block>) -> Result<()> {
    let mut known = HashSet::new();
    for region in block.reads.iter().chain(block.writes.iter()) {
        let is_simple = |range: &Ref<Range>| {
            ops::is_one(&range.extent) && (range.min.is::<IntImm>() || range.min.is::<Var>())
        };
        if !known.insert(region.buffer.object().address()) || !region.region.iter().all(is_simple) {
            let message = format!(
                "the block `{}` is not a sum of products: it accesses `{}` twice, or not at one element of its axes",
                block.name_hint.as_str(),
                region.buffer.name.text()
            );
            return Err(ScheduleError::new("NonEinsumError", message).at(block.clone()));
        }
    }
    Ok(())
}

/// The buffer for a region with padded extents.
fn padded_buffer(region: &BufferRegion, padded: &Padded) -> Result<Ref<Buffer>> {
    let buffer = &region.buffer;
    let mut shape = Vec::with_capacity(region.region.len());
    for (range, extent) in region.region.iter().zip(buffer.shape.iter()) {
        shape.push(match padded.extents.get(range.min.object()) {
            Some(extent) => extent.clone(),
            None if range.min.is::<IntImm>() => ops::make_const(range.min.dtype(), 1)?,
            None => extent.clone(),
        });
    }
    let name = format!("{}_pad", buffer.name.text());
    let data = Var::with_type(name.as_str(), Buffer::pointer_type(buffer.dtype, buffer.scope().as_str()));
    Ok(Buffer::try_new(BufferParts { data, ..BufferParts::compact(&name, buffer.dtype, shape) })?)
}

/// The nest that fills a padded buffer, or copies its content back.
fn copy(
    buffer: &Ref<Buffer>,
    padded: &Ref<Buffer>,
    access: Access,
    analyzer: &mut Analyzer,
) -> Result<(StmtRef, Ref<BlockRealize>)> {
    let shape = if access == Access::Read { &padded.shape } else { &buffer.shape };
    let (mut loops, mut axes, mut values, mut indices) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (at, extent) in shape.iter().enumerate() {
        let variable = Var::new(format!("i{at}"), extent.dtype());
        let axis = axis(&format!("v{at}"), extent)?;
        values.push(variable.clone().upcast());
        loops.push((variable, extent.clone()));
        indices.push(axis.var.clone().upcast());
        axes.push(axis);
    }
    let (from, to) = match access {
        Access::Read => (buffer, padded),
        Access::Write => (padded, buffer),
    };
    let mut value = Element { buffer: from, indices: &indices }.load()?;
    if access == Access::Read {
        let mut condition: Expr = IntImm::bool(true);
        for ((old, new), index) in buffer.shape.iter().zip(padded.shape.iter()).zip(&indices) {
            if !analyzer.can_prove_equal(old, new) {
                condition = ops::and(condition, ops::lt(index.clone(), old.clone())?)?;
            }
        }
        let zero = ops::make_zero(value.dtype())?;
        value = ops::if_then_else(condition, value, zero)?;
    }
    let (reads, writes) = (vec![point(from, &indices)?], vec![point(to, &indices)?]);
    let name = padded.name.text();
    let body = Element { buffer: to, indices: &indices }.store(value)?;
    let block = NewBlock { name, axes, values, reads, writes }.around(body);
    Ok((new_loops(loops.into_iter(), block.clone().upcast())?, block))
}

/// Widens loops and axes, and exchanges buffers.
#[derive(Default)]
struct Padded {
    /// New extents by the variable of an axis or loop.
    extents: PtrMap<Expr>,
    buffers: PtrMap<Ref<Buffer>>,
}

impl TryMutator for Padded {
    type Error = ScheduleError;

    fn enter(&mut self, node: &Object) -> Result<Descend> {
        Ok(if node.is::<Buffer>() { Descend::Keep } else { Descend::Into })
    }

    fn leave(&mut self, node: &Object) -> Result<Option<Object>> {
        let buffer = |old: &Ref<Buffer>| self.buffers.get(old.object()).cloned();
        if let Some(found) = node.downcast_ref::<For>()
            && let Some(extent) = self.extents.get(found.loop_var.object())
        {
            let mut new = found.clone();
            new.make_mut().extent = extent.clone();
            return Ok(Some(new.into_object()));
        }
        if let Some(axis) = node.downcast_ref::<IterVar>()
            && let (Some(extent), Some(dom)) = (self.extents.get(axis.var.object()), &axis.dom)
        {
            let dom = Range::from_min_extent(dom.min.clone(), extent.clone());
            return Ok(Some(Ref::new(IterVar { dom: Some(dom), ..(**axis).clone() }).into_object()));
        }
        if let Some(region) = node.downcast_ref::<BufferRegion>()
            && let Some(buffer) = buffer(&region.buffer)
        {
            return Ok(Some(BufferRegion::try_new(buffer, region.region.clone())?.into_object()));
        }
        if let Some(load) = node.downcast_ref::<BufferLoad>()
            && let Some(buffer) = buffer(&load.buffer)
        {
            let new = BufferLoad::try_new(buffer, load.indices.clone(), load.predicate.clone())?;
            return Ok(Some(new.into_object()));
        }
        if let Some(store) = node.downcast_ref::<BufferStore>()
            && let Some(buffer) = buffer(&store.buffer)
        {
            let mut new = store.clone();
            new.make_mut().buffer = buffer;
            return Ok(Some(new.into_object()));
        }
        Ok(None)
    }
}
