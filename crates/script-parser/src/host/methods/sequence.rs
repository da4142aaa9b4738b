//! Methods of lists and tuples.

use tvmscript_irbuilder::{CallArgs, ScriptValue};

use super::Table;
use crate::errors::HostError;
use crate::eval::Raise;
use crate::host::builtins::{self, args, charge, optional};
use crate::host::number::small_index;
use crate::host::repr;
use crate::parser::Parser;

pub(super) const LIST: Table = &[
    ("append", |p, v, a| {
        let [x] = args("list.append", a)?;
        charge(p, 1)?;
        change(v, |items| items.push(x))
    }),
    ("extend", |p, v, a| {
        let [x] = args("list.extend", a)?;
        let more = p.collect_values(&x)?;
        change(v, |items| items.extend(more))
    }),
    ("insert", |p, v, a| {
        let [at, x] = args("insert", a)?;
        charge(p, 1)?;
        let at = small_index(&at).unwrap_or(0);
        change(v, |items| {
            let len = items.len() as i64;
            let at = if at < 0 { at.saturating_add(len) } else { at };
            items.insert(at.clamp(0, len) as usize, x);
        })
    }),
    ("pop", |_, v, a| {
        let [at] = optional("pop", a, 0)?;
        let ScriptValue::List(list) = v else { return Ok(ScriptValue::None) };
        let mut items = list.borrow_mut();
        if items.is_empty() {
            return Err(HostError::index("pop from empty list").into());
        }
        let len = items.len() as i64;
        let at = at.map_or(-1, |at| small_index(&at).unwrap_or(0));
        let at = if at < 0 { at.saturating_add(len) } else { at };
        match usize::try_from(at) {
            Ok(at) if at < items.len() => Ok(items.remove(at)),
            _ => Err(HostError::index("pop index out of range").into()),
        }
    }),
    ("remove", |p, v, a| {
        let [x] = args("list.remove", a)?;
        match place(p, v, &x)? {
            Some(at) => change(v, |items| {
                items.remove(at);
            }),
            None => Err(HostError::value_error("list.remove(x): x not in list").into()),
        }
    }),
    ("clear", |_, v, a| {
        let [] = args("list.clear", a)?;
        change(v, Vec::clear)
    }),
    ("copy", |p, v, a| {
        let [] = args("list.copy", a)?;
        let items = p.collect_values(v)?;
        Ok(ScriptValue::list(items))
    }),
    ("reverse", |_, v, a| {
        let [] = args("list.reverse", a)?;
        change(v, |items| items.reverse())
    }),
    ("sort", |p, v, mut a| {
        let (key, reverse) = (a.take_keyword("key"), a.take_keyword("reverse"));
        let [] = args("sort", a)?;
        let items = p.collect_values(v)?;
        let items = builtins::sort(p, items, key, reverse)?;
        change(v, |old| *old = items)
    }),
    ("index", sequence_index),
    ("count", sequence_count),
];

pub(super) const TUPLE: Table = &[("index", sequence_index), ("count", sequence_count)];

fn change(v: &ScriptValue, f: impl FnOnce(&mut Vec<ScriptValue>)) -> Result<ScriptValue, Raise> {
    if let ScriptValue::List(items) = v {
        f(&mut items.borrow_mut());
    }
    Ok(ScriptValue::None)
}

fn place(p: &mut Parser, v: &ScriptValue, x: &ScriptValue) -> Result<Option<usize>, Raise> {
    for (index, item) in p.collect_values(v)?.iter().enumerate() {
        if builtins::equal(p, item, x)? {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

fn sequence_index(p: &mut Parser, v: &ScriptValue, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("index", a)?;
    match place(p, v, &x)? {
        Some(at) => Ok(ScriptValue::Int(at as i64)),
        None => {
            let message = match v {
                ScriptValue::Tuple(_) => "tuple.index(x): x not in tuple".to_owned(),
                _ => format!("{} is not in list", repr::repr(p, &x)?),
            };
            Err(HostError::value_error(message).into())
        }
    }
}

fn sequence_count(p: &mut Parser, v: &ScriptValue, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("count", a)?;
    let mut count = 0;
    for item in p.collect_values(v)? {
        count += i64::from(builtins::equal(p, &item, &x)?);
    }
    Ok(ScriptValue::Int(count))
}
