//! `sample_compute_location`: a loop under which a block may be computed.

use hashbrown::HashMap;
use tvmscript_prim::ops;
use tvmscript_tir::IterType;

use crate::argument::{Argument, RvValue};
use crate::error::{Result, ScheduleError};
use crate::primitive::moves::compute_at::{Direction, Move};
use crate::primitive::moves::compute_inline;
use crate::primitive::{Default, Place, Primitive, Results, parameter, with_default};
use crate::reads::mentions;
use crate::scope::Dependences;
use crate::state::{Item, State};
use crate::walk::topmost_blocks;

pub(in crate::primitive) static SAMPLE_COMPUTE_LOCATION: Primitive = Primitive {
    kind: "SampleComputeLocation",
    name: "sample_compute_location",
    doc: "A loop for `compute_at`: one of the block's consumer, or a mark to inline the block or to leave it.",
    parameters: &[parameter("block", Place::Input), with_default("decision", Place::Decision, Default::None)],
    is_pure: true,
    results: Results::One,
    apply: |schedule, args| {
        let [block, decision] = args else {
            return Err(ScheduleError::plain("expected a block and a decision"));
        };
        let block = schedule.block_item(block)?;
        let state = schedule.state();
        let mut candidates = candidates(state, block)?;
        let chosen = match decision {
            Argument::None => {
                candidates.retain(|(_, value)| is_possible(state, block, *value));
                let weights = vec![1.0; candidates.len()];
                schedule.random().weighted(&weights).and_then(|at| candidates.get(at))
            }
            // The last one that is not deeper: a test plans the whole move, so only those up to it are tested.
            given => {
                let given = given.int()?;
                let mut others = candidates.iter().rev().filter(|(position, _)| *position <= given);
                others.find(|(_, value)| is_possible(state, block, *value))
            }
        };
        let (position, value) = chosen.copied().unwrap_or((ROOT, RvValue::Root));
        schedule.decide(Argument::Int(position));
        Ok(vec![value])
    },
};

/// The decision to inline a block.
const INLINE: i64 = -2;
/// The decision to leave a block where it is.
const ROOT: i64 = -1;

/// The decisions for a block, with what they choose: marks, then loops of the first consumer, outer ones first. Not all of
/// them are possible.
///
/// # Source
/// `CollectComputeLocation`, `src/tir/schedule/analysis/analysis.cc`.
fn candidates(state: &State, block: Item) -> Result<Vec<(i64, RvValue)>> {
    let mut found = vec![(INLINE, RvValue::Inline), (ROOT, RvValue::Root)];
    let consumers = Dependences::of_scope(state, state.scope(block)?)?.consumers(block);
    let Some(first) = consumers.first() else { return Ok(found) };
    let mut loops = state.loops_above(*first);
    // The consumers are all below the last loop.
    let mut counts: HashMap<Item, usize> = HashMap::new();
    for consumer in &consumers {
        for above in state.loops_above(*consumer) {
            *counts.entry(above).or_default() += 1;
        }
    }
    loops.truncate(loops.iter().take_while(|item| counts.get(*item) == Some(&consumers.len())).count());
    let kinds: Vec<Option<IterType>> =
        loops.iter().map(|item| iterated(state, *item)).collect::<Result<_>>()?;
    let last_spatial = kinds.iter().rposition(|kind| *kind == Some(IterType::DataPar));
    let mut is_below_others = false;
    for (at, (item, kind)) in loops.iter().zip(&kinds).enumerate() {
        if ops::is_one(&state.loop_of(*item)?.extent) {
            continue;
        }
        let is_spatial = *kind == Some(IterType::DataPar);
        if is_spatial && is_below_others || !is_spatial && last_spatial.is_none_or(|last| at > last) {
            break;
        }
        is_below_others |= !is_spatial;
        found.push((i64::try_from(at).unwrap_or(i64::MAX), RvValue::Loop(*item)));
    }
    Ok(found)
}

/// Returns `true` if the block can move to what a decision chooses.
fn is_possible(state: &State, block: Item, value: RvValue) -> bool {
    match value {
        RvValue::Inline => compute_inline::plan(state, block).is_ok(),
        RvValue::Loop(target) => {
            let direction = Direction::ToConsumers;
            Move { block, target, direction, preserves_units: true, index: -1 }.plan(state).is_ok()
        }
        _ => true,
    }
}

/// The type of all axes that a loop iterates, a spatial one if there are none; `None` for several types or others.
fn iterated(state: &State, item: Item) -> Result<Option<IterType>> {
    let found = state.loop_of(item)?;
    let (mut is_spatial, mut is_reduction, mut is_other) = (false, false, false);
    topmost_blocks(&found.body, &mut |realize| {
        for (axis, value) in realize.block.iter_vars.iter().zip(realize.iter_values.iter()) {
            if mentions(value, &found.loop_var) {
                match axis.iter_type {
                    IterType::DataPar => is_spatial = true,
                    IterType::CommReduce => is_reduction = true,
                    _ => is_other = true,
                }
            }
        }
    });
    Ok(match (is_spatial, is_reduction, is_other) {
        (_, _, true) | (true, true, _) => None,
        (false, true, false) => Some(IterType::CommReduce),
        (_, false, false) => Some(IterType::DataPar),
    })
}
