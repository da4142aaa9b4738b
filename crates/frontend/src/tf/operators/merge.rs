//! Control flow of version 1: `Switch` and `Merge` of conditionals, and loops, which end at `Exit`.
//!
//! Both branches of a conditional are computed, and `Merge` chooses. The branch that a value belongs to is that of the
//! `Switch` nodes that it depends on.

use std::collections::HashMap;

use tvmscript_relax::op::elementwise::not_equal;

use super::super::importer::{Importer, Scope, Value, silent};
use super::super::names::{Reference, reference, text};
use super::super::node::{Converted, Node, Output, attribute};
use super::flow::either;
use super::loops::{Loop, run};
use super::rows;
use crate::error::Reason;
use crate::ops::{dtype_of, integers, number};

rows! {
    "Exit" => exit, "a private function that calls itself, and one each for condition and body",
        "loops whose values change their shapes";
    "LoopCond", "NextIteration" => |cx| Ok(Output::Values(vec![cx.value(0)?])), "the operand";
    "Merge" => merge, "where: both branches are computed", "branches whose values have other types";
    "RefSwitch", "Switch" => |cx| {
        let value = cx.value(0)?;
        Ok(Output::Values(vec![value.clone(), value]))
    }, "the operand";
    "Enter" => |cx| Ok(Output::Values(vec![cx.value(0)?])), "the operand";
}

/// Maximum number of conditionals that a value may depend on.
const MAX_CONDITIONS: usize = 64;

/// A branch of a conditional: the node and result that are the condition, and its value.
type Branch = ((usize, usize), bool);

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
struct Branches {
    of: HashMap<usize, Vec<Branch>>,
}

impl Branches {
    /// The branches that a reference belongs to, once its node is known.
    fn of_reference<'m>(&self, scope: &Scope<'m>, used: Reference<'m>) -> Vec<Branch> {
        let Some(at) = scope.node_of(used) else { return Vec::new() };
        let mut found = self.of.get(&at).cloned().unwrap_or_default();
        let node = scope.nodes.get(at).filter(|_| !scope.frames.has(at));
        let condition = node.filter(|node| matches!(node.op.as_ref(), b"Switch" | b"RefSwitch"));
        let condition = condition.and_then(|node| reference(node.input.get(1)?));
        if let Some(condition) = condition.and_then(|condition| origin(scope, condition)) {
            add(&mut found, (condition, used.index == 1));
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
                found.retain(|(condition, side)| !all.contains(&(*condition, !side)));
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

/// The condition that chooses between two values, and the value that makes it choose the first.
fn condition<'m>(scope: &Scope<'m>, first: Reference<'m>, second: Reference<'m>) -> Result<Branch, Reason> {
    let mut branches = Branches::default();
    branches.find(scope, first)?;
    branches.find(scope, second)?;
    let (a, b) = (branches.of_reference(scope, first), branches.of_reference(scope, second));
    let differs = a.iter().find(|(condition, side)| b.contains(&(*condition, !side)));
    // A constant may have lost the order after its branch.
    let of_first = a.iter().find(|branch| !b.contains(branch));
    let of_second = b.iter().find(|branch| !a.contains(branch)).map(|(condition, side)| (*condition, !side));
    let found = differs.or(of_first).copied().or(of_second);
    found.ok_or_else(|| "joins values that do not come from the branches of a conditional".into())
}

fn merge<'m>(cx: &mut Node<'_, 'm>) -> Converted {
    let inputs: Vec<Reference<'m>> = cx.proto.input.iter().filter_map(|input| reference(input)).collect();
    let [first, second] = inputs.as_slice() else { return Err("must join two values".into()) };
    let [a, b] = [cx.value(0)?, cx.value(1)?];
    let scope = cx.importer.scope().ok_or_else(silent)?;
    let ((at, index), side) = condition(scope, *first, *second)?;
    let known = scope.results.get(&at).and_then(|results| results.get(index)).cloned();
    let name = scope.nodes.get(at).map(|node| text(&node.name).into_owned()).unwrap_or_default();
    let known = known.ok_or_else(|| Reason(format!("the condition `{name}` has no value")))?;
    let chosen = cx.importer.tensor(&known)?;
    let (yes, no) = if side { (a, b) } else { (b, a) };
    if let Some([value]) = integers(&chosen).as_deref() {
        return Ok(Output::Values(vec![if *value != 0 { yes } else { no }]));
    }
    let chosen = match dtype_of(&chosen) {
        dtype if dtype == tvmscript_ir_core::DataType::BOOL => chosen,
        dtype => cx.step(not_equal(chosen, number(dtype, 0.0)))?,
    };
    Ok(Output::Values(vec![either(cx, &chosen, &yes, &no)?]))
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
