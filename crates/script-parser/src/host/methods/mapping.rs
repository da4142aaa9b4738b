//! Methods of dictionaries, and of maps of IR.

use std::rc::Rc;

use tvmscript_irbuilder::{DictKey, ScriptValue};

use super::Table;
use crate::errors::{HostError, HostErrorKind};
use crate::host::builtins::{self, args, charge, optional};
use crate::host::{repr, subscript};

pub(super) const DICT: Table = &[
    ("get", |p, v, a| {
        let [key, default] = optional("get", a, 1)?;
        let key = p.hashable(key.unwrap_or_default())?;
        Ok(with_dict(v, |dict| dict.get(&key).cloned()).or(default).unwrap_or_default())
    }),
    ("keys", |_, v, a| {
        let [] = args("keys", a)?;
        Ok(ScriptValue::list(with_dict(v, |dict| dict.keys().map(|k| k.0.clone()).collect())))
    }),
    ("values", |_, v, a| {
        let [] = args("values", a)?;
        Ok(ScriptValue::list(with_dict(v, |dict| dict.values().cloned().collect())))
    }),
    ("items", |p, v, a| {
        let [] = args("items", a)?;
        charge(p, 3 * with_dict(v, |dict| dict.len()))?;
        let pair =
            |(key, value): (&DictKey, &ScriptValue)| ScriptValue::tuple([key.0.clone(), value.clone()]);
        Ok(ScriptValue::list(with_dict(v, |dict| dict.iter().map(pair).collect())))
    }),
    ("pop", |p, v, a| {
        let [key, default] = optional("pop", a, 1)?;
        let key = key.unwrap_or_default();
        let hashed = p.hashable(key.clone())?;
        let found = match v {
            ScriptValue::Dict(dict) => dict.borrow_mut().shift_remove(&hashed),
            _ => None,
        };
        match found.or(default) {
            Some(value) => Ok(value),
            None => Err(HostError::new(HostErrorKind::Key, repr::repr(p, &key)?).into()),
        }
    }),
    ("setdefault", |p, v, a| {
        let [key, default] = optional("setdefault", a, 1)?;
        let key = p.hashable(key.unwrap_or_default())?;
        charge(p, 2)?;
        match v {
            ScriptValue::Dict(dict) => {
                Ok(dict.borrow_mut().entry(key).or_insert(default.unwrap_or_default()).clone())
            }
            _ => Ok(ScriptValue::None),
        }
    }),
    ("update", |p, v, a| {
        let ScriptValue::Dict(dict) = v else { return Ok(ScriptValue::None) };
        let mut more = tvmscript_irbuilder::Dict::new();
        for other in &a.positional {
            builtins::fill(p, &mut more, other)?;
        }
        for (key, value) in a.keywords {
            more.insert(p.hashable(ScriptValue::Str(key))?, value);
        }
        charge(p, 2 * more.len())?;
        dict.borrow_mut().extend(more.iter().map(|(k, v)| (k.clone(), v.clone())));
        Ok(ScriptValue::None)
    }),
    ("clear", |_, v, a| {
        let [] = args("clear", a)?;
        if let ScriptValue::Dict(dict) = v {
            dict.borrow_mut().clear();
        }
        Ok(ScriptValue::None)
    }),
    ("copy", |p, v, a| {
        let [] = args("copy", a)?;
        charge(p, 2 * with_dict(v, |dict| dict.len()))?;
        let copy = with_dict(v, |dict| dict.clone());
        Ok(ScriptValue::Dict(Rc::new(std::cell::RefCell::new(copy))))
    }),
];

fn with_dict<R>(v: &ScriptValue, f: impl FnOnce(&tvmscript_irbuilder::Dict) -> R) -> R {
    match v {
        ScriptValue::Dict(dict) => f(&dict.borrow()),
        _ => f(&tvmscript_irbuilder::Dict::new()),
    }
}

pub(super) const MAP: Table = &[
    ("get", |p, v, a| {
        let [key, default] = optional("get", a, 1)?;
        match subscript::get(p, v, &key.unwrap_or_default()) {
            Ok(value) => Ok(value),
            Err(_) => Ok(default.unwrap_or_default()),
        }
    }),
    ("keys", |p, v, a| {
        let [] = args("keys", a)?;
        Ok(ScriptValue::list(p.collect_values(v)?))
    }),
    ("items", |p, v, a| {
        let [] = args("items", a)?;
        let mut pairs = Vec::new();
        for key in p.collect_values(v)? {
            let value = subscript::get(p, v, &key)?;
            pairs.push(ScriptValue::tuple([key, value]));
        }
        Ok(ScriptValue::list(pairs))
    }),
];
