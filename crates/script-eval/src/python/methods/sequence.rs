//! Methods of lists, tuples and ranges.

use tvmscript_script_value::{ScriptValue, Slice};

use crate::Eval;
use crate::eval::Raise;
use crate::python::builtins::{self, Table, linear, own};
use crate::python::number::{small_index, word};
use crate::python::{Outcome, compare, cost, range, repr, subscript};

pub(super) static LIST: Table = &[
    own("append").one(|p, v, x| {
        // The list may double its capacity.
        p.state.program.budget.allocate(2 * cost::VALUE_BYTES)?;
        p.state.program.keep_container(v, &x)?;
        change(v, |items| items.push(x))
    }),
    own("extend").one(|p, v, x| {
        let more = p.collect_values(&x)?;
        more.iter().try_for_each(|item| p.state.program.keep_container(v, item))?;
        change(v, |items| items.extend(more))
    }),
    own("insert").two(|p, v, at, x| {
        let at = word(&at)?;
        p.state.program.budget.allocate(2 * cost::VALUE_BYTES)?;
        cost::moves(p.state, len(v))?;
        p.state.program.keep_container(v, &x)?;
        change(v, |items| {
            items.insert(subscript::place_to_insert(at, items.len()), x);
        })
    }),
    own("pop").zero_or_one(|p, v, at| {
        let at = at.map_or(Ok(-1), |at| word(&at))?;
        let ScriptValue::List(list) = v else { return Ok(ScriptValue::None) };
        let len = list.borrow().len();
        if len == 0 {
            raise!(Index, "pop from empty list");
        }
        match subscript::place_of(at, len) {
            Some(at) => {
                cost::moves(p.state, len - at)?;
                Ok(list.borrow_mut().remove(at))
            }
            None => raise!(Index, "pop index out of range"),
        }
    }),
    own("remove").one(|p, v, x| match place(p, v, &x, 0, usize::MAX)? {
        Some(at) => {
            cost::moves(p.state, len(v))?;
            change(v, |items| {
                if at < items.len() {
                    items.remove(at);
                }
            })
        }
        None => raise!(Value, "list.remove(x): x not in list"),
    }),
    linear("clear").zero(|_, v| change(v, Vec::clear)),
    own("copy").zero(|p, v| {
        cost::values(p.state, len(v))?;
        let ScriptValue::List(items) = v else { return Ok(ScriptValue::None) };
        let copy = items.borrow().to_vec();
        Ok(ScriptValue::list(copy))
    }),
    linear("reverse").zero(|_, v| change(v, |items| items.reverse())),
    own("sort")
        .zero_to_two(|p, v, key, reverse| {
            let items = p.collect_values(v)?;
            let items = builtins::sort(p, items, key, reverse)?;
            change(v, |old| *old = items)
        })
        .with_keywords(&["key", "reverse"])
        .with_keyword_only(2),
    own("index").one_to_three(sequence_index),
    own("count").one(sequence_count),
];

pub(super) static TUPLE: Table =
    &[own("index").one_to_three(sequence_index), own("count").one(sequence_count)];

pub(super) static RANGE: Table = &[
    own("index").one(|p, v, x| {
        let found = range::of(v).filter(|range| range.contains(&x)).cloned();
        let (Some(range), Some(value)) = (found, whole(&x)) else {
            raise!(Value, "{} is not in range", repr::repr(p, &x)?);
        };
        let place = (i128::from(value) - i128::from(range.start)) / i128::from(range.step);
        Ok(ScriptValue::Int(place as i64))
    }),
    own("count")
        .one(|_, v, x| Ok(ScriptValue::Int(i64::from(range::of(v).is_some_and(|range| range.contains(&x)))))),
];

pub(super) static SLICE: Table = &[own("indices").one(|_, v, len| {
    let ScriptValue::Slice(slice) = v else { return Ok(ScriptValue::None) };
    let len = word(&len)?;
    let Ok(len) = usize::try_from(len) else { raise!(Value, "length should not be negative") };
    let (start, stop, step) = subscript::bounds(slice, len)?;
    Ok(ScriptValue::tuple([start, stop, step].map(ScriptValue::Int)))
})];

fn whole(value: &ScriptValue) -> Option<i64> {
    match value {
        ScriptValue::Float(f) => Some(*f as i64),
        value => small_index(value),
    }
}

fn change(v: &ScriptValue, f: impl FnOnce(&mut Vec<ScriptValue>)) -> Outcome {
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

/// Index of the first occurrence in a range of indices.
fn place(
    p: &mut Eval<'_>,
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

fn sequence_index(
    p: &mut Eval<'_>,
    v: &ScriptValue,
    x: ScriptValue,
    start: Option<ScriptValue>,
    stop: Option<ScriptValue>,
) -> Outcome {
    let slice =
        Slice { start: start.unwrap_or_default(), stop: stop.unwrap_or_default(), step: ScriptValue::None };
    let (from, to, _) = subscript::bounds(&slice, len(v))?;
    match place(p, v, &x, from as usize, to.max(0) as usize)? {
        Some(at) => Ok(ScriptValue::Int(at as i64)),
        None => {
            if let ScriptValue::Tuple(_) = v {
                raise!(Value, "tuple.index(x): x not in tuple");
            }
            raise!(Value, "{} is not in list", repr::repr(p, &x)?)
        }
    }
}

fn sequence_count(p: &mut Eval<'_>, v: &ScriptValue, x: ScriptValue) -> Outcome {
    let (mut count, mut at) = (0, 0);
    while let Some(item) = item(v, at) {
        count += i64::from(compare::same(p, &item, &x)?);
        at += 1;
    }
    Ok(ScriptValue::Int(count))
}
