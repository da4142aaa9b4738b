//! Kinds of changes: what may take the place of a part.

use tvmscript::Value;
use tvmscript::diff::EditOp;
use tvmscript::ir_core::containers::ArrayNode;
use tvmscript::ir_core::{EqKind, PathStep, any_node};
use tvmscript_test_texts::Random;

use super::{Candidate, Change, rewrite};

pub(super) type Kind = fn(&Candidate, &mut Random) -> Option<Change>;

/// Kinds of changes; `true` for those of arrays.
pub(super) const KINDS: &[(Kind, bool)] = &[
    (constant, false),
    (dtype, false),
    (attribute, false),
    (block_name, false),
    (variable, false),
    (insertion, true),
    (insertion, true),
    (near_copy, true),
    (near_copy, true),
    (removal, true),
    (removal, true),
    (motion, true),
    (motion, true),
];

fn constant(part: &Candidate, random: &mut Random) -> Option<Change> {
    if !matches!(part.holder, "ir.IntImm" | "ir.FloatImm" | "tir.StringImm" | "relax.expr.StringImm") {
        return None;
    }
    let new = match &part.value {
        Value::Int(value @ 2..=1000) => Value::Int(value + 1 + random.below(3) as i64),
        Value::Float(value) if value.abs() < 1e4 => Value::Float(value + 0.5),
        text => Value::str(&format!("{}_", text.as_str()?)),
    };
    Some(Change::new("constant", EditOp::Change, &part.path, new))
}

fn dtype(part: &Candidate, _: &mut Random) -> Option<Change> {
    let Value::DType(dtype) = part.value else { return None };
    if part.holder != "tir.Cast" || dtype.to_string() == "float16" {
        return None;
    }
    Some(Change::new("dtype", EditOp::Change, &part.path, Value::DType("float16".parse().ok()?)))
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
    Some(Change::new("attribute", EditOp::Change, &part.path, new))
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
    Some(Change::new("variable", EditOp::Change, &at, (*second).clone()))
}

/// The elements of an array of statements or bindings.
pub(super) fn statements(part: &Candidate) -> Option<&[Value]> {
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

/// Elements that no other change may touch besides an edit at `index`: those beside it, and small ones. A changed element next
/// to a removed one may as well be that one, changed, and small elements are all alike.
fn around(items: &[Value], index: usize) -> Vec<usize> {
    let is_small = |item: &Value| {
        item.as_object().is_none_or(|item| tvmscript::ir_core::tree_size(item).nodes <= SMALL_NODES)
    };
    (0..=items.len())
        .filter(|other| other.abs_diff(index) < 2 || items.get(*other).is_some_and(is_small))
        .collect()
}

/// Nodes of a small element.
const SMALL_NODES: u64 = 6;

/// The insertion of an element before the one at `index`. No other change may touch the one at `source`.
fn insert(kind: &'static str, part: &Candidate, index: usize, new: Value, source: Option<usize>) -> Change {
    let mut elements = statements(part).map(|items| around(items, index)).unwrap_or_default();
    elements.extend(source);
    let array = Some((part.path.clone(), elements));
    Change { index, to: index, array, ..Change::new(kind, EditOp::Insert, &part.path, new) }
}

/// A copy of an element with another number, beside it.
fn near_copy(part: &Candidate, random: &mut Random) -> Option<Change> {
    let items = statements(part)?;
    let source = random.below(items.len());
    let node = items[source].as_object()?;
    let defines = |node: &tvmscript::Object| {
        node.info().fields().iter().any(|field| field.def)
            || matches!(node.info().key(), "tir.For" | "tir.LetStmt" | "tir.Allocate" | "tir.Block")
    };
    let named = |node: &tvmscript::Object| defines(node) && node.info().eq_kind() != EqKind::Tree;
    if any_node(node, named) || part.holder != "tir.SeqStmt" || !is_alone(items, source) {
        return None;
    }
    let numbers: Vec<_> = super::parts(node)
        .into_iter()
        .filter(|part| part.holder == "ir.IntImm" && matches!(part.value, Value::Int(2..=1000)))
        .collect();
    let number = numbers.get(random.below(numbers.len().max(1)))?;
    let value = Value::Int(1_000_000 + random.below(1_000_000) as i64);
    let new = rewrite(node, &number.path.steps, &|_| Some(value.clone()))?;
    Some(insert("near copy", part, source + random.below(2), Value::Node(new), Some(source)))
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
    Some(insert("insertion", part, index, new, None))
}

fn removal(part: &Candidate, random: &mut Random) -> Option<Change> {
    let items = statements(part)?;
    let index = random.below(items.len());
    // A sequence of one statement is that statement; equal ones cannot be told apart; definitions are used elsewhere.
    if items.len() < 3 || part.holder != "tir.SeqStmt" || !is_alone(items, index) {
        return None;
    }
    let at = part.path.clone().item(index as u32);
    let array = Some((part.path.clone(), around(items, index)));
    Some(Change { index, array, ..Change::new("removal", EditOp::Remove, &at, Value::None) })
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
    let array = Some((part.path.clone(), vec![from, to]));
    (size.nodes >= 4).then(|| Change {
        index: from,
        to,
        array,
        ..Change::new("move", EditOp::Move, &at, Value::None)
    })
}

/// Returns `true` if no other element has the same structure.
fn is_alone(items: &[Value], index: usize) -> bool {
    let equal = tvmscript::ir_core::StructuralEqual { map_free_vars: true, ..Default::default() };
    let others = items.iter().enumerate().filter(|(other, _)| *other != index);
    others.into_iter().all(|(_, other)| !equal.compare_values(other, &items[index]))
}

/// Another name of a block, which equality compares.
fn block_name(part: &Candidate, _: &mut Random) -> Option<Change> {
    if part.holder != "tir.Block" || part.path.steps.last() != Some(&PathStep::Field("name_hint")) {
        return None;
    }
    let name = part.value.as_str().filter(|name| *name != "root")?;
    Some(Change::new("block name", EditOp::Rename, &part.path, Value::str(&format!("{name}_renamed"))))
}
