//! Renamed variables, buffers and pointers.

use std::collections::{HashMap, HashSet};

use tvmscript::diff::EditOp;
use tvmscript::ir_core::visit::{Visitor, Walk};
use tvmscript::ir_core::{AccessPath, EqKind, FieldRef, PathStep, Str};
use tvmscript::{Object, Value};
use tvmscript_test_texts::Random;

use super::{Candidate, Change};

/// Renames up to `count` nodes, in place: all uses refer to the same node. Names below an element that one of the `changes`
/// removes or copies stay. Returns the renames that an edit script must list.
pub(super) fn rename(
    root: &Object,
    parts: &[Candidate],
    changes: &[Change],
    count: usize,
    random: &mut Random,
) -> Vec<Change> {
    let mut seen = HashSet::new();
    let names: Vec<(&Candidate, Object)> = parts
        .iter()
        .filter(|part| !changes.iter().any(|change| is_lost(change, &part.path)))
        .filter_map(|part| Some((part, holder(root, &part.path)?)))
        .filter(|(_, holder)| cell_is_named(holder) && seen.insert(holder.address()))
        .collect();
    let owners = owners(parts);
    let mut renamed: HashMap<usize, (String, String)> = HashMap::new();
    let mut done = Vec::new();
    for _ in 0..count * 4 {
        if done.len() >= count || names.is_empty() {
            break;
        }
        let (part, node) = &names[random.below(names.len())];
        let Some(old) = part.value.as_str().map(str::to_owned).filter(|old| !old.is_empty()) else {
            continue;
        };
        if renamed.contains_key(&node.address()) {
            continue;
        }
        // Half of the names that follow from another one follow it again.
        let owner = owners.get(&node.address()).and_then(|owner| renamed.get(owner));
        let follows =
            owner.and_then(|(before, after)| Some(format!("{after}{}", old.strip_prefix(before.as_str())?)));
        let new = match follows {
            Some(new) if random.below(2) == 0 => new,
            _ => format!("{}_{old}", ["renamed", "other", "x"][random.below(3)]),
        };
        if set_name(node, &new).is_none() {
            continue;
        }
        renamed.insert(node.address(), (old, new.clone()));
        done.push((Change::new("rename", EditOp::Rename, &part.path, Value::str(&new)), node.address()));
    }
    // A name that follows from its owner's is not listed.
    let is_listed = |address: usize| {
        let Some((old, new)) = renamed.get(&address) else { return true };
        let Some((before, after)) = owners.get(&address).and_then(|owner| renamed.get(owner)) else {
            return true;
        };
        let rest = (old.strip_prefix(before.as_str()), new.strip_prefix(after.as_str()));
        !matches!(rest, (Some(x), Some(y)) if x == y)
    };
    done.into_iter().filter(|(_, address)| is_listed(*address)).map(|(change, _)| change).collect()
}

/// Returns `true` if two paths lead to one field of one node.
pub(super) fn are_of_one(root: &Object, a: &AccessPath, b: &AccessPath) -> bool {
    if a.to_string() == b.to_string() {
        return true;
    }
    match (holder(root, a), holder(root, b)) {
        (Some(x), Some(y)) => x.ptr_eq(&y) && a.steps.last() == b.steps.last(),
        _ => false,
    }
}

/// All names of a program.
pub(super) fn all(root: &Object) -> HashSet<String> {
    let mut names = HashSet::new();
    let _ = Visitor::new().pre_order(root, |node| {
        names.extend(fields(node).filter_map(name_text));
        Walk::Advance
    });
    names
}

fn name_text(field: FieldRef<'_>) -> Option<String> {
    match field {
        FieldRef::Name(name) => Some(name.written().to_owned()),
        _ => None,
    }
}

/// Returns `true` if a change takes the node at `path` away, or copies it.
fn is_lost(change: &Change, path: &AccessPath) -> bool {
    match &change.array {
        Some((array, elements)) if change.op != EditOp::Move => {
            let element = path.steps.get(array.steps.len());
            array.is_prefix_of(path)
                && elements.iter().any(|index| element == Some(&PathStep::Index(*index as u32)))
        }
        Some(_) => false,
        None => change.at.is_prefix_of(path),
    }
}

/// The node whose name is at a path.
fn holder(root: &Object, path: &AccessPath) -> Option<Object> {
    let (last, holder) = path.steps.split_last()?;
    matches!(last, PathStep::Field(_)).then_some(())?;
    holder.iter().try_fold(root.clone(), |node, step| follow(&node, step))
}

/// The node to which a step leads. The step may be of another parse, with other nodes as keys of maps.
fn follow(node: &Object, step: &PathStep) -> Option<Object> {
    let is_it = |key: &Value| PathStep::Key(key.clone()).to_string() == step.to_string();
    let other = || node.map_entries().find(|(key, _)| is_it(key)).map(|(_, value)| value.clone());
    step.follow(node).or_else(other)?.as_object().cloned()
}

fn cell_is_named(node: &Object) -> bool {
    fields(node).any(|field| matches!(field, FieldRef::Name(_)))
}

fn set_name(node: &Object, new: &str) -> Option<()> {
    fields(node).find_map(|field| match field {
        FieldRef::Name(name) => {
            name.set(Str::new(new));
            Some(())
        }
        _ => None,
    })
}

fn fields(node: &Object) -> impl Iterator<Item = FieldRef<'_>> {
    (0..node.info().fields().len()).map(|index| node.field(index))
}

/// The buffer of each pointer and of each parameter that is matched.
fn owners(parts: &[Candidate]) -> HashMap<usize, usize> {
    let mut owners = HashMap::new();
    for node in parts.iter().filter_map(|part| part.value.as_object()) {
        for (key, value) in node.map_entries() {
            if let (Some(key), Some(buffer)) = (key.as_object(), value.as_object())
                && key.info().eq_kind() == EqKind::FreeVar
            {
                owners.insert(key.address(), buffer.address());
            }
        }
        if node.info().key() == "tir.Buffer" {
            for field in fields(node) {
                if let FieldRef::Node(child) = field
                    && child.info().eq_kind() == EqKind::FreeVar
                {
                    owners.entry(child.address()).or_insert(node.address());
                }
            }
        }
    }
    owners
}
