//! `rfactor`: partial results of a reduction, one for each iteration of a loop.

use hashbrown::{HashMap, HashSet};
use tvmscript_ir_core::{
    Array, Descend, Mutator, NameCell, Object, ObjectLike as _, PtrMap, Ref, Span, mutate, post_order_visit,
    substitute,
};
use tvmscript_prim::{Expr, IntImm, PrimExprExt as _, PrimType, Range, Var, ops};
use tvmscript_tir::{
    Block, BlockRealize, Buffer, BufferLoad, BufferRegion, BufferStore, For, ForKind, IterType, IterVar,
    LetStmt, Stmt, StmtRef, flatten,
};

use crate::argument::RvValue;
use crate::error::{Result, ScheduleError};
use crate::flags::Flags;
use crate::fresh::{copied, copied_axis, copied_loop, renamed};
use crate::primitive::{Place, Primitive, Results, parameter};
use crate::reducers::Reduction;
use crate::scope::check_reduction;
use crate::state::{Item, State};

pub(in crate::primitive) static RFACTOR: Primitive = Primitive {
    kind: "RFactor",
    name: "rfactor",
    doc: "Divides a reduction into one per iteration of a loop, and one that combines their results.",
    parameters: &[parameter("loop", Place::Input), parameter("factor_axis", Place::Attribute)],
    is_pure: false,
    results: Results::One,
    apply: |schedule, args| {
        let [target, axis] = args else { return Err(ScheduleError::plain("expected a loop and an axis")) };
        let (target, axis) = (schedule.loop_item(target)?, schedule.int(axis)?);
        rfactor(schedule.state_mut(), target, axis).map(|block| vec![RvValue::Block(block)])
    },
};

fn rfactor(state: &mut State, target: Item, axis: i64) -> Result<Item> {
    let item = state.only_block(target)?;
    let scope_item = state.pipeline_scope(item)?;
    if state.is_checked() {
        check_reduction(state, item, scope_item)?;
    }
    let found = state.loop_of(target)?.clone();
    if found.kind != ForKind::Serial {
        return Err(ScheduleError::new("NotSerialLoopKindError", "the loop is not serial").at(found));
    }
    let realize = state.realize_of(item)?.clone();
    let loops = state.loops_above(item);
    let reduced = variables(&realize, IterType::CommReduce);
    if state.is_checked() {
        check_loops(state, item, target, &loops, &reduced)?;
    }
    let reduction = Reduction::of(&realize.block)?;
    let factor = Factor::new(&found, &realize, &reduction, axis)?;
    let mut nodes = HashMap::new();
    let mut around = Vec::with_capacity(loops.len());
    for outer in &loops {
        let node = state.loop_of(*outer)?.clone();
        nodes.insert(node.loop_var.object().address(), node.clone());
        around.push(node);
    }
    let (partial, additional) = factor.partial(&nodes)?;
    let total = factor.total(&additional)?;
    let nest = nested(&partial, &around)?;
    let Some(outermost) = around.first() else { return Err(ScheduleError::plain("the block has no loops")) };
    let mut replacer = Replacer {
        nest: &nest,
        outermost,
        target: &found,
        old: &realize,
        new: &total,
        loops: &nodes,
        reduced: &reduced,
        is_misplaced: false,
    };
    let mut scope = state.block_of(scope_item)?.clone();
    let body = mutate(scope.body.clone(), &mut replacer)?;
    if replacer.is_misplaced {
        return Err(ScheduleError::plain("another block of the scope has no loops of its own"));
    }
    let changed = scope.make_mut();
    changed.body = body;
    changed.alloc_buffers = changed.alloc_buffers.iter().chain(&factor.buffers).cloned().collect();
    state.replace_block(scope_item, scope, &[(realize.block.clone(), total.block.clone())])?;
    let lost = || ScheduleError::plain("a block of the divided reduction is lost");
    let first = state.find_block(&partial.block).ok_or_else(lost)?;
    let flags = Flags { is_affine: true, has_region_cover: true, is_stage_pipeline: true };
    for block in [first, state.find_block(&total.block).ok_or_else(lost)?] {
        state.set_flags(block, flags);
    }
    Ok(first)
}

/// The variables in the values of a block's iterators of a type.
fn variables(realize: &BlockRealize, of: IterType) -> HashSet<usize> {
    let mut found = HashSet::new();
    for (axis, value) in realize.block.iter_vars.iter().zip(realize.iter_values.iter()) {
        if axis.iter_type == of {
            post_order_visit(value, |node| {
                if node.is::<Var>() {
                    found.insert(node.address());
                }
            });
        }
    }
    found
}

/// Refuses loops that are not clearly of one kind.
fn check_loops(
    state: &State,
    item: Item,
    target: Item,
    loops: &[Item],
    reduced: &HashSet<usize>,
) -> Result<()> {
    let refused = |found: &Ref<For>, why: &str| -> Result<()> {
        Err(ScheduleError::new("LoopPropertyError", why).at(found.clone()))
    };
    let spatial = variables(state.realize_of(item)?, IterType::DataPar);
    if let Some(outermost) = loops.first()
        && state.child_blocks(*outermost)?.first() != Some(&item)
    {
        let why = "the reduction is not the first block in the outermost loop";
        return refused(state.loop_of(*outermost)?, why);
    }
    let mut is_below_reduction = false;
    for outer in loops {
        let found = state.loop_of(*outer)?;
        let address = found.loop_var.object().address();
        match (spatial.contains(&address), reduced.contains(&address)) {
            (true, true) => return refused(found, "the loop iterates spatial and reduction axes"),
            (true, false) if *outer == target => return refused(found, "the loop iterates a spatial axis"),
            (true, false) => {}
            (false, true) => {
                if !is_below_reduction {
                    state.only_block(*outer)?;
                }
                is_below_reduction = true;
            }
            (false, false) if is_below_reduction && !ops::is_one(&found.extent) => {
                return refused(found, "the loop is below a reduction loop, and iterates no axis");
            }
            (false, false) => {}
        }
    }
    Ok(())
}

/// A reduction to divide along a loop.
struct Factor<'f> {
    target: &'f Ref<For>,
    realize: &'f Ref<BlockRealize>,
    reduction: &'f Reduction,
    /// Position of the new dimension.
    axis: usize,
    /// The buffers of the partial results.
    buffers: Vec<Ref<Buffer>>,
}

/// The parts of a new block.
struct Parts<'p> {
    iter_vars: Vec<Ref<IterVar>>,
    iter_values: Vec<Expr>,
    reads: Array<Ref<BufferRegion>>,
    writes: Array<Ref<BufferRegion>>,
    /// The stored elements and what is combined with them.
    buffers: &'p [Ref<Buffer>],
    indices: Array<Expr>,
    elements: Vec<Expr>,
    operands: Vec<Expr>,
    /// The values of old iterators.
    map: PtrMap<Object>,
}

impl<'f> Factor<'f> {
    fn new(
        target: &'f Ref<For>,
        realize: &'f Ref<BlockRealize>,
        reduction: &'f Reduction,
        axis: i64,
    ) -> Result<Factor<'f>> {
        let rank = reduction.updates.first().map_or(0, |update| update.buffer.shape.len());
        let last = i64::try_from(rank).unwrap_or(i64::MAX);
        let position = if axis < 0 { axis.saturating_add(last).saturating_add(1) } else { axis };
        let Some(axis) = usize::try_from(position).ok().filter(|at| *at <= rank) else {
            let message = format!("the axis {axis} is not in {}..={last}", -last - 1);
            return Err(ScheduleError::new("FactorAxisOutOfRangeError", message));
        };
        let partial = |update: &Ref<BufferStore>| {
            let old = &update.buffer;
            let mut shape: Vec<Expr> = old.shape.iter().cloned().collect();
            shape.insert(axis, target.extent.clone());
            let name = NameCell::from(format!("{}.rf", old.name.text()));
            let data = renamed(&old.data, ".rf");
            Ref::new(Buffer { data, name, shape: shape.into_iter().collect(), ..(**old).clone() })
        };
        let buffers = reduction.updates.iter().map(partial).collect();
        Ok(Factor { target, realize, reduction, axis, buffers })
    }

    fn indices(&self) -> Array<Expr> {
        self.reduction.updates.first().map(|update| update.indices.clone()).unwrap_or_default()
    }

    /// The block of the partial results, and the variable of its iterator for the loop.
    fn partial(&self, loops: &HashMap<usize, Ref<For>>) -> Result<(Ref<BlockRealize>, Ref<Var>)> {
        let block = &self.realize.block;
        let additional = axis_of_loop(self.target, IterType::DataPar);
        let mut of_loops: PtrMap<Object> = PtrMap::default();
        of_loops.insert(self.target.loop_var.object().clone(), additional.var.object().clone());
        let mut map = PtrMap::default();
        let mut iter_vars = vec![additional.clone()];
        let mut iter_values: Vec<Expr> = vec![self.target.loop_var.clone().upcast()];
        for (axis, value) in block.iter_vars.iter().zip(self.realize.iter_values.iter()) {
            let is_divided = crate::reads::mentions(value, &self.target.loop_var);
            if axis.iter_type == IterType::DataPar || !is_divided {
                iter_vars.push(axis.clone());
                iter_values.push(value.clone());
                continue;
            }
            // One iterator for each loop of the value.
            for var in variables_in(value) {
                let Some(found) = loops.get(&var.object().address()) else { continue };
                if of_loops.contains_key(var.object()) {
                    continue;
                }
                let new = axis_of_loop(found, IterType::CommReduce);
                of_loops.insert(var.object().clone(), new.var.object().clone());
                iter_vars.push(new);
                iter_values.push(var.upcast());
            }
            let value = substitute(value.clone(), &of_loops)?;
            map.insert(axis.var.object().clone(), value.into_object());
        }
        let mut indices: Vec<Expr> = self.indices().iter().cloned().collect();
        indices.insert(self.axis.min(indices.len()), additional.var.clone().upcast());
        let indices: Array<Expr> = indices.into_iter().collect();
        let mut writes = Vec::with_capacity(block.writes.len());
        for write in block.writes.iter() {
            let known = self.reduction.updates.iter().position(|update| update.buffer.ptr_eq(&write.buffer));
            let Some(buffer) = known.and_then(|at| self.buffers.get(at)) else {
                return Err(ScheduleError::plain("the block writes a buffer that it does not reduce"));
            };
            let mut region: Vec<Ref<Range>> = write.region.iter().cloned().collect();
            region.insert(self.axis.min(region.len()), point(additional.var.clone().upcast())?);
            writes.push(BufferRegion::try_new(buffer.clone(), region.into_iter().collect())?);
        }
        let elements = self.loads(&indices)?;
        let parts = Parts {
            iter_vars,
            iter_values,
            reads: substitute(block.reads.clone(), &map)?,
            writes: substitute(writes.into_iter().collect::<Array<_>>(), &map)?,
            buffers: &self.buffers,
            indices,
            elements,
            operands: self.reduction.operands.clone(),
            map,
        };
        let name = format!("{}_rf", block.name_hint.as_str());
        Ok((self.block(parts, &name, self.realize.predicate.clone())?, additional.var.clone()))
    }

    /// The loads of the partial results.
    fn loads(&self, indices: &Array<Expr>) -> Result<Vec<Expr>> {
        let load = |buffer: &Ref<Buffer>| Ok(BufferLoad::try_new(buffer.clone(), indices.clone(), None)?);
        self.buffers.iter().map(load).collect()
    }

    /// The block that combines the partial results.
    fn total(&self, partial: &Ref<Var>) -> Result<Ref<BlockRealize>> {
        let block = &self.realize.block;
        let additional = axis_of_loop(self.target, IterType::CommReduce);
        let mut map: PtrMap<Object> = PtrMap::default();
        map.insert(partial.object().clone(), additional.var.object().clone());
        let mut iter_vars = vec![additional];
        let mut iter_values: Vec<Expr> = vec![self.target.loop_var.clone().upcast()];
        for (axis, value) in block.iter_vars.iter().zip(self.realize.iter_values.iter()) {
            if axis.iter_type == IterType::DataPar {
                iter_vars.push(copied_axis(axis, &mut map));
                iter_values.push(value.clone());
            }
        }
        let mut indices: Vec<Expr> = self.indices().iter().cloned().collect();
        indices.insert(self.axis.min(indices.len()), partial.clone().upcast());
        let operands = self.loads(&indices.into_iter().collect())?;
        let mapped = |exprs: &[Expr]| -> Result<Vec<Expr>> {
            exprs.iter().map(|expr| Ok(substitute(expr.clone(), &map)?)).collect()
        };
        let (elements, operands) = (mapped(&self.reduction.elements)?, mapped(&operands)?);
        let (reads, writes) = (points(&operands)?, points(&elements)?);
        let buffers: Vec<Ref<Buffer>> =
            self.reduction.updates.iter().map(|update| update.buffer.clone()).collect();
        let indices = self.indices();
        let parts = Parts {
            iter_vars,
            iter_values,
            reads,
            writes,
            buffers: &buffers,
            indices,
            elements,
            operands,
            map,
        };
        self.block(parts, block.name_hint.as_str(), IntImm::bool(true))
    }

    fn block(&self, parts: Parts<'_>, name: &str, predicate: Expr) -> Result<Ref<BlockRealize>> {
        let is_reduction = parts.iter_vars.iter().any(|axis| axis.iter_type == IterType::CommReduce);
        let stores = |values: &[Expr]| -> Result<StmtRef> {
            let store = |(buffer, value): (&Ref<Buffer>, &Expr)| {
                Ok(BufferStore::try_new(buffer.clone(), value.clone(), parts.indices.clone(), None)?)
            };
            let stores: Vec<StmtRef> = parts.buffers.iter().zip(values).map(store).collect::<Result<_>>()?;
            Ok(flatten(stores, true))
        };
        let (body, init) = match is_reduction {
            false => (stores(&parts.operands)?, None),
            true => {
                let values = self.reduction.combined(&parts.elements, &parts.operands)?;
                let init = substitute(stores(&self.reduction.identities)?, &parts.map)?;
                (self.body(&parts, &values, stores)?, Some(init))
            }
        };
        let old = &self.realize.block;
        let block = Ref::new(Block {
            span: Span::current(),
            iter_vars: parts.iter_vars.into_iter().collect(),
            reads: parts.reads,
            writes: parts.writes,
            name_hint: name.into(),
            alloc_buffers: Array::default(),
            match_buffers: Array::default(),
            annotations: old.annotations.clone(),
            init,
            body: substitute(body, &parts.map)?,
        });
        let iter_values = parts.iter_values.into_iter().collect();
        Ok(Ref::new(BlockRealize { span: Span::current(), iter_values, predicate, block }))
    }

    /// The stores of combined values. Values of several buffers are computed before the first store.
    fn body(
        &self,
        parts: &Parts<'_>,
        values: &[Expr],
        stores: impl Fn(&[Expr]) -> Result<StmtRef>,
    ) -> Result<StmtRef> {
        if values.len() <= 1 {
            return stores(values);
        }
        let bind = |(buffer, value): (&Ref<Buffer>, &Expr)| {
            Var::with_type(format!("v_{}", buffer.name.text()), PrimType::new(value.dtype()))
        };
        let bound: Vec<Ref<Var>> = parts.buffers.iter().zip(values).map(bind).collect();
        let bound_values: Vec<Expr> = bound.iter().map(|var| var.clone().upcast()).collect();
        let mut body = stores(&bound_values)?;
        for (var, value) in bound.into_iter().zip(values).rev() {
            body = LetStmt::try_new(var, value.clone(), body)?;
        }
        Ok(body)
    }
}

/// An iterator over the range of a loop.
fn axis_of_loop(found: &For, iter_type: IterType) -> Ref<IterVar> {
    let var = Var::new(format!("v{}", found.loop_var.name.text()), found.loop_var.dtype);
    let dom = Some(Range::from_min_extent(found.min.clone(), found.extent.clone()));
    Ref::new(IterVar { dom, var, iter_type, thread_tag: "".into() })
}

/// The variables of an expression in order.
fn variables_in(expr: &Expr) -> Vec<Ref<Var>> {
    let mut found: Vec<Ref<Var>> = Vec::new();
    let mut known = HashSet::new();
    post_order_visit(expr, |node| {
        if let Some(var) = node.downcast_ref::<Var>()
            && known.insert(node.address())
        {
            found.push(var.clone());
        }
    });
    found
}

fn point(index: Expr) -> Result<Ref<Range>> {
    let one = IntImm::try_new(index.dtype(), 1)?;
    Ok(Range::from_min_extent(index, one))
}

/// The elements that loads read.
fn points(loads: &[Expr]) -> Result<Array<Ref<BufferRegion>>> {
    let mut regions = Vec::with_capacity(loads.len());
    for load in loads.iter().filter_map(|load| load.as_node::<BufferLoad>()) {
        let region = load.indices.iter().map(|index| point(index.clone())).collect::<Result<_>>()?;
        regions.push(BufferRegion::try_new(load.buffer.clone(), region)?);
    }
    Ok(regions.into_iter().collect())
}

/// The block in copies of loops.
fn nested(realize: &Ref<BlockRealize>, loops: &[Ref<For>]) -> Result<StmtRef> {
    let mut variables = PtrMap::default();
    for found in loops {
        variables.insert(found.loop_var.object().clone(), copied(&found.loop_var).into_object());
    }
    let mut realize = realize.clone();
    let iter_values = substitute(realize.iter_values.clone(), &variables)?;
    let predicate = substitute(realize.predicate.clone(), &variables)?;
    let changed = realize.make_mut();
    changed.iter_values = iter_values;
    changed.predicate = predicate;
    let mut nest: StmtRef = realize.upcast();
    for found in loops.iter().rev() {
        let var = variables.get(found.loop_var.object()).and_then(|var| var.downcast_ref::<Var>());
        let Some(loop_var) = var.cloned() else { continue };
        nest = copied_loop(found, loop_var, nest);
    }
    Ok(nest)
}

/// Puts the nest of the partial results before the outermost loop, and the block that combines them in place of the old
/// one, without the other loops of the reduction.
struct Replacer<'r> {
    nest: &'r StmtRef,
    outermost: &'r Ref<For>,
    target: &'r Ref<For>,
    old: &'r Ref<BlockRealize>,
    new: &'r Ref<BlockRealize>,
    loops: &'r HashMap<usize, Ref<For>>,
    reduced: &'r HashSet<usize>,
    /// There is another block that no other loop iterates.
    is_misplaced: bool,
}

impl Replacer<'_> {
    fn is_around(&self, found: &For) -> bool {
        self.loops.contains_key(&found.loop_var.object().address())
    }
}

impl Mutator for Replacer<'_> {
    fn enter(&mut self, node: &Object) -> Descend {
        if node.ptr_eq(self.old.object()) {
            return Descend::Replace(self.new.object().clone());
        }
        if node.is::<BlockRealize>() {
            self.is_misplaced = true;
            return Descend::Keep;
        }
        match node.downcast_ref::<For>() {
            Some(found) if !self.is_around(found) => Descend::Keep,
            _ if node.is::<Stmt>() => Descend::Into,
            _ => Descend::Keep,
        }
    }

    fn leave(&mut self, node: Object) -> Object {
        let Some(found) = node.downcast_ref::<For>() else { return node };
        let is_same = |other: &Ref<For>| other.loop_var.ptr_eq(&found.loop_var);
        let is_kept = is_same(self.target) || !self.reduced.contains(&found.loop_var.object().address());
        let new: StmtRef = if is_kept { found.clone().upcast() } else { found.body.clone() };
        match is_same(self.outermost) {
            true => flatten(vec![self.nest.clone(), new], true).into_object(),
            false => new.into_object(),
        }
    }
}
