//! `set_scope`: a buffer moves to another storage scope.

use crate::buffers::Access;
use crate::definition::{Exchange, allocation, check_storage, in_scope};
use crate::error::ScheduleError;
use crate::primitive::{Place, Primitive, Results, parameter};

pub(in crate::primitive) static SET_SCOPE: Primitive = Primitive {
    kind: "SetScope",
    name: "set_scope",
    doc: "Moves a buffer that a block writes to another storage scope.",
    parameters: &[
        parameter("block", Place::Input),
        parameter("buffer_index", Place::Attribute),
        parameter("storage_scope", Place::Attribute),
    ],
    is_pure: false,
    results: Results::None,
    apply: |schedule, args| {
        let [block, index, scope] = args else {
            return Err(ScheduleError::plain("expected a block, a number and a scope"));
        };
        let (block, index, scope) = (schedule.item(block)?, schedule.int(index)?, scope.str()?.as_str());
        let state = schedule.state_mut();
        let buffer = Access::Write.buffer(state.block_of(block)?, index)?;
        if buffer.scope().as_str() == scope {
            return Ok(Vec::new());
        }
        check_storage(scope)?;
        let site = allocation(state, block, &buffer)?;
        let mut exchange = Exchange::default();
        exchange.add(&buffer, &in_scope(&buffer, scope));
        exchange.follow(state.block_of(site)?, |part, _| Some(in_scope(part, scope)));
        exchange.make(state, site)?;
        Ok(Vec::new())
    },
};
