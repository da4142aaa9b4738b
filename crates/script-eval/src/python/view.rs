//! Views of dictionaries: `keys()`, `values()`, `items()`.

use std::cell::RefCell;
use std::rc::Rc;

use indexmap::IndexSet;
use tvmscript_script_value::{Dict, DictKey, Hashing, HostObject, ScriptValue};

use super::{compare, cost, set};
use crate::Eval;
use crate::eval::Raise;

/// The part of the entries that a view contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Keys,
    Values,
    Items,
}

/// A view, which follows the changes of its dictionary.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) dict: Rc<RefCell<Dict>>,
    pub(crate) kind: Kind,
}

impl Kind {
    /// The element at an index.
    pub(crate) fn at(self, dict: &Dict, index: usize) -> Option<ScriptValue> {
        let (key, value) = dict.get_index(index)?;
        Some(match self {
            Kind::Keys => key.0.clone(),
            Kind::Values => value.clone(),
            Kind::Items => ScriptValue::tuple([key.0.clone(), value.clone()]),
        })
    }
}

impl HostObject for View {
    fn type_name(&self) -> &str {
        match self.kind {
            Kind::Keys => "dict_keys",
            Kind::Values => "dict_values",
            Kind::Items => "dict_items",
        }
    }
    fn items(&self) -> Option<Vec<ScriptValue>> {
        let dict = self.dict.borrow();
        Some((0..dict.len()).filter_map(|index| self.kind.at(&dict, index)).collect())
    }
    fn hashing(&self) -> Hashing {
        if self.kind == Kind::Values { Hashing::Identity } else { Hashing::Unhashable }
    }
}

/// A view of a dictionary as a value; `None` for other values.
pub(crate) fn value(dict: &ScriptValue, kind: Kind) -> ScriptValue {
    match dict {
        ScriptValue::Dict(dict) => ScriptValue::host(View { dict: dict.clone(), kind }),
        _ => ScriptValue::None,
    }
}

pub(crate) fn of(value: &ScriptValue) -> Option<&View> {
    value.as_host::<View>()
}

/// Tests whether the value is a set-like view.
pub(crate) fn is_set(value: &ScriptValue) -> bool {
    of(value).is_some_and(|view| view.kind != Kind::Values)
}

/// The keys of a set-like view; `None` for other values.
pub(crate) fn as_set(p: &mut Eval<'_>, value: &ScriptValue) -> Result<Option<IndexSet<DictKey>>, Raise> {
    let Some(view) = of(value).filter(|view| view.kind != Kind::Values) else { return Ok(None) };
    cost::entries(p.state, view.dict.borrow().len())?;
    set::keys(p, view.items().unwrap_or_default()).map(Some)
}

/// `item in view`
pub(crate) fn contains(p: &mut Eval<'_>, view: &View, item: &ScriptValue) -> Result<bool, Raise> {
    match (view.kind, item) {
        (Kind::Keys, item) => {
            let key = p.hashable(item.clone())?;
            Ok(view.dict.borrow().contains_key(&key))
        }
        (Kind::Items, ScriptValue::Tuple(pair)) => {
            let [key, value] = &pair[..] else { return Ok(false) };
            let key = p.hashable(key.clone())?;
            let found = view.dict.borrow().get(&key).cloned();
            found.map_or(Ok(false), |found| compare::same(p, &found, value))
        }
        (Kind::Items, _) => Ok(false),
        (Kind::Values, item) => {
            let mut at = 0;
            loop {
                let value = view.kind.at(&view.dict.borrow(), at);
                let Some(value) = value else { return Ok(false) };
                p.state.program.budget.step(1)?;
                if compare::same(p, &value, item)? {
                    return Ok(true);
                }
                at += 1;
            }
        }
    }
}
