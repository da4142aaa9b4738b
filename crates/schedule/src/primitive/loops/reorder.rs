//! `reorder`: loops of a nest change places.

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::Ref;
use tvmscript_tir::{For, IterType, StmtRef};

use crate::error::{Result, ScheduleError};
use crate::primitive::{Place, Primitive, Results, parameter};
use crate::reads::mentions;
use crate::schedule::Schedule;
use crate::state::{Item, State};

pub(in crate::primitive) static REORDER: Primitive = Primitive {
    kind: "Reorder",
    name: "reorder",
    doc: "Gives loops of a nest another order; loops between them stay.",
    parameters: &[parameter("ordered_loops", Place::Variadic)],
    is_pure: false,
    results: Results::None,
    apply: |schedule, args| {
        let [loops] = args else { return Err(ScheduleError::plain("expected loops")) };
        let loops: Vec<Item> =
            loops.list()?.iter().map(|found| schedule.loop_item(found)).collect::<Result<_>>()?;
        if loops.len() > 1 {
            reorder(schedule, &loops)?;
        }
        Ok(Vec::new())
    },
};

fn reorder(schedule: &mut Schedule, order: &[Item]) -> Result<()> {
    let state = schedule.state();
    for (at, item) in order.iter().enumerate() {
        if order.iter().take(at).any(|earlier| earlier == item) {
            let error = ScheduleError::new("LoopMultiAppearanceError", "a loop appears twice");
            return Err(error.at(state.loop_of(*item)?.clone()));
        }
    }
    // The nest from the outermost to the innermost of the loops.
    let nest = nest_of(state, order)?;
    let top = nest.first().copied().ok_or_else(|| ScheduleError::plain("`reorder` needs a loop"))?;
    let bottom = nest.last().copied().unwrap_or(top);
    check_blocks(state, bottom, top)?;
    let mut next = order.iter().copied();
    let mut placed = Vec::with_capacity(nest.len());
    for item in &nest {
        placed.push(if order.contains(item) { next.next().unwrap_or(*item) } else { *item });
    }
    // Bounds may use only variables of loops that are still around.
    let nodes: Vec<Ref<For>> =
        placed.iter().map(|item| state.loop_of(*item).cloned()).collect::<Result<_>>()?;
    for (at, node) in nodes.iter().enumerate() {
        let inner = nodes.iter().skip(at);
        if let Some(inner) = inner
            .clone()
            .find(|inner| mentions(&node.extent, &inner.loop_var) || mentions(&node.min, &inner.loop_var))
        {
            let message = format!("a bound of the loop depends on `{}`", inner.loop_var.name.text());
            return Err(ScheduleError::new("DependentLoopError", message).at(node.clone()));
        }
    }
    let body = state.loop_of(bottom)?.body.clone();
    let mut new: StmtRef = body;
    for node in nodes.iter().rev() {
        let mut node = node.clone();
        node.make_mut().body = new;
        new = node.upcast();
    }
    schedule.state_mut().replace(top, new, &[])
}

/// The nest that holds the loops, without anything else between them.
fn nest_of(state: &State, loops: &[Item]) -> Result<Vec<Item>> {
    let not_a_chain = |item: Item, message: &str| {
        let error = ScheduleError::new("LoopsNotAChainError", message);
        match state.node(item) {
            Some(node) => error.at(node),
            None => error,
        }
    };
    // The innermost of the loops is the one with all others above it.
    let mut deepest: Option<(usize, Item)> = None;
    for item in loops {
        let depth = state.loops_above(*item).len();
        if deepest.is_none_or(|(known, _)| depth > known) {
            deepest = Some((depth, *item));
        }
    }
    let Some((_, bottom)) = deepest else { return Ok(Vec::new()) };
    let mut nest = state.loops_above(bottom);
    nest.push(bottom);
    if let Some(stray) = loops.iter().find(|item| !nest.contains(item)) {
        return Err(not_a_chain(*stray, "the loops are not in one nest"));
    }
    let first = nest.iter().position(|item| loops.contains(item)).unwrap_or(0);
    let nest = nest.split_off(first);
    for pair in nest.windows(2) {
        let [outer, inner] = pair else { continue };
        if !state.loop_of(*outer)?.body.object().ptr_eq(state.stmt(*inner)?.object()) {
            return Err(not_a_chain(*outer, "there is more than one statement between the loops"));
        }
    }
    Ok(nest)
}

/// Refuses a nest around a block whose iterations may not change their order.
fn check_blocks(state: &State, bottom: Item, top: Item) -> Result<()> {
    let mut analyzer = Analyzer::new();
    for block in state.child_blocks(bottom)? {
        let node = state.block_of(block)?;
        let is_free = |kind: IterType| matches!(kind, IterType::DataPar | IterType::CommReduce);
        let name = node.name_hint.as_str();
        if !node.iter_vars.iter().all(|axis| is_free(axis.iter_type)) {
            let message = format!("an axis of the block `{name}` has an order");
            return Err(ScheduleError::new("BlockPropertyError", message).at(node.clone()));
        }
        if !state.flags(block).is_affine && !state.is_affine_below(block, state.parent(top), &mut analyzer)? {
            let message = format!("the values of the block `{name}` are not affine in the loops");
            return Err(ScheduleError::new("NotAffineBindingError", message).at(node.clone()));
        }
    }
    Ok(())
}
