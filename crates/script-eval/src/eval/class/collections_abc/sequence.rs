//! Mixin methods of sequences, and of generators.

use tvmscript_script_value::{CallArgs, ScriptValue};

use super::{call, generator, length, raised};
use crate::Eval;
use crate::eval::{Iter, Raise, exception};
use crate::python::builtins::{Table, own};
use crate::python::number::small_index;
use crate::python::object::Advance;
use crate::python::{Outcome, compare, cost, subscript};

pub(super) static GENERATOR_REQUIRED: Table =
    &[own("send").one(|p, x, _| super::stop(p, x)), own("throw").any(|p, _, args| thrown(p, args))];

pub(super) static GENERATOR: Table = &[
    own("__next__").zero(|p, x| call(p, x, "send", [ScriptValue::None])),
    own("close").zero(|p, x| {
        let exit = crate::python::exceptions::class("GeneratorExit").unwrap_or_default();
        let ends = ["GeneratorExit", "StopIteration"];
        match p.attempt(|p| call(p, x, "throw", [exit]))? {
            Err(exception) if ends.iter().any(|end| exception::is_of(&exception, end)) => {
                Ok(ScriptValue::None)
            }
            Err(exception) => Err(Raise::Exception(exception)),
            Ok(_) => raise!(Runtime, "generator ignored GeneratorExit"),
        }
    }),
];

/// The exception that the arguments of `throw` describe.
fn thrown(p: &mut Eval<'_>, args: CallArgs) -> Outcome {
    let mut args = args.positional.into_iter();
    let (class, value) = (args.next().unwrap_or_default(), args.next().unwrap_or_default());
    let exception = match value {
        ScriptValue::None if exception::is_exception(&class) => class,
        ScriptValue::None => p.call_value(&class, CallArgs::default())?,
        value => value,
    };
    Err(Raise::Exception(exception))
}

pub(super) static SEQUENCE: Table = &[
    own("__iter__").zero(|_, x| Ok(generator(Iter::Sequence(x.clone(), 0)))),
    own("__contains__").one(|p, x, item| {
        let mut iter = p.iterate(x)?;
        while let Some(next) = p.next(&mut iter)? {
            if compare::same(p, &next, &item)? {
                return Ok(ScriptValue::Bool(true));
            }
        }
        Ok(ScriptValue::Bool(false))
    }),
    own("__reversed__").zero(|p, x| {
        let backwards = Backwards { left: length(p, x)?, sequence: x.clone() };
        Ok(generator(Iter::Library(Box::new(backwards))))
    }),
    own("index").one_to_three(index).with_keywords(&["value", "start", "stop"]),
    own("count").one(|p, x, item| {
        let mut iter = p.iterate(x)?;
        let mut count = 0;
        while let Some(next) = p.next(&mut iter)? {
            count += i64::from(compare::same(p, &next, &item)?);
        }
        Ok(ScriptValue::Int(count))
    }),
];

/// An iterator from the last element to the first.
struct Backwards {
    sequence: ScriptValue,
    left: i64,
}

impl Advance for Backwards {
    fn next(&mut self, p: &mut Eval<'_>) -> Result<Option<ScriptValue>, Raise> {
        if self.left <= 0 {
            return Ok(None);
        }
        self.left -= 1;
        subscript::get(p, &self.sequence, &ScriptValue::Int(self.left)).map(Some)
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.push(std::mem::take(&mut self.sequence));
    }
}

/// A bound of `index`, counted from the start.
fn bound(p: &mut Eval<'_>, x: &ScriptValue, bound: Option<ScriptValue>) -> Result<Option<i64>, Raise> {
    let Some(bound) = bound.filter(|bound| !matches!(bound, ScriptValue::None)) else { return Ok(None) };
    let bound = p.as_index(bound)?;
    match small_index(&bound) {
        Some(index) if index < 0 => Ok(Some(length(p, x)?.saturating_add(index))),
        Some(index) => Ok(Some(index)),
        None => Ok(Some(i64::MAX)),
    }
}

fn index(
    p: &mut Eval<'_>,
    x: &ScriptValue,
    item: ScriptValue,
    start: Option<ScriptValue>,
    stop: Option<ScriptValue>,
) -> Outcome {
    let mut at = bound(p, x, start)?.unwrap_or(0).max(0);
    let stop = bound(p, x, stop)?;
    while stop.is_none_or(|stop| at < stop) {
        p.state.program.budget.step(1)?;
        let index = ScriptValue::Int(at);
        let Some(found) = p.catching("IndexError", |p| subscript::get(p, x, &index))? else { break };
        if compare::same(p, &found, &item)? {
            return Ok(index);
        }
        at = at.saturating_add(1);
    }
    Err(raised("ValueError"))
}

pub(super) static MUTABLE_REQUIRED: Table = &[
    own("__setitem__").two(|_, _, _, _| Err(raised("IndexError"))),
    own("__delitem__").one(|_, _, _| Err(raised("IndexError"))),
    own("insert").two(|_, _, _, _| Err(raised("IndexError"))),
];

pub(super) static MUTABLE: Table = &[
    own("append").one(append),
    own("clear").zero(|p, x| {
        while p.catching("IndexError", |p| call(p, x, "pop", []))?.is_some() {
            p.state.program.budget.step(1)?;
        }
        Ok(ScriptValue::None)
    }),
    own("reverse").zero(|p, x| {
        let len = length(p, x)?;
        for at in 0..len / 2 {
            let (low, high) = (ScriptValue::Int(at), ScriptValue::Int(len - at - 1));
            let (first, last) = (subscript::get(p, x, &low)?, subscript::get(p, x, &high)?);
            subscript::set(p, x, low, last)?;
            subscript::set(p, x, high, first)?;
        }
        Ok(ScriptValue::None)
    }),
    own("extend").one(extend),
    own("pop").zero_or_one(|p, x, index| {
        let index = index.unwrap_or(ScriptValue::Int(-1));
        let item = subscript::get(p, x, &index)?;
        subscript::delete(p, x, &index)?;
        Ok(item)
    }),
    own("remove").one(|p, x, item| {
        let index = call(p, x, "index", [item])?;
        subscript::delete(p, x, &index)?;
        Ok(ScriptValue::None)
    }),
    own("__iadd__").one(|p, x, items| {
        call(p, x, "extend", [items])?;
        Ok(x.clone())
    }),
];

fn append(p: &mut Eval<'_>, x: &ScriptValue, item: ScriptValue) -> Outcome {
    let end = ScriptValue::Int(length(p, x)?);
    call(p, x, "insert", [end, item])?;
    Ok(ScriptValue::None)
}

fn extend(p: &mut Eval<'_>, x: &ScriptValue, items: ScriptValue) -> Outcome {
    let items = match compare::identical(x, &items) {
        true => {
            let items = p.collect_values(&items)?;
            cost::list(p.state, items)?
        }
        false => items,
    };
    let mut iter = p.iterate(&items)?;
    while let Some(item) = p.next(&mut iter)? {
        call(p, x, "append", [item])?;
    }
    Ok(ScriptValue::None)
}
