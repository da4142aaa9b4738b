//! `reverse_compute_inline`: the producer of a block computes what the block computes of it.

use tvmscript_arith::{
    Analyzer, DomMap, IntSet, IterMapLevel, IterSum, VarRange, detect_iter_map, eval_set,
    inverse_affine_iter_map,
};
use tvmscript_ir_core::{
    Object, ObjectLike as _, PtrMap, Ref, any_node, post_order_mutate, structural_equal, substitute,
};
use tvmscript_prim::{Expr, IntImm, PrimExprExt as _, ops};
use tvmscript_tir::{Block, BlockRealize, Buffer, BufferLoad, BufferStore, For, IfThenElse, StmtRef};

use super::compute_inline::{check_no_init, wrong_body};
use crate::error::{Result, ScheduleError};
use crate::inline::{Inlined, Rewrite};
use crate::primitive::{Place, Primitive, Results, parameter};
use crate::regions::values_of;
use crate::schedule::Schedule;
use crate::scope::{Writers, check_complete, check_not_output, is_complete};
use crate::state::{Item, State};

pub(in crate::primitive) static REVERSE_COMPUTE_INLINE: Primitive = Primitive {
    kind: "ReverseComputeInline",
    name: "reverse_compute_inline",
    doc: "Removes a block; its producer computes what it computes.",
    parameters: &[parameter("block", Place::Input)],
    is_pure: false,
    results: Results::None,
    apply: |schedule: &mut Schedule, args| {
        let [block] = args else { return Err(ScheduleError::plain("expected a block")) };
        let block = schedule.block_item(block)?;
        inline(schedule.state_mut(), block)?;
        Ok(Vec::new())
    },
};

/// The annotation of blocks whose body is a nest of loops that copies.
const AUTO_COPY: &str = "auto_copy";

/// Inlines a block into its producer.
pub(super) fn inline(state: &mut State, item: Item) -> Result<()> {
    let block = state.block_of(item)?;
    check_no_init(block)?;
    let scope = state.pipeline_scope(item)?;
    let buffer = single_read(state, block, scope)?;
    check_complete(state, item, scope)?;
    let producer = single_producer(state, item, &buffer, scope)?;
    check_not_output(state, producer, scope)?;
    let mut inline = Inline::of(state.realize_of(item)?, state.block_of(producer)?, buffer.clone())?;
    Inlined::plan(state, item, &buffer, &mut inline)?.apply(state)?;
    state.renew_affine(producer, &mut Analyzer::new())
}

/// The buffer that a block reads of those that its scope writes; all regions must be of one.
fn single_read(state: &State, block: &Ref<Block>, scope: Item) -> Result<Ref<Buffer>> {
    let writers = Writers::of(state, scope)?;
    let mut found: Option<&Ref<Buffer>> = None;
    let mut is_single = true;
    for region in block.reads.iter().filter(|region| writers.has(&region.buffer)) {
        is_single &= found.is_none_or(|known| known.ptr_eq(&region.buffer));
        found = Some(&region.buffer);
    }
    match found.filter(|_| is_single) {
        Some(buffer) => Ok(buffer.clone()),
        None => {
            let message = format!(
                "the block `{}` must read one buffer that other blocks of its scope write",
                block.name_hint.as_str()
            );
            Err(ScheduleError::new("NotSingleReadWriteBuffer", message).at(block.clone()))
        }
    }
}

/// The innermost block that writes the buffer, if it is the only one and complete. As in TVM, other blocks may read the
/// buffer, which then is undefined for them.
fn single_producer(state: &State, consumer: Item, buffer: &Ref<Buffer>, scope: Item) -> Result<Item> {
    let refused = |block: Item, why: &str| -> Result<Item> {
        let block = state.block_of(block)?;
        let message = format!("{why} the buffer `{}`", buffer.name.get().as_str());
        Err(ScheduleError::new("NonSingleProducerError", message).at(block.clone()))
    };
    let writes = |block: Item| -> Result<bool> {
        Ok(state.block_of(block)?.writes.iter().any(|region| region.buffer.ptr_eq(buffer)))
    };
    let mut producers = Vec::new();
    for child in state.child_blocks(scope)? {
        let mut blocks = vec![child];
        let mut at = 0;
        while let Some(block) = blocks.get(at).copied() {
            blocks.extend(state.child_blocks(block)?);
            at += 1;
        }
        // A block with producers in it is not one itself.
        let mut outer = hashbrown::HashSet::new();
        for block in blocks.into_iter().rev().filter(|block| *block != consumer) {
            if !writes(block)? || outer.contains(&block) {
                continue;
            }
            if !is_complete(state, block, scope)? {
                return refused(block, "it is not complete, but writes");
            }
            outer.extend(state.ancestors(block));
            producers.push(block);
        }
    }
    match producers[..] {
        [producer] => Ok(producer),
        _ => refused(consumer, "there must be one block that writes"),
    }
}

/// The store of the consumer in terms of the producer.
struct Inline {
    buffer: Ref<Buffer>,
    producer: Ref<Block>,
    /// The block to inline.
    consumer: Ref<Block>,
    store: Ref<BufferStore>,
    /// The values of the consumer's iterators.
    values: PtrMap<Object>,
    analyzer: Analyzer,
}

const EXPECTED: &str = "expected one store without condition, which reads the buffer at indices that are an affine map \
                        of its axes, covered by those of its producer";

impl Inline {
    fn of(realize: &BlockRealize, producer: &Ref<Block>, buffer: Ref<Buffer>) -> Result<Inline> {
        let consumer = &realize.block;
        let wrong = || wrong_body(consumer, EXPECTED);
        let store = consumer.body.downcast_ref::<BufferStore>().filter(|_| ops::is_one(&realize.predicate));
        let store = store.ok_or_else(wrong)?;
        let indices = read_indices(store, &buffer).ok_or_else(wrong)?;
        let mut values: PtrMap<Object> = PtrMap::default();
        let mut ranges = Vec::with_capacity(consumer.iter_vars.len());
        for axis in consumer.iter_vars.iter() {
            let dom = axis.dom.as_ref().ok_or_else(wrong)?;
            let (min, extent) = (dom.min.clone(), dom.extent.clone());
            if ops::int_value(&extent) == Some(1) && min.is::<IntImm>() {
                values.insert(axis.var.object().clone(), min.object().clone());
            }
            ranges.push(VarRange { var: axis.var.clone(), min, extent });
        }
        let mut analyzer = Analyzer::new();
        let all = IntImm::bool(true);
        let map = detect_iter_map(&indices, &ranges, &all, IterMapLevel::NoCheck, false, &mut analyzer);
        let sums: Vec<IterSum> = map.map_err(|_| wrong())?.sums().to_vec();
        let written = stored_by(producer).filter(|_| !sums.is_empty()).ok_or_else(wrong)?;
        let outputs: Vec<Expr> = written.indices.iter().cloned().collect();
        let inverse = inverse_affine_iter_map(&sums, &outputs)
            .map_err(|error| ScheduleError::plain(error.to_string()))?;
        values.extend(inverse.into_iter().map(|(var, value)| (var.into_object(), value.into_object())));
        let (producer, consumer, store) = (producer.clone(), consumer.clone(), store.clone());
        let mut inline = Inline { buffer, producer, consumer, store, values, analyzer };
        match inline.is_covered(&ranges)? {
            true => Ok(inline),
            false => Err(wrong_body(&inline.consumer, EXPECTED)),
        }
    }

    /// Returns `true` unless the producer certainly leaves out iterations of the consumer.
    fn is_covered(&mut self, ranges: &[VarRange]) -> Result<bool> {
        let mut domains = DomMap::new();
        for axis in self.producer.iter_vars.iter() {
            if let Some(dom) = &axis.dom {
                domains.insert(&axis.var, IntSet::from_range(&dom.min, &dom.extent));
            }
        }
        for range in ranges {
            let value = self.values.get(range.var.object()).and_then(|value| value.downcast_ref());
            let Some(value) = value else { return Ok(false) };
            let set = eval_set(value, &domains);
            if let Some(min) = set.min()
                && self.analyzer.can_prove(&ops::gt(min.clone(), range.min.clone())?)
            {
                return Ok(false);
            }
            let end = ops::add(range.min.clone(), range.extent.clone())?;
            let last = ops::sub(end.clone(), ops::make_const(end.dtype(), 1)?)?;
            if let Some(max) = set.max()
                && self.analyzer.can_prove(&ops::lt(max.clone(), last)?)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A store to the buffer as the consumer's store of the value.
    fn replaced(&self, store: &BufferStore) -> Result<Object> {
        // A value that reads the buffer reads what the consumer writes.
        let element = BufferLoad::try_new(self.store.buffer.clone(), self.store.indices.clone(), None)?;
        let element = substitute(element, &self.values)?;
        let value = self.with_loads(store.value.clone(), &element)?;
        let new = substitute(self.store.clone(), &self.values)?;
        Ok(self.with_loads(new, &value)?.into_object())
    }

    /// Replaces the loads of the buffer.
    fn with_loads<T: tvmscript_ir_core::ObjectLike>(&self, root: T, value: &Expr) -> Result<T> {
        Ok(post_order_mutate(root, |node| {
            let load = node.as_node::<BufferLoad>()?;
            load.buffer.ptr_eq(&self.buffer).then(|| value.object().clone())
        })?)
    }

    /// The producer, with the condition that it is in the consumer's domain, too.
    fn guarded(&mut self, mut realize: Ref<BlockRealize>) -> Result<Ref<BlockRealize>> {
        let block = realize.block.clone();
        for axis in block.iter_vars.iter() {
            if let Some(dom) = &axis.dom {
                self.analyzer.bind_range(&axis.var, &dom.min, &dom.extent);
            }
        }
        for inner in copy_loops(&block) {
            let zero = ops::make_const(inner.extent.dtype(), 0)?;
            self.analyzer.bind_range(&inner.loop_var, &zero, &inner.extent);
        }
        let mut condition: Expr = IntImm::bool(true);
        for axis in self.consumer.iter_vars.iter() {
            let Some(dom) = &axis.dom else { continue };
            let var: Expr = axis.var.clone().upcast();
            let end = ops::add(dom.min.clone(), dom.extent.clone())?;
            let bounds = ops::and(ops::ge(var.clone(), dom.min.clone())?, ops::lt(var, end)?)?;
            condition = ops::and(condition, bounds)?;
        }
        let mut condition = self.analyzer.simplify(&substitute(condition, &self.values)?);
        if ops::is_one(&condition) {
            return Ok(realize);
        }
        let changed = realize.make_mut();
        if let Some(branch) = block.body.as_node::<IfThenElse>().filter(|branch| branch.else_case.is_none()) {
            let simple = self.analyzer.simplify(&branch.condition);
            if !structural_equal(condition.object(), simple.object()) {
                condition = self.analyzer.simplify(&ops::and(condition, branch.condition.clone())?);
                changed.block.make_mut().body = branch.then_case.clone();
            }
        }
        let condition = substitute(condition, &values_of(changed))?;
        changed.predicate = self.analyzer.simplify(&condition);
        Ok(realize)
    }
}

/// The indices at which a store reads a buffer; `None` if it does not, or at different ones.
fn read_indices(store: &BufferStore, buffer: &Ref<Buffer>) -> Option<Vec<Expr>> {
    let mut found: Option<tvmscript_ir_core::Array<Expr>> = None;
    let mut is_same = true;
    let mut visit = |node: &Object| {
        if let Some(load) = node.as_node::<BufferLoad>().filter(|load| load.buffer.ptr_eq(buffer)) {
            let known = found.get_or_insert_with(|| load.indices.clone());
            is_same &= known.len() == load.indices.len()
                && known
                    .iter()
                    .zip(load.indices.iter())
                    .all(|(a, b)| structural_equal(a.object(), b.object()));
        }
        !is_same
    };
    any_node(&store.indices, &mut visit);
    any_node(&store.value, &mut visit);
    found.filter(|_| is_same).map(|indices| indices.iter().cloned().collect())
}

/// The loops of a block that copies.
fn copy_loops(block: &Block) -> Vec<&Ref<For>> {
    let has_mark = block.annotations.get_str(AUTO_COPY).is_some();
    let first = block.body.downcast_ref::<For>().filter(|_| has_mark);
    std::iter::successors(first, |outer| outer.body.downcast_ref::<For>()).collect()
}

/// The only store of a producer, which may have a condition.
fn stored_by(producer: &Block) -> Option<&BufferStore> {
    let inner: &StmtRef = match producer.body.as_node::<IfThenElse>() {
        Some(branch) if branch.else_case.is_none() => &branch.then_case,
        _ => copy_loops(producer).last().map_or(&producer.body, |innermost| &innermost.body),
    };
    inner.as_node::<BufferStore>()
}

impl Rewrite for Inline {
    fn leave(&mut self, node: Object, before: Option<&Ref<Block>>) -> Result<Object> {
        if let Some(store) = node.as_node::<BufferStore>().filter(|store| store.buffer.ptr_eq(&self.buffer)) {
            return self.replaced(store);
        }
        if before.is_none_or(|before| !before.ptr_eq(&self.producer)) {
            return Ok(node);
        }
        match node.downcast::<BlockRealize>() {
            Ok(realize) => Ok(self.guarded(realize)?.into_object()),
            Err(node) => Ok(node),
        }
    }
}
