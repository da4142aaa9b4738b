//! Methods of dictionaries, dictionary views and IR maps.

use std::cell::RefCell;
use std::rc::Rc;

use tvmscript_script_value::{Dict, ScriptValue};

use crate::eval::exception;
use crate::python::builtins::{self, Table, linear, own};
use crate::python::{cost, set, subscript, view};

pub(super) static DICT: Table = &[
    own("get").one_or_two(|p, v, key, default| {
        let key = p.hashable(key)?;
        Ok(with_dict(v, |dict| dict.get(&key).cloned()).flatten().or(default).unwrap_or_default())
    }),
    own("keys").zero(|_, v| Ok(view::value(v, view::Kind::Keys))),
    own("values").zero(|_, v| Ok(view::value(v, view::Kind::Values))),
    own("items").zero(|_, v| Ok(view::value(v, view::Kind::Items))),
    own("pop").one_or_two(|p, v, key, default| {
        let hashed = p.hashable(key.clone())?;
        cost::removal(p.state, with_dict(v, |dict| dict.len()).unwrap_or(0))?;
        let found = with_dict(v, |dict| dict.shift_remove(&hashed)).flatten();
        match found.or(default) {
            Some(value) => Ok(value),
            None => Err(exception::key_error(key)),
        }
    }),
    own("popitem").zero(|_, v| match with_dict(v, |dict| dict.pop()).flatten() {
        Some((key, value)) => Ok(ScriptValue::tuple([key.0, value])),
        None => Err(exception::key_error(ScriptValue::str("popitem(): dictionary is empty"))),
    }),
    own("setdefault").one_or_two(|p, v, key, default| {
        let key = p.hashable(key)?;
        p.state.program.budget.allocate(cost::ENTRY_BYTES)?;
        if let Some(default) = &default {
            p.state.program.keep_container(v, default)?;
        }
        let value = with_dict(v, |dict| dict.entry(key).or_insert(default.unwrap_or_default()).clone());
        Ok(value.unwrap_or_default())
    }),
    linear("update").any(|p, v, a| {
        if a.positional.len() > 1 {
            raise!(Type, "update expected at most 1 argument, got {}", a.positional.len());
        }
        let mut more = Dict::new();
        for other in &a.positional {
            builtins::fill(p, &mut more, other)?;
        }
        for (key, value) in a.keywords {
            more.insert(p.hashable(ScriptValue::Str(key))?, value);
        }
        cost::entries(p.state, more.len())?;
        set::charge_keys(p.state, more.keys())?;
        more.iter().try_for_each(|(_, value)| p.state.program.keep_container(v, value))?;
        with_dict(v, |dict| dict.extend(more.iter().map(|(k, v)| (k.clone(), v.clone()))));
        Ok(ScriptValue::None)
    }),
    linear("clear").zero(|_, v| {
        // The entries may contain the dictionary itself.
        let old = with_dict(v, Dict::take_entries);
        drop(old);
        Ok(ScriptValue::None)
    }),
    own("copy").zero(|p, v| {
        cost::entries(p.state, with_dict(v, |dict| dict.len()).unwrap_or(0))?;
        let copy = with_dict(v, |dict| dict.clone()).unwrap_or_default();
        Ok(ScriptValue::Dict(Rc::new(RefCell::new(copy))))
    }),
];

/// Methods of `dict_keys` and `dict_items`.
pub(super) static VIEW: Table = &[linear("isdisjoint").one(|p, v, x| {
    let other = p.collect_values(&x)?;
    let other = set::keys(p, other)?;
    let own = view::as_set(p, v)?.unwrap_or_default();
    Ok(ScriptValue::Bool(own.is_disjoint(&other)))
})];

fn with_dict<R>(v: &ScriptValue, f: impl FnOnce(&mut Dict) -> R) -> Option<R> {
    match v {
        ScriptValue::Dict(dict) => Some(f(&mut dict.borrow_mut())),
        _ => None,
    }
}

pub(super) static MAP: Table = &[
    linear("get").one_or_two(|p, v, key, default| match subscript::get(p, v, &key) {
        Ok(value) => Ok(value),
        Err(_) => Ok(default.unwrap_or_default()),
    }),
    linear("keys").zero(|p, v| Ok(ScriptValue::list(p.collect_values(v)?))),
    linear("items").zero(|p, v| {
        let mut pairs = Vec::new();
        for key in p.collect_values(v)? {
            let value = subscript::get(p, v, &key)?;
            p.state.program.budget.allocate(cost::OBJECT_BYTES + 3 * cost::VALUE_BYTES)?;
            pairs.push(ScriptValue::tuple([key, value]));
        }
        Ok(ScriptValue::list(pairs))
    }),
];
