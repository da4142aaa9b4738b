//! `rolling_buffer`: a buffer keeps only the part that one iteration of a loop needs, and is overwritten in circles.

use tvmscript_arith::{Analyzer, DomMap, IntSet, eval_set, eval_set_of_range};
use tvmscript_ir_core::{Array, Descend, Object, ObjectLike as _, PtrMap, Ref, TryMutator, try_mutate};
use tvmscript_prim::{Expr, FloorDiv, IntImm, Mul, PrimExprExt as _, Var, ops};
use tvmscript_tir::complete::block_access_regions;
use tvmscript_tir::{Block, BlockRealize, Buffer, BufferLoad, BufferRegion, BufferStore, IterType, IterVar};

use crate::buffers::Access;
use crate::copies::whole;
use crate::error::{Result, ScheduleError};
use crate::primitive::{Place, Primitive, Results, parameter};
use crate::regions::accesses;
use crate::schedule::Schedule;
use crate::scope::{Dependence, Dependences, check_not_output};
use crate::state::{Item, Reused};

pub(in crate::primitive) static ROLLING_BUFFER: Primitive = Primitive {
    kind: "RollingBuffer",
    name: "rolling_buffer",
    doc: "Keeps only the part of a written buffer that one iteration of a loop needs, and reuses what the last one wrote.",
    parameters: &[parameter("block", Place::Input), parameter("write_buffer_index", Place::Attribute)],
    is_pure: false,
    results: Results::None,
    apply: |schedule, args| {
        let [block, index] = args else {
            return Err(ScheduleError::plain("expected a block and a number"));
        };
        let (block, index) = (schedule.item(block)?, schedule.int(index)?);
        roll(schedule, block, index)?;
        Ok(Vec::new())
    },
};

fn roll(schedule: &mut Schedule, item: Item, index: i64) -> Result<()> {
    let state = schedule.state_mut();
    let realize = state.realize_of(item)?.clone();
    let block = &realize.block;
    let buffer = Access::Write.buffer(block, index)?;
    let scope = state.scope(item)?;
    check_not_output(state, item, scope)?;
    let dependences = Dependences::of_scope(state, scope)?;
    let mut edges = dependences.before(item).iter().chain(dependences.after(item));
    if edges.any(|(_, kind)| *kind != Dependence::ReadAfterWrite) {
        let message = "the block is not alone in writing what it writes, or overwrites what others read";
        return Err(ScheduleError::new("RollingBufferDependencyError", message).at(block.clone()));
    }
    let mut accessors = dependences.consumers(item);
    accessors.push(item);
    let common = state.common_ancestor(&accessors).filter(|common| !state.is_block(*common));
    let Some(common) = common else {
        let message = format!("no loop holds all accesses to the buffer `{}`", buffer.name.text());
        return Err(ScheduleError::new("RollingBufferInsertionError", message).at(block.clone()));
    };
    let loops = state.loops_above(item);
    let mut domains = DomMap::new();
    for found in loops.iter().rev().take_while(|found| **found != common) {
        let found = state.loop_of(*found)?;
        domains.insert(&found.loop_var, IntSet::from_range(&found.min, &found.extent));
    }
    let at = usize::try_from(index).unwrap_or(usize::MAX);
    let region = accesses(&realize, &block.writes)?.into_iter().nth(at);
    let Some(region) = region else { return Err(ScheduleError::plain("the region is lost")) };
    let relaxed = region.region.iter().zip(whole(&buffer)).map(|((min, extent), whole)| {
        eval_set_of_range(min, extent, &domains).cover_range().unwrap_or(whole)
    });
    let relaxed: Vec<(Expr, Expr)> = relaxed.collect();
    let no_match = || {
        let message = format!(
            "the region of `{}` in an iteration does not overlap with that of the next one along a loop",
            buffer.name.text()
        );
        ScheduleError::new("RollingBufferMatchError", message).at(block.clone())
    };
    let overlaps = overlaps(&relaxed)?.ok_or_else(no_match)?;
    let mut axis = None;
    for found in &loops {
        let variable = &state.loop_of(*found)?.loop_var;
        let is_rolled =
            |rolled: &Option<Overlap>| rolled.as_ref().is_some_and(|r| r.variable.ptr_eq(variable));
        axis = axis.or_else(|| overlaps.iter().position(is_rolled));
    }
    let axis = axis.ok_or_else(no_match)?;
    let extent = relaxed.get(axis).map(|(_, extent)| extent.clone()).ok_or_else(no_match)?;
    let mut new = buffer.clone();
    let shape = buffer.shape.iter().enumerate();
    new.make_mut().shape =
        shape.map(|(at, old)| if at == axis { extent.clone() } else { old.clone() }).collect();

    let old_scope = state.block_of(scope)?.clone();
    let mut rolling = Rolling {
        root: old_scope.object().address(),
        old: buffer,
        new,
        axis,
        extent,
        overlaps,
        guards: false,
        reused: Vec::new(),
    };
    let mut new_scope = try_mutate(old_scope, &mut rolling)?;
    let allocated = new_scope.alloc_buffers.iter();
    let allocated =
        allocated.map(|own| if own.ptr_eq(&rolling.old) { rolling.new.clone() } else { own.clone() });
    new_scope.make_mut().alloc_buffers = allocated.collect();
    state.replace_block(scope, new_scope, &rolling.reused)?;
    state.update(scope)
}

/// The overlap of a dimension of a region in one iteration of a loop with that in the next one.
struct Overlap {
    variable: Ref<Var>,
    length: i64,
}

/// The overlaps of a region whose dimensions start at a variable, times and divided by constants, or at a constant; `None`
/// for other forms.
fn overlaps(region: &[(Expr, Expr)]) -> Result<Option<Vec<Option<Overlap>>>> {
    let mut overlaps = Vec::with_capacity(region.len());
    for (min, extent) in region {
        let (start, divisor) = match min.as_node::<FloorDiv>() {
            Some(quotient) => (&quotient.a, ops::int_value(&quotient.b).unwrap_or(1)),
            None => (min, 1),
        };
        let scaled = match (start.downcast_ref::<Var>(), start.as_node::<Mul>()) {
            (Some(variable), _) => Some((variable.clone(), 1)),
            (None, Some(product)) => product.a.downcast_ref::<Var>().cloned().zip(ops::int_value(&product.b)),
            (None, None) => None,
        };
        let Some((variable, stride)) = scaled else {
            if !start.is::<IntImm>() {
                return Ok(None);
            }
            overlaps.push(None);
            continue;
        };
        let extent = ops::int_value(extent);
        let extent = extent.ok_or_else(|| ScheduleError::plain("the accessed region is not constant"))?;
        let stride = stride.checked_add(divisor.max(1) - 1).unwrap_or(stride) / divisor.max(1);
        let length = extent.saturating_sub(stride);
        overlaps.push((length > 0).then_some(Overlap { variable, length }));
    }
    Ok(Some(overlaps))
}

/// Makes the accesses of a scope go round in the smaller buffer.
struct Rolling {
    /// The address of the scope.
    root: usize,
    old: Ref<Buffer>,
    new: Ref<Buffer>,
    axis: usize,
    extent: Expr,
    overlaps: Vec<Option<Overlap>>,
    /// The block that ends next stores to the buffer.
    guards: bool,
    reused: Vec<Reused>,
}

impl Rolling {
    fn indices(&self, indices: &Array<Expr>) -> Result<Array<Expr>> {
        let rolled = indices.iter().enumerate().map(|(at, index)| match at == self.axis {
            true => Ok(ops::BinaryOp::FloorMod.node(index.clone(), self.extent.clone())?),
            false => Ok(index.clone()),
        });
        rolled.collect()
    }

    fn changed(&mut self, node: &Object) -> Result<Option<Object>> {
        if let Some(load) = node.downcast_ref::<BufferLoad>().filter(|load| load.buffer.ptr_eq(&self.old)) {
            let indices = self.indices(&load.indices)?;
            let new = BufferLoad::try_new(self.new.clone(), indices, load.predicate.clone())?;
            return Ok(Some(new.into_object()));
        }
        if let Some(store) = node.downcast_ref::<BufferStore>().filter(|store| store.buffer.ptr_eq(&self.old))
        {
            let mut new = store.clone();
            let indices = self.indices(&store.indices)?;
            let changed = new.make_mut();
            (changed.buffer, changed.indices) = (self.new.clone(), indices);
            self.guards = true;
            return Ok(Some(new.into_object()));
        }
        if let Some(realize) =
            node.downcast_ref::<BlockRealize>().filter(|_| std::mem::take(&mut self.guards))
        {
            let mut new = realize.clone();
            new.make_mut().predicate = self.guarded(realize)?;
            return Ok(Some(new.into_object()));
        }
        Ok(None)
    }

    /// The condition of a block that does not compute again what the last iteration left.
    fn guarded(&self, realize: &BlockRealize) -> Result<Expr> {
        let mut condition = realize.predicate.clone();
        for (at, overlap) in self.overlaps.iter().enumerate() {
            let Some(Overlap { variable, length }) = overlap else { continue };
            let value = realize.iter_values.iter().nth(at);
            let value =
                value.ok_or_else(|| ScheduleError::plain("the block has fewer axes than the buffer"))?;
            let mut domains = DomMap::new();
            domains.insert(variable, IntSet::point(&IntImm::try_new(variable.dtype, 0)?));
            let first = eval_set(value, &domains).min().cloned().unwrap_or_else(|| value.clone());
            let is_first = ops::lt(variable.clone().upcast(), ops::make_const(variable.dtype, 1)?)?;
            let is_new = ops::ge(first.clone(), ops::make_const(first.dtype(), *length)?)?;
            let both = ops::and(condition, ops::or(is_first, is_new)?)?;
            condition = Analyzer::new().simplify(&both);
        }
        Ok(condition)
    }

    /// A block of the scope with its regions found again, and an axis that runs in order.
    fn block(&self, block: &Ref<Block>) -> Result<Ref<Block>> {
        let mut new = block.clone();
        let mut visible: PtrMap<Ref<Buffer>> = PtrMap::default();
        visible.insert(self.new.data.object().clone(), self.new.clone());
        let uses =
            |regions: &Array<Ref<BufferRegion>>| regions.iter().any(|region| region.buffer.ptr_eq(&self.old));
        if uses(&block.reads) || uses(&block.writes) {
            let found = block_access_regions(block, &visible);
            let found = found.map_err(|error| ScheduleError::plain(error.to_string()))?;
            let region = |old: &Ref<BufferRegion>, found: &[Ref<BufferRegion>]| match found {
                _ if !old.buffer.ptr_eq(&self.old) => Ok(old.clone()),
                [only] => Ok(only.clone()),
                _ => Err(ScheduleError::plain("the region of the buffer is not found")),
            };
            let changed = new.make_mut();
            changed.reads = block.reads.iter().map(|old| region(old, &found.reads)).collect::<Result<_>>()?;
            changed.writes =
                block.writes.iter().map(|old| region(old, &found.writes)).collect::<Result<_>>()?;
        }
        if block.iter_vars.len() > self.axis {
            let axes = block.iter_vars.iter().enumerate().map(|(at, axis)| match at == self.axis {
                true => Ref::new(IterVar { iter_type: IterType::Opaque, ..(**axis).clone() }),
                false => axis.clone(),
            });
            new.make_mut().iter_vars = axes.collect();
        }
        Ok(new)
    }
}

impl TryMutator for Rolling {
    type Error = ScheduleError;

    fn enter(&mut self, node: &Object) -> Result<Descend> {
        if node.is::<Buffer>() {
            return Ok(Descend::Keep);
        }
        // Each block is walked on its own, to know which block it was.
        let Some(block) = node.downcast_ref::<Block>().filter(|_| node.address() != self.root) else {
            return Ok(Descend::Into);
        };
        let root = std::mem::replace(&mut self.root, node.address());
        let new = tvmscript_ir_core::with_stack(|| try_mutate(block.clone(), self))?;
        self.root = root;
        let new = self.block(&new)?;
        self.reused.push((block.clone(), new.clone()));
        Ok(Descend::Replace(new.into_object()))
    }

    fn leave(&mut self, node: &Object) -> Result<Option<Object>> {
        self.changed(node)
    }
}
