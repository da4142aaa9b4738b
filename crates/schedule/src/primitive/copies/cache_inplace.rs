//! `cache_inplace`: a block updates a copy of a buffer, which is copied in before and back after.

use hashbrown::HashSet;

use crate::argument::RvValue;
use crate::buffers::Access;
use crate::cache::{check_region_cover, copy_nest, finish, region_of};
use crate::copies::{elements_of, insert};
use crate::definition::{check_storage, in_scope};
use crate::error::{Result, ScheduleError};
use crate::flags::Flags;
use crate::primitive::{Place, Primitive, Results, parameter};
use crate::redirect::{Blocks, Indices, Insertion, Redirection};
use crate::regions::accesses;
use crate::schedule::Schedule;
use crate::state::Item;

pub(in crate::primitive) static CACHE_INPLACE: Primitive = Primitive {
    kind: "CacheInplace",
    name: "cache_inplace",
    doc: "Makes a block update a copy of a buffer in another storage scope, copied in before it and back after it.",
    parameters: &[
        parameter("block", Place::Input),
        parameter("read_buffer_index", Place::Attribute),
        parameter("storage_scope", Place::Attribute),
    ],
    is_pure: false,
    results: Results::List,
    apply: |schedule, args| {
        let [block, index, storage] = args else {
            return Err(ScheduleError::plain("expected a block, a number and a scope"));
        };
        let (block, index) = (schedule.item(block)?, schedule.int(index)?);
        let copies = cache(schedule, block, index, storage.str()?.as_str())?;
        Ok(copies.into_iter().map(RvValue::Block).collect())
    },
};

fn cache(schedule: &mut Schedule, item: Item, index: i64, storage: &str) -> Result<[Item; 2]> {
    check_storage(storage)?;
    let state = schedule.state_mut();
    let realize = state.realize_of(item)?.clone();
    let block = &realize.block;
    let buffer = Access::Read.buffer(block, index)?;
    let scope = state.scope(item)?;
    check_region_cover(state, scope, &buffer)?;
    region_of(block.reads.iter(), &buffer)?;
    if region_of(block.writes.iter(), &buffer)?.is_none() {
        let message = format!("the block only reads the buffer `{}`", buffer.name.text());
        let error = ScheduleError::new("NotReadWriteError", message);
        return Err(error.at(block.clone()).at(buffer));
    }
    let parent = state.parent(item).unwrap_or(scope);
    let body = match state.is_block(parent) {
        true => state.block_of(parent)?.body.clone(),
        false => state.loop_of(parent)?.body.clone(),
    };
    let holds =
        |stmt: &tvmscript_tir::StmtRef| tvmscript_ir_core::any_node(stmt, |node| node.ptr_eq(block.object()));
    let position = elements_of(&body).iter().position(holds).unwrap_or(0);

    let cache = in_scope(&buffer, storage);
    let name = format!("{}_{storage}", buffer.name.text());
    let mut nests = Vec::new();
    for access in [Access::Read, Access::Write] {
        let all = accesses(&realize, access.regions(block))?;
        let Some(access_of) = all.into_iter().find(|access| access.buffer.ptr_eq(&buffer)) else { continue };
        nests.push(copy_nest(&name, &buffer, &cache, &access_of.region, true, access)?);
    }
    let Ok([(before, copy_in), (after, copy_out)]) = <[_; 2]>::try_from(nests) else {
        return Err(ScheduleError::plain("the region is lost"));
    };
    let blocks = Blocks::Writer { writer: block.object().address(), consumers: HashSet::new() };
    let redirection = Redirection { from: buffer, to: cache.clone(), indices: Indices::Same, blocks };
    let insertion = Insertion { place: parent, position: position + 1, stmt: after };
    redirection.make(state, scope, &insertion, Some(&cache))?;
    insert(state, parent, position, &before)?;
    let mut items = [item; 2];
    for (place, copy) in items.iter_mut().zip([copy_in, copy_out]) {
        *place = finish(state, &copy)?;
        state.set_flags(*place, Flags { is_stage_pipeline: false, ..state.flags(*place) });
    }
    Ok(items)
}
