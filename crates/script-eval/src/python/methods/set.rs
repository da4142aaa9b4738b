//! Methods of sets.

use indexmap::IndexSet;
use tvmscript_script_value::{CallArgs, DictKey, ScriptValue};

use super::Table;
use crate::errors::{HostError, HostErrorKind};
use crate::eval::Raise;
use crate::python::builtins::{args, no_keywords};
use crate::python::cost::{self, Cost};
use crate::python::repr;
use crate::python::set::{self, Set};
use crate::{Evaluator, Host};

type Keys = IndexSet<DictKey>;

pub(super) const FROZENSET: Table = &[
    ("union", Cost::Linear, |p, v, a| joined(p, v, a, |x, y, _| x.extend(y))),
    ("intersection", Cost::Linear, |p, v, a| joined(p, v, a, intersect)),
    ("difference", Cost::Linear, |p, v, a| joined(p, v, a, |x, y, _| x.retain(|key| !y.contains(key)))),
    ("symmetric_difference", Cost::Linear, |p, v, a| {
        let [x] = args("symmetric_difference", a)?;
        let a = CallArgs::positional([x]);
        joined(p, v, a, |x, y, _| *x = x.symmetric_difference(&y).cloned().collect())
    }),
    ("issubset", Cost::Linear, |p, v, a| compared(p, v, a, "issubset", |x, y| x.is_subset(y))),
    ("issuperset", Cost::Linear, |p, v, a| compared(p, v, a, "issuperset", |x, y| y.is_subset(x))),
    ("isdisjoint", Cost::Linear, |p, v, a| compared(p, v, a, "isdisjoint", |x, y| x.is_disjoint(y))),
    ("copy", Cost::Linear, |p, v, a| {
        let [] = args("copy", a)?;
        let copy = copied(p, v)?;
        Ok(set::value(copy, is_frozen(v)))
    }),
];

/// What changes a set; the methods that frozen sets have, too, stand in [`FROZENSET`].
pub(super) const SET: Table = &[
    ("add", Cost::Own, |p, v, a| {
        let [x] = args("set.add", a)?;
        let key = p.hashable(x)?;
        p.program.budget.allocate(cost::ENTRY_BYTES)?;
        change(v, |items| {
            items.insert(key);
        })
    }),
    ("discard", Cost::Own, |p, v, a| {
        let [x] = args("set.discard", a)?;
        remove(p, v, x)?;
        Ok(ScriptValue::None)
    }),
    ("remove", Cost::Own, |p, v, a| {
        let [x] = args("set.remove", a)?;
        match remove(p, v, x.clone())? {
            true => Ok(ScriptValue::None),
            false => Err(HostError::new(HostErrorKind::Key, repr::repr(p, &x)?).into()),
        }
    }),
    ("pop", Cost::Own, |p, v, a| {
        let [] = args("set.pop", a)?;
        let found = v.as_host::<Set>().and_then(|set| set.items.borrow_mut().pop());
        match found {
            Some(key) => Ok(key.0),
            None => {
                let message = repr::repr(p, &ScriptValue::str("pop from an empty set"))?;
                Err(HostError::new(HostErrorKind::Key, message).into())
            }
        }
    }),
    ("clear", Cost::Linear, |_, v, a| {
        let [] = args("set.clear", a)?;
        change(v, IndexSet::clear)
    }),
    ("update", Cost::Linear, |p, v, a| updated(p, v, a, |x, y| x.extend(y))),
    // All arguments first, then the set.
    ("intersection_update", Cost::Linear, |p, v, a| {
        let all = joined(p, v, a, intersect)?;
        let keys = copied(p, &all)?;
        change(v, |items| *items = keys)
    }),
    ("difference_update", Cost::Linear, |p, v, a| updated(p, v, a, |x, y| x.retain(|key| !y.contains(key)))),
    ("symmetric_difference_update", Cost::Linear, |p, v, a| {
        let [x] = args("symmetric_difference_update", a)?;
        let a = CallArgs::positional([x]);
        updated(p, v, a, |x, y| *x = x.symmetric_difference(&y).cloned().collect())
    }),
];

/// Keeps the keys that the other has, too. Of equal keys an iterable's stay, and those of the smaller of two sets.
fn intersect(items: &mut Keys, other: Keys, other_is_set: bool) {
    *items = match other_is_set {
        true => set::intersection(items, &other),
        false => other.intersection(items).cloned().collect(),
    };
}

fn is_frozen(v: &ScriptValue) -> bool {
    v.as_host::<Set>().is_some_and(|set| set.frozen)
}

/// The keys of the set itself, copied.
fn copied(p: &Evaluator, v: &ScriptValue) -> Result<Keys, Raise> {
    let Some(set) = v.as_host::<Set>() else { return Ok(Keys::new()) };
    let items = set.items.borrow();
    cost::entries(p, items.len())?;
    set::charge_keys(p, items.iter())?;
    Ok(items.clone())
}

/// The keys of each argument, joined to those of the set one after the other.
fn joined(
    p: &mut dyn Host,
    v: &ScriptValue,
    a: CallArgs,
    f: impl Fn(&mut Keys, Keys, bool),
) -> Result<ScriptValue, Raise> {
    no_keywords("set", &a)?;
    let mut items = copied(p, v)?;
    for other in &a.positional {
        p.program.budget.step(items.len() as u64 / 4)?;
        let is_set = other.as_host::<Set>().is_some();
        let other = p.collect_values(other)?;
        let other = set::keys(p, other)?;
        f(&mut items, other, is_set);
    }
    Ok(set::value(items, is_frozen(v)))
}

/// As [`joined`], but changes the set itself.
fn updated(
    p: &mut dyn Host,
    v: &ScriptValue,
    a: CallArgs,
    f: impl Fn(&mut Keys, Keys),
) -> Result<ScriptValue, Raise> {
    no_keywords("set", &a)?;
    for other in &a.positional {
        let other = p.collect_values(other)?;
        let other = set::keys(p, other)?;
        p.program.budget.step(set::len(v).unwrap_or(0) as u64 / 4)?;
        change(v, |items| f(items, other))?;
    }
    Ok(ScriptValue::None)
}

fn compared(
    p: &mut dyn Host,
    v: &ScriptValue,
    a: CallArgs,
    name: &str,
    f: impl Fn(&Keys, &Keys) -> bool,
) -> Result<ScriptValue, Raise> {
    let [x] = args(name, a)?;
    let other = p.collect_values(&x)?;
    let other = set::keys(p, other)?;
    Ok(ScriptValue::Bool(f(&copied(p, v)?, &other)))
}

/// Takes an element out; false when it is not there.
fn remove(p: &Evaluator, v: &ScriptValue, x: ScriptValue) -> Result<bool, Raise> {
    let key = p.hashable(x)?;
    cost::removal(p, set::len(v).unwrap_or(0))?;
    let Some(set) = v.as_host::<Set>() else { return Ok(false) };
    let found = set.items.borrow_mut().shift_remove(&key);
    Ok(found)
}

fn change(v: &ScriptValue, f: impl FnOnce(&mut Keys)) -> Result<ScriptValue, Raise> {
    if let Some(set) = v.as_host::<Set>().filter(|set| !set.frozen) {
        f(&mut set.items.borrow_mut());
    }
    Ok(ScriptValue::None)
}
