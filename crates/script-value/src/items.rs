//! Contents of containers, released without recursion.
//!
//! Scripts can nest containers arbitrarily deep. Dropping the outermost one must not recurse on the native stack:
//! nested values are queued per thread and dropped one after the other.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

use indexmap::IndexMap;

use crate::key::DictKey;
use crate::value::ScriptValue;

thread_local! {
    /// Queue of values to drop, while a drop is in progress.
    static WAITING: RefCell<Option<Vec<ScriptValue>>> = const { RefCell::new(None) };
}

/// Drops values. Nested drops are queued.
pub fn release(values: impl IntoIterator<Item = ScriptValue>) {
    let mut values: Vec<ScriptValue> = values.into_iter().filter(ScriptValue::holds_values).collect();
    if values.is_empty() {
        return;
    }
    let begins = WAITING.try_with(|waiting| {
        let Ok(mut waiting) = waiting.try_borrow_mut() else { return false };
        match &mut *waiting {
            Some(queue) => {
                queue.append(&mut values);
                false
            }
            None => {
                *waiting = Some(std::mem::take(&mut values));
                true
            }
        }
    });
    if begins != Ok(true) {
        return;
    }
    loop {
        let next = WAITING.with_borrow_mut(|waiting| match waiting {
            Some(queue) if !queue.is_empty() => queue.pop(),
            _ => {
                *waiting = None;
                None
            }
        });
        match next {
            Some(value) => drop(value),
            None => return,
        }
    }
}

/// The elements of a list or tuple.
#[derive(Debug, Clone, Default)]
pub struct Items(Vec<ScriptValue>);

impl Drop for Items {
    fn drop(&mut self) {
        if self.0.iter().any(ScriptValue::holds_values) {
            release(std::mem::take(&mut self.0));
        }
    }
}

impl Deref for Items {
    type Target = Vec<ScriptValue>;
    fn deref(&self) -> &Vec<ScriptValue> {
        &self.0
    }
}

impl DerefMut for Items {
    fn deref_mut(&mut self) -> &mut Vec<ScriptValue> {
        &mut self.0
    }
}

impl From<Vec<ScriptValue>> for Items {
    fn from(items: Vec<ScriptValue>) -> Items {
        Items(items)
    }
}

impl FromIterator<ScriptValue> for Items {
    fn from_iter<I: IntoIterator<Item = ScriptValue>>(items: I) -> Items {
        Items(items.into_iter().collect())
    }
}

/// A dictionary in insertion order.
#[derive(Debug, Clone, Default)]
pub struct Dict(IndexMap<DictKey, ScriptValue>);

impl Dict {
    /// An empty dictionary.
    pub fn new() -> Dict {
        Dict::default()
    }

    /// An empty dictionary with a capacity.
    pub fn with_capacity(capacity: usize) -> Dict {
        Dict(IndexMap::with_capacity(capacity))
    }
}

impl Drop for Dict {
    fn drop(&mut self) {
        let entries = std::mem::take(&mut self.0);
        release(entries.into_iter().flat_map(|(key, value)| [key.0, value]));
    }
}

impl Deref for Dict {
    type Target = IndexMap<DictKey, ScriptValue>;
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Dict {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl FromIterator<(DictKey, ScriptValue)> for Dict {
    fn from_iter<I: IntoIterator<Item = (DictKey, ScriptValue)>>(entries: I) -> Dict {
        Dict(entries.into_iter().collect())
    }
}

impl<'a> IntoIterator for &'a Dict {
    type Item = (&'a DictKey, &'a ScriptValue);
    type IntoIter = indexmap::map::Iter<'a, DictKey, ScriptValue>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
