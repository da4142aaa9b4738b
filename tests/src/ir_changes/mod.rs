//! Changes of programs at known places, to test structural differences.
//!
//! [`change_program`] takes two parses of one program and changes the second one, by reflection: names first, in place, then
//! parts, then elements of arrays. No change touches what another one removes or moves, so that the edit script between the
//! two must consist of exactly these changes.

mod kinds;
mod names;

use tvmscript::diff::{EditOp, EditScript};
use tvmscript::ir_core::type_table::{FieldKind, Shape};
use tvmscript::ir_core::{AccessPath, Array, EqKind, FieldRef, Map, ObjectLike, PathStep};
use tvmscript::{Object, Value};
use tvmscript_test_texts::Random;

use kinds::KINDS;

/// A change of a program, which is one edit.
#[derive(Debug, Clone)]
pub struct Change {
    /// Kind, for statistics.
    pub kind: &'static str,
    /// Expected kind of edit.
    pub op: EditOp,
    /// Path in the original: of the changed part, or of the array in which an element is inserted.
    pub at: AccessPath,
    /// Index of the edited element, or of the one before which another one is inserted, in the original array.
    index: usize,
    /// Index to which an element is moved or where it is inserted, in the original array.
    to: usize,
    /// The array that is edited, and its elements that no other change may touch.
    array: Option<(AccessPath, Vec<usize>)>,
    /// The new part.
    new: Value,
}

impl Change {
    fn new(kind: &'static str, op: EditOp, at: &AccessPath, new: Value) -> Change {
        Change { kind, op, at: at.clone(), index: 0, to: 0, array: None, new }
    }
}

/// A candidate: a part of the program that can be changed.
struct Candidate {
    path: AccessPath,
    value: Value,
    /// Type key of the node that holds the part, and the field.
    holder: &'static str,
}

/// The plan of a change to a program.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Number of changes other than names.
    pub changes: usize,
    /// Number of renamed variables, buffers and pointers.
    pub renames: usize,
}

impl Plan {
    /// A plan for up to 5 changes or, in one of two cases, for more with at least two renames among them.
    pub fn choose(random: &mut Random) -> Plan {
        match random.below(2) {
            0 => Plan { changes: 1 + random.below(5), renames: random.below(2) },
            _ => Plan { changes: random.below(6), renames: 2 + random.below(5) },
        }
    }
}

/// Changes a program as planned, if it has that many places. Both roots are parses of the same text.
///
/// Returns the changed program and its changes.
pub fn change_program(root: &Object, plan: Plan, random: &mut Random) -> Option<(Object, Vec<Change>)> {
    let parts = parts(root);
    let mut changes: Vec<Change> = Vec::new();
    let (arrays, others): (Vec<_>, Vec<_>) =
        parts.iter().partition::<Vec<&Candidate>, _>(|part| kinds::statements(part).is_some());
    for _ in 0..plan.changes * 40 {
        if changes.len() == plan.changes {
            break;
        }
        let kind = random.below(KINDS.len());
        let candidates = if KINDS[kind].1 { &arrays } else { &others };
        if candidates.is_empty() {
            continue;
        }
        let found = (0..40).find_map(|_| KINDS[kind].0(candidates[random.below(candidates.len())], random));
        let Some(change) = found else { continue };
        if changes.iter().all(|other| are_apart(other, &change)) {
            changes.push(change);
        }
    }
    // Last places first, and parts before what contains them, so that indices of the original stay valid.
    changes.sort_by(order);
    let mut done = names::rename(root, &parts, &changes, plan.renames, random);
    let mut new = root.clone();
    for change in changes {
        if let Some(changed) = make(&new, &change) {
            new = changed;
            done.push(change);
        }
    }
    (!done.is_empty()).then_some((new, done))
}

/// Returns `true` if neither change is at a place that the other one changes, removes, moves or copies.
fn are_apart(a: &Change, b: &Change) -> bool {
    let touches = |change: &Change, other: &Change| match &change.array {
        // Elements of the array may change, except those that are edited.
        Some((array, elements))
            if array.is_prefix_of(&other.at) && array.steps.len() < other.at.steps.len() =>
        {
            let element = other.at.steps.get(array.steps.len());
            elements.iter().any(|index| element == Some(&PathStep::Index(*index as u32)))
        }
        Some(_) => false,
        None => change.at.is_prefix_of(&other.at),
    };
    match (&a.array, &b.array) {
        (Some((array, elements)), Some((other, others))) if array == other => {
            let is_edit_of_one = |change: &Change| change.op != EditOp::Move;
            is_edit_of_one(a)
                && is_edit_of_one(b)
                && elements.iter().all(|i| others.iter().all(|j| i.abs_diff(*j) > 2))
        }
        _ => !touches(a, b) && !touches(b, a),
    }
}

/// Order of making changes.
fn order(a: &Change, b: &Change) -> std::cmp::Ordering {
    let steps = |change: &Change| match &change.array {
        Some((array, _)) => array.steps.clone(),
        None => change.at.steps.clone(),
    };
    let (x, y) = (steps(a), steps(b));
    for (x, y) in x.iter().zip(&y) {
        match (x, y) {
            (PathStep::Index(x), PathStep::Index(y)) if x != y => return y.cmp(x),
            _ if x != y => return x.to_string().cmp(&y.to_string()),
            _ => {}
        }
    }
    y.len().cmp(&x.len()).then(b.index.cmp(&a.index))
}

/// Makes a change; `None` if the result is invalid.
fn make(root: &Object, change: &Change) -> Option<Object> {
    let (path, from) = match (change.op, change.at.steps.split_last()) {
        (EditOp::Remove | EditOp::Move, Some((PathStep::Index(index), array))) => {
            (array, Some(*index as usize))
        }
        _ => (&change.at.steps[..], None),
    };
    rewrite(root, path, &|part| {
        let items = || part.as_object().map(|array| array.array_items().to_vec());
        let mut items = match change.op {
            EditOp::Insert | EditOp::Remove | EditOp::Move => items()?,
            _ => return Some(change.new.clone()),
        };
        let moved = from.map(|from| items.remove(from));
        match change.op {
            EditOp::Insert => items.insert(change.to, change.new.clone()),
            EditOp::Move => items.insert(change.to, moved?),
            _ => {}
        }
        Some(Value::Node(Array::<Value>::of_values(items).into_object()))
    })
}

/// Collects the parts of a program with a single path each: those below a shared node are left out, except names.
fn parts(root: &Object) -> Vec<Candidate> {
    let mut parts = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut stack = vec![(AccessPath::root(), root.clone(), true)];
    while let Some((path, node, is_single)) = stack.pop() {
        if !seen.insert(node.address()) {
            continue;
        }
        // One handle is in the parent, one in the list, one on the stack.
        let is_entity = node.info().eq_kind() != EqKind::Tree;
        let is_single = is_single && (node.handle_count() <= 3 || path.steps.is_empty() || is_entity);
        let holder = node.info().key();
        let mut add = |step: PathStep, value: Value| {
            let path = path.clone().then(step);
            if is_single {
                parts.push(Candidate { path: path.clone(), value: value.clone(), holder });
            }
            if let Value::Node(node) = value {
                stack.push((path, node, is_single));
            }
        };
        match node.info().shape() {
            Shape::Fields => {
                for (index, field) in node.info().fields().iter().enumerate() {
                    let value = node.field(index);
                    let is_name = matches!(value, FieldRef::Name(_));
                    if field.kind != FieldKind::Span && (!field.skip_eq || is_name) {
                        add(PathStep::Field(field.name), value.to_value());
                    }
                }
            }
            Shape::Array => {
                for (index, item) in node.array_items().iter().enumerate() {
                    add(PathStep::Index(index as u32), item.clone());
                }
            }
            Shape::Map => {
                for (key, value) in node.map_entries() {
                    add(PathStep::Key(key.clone()), value.clone());
                }
            }
            Shape::Str | Shape::Tensor => {}
        }
    }
    parts
}

/// Replaces the part at a path; `None` if the result is invalid.
fn rewrite(node: &Object, steps: &[PathStep], f: &dyn Fn(&Value) -> Option<Value>) -> Option<Object> {
    let (step, rest) = steps.split_first()?;
    let old = step.follow(node)?;
    let new = match rest.is_empty() {
        true => f(&old)?,
        false => Value::Node(rewrite(old.as_object()?, rest, f)?),
    };
    put(node, step, new)
}

fn put(node: &Object, step: &PathStep, new: Value) -> Option<Object> {
    match step {
        PathStep::Field(name) => {
            let mut copy = node.clone();
            copy.set_field(node.info().field_index(name)?, new).ok()?;
            copy.check().ok()?;
            Some(copy)
        }
        PathStep::Index(index) => {
            let mut items = node.array_items().to_vec();
            *items.get_mut(*index as usize)? = new;
            Some(Array::<Value>::of_values(items).into_object())
        }
        PathStep::Key(key) => {
            let key_of = |value: &Value| tvmscript::ir_core::containers::Key::new(value.clone());
            let entries = node.map_entries().map(|(known, value)| {
                let is_it = key_of(known) == key_of(key);
                (known.clone(), if is_it { new.clone() } else { value.clone() })
            });
            Some(Map::<Value, Value>::new(entries).into_object())
        }
        _ => None,
    }
}

/// Leaves out the renames that the text of the changed program does not show, given what it reads back to: the pointer of a
/// buffer is `A.data`, whatever its name.
pub fn shown(changes: Vec<Change>, again: &Object) -> Vec<Change> {
    let names = names::all(again);
    let is_shown = |change: &Change| {
        change.kind != "rename" || change.new.as_str().is_some_and(|name| names.contains(name))
    };
    changes.into_iter().filter(is_shown).collect()
}

/// Compares an edit script of `a` with the changes that were made. Returns a description of the first disagreement.
pub fn disagreement(a: &Object, script: &EditScript, changes: &[Change]) -> Option<String> {
    let mut missing: Vec<&Change> = changes.iter().collect();
    for edit in &script.edits {
        let found = missing.iter().position(|change| {
            edit.op == change.op
                && match edit.op {
                    EditOp::Insert => {
                        tvmscript::ir_core::StructuralEqual::default().compare_values(&edit.new, &change.new)
                    }
                    EditOp::Rename => edit.a.as_ref().is_some_and(|at| names::are_of_one(a, at, &change.at)),
                    _ => edit.a.as_ref().is_some_and(|a| a.to_string() == change.at.to_string()),
                }
        });
        match found {
            Some(index) => drop(missing.remove(index)),
            None => return Some(format!("not a change that was made: {edit}")),
        }
    }
    // An edit of a node that is used in several places is listed once.
    let is_listed = |change: &Change| {
        let others = changes.iter().filter(|other| !missing.iter().any(|missing| missing.at == other.at));
        others.into_iter().any(|other| names::are_of_one(a, &other.at, &change.at))
    };
    let missing = missing.iter().find(|change| !is_listed(change));
    missing.map(|change| format!("not reported: {} of {} at {}", change.op, change.kind, change.at))
}
