//! Methods of sets.

use indexmap::IndexSet;
use tvmscript_script_value::{CallArgs, DictKey, ScriptValue};

use crate::eval::Raise;
use crate::eval::exception;
use crate::python::builtins::{Table, linear, no_keywords, own};
use crate::python::set::{self, Set};
use crate::python::{Outcome, cost};
use crate::{Eval, EvalState};

type Keys = IndexSet<DictKey>;

pub(super) static FROZENSET: Table = &[
    linear("union").any(|p, v, a| joined(p, v, a, |x, y, _| x.extend(y))),
    linear("intersection").any(|p, v, a| joined(p, v, a, intersect)),
    linear("difference").any(|p, v, a| joined(p, v, a, |x, y, _| difference(x, y))),
    linear("symmetric_difference")
        .one(|p, v, x| joined(p, v, CallArgs::positional([x]), |x, y, _| symmetric_difference(x, y))),
    linear("issubset").one(|p, v, x| compared(p, v, x, |x, y| x.is_subset(y))),
    linear("issuperset").one(|p, v, x| compared(p, v, x, |x, y| y.is_subset(x))),
    linear("isdisjoint").one(|p, v, x| compared(p, v, x, |x, y| x.is_disjoint(y))),
    linear("copy").zero(|p, v| Ok(set::value(copied(p.state, v)?, is_frozen(v)))),
];

/// Methods that change a set; those that frozen sets have too are in [`FROZENSET`].
pub(super) static SET: Table = &[
    own("add").one(|p, v, x| {
        let key = p.hashable(x)?;
        p.state.program.budget.allocate(cost::ENTRY_BYTES)?;
        change(v, |items| {
            items.insert(key);
        })
    }),
    own("discard").one(|p, v, x| {
        remove(p, v, x)?;
        Ok(ScriptValue::None)
    }),
    own("remove").one(|p, v, x| match remove(p, v, x.clone())? {
        true => Ok(ScriptValue::None),
        false => Err(exception::key_error(x)),
    }),
    own("pop").zero(|_, v| match v.as_host::<Set>().and_then(|set| set.items.borrow_mut().pop()) {
        Some(key) => Ok(key.0),
        None => Err(exception::key_error(ScriptValue::str("pop from an empty set"))),
    }),
    linear("clear").zero(|_, v| change(v, IndexSet::clear)),
    linear("update").any(|p, v, a| updated(p, v, a, |x, y| x.extend(y))),
    // Joins all arguments before it changes the set.
    linear("intersection_update").any(|p, v, a| {
        let all = joined(p, v, a, intersect)?;
        let keys = copied(p.state, &all)?;
        change(v, |items| *items = keys)
    }),
    linear("difference_update").any(|p, v, a| updated(p, v, a, difference)),
    linear("symmetric_difference_update")
        .one(|p, v, x| updated(p, v, CallArgs::positional([x]), symmetric_difference)),
];

fn difference(items: &mut Keys, other: Keys) {
    items.retain(|key| !other.contains(key));
}

fn symmetric_difference(items: &mut Keys, other: Keys) {
    *items = items.symmetric_difference(&other).cloned().collect();
}

/// Keeps the keys in both sets. Of equal keys those of an iterable are kept, or those of the smaller of two sets.
fn intersect(items: &mut Keys, other: Keys, other_is_set: bool) {
    *items = match other_is_set {
        true => set::intersection(items, &other),
        false => other.intersection(items).cloned().collect(),
    };
}

fn is_frozen(v: &ScriptValue) -> bool {
    v.as_host::<Set>().is_some_and(|set| set.frozen)
}

/// A copy of the keys.
fn copied(p: &EvalState, v: &ScriptValue) -> Result<Keys, Raise> {
    let Some(set) = v.as_host::<Set>() else { return Ok(Keys::new()) };
    let items = set.items.borrow();
    cost::entries(p, items.len())?;
    set::charge_keys(p, items.iter())?;
    Ok(items.clone())
}

/// Combines the set with each argument in turn.
fn joined(p: &mut Eval<'_>, v: &ScriptValue, a: CallArgs, f: impl Fn(&mut Keys, Keys, bool)) -> Outcome {
    no_keywords("set", &a)?;
    let mut items = copied(p.state, v)?;
    for other in &a.positional {
        p.state.program.budget.step(items.len() as u64 / 4)?;
        let is_set = other.as_host::<Set>().is_some();
        let other = p.collect_values(other)?;
        let other = set::keys(p, other)?;
        f(&mut items, other, is_set);
    }
    Ok(set::value(items, is_frozen(v)))
}

/// [`joined`] in place.
fn updated(p: &mut Eval<'_>, v: &ScriptValue, a: CallArgs, f: impl Fn(&mut Keys, Keys)) -> Outcome {
    no_keywords("set", &a)?;
    for other in &a.positional {
        let other = p.collect_values(other)?;
        let other = set::keys(p, other)?;
        p.state.program.budget.step(set::len(v).unwrap_or(0) as u64 / 4)?;
        change(v, |items| f(items, other))?;
    }
    Ok(ScriptValue::None)
}

fn compared(p: &mut Eval<'_>, v: &ScriptValue, x: ScriptValue, f: impl Fn(&Keys, &Keys) -> bool) -> Outcome {
    let other = p.collect_values(&x)?;
    let other = set::keys(p, other)?;
    Ok(ScriptValue::Bool(f(&copied(p.state, v)?, &other)))
}

/// Removes an element; returns `false` if it is missing.
fn remove(p: &mut Eval<'_>, v: &ScriptValue, x: ScriptValue) -> Result<bool, Raise> {
    let key = p.hashable(x)?;
    cost::removal(p.state, set::len(v).unwrap_or(0))?;
    let Some(set) = v.as_host::<Set>() else { return Ok(false) };
    let found = set.items.borrow_mut().shift_remove(&key);
    Ok(found)
}

fn change(v: &ScriptValue, f: impl FnOnce(&mut Keys)) -> Outcome {
    if let Some(set) = v.as_host::<Set>().filter(|set| !set.frozen) {
        f(&mut set.items.borrow_mut());
    }
    Ok(ScriptValue::None)
}
