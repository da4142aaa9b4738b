//! `loop_partition`: a loop becomes a row of loops over parts of its range.

use hashbrown::HashMap;
use tvmscript_ir_core::{
    Array, Descend, Map, Object, ObjectLike as _, PtrMap, Ref, Span, Str, TryMutator, copy_fresh,
    pre_order_visit, substitute, try_mutate,
};
use tvmscript_prim::{Expr, IntImm, Range, Var, ops};
use tvmscript_tir::{
    Block, BlockRealize, Buffer, BufferLoad, BufferRegion, BufferStore, For, ForKind, IterVar, StmtRef,
    flatten,
};

use super::split::factors;
use crate::argument::RvValue;
use crate::copies::NewBlock;
use crate::error::{Result, ScheduleError};
use crate::flags::Flags;
use crate::loops::check_plain;
use crate::primitive::{Default, Place, Primitive, Results, parameter, with_default};
use crate::schedule::Schedule;
use crate::state::Item;
use crate::walk::Found;

pub(in crate::primitive) static LOOP_PARTITION: Primitive = Primitive {
    kind: "LoopPartition",
    name: "loop_partition",
    doc: "Divides the range of a loop into parts of these lengths, each with a loop of its own; one may be inferred.",
    parameters: &[
        parameter("loop", Place::Input),
        parameter("factors", Place::Spread),
        with_default("preserve_unit_iters", Place::Flag, Default::Bool(true)),
    ],
    is_pure: false,
    results: Results::List,
    apply: |schedule, args| {
        let [target, lengths, _] = args else {
            return Err(ScheduleError::plain("expected a loop, lengths and a flag"));
        };
        let target = schedule.loop_item(target)?;
        let lengths = factors(schedule, lengths)?;
        let loops = partition(schedule, target, &lengths)?;
        Ok(loops.into_iter().map(RvValue::Loop).collect())
    },
};

fn partition(schedule: &mut Schedule, target: Item, lengths: &[Option<i64>]) -> Result<Vec<Item>> {
    let state = schedule.state_mut();
    let old = state.loop_of(target)?.clone();
    let (Some(start), Some(extent)) = (ops::int_value(&old.min), ops::int_value(&old.extent)) else {
        let message = "the range of the loop is not constant";
        return Err(ScheduleError::new("SymbolicShapeError", message).at(old));
    };
    let ends = ends(lengths, extent).map_err(|error| match error.class {
        Some("WrongFactorError") => error.at(old.clone()),
        _ => error,
    })?;
    check_plain(&old)?;
    if ends.len() < 2 {
        return Err(ScheduleError::plain("expected several parts of the loop").at(old));
    }
    let name = format!("{}_{}", first_block(&old.body)?, old.loop_var.name.text());
    let (mut begin, mut parts, mut loops) = (start, Vec::new(), Vec::new());
    for (at, end) in ends.into_iter().enumerate() {
        let part = part(&old, at, begin, end)?;
        let block = opaque(&format!("{name}{at}_partition"), part.clone());
        parts.push(block.upcast());
        loops.push(part);
        begin = end;
    }
    let common = opaque(&format!("{name}_common"), flatten(parts, true));
    state.replace(target, common.clone().upcast(), &[])?;
    let lost = || ScheduleError::plain("the new block is lost");
    let scope = state.scope(state.find(Found::Block(&common)).ok_or_else(lost)?)?;
    let is_affine = state.flags(scope).is_affine;
    state.update(scope)?;
    state.set_flags(scope, Flags { is_affine, ..state.flags(scope) });
    Ok(loops.iter().filter_map(|part| state.find(Found::of(part)?)).collect())
}

/// The ends of the parts.
fn ends(lengths: &[Option<i64>], extent: i64) -> Result<Vec<i64>> {
    if lengths.iter().filter(|length| length.is_none()).count() > 1 {
        return Err(ScheduleError::new("NotSingleInferFactorError", "only one length may be inferred"));
    }
    if let Some(wrong) = lengths.iter().flatten().find(|length| **length <= 0) {
        let message = format!("the length {wrong} is not positive");
        return Err(ScheduleError::new("NonPositiveFactorError", message));
    }
    let sum = lengths.iter().flatten().fold(0i64, |sum, length| sum.saturating_add(*length));
    if sum >= extent {
        let message = "the sum of the lengths is not less than the extent of the loop";
        return Err(ScheduleError::new("WrongFactorError", message));
    }
    let mut end = 0;
    let mut ends: Vec<i64> = Vec::with_capacity(lengths.len() + 1);
    for length in lengths {
        end += length.unwrap_or(extent - sum);
        ends.push(end);
    }
    if !lengths.iter().any(Option::is_none) {
        ends.push(extent);
    }
    Ok(ends)
}

/// The name of the block in a nest.
fn first_block(body: &StmtRef) -> Result<Str> {
    let mut body = body;
    while let Some(found) = body.as_node::<For>() {
        body = &found.body;
    }
    let name = body.as_node::<BlockRealize>().map(|realize| realize.block.name_hint.clone());
    name.ok_or_else(|| ScheduleError::plain("the loop is not a nest around one block"))
}

/// A block without axes and regions.
fn opaque(name: &str, body: StmtRef) -> Ref<BlockRealize> {
    let (axes, values) = (Vec::new(), Vec::new());
    NewBlock { name, axes, values, reads: Vec::new(), writes: Vec::new() }.around(body)
}

/// The loop over a part of the range.
fn part(old: &Ref<For>, at: usize, begin: i64, end: i64) -> Result<StmtRef> {
    let dtype = old.loop_var.dtype;
    let loop_var = Var::new(format!("{}{at}", old.loop_var.name.text()), dtype);
    let mut map: PtrMap<Object> = PtrMap::default();
    map.insert(old.loop_var.object().clone(), loop_var.object().clone());
    let body = substitute(old.body.clone(), &map)?;
    let body = try_mutate(body, &mut Parts { loop_var: &loop_var, begin, end, place: None })?;
    Ok(For::try_new(For {
        span: Span::current(),
        loop_var,
        min: IntImm::try_new(dtype, begin)?,
        extent: IntImm::try_new(dtype, end - begin)?,
        kind: ForKind::Serial,
        body: copy_fresh(&body)?,
        thread_binding: None,
        annotations: Map::default(),
        step: None,
    })?)
}

/// Names the blocks of a part after it, and bounds the axis of the loop.
struct Parts<'p> {
    loop_var: &'p Ref<Var>,
    begin: i64,
    end: i64,
    /// The number of the axis whose value is the loop's variable. The first block that ends takes it.
    place: Option<usize>,
}

impl Parts<'_> {
    fn block(&mut self, block: &Ref<Block>) -> Result<Ref<Block>> {
        let mut new = block.clone();
        let changed = new.make_mut();
        changed.name_hint = Str::from(format!("{}_{}", block.name_hint.as_str(), self.loop_var.name.text()));
        if block.iter_vars.is_empty() {
            return Ok(new);
        }
        let Some(place) = self.place.take() else { return Ok(new) };
        if place >= block.iter_vars.len() {
            return Err(ScheduleError::plain("a nested block has fewer axes than the block in the loop"));
        }
        let mut axes = Vec::with_capacity(block.iter_vars.len());
        for (at, axis) in block.iter_vars.iter().enumerate() {
            let dom = match at == place {
                true => {
                    let bound = |value| IntImm::try_new(axis.var.dtype, value);
                    Some(Range::try_from_bounds(bound(self.begin)?, bound(self.end)?)?)
                }
                false => axis.dom.clone(),
            };
            axes.push(Ref::new(IterVar { dom, ..(**axis).clone() }));
        }
        let simple = simple_accesses(block);
        let regions = |regions: &Array<Ref<BufferRegion>>| {
            regions.iter().map(|region| whole(region, &simple, &axes)).collect::<Result<Array<_>>>()
        };
        (changed.reads, changed.writes) = (regions(&block.reads)?, regions(&block.writes)?);
        changed.iter_vars = Array::new(axes);
        Ok(new)
    }
}

/// The variables of the first access of each buffer in a block at variables alone, by the buffer's name.
fn simple_accesses(block: &Block) -> HashMap<String, Vec<Ref<Var>>> {
    let mut found = HashMap::new();
    let mut add = |buffer: &Ref<Buffer>, indices: &Array<Expr>| {
        let variables: Option<Vec<Ref<Var>>> =
            indices.iter().map(|index| index.downcast_ref::<Var>().cloned()).collect();
        if let Some(variables) = variables {
            found.entry(buffer.name.text().to_string()).or_insert(variables);
        }
    };
    pre_order_visit(&block.body, |node| {
        if let Some(store) = node.as_node::<BufferStore>() {
            add(&store.buffer, &store.indices);
        } else if let Some(load) = node.as_node::<BufferLoad>() {
            add(&load.buffer, &load.indices);
        }
        true
    });
    found
}

/// A region over the domains of the axes at which the buffer is accessed.
fn whole(
    region: &Ref<BufferRegion>,
    simple: &HashMap<String, Vec<Ref<Var>>>,
    axes: &[Ref<IterVar>],
) -> Result<Ref<BufferRegion>> {
    let Some(variables) = simple.get(region.buffer.name.text()) else {
        return Ok(region.clone());
    };
    let mut ranges = Vec::with_capacity(variables.len());
    for variable in variables {
        let axis = axes.iter().find(|axis| axis.var.name.text() == variable.name.text());
        let dom = axis.and_then(|axis| axis.dom.clone());
        ranges.push(
            dom.ok_or_else(|| ScheduleError::plain("a buffer is accessed at more than axes of the block"))?,
        );
    }
    Ok(BufferRegion::try_new(region.buffer.clone(), Array::new(ranges))?)
}

impl TryMutator for Parts<'_> {
    type Error = ScheduleError;

    fn enter(&mut self, node: &Object) -> Result<Descend> {
        if let Some(realize) = node.as_node::<BlockRealize>() {
            let place = realize.iter_values.iter().position(|value| value.ptr_eq(self.loop_var));
            self.place = place.or(self.place);
        }
        Ok(if node.is::<Buffer>() { Descend::Keep } else { Descend::Into })
    }

    fn leave(&mut self, node: &Object) -> Result<Option<Object>> {
        let block = node.downcast_ref::<Block>();
        block.map(|block| Ok(self.block(block)?.into_object())).transpose()
    }
}
