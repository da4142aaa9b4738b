//! `unsafe_hide_buffer_access`: a block no longer declares regions.

use crate::argument::Argument;
use crate::buffers::{self, Access};
use crate::error::{Result, ScheduleError};
use crate::primitive::{Place, Primitive, Results, parameter};

pub(in crate::primitive) static UNSAFE_HIDE_BUFFER_ACCESS: Primitive = Primitive {
    kind: "UnsafeHideBufferAccess",
    name: "unsafe_hide_buffer_access",
    doc: "Removes declared regions of a block, so that other primitives do not see its accesses.",
    parameters: &[
        parameter("block", Place::Input),
        parameter("buf_type", Place::Input),
        parameter("buf_index_array", Place::Input),
    ],
    is_pure: false,
    results: Results::None,
    apply: |schedule, args| {
        let [block, kind, indices] = args else {
            return Err(ScheduleError::plain("expected a block, a kind and numbers"));
        };
        let item = schedule.item(block)?;
        let access =
            buffers::access(kind).map_err(|error| ScheduleError::new("BufTypeError", error.message))?;
        let indices = indices.list()?.iter().map(Argument::int).collect::<Result<Vec<_>>>()?;
        let state = schedule.state_mut();
        let mut block = state.block_of(item)?.clone();
        let regions = access.regions(&block);
        let count = i64::try_from(regions.len()).unwrap_or(i64::MAX);
        if let Some(wrong) = indices.iter().find(|index| !(0..count).contains(index)) {
            let message = format!("expected numbers from 0 up to {count}, without it, found {wrong}");
            return Err(ScheduleError::new("InvalidIndexError", message));
        }
        let kept = (0..).zip(regions.iter()).filter(|(at, _)| !indices.contains(at));
        let kept = kept.map(|(_, region)| region.clone()).collect();
        let changed = block.make_mut();
        match access {
            Access::Read => changed.reads = kept,
            Access::Write => changed.writes = kept,
        }
        state.replace_block(item, block, &[])?;
        Ok(Vec::new())
    },
};
