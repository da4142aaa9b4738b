//! Methods of sets.

use tvmscript_irbuilder::{DictKey, ScriptValue};

use super::Table;
use crate::errors::{HostError, HostErrorKind};
use crate::eval::Raise;
use crate::host::builtins::{args, charge};
use crate::host::set::{self, Set};

pub(super) const SET: Table = &[
    ("add", |p, v, a| {
        let [x] = args("set.add", a)?;
        let key = p.hashable(x)?;
        charge(p, 1)?;
        with_set(v, |items| {
            items.insert(key);
        })
    }),
    ("discard", |p, v, a| {
        let [x] = args("set.discard", a)?;
        let key = p.hashable(x)?;
        with_set(v, |items| {
            items.shift_remove(&key);
        })
    }),
    ("update", |p, v, a| {
        for other in &a.positional {
            let keys = set::keys(p.collect_values(other)?)?;
            with_set(v, |items| items.extend(keys))?;
        }
        Ok(ScriptValue::None)
    }),
    ("union", |p, v, a| {
        let mut all = set::items(v).unwrap_or_default();
        for other in &a.positional {
            all.extend(p.collect_values(other)?);
        }
        set::from_items(all)
    }),
    ("intersection", |p, v, a| {
        let [x] = args("intersection", a)?;
        let other = set::keys(p.collect_values(&x)?)?;
        let items = set::keys(set::items(v).unwrap_or_default())?;
        Ok(set::value(items.intersection(&other).cloned().collect(), false))
    }),
    ("difference", |p, v, a| {
        let [x] = args("difference", a)?;
        let other = set::keys(p.collect_values(&x)?)?;
        let items = set::keys(set::items(v).unwrap_or_default())?;
        Ok(set::value(items.difference(&other).cloned().collect(), false))
    }),
    ("issubset", |p, v, a| {
        let [x] = args("issubset", a)?;
        let other = set::keys(p.collect_values(&x)?)?;
        let items = set::keys(set::items(v).unwrap_or_default())?;
        Ok(ScriptValue::Bool(items.is_subset(&other)))
    }),
    ("copy", |_, v, a| {
        let [] = args("copy", a)?;
        set::from_items(set::items(v).unwrap_or_default())
    }),
];

fn with_set(v: &ScriptValue, f: impl FnOnce(&mut indexmap::IndexSet<DictKey>)) -> Result<ScriptValue, Raise> {
    match v.as_host::<Set>() {
        Some(set) if !set.frozen => f(&mut set.items.borrow_mut()),
        _ => return Err(HostError::new(HostErrorKind::Attribute, "a frozenset cannot be changed").into()),
    }
    Ok(ScriptValue::None)
}
