//! `annotate` and `unannotate`.

use tvmscript_ir_core::containers::ArrayNode;
use tvmscript_ir_core::{Map, Ref, Str, Value};

use crate::argument::{Argument, RvValue};
use crate::error::{Result, ScheduleError};
use crate::primitive::{Place, Primitive, Results, parameter};
use crate::schedule::Schedule;
use crate::state::Item;

pub(in crate::primitive) static ANNOTATE: Primitive = Primitive {
    kind: "Annotate",
    name: "annotate",
    doc: "Annotates a block or loop, unless it has the annotation.",
    parameters: &[
        parameter("block_or_loop", Place::Input),
        parameter("ann_key", Place::Attribute),
        parameter("ann_val", Place::Input),
    ],
    is_pure: false,
    results: Results::None,
    apply: |schedule, args| {
        let [target, key, value] = args else { return Err(ScheduleError::plain("expected three arguments")) };
        let item = schedule.item(target)?;
        let key = key.str()?.clone();
        let old = annotations(schedule, item)?;
        if old.iter().any(|(known, _)| *known == key) {
            return Ok(Vec::new());
        }
        let value = annotation(schedule, value)?;
        let entries = old.iter().map(|(known, value)| (known.clone(), value.clone())).chain([(key, value)]);
        annotated(schedule, item, Map::new(entries))
    },
};

pub(in crate::primitive) static UNANNOTATE: Primitive = Primitive {
    kind: "Unannotate",
    name: "unannotate",
    doc: "Removes an annotation of a block or loop.",
    parameters: &[parameter("block_or_loop", Place::Input), parameter("ann_key", Place::Attribute)],
    is_pure: false,
    results: Results::None,
    apply: |schedule, args| {
        let [target, key] = args else { return Err(ScheduleError::plain("expected two arguments")) };
        let item = schedule.item(target)?;
        let key = key.str()?;
        let old = annotations(schedule, item)?;
        if !old.iter().any(|(known, _)| known == key) {
            let message = format!("the block or loop has no annotation `{}`", key.as_str());
            return Err(match schedule.node(item) {
                Some(node) => ScheduleError::plain(message).at(node),
                None => ScheduleError::plain(message),
            });
        }
        let rest = old.iter().filter(|(known, _)| *known != key);
        annotated(schedule, item, Map::new(rest.map(|(known, value)| (known.clone(), value.clone()))))
    },
};

fn annotations(schedule: &Schedule, item: Item) -> Result<Map<Str, Value>> {
    let state = schedule.state();
    match state.is_block(item) {
        true => Ok(state.block_of(item)?.annotations.clone()),
        false => Ok(state.loop_of(item)?.annotations.clone()),
    }
}

fn annotated(schedule: &mut Schedule, item: Item, new: Map<Str, Value>) -> Result<Vec<RvValue>> {
    let state = schedule.state_mut();
    if state.is_block(item) {
        let mut block = state.block_of(item)?.clone();
        block.make_mut().annotations = new;
        state.replace_block(item, block, &[])?;
    } else {
        let mut changed = state.loop_of(item)?.clone();
        changed.make_mut().annotations = new;
        state.replace(item, changed.upcast(), &[])?;
    }
    Ok(Vec::new())
}

/// The value of an annotation as a node.
fn annotation(schedule: &Schedule, value: &Argument) -> Result<Value> {
    Ok(match value {
        Argument::Str(text) => text.clone().into(),
        Argument::Bool(value) => Value::Bool(*value),
        Argument::Int(_) | Argument::Rv(_) => Value::Int(schedule.int(value)?),
        Argument::Float(value) => Value::Float(*value),
        Argument::List(items) => {
            let items = items.iter().map(|item| annotation(schedule, item));
            Ref::new(ArrayNode::new(items.collect::<Result<_>>()?)).into()
        }
        Argument::Dict(entries) => {
            let entries: Vec<(Str, Value)> = entries
                .iter()
                .map(|(key, value)| Ok((key.clone(), annotation(schedule, value)?)))
                .collect::<Result<_>>()?;
            Value::from(Map::new(entries))
        }
        Argument::Node(node) => Value::Node(node.clone()),
        Argument::None => Value::None,
    })
}
