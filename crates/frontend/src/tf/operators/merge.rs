//! Control flow of version 1: `Switch` and `Merge` of conditionals, and loops, which end at `Exit`.
//!
//! Both branches of a conditional are computed, and `Merge` chooses. The branch that a value belongs to is that of the
//! `Switch` nodes that it depends on.

use std::collections::HashMap;

use tvmscript_ir_core::DataType;
use tvmscript_relax::op::elementwise::{equal, logical_not};

use super::super::importer::{Importer, Value, silent};
use super::super::names::{Reference, reference, text};
use super::super::node::{Converted, Node, Output, attribute};
use super::super::scope::Scope;
use super::flow::either;
use super::loops::{Loop, run};
use super::rows;
use crate::error::Reason;
use crate::ops::{dtype_of, integers, number};

rows! {
    "Exit" => exit, "a private function that calls itself, and one each for condition and body",
        "all without `--lower-control-flow`; loops whose values change their shapes";
    "Enter", "LoopCond", "NextIteration" => |cx| Ok(Output::Values(vec![cx.value(0)?])), "the operand",
        "all without `--lower-control-flow`";
    "Merge" => merge, "where: both branches are computed", "all without `--lower-control-flow`; branches whose values have other types";
    "RefSwitch", "Switch" => |cx| switch(cx, 2), "the operand", "all without `--lower-control-flow`";
    "_SwitchN" => |cx| {
        let count = cx.int_attr("num_outs").and_then(|count| usize::try_from(count).ok()).unwrap_or(1);
        switch(cx, count.min(MAX_CONDITIONS))
    }, "the operand", "all without `--lower-control-flow`";
}

/// Maximum number of conditionals that a value may depend on.
const MAX_CONDITIONS: usize = 64;

/// A branch of a conditional: the node and result that are the condition, and its value, which is 1 if it holds.
type Branch = ((usize, usize), usize);

/// The node and result of a value, without those that pass it on.
fn origin<'m>(scope: &Scope<'m>, mut used: Reference<'m>) -> Option<(usize, usize)> {
    let mut at = scope.node_of(used)?;
    for _ in 0..scope.nodes.len() {
        let node = scope.nodes.get(at)?;
        if node.op.as_ref() != b"Identity" {
            break;
        }
        used = reference(node.input.first()?)?;
        at = scope.node_of(used)?;
    }
    Some((at, used.index))
}

/// The references of a node, those that only order nodes included.
fn dependencies<'m>(scope: &Scope<'m>, at: usize) -> Vec<Reference<'m>> {
    let node = scope.nodes.get(at);
    let is_part = scope.frames.has(at) || node.is_some_and(|node| node.op.as_ref() == b"Enter");
    if is_part {
        return Vec::new();
    }
    if scope.frames.ending_at(at).is_some() {
        return scope.inputs(at);
    }
    let inputs = node.map(|node| node.input.as_slice()).unwrap_or_default();
    inputs.iter().filter_map(|input| reference(input.strip_prefix(b"^").unwrap_or(input))).collect()
}

/// The branches that nodes belong to.
#[derive(Default)]
pub(in crate::tf) struct Branches {
    of: HashMap<usize, Vec<Branch>>,
}

impl Branches {
    /// The branches that a reference belongs to, once its node is known.
    fn of_reference<'m>(&self, scope: &Scope<'m>, used: Reference<'m>) -> Vec<Branch> {
        let Some(at) = scope.node_of(used) else { return Vec::new() };
        let mut found = self.of.get(&at).cloned().unwrap_or_default();
        let node = scope.nodes.get(at).filter(|_| !scope.frames.has(at));
        let condition =
            node.filter(|node| matches!(node.op.as_ref(), b"Switch" | b"RefSwitch" | b"_SwitchN"));
        let condition = condition.and_then(|node| reference(node.input.get(1)?));
        if let Some(condition) = condition.and_then(|condition| origin(scope, condition)) {
            add(&mut found, (condition, used.index));
        }
        found
    }

    /// Finds the branches of the nodes that a reference depends on.
    fn find<'m>(&mut self, scope: &Scope<'m>, used: Reference<'m>) -> Result<(), Reason> {
        let Some(root) = scope.node_of(used).filter(|root| !self.of.contains_key(root)) else {
            return Ok(());
        };
        self.of.insert(root, Vec::new());
        let mut stack = vec![(root, dependencies(scope, root).into_iter())];
        while let Some((at, inputs)) = stack.last_mut() {
            let at = *at;
            if let Some(input) = inputs.next() {
                if let Some(next) = scope.node_of(input).filter(|next| !self.of.contains_key(next)) {
                    self.of.insert(next, Vec::new());
                    stack.push((next, dependencies(scope, next).into_iter()));
                }
                continue;
            }
            stack.pop();
            let mut found = Vec::new();
            for input in dependencies(scope, at) {
                self.of_reference(scope, input).into_iter().for_each(|branch| add(&mut found, branch));
            }
            if scope.nodes.get(at).is_some_and(|node| node.op.as_ref() == b"Merge") {
                let all = found.clone();
                found.retain(|branch| !all.iter().any(|other| is_other_side(branch, other)));
            }
            if found.len() > MAX_CONDITIONS {
                return Err(Reason(format!("conditionals are nested deeper than {MAX_CONDITIONS} levels")));
            }
            self.of.insert(at, found);
        }
        Ok(())
    }
}

fn add(branches: &mut Vec<Branch>, branch: Branch) {
    if !branches.contains(&branch) {
        branches.push(branch);
    }
}

/// Returns `true` for branches of the same conditional that exclude each other.
fn is_other_side(a: &Branch, b: &Branch) -> bool {
    a.0 == b.0 && a.1 != b.1
}

/// The condition that chooses among values, and for each value the condition's value that chooses it.
fn condition<'m>(
    scope: &Scope<'m>,
    inputs: &[Reference<'m>],
) -> Result<((usize, usize), Vec<usize>), Reason> {
    let mut branches = scope.branches.take();
    for input in inputs {
        branches.find(scope, *input)?;
    }
    let all: Vec<Vec<Branch>> = inputs.iter().map(|input| branches.of_reference(scope, *input)).collect();
    scope.branches.replace(branches);
    let has_other = |branch: &Branch| all.iter().flatten().any(|other| is_other_side(branch, other));
    // A constant may have lost the order after its branch.
    let is_partial = |branch: &Branch| all.iter().any(|of_input| !of_input.contains(branch));
    let mut candidates = all.iter().flatten();
    let found = candidates
        .clone()
        .find(|branch| has_other(branch))
        .or_else(|| candidates.find(|branch| is_partial(branch)));
    let (condition, _) = found
        .ok_or_else(|| Reason::from("joins values that do not come from the branches of a conditional"))?;
    let known: Vec<Option<usize>> = all
        .iter()
        .map(|of_input| of_input.iter().find(|(of, _)| of == condition).map(|(_, side)| *side))
        .collect();
    let mut free = (0..inputs.len()).filter(|side| !known.contains(&Some(*side)));
    let sides: Option<Vec<usize>> = known.iter().map(|side| side.or_else(|| free.next())).collect();
    let sides = sides.ok_or_else(|| Reason::from("joins values of the same branch"))?;
    Ok((*condition, sides))
}

/// The operand for each branch of a conditional; the branches that a constant condition leaves out have no value.
fn switch(cx: &mut Node<'_, '_>, count: usize) -> Converted {
    let value = cx.value(0)?;
    let known = cx.constant(1).and_then(|value| integers(&value));
    let chosen = match known.as_deref() {
        Some([chosen]) => usize::try_from(*chosen).ok().filter(|chosen| *chosen < count),
        _ => None,
    };
    let of_branch = |branch: usize| match chosen {
        Some(chosen) if chosen != branch => Value::Failed,
        _ => value.clone(),
    };
    Ok(Output::Values((0..count).map(of_branch).collect()))
}

fn merge<'m>(cx: &mut Node<'_, 'm>) -> Converted {
    let inputs: Vec<Reference<'m>> = cx.proto.input.iter().filter_map(|input| reference(input)).collect();
    let scope = cx.importer.scope().ok_or_else(silent)?;
    let ((at, index), sides) = condition(scope, &inputs)?;
    let known = scope.results.get(&at).and_then(|results| results.get(index)).cloned();
    let known = known.ok_or_else(silent)?;
    let chosen = cx.importer.tensor(&known)?;
    let values: Vec<(usize, Value)> = sides.into_iter().zip(cx.operands.clone()).collect();
    if let Some([value]) = integers(&chosen).as_deref() {
        let found =
            values.into_iter().find(|(side, _)| i64::try_from(*side).is_ok_and(|side| side == *value));
        let (_, found) = found.ok_or_else(|| Reason::from("the condition chooses none of the branches"))?;
        return match found {
            Value::Failed => Err(silent()),
            found => Ok(found.into()),
        };
    }
    if values.iter().any(|(_, value)| matches!(value, Value::Failed)) {
        return Err(silent());
    }
    let dtype = dtype_of(&chosen);
    let mut values = values.into_iter();
    let (_, mut joined) = values.next().ok_or_else(|| Reason::from("joins no values"))?;
    for (side, value) in values {
        let is_it = match (dtype, side) {
            (DataType::BOOL, 0) => logical_not(chosen.clone()).upcast(),
            (DataType::BOOL, _) => chosen.clone(),
            _ => equal(chosen.clone(), number(dtype, side as f64)).upcast(),
        };
        let is_it = cx.step(is_it)?;
        joined = either(cx, &is_it, &value, &joined)?;
    }
    Ok(joined.into())
}

/// A loop as a whole, at the first of its ends.
fn exit<'m>(cx: &mut Node<'_, 'm>) -> Converted {
    let scope = cx.importer.scope().ok_or_else(silent)?;
    let frames = std::rc::Rc::clone(&scope.frames);
    let at = scope.position_of(cx.proto);
    let (Some(at), Some(frame)) = (at, at.and_then(|at| frames.ending_at(at))) else {
        return Err("does not belong to a loop".into());
    };
    let test = frame.test.ok_or_else(|| Reason::from("the loop has no condition"))?;
    let first = frame.enters.first().and_then(|enter| scope.nodes.get(*enter));
    let name = first.and_then(|enter| attribute(enter, "frame_name")?.s.as_ref());
    let name = name.map_or_else(|| cx.layer.clone(), |name| text(name).into_owned());
    // A value is fixed if it enters without a `Merge`, or comes back as it was.
    let comes_back = |place: usize| {
        frame.changing.get(&place).is_none_or(|changing| {
            changing.switch.is_some() && origin(scope, changing.next).map(|(at, _)| at) == changing.switch
        })
    };
    let fixed: Vec<bool> = (0..frame.enters.len()).map(comes_back).collect();
    let count = frame.enters.len();
    // The results of the nodes of the loop that have the values of a round.
    let inside = |values: Vec<Value>| {
        let mut results = HashMap::new();
        for (place, (enter, value)) in frame.enters.iter().zip(values).enumerate() {
            match frame.changing.get(&place) {
                None => {
                    results.insert(*enter, vec![value]);
                }
                Some(changing) => {
                    results.insert(changing.merge, vec![value.clone(), Value::Failed]);
                    if let Some(switch) = changing.switch {
                        results.insert(switch, vec![Value::Failed, value]);
                    }
                }
            }
        }
        results
    };
    let within =
        |importer: &mut Importer<'m>, values, used: &[Reference<'m>]| -> Result<Vec<Value>, Reason> {
            let scope = importer.scope().ok_or_else(silent)?.inside(inside(values));
            importer.scopes.push(scope);
            importer.nodes_of(used);
            let results: Vec<Value> = used.iter().map(|used| importer.value(*used, "a loop")).collect();
            importer.scopes.pop();
            Ok(results)
        };
    let steps = Loop {
        name,
        fixed,
        values: std::mem::take(&mut cx.operands),
        test: &|importer, values| {
            let values = within(importer, values, &[test])?;
            importer.tensor(values.first().unwrap_or(&Value::Failed))
        },
        body: &|importer, values| {
            let changing: Vec<(usize, Reference<'m>)> =
                (0..count).filter_map(|place| Some((place, frame.changing.get(&place)?.next))).collect();
            let used: Vec<Reference<'m>> = changing.iter().map(|(_, next)| *next).collect();
            let mut results = values.clone();
            for ((place, _), value) in changing.iter().zip(within(importer, values, &used)?) {
                if let Some(result) = results.get_mut(*place) {
                    *result = value;
                }
            }
            Ok(results)
        },
    };
    let results = run(cx.importer, steps)?;
    let mut own = Value::Failed;
    for (place, value) in results.into_iter().enumerate() {
        for exit in frame.changing.get(&place).iter().flat_map(|changing| &changing.exits) {
            if *exit == at {
                own = value.clone();
            } else if let Some(scope) = cx.importer.scopes.last_mut() {
                scope.results.insert(*exit, vec![value.clone()]);
            }
        }
    }
    Ok(Output::Values(vec![own]))
}
