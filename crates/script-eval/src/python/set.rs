//! `set` and `frozenset`. Iteration is in insertion order; CPython iterates in hash order.

use std::cell::{Cell, RefCell};
use std::hash::BuildHasher;

use indexmap::IndexSet;
use tvmscript_script_value::{DictKey, Hashing, HostObject, ScriptValue, release};

use super::Outcome;
use super::{cost, view};
use crate::eval::Raise;
use crate::{Eval, EvalState};
use tvmscript_python_syntax::ast::{BinOp, CmpOp};

/// A set.
#[derive(Debug)]
pub(crate) struct Set {
    pub(crate) items: RefCell<IndexSet<DictKey>>,
    pub(crate) frozen: bool,
    /// Cached hash and weight of a frozen set.
    facts: Cell<Option<(u64, u32)>>,
}

impl Drop for Set {
    fn drop(&mut self) {
        release(std::mem::take(self.items.get_mut()).into_iter().map(|key| key.0));
    }
}

impl HostObject for Set {
    fn type_name(&self) -> &str {
        if self.frozen { "frozenset" } else { "set" }
    }
    fn hashing(&self) -> Hashing {
        if !self.frozen {
            return Hashing::Unhashable;
        }
        let (hash, weight) = self.facts.get().unwrap_or_else(|| {
            // Independent of the order of elements.
            let scatter = std::hash::BuildHasherDefault::<std::hash::DefaultHasher>::default();
            let mut facts = (0u64, 1u32);
            for key in self.items.borrow().iter() {
                facts.0 = facts.0.wrapping_add(scatter.hash_one(key.hash_value()));
                facts.1 = facts.1.saturating_add(key.weight());
            }
            self.facts.set(Some(facts));
            facts
        });
        Hashing::Value { hash, weight }
    }
    fn same_key(&self, other: &dyn HostObject) -> bool {
        let Some(other) = other.as_any().downcast_ref::<Set>() else { return false };
        let (a, b) = (self.items.borrow(), other.items.borrow());
        a.len() == b.len() && a.iter().all(|key| b.contains(key))
    }
}

pub(crate) fn is_frozen(value: &ScriptValue) -> bool {
    value.as_host::<Set>().is_some_and(|set| set.frozen)
}

pub(crate) fn value(items: IndexSet<DictKey>, frozen: bool) -> ScriptValue {
    ScriptValue::host(Set { items: RefCell::new(items), frozen, facts: Cell::new(None) })
}

pub(crate) fn from_items(p: &mut Eval<'_>, items: impl IntoIterator<Item = ScriptValue>) -> Outcome {
    Ok(value(keys(p, items)?, false))
}

/// Converts values to keys.
pub(crate) fn keys(
    p: &mut Eval<'_>,
    items: impl IntoIterator<Item = ScriptValue>,
) -> Result<IndexSet<DictKey>, Raise> {
    let mut set = IndexSet::new();
    for item in items {
        let key = p.hashable(item)?;
        p.state.program.budget.allocate(cost::ENTRY_BYTES)?;
        set.insert(key);
    }
    Ok(set)
}

/// Charges one comparison of each key with an equal one.
pub(crate) fn charge_keys<'a>(
    p: &EvalState,
    keys: impl IntoIterator<Item = &'a DictKey>,
) -> Result<(), Raise> {
    for key in keys {
        if key.weight() > 1 {
            p.program.budget.step(u64::from(key.weight()))?;
        }
    }
    Ok(())
}

pub(crate) fn items(value: &ScriptValue) -> Option<Vec<ScriptValue>> {
    value.as_host::<Set>().map(|set| set.items.borrow().iter().map(|key| key.0.clone()).collect())
}

pub(crate) fn len(value: &ScriptValue) -> Option<usize> {
    value.as_host::<Set>().map(|set| set.items.borrow().len())
}

pub(crate) fn contains(value: &ScriptValue, key: &DictKey) -> bool {
    value.as_host::<Set>().is_some_and(|set| set.items.borrow().contains(key))
}

/// The keys of a set or of a set-like dictionary view.
fn set_like(p: &mut Eval<'_>, value: &ScriptValue) -> Result<Option<IndexSet<DictKey>>, Raise> {
    if let Some(set) = value.as_host::<Set>() {
        let items = set.items.borrow();
        cost::entries(p.state, items.len())?;
        charge_keys(p.state, items.iter())?;
        return Ok(Some(items.clone()));
    }
    view::as_set(p, value)
}

/// `a == b` of sets and views; `None` for other values.
pub(crate) fn equal(p: &mut Eval<'_>, a: &ScriptValue, b: &ScriptValue) -> Result<Option<bool>, Raise> {
    order(p, CmpOp::Eq, a, b)
}

/// `a < b` of sets: the subset relation. Also `a == b`.
pub(crate) fn order(
    p: &mut Eval<'_>,
    op: CmpOp,
    a: &ScriptValue,
    b: &ScriptValue,
) -> Result<Option<bool>, Raise> {
    let (Some(a), Some(b)) = (set_like(p, a)?, set_like(p, b)?) else { return Ok(None) };
    Ok(Some(match op {
        CmpOp::Eq => a.len() == b.len() && a.is_subset(&b),
        CmpOp::Lt => a.len() < b.len() && a.is_subset(&b),
        CmpOp::LtE => a.is_subset(&b),
        CmpOp::Gt => b.len() < a.len() && b.is_subset(&a),
        CmpOp::GtE => b.is_subset(&a),
        _ => return Ok(None),
    }))
}

/// The keys in both sets. Of equal keys those of the smaller set are kept, as in CPython.
pub(crate) fn intersection(x: &IndexSet<DictKey>, y: &IndexSet<DictKey>) -> IndexSet<DictKey> {
    let (smaller, larger) = if y.len() > x.len() { (x, y) } else { (y, x) };
    smaller.intersection(larger).cloned().collect()
}

/// Set operators; `None` for other operators.
fn combine(op: BinOp, x: &IndexSet<DictKey>, y: &IndexSet<DictKey>) -> Option<IndexSet<DictKey>> {
    Some(match op {
        BinOp::BitOr => x.union(y).cloned().collect(),
        BinOp::BitAnd => intersection(x, y),
        BinOp::Sub => x.difference(y).cloned().collect(),
        BinOp::BitXor => x.symmetric_difference(y).cloned().collect(),
        _ => return None,
    })
}

/// `a | b`, `a & b`, `a - b`, `a ^ b` of sets and views; `None` for other values.
pub(crate) fn binary(
    p: &mut Eval<'_>,
    op: BinOp,
    a: &ScriptValue,
    b: &ScriptValue,
) -> Result<Option<ScriptValue>, Raise> {
    if !matches!(op, BinOp::BitOr | BinOp::BitAnd | BinOp::Sub | BinOp::BitXor) {
        return Ok(None);
    }
    let frozen = a.as_host::<Set>().is_some_and(|set| set.frozen);
    let (Some(x), Some(y)) = (set_like(p, a)?, set_like(p, b)?) else { return Ok(None) };
    Ok(combine(op, &x, &y).map(|items| value(items, frozen)))
}

/// `a |= b` and similar, in place; returns `false` for other values.
pub(crate) fn in_place(p: &mut Eval<'_>, op: BinOp, a: &ScriptValue, b: &ScriptValue) -> Result<bool, Raise> {
    let Some(set) = a.as_host::<Set>().filter(|set| !set.frozen) else { return Ok(false) };
    if !matches!(op, BinOp::BitOr | BinOp::BitAnd | BinOp::Sub | BinOp::BitXor) {
        return Ok(false);
    }
    if b.as_host::<Set>().is_none() && !view::is_set(b) {
        return Ok(false);
    }
    let (Some(x), Some(y)) = (set_like(p, a)?, set_like(p, b)?) else { return Ok(false) };
    let Some(items) = combine(op, &x, &y) else { return Ok(false) };
    *set.items.borrow_mut() = items;
    Ok(true)
}
