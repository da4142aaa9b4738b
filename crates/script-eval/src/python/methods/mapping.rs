//! Methods of dictionaries, of their views, and of maps of IR.

use std::cell::RefCell;
use std::rc::Rc;

use tvmscript_script_value::{Dict, ScriptValue};

use super::Table;
use crate::errors::{HostError, HostErrorKind};
use crate::python::builtins::{self, args, optional};
use crate::python::cost::{self, Cost};
use crate::python::{repr, set, subscript, view};

pub(super) const DICT: Table = &[
    ("get", Cost::Own, |p, v, a| {
        let [key, default] = optional("get", a, 1)?;
        let key = p.hashable(key.unwrap_or_default())?;
        Ok(with_dict(v, |dict| dict.get(&key).cloned()).flatten().or(default).unwrap_or_default())
    }),
    ("keys", Cost::Own, |_, v, a| {
        let [] = args("keys", a)?;
        Ok(view::value(v, view::Kind::Keys))
    }),
    ("values", Cost::Own, |_, v, a| {
        let [] = args("values", a)?;
        Ok(view::value(v, view::Kind::Values))
    }),
    ("items", Cost::Own, |_, v, a| {
        let [] = args("items", a)?;
        Ok(view::value(v, view::Kind::Items))
    }),
    ("pop", Cost::Own, |p, v, a| {
        let [key, default] = optional("pop", a, 1)?;
        let key = key.unwrap_or_default();
        let hashed = p.hashable(key.clone())?;
        cost::removal(p, with_dict(v, |dict| dict.len()).unwrap_or(0))?;
        let found = with_dict(v, |dict| dict.shift_remove(&hashed)).flatten();
        match found.or(default) {
            Some(value) => Ok(value),
            None => Err(HostError::new(HostErrorKind::Key, repr::repr(p, &key)?).into()),
        }
    }),
    ("popitem", Cost::Own, |_, v, a| {
        let [] = args("dict.popitem", a)?;
        match with_dict(v, |dict| dict.pop()).flatten() {
            Some((key, value)) => Ok(ScriptValue::tuple([key.0, value])),
            None => {
                let message = "'popitem(): dictionary is empty'";
                Err(HostError::new(HostErrorKind::Key, message).into())
            }
        }
    }),
    ("setdefault", Cost::Own, |p, v, a| {
        let [key, default] = optional("setdefault", a, 1)?;
        let key = p.hashable(key.unwrap_or_default())?;
        p.program.budget.allocate(cost::ENTRY_BYTES)?;
        if let Some(default) = &default {
            p.program.keep_container(v, default)?;
        }
        let value = with_dict(v, |dict| dict.entry(key).or_insert(default.unwrap_or_default()).clone());
        Ok(value.unwrap_or_default())
    }),
    ("update", Cost::Linear, |p, v, a| {
        if a.positional.len() > 1 {
            let message = format!("update expected at most 1 argument, got {}", a.positional.len());
            return Err(HostError::type_error(message).into());
        }
        let mut more = Dict::new();
        for other in &a.positional {
            builtins::fill(p, &mut more, other)?;
        }
        for (key, value) in a.keywords {
            more.insert(p.hashable(ScriptValue::Str(key))?, value);
        }
        cost::entries(p, more.len())?;
        set::charge_keys(p, more.keys())?;
        more.iter().try_for_each(|(_, value)| p.program.keep_container(v, value))?;
        with_dict(v, |dict| dict.extend(more.iter().map(|(k, v)| (k.clone(), v.clone()))));
        Ok(ScriptValue::None)
    }),
    ("clear", Cost::Linear, |_, v, a| {
        let [] = args("clear", a)?;
        // What was in it may hold the dictionary itself.
        let old = with_dict(v, std::mem::take);
        drop(old);
        Ok(ScriptValue::None)
    }),
    ("copy", Cost::Own, |p, v, a| {
        let [] = args("copy", a)?;
        cost::entries(p, with_dict(v, |dict| dict.len()).unwrap_or(0))?;
        let copy = with_dict(v, |dict| dict.clone()).unwrap_or_default();
        Ok(ScriptValue::Dict(Rc::new(RefCell::new(copy))))
    }),
];

/// Methods of `dict_keys` and `dict_items`.
pub(super) const VIEW: Table = &[("isdisjoint", Cost::Linear, |p, v, a| {
    let [x] = args("isdisjoint", a)?;
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

pub(super) const MAP: Table = &[
    ("get", Cost::Linear, |p, v, a| {
        let [key, default] = optional("get", a, 1)?;
        match subscript::get(p, v, &key.unwrap_or_default()) {
            Ok(value) => Ok(value),
            Err(_) => Ok(default.unwrap_or_default()),
        }
    }),
    ("keys", Cost::Linear, |p, v, a| {
        let [] = args("keys", a)?;
        Ok(ScriptValue::list(p.collect_values(v)?))
    }),
    ("items", Cost::Linear, |p, v, a| {
        let [] = args("items", a)?;
        let mut pairs = Vec::new();
        for key in p.collect_values(v)? {
            let value = subscript::get(p, v, &key)?;
            p.program.budget.allocate(cost::OBJECT_BYTES + 3 * cost::VALUE_BYTES)?;
            pairs.push(ScriptValue::tuple([key, value]));
        }
        Ok(ScriptValue::list(pairs))
    }),
];
