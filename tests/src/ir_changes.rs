//! Changes of programs at known places, to test structural differences.
//!
//! [`change_program`] takes two parses of one program and changes the second one at 1 to 5 places, by reflection. The
//! places are apart from each other, so that the edit script between the two must consist of exactly these changes.

use tvmscript::diff::{EditOp, EditScript};
use tvmscript::ir_core::containers::ArrayNode;
use tvmscript::ir_core::type_table::{FieldKind, Shape};
use tvmscript::ir_core::{AccessPath, Array, EqKind, FieldRef, Map, ObjectLike, PathStep, Str};
use tvmscript::{Object, Value};
use tvmscript_test_texts::Random;

/// A change of a program, which is one edit.
#[derive(Debug, Clone)]
pub struct Change {
    /// Kind, for statistics.
    pub kind: &'static str,
    /// Expected kind of edit.
    pub op: EditOp,
    /// Path in the original: of the changed part, or of the array in which an element is inserted.
    pub at: AccessPath,
    /// Index to which an element is moved or where it is inserted, in the original array.
    to: usize,
    /// The new part.
    new: Value,
}

/// A candidate: a part of the program that can be changed.
struct Candidate {
    path: AccessPath,
    value: Value,
    /// Type key of the node that holds the part, and the field.
    holder: &'static str,
}

/// Changes a program at `count` places, if it has that many. Both roots are parses of the same text.
///
/// Returns the changed program and its changes.
pub fn change_program(root: &Object, count: usize, random: &mut Random) -> Option<(Object, Vec<Change>)> {
    let (arrays, parts): (Vec<_>, Vec<_>) =
        parts(root).into_iter().partition(|part| statements(part).is_some());
    let mut changes: Vec<Change> = Vec::new();
    for _ in 0..count * 40 {
        if changes.len() == count {
            break;
        }
        let kind = random.below(KINDS.len());
        let candidates = if KINDS[kind].1 { &arrays } else { &parts };
        if candidates.is_empty() {
            continue;
        }
        let found = (0..40).find_map(|_| KINDS[kind].0(&candidates[random.below(candidates.len())], random));
        let Some(change) = found else { continue };
        if changes.iter().all(|other| are_apart(other, &change)) {
            changes.push(change);
        }
    }
    if changes.is_empty() {
        return None;
    }
    // Last places first, so that indices of earlier ones stay valid.
    changes.sort_by(|a, b| order(&b.at, &a.at));
    let mut new = root.clone();
    let mut done = Vec::new();
    for change in changes {
        if let Some(changed) = make(&new, &change) {
            new = changed;
            done.push(change);
        }
    }
    done.reverse();
    (!done.is_empty()).then_some((new, done))
}

/// Returns `true` if neither place contains the other, and they are not elements of one array.
fn are_apart(a: &Change, b: &Change) -> bool {
    let around = |change: &Change| match change.at.steps.split_last() {
        Some((PathStep::Index(_), array)) => AccessPath { steps: array.to_vec() },
        _ => change.at.clone(),
    };
    let (x, y) = (around(a), around(b));
    // A change of an array may not touch its elements, and one of a large node may not contain the other.
    !x.is_prefix_of(&y) && !y.is_prefix_of(&x)
}

fn order(a: &AccessPath, b: &AccessPath) -> std::cmp::Ordering {
    for (x, y) in a.steps.iter().zip(&b.steps) {
        if let (PathStep::Index(x), PathStep::Index(y)) = (x, y)
            && x != y
        {
            return x.cmp(y);
        }
    }
    a.steps.len().cmp(&b.steps.len())
}

type Kind = fn(&Candidate, &mut Random) -> Option<Change>;

/// Kinds of changes; `true` for those of arrays.
const KINDS: &[(Kind, bool)] = &[
    (constant, false),
    (dtype, false),
    (attribute, false),
    (renaming, false),
    (variable, false),
    (insertion, true),
    (insertion, true),
    (removal, true),
    (removal, true),
    (motion, true),
    (motion, true),
];

fn change(kind: &'static str, op: EditOp, at: &AccessPath, new: Value) -> Change {
    Change { kind, op, at: at.clone(), to: 0, new }
}

fn constant(part: &Candidate, random: &mut Random) -> Option<Change> {
    if !matches!(part.holder, "ir.IntImm" | "ir.FloatImm" | "tir.StringImm" | "relax.expr.StringImm") {
        return None;
    }
    let new = match &part.value {
        Value::Int(value @ 2..=1000) => Value::Int(value + 1 + random.below(3) as i64),
        Value::Float(value) if value.abs() < 1e4 => Value::Float(value + 0.5),
        text => Value::str(&format!("{}_", text.as_str()?)),
    };
    Some(change("constant", EditOp::Change, &part.path, new))
}

fn dtype(part: &Candidate, _: &mut Random) -> Option<Change> {
    let Value::DType(dtype) = part.value else { return None };
    if part.holder != "tir.Cast" || dtype.to_string() == "float16" {
        return None;
    }
    Some(change("dtype", EditOp::Change, &part.path, Value::DType("float16".parse().ok()?)))
}

fn attribute(part: &Candidate, random: &mut Random) -> Option<Change> {
    let Some(PathStep::Key(key)) = part.path.steps.last() else { return None };
    let key = key.as_str()?;
    let is_attribute =
        part.path.steps.iter().any(|step| matches!(step, PathStep::Field("attrs" | "annotations")));
    if !is_attribute || key == "global_symbol" {
        return None;
    }
    let new = match &part.value {
        Value::Int(value) => Value::Int(value + 1 + random.below(5) as i64),
        Value::Bool(value) => Value::Bool(!value),
        text => Value::str(&format!("{}_", text.as_str()?)),
    };
    Some(change("attribute", EditOp::Change, &part.path, new))
}

/// Another variable of the same statement takes the place of one: the next index of a load or store.
fn variable(part: &Candidate, _: &mut Random) -> Option<Change> {
    let (Some(PathStep::Field("indices")), Some(array)) = (part.path.steps.last(), part.value.as_object())
    else {
        return None;
    };
    let is_variable =
        |value: &&Value| value.as_object().is_some_and(|node| node.is::<tvmscript::prim::Var>());
    let variables: Vec<&Value> = array.array_items().iter().filter(is_variable).collect();
    let [first, second, ..] = variables.as_slice() else { return None };
    let (one, other) = (first.as_object()?, second.as_object()?);
    if one.ptr_eq(other) || one.dtype() != other.dtype() {
        return None;
    }
    let index =
        array.array_items().iter().position(|item| item.as_object().is_some_and(|item| item.ptr_eq(one)))?;
    let at = part.path.clone().item(index as u32);
    Some(change("variable", EditOp::Change, &at, (*second).clone()))
}

/// The elements of an array of statements or bindings.
fn statements(part: &Candidate) -> Option<&[Value]> {
    let array = part.value.as_object()?.as_node::<ArrayNode>()?;
    let is_sequence = matches!(part.path.steps.last(), Some(PathStep::Field("seq" | "bindings")));
    is_sequence.then(|| array.items())
}

/// A binding of a new variable that nothing uses.
fn binding(number: i64) -> Option<Value> {
    use tvmscript::relax::{PrimStructInfo, PrimValue, Var, VarBinding};
    let value = PrimValue::new(tvmscript::prim::IntImm::int64(number));
    let info = PrimStructInfo::new("int64".parse().ok()?);
    let var = Var::new(format!("inserted_{number}"), Some(info));
    let binding = VarBinding { span: Default::default(), var, value: value.upcast() };
    Some(Value::from(tvmscript::ir_core::Ref::new(binding)))
}

fn insertion(part: &Candidate, random: &mut Random) -> Option<Change> {
    let items = statements(part)?;
    let number = 1_000_000 + random.below(1_000_000) as i32;
    let index = random.below(items.len() + 1);
    let new = match part.holder {
        "tir.SeqStmt" => {
            Value::Node(tvmscript::tir::Evaluate::new(tvmscript::prim::IntImm::int32(number)).into())
        }
        _ => binding(i64::from(number))?,
    };
    Some(Change { to: index, ..change("insertion", EditOp::Insert, &part.path, new) })
}

fn removal(part: &Candidate, random: &mut Random) -> Option<Change> {
    let items = statements(part)?;
    let index = random.below(items.len());
    // A sequence of one statement is that statement; equal ones cannot be told apart; definitions are used elsewhere.
    if items.len() < 3 || part.holder != "tir.SeqStmt" || !is_alone(items, index) {
        return None;
    }
    let at = part.path.clone().item(index as u32);
    Some(change("removal", EditOp::Remove, &at, Value::None))
}

fn motion(part: &Candidate, random: &mut Random) -> Option<Change> {
    let items = statements(part)?;
    let (from, to) = (random.below(items.len()), random.below(items.len()));
    // Swapping neighbours moves either of them.
    if from.abs_diff(to) < 2
        || part.holder != "tir.SeqStmt"
        || !(0..items.len()).all(|index| is_alone(items, index))
    {
        return None;
    }
    let size = tvmscript::ir_core::tree_size(items[from].as_object()?);
    let at = part.path.clone().item(from as u32);
    (size.nodes >= 4).then(|| Change { to, ..change("move", EditOp::Move, &at, Value::None) })
}

/// Returns `true` if no other element has the same structure.
fn is_alone(items: &[Value], index: usize) -> bool {
    let equal = tvmscript::ir_core::StructuralEqual { map_free_vars: true, ..Default::default() };
    let others = items.iter().enumerate().filter(|(other, _)| *other != index);
    others.into_iter().all(|(_, other)| !equal.compare_values(other, &items[index]))
}

fn renaming(part: &Candidate, _: &mut Random) -> Option<Change> {
    let is_definition = matches!(
        part.path.steps.as_slice(),
        [.., PathStep::Field("loop_var" | "var"), _]
            | [.., PathStep::Field("var"), PathStep::Field("vid"), _]
            | [.., PathStep::Field("params"), PathStep::Index(_), PathStep::Field("vid"), _]
    );
    let is_name = matches!(part.path.steps.last(), Some(PathStep::Field("name" | "name_hint")));
    if !is_definition || !is_name {
        return None;
    }
    let new = Value::str(&format!("{}_renamed", part.value.as_str()?));
    Some(change("rename", EditOp::Rename, &part.path, new))
}

/// Makes a change; `None` if the result is invalid.
fn make(root: &Object, change: &Change) -> Option<Object> {
    if change.op == EditOp::Rename {
        // In place: all uses refer to the same node.
        let (_, holder) = change.at.steps.split_last()?;
        let holder = AccessPath { steps: holder.to_vec() }.follow(root)?;
        let holder = holder.as_object()?;
        (0..holder.info().fields().len()).find_map(|index| match holder.field(index) {
            FieldRef::Name(name) => {
                name.set(Str::new(change.new.as_str()?));
                Some(())
            }
            _ => None,
        })?;
        return Some(root.clone());
    }
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

/// Compares an edit script with the changes that were made. Returns a description of the first disagreement.
pub fn disagreement(script: &EditScript, changes: &[Change]) -> Option<String> {
    let mut missing: Vec<&Change> = changes.iter().collect();
    for edit in &script.edits {
        let found = missing.iter().position(|change| {
            edit.op == change.op
                && match edit.op {
                    EditOp::Insert => {
                        tvmscript::ir_core::StructuralEqual::default().compare_values(&edit.new, &change.new)
                    }
                    _ => edit.a.as_ref().is_some_and(|a| a.to_string() == change.at.to_string()),
                }
        });
        match found {
            Some(index) => drop(missing.remove(index)),
            None => return Some(format!("not a change that was made: {edit}")),
        }
    }
    missing.first().map(|change| format!("not reported: {} of {} at {}", change.op, change.kind, change.at))
}
