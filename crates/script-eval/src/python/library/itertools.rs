//! `itertools`. All iterators are lazy.

mod combinatorics;

use std::cell::RefCell;
use std::rc::Rc;

use tvmscript_python_syntax::ast::BinOp;
use tvmscript_script_value::{CallArgs, ScriptValue, release};

use combinatorics::{permutations, product, selection};

use super::Library;
use crate::Eval;
use crate::errors::HostError;
use crate::eval::{Iter, IterObject, Raise};
use crate::host::Operator;
use crate::python::builtins::{Table, no_keywords, not_none, own};
use crate::python::number::small_index;
use crate::python::object::Advance;
use crate::python::{Outcome, compare, cost};

type Next = Result<Option<ScriptValue>, Raise>;

pub(super) static ITERTOOLS: Library = Library {
    path: "itertools",
    types: &[TYPES],
    missing: "compress dropwhile filterfalse tee",
    ..Library::EMPTY
};

static TYPES: Table = &[
    own("accumulate")
        .one_to_three(|p, _, items, function, initial| {
            let items = p.iterate(&items)?;
            let (function, first) = (not_none(function), not_none(initial));
            let state = Accumulate { items, function, total: None, first };
            Ok(lazy("itertools.accumulate", state))
        })
        .with_keywords(&["iterable", "func", "initial"])
        .with_keyword_only(1),
    own("chain").any(|_, _, a| {
        no_keywords("chain", &a)?;
        let sources = Iter::Items(a.positional.into_vec().into_iter());
        Ok(lazy("itertools.chain", Chain { sources, items: None }))
    }),
    own("combinations")
        .two(|p, _, items, r| selection(p, "combinations", &items, &r, false))
        .with_keywords(&["iterable", "r"]),
    own("combinations_with_replacement")
        .two(|p, _, items, r| selection(p, "combinations_with_replacement", &items, &r, true))
        .with_keywords(&["iterable", "r"]),
    own("count").zero_to_two(count).with_keywords(&["start", "step"]),
    own("cycle").one(|p, _, items| {
        let items = p.iterate(&items)?;
        Ok(lazy("itertools.cycle", Cycle { items, saved: Vec::new(), at: 0, is_first: true }))
    }),
    own("groupby")
        .one_or_two(|p, _, items, key| {
            let groups = Groups {
                items: p.iterate(&items)?,
                key: not_none(key),
                current: None,
                group: 0,
                key_before: None,
                ended: false,
            };
            let groups = Rc::new(SharedGroups(RefCell::new(groups)));
            Ok(lazy("itertools.groupby", GroupBy(groups)))
        })
        .with_keywords(&["iterable", "key"]),
    own("islice").any(islice),
    own("pairwise").one(|p, _, items| {
        Ok(lazy("itertools.pairwise", Pairwise { items: p.iterate(&items)?, before: None }))
    }),
    own("permutations").one_or_two(permutations).with_keywords(&["iterable", "r"]),
    own("product").any(product),
    own("repeat")
        .one_or_two(|_, _, value, times| {
            let times = match times {
                Some(times) => Some(length(&times)?.max(0)),
                None => None,
            };
            Ok(lazy("itertools.repeat", Repeat { value, times }))
        })
        .with_keywords(&["object", "times"]),
    own("starmap").two(|p, _, function, items| {
        Ok(lazy("itertools.starmap", StarMap { function, items: p.iterate(&items)? }))
    }),
    own("takewhile").two(|p, _, function, items| {
        Ok(lazy("itertools.takewhile", TakeWhile { function, items: p.iterate(&items)?, ended: false }))
    }),
    own("zip_longest").any(|p, _, mut a| {
        let fill = a.take_keyword("fillvalue").unwrap_or_default();
        if !a.keywords.is_empty() {
            raise!(Type, "zip_longest() got an unexpected keyword argument");
        }
        let mut iters = Vec::new();
        for items in &a.positional {
            iters.push(Some(p.iterate(items)?));
        }
        Ok(lazy("itertools.zip_longest", ZipLongest { iters, fill }))
    }),
];

/// Class methods of the iterators.
pub(crate) static CLASS_METHODS: &[(&str, Table)] = &[(
    "chain",
    &[own("from_iterable").one(|p, _, sources| {
        let sources = p.iterate(&sources)?;
        Ok(lazy("itertools.chain", Chain { sources, items: None }))
    })],
)];

fn lazy(name: &'static str, iter: impl Advance + 'static) -> ScriptValue {
    IterObject::value(name, Iter::Library(Box::new(iter)))
}

/// Takes an iterator apart.
fn take(iter: &mut Iter, out: &mut Vec<ScriptValue>) {
    std::mem::replace(iter, Iter::Items(Vec::new().into_iter())).parts(out);
}

fn length(value: &ScriptValue) -> Result<i64, HostError> {
    small_index(value).ok_or_else(|| wrong_type!("'{}' object cannot be interpreted as an integer", value))
}

fn tuple(p: &mut Eval<'_>, items: Vec<ScriptValue>) -> Next {
    cost::values(p.state, items.len())?;
    Ok(Some(ScriptValue::tuple(items)))
}

struct Accumulate {
    items: Iter,
    function: Option<ScriptValue>,
    total: Option<ScriptValue>,
    first: Option<ScriptValue>,
}

impl Advance for Accumulate {
    fn next(&mut self, p: &mut Eval<'_>) -> Next {
        if let Some(first) = self.first.take() {
            self.total = Some(first.clone());
            return Ok(Some(first));
        }
        let Some(item) = p.next(&mut self.items)? else { return Ok(None) };
        let total = match (self.total.take(), &self.function) {
            (None, _) => item,
            (Some(total), None) => p.apply(Operator::Binary(BinOp::Add), &[total, item])?,
            (Some(total), Some(function)) => p.call_value(function, CallArgs::positional([total, item]))?,
        };
        self.total = Some(total.clone());
        Ok(Some(total))
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        take(&mut self.items, out);
        out.extend(
            [&mut self.function, &mut self.total, &mut self.first].into_iter().filter_map(Option::take),
        );
    }
}

struct Chain {
    sources: Iter,
    items: Option<Iter>,
}

impl Advance for Chain {
    fn next(&mut self, p: &mut Eval<'_>) -> Next {
        loop {
            if let Some(items) = &mut self.items {
                if let Some(item) = p.next(items)? {
                    return Ok(Some(item));
                }
                self.items = None;
            }
            let Some(source) = p.next(&mut self.sources)? else { return Ok(None) };
            self.items = Some(p.iterate(&source)?);
        }
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        take(&mut self.sources, out);
        if let Some(items) = self.items.take() {
            items.parts(out);
        }
    }
}

struct Count {
    at: ScriptValue,
    step: ScriptValue,
}

fn count(
    _: &mut Eval<'_>,
    _: &ScriptValue,
    start: Option<ScriptValue>,
    step: Option<ScriptValue>,
) -> Outcome {
    let number = |value: Option<ScriptValue>, default| match value {
        None => Ok(ScriptValue::Int(default)),
        Some(value) if crate::python::number::Number::of(&value).is_some() => Ok(value),
        Some(_) => Err(HostError::type_error("a number is required")),
    };
    Ok(lazy("itertools.count", Count { at: number(start, 0)?, step: number(step, 1)? }))
}

impl Advance for Count {
    fn next(&mut self, p: &mut Eval<'_>) -> Next {
        let next = p.apply(Operator::Binary(BinOp::Add), &[self.at.clone(), self.step.clone()])?;
        Ok(Some(std::mem::replace(&mut self.at, next)))
    }
    fn parts(&mut self, _: &mut Vec<ScriptValue>) {}
}

struct Cycle {
    items: Iter,
    saved: Vec<ScriptValue>,
    at: usize,
    is_first: bool,
}

impl Advance for Cycle {
    fn next(&mut self, p: &mut Eval<'_>) -> Next {
        if self.is_first {
            if let Some(item) = p.next(&mut self.items)? {
                p.state.program.budget.allocate(2 * cost::VALUE_BYTES)?;
                self.saved.push(item.clone());
                return Ok(Some(item));
            }
            self.is_first = false;
        }
        let item = self.saved.get(self.at).cloned();
        self.at = if self.at + 1 < self.saved.len() { self.at + 1 } else { 0 };
        Ok(item)
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        take(&mut self.items, out);
        out.append(&mut self.saved);
    }
}

/// Tests a value with a predicate.
fn holds(p: &mut Eval<'_>, function: &ScriptValue, item: &ScriptValue) -> Result<bool, Raise> {
    let value = p.call_value(function, CallArgs::positional([item.clone()]))?;
    p.truth(&value)
}

struct TakeWhile {
    function: ScriptValue,
    items: Iter,
    ended: bool,
}

impl Advance for TakeWhile {
    fn next(&mut self, p: &mut Eval<'_>) -> Next {
        if self.ended {
            return Ok(None);
        }
        let Some(item) = p.next(&mut self.items)? else { return Ok(None) };
        if holds(p, &self.function, &item)? {
            return Ok(Some(item));
        }
        self.ended = true;
        Ok(None)
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        take(&mut self.items, out);
        out.push(std::mem::take(&mut self.function));
    }
}

/// The state that `groupby` and its groups share.
struct Groups {
    items: Iter,
    key: Option<ScriptValue>,
    /// The next element with its key.
    current: Option<(ScriptValue, ScriptValue)>,
    /// Number and key of the current group.
    group: u64,
    key_before: Option<ScriptValue>,
    ended: bool,
}

struct SharedGroups(RefCell<Groups>);

impl Drop for SharedGroups {
    fn drop(&mut self) {
        let groups = self.0.get_mut();
        let mut out = Vec::new();
        take(&mut groups.items, &mut out);
        out.extend(groups.key.take().into_iter().chain(groups.key_before.take()));
        out.extend(groups.current.take().into_iter().flat_map(|(key, item)| [key, item]));
        release(out);
    }
}

impl SharedGroups {
    fn busy<T>(&self, f: impl FnOnce(&mut Groups) -> Result<T, Raise>) -> Result<T, Raise> {
        match self.0.try_borrow_mut() {
            Ok(mut groups) => f(&mut groups),
            Err(_) => raise!(Value, "generator already executing"),
        }
    }
}

impl Groups {
    /// Reads the next element; `false` at the end.
    fn read(&mut self, p: &mut Eval<'_>) -> Result<bool, Raise> {
        self.current = None;
        let Some(item) = p.next(&mut self.items)? else {
            self.ended = true;
            return Ok(false);
        };
        let key = match &self.key {
            Some(key) => p.call_value(key, CallArgs::positional([item.clone()]))?,
            None => item.clone(),
        };
        self.current = Some((key, item));
        Ok(true)
    }
}

struct GroupBy(Rc<SharedGroups>);

/// One group of `groupby`, which ends when `groupby` goes on.
struct Group {
    groups: Rc<SharedGroups>,
    number: u64,
    key: ScriptValue,
}

impl Advance for GroupBy {
    fn next(&mut self, p: &mut Eval<'_>) -> Next {
        let groups = self.0.clone();
        self.0.busy(|state| {
            // Skips the rest of the group before.
            loop {
                if state.current.is_none() && (state.ended || !state.read(p)?) {
                    return Ok(None);
                }
                let (Some((key, _)), Some(before)) = (&state.current, &state.key_before) else { break };
                if !compare::same(p, &before.clone(), &key.clone())? {
                    break;
                }
                state.current = None;
            }
            let Some((key, _)) = state.current.clone() else { return Ok(None) };
            state.group += 1;
            state.key_before = Some(key.clone());
            let group = Group { groups, number: state.group, key: key.clone() };
            tuple(p, vec![key, lazy("itertools._grouper", group)])
        })
    }
    fn parts(&mut self, _: &mut Vec<ScriptValue>) {}
}

impl Advance for Group {
    fn next(&mut self, p: &mut Eval<'_>) -> Next {
        let (number, own) = (self.number, self.key.clone());
        self.groups.clone().busy(|state| {
            if state.group != number {
                return Ok(None);
            }
            if state.current.is_none() && (state.ended || !state.read(p)?) {
                return Ok(None);
            }
            let Some((key, item)) = state.current.clone() else { return Ok(None) };
            if !compare::same(p, &own, &key)? {
                return Ok(None);
            }
            state.current = None;
            Ok(Some(item))
        })
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.push(std::mem::take(&mut self.key));
    }
}

struct Slice {
    items: Iter,
    /// Number of elements read so far.
    read: i64,
    /// Index of the next element.
    next: i64,
    stop: Option<i64>,
    step: i64,
}

fn islice(p: &mut Eval<'_>, _: &ScriptValue, a: CallArgs) -> Outcome {
    no_keywords("islice", &a)?;
    let (items, start, stop, step) = match a.positional.as_slice() {
        [items, stop] => (items, &ScriptValue::None, stop, &ScriptValue::None),
        [items, start, stop] => (items, start, stop, &ScriptValue::None),
        [items, start, stop, step] => (items, start, stop, step),
        other if other.len() < 2 => raise!(Type, "islice expected at least 2 arguments, got {}", other.len()),
        other => raise!(Type, "islice expected at most 4 arguments, got {}", other.len()),
    };
    let index = |value: &ScriptValue| match value {
        ScriptValue::None => Ok(None),
        value => match small_index(value).filter(|index| *index >= 0) {
            Some(index) => Ok(Some(index)),
            None => Err(()),
        },
    };
    let Ok(stop) = index(stop) else {
        raise!(Value, "Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.");
    };
    let Ok(start) = index(start) else {
        raise!(Value, "Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.");
    };
    let step = match index(step) {
        Ok(None) => 1,
        Ok(Some(step)) if step > 0 => step,
        _ => raise!(Value, "Step for islice() must be a positive integer or None."),
    };
    let items = p.iterate(items)?;
    Ok(lazy("itertools.islice", Slice { items, read: 0, next: start.unwrap_or(0), stop, step }))
}

impl Advance for Slice {
    fn next(&mut self, p: &mut Eval<'_>) -> Next {
        let end = self.stop.map_or(self.next, |stop| self.next.min(stop));
        let is_over = self.stop.is_some_and(|stop| self.next >= stop);
        while self.read < end {
            if p.next(&mut self.items)?.is_none() {
                self.stop = Some(0);
                return Ok(None);
            }
            self.read += 1;
        }
        if is_over {
            return Ok(None);
        }
        let item = p.next(&mut self.items)?;
        self.read += 1;
        self.next = self.next.saturating_add(self.step);
        if item.is_none() {
            self.stop = Some(0);
        }
        Ok(item)
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        take(&mut self.items, out);
    }
}

struct Pairwise {
    items: Iter,
    before: Option<ScriptValue>,
}

impl Advance for Pairwise {
    fn next(&mut self, p: &mut Eval<'_>) -> Next {
        if self.before.is_none() {
            self.before = p.next(&mut self.items)?;
        }
        let Some(before) = self.before.clone() else { return Ok(None) };
        let Some(item) = p.next(&mut self.items)? else { return Ok(None) };
        self.before = Some(item.clone());
        tuple(p, vec![before, item])
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        take(&mut self.items, out);
        out.extend(self.before.take());
    }
}

struct Repeat {
    value: ScriptValue,
    times: Option<i64>,
}

impl Advance for Repeat {
    fn next(&mut self, _: &mut Eval<'_>) -> Next {
        match &mut self.times {
            Some(0) => return Ok(None),
            Some(times) => *times -= 1,
            None => {}
        }
        Ok(Some(self.value.clone()))
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.push(std::mem::take(&mut self.value));
    }
}

struct StarMap {
    function: ScriptValue,
    items: Iter,
}

impl Advance for StarMap {
    fn next(&mut self, p: &mut Eval<'_>) -> Next {
        let Some(args) = p.next(&mut self.items)? else { return Ok(None) };
        let args = p.collect_values(&args)?;
        p.call_value(&self.function, CallArgs::positional(args)).map(Some)
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        take(&mut self.items, out);
        out.push(std::mem::take(&mut self.function));
    }
}

struct ZipLongest {
    iters: Vec<Option<Iter>>,
    fill: ScriptValue,
}

impl Advance for ZipLongest {
    fn next(&mut self, p: &mut Eval<'_>) -> Next {
        let mut items = Vec::with_capacity(self.iters.len());
        for slot in &mut self.iters {
            let item = match slot {
                Some(iter) => p.next(iter)?,
                None => None,
            };
            if item.is_none() {
                *slot = None;
            }
            items.push(item.unwrap_or_else(|| self.fill.clone()));
        }
        if self.iters.iter().all(Option::is_none) {
            return Ok(None);
        }
        tuple(p, items)
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        self.iters.iter_mut().filter_map(Option::take).for_each(|iter| iter.parts(out));
        out.push(std::mem::take(&mut self.fill));
    }
}
