//! `reindex`: a block uses a buffer that is laid out by its iterators.

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::{
    Array, Descend, Map, Mutator, NameCell, Object, ObjectLike as _, PtrMap, Ref, Span, Str, mutate,
    structural_equal, substitute,
};
use tvmscript_prim::{Expr, IntImm, PrimExprExt as _, Range, Var, ops};
use tvmscript_tir::{
    Block, BlockRealize, Buffer, BufferLoad, BufferRegion, BufferStore, For, ForKind, IterType, IterVar,
    MatchBufferRegion, StmtRef, flatten,
};

use crate::argument::RvValue;
use crate::buffers::{self, Access};
use crate::error::{Result, ScheduleError};
use crate::flags::Flags;
use crate::primitive::{Place, Primitive, Results, parameter};
use crate::reads::mentions;
use crate::schedule::Schedule;
use crate::state::{Item, State};
use crate::walk::Found;

pub(in crate::primitive) static REINDEX: Primitive = Primitive {
    kind: "ReIndex",
    name: "reindex",
    doc: "Makes a block use a copy of a buffer that is laid out by the iterators of the block.",
    parameters: &[parameter("block", Place::Input), parameter("buffer", Place::Buffer)],
    is_pure: false,
    results: Results::One,
    apply: |schedule, args| {
        let [block, buffer] = args else { return Err(ScheduleError::plain("expected a block and a buffer")) };
        let block = schedule.item(block)?;
        let (kind, index) = buffers::parts(buffer)?;
        Ok(vec![RvValue::Block(reindex(schedule, block, kind, index)?)])
    },
};

fn reindex(schedule: &mut Schedule, item: Item, kind: Access, index: i64) -> Result<Item> {
    let state = schedule.state();
    let block = state.block_of(item)?.clone();
    let buffer = kind.buffer(&block, index)?;
    let scope = state.pipeline_scope(item)?;
    let indices = simple_indices(&block, only_indices(&block, &buffer)?);
    let is_used = |axis: &&Ref<IterVar>| indices.iter().any(|index| mentions(index, &axis.var));
    let axes: Vec<Ref<IterVar>> = block.iter_vars.iter().filter(is_used).cloned().collect();
    let new = laid_out_by(&buffer, &axes)?;
    let top = top_of_chain(state, item, scope)?;
    let stage = copy_stage(&axes, &indices, &buffer, &new, kind)?;

    let mut use_new = Reindexer { old: &buffer, new: &new, axes: &axes };
    let changed = use_new.of(&block)?;
    let state = schedule.state_mut();
    state.replace_block(item, changed, &[])?;
    let nest = state.stmt(top)?.clone();
    let pair = match kind {
        Access::Read => vec![stage.clone(), nest],
        Access::Write => vec![nest, stage.clone()],
    };
    state.replace(top, flatten(pair, true), &[])?;
    let mut around = state.block_of(scope)?.clone();
    let allocated = around.alloc_buffers.iter().cloned().chain([new]).collect();
    around.make_mut().alloc_buffers = allocated;
    state.replace_block(scope, around, &[])?;
    let found = innermost_block(&stage).and_then(|realize| state.find(Found::Block(realize)));
    let copy = found.ok_or_else(|| ScheduleError::plain("the new block is lost"))?;
    let is_affine = state.is_affine_below(copy, None, &mut Analyzer::new())?;
    state.set_flags(copy, Flags { is_affine, has_region_cover: true, is_stage_pipeline: true });
    Ok(copy)
}

fn innermost_block(nest: &StmtRef) -> Option<&Ref<BlockRealize>> {
    let mut stmt = nest;
    while let Some(found) = stmt.as_node::<For>() {
        stmt = &found.body;
    }
    stmt.downcast_ref::<BlockRealize>()
}

/// The indices with which a block uses a buffer everywhere.
fn only_indices(block: &Ref<Block>, buffer: &Ref<Buffer>) -> Result<Array<Expr>> {
    let mut uses = Uses { buffer, indices: None, refused: None };
    mutate(block.body.clone(), &mut uses)?;
    let name = buffer.name.text();
    let refused = |why: &str| {
        let message = format!("the block `{}` {why} `{name}`", block.name_hint.as_str());
        ScheduleError::new("InvalidBufferAccessError", message).at(block.clone())
    };
    match (uses.refused, uses.indices) {
        (Some(Refusal::Block), _) => {
            let message = format!("the block `{}` has blocks in it", block.name_hint.as_str());
            Err(ScheduleError::new("NotLeafBlockError", message).at(block.clone()))
        }
        (Some(Refusal::Indices), _) => Err(refused("has several places in")),
        (Some(Refusal::Pointer), _) => Err(refused("uses the data pointer of")),
        (None, None) => Err(refused("has no load or store of")),
        (None, Some(indices)) => Ok(indices),
    }
}

enum Refusal {
    Block,
    Indices,
    Pointer,
}

/// Finds the uses of a buffer; changes nothing.
struct Uses<'u> {
    buffer: &'u Ref<Buffer>,
    indices: Option<Array<Expr>>,
    refused: Option<Refusal>,
}

impl Uses<'_> {
    fn add(&mut self, buffer: &Ref<Buffer>, indices: &Array<Expr>) {
        if !buffer.ptr_eq(self.buffer) {
            return;
        }
        let Some(known) = &self.indices else {
            self.indices = Some(indices.clone());
            return;
        };
        let is_same = known.len() == indices.len()
            && known.iter().zip(indices.iter()).all(|(a, b)| structural_equal(a.object(), b.object()));
        if !is_same {
            self.refused = Some(Refusal::Indices);
        }
    }
}

impl Mutator for Uses<'_> {
    fn enter(&mut self, node: &Object) -> Descend {
        if self.refused.is_some() || node.is::<Buffer>() {
            return Descend::Keep;
        }
        if node.is::<Block>() {
            self.refused = Some(Refusal::Block);
        } else if node.ptr_eq(self.buffer.data.object()) {
            self.refused = Some(Refusal::Pointer);
        }
        Descend::Into
    }

    fn leave(&mut self, node: Object) -> Object {
        if self.refused.is_none() {
            if let Some(load) = node.as_node::<BufferLoad>() {
                self.add(&load.buffer, &load.indices);
            } else if let Some(store) = node.as_node::<BufferStore>() {
                self.add(&store.buffer, &store.indices);
            }
        }
        node
    }
}

/// The indices, simplified for the domains of the iterators; an iterator does not become a constant.
fn simple_indices(block: &Block, indices: Array<Expr>) -> Vec<Expr> {
    let mut analyzer = Analyzer::new();
    for axis in block.iter_vars.iter() {
        if let Some(dom) = &axis.dom {
            analyzer.bind_range(&axis.var, &dom.min, &dom.extent);
        }
    }
    let simple = |index: &Expr| {
        let simple = analyzer.simplify(index);
        if simple.is::<IntImm>() && index.is::<Var>() { index.clone() } else { simple }
    };
    indices.iter().map(simple).collect()
}

/// A buffer like another one with the domains of iterators as its shape.
fn laid_out_by(buffer: &Ref<Buffer>, axes: &[Ref<IterVar>]) -> Result<Ref<Buffer>> {
    let mut shape = Vec::new();
    for dom in axes.iter().filter_map(|axis| axis.dom.as_ref()) {
        shape.push(ops::add(dom.min.clone(), dom.extent.clone())?);
    }
    let mut new = buffer.clone();
    let changed = new.make_mut();
    changed.shape = Array::new(shape);
    changed.strides = Array::default();
    let data = format!("{}_reindex", buffer.data.name.text());
    changed.data = Var::with_type(data, buffer.data.type_annotation.clone());
    changed.name = NameCell::from(Str::from(format!("{}_reindex", buffer.name.text())));
    Ok(new)
}

/// The outermost loop above a block, which must be the only statement in each of the loops.
fn top_of_chain(state: &State, item: Item, scope: Item) -> Result<Item> {
    let loops = state.loops_above(item);
    let Some(top) = loops.first().copied() else {
        return Err(ScheduleError::plain("the block has no loop around it, next to which the copy is made"));
    };
    for pair in loops.windows(2) {
        let [outer, inner] = pair else { continue };
        if !state.loop_of(*outer)?.body.object().ptr_eq(state.stmt(*inner)?.object()) {
            let message = "the loops around the block are not a nest with one statement each";
            return Err(ScheduleError::plain(message).at(state.loop_of(*outer)?.clone()));
        }
    }
    match state.parent(top) == Some(scope) {
        true => Ok(top),
        false => Err(ScheduleError::plain("the loops around the block are not in its scope")),
    }
}

/// A nest that copies between a buffer and the one laid out by iterators.
fn copy_stage(
    axes: &[Ref<IterVar>],
    indices: &[Expr],
    buffer: &Ref<Buffer>,
    new: &Ref<Buffer>,
    kind: Access,
) -> Result<StmtRef> {
    let mut renamed = PtrMap::default();
    let (mut iter_vars, mut own) = (Vec::new(), Vec::new());
    for (at, axis) in axes.iter().enumerate() {
        let var = Var::new(format!("v{at}"), axis.var.dtype);
        renamed.insert(axis.var.object().clone(), var.object().clone());
        own.push(var.clone().upcast());
        let (dom, thread_tag) = (axis.dom.clone(), "".into());
        iter_vars.push(Ref::new(IterVar { dom, var, iter_type: IterType::DataPar, thread_tag }));
    }
    let place: Vec<Expr> = indices
        .iter()
        .map(|index| substitute(index.clone(), &renamed))
        .collect::<std::result::Result<_, _>>()?;
    let ((source, from), (target, to)) = match kind {
        Access::Read => ((buffer, place), (new, own)),
        Access::Write => ((new, own), (buffer, place)),
    };
    let load = BufferLoad::try_new(source.clone(), Array::new(from.iter().cloned()), None)?;
    let block = Block {
        span: Span::current(),
        iter_vars: Array::new(iter_vars),
        reads: Array::new([point(source, &from)?]),
        writes: Array::new([point(target, &to)?]),
        name_hint: format!("{}_reindex", target.name.text()).into(),
        alloc_buffers: Array::default(),
        match_buffers: Array::default(),
        annotations: Map::default(),
        init: None,
        body: BufferStore::try_new(target.clone(), load, Array::new(to), None)?,
    };
    let loops: Vec<(Ref<Var>, Ref<Range>)> = axes
        .iter()
        .enumerate()
        .filter_map(|(at, axis)| Some((Var::new(format!("ax{at}"), axis.var.dtype), axis.dom.clone()?)))
        .collect();
    let iter_values = loops.iter().map(|(var, _)| var.clone().upcast()).collect();
    let mut stmt = BlockRealize::try_new(iter_values, IntImm::bool(true), Ref::new(block))?;
    for (loop_var, dom) in loops.into_iter().rev() {
        stmt = For::try_new(For {
            span: Span::current(),
            loop_var,
            min: dom.min.clone(),
            extent: dom.extent.clone(),
            kind: ForKind::Serial,
            body: stmt,
            thread_binding: None,
            annotations: Map::default(),
            step: None,
        })?;
    }
    Ok(stmt)
}

/// The region of one element.
fn point(buffer: &Ref<Buffer>, indices: &[Expr]) -> Result<Ref<BufferRegion>> {
    let mut ranges = Vec::new();
    for index in indices {
        ranges.push(Range::from_min_extent(index.clone(), ops::make_const(index.dtype(), 1)?));
    }
    Ok(BufferRegion::try_new(buffer.clone(), Array::new(ranges))?)
}

/// Makes a block use a buffer at its iterators in place of another one.
struct Reindexer<'r> {
    old: &'r Ref<Buffer>,
    new: &'r Ref<Buffer>,
    axes: &'r [Ref<IterVar>],
}

impl Reindexer<'_> {
    fn indices(&self) -> Array<Expr> {
        self.axes.iter().map(|axis| axis.var.clone().upcast()).collect()
    }

    fn of(&mut self, block: &Ref<Block>) -> Result<Ref<Block>> {
        let (body, init) = (mutate(block.body.clone(), self)?, block.init.clone());
        let init = init.map(|init| mutate(init, self)).transpose()?;
        let indices: Vec<Expr> = self.indices().iter().cloned().collect();
        let own = point(self.new, &indices)?;
        let region = |region: &Ref<BufferRegion>| match region.buffer.ptr_eq(self.old) {
            true => own.clone(),
            false => region.clone(),
        };
        let mut new = block.clone();
        let changed = new.make_mut();
        (changed.body, changed.init) = (body, init);
        changed.reads = block.reads.iter().map(region).collect();
        changed.writes = block.writes.iter().map(region).collect();
        let matched = |matched: &Ref<MatchBufferRegion>| {
            let mut matched = matched.clone();
            if matched.source.buffer.ptr_eq(self.old) {
                matched.make_mut().source = own.clone();
            }
            matched
        };
        changed.match_buffers = block.match_buffers.iter().map(matched).collect();
        Ok(new)
    }
}

impl Mutator for Reindexer<'_> {
    fn leave(&mut self, node: Object) -> Object {
        if let Some(load) = node.downcast_ref::<BufferLoad>().filter(|load| load.buffer.ptr_eq(self.old)) {
            let mut new = load.clone();
            let changed = new.make_mut();
            (changed.buffer, changed.indices) = (self.new.clone(), self.indices());
            return new.into_object();
        }
        if let Some(store) = node.downcast_ref::<BufferStore>().filter(|store| store.buffer.ptr_eq(self.old))
        {
            let mut new = store.clone();
            let changed = new.make_mut();
            (changed.buffer, changed.indices) = (self.new.clone(), self.indices());
            return new.into_object();
        }
        node
    }
}
