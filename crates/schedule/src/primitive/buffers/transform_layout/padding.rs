//! Values for the gaps of a laid out buffer.
//!
//! A buffer that is only read gets an assumption. A nest that writes all of it in order becomes one over the new dimensions,
//! which writes the gaps, too. Other gaps are written after the last store.
//!
//! Upstream counterpart: `TransformLayoutPlanner` of `src/tir/schedule/primitive/layout_transformation.cc`.

use hashbrown::{HashMap, HashSet};
use tvmscript_arith::Analyzer;
use tvmscript_ir_core::{
    Array, DataType, Descend, Map, Mutator, Object, ObjectLike as _, PtrMap, Ref, Span, TryMutator, mutate,
    structural_equal, substitute, try_mutate,
};
use tvmscript_prim::{Call, Expr, IndexMap, IntImm, PrimExprExt as _, Range, Var, ops};
use tvmscript_tir::op::control::ASSUME;
use tvmscript_tir::{
    Block, BlockRealize, Buffer, BufferLoad, BufferRegion, BufferStore, Evaluate, For, IterType, IterVar,
    StmtRef, flatten,
};

use super::Values;
use super::writes::{Write, writes};
use crate::bindings::reused_blocks;
use crate::error::{Result, ScheduleError};
use crate::layout::map_indices;
use crate::loops::new_loops;
use crate::state::Reused;
use crate::walk::all_blocks;

/// The value in the gaps.
#[derive(Debug, Clone)]
pub(super) struct Fill {
    /// The old indices of new ones.
    pub(super) inverse: Ref<IndexMap>,
    /// The new indices, the parameters of the inverse, are in a gap.
    pub(super) condition: Expr,
    /// The value of new indices.
    pub(super) value: Ref<IndexMap>,
}

/// The way of filling the gaps.
#[derive(Debug)]
pub(super) enum Padding {
    /// There are no gaps.
    None,
    /// A statement before all others.
    Assumption(StmtRef),
    /// Loops with the statements in their places.
    Nests(Vec<(Ref<For>, StmtRef)>),
    /// A statement with one after it.
    After(StmtRef, StmtRef),
}

impl Padding {
    /// Decides how a block fills the gaps of a buffer.
    pub(super) fn plan(
        block: &Ref<Block>,
        old: &Ref<Buffer>,
        new: &Ref<Buffer>,
        fill: Fill,
    ) -> Result<Padding> {
        let writes = writes(block, old)?;
        let Some(last) = writes.last() else { return fill.assumption(new).map(Padding::Assumption) };
        let mut nests: Vec<(Ref<For>, StmtRef)> = Vec::new();
        for write in writes.iter().filter(|write| write.is_row_major) {
            let Some(top) = write.loops.first() else { continue };
            if let Some(nest) = fill.renewed()?.nest(write, new)? {
                nests.retain(|(known, _)| !known.ptr_eq(top));
                nests.push((top.clone(), nest));
            }
        }
        if !nests.is_empty() {
            return Ok(Padding::Nests(nests));
        }
        let place: StmtRef = match (last.loops.first(), &last.realize) {
            (Some(top), _) => top.clone().upcast(),
            (None, Some(realize)) => realize.clone().upcast(),
            (None, None) => {
                let message =
                    "a store to the buffer is in no loop or block, after which the gaps would be filled";
                return Err(ScheduleError::plain(message).at(block.clone()));
            }
        };
        Ok(Padding::After(place, fill.filling(new)?))
    }

    /// The block with its gaps filled, except for an assumption, and the blocks that were replaced.
    pub(super) fn applied(&self, block: &Ref<Block>) -> Result<(Ref<Block>, Vec<Reused>)> {
        let mut exchange: Values = PtrMap::default();
        let mut reused = Vec::new();
        match self {
            Padding::None | Padding::Assumption(_) => return Ok((block.clone(), reused)),
            Padding::Nests(nests) => {
                for (old, new) in nests {
                    exchange.insert(old.object().clone(), new.object().clone());
                    reused.extend(reused_blocks(&old.clone().upcast(), new));
                }
            }
            Padding::After(place, filling) => {
                let both = flatten(vec![place.clone(), filling.clone()], true);
                exchange.insert(place.object().clone(), both.object().clone());
            }
        }
        let body = mutate(block.body.clone(), &mut Exchange(&exchange))?;
        let before = block.clone();
        let mut block = block.clone();
        block.make_mut().body = body;
        // The blocks around what was replaced.
        reused.extend(around(&before, &block));
        Ok((block, reused))
    }
}

/// The blocks whose parts were replaced, with what they became.
fn around(before: &Ref<Block>, after: &Ref<Block>) -> Vec<Reused> {
    let mut olds: HashMap<usize, Ref<Block>> = HashMap::new();
    let mut same: HashSet<usize> = HashSet::new();
    all_blocks(&before.body, &mut |realize| {
        // A changed block keeps its iterators.
        same.insert(realize.block.object().address());
        if let Some(axis) = realize.block.iter_vars.first() {
            olds.insert(axis.object().address(), realize.block.clone());
        }
    });
    let mut pairs = vec![(before.clone(), after.clone())];
    all_blocks(&after.body, &mut |realize| {
        let axis = realize.block.iter_vars.first();
        let old = axis.and_then(|axis| olds.get(&axis.object().address()));
        if let Some(old) = old.filter(|_| !same.contains(&realize.block.object().address())) {
            pairs.push((old.clone(), realize.block.clone()));
        }
    });
    pairs
}

struct Exchange<'e>(&'e Values);

impl Mutator for Exchange<'_> {
    fn enter(&mut self, node: &Object) -> Descend {
        match self.0.get(node) {
            Some(new) => Descend::Replace(new.clone()),
            None => Descend::Into,
        }
    }
}

impl Fill {
    /// The same with variables of its own.
    fn renewed(&self) -> Result<Fill> {
        let mut values: Values = PtrMap::default();
        let fresh = |var: &Ref<Var>| Var::new(var.name.text(), var.dtype);
        let variables: Vec<Ref<Var>> = self.inverse.initial_indices.iter().map(fresh).collect();
        for (old, new) in self.inverse.initial_indices.iter().zip(&variables) {
            values.insert(old.object().clone(), new.object().clone());
        }
        let inverse = IndexMap {
            initial_indices: Array::new(variables),
            final_indices: substitute(self.inverse.final_indices.clone(), &values)?,
            inverse_index_map: None,
        };
        let condition = substitute(self.condition.clone(), &values)?;
        Ok(Fill { inverse: Ref::new(inverse), condition, value: self.value.clone() })
    }

    /// Loops over the new dimensions around a statement.
    fn loops(&self, new: &Buffer, stmt: StmtRef) -> Result<StmtRef> {
        let variables = self.inverse.initial_indices.iter().cloned().zip(new.shape.iter().cloned());
        new_loops(variables.collect::<Vec<_>>().into_iter(), stmt)
    }

    /// Block iterators over the new dimensions.
    fn axes(&self, new: &Buffer) -> Result<Vec<Ref<IterVar>>> {
        let mut axes = Vec::new();
        for (var, extent) in self.inverse.initial_indices.iter().zip(new.shape.iter()) {
            let dom = Some(Range::try_from_extent(extent.clone())?);
            let var = Var::new(format!("v_{}", var.name.text()), var.dtype);
            let iter_type = IterType::DataPar;
            axes.push(Ref::new(IterVar { dom, var, iter_type, thread_tag: "".into() }));
        }
        Ok(axes)
    }

    fn value_at(&self, indices: &[Expr]) -> Result<Expr> {
        let values = map_indices(&self.value, indices, &mut Analyzer::new())?;
        values.into_iter().next().ok_or_else(|| ScheduleError::plain("there is no value for the gaps"))
    }

    /// The condition in terms of block iterators.
    fn condition_at(&self, axes: &[Ref<IterVar>]) -> Result<Expr> {
        let mut values: Values = PtrMap::default();
        for (var, axis) in self.inverse.initial_indices.iter().zip(axes) {
            values.insert(var.object().clone(), axis.var.object().clone());
        }
        Ok(substitute(self.condition.clone(), &values)?)
    }

    /// A nest that tells that gaps have the value.
    fn assumption(&self, new: &Ref<Buffer>) -> Result<StmtRef> {
        let axes = self.axes(new)?;
        let indices = variables(&axes);
        let load = BufferLoad::try_new(new.clone(), indices.iter().cloned().collect(), None)?;
        let is_value = ops::eq(load, self.value_at(&indices)?)?;
        let assumed = ops::or(ops::not(self.condition_at(&axes)?)?, is_value)?;
        let assume = Evaluate::new(Call::new(DataType::BOOL, ASSUME.op.get().clone(), [assumed]));
        let reads = Array::new([point(new, &indices)?]);
        let name = format!("buffer_{}_assumptions", new.name.text());
        let block = block(&name, axes, reads, Array::default(), assume);
        self.nest_of(new, block, IntImm::bool(true))
    }

    /// A nest that writes the gaps.
    fn filling(&self, new: &Ref<Buffer>) -> Result<StmtRef> {
        let axes = self.axes(new)?;
        let indices = variables(&axes);
        let value = self.value_at(&indices)?;
        let store = BufferStore::try_new(new.clone(), value, indices.iter().cloned().collect(), None)?;
        let writes = Array::new([point(new, &indices)?]);
        let name = format!("buffer_{}_padding", new.name.text());
        let block = block(&name, axes, Array::default(), writes, store);
        self.nest_of(new, block, self.condition.clone())
    }

    fn nest_of(&self, new: &Buffer, block: Block, predicate: Expr) -> Result<StmtRef> {
        let values = self.inverse.initial_indices.iter().map(|var| var.clone().upcast()).collect();
        self.loops(new, BlockRealize::try_new(values, predicate, Ref::new(block))?)
    }

    /// The nest of a store over the new dimensions, if it stores nothing else to the buffer.
    fn nest(&self, write: &Write, new: &Ref<Buffer>) -> Result<Option<StmtRef>> {
        let Some(innermost) = write.loops.last() else { return Ok(None) };
        let mut values: Values = PtrMap::default();
        for (found, value) in write.loops.iter().zip(self.inverse.final_indices.iter()) {
            values.insert(found.loop_var.object().clone(), value.object().clone());
        }
        let mut indices: Vec<Expr> =
            self.inverse.initial_indices.iter().map(|var| var.clone().upcast()).collect();
        let mut condition = self.condition.clone();
        let iterators = self.iterators(write, new)?;
        if let Some(iterators) = &iterators {
            indices = variables(&iterators.new);
            condition = self.condition_at(&iterators.new)?;
            let mut own: Values = PtrMap::default();
            for (var, axis) in self.inverse.initial_indices.iter().zip(&iterators.new) {
                own.insert(var.object().clone(), axis.var.object().clone());
            }
            for (index, value) in write.store.indices.iter().zip(self.inverse.final_indices.iter()) {
                let value = substitute(value.clone(), &own)?;
                values.insert(index.object().clone(), value.object().clone());
            }
        }
        let mut stores = Stores {
            write,
            new,
            values: &values,
            value: self.value_at(&indices)?,
            indices,
            condition,
            iterators: iterators.as_ref(),
            is_complete: true,
        };
        let body = try_mutate(innermost.body.clone(), &mut stores)?;
        if stores.is_complete { self.loops(new, body).map(Some) } else { Ok(None) }
    }

    /// New iterators of the block around a store, if its iterators are the indices.
    fn iterators(&self, write: &Write, new: &Buffer) -> Result<Option<Iterators>> {
        let Some(realize) = &write.realize else { return Ok(None) };
        let (axes, count) = (&realize.block.iter_vars, write.store.indices.len());
        let Some(spare) = axes.len().checked_sub(count).filter(|_| count > 0) else { return Ok(None) };
        let is_index = |axis: &Ref<IterVar>, index: &Expr| index.object().ptr_eq(axis.var.object());
        let first = write.store.indices.first();
        let mut candidates = axes.iter().take(spare);
        let start = candidates.position(|axis| first.is_some_and(|index| is_index(axis, index)));
        let start = start.unwrap_or(spare);
        let used = axes.iter().skip(start).zip(write.store.indices.iter());
        let is_direct =
            used.clone().all(|(axis, index)| is_index(axis, index) && axis.iter_type == IterType::DataPar);
        if !is_direct {
            return Ok(None);
        }
        let own = self.axes(new)?;
        let axes_with_values = axes.iter().cloned().zip(realize.iter_values.iter().cloned());
        let before = axes_with_values.clone().take(start);
        let after = axes_with_values.skip(start + count);
        let loops = self.inverse.initial_indices.iter().map(|var| var.clone().upcast());
        let all = before.chain(own.iter().cloned().zip(loops)).chain(after);
        let (axes, values) = all.unzip::<_, _, Vec<_>, Vec<_>>();
        Ok(Some(Iterators { axes, values, new: own }))
    }
}

/// The iterators of a block over the new dimensions.
struct Iterators {
    axes: Vec<Ref<IterVar>>,
    values: Vec<Expr>,
    /// Those over the new dimensions.
    new: Vec<Ref<IterVar>>,
}

fn variables(axes: &[Ref<IterVar>]) -> Vec<Expr> {
    axes.iter().map(|axis| axis.var.clone().upcast()).collect()
}

fn block(
    name: &str,
    axes: Vec<Ref<IterVar>>,
    reads: Array<Ref<BufferRegion>>,
    writes: Array<Ref<BufferRegion>>,
    body: StmtRef,
) -> Block {
    Block {
        span: Span::current(),
        iter_vars: Array::new(axes),
        reads,
        writes,
        name_hint: name.into(),
        alloc_buffers: Array::default(),
        match_buffers: Array::default(),
        annotations: Map::default(),
        init: None,
        body,
    }
}

/// The region of one element.
fn point(buffer: &Ref<Buffer>, indices: &[Expr]) -> Result<Ref<BufferRegion>> {
    let mut ranges = Vec::new();
    for index in indices {
        ranges.push(Range::from_min_extent(index.clone(), ops::make_const(index.dtype(), 1)?));
    }
    Ok(BufferRegion::try_new(buffer.clone(), Array::new(ranges))?)
}

/// Replaces the store, and all that has its indices, by one to the new buffer.
struct Stores<'s> {
    write: &'s Write,
    new: &'s Ref<Buffer>,
    values: &'s Values,
    indices: Vec<Expr>,
    condition: Expr,
    value: Expr,
    iterators: Option<&'s Iterators>,
    /// All stores to the buffer are replaced.
    is_complete: bool,
}

impl Stores<'_> {
    fn has_indices(&self, store: &BufferStore) -> bool {
        let known = &self.write.store;
        store.buffer.ptr_eq(&known.buffer)
            && store.indices.len() == known.indices.len()
            && store
                .indices
                .iter()
                .zip(known.indices.iter())
                .all(|(a, b)| structural_equal(a.object(), b.object()))
    }

    fn store(&mut self, store: &BufferStore) -> Result<Object> {
        let value = try_mutate(store.value.clone(), self)?;
        let value = ops::if_then_else(self.condition.clone(), self.value.clone(), value)?;
        let indices = self.indices.iter().cloned().collect();
        Ok(BufferStore::try_new(self.new.clone(), value, indices, None)?.into_object())
    }

    fn realize(&mut self, realize: &Ref<BlockRealize>, iterators: &Iterators) -> Result<Object> {
        let mut block = realize.block.clone();
        block.make_mut().iter_vars = Array::default();
        let mut new = realize.clone();
        new.make_mut().predicate = try_mutate(realize.predicate.clone(), self)?;
        let mut block = try_mutate(block, self)?;
        block.make_mut().iter_vars = Array::new(iterators.axes.iter().cloned());
        let changed = new.make_mut();
        changed.block = block;
        changed.iter_values = Array::new(iterators.values.iter().cloned());
        Ok(new.into_object())
    }
}

impl TryMutator for Stores<'_> {
    type Error = ScheduleError;

    fn enter(&mut self, node: &Object) -> Result<Descend> {
        if let Some(value) = self.values.get(node) {
            return Ok(Descend::Replace(value.clone()));
        }
        let new = if let Some(store) = node.as_node::<BufferStore>()
            && store.buffer.ptr_eq(&self.write.store.buffer)
        {
            if !self.has_indices(store) {
                self.is_complete = false;
                return Ok(Descend::Keep);
            }
            self.store(store)
        } else if let Some(realize) = node.downcast_ref::<BlockRealize>()
            && let Some(iterators) = self.iterators
            && self.write.realize.as_ref().is_some_and(|own| own.ptr_eq(realize))
        {
            self.realize(realize, iterators)
        } else {
            return Ok(Descend::Into);
        };
        new.map(Descend::Replace)
    }
}
