//! Primitives that say how a loop runs.

use tvmscript_ir_core::{Ref, Str};
use tvmscript_prim::Var;
use tvmscript_tir::{BlockRealize, ForKind, IterType, IterVar};

use crate::argument::{Argument, RvValue};
use crate::error::{Result, ScheduleError};
use crate::primitive::{Place, Primitive, Results, parameter};
use crate::reads::mentions;
use crate::schedule::Schedule;
use crate::scope::check_compact;
use crate::state::{Item, State};
use crate::walk::topmost_blocks;

macro_rules! kinds {
    ($(#[doc = $doc:literal] $name:ident, $kind:literal, $call:literal, $of:expr;)*) => {$(
        pub(in crate::primitive) static $name: Primitive = Primitive {
            kind: $kind,
            name: $call,
            doc: $doc,
            parameters: &[parameter("loop", Place::Input)],
            is_pure: false,
            results: Results::None,
            apply: |schedule, args| {
                let [target] = args else { return Err(ScheduleError::plain("expected one argument")) };
                run_as(schedule, target, $of, None)
            },
        };
    )*};
}

kinds! {
    #[doc = "Runs a loop on several threads."]
    PARALLEL, "Parallel", "parallel", ForKind::Parallel;
    #[doc = "Runs a loop in the lanes of a vector."]
    VECTORIZE, "Vectorize", "vectorize", ForKind::Vectorized;
    #[doc = "Unrolls a loop."]
    UNROLL, "Unroll", "unroll", ForKind::Unrolled;
}

pub(in crate::primitive) static BIND: Primitive = Primitive {
    kind: "Bind",
    name: "bind",
    doc: "Runs a loop on the threads of a device.",
    parameters: &[parameter("loop", Place::Input), parameter("thread_axis", Place::Attribute)],
    is_pure: false,
    results: Results::None,
    apply: |schedule, args| {
        let [target, axis] = args else { return Err(ScheduleError::plain("expected a loop and an axis")) };
        let axis = axis.str()?.clone();
        run_as(schedule, target, ForKind::ThreadBinding, Some(axis))
    },
};

fn run_as(
    schedule: &mut Schedule,
    target: &Argument,
    kind: ForKind,
    axis: Option<Str>,
) -> Result<Vec<RvValue>> {
    let item = schedule.loop_item(target)?;
    let state = schedule.state();
    let mut new = state.loop_of(item)?.clone();
    if kind != ForKind::Unrolled {
        if state.is_checked() {
            check_compact(state, item)?;
        }
        check_iterators(state, item, axis.as_ref())?;
    }
    let thread = axis.map(|axis| {
        let var = Var::new(axis.as_str(), new.loop_var.dtype);
        Ref::new(IterVar { dom: None, var, iter_type: IterType::ThreadIndex, thread_tag: axis })
    });
    let changed = new.make_mut();
    changed.kind = kind;
    changed.thread_binding = thread;
    schedule.state_mut().replace(item, new.upcast(), &[])?;
    Ok(Vec::new())
}

/// Refuses a loop that iterates what may not run at once: only axes whose iterations are independent, and reductions
/// over the threads of a block.
fn check_iterators(state: &State, item: Item, axis: Option<&Str>) -> Result<()> {
    let found = state.loop_of(item)?;
    let is_in_block = axis.is_some_and(|axis| axis.as_str().starts_with("threadIdx"));
    let mut wrong: Option<Ref<BlockRealize>> = None;
    topmost_blocks(&found.body, &mut |realize| {
        for (axis, value) in realize.block.iter_vars.iter().zip(realize.iter_values.iter()) {
            let allowed = match axis.iter_type {
                IterType::DataPar => true,
                IterType::CommReduce => is_in_block,
                _ => false,
            };
            if !allowed && mentions(value, &found.loop_var) {
                wrong.get_or_insert_with(|| realize.clone());
            }
        }
    });
    match wrong {
        None => Ok(()),
        Some(realize) => {
            let message = format!(
                "the loop iterates an axis of the block `{}` whose iterations are not independent",
                realize.block.name_hint.as_str()
            );
            Err(ScheduleError::new("WrongBlockIterTypeError", message).at(realize.block.clone()))
        }
    }
}
