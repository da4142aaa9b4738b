//! `heapq`: heaps in lists, with comparisons in CPython's order, and `bisect`: places in sorted sequences.

use tvmscript_python_syntax::ast::CmpOp;
use tvmscript_script_value::{CallArgs, ScriptValue};

use super::Library;
use crate::Eval;
use crate::eval::Raise;
use crate::host::Operator;
use crate::python::builtins::{self, Table, linear, not_none, own};
use crate::python::number::word;
use crate::python::sort::sort;
use crate::python::{Outcome, cost, subscript, type_name};

pub(super) static HEAPQ: Library =
    Library { path: "heapq", functions: HEAPS, missing: "merge", ..Library::EMPTY };

pub(super) static BISECT: Library = Library { path: "bisect", functions: PLACES, ..Library::EMPTY };

static HEAPS: Table = &[
    own("heapify").one(|p, _, heap| {
        let mut heap = Heap::of(p, "heapify() argument", &heap)?;
        for at in (0..heap.len / 2).rev() {
            heap.sink(at)?;
        }
        Ok(ScriptValue::None)
    }),
    own("heappop").one(|p, _, list| {
        let mut heap = Heap::of(p, "heappop() argument", &list)?;
        let Some(last) = heap.pop() else { raise!(Index, "index out of range") };
        match heap.len {
            0 => Ok(last),
            _ => heap.replace(last),
        }
    }),
    own("heappush").two(|p, _, list, item| {
        p.state.program.budget.allocate(2 * cost::VALUE_BYTES)?;
        p.state.program.keep_container(&list, &item)?;
        let mut heap = Heap::of(p, "heappush() argument 1", &list)?;
        heap.push(item);
        heap.rise(0, heap.len - 1)?;
        Ok(ScriptValue::None)
    }),
    own("heappushpop").two(|p, _, list, item| {
        p.state.program.keep_container(&list, &item)?;
        let mut heap = Heap::of(p, "heappushpop() argument 1", &list)?;
        if heap.len == 0 {
            return Ok(item);
        }
        let first = heap.item(0)?;
        match heap.less(first, item.clone())? {
            true => heap.replace(item),
            false => Ok(item),
        }
    }),
    own("heapreplace").two(|p, _, list, item| {
        p.state.program.keep_container(&list, &item)?;
        let mut heap = Heap::of(p, "heapreplace() argument 1", &list)?;
        if heap.len == 0 {
            raise!(Index, "index out of range");
        }
        heap.replace(item)
    }),
    own("nlargest")
        .two_or_three(|p, _, n, items, key| extremes(p, &n, &items, key, true))
        .with_keywords(&["n", "iterable", "key"]),
    own("nsmallest")
        .two_or_three(|p, _, n, items, key| extremes(p, &n, &items, key, false))
        .with_keywords(&["n", "iterable", "key"]),
];

fn extremes(
    p: &mut Eval<'_>,
    n: &ScriptValue,
    items: &ScriptValue,
    key: Option<ScriptValue>,
    largest: bool,
) -> Outcome {
    let count = usize::try_from(word(n)?).unwrap_or(0);
    let items = p.collect_values(items)?;
    let mut sorted = sort(p, items, not_none(key).as_ref(), largest)?;
    sorted.truncate(count);
    Ok(ScriptValue::list(sorted))
}

/// A list whose item at `i` is not greater than those at `2 * i + 1` and `2 * i + 2`.
struct Heap<'a, 'e> {
    p: &'a mut Eval<'e>,
    list: &'a ScriptValue,
    /// Length of the list, which comparisons must not change.
    len: usize,
}

impl<'a, 'e> Heap<'a, 'e> {
    /// The heap that is the first argument of a function; `argument` names it in messages.
    fn of(p: &'a mut Eval<'e>, argument: &str, list: &'a ScriptValue) -> Result<Heap<'a, 'e>, Raise> {
        let list = list.plain();
        match list {
            ScriptValue::List(items) => {
                let len = items.borrow().len();
                Ok(Heap { p, list, len })
            }
            other => raise!(Type, "{argument} must be list, not {}", type_name(other)),
        }
    }

    /// Runs `f` on the items, if there are as many as before.
    fn with<R>(&self, f: impl FnOnce(&mut [ScriptValue]) -> Option<R>) -> Result<R, Raise> {
        if let ScriptValue::List(items) = self.list {
            let mut items = items.borrow_mut();
            if items.len() == self.len
                && let Some(found) = f(&mut items)
            {
                return Ok(found);
            }
        }
        raise!(Runtime, "list changed size during iteration")
    }

    fn item(&self, at: usize) -> Outcome {
        self.with(|items| items.get(at).cloned())
    }

    fn swap(&self, a: usize, b: usize) -> Result<(), Raise> {
        self.with(|items| (a < items.len() && b < items.len()).then(|| items.swap(a, b)))
    }

    fn push(&mut self, item: ScriptValue) {
        if let ScriptValue::List(items) = self.list {
            items.borrow_mut().push(item);
            self.len += 1;
        }
    }

    fn pop(&mut self) -> Option<ScriptValue> {
        let ScriptValue::List(items) = self.list else { return None };
        let last = items.borrow_mut().pop();
        self.len = self.len.saturating_sub(1);
        last
    }

    /// Replaces the first item, which it returns.
    fn replace(&mut self, item: ScriptValue) -> Outcome {
        let first = self.with(|items| items.first_mut().map(|first| std::mem::replace(first, item)))?;
        self.sink(0)?;
        Ok(first)
    }

    fn less(&mut self, a: ScriptValue, b: ScriptValue) -> Result<bool, Raise> {
        let value = self.p.apply(Operator::Compare(CmpOp::Lt), &[a, b])?;
        self.p.state.program.budget.step(1)?;
        self.p.truth(&value)
    }

    /// Moves an item up, at most to `top`, until the one above it is not greater.
    fn rise(&mut self, top: usize, mut at: usize) -> Result<(), Raise> {
        while at > top {
            let above = (at - 1) / 2;
            let (item, parent) = (self.item(at)?, self.item(above)?);
            if !self.less(item, parent)? {
                break;
            }
            self.swap(at, above)?;
            at = above;
        }
        Ok(())
    }

    /// Moves an item down to a leaf, along the smaller items, and up again to its place.
    fn sink(&mut self, top: usize) -> Result<(), Raise> {
        let mut at = top;
        while at < self.len / 2 {
            let mut below = 2 * at + 1;
            if below + 1 < self.len {
                let (left, right) = (self.item(below)?, self.item(below + 1)?);
                if !self.less(left, right)? {
                    below += 1;
                }
            }
            self.swap(at, below)?;
            at = below;
        }
        self.rise(top, at)
    }
}

static PLACES: Table = &[
    linear("bisect").any(|p, _, a| place(p, "bisect_right", a, false).map(|(at, ..)| ScriptValue::Int(at))),
    linear("bisect_left")
        .any(|p, _, a| place(p, "bisect_left", a, true).map(|(at, ..)| ScriptValue::Int(at))),
    linear("bisect_right")
        .any(|p, _, a| place(p, "bisect_right", a, false).map(|(at, ..)| ScriptValue::Int(at))),
    linear("insort").any(|p, _, a| insert(p, "insort_right", a, false)),
    linear("insort_left").any(|p, _, a| insert(p, "insort_left", a, true)),
    linear("insort_right").any(|p, _, a| insert(p, "insort_right", a, false)),
];

/// Names of the parameters; only keywords give the last one.
const PARAMETERS: [&str; 5] = ["a", "x", "lo", "hi", "key"];

/// The place of a value in a sorted sequence, before or behind equal items, with the sequence and the value.
fn place(
    p: &mut Eval<'_>,
    name: &str,
    mut args: CallArgs,
    left: bool,
) -> Result<(i64, ScriptValue, ScriptValue), Raise> {
    let found = args.positional.len();
    if found > 4 {
        raise!(Type, "{name}() takes at most 4 positional arguments ({found} given)");
    }
    let mut bound: [Option<ScriptValue>; 5] = Default::default();
    for (slot, value) in bound.iter_mut().zip(std::mem::take(&mut args.positional)) {
        *slot = Some(value);
    }
    for (key, value) in std::mem::take(&mut args.keywords) {
        match PARAMETERS.iter().position(|known| *known == key.as_str()).and_then(|at| bound.get_mut(at)) {
            Some(slot @ None) => *slot = Some(value),
            Some(Some(_)) => raise!(Type, "argument for {name}() given by name ('{key}') and position"),
            None => raise!(Type, "'{key}' is an invalid keyword argument for {name}()"),
        }
    }
    let [items, x, low, high, key] = bound;
    let Some(items) = items else { raise!(Type, "{name}() missing required argument 'a' (pos 1)") };
    let Some(x) = x else { raise!(Type, "{name}() missing required argument 'x' (pos 2)") };
    let mut low = low.map_or(Ok(0), |low| word(&low))?;
    if low < 0 {
        raise!(Value, "lo must be non-negative");
    }
    let mut high = match not_none(high) {
        Some(high) => word(&high)?,
        None => word(&builtins::len(p, &items)?)?,
    };
    let key = not_none(key);
    // `insort` looks for the place of the key of its value.
    let sought = match &key {
        Some(key) if name.starts_with("insort") => p.call_value(key, CallArgs::positional([x.clone()]))?,
        _ => x.clone(),
    };
    while low < high {
        let middle = low + (high - low) / 2;
        let mut item = subscript::get(p, &items, &ScriptValue::Int(middle))?;
        if let Some(key) = &key {
            item = p.call_value(key, CallArgs::positional([item]))?;
        }
        let pair = if left { [item, sought.clone()] } else { [sought.clone(), item] };
        let less = p.apply(Operator::Compare(CmpOp::Lt), &pair)?;
        p.state.program.budget.step(1)?;
        match p.truth(&less)? == left {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    Ok((low, items, x))
}

fn insert(p: &mut Eval<'_>, name: &str, args: CallArgs, left: bool) -> Outcome {
    let (at, items, x) = place(p, name, args, left)?;
    let method = p.needed_attribute(&items, "insert")?;
    p.call_value(&method, CallArgs::positional([ScriptValue::Int(at), x]))?;
    Ok(ScriptValue::None)
}
