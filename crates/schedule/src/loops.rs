//! Loops: what primitives ask of them, and new nests.

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::{Map, Ref, Span};
use tvmscript_prim::{Expr, IntImm, Var, ops};
use tvmscript_tir::{For, ForKind, StmtRef};

use crate::error::{Result, ScheduleError};
use crate::state::{Item, State};
use crate::walk::Found;

/// Refuses a loop with annotations or a thread.
pub(crate) fn check_plain(found: &Ref<For>) -> Result<()> {
    match found.annotations.is_empty() && found.thread_binding.is_none() {
        true => Ok(()),
        false => {
            let message = "the loop has annotations or is bound to a thread";
            Err(ScheduleError::new("HasAnnotationOrThreadBindingError", message).at(found.clone()))
        }
    }
}

/// Refuses a loop that does not start at zero.
pub(crate) fn check_starts_at_zero(found: &Ref<For>, analyzer: &mut Analyzer) -> Result<()> {
    let zero = IntImm::try_new(found.loop_var.dtype, 0)?;
    match ops::is_zero(&found.min) || analyzer.can_prove_equal(&found.min, &zero) {
        true => Ok(()),
        false => {
            let message = "the loop does not start at 0";
            Err(ScheduleError::new("LoopNotStartWithZeroError", message).at(found.clone()))
        }
    }
}

/// A serial loop from zero.
pub(crate) fn serial(loop_var: Ref<Var>, extent: Expr, body: StmtRef) -> Result<StmtRef> {
    let min = IntImm::try_new(loop_var.dtype, 0)?;
    serial_from(loop_var, min, extent, body)
}

/// A serial loop.
pub(crate) fn serial_from(loop_var: Ref<Var>, min: Expr, extent: Expr, body: StmtRef) -> Result<StmtRef> {
    Ok(For::try_new(For {
        span: Span::current(),
        loop_var,
        min,
        extent,
        kind: ForKind::Serial,
        body,
        thread_binding: None,
        annotations: Map::default(),
        step: None,
    })?)
}

/// A nest of serial loops around a body, outer ones first.
pub(crate) fn new_loops(
    loops: impl DoubleEndedIterator<Item = (Ref<Var>, Expr)>,
    body: StmtRef,
) -> Result<StmtRef> {
    loops.rev().try_fold(body, |body, (variable, extent)| serial(variable, extent, body))
}

/// The handles of the outer loops of a nest in the module.
pub(crate) fn handles(state: &State, nest: &StmtRef, depth: usize) -> Vec<Item> {
    let nested = std::iter::successors(Found::of(nest), |outer| Found::of(outer.body()));
    nested.take(depth).filter_map(|found| state.find(found)).collect()
}
