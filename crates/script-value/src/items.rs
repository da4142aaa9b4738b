//! Contents of containers, released without recursion.
//!
//! Scripts can nest containers arbitrarily deep. Dropping the outermost one must not recurse on the native stack:
//! nested values are queued per thread and dropped one after the other.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use indexmap::IndexMap;

use crate::key::{DictKey, KeyHashing};
use crate::value::{HostObject, ScriptValue};

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
#[derive(Clone, Default)]
pub struct Dict {
    entries: IndexMap<DictKey, ScriptValue, KeyHashing>,
    /// The subclass of `dict` of the value, such as an ordered or counting dictionary.
    class: Option<Rc<dyn HostObject>>,
}

impl Dict {
    /// An empty dictionary.
    pub fn new() -> Dict {
        Dict::default()
    }

    /// An empty dictionary with a capacity.
    pub fn with_capacity(capacity: usize) -> Dict {
        Dict { entries: IndexMap::with_capacity_and_hasher(capacity, KeyHashing::default()), class: None }
    }

    /// The same entries as an instance of a subclass of `dict`, which the evaluator knows.
    #[must_use]
    pub fn with_class(mut self, class: Option<Rc<dyn HostObject>>) -> Dict {
        self.class = class;
        self
    }

    /// The subclass of `dict`; `None` for plain dictionaries.
    pub fn class(&self) -> Option<&Rc<dyn HostObject>> {
        self.class.as_ref()
    }

    /// Takes all entries. The class stays.
    pub fn take_entries(&mut self) -> Dict {
        Dict { entries: std::mem::take(&mut self.entries), class: None }
    }
}

impl Drop for Dict {
    fn drop(&mut self) {
        let entries = std::mem::take(&mut self.entries);
        let class = self.class.take().map(ScriptValue::Host);
        release(entries.into_iter().flat_map(|(key, value)| [key.0, value]).chain(class));
    }
}

impl std::fmt::Debug for Dict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.entries.fmt(f)
    }
}

impl Deref for Dict {
    type Target = IndexMap<DictKey, ScriptValue, KeyHashing>;
    fn deref(&self) -> &Self::Target {
        &self.entries
    }
}

impl DerefMut for Dict {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.entries
    }
}

impl FromIterator<(DictKey, ScriptValue)> for Dict {
    fn from_iter<I: IntoIterator<Item = (DictKey, ScriptValue)>>(entries: I) -> Dict {
        Dict { entries: entries.into_iter().collect(), class: None }
    }
}

impl<'a> IntoIterator for &'a Dict {
    type Item = (&'a DictKey, &'a ScriptValue);
    type IntoIter = indexmap::map::Iter<'a, DictKey, ScriptValue>;
    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}
