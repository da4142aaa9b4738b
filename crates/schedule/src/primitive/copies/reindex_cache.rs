//! `reindex_cache_read` and `reindex_cache_write`: a copy of what a block accesses, laid out by a map of the block's axes.

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::{Object, PtrMap, Ref, substitute};
use tvmscript_prim::{Expr, Var};
use tvmscript_tir::{BlockRealize, Buffer, BufferRegion, For, IterType, IterVar, StmtRef};

use crate::argument::{Argument, RvValue};
use crate::buffers::Access;
use crate::cache::{self, finish, only_writer, place_between, readers, region_of};
use crate::copies::{Element, copy};
use crate::definition::{check_storage, in_scope};
use crate::error::{Result, ScheduleError};
use crate::fresh::copied;
use crate::layout::{map_indices, map_shape};
use crate::primitive::{Place, Primitive, Results, parameter};
use crate::reads::mentions;
use crate::redirect::{Blocks, Indices, Insertion, Redirection};
use crate::schedule::Schedule;
use crate::state::{Item, State};

pub(in crate::primitive) static REINDEX_CACHE_READ: Primitive = Primitive {
    kind: "ReindexCacheRead",
    name: "reindex_cache_read",
    doc: "Copies what a block reads of a buffer to another storage scope, at a map of the block's axes.",
    parameters: &[
        parameter("block", Place::Input),
        parameter("read_buffer_index", Place::Attribute),
        parameter("storage_scope", Place::Attribute),
        parameter("index_map", Place::Input),
    ],
    is_pure: false,
    results: Results::One,
    apply: |schedule, args| reindex(schedule, args, Access::Read),
};

pub(in crate::primitive) static REINDEX_CACHE_WRITE: Primitive = Primitive {
    kind: "ReindexCacheWrite",
    name: "reindex_cache_write",
    doc: "Makes a block write a buffer in another storage scope, at a map of its axes, from where it is copied.",
    parameters: &[
        parameter("block", Place::Input),
        parameter("write_buffer_index", Place::Attribute),
        parameter("storage_scope", Place::Attribute),
        parameter("index_map", Place::Input),
    ],
    is_pure: false,
    results: Results::One,
    apply: |schedule, args| reindex(schedule, args, Access::Write),
};

fn reindex(schedule: &mut Schedule, args: &[Argument], access: Access) -> Result<Vec<RvValue>> {
    let [block, index, storage, map] = args else {
        return Err(ScheduleError::plain("expected four arguments"));
    };
    let (item, index, map) = (schedule.item(block)?, schedule.int(index)?, map.index_map()?);
    let storage = storage.str()?.as_str();
    check_storage(storage)?;
    let state = schedule.state_mut();
    let realize = state.realize_of(item)?.clone();
    let block = realize.block.clone();
    let buffer = access.buffer(&block, index)?;
    let scope = state.pipeline_scope(item)?;
    let place = place(state, item, scope, &buffer, access)?;
    let region = region_of(access.regions(&block).iter(), &buffer)?;
    let Some(region) = region.cloned() else { return Err(ScheduleError::plain("the region is lost")) };

    let mut analyzer = Analyzer::new();
    let axes: Vec<Expr> = block.iter_vars.iter().map(|axis| axis.var.clone().upcast()).collect();
    let extents = block.iter_vars.iter().filter_map(|axis| Some(axis.dom.as_ref()?.extent.clone()));
    let extents: Vec<Expr> = extents.collect();
    // TVM tests in this order.
    if access == Access::Read {
        check_point(&realize, &region)?;
    }
    let indices = map_indices(map, &axes, &mut analyzer)?;
    let shape = map_shape(map, &extents, &mut analyzer)?;
    check_axes(&realize, &region, &indices)?;
    if access == Access::Write {
        check_point(&realize, &region)?;
    }
    let mut cache = in_scope(&buffer, storage);
    cache.make_mut().shape = shape.into_iter().collect();

    let mut around: Vec<Ref<For>> = Vec::new();
    for found in state.loops_above(item).into_iter().rev().take_while(|found| *found != place.item) {
        around.push(state.loop_of(found)?.clone());
    }
    around.reverse();
    let name = format!("{}_{storage}", buffer.name.text());
    let pair = Pair { buffer: &buffer, cache: &cache, access };
    let (nest, copy) = pair.nest(&name, &realize, &region, &indices, &around)?;
    let address = block.object().address();
    let blocks = match access {
        Access::Read => Blocks::Only([address].into_iter().collect()),
        Access::Write => Blocks::Writer { writer: address, consumers: Default::default() },
    };
    let redirection =
        Redirection { from: buffer.clone(), to: cache.clone(), indices: Indices::At(indices), blocks };
    let insertion = Insertion { place: place.item, position: place.position, stmt: nest };
    redirection.make(state, scope, &insertion, Some(&cache))?;
    finish(state, &copy).map(|copy| vec![RvValue::Block(copy)])
}

/// The place of the copy.
fn place(
    state: &State,
    item: Item,
    scope: Item,
    buffer: &Ref<Buffer>,
    access: Access,
) -> Result<cache::Place> {
    let writer = only_writer(state, scope, buffer)?;
    match (access, writer) {
        (Access::Read, None) => Ok(cache::Place { item: scope, position: 0 }),
        (Access::Read, Some(writer)) => place_between(state, scope, writer, &[item]),
        (Access::Write, Some(writer)) if writer == item => {
            place_between(state, scope, item, &readers(state, scope, item)?)
        }
        (Access::Write, _) => {
            let message = format!("another block writes the buffer `{}`", buffer.name.text());
            Err(ScheduleError::plain(message).at(buffer.clone()))
        }
    }
}

/// Refuses a region of more than one element.
fn check_point(realize: &BlockRealize, region: &BufferRegion) -> Result<()> {
    match region.region.iter().all(|range| tvmscript_prim::ops::is_one(&range.extent)) {
        true => Ok(()),
        false => {
            let message =
                format!("the block accesses several elements of `{}` at once", region.buffer.name.text());
            Err(ScheduleError::new("NotSinglePointAccess", message).at(realize.block.clone()))
        }
    }
}

/// Refuses an axis that only one of the old and new indices has.
fn check_axes(realize: &BlockRealize, region: &BufferRegion, indices: &[Expr]) -> Result<()> {
    for axis in realize.block.iter_vars.iter() {
        let is_old = region.region.iter().any(|range| mentions(&range.min, &axis.var));
        let is_new = indices.iter().any(|index| mentions(index, &axis.var));
        if is_old != is_new {
            let (has, lacks) = if is_old { ("old", "new") } else { ("new", "old") };
            let axis = axis.var.name.text();
            let message = format!("the {has} indices have the axis `{axis}`, and the {lacks} ones have not");
            let error = ScheduleError::new("ReindexCacheReadWriteNotMatchError", message);
            return Err(error.at(realize.block.clone()));
        }
    }
    Ok(())
}

/// A buffer and its copy.
struct Pair<'p> {
    buffer: &'p Ref<Buffer>,
    cache: &'p Ref<Buffer>,
    access: Access,
}

impl Pair<'_> {
    /// The loops and the block that copy, with copies of those axes and loops that the indices use.
    fn nest(
        &self,
        name: &str,
        realize: &BlockRealize,
        region: &BufferRegion,
        indices: &[Expr],
        around: &[Ref<For>],
    ) -> Result<(StmtRef, Ref<BlockRealize>)> {
        let pairs = realize.block.iter_vars.iter().zip(realize.iter_values.iter());
        let used: Vec<(&Ref<IterVar>, &Expr)> =
            pairs.filter(|(axis, _)| indices.iter().any(|index| mentions(index, &axis.var))).collect();
        let mut map: PtrMap<Object> = PtrMap::default();
        let mut loops: Vec<(&Ref<For>, Ref<Var>)> = Vec::new();
        for found in
            around.iter().filter(|found| used.iter().any(|(_, value)| mentions(value, &found.loop_var)))
        {
            let variable = copied(&found.loop_var);
            map.insert(found.loop_var.object().clone(), variable.object().clone());
            loops.push((found, variable));
        }
        let (mut axes, mut values) = (Vec::new(), Vec::new());
        for (axis, value) in &used {
            let var = copied(&axis.var);
            map.insert(axis.var.object().clone(), var.object().clone());
            axes.push(Ref::new(IterVar { var, iter_type: IterType::DataPar, ..(***axis).clone() }));
            values.push(substitute((*value).clone(), &map)?);
        }
        let new = |e: &Expr| Ok(substitute(e.clone(), &map)?);
        let old_indices = region.region.iter().map(|range| new(&range.min)).collect::<Result<Vec<_>>>()?;
        let new_indices = indices.iter().map(new).collect::<Result<Vec<_>>>()?;
        let buffer = Element { buffer: self.buffer, indices: &old_indices };
        let cache = Element { buffer: self.cache, indices: &new_indices };
        let (from, to) = match self.access {
            Access::Read => (buffer, cache),
            Access::Write => (cache, buffer),
        };
        let block = copy(name, axes, values, from, to)?;
        let mut nest: StmtRef = block.clone().upcast();
        for (found, loop_var) in loops.into_iter().rev() {
            nest = crate::loops::serial_from(loop_var, found.min.clone(), found.extent.clone(), nest)?;
        }
        Ok((nest, block))
    }
}
