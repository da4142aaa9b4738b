//! `collections`: `deque`, and the subclasses of `dict`.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use tvmscript_script_value::{Hashing, HostObject, ScriptValue};

use super::Library;
use crate::Eval;
use crate::errors::{EvalErrorKind, HostError};
use crate::eval::{Iter, Raise};
use crate::host::Operator;
use crate::python::builtins::{Table, not_none, own};
use crate::python::number::{small_index, word};
use crate::python::object::{Advance, LibraryObject, Protocol, cast};
use crate::python::{Outcome, compare, cost, dict_class, repr, subscript};

pub(super) static COLLECTIONS: Library = Library {
    path: "collections",
    types: &[dict_class::TYPES, TYPES],
    missing: "ChainMap UserDict UserList UserString abc namedtuple",
    ..Library::EMPTY
};

static TYPES: Table = &[own("deque").zero_to_two(new_deque).with_keywords(&["iterable", "maxlen"])];

/// `deque`.
struct Deque {
    items: RefCell<VecDeque<ScriptValue>>,
    limit: Option<usize>,
    /// Counts changes, which iterators notice.
    version: Cell<u64>,
}

fn new_deque(
    p: &mut Eval<'_>,
    _: &ScriptValue,
    items: Option<ScriptValue>,
    limit: Option<ScriptValue>,
) -> Outcome {
    let limit = match not_none(limit) {
        None => None,
        Some(limit) => {
            let Some(limit) = small_index(&limit) else { raise!(Type, "an integer is required") };
            Some(usize::try_from(limit).map_err(|_| HostError::value_error("maxlen must be non-negative"))?)
        }
    };
    let items = match &items {
        Some(items) => p.collect_values(items)?,
        None => Vec::new(),
    };
    Ok(Deque::value(items.into(), limit))
}

impl Deque {
    fn value(mut items: VecDeque<ScriptValue>, limit: Option<usize>) -> ScriptValue {
        if let Some(limit) = limit {
            items.drain(..items.len().saturating_sub(limit));
        }
        LibraryObject::value(Deque { items: RefCell::new(items), limit, version: Cell::new(0) })
    }

    fn changed(&self) {
        self.version.set(self.version.get().wrapping_add(1));
    }

    fn push(&self, p: &Eval<'_>, value: ScriptValue, left: bool) -> Result<(), Raise> {
        p.state.program.budget.allocate(2 * cost::VALUE_BYTES)?;
        let mut items = self.items.borrow_mut();
        let dropped = match left {
            true => {
                items.push_front(value);
                if self.limit.is_some_and(|limit| items.len() > limit) { items.pop_back() } else { None }
            }
            false => {
                items.push_back(value);
                if self.limit.is_some_and(|limit| items.len() > limit) { items.pop_front() } else { None }
            }
        };
        drop(items);
        drop(dropped);
        self.changed();
        Ok(())
    }

    /// A copy of the elements, which is charged.
    fn copied(&self, p: &Eval<'_>) -> Result<VecDeque<ScriptValue>, Raise> {
        cost::values(p.state, self.items.borrow().len())?;
        Ok(self.items.borrow().clone())
    }

    fn at(&self, index: usize) -> Option<ScriptValue> {
        self.items.borrow().get(index).cloned()
    }
}

struct DequeIter {
    deque: ScriptValue,
    at: usize,
    version: u64,
    backwards: bool,
}

impl Advance for DequeIter {
    fn next(&mut self, _: &mut Eval<'_>) -> Result<Option<ScriptValue>, Raise> {
        let Some(deque) = cast::<Deque>(&self.deque) else { return Ok(None) };
        if deque.version.get() != self.version {
            raise!(Runtime, "deque mutated during iteration");
        }
        self.at += 1;
        let len = deque.items.borrow().len();
        if self.at > len {
            return Ok(None);
        }
        Ok(deque.at(if self.backwards { len - self.at } else { self.at - 1 }))
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.push(std::mem::take(&mut self.deque));
    }
}

impl Protocol for Deque {
    fn class(&self) -> &'static str {
        "collections.deque"
    }
    fn methods(&self) -> Table {
        DEQUE
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.extend(std::mem::take(self.items.get_mut()));
    }
    fn len(&self) -> Option<Result<usize, Raise>> {
        Some(Ok(self.items.borrow().len()))
    }
    fn iterate(&self, _: &mut Eval<'_>, this: &Rc<dyn HostObject>) -> Result<Option<Iter>, Raise> {
        let deque = ScriptValue::Host(this.clone());
        let iter = DequeIter { deque, at: 0, version: self.version.get(), backwards: false };
        Ok(Some(Iter::Library(Box::new(iter))))
    }
    fn reversed(&self, this: &ScriptValue) -> Option<Iter> {
        let iter = DequeIter { deque: this.clone(), at: 0, version: self.version.get(), backwards: true };
        Some(Iter::Library(Box::new(iter)))
    }
    fn get(
        &self,
        p: &mut Eval<'_>,
        _: &ScriptValue,
        key: &ScriptValue,
    ) -> Result<Option<ScriptValue>, Raise> {
        let at = place(key, self.items.borrow().len())?;
        cost::moves(p.state, self.items.borrow().len())?;
        Ok(self.at(at))
    }
    fn set(
        &self,
        p: &mut Eval<'_>,
        _: &ScriptValue,
        key: &ScriptValue,
        new: ScriptValue,
    ) -> Result<bool, Raise> {
        let at = place(key, self.items.borrow().len())?;
        cost::moves(p.state, self.items.borrow().len())?;
        let old = self.items.borrow_mut().get_mut(at).map(|slot| std::mem::replace(slot, new));
        drop(old);
        Ok(true)
    }
    fn delete(&self, p: &mut Eval<'_>, key: &ScriptValue) -> Result<bool, Raise> {
        let at = place(key, self.items.borrow().len())?;
        cost::moves(p.state, self.items.borrow().len())?;
        let old = self.items.borrow_mut().remove(at);
        drop(old);
        self.changed();
        Ok(true)
    }
    fn contains(&self, p: &mut Eval<'_>, item: &ScriptValue) -> Result<Option<bool>, Raise> {
        let items = ScriptValue::list(self.copied(p)?.into());
        compare::contains(p, &items, item).map(Some)
    }
    fn operate(
        &self,
        p: &mut Eval<'_>,
        operator: Operator,
        operands: &[ScriptValue],
    ) -> Result<Option<ScriptValue>, Raise> {
        let [a, b] = operands else { return Ok(None) };
        match (operator, cast::<Deque>(a), cast::<Deque>(b)) {
            (Operator::Compare(op), Some(x), Some(y)) => {
                let lists = [x, y].map(|deque| deque.copied(p).map(|items| ScriptValue::list(items.into())));
                let [x, y] = lists;
                compare::compare(p, op, &x?, &y?).map(Some)
            }
            (Operator::Binary(_), ..) => {
                Err(EvalErrorKind::UnsupportedExpression { what: "this operator of `deque`" }.into())
            }
            _ => Ok(None),
        }
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        (name == "maxlen")
            .then(|| self.limit.map_or(ScriptValue::None, |limit| ScriptValue::Int(limit as i64)))
    }
    fn attribute_names(&self) -> Vec<String> {
        vec!["maxlen".to_owned()]
    }
    fn hashing(&self) -> Hashing {
        Hashing::Unhashable
    }
    fn copy(&self, p: &mut Eval<'_>) -> Result<Option<ScriptValue>, Raise> {
        Ok(Some(Deque::value(self.copied(p)?, self.limit)))
    }
    fn write(&self, p: &mut Eval<'_>, out: &mut String, open: &mut Vec<*const ()>) -> Result<(), Raise> {
        let items: Vec<ScriptValue> = self.copied(p)?.into();
        repr::list(p, "deque([", &items, out, open)?;
        out.push(']');
        if let Some(limit) = self.limit {
            out.push_str(&format!(", maxlen={limit}"));
        }
        out.push(')');
        Ok(())
    }
}

fn place(key: &ScriptValue, len: usize) -> Result<usize, HostError> {
    let Some(index) = small_index(key) else {
        return Err(wrong_type!("sequence index must be integer, not '{}'", key));
    };
    subscript::place_of(index, len).ok_or_else(|| HostError::index("deque index out of range"))
}

fn extend(p: &mut Eval<'_>, v: &ScriptValue, items: ScriptValue, left: bool) -> Outcome {
    let Some(deque) = cast::<Deque>(v) else { return Ok(ScriptValue::None) };
    for item in p.collect_values(&items)? {
        deque.push(p, item, left)?;
    }
    Ok(ScriptValue::None)
}

fn pop(v: &ScriptValue, left: bool) -> Outcome {
    let Some(deque) = cast::<Deque>(v) else { return Ok(ScriptValue::None) };
    deque.changed();
    let mut items = deque.items.borrow_mut();
    match if left { items.pop_front() } else { items.pop_back() } {
        Some(item) => Ok(item),
        None => raise!(Index, "pop from an empty deque"),
    }
}

static DEQUE: Table = &[
    own("append").one(|p, v, x| {
        cast::<Deque>(v).map_or(Ok(()), |deque| deque.push(p, x, false))?;
        Ok(ScriptValue::None)
    }),
    own("appendleft").one(|p, v, x| {
        cast::<Deque>(v).map_or(Ok(()), |deque| deque.push(p, x, true))?;
        Ok(ScriptValue::None)
    }),
    own("pop").zero(|_, v| pop(v, false)),
    own("popleft").zero(|_, v| pop(v, true)),
    own("extend").one(|p, v, x| extend(p, v, x, false)),
    own("extendleft").one(|p, v, x| extend(p, v, x, true)),
    own("clear").zero(|_, v| {
        let Some(deque) = cast::<Deque>(v) else { return Ok(ScriptValue::None) };
        deque.changed();
        let old = std::mem::take(&mut *deque.items.borrow_mut());
        drop(old);
        Ok(ScriptValue::None)
    }),
    own("rotate")
        .zero_or_one(|p, v, n| {
            let Some(deque) = cast::<Deque>(v) else { return Ok(ScriptValue::None) };
            let n = n.map_or(Ok(1), |n| word(&n))?;
            let mut items = deque.items.borrow_mut();
            cost::moves(p.state, items.len())?;
            if !items.is_empty() {
                let by = n.rem_euclid(items.len() as i64) as usize;
                items.rotate_right(by);
            }
            deque.changed();
            Ok(ScriptValue::None)
        })
        .with_keywords(&["n"]),
];

/// Methods of `deque` that are not evaluated, separated by spaces.
pub(crate) const MISSING: &str = "copy count index insert remove reverse";
