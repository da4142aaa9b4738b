//! `unsafe_set_dtype`: a buffer holds values of another type.

use tvmscript_ir_core::{DataType, Descend, Object, ObjectLike as _, Ref, TryMutator, try_mutate};
use tvmscript_prim::Cast;
use tvmscript_tir::{Buffer, BufferLoad, BufferStore};

use crate::bindings::reused_blocks;
use crate::buffers::Access;
use crate::definition::{Exchange, allocation, over_new_memory};
use crate::error::ScheduleError;
use crate::primitive::{Place, Primitive, Results, parameter};

pub(in crate::primitive) static UNSAFE_SET_DTYPE: Primitive = Primitive {
    kind: "UnsafeSetDType",
    name: "unsafe_set_dtype",
    doc: "Stores a buffer that a block writes as another type; values are converted at each access.",
    parameters: &[
        parameter("block", Place::Input),
        parameter("buffer_index", Place::Attribute),
        parameter("dtype", Place::Attribute),
    ],
    is_pure: false,
    results: Results::None,
    apply: |schedule, args| {
        let [block, index, dtype] = args else {
            return Err(ScheduleError::plain("expected a block, a number and a type"));
        };
        let (block, index) = (schedule.item(block)?, schedule.int(index)?);
        let state = schedule.state_mut();
        let buffer = Access::Write.buffer(state.block_of(block)?, index)?;
        let dtype: DataType =
            dtype.str()?.as_str().parse().map_err(|error| ScheduleError::plain(format!("{error}")))?;
        if dtype == buffer.dtype {
            return Ok(Vec::new());
        }
        let site = allocation(state, block, &buffer)?;
        let retyped = |buffer: &Buffer| {
            let (name, data) = (buffer.name.text(), buffer.data.name.text());
            Ref::new(over_new_memory(buffer, name, data, dtype, buffer.scope().as_str()))
        };
        let mut exchange = Exchange::default();
        exchange.add(&buffer, &retyped(&buffer));
        exchange.follow(state.block_of(site)?, |part, _| Some(retyped(part)));
        let old = state.block_of(site)?.clone();
        let new = try_mutate(old.clone(), &mut Retyping { exchange, from: buffer.dtype, to: dtype })?;
        state.replace_block(site, new.clone(), &reused_blocks(&old.body, &new.body))?;
        Ok(Vec::new())
    },
};

/// Exchanges buffers, and converts what is stored and loaded.
struct Retyping {
    exchange: Exchange,
    from: DataType,
    to: DataType,
}

impl Retyping {
    fn is_new(&self, buffer: &Ref<Buffer>) -> bool {
        self.exchange.0.values().any(|new| new.ptr_eq(buffer.object()))
    }
}

impl TryMutator for Retyping {
    type Error = ScheduleError;

    fn enter(&mut self, node: &Object) -> Result<Descend, ScheduleError> {
        Ok(match self.exchange.0.get(node) {
            Some(new) => Descend::Replace(new.clone()),
            None => Descend::Into,
        })
    }

    /// The store or load of an exchanged buffer gets its conversion.
    fn leave(&mut self, node: &Object) -> Result<Option<Object>, ScheduleError> {
        if let Some(store) = node.downcast_ref::<BufferStore>()
            && self.is_new(&store.buffer)
        {
            let mut store = store.clone();
            store.make_mut().value = Cast::try_new(self.to, store.value.clone())?;
            return Ok(Some(store.into_object()));
        }
        if let Some(load) = node.downcast_ref::<BufferLoad>()
            && self.is_new(&load.buffer)
        {
            let new = BufferLoad::try_new(load.buffer.clone(), load.indices.clone(), load.predicate.clone())?;
            return Ok(Some(Cast::try_new(self.from, new)?.into_object()));
        }
        Ok(None)
    }
}
