//! The schedule as lowering takes it: computations inlined, and places of computation that are loops.

use crate::cache::{Replacements, inlined};
use crate::error::Result;
use crate::schedule::{Schedule, State};
use crate::stage::{Attach, StageId};

impl Schedule {
    /// A schedule that has the inlined computations in the expressions of their readers, and whose stages are attached to
    /// loops only: where a loop was split or fused afterwards, to the inner part or the fused loop. It keeps no record.
    ///
    /// # Errors
    /// If an expression cannot be rewritten.
    pub fn normalize(&self) -> Result<Schedule> {
        let mut schedule = self.clone();
        schedule.step(|state| {
            for id in state.order.clone().into_iter().rev() {
                if matches!(state.stage(id)?.attach, Attach::Inline)
                    && !state.outputs.contains(&state.stage(id)?.op)
                {
                    inline(state, id)?;
                }
            }
            for id in state.order.clone() {
                if let Attach::At(parent, iter) = state.stage(id)?.attach.clone() {
                    let leaf = state.stage(parent)?.leaf_of(&iter);
                    if !leaf.ptr_eq(&iter) {
                        state.stage_mut(id)?.attach = Attach::At(parent, leaf);
                    }
                }
            }
            Ok(())
        })?;
        Ok(Schedule::without_record(schedule))
    }
}

/// Puts a computation into the expressions of the stages after it.
fn inline(state: &mut State, id: StageId) -> Result<()> {
    let op = state.stage(id)?.op.clone();
    let tensor = op.output(0);
    let mut map = Replacements::new();
    for reader in state.order.iter().skip(state.position(id) + 1).copied().collect::<Vec<_>>() {
        let old = state.stage(reader)?.op.clone();
        let Some(body) = old.body() else { continue };
        let new = inlined(body, &tensor, &op)?;
        if new.ptr_eq(body) {
            continue;
        }
        let new = old.with_body(new);
        for (old, new) in old.outputs().into_iter().zip(new.outputs()) {
            map.insert(old.key(), new);
        }
        state.set_op(reader, new)?;
    }
    state.stage_mut(id)?.is_inlined = true;
    state.replace_tensors(map, None)
}
