//! Methods of lists, tuples and ranges.

use tvmscript_script_value::{CallArgs, ScriptValue, Slice};

use super::Table;
use crate::Host;
use crate::errors::HostError;
use crate::eval::Raise;
use crate::python::builtins::{self, args, optional};
use crate::python::compare;
use crate::python::cost::{self, Cost};
use crate::python::number::word;
use crate::python::{range, repr, subscript};

pub(super) const LIST: Table = &[
    ("append", Cost::Own, |p, v, a| {
        let [x] = args("list.append", a)?;
        // The list may double when it grows.
        p.program.budget.allocate(2 * cost::VALUE_BYTES)?;
        p.program.keep_container(v, &x)?;
        change(v, |items| items.push(x))
    }),
    ("extend", Cost::Own, |p, v, a| {
        let [x] = args("list.extend", a)?;
        let more = p.collect_values(&x)?;
        more.iter().try_for_each(|item| p.program.keep_container(v, item))?;
        change(v, |items| items.extend(more))
    }),
    ("insert", Cost::Own, |p, v, a| {
        let [at, x] = args("insert", a)?;
        let at = word(&at)?;
        p.program.budget.allocate(2 * cost::VALUE_BYTES)?;
        cost::moves(p, len(v))?;
        p.program.keep_container(v, &x)?;
        change(v, |items| {
            let len = items.len() as i64;
            let at = if at < 0 { at.saturating_add(len) } else { at };
            items.insert(at.clamp(0, len) as usize, x);
        })
    }),
    ("pop", Cost::Own, |p, v, a| {
        let [at] = optional("pop", a, 0)?;
        let at = at.map_or(Ok(-1), |at| word(&at))?;
        let ScriptValue::List(list) = v else { return Ok(ScriptValue::None) };
        let len = list.borrow().len();
        if len == 0 {
            return Err(HostError::index("pop from empty list").into());
        }
        let at = if at < 0 { at.saturating_add(len as i64) } else { at };
        match usize::try_from(at) {
            Ok(at) if at < len => {
                cost::moves(p, len - at)?;
                Ok(list.borrow_mut().remove(at))
            }
            _ => Err(HostError::index("pop index out of range").into()),
        }
    }),
    ("remove", Cost::Own, |p, v, a| {
        let [x] = args("list.remove", a)?;
        match place(p, v, &x, 0, usize::MAX)? {
            Some(at) => {
                cost::moves(p, len(v))?;
                change(v, |items| {
                    if at < items.len() {
                        items.remove(at);
                    }
                })
            }
            None => Err(HostError::value_error("list.remove(x): x not in list").into()),
        }
    }),
    ("clear", Cost::Linear, |_, v, a| {
        let [] = args("list.clear", a)?;
        change(v, Vec::clear)
    }),
    ("copy", Cost::Own, |p, v, a| {
        let [] = args("list.copy", a)?;
        cost::values(p, len(v))?;
        let ScriptValue::List(items) = v else { return Ok(ScriptValue::None) };
        let copy = items.borrow().to_vec();
        Ok(ScriptValue::list(copy))
    }),
    ("reverse", Cost::Linear, |_, v, a| {
        let [] = args("list.reverse", a)?;
        change(v, |items| items.reverse())
    }),
    ("sort", Cost::Own, |p, v, mut a| {
        let (key, reverse) = (a.take_keyword("key"), a.take_keyword("reverse"));
        let [] = args("sort", a)?;
        let items = p.collect_values(v)?;
        let items = builtins::sort(p, items, key, reverse)?;
        change(v, |old| *old = items)
    }),
    ("index", Cost::Own, sequence_index),
    ("count", Cost::Own, sequence_count),
];

pub(super) const TUPLE: Table = &[("index", Cost::Own, sequence_index), ("count", Cost::Own, sequence_count)];

pub(super) const RANGE: Table = &[
    ("index", Cost::Own, |p, v, a| {
        let [x] = args("range.index", a)?;
        let found = range::of(v).filter(|range| range.contains(&x)).cloned();
        let (Some(range), Some(value)) = (found, whole(&x)) else {
            let message = format!("{} is not in range", repr::repr(p, &x)?);
            return Err(HostError::value_error(message).into());
        };
        let place = (i128::from(value) - i128::from(range.start)) / i128::from(range.step);
        Ok(ScriptValue::Int(place as i64))
    }),
    ("count", Cost::Own, |_, v, a| {
        let [x] = args("range.count", a)?;
        Ok(ScriptValue::Int(i64::from(range::of(v).is_some_and(|range| range.contains(&x)))))
    }),
];

fn whole(value: &ScriptValue) -> Option<i64> {
    match value {
        ScriptValue::Float(f) => Some(*f as i64),
        value => crate::python::number::small_index(value),
    }
}

fn change(v: &ScriptValue, f: impl FnOnce(&mut Vec<ScriptValue>)) -> Result<ScriptValue, Raise> {
    if let ScriptValue::List(items) = v {
        f(&mut items.borrow_mut());
    }
    Ok(ScriptValue::None)
}

fn len(v: &ScriptValue) -> usize {
    match v {
        ScriptValue::List(items) => items.borrow().len(),
        ScriptValue::Tuple(items) => items.len(),
        _ => 0,
    }
}

fn item(v: &ScriptValue, at: usize) -> Option<ScriptValue> {
    match v {
        ScriptValue::List(items) => items.borrow().get(at).cloned(),
        ScriptValue::Tuple(items) => items.get(at).cloned(),
        _ => None,
    }
}

/// The first place of a value from one index to before another.
fn place(
    p: &mut dyn Host,
    v: &ScriptValue,
    x: &ScriptValue,
    from: usize,
    to: usize,
) -> Result<Option<usize>, Raise> {
    let mut at = from;
    while at < to
        && let Some(item) = item(v, at)
    {
        if compare::same(p, &item, x)? {
            return Ok(Some(at));
        }
        at += 1;
    }
    Ok(None)
}

fn sequence_index(p: &mut dyn Host, v: &ScriptValue, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x, start, stop] = optional("index", a, 1)?;
    let x = x.unwrap_or_default();
    let slice =
        Slice { start: start.unwrap_or_default(), stop: stop.unwrap_or_default(), step: ScriptValue::None };
    let (from, to, _) = subscript::bounds(&slice, len(v))?;
    match place(p, v, &x, from as usize, to.max(0) as usize)? {
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

fn sequence_count(p: &mut dyn Host, v: &ScriptValue, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("count", a)?;
    let (mut count, mut at) = (0, 0);
    while let Some(item) = item(v, at) {
        count += i64::from(compare::same(p, &item, &x)?);
        at += 1;
    }
    Ok(ScriptValue::Int(count))
}
