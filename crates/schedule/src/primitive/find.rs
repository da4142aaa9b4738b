//! Primitives that find blocks and loops, and change nothing.

use super::{Default, Place, Primitive, Results, parameter, with_default};
use crate::argument::{Argument, RvValue};
use crate::error::{Result, ScheduleError};
use crate::schedule::Schedule;
use crate::scope::{Dependences, is_output};
use crate::state::{Item, State};

pub(super) static GET_BLOCK: Primitive = Primitive {
    kind: "GetBlock",
    name: "get_block",
    doc: "The block of a function with a name.",
    parameters: &[
        parameter("name", Place::Attribute),
        with_default("func_name", Place::Attribute, Default::Function),
    ],
    is_pure: true,
    results: Results::One,
    apply: |schedule, args| {
        let [name, function] = args else { return Err(ScheduleError::plain("expected two arguments")) };
        let (name, function) = (name.str()?.clone(), function.str()?.clone());
        let state = schedule.state();
        let Some(root) = state.root(function.as_str()) else {
            return Err(ScheduleError::plain(format!("the module has no function `{}`", function.as_str())));
        };
        let mut found = Vec::new();
        below(state, root, &mut |item| {
            if state.block_of(item).is_ok_and(|block| block.name_hint == name) {
                found.push(item);
            }
        })?;
        match found[..] {
            [block] => Ok(vec![RvValue::Block(block)]),
            _ => {
                let message = match found.len() {
                    0 => format!("no block is named `{}`", name.as_str()),
                    n => format!("{n} blocks are named `{}`", name.as_str()),
                };
                let mut error = ScheduleError::new("NotSingleResult", message);
                error.nodes = found.iter().filter_map(|block| state.node(*block)).collect();
                Err(error)
            }
        }
    },
};

/// Calls `f` for a block and all blocks in it, outer ones first.
fn below(state: &State, root: Item, f: &mut impl FnMut(Item)) -> Result<()> {
    let mut pending = vec![root];
    while let Some(block) = pending.pop() {
        f(block);
        pending.extend(state.child_blocks(block)?.into_iter().rev());
    }
    Ok(())
}

/// Values of blocks or loops.
fn values(items: Vec<Item>, value: fn(Item) -> RvValue) -> Vec<RvValue> {
    items.into_iter().map(value).collect()
}

macro_rules! finder {
    ($(#[doc = $doc:literal] $name:ident, $kind:literal, $call:literal, $parameter:literal, $place:expr, $value:expr, $find:expr;)*) => {$(
        pub(super) static $name: Primitive = Primitive {
            kind: $kind,
            name: $call,
            doc: $doc,
            parameters: &[parameter($parameter, $place)],
            is_pure: true,
            results: Results::List,
            apply: |schedule: &mut Schedule, args: &[Argument]| {
                let [of] = args else { return Err(ScheduleError::plain("expected one argument")) };
                let item = schedule.item(of)?;
                let find: fn(&State, Item) -> Result<Vec<Item>> = $find;
                Ok(values(find(schedule.state(), item)?, $value))
            },
        };
    )*};
}

finder! {
    #[doc = "The loops directly above a block, outer ones first."]
    GET_LOOPS, "GetLoops", "get_loops", "block", Place::Input, RvValue::Loop, |state, block| {
        state.block_of(block)?;
        Ok(state.loops_above(block))
    };
    #[doc = "The outermost blocks in a block or loop."]
    GET_CHILD_BLOCKS, "GetChildBlocks", "get_child_blocks", "block_or_loop", Place::Positional, RvValue::Block,
        |state, item| state.child_blocks(item);
    #[doc = "The blocks of a scope that write what a block reads."]
    GET_PRODUCERS, "GetProducers", "get_producers", "block", Place::Input, RvValue::Block, |state, block| {
        Ok(Dependences::of_scope(state, state.scope(block)?)?.producers(block))
    };
    #[doc = "The blocks of a scope that read what a block writes."]
    GET_CONSUMERS, "GetConsumers", "get_consumers", "block", Place::Input, RvValue::Block, |state, block| {
        Ok(Dependences::of_scope(state, state.scope(block)?)?.consumers(block))
    };
    #[doc = "The blocks in a block that write a buffer from outside of their scope."]
    GET_OUTPUT_BLOCKS, "GetOutputBlocks", "get_output_blocks", "block", Place::Input, RvValue::Block, |state, block| {
        let mut found = Vec::new();
        below(state, block, &mut |inner| {
            if inner != block && state.scope(inner).is_ok_and(|scope| is_output(state, inner, scope)) {
                found.push(inner);
            }
        })?;
        Ok(found)
    };
}
