//! Mixin methods of sets.

use tvmscript_python_syntax::ast::BinOp;
use tvmscript_script_value::{CallArgs, ScriptValue};

use super::{call, is_of, length, raised};
use crate::Eval;
use crate::eval::class::natives::not_implemented;
use crate::eval::{Raise, exception};
use crate::host::Operator;
use crate::python::builtins::{self, Table, own};
use crate::python::{Outcome, compare, cost, set};

pub(super) static CLASS_METHODS: Table =
    &[own("_from_iterable").one(|p, class, items| p.call_value(class, CallArgs::positional([items])))];

pub(super) static SET: Table = &[
    own("__le__").one(|p, x, other| ordered(p, x, &other, |a, b| a <= b, true)),
    own("__lt__").one(|p, x, other| ordered(p, x, &other, |a, b| a < b, true)),
    own("__ge__").one(|p, x, other| ordered(p, x, &other, |a, b| a >= b, false)),
    own("__gt__").one(|p, x, other| ordered(p, x, &other, |a, b| a > b, false)),
    own("__eq__").one(|p, x, other| ordered(p, x, &other, |a, b| a == b, true)),
    own("__and__").one(common),
    own("__rand__").one(common),
    own("__or__").one(union),
    own("__ror__").one(union),
    own("__sub__").one(|p, x, other| match operand(p, x, &other)? {
        Some(other) => without(p, x, x, &other),
        None => Ok(not_implemented()),
    }),
    own("__rsub__").one(|p, x, other| match operand(p, x, &other)? {
        Some(other) => without(p, x, &other, x),
        None => Ok(not_implemented()),
    }),
    own("__xor__").one(symmetric),
    own("__rxor__").one(symmetric),
    own("isdisjoint").one(|p, x, other| {
        let mut iter = p.iterate(&other)?;
        while let Some(item) = p.next(&mut iter)? {
            if compare::contains(p, x, &item)? {
                return Ok(ScriptValue::Bool(false));
            }
        }
        Ok(ScriptValue::Bool(true))
    }),
    own("_hash").zero(|p, x| {
        let items = p.collect_values(x)?;
        let keys = set::keys(p, items)?;
        builtins::hash(p, set::value(keys, true))
    }),
];

/// Compares sets: their lengths by `fits`, then the elements of the smaller one with the larger one.
fn ordered(
    p: &mut Eval<'_>,
    x: &ScriptValue,
    other: &ScriptValue,
    fits: fn(i64, i64) -> bool,
    is_smaller: bool,
) -> Outcome {
    if !is_of(p, other, "Set")? {
        return Ok(not_implemented());
    }
    if !fits(length(p, x)?, length(p, other)?) {
        return Ok(ScriptValue::Bool(false));
    }
    let (small, large) = if is_smaller { (x, other) } else { (other, x) };
    let mut iter = p.iterate(small)?;
    while let Some(item) = p.next(&mut iter)? {
        if !compare::contains(p, large, &item)? {
            return Ok(ScriptValue::Bool(false));
        }
    }
    Ok(ScriptValue::Bool(true))
}

/// A set of the class of `x`.
fn made(p: &mut Eval<'_>, x: &ScriptValue, items: Vec<ScriptValue>) -> Outcome {
    let items = cost::list(p.state, items)?;
    call(p, x, "_from_iterable", [items])
}

/// The other operand as a set; `None` if it is not iterable.
fn operand(p: &mut Eval<'_>, x: &ScriptValue, other: &ScriptValue) -> Result<Option<ScriptValue>, Raise> {
    if is_of(p, other, "Set")? {
        return Ok(Some(other.clone()));
    }
    match is_of(p, other, "Iterable")? {
        true => call(p, x, "_from_iterable", [other.clone()]).map(Some),
        false => Ok(None),
    }
}

/// The elements of `items` that are in `of`, or those that are not.
fn selected(
    p: &mut Eval<'_>,
    items: &ScriptValue,
    of: &ScriptValue,
    is_in: bool,
) -> Result<Vec<ScriptValue>, Raise> {
    let mut out = Vec::new();
    let mut iter = p.iterate(items)?;
    while let Some(item) = p.next(&mut iter)? {
        if compare::contains(p, of, &item)? == is_in {
            cost::values(p.state, 1)?;
            out.push(item);
        }
    }
    Ok(out)
}

fn common(p: &mut Eval<'_>, x: &ScriptValue, other: ScriptValue) -> Outcome {
    if !is_of(p, &other, "Iterable")? {
        return Ok(not_implemented());
    }
    let items = selected(p, &other, x, true)?;
    made(p, x, items)
}

fn union(p: &mut Eval<'_>, x: &ScriptValue, other: ScriptValue) -> Outcome {
    if !is_of(p, &other, "Iterable")? {
        return Ok(not_implemented());
    }
    let mut items = p.collect_values(x)?;
    items.extend(p.collect_values(&other)?);
    made(p, x, items)
}

fn without(p: &mut Eval<'_>, x: &ScriptValue, from: &ScriptValue, removed: &ScriptValue) -> Outcome {
    let items = selected(p, from, removed, false)?;
    made(p, x, items)
}

fn symmetric(p: &mut Eval<'_>, x: &ScriptValue, other: ScriptValue) -> Outcome {
    let Some(other) = operand(p, x, &other)? else { return Ok(not_implemented()) };
    let subtract = Operator::Binary(BinOp::Sub);
    let left = p.apply(subtract, &[x.clone(), other.clone()])?;
    let right = p.apply(subtract, &[other, x.clone()])?;
    p.apply(Operator::Binary(BinOp::BitOr), &[left, right])
}

pub(super) static MUTABLE_REQUIRED: Table = &[
    own("add").one(|_, _, _| Err(raised("NotImplementedError"))),
    own("discard").one(|_, _, _| Err(raised("NotImplementedError"))),
];

pub(super) static MUTABLE: Table = &[
    own("remove").one(|p, x, item| match compare::contains(p, x, &item)? {
        true => {
            call(p, x, "discard", [item])?;
            Ok(ScriptValue::None)
        }
        false => Err(exception::key_error(item)),
    }),
    own("pop").zero(|p, x| {
        let mut iter = p.iterate(x)?;
        let Some(item) = p.next(&mut iter)? else { return Err(raised("KeyError")) };
        call(p, x, "discard", [item.clone()])?;
        Ok(item)
    }),
    own("clear").zero(clear),
    own("__ior__").one(|p, x, items| {
        let mut iter = p.iterate(&items)?;
        while let Some(item) = p.next(&mut iter)? {
            call(p, x, "add", [item])?;
        }
        Ok(x.clone())
    }),
    own("__iand__").one(|p, x, items| {
        let removed = p.apply(Operator::Binary(BinOp::Sub), &[x.clone(), items])?;
        discard_all(p, x, &removed)
    }),
    own("__ixor__").one(|p, x, items| {
        if compare::identical(x, &items) {
            clear(p, x)?;
            return Ok(x.clone());
        }
        let items = match is_of(p, &items, "Set")? {
            true => items,
            false => call(p, x, "_from_iterable", [items])?,
        };
        let mut iter = p.iterate(&items)?;
        while let Some(item) = p.next(&mut iter)? {
            let change = if compare::contains(p, x, &item)? { "discard" } else { "add" };
            call(p, x, change, [item])?;
        }
        Ok(x.clone())
    }),
    own("__isub__").one(|p, x, items| {
        if compare::identical(x, &items) {
            clear(p, x)?;
            return Ok(x.clone());
        }
        discard_all(p, x, &items)
    }),
];

fn clear(p: &mut Eval<'_>, x: &ScriptValue) -> Outcome {
    while p.catching("KeyError", |p| call(p, x, "pop", []))?.is_some() {
        p.state.program.budget.step(1)?;
    }
    Ok(ScriptValue::None)
}

fn discard_all(p: &mut Eval<'_>, x: &ScriptValue, items: &ScriptValue) -> Outcome {
    let mut iter = p.iterate(items)?;
    while let Some(item) = p.next(&mut iter)? {
        call(p, x, "discard", [item])?;
    }
    Ok(x.clone())
}
