//! `cache_read` and `cache_write`: a copy of a buffer in another storage scope.

use crate::argument::{Argument, RvValue};
use crate::buffers::Access;
use crate::cache::Request;
use crate::error::{Result, ScheduleError};
use crate::primitive::{Default, Place, Primitive, Results, parameter, with_default};
use crate::schedule::Schedule;
use crate::state::Item;

pub(in crate::primitive) static CACHE_READ: Primitive = Primitive {
    kind: "CacheRead",
    name: "cache_read",
    doc: "Copies what a block reads of a buffer to another storage scope, from where blocks read it.",
    parameters: &[
        parameter("block", Place::Input),
        parameter("read_buffer_index", Place::Attribute),
        parameter("storage_scope", Place::Attribute),
        with_default("consumer_blocks", Place::Input, Default::Empty),
    ],
    is_pure: false,
    results: Results::One,
    apply: |schedule, args| cache(schedule, args, Access::Read),
};

pub(in crate::primitive) static CACHE_WRITE: Primitive = Primitive {
    kind: "CacheWrite",
    name: "cache_write",
    doc: "Makes a block write a buffer in another storage scope, from where it is copied.",
    parameters: &[
        parameter("block", Place::Input),
        parameter("write_buffer_index", Place::Attribute),
        parameter("storage_scope", Place::Attribute),
        with_default("consumer_blocks", Place::Input, Default::Empty),
    ],
    is_pure: false,
    results: Results::One,
    apply: |schedule, args| cache(schedule, args, Access::Write),
};

fn cache(schedule: &mut Schedule, args: &[Argument], access: Access) -> Result<Vec<RvValue>> {
    let [block, index, storage, consumers] = args else {
        return Err(ScheduleError::plain("expected four arguments"));
    };
    let consumers: Vec<Item> =
        consumers.list()?.iter().map(|block| schedule.item(block)).collect::<Result<_>>()?;
    let request = Request {
        block: schedule.item(block)?,
        access,
        index: schedule.int(index)?,
        storage: storage.str()?.as_str(),
        consumers: &consumers,
    };
    request.make(schedule.state_mut()).map(|copy| vec![RvValue::Block(copy)])
}
