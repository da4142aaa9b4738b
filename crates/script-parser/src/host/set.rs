//! `set` and `frozenset`. Their order is that of insertion; CPython's is that of its hashes.

use std::any::Any;
use std::cell::RefCell;

use indexmap::IndexSet;
use tvmscript_irbuilder::{DictKey, HostObject, ScriptValue, release};

use crate::ast::{BinOp, CmpOp};
use crate::errors::HostError;
use crate::eval::Raise;

/// A set.
#[derive(Debug)]
pub(crate) struct Set {
    pub(crate) items: RefCell<IndexSet<DictKey>>,
    pub(crate) frozen: bool,
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
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A set of these keys.
pub(crate) fn value(items: IndexSet<DictKey>, frozen: bool) -> ScriptValue {
    ScriptValue::host(Set { items: RefCell::new(items), frozen })
}

/// A set of these values.
pub(crate) fn from_items(items: impl IntoIterator<Item = ScriptValue>) -> Result<ScriptValue, Raise> {
    Ok(value(keys(items)?, false))
}

pub(crate) fn keys(items: impl IntoIterator<Item = ScriptValue>) -> Result<IndexSet<DictKey>, Raise> {
    let mut set = IndexSet::new();
    for item in items {
        let key = DictKey::new(item).map_err(|item| {
            HostError::type_error(format!("unhashable type: '{}'", super::unhashable_part(&item)))
        })?;
        set.insert(key);
    }
    Ok(set)
}

/// The elements, if the value is a set.
pub(crate) fn items(value: &ScriptValue) -> Option<Vec<ScriptValue>> {
    value.as_host::<Set>().map(|set| set.items.borrow().iter().map(|key| key.0.clone()).collect())
}

pub(crate) fn len(value: &ScriptValue) -> Option<usize> {
    value.as_host::<Set>().map(|set| set.items.borrow().len())
}

pub(crate) fn contains(value: &ScriptValue, key: &DictKey) -> bool {
    value.as_host::<Set>().is_some_and(|set| set.items.borrow().contains(key))
}

/// `a == b` of sets.
pub(crate) fn equal(a: &ScriptValue, b: &ScriptValue) -> Option<bool> {
    let (a, b) = (a.as_host::<Set>()?, b.as_host::<Set>()?);
    let (a, b) = (a.items.borrow(), b.items.borrow());
    Some(a.len() == b.len() && a.iter().all(|key| b.contains(key)))
}

/// `a < b` of sets: is it a part.
pub(crate) fn order(op: CmpOp, a: &ScriptValue, b: &ScriptValue) -> Option<bool> {
    let (a, b) = (a.as_host::<Set>()?, b.as_host::<Set>()?);
    let (a, b) = (a.items.borrow(), b.items.borrow());
    let part = |a: &IndexSet<DictKey>, b: &IndexSet<DictKey>| a.iter().all(|key| b.contains(key));
    Some(match op {
        CmpOp::Lt => a.len() < b.len() && part(&a, &b),
        CmpOp::LtE => part(&a, &b),
        CmpOp::Gt => b.len() < a.len() && part(&b, &a),
        CmpOp::GtE => part(&b, &a),
        _ => return None,
    })
}

/// Union, intersection, difference.
pub(crate) fn binary(op: BinOp, a: &ScriptValue, b: &ScriptValue) -> Option<ScriptValue> {
    let (x, y) = (a.as_host::<Set>()?, b.as_host::<Set>()?);
    let frozen = x.frozen;
    let (x, y) = (x.items.borrow(), y.items.borrow());
    let items: IndexSet<DictKey> = match op {
        BinOp::BitOr => x.union(&y).cloned().collect(),
        BinOp::BitAnd => x.intersection(&y).cloned().collect(),
        BinOp::Sub => x.difference(&y).cloned().collect(),
        BinOp::BitXor => x.symmetric_difference(&y).cloned().collect(),
        _ => return None,
    };
    Some(value(items, frozen))
}
