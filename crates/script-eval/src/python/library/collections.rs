//! `collections`: `deque`, `ChainMap`, and the subclasses of `dict`.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use tvmscript_python_syntax::ast::{BinOp, CmpOp};
use tvmscript_script_value::{CallArgs, Dict, Hashing, HostObject, ScriptValue, Slice};

use super::Library;
use crate::Eval;
use crate::errors::HostError;
use crate::eval::{Iter, Raise, exception};
use crate::host::Operator;
use crate::python::builtins::{Table, linear, not_none, own};
use crate::python::number::{small_index, word};
use crate::python::object::{Advance, LibraryObject, Protocol, cast};
use crate::python::{Outcome, compare, cost, dict_class, repr, set, subscript};

pub(super) static COLLECTIONS: Library = Library {
    path: "collections",
    types: &[dict_class::TYPES, TYPES],
    missing: "UserDict UserList UserString abc namedtuple",
    ..Library::EMPTY
};

static TYPES: Table = &[
    own("deque").zero_to_two(new_deque).with_keywords(&["iterable", "maxlen"]),
    own("ChainMap").any(|_, _, a| {
        let maps = match a.positional.is_empty() {
            true => vec![ScriptValue::dict([])],
            false => a.positional.into_vec(),
        };
        Ok(ChainMap::value(ScriptValue::list(maps)))
    }),
];

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

    /// Index of the first element that equals a value.
    fn find(
        &self,
        p: &mut Eval<'_>,
        value: &ScriptValue,
        from: usize,
        to: usize,
    ) -> Result<Option<usize>, Raise> {
        let version = self.version.get();
        let mut index = from;
        while index < to
            && let Some(item) = self.at(index)
        {
            if compare::same(p, &item, value)? {
                return Ok(Some(index));
            }
            if self.version.get() != version {
                raise!(Runtime, "deque mutated during iteration");
            }
            index += 1;
        }
        Ok(None)
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
        Ok(Some(self.find(p, item, 0, usize::MAX)?.is_some()))
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
            (Operator::Binary(BinOp::Add), Some(x), Some(y)) => {
                let mut items = x.copied(p)?;
                items.extend(y.copied(p)?);
                Ok(Some(Deque::value(items, x.limit)))
            }
            (Operator::Binary(BinOp::Add), Some(_), None) => {
                Err(wrong_type!("can only concatenate deque (not \"{}\") to deque", b).into())
            }
            (Operator::Binary(BinOp::Mult), Some(deque), None) => deque.repeated(p, b).map(Some),
            (Operator::Binary(BinOp::Mult), None, Some(deque)) => deque.repeated(p, a).map(Some),
            _ => Ok(None),
        }
    }
    fn in_place(
        &self,
        p: &mut Eval<'_>,
        operator: Operator,
        this: &ScriptValue,
        other: &ScriptValue,
    ) -> Result<bool, Raise> {
        if operator != Operator::Binary(BinOp::Add) {
            return Ok(false);
        }
        extend(p, this, other.clone(), false)?;
        Ok(true)
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

impl Deque {
    fn repeated(&self, p: &mut Eval<'_>, count: &ScriptValue) -> Outcome {
        let Some(count) = small_index(count) else {
            return Err(wrong_type!("can't multiply sequence by non-int of type '{}'", count).into());
        };
        let count = usize::try_from(count).unwrap_or(0);
        let len = self.items.borrow().len();
        cost::values(p.state, len.saturating_mul(count))?;
        let items: Vec<ScriptValue> = self.items.borrow().iter().cloned().collect();
        let total = if len == 0 { 0 } else { count };
        let all = std::iter::repeat_n(items, total).flatten().collect();
        Ok(Deque::value(all, self.limit))
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
    own("copy").zero(|p, v| {
        let Some(deque) = cast::<Deque>(v) else { return Ok(ScriptValue::None) };
        Ok(Deque::value(deque.copied(p)?, deque.limit))
    }),
    own("count").one(|p, v, x| {
        let Some(deque) = cast::<Deque>(v) else { return Ok(ScriptValue::None) };
        let (mut count, mut from) = (0, 0);
        while let Some(at) = deque.find(p, &x, from, usize::MAX)? {
            count += 1;
            from = at + 1;
        }
        Ok(ScriptValue::Int(count))
    }),
    own("index").one_to_three(|p, v, x, start, stop| {
        let Some(deque) = cast::<Deque>(v) else { return Ok(ScriptValue::None) };
        let slice = Slice {
            start: start.unwrap_or_default(),
            stop: stop.unwrap_or_default(),
            step: ScriptValue::None,
        };
        let (from, to, _) = subscript::bounds(&slice, deque.items.borrow().len())?;
        match deque.find(p, &x, from as usize, to.max(0) as usize)? {
            Some(at) => Ok(ScriptValue::Int(at as i64)),
            None => raise!(Value, "{} is not in deque", repr::repr(p, &x)?),
        }
    }),
    own("insert").two(|p, v, at, x| {
        let Some(deque) = cast::<Deque>(v) else { return Ok(ScriptValue::None) };
        let at = word(&at)?;
        let len = deque.items.borrow().len();
        if deque.limit.is_some_and(|limit| len >= limit) {
            raise!(Index, "deque already at its maximum size");
        }
        cost::moves(p.state, len)?;
        p.state.program.budget.allocate(2 * cost::VALUE_BYTES)?;
        deque.items.borrow_mut().insert(subscript::place_to_insert(at, len), x);
        deque.changed();
        Ok(ScriptValue::None)
    }),
    own("remove").one(|p, v, x| {
        let Some(deque) = cast::<Deque>(v) else { return Ok(ScriptValue::None) };
        let Some(at) = deque.find(p, &x, 0, usize::MAX)? else {
            raise!(Value, "{} is not in deque", repr::repr(p, &x)?)
        };
        let old = deque.items.borrow_mut().remove(at);
        drop(old);
        deque.changed();
        Ok(ScriptValue::None)
    }),
    own("reverse").zero(|p, v| {
        let Some(deque) = cast::<Deque>(v) else { return Ok(ScriptValue::None) };
        cost::moves(p.state, deque.items.borrow().len())?;
        deque.items.borrow_mut().make_contiguous().reverse();
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

/// `ChainMap`.
struct ChainMap {
    maps: ScriptValue,
}

impl ChainMap {
    fn value(maps: ScriptValue) -> ScriptValue {
        LibraryObject::value(ChainMap { maps })
    }

    fn maps(&self) -> Vec<ScriptValue> {
        self.maps.items().unwrap_or_default()
    }

    fn find(&self, p: &mut Eval<'_>, key: &ScriptValue) -> Result<Option<ScriptValue>, Raise> {
        let hashed = p.hashable(key.clone())?;
        for map in self.maps() {
            p.state.program.budget.step(1)?;
            let ScriptValue::Dict(dict) = &map else {
                return Err(wrong_type!("'{}' object is not a mapping", &map).into());
            };
            let found = dict.borrow().get(&hashed).cloned();
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// All entries, in the order of CPython: the last map comes first.
    fn merged(&self, p: &mut Eval<'_>) -> Result<Dict, Raise> {
        let mut all = Dict::new();
        for map in self.maps().into_iter().rev() {
            let ScriptValue::Dict(dict) = &map else { continue };
            cost::entries(p.state, dict.borrow().len())?;
            set::charge_keys(p.state, dict.borrow().keys())?;
            all.extend(dict.borrow().iter().map(|(key, value)| (key.clone(), value.clone())));
        }
        Ok(all)
    }

    fn as_dict(&self, p: &mut Eval<'_>) -> Outcome {
        Ok(ScriptValue::Dict(Rc::new(RefCell::new(self.merged(p)?))))
    }
}

impl Protocol for ChainMap {
    fn class(&self) -> &'static str {
        "ChainMap"
    }
    fn methods(&self) -> Table {
        CHAIN_MAP
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.push(std::mem::take(&mut self.maps));
    }
    fn len(&self) -> Option<Result<usize, Raise>> {
        let mut keys = indexmap::IndexSet::new();
        for map in self.maps() {
            if let ScriptValue::Dict(dict) = map {
                keys.extend(dict.borrow().keys().cloned());
            }
        }
        Some(Ok(keys.len()))
    }
    fn iterate(&self, p: &mut Eval<'_>, _: &Rc<dyn HostObject>) -> Result<Option<Iter>, Raise> {
        let merged = self.as_dict(p)?;
        p.iterate(&merged).map(Some)
    }
    fn get(
        &self,
        p: &mut Eval<'_>,
        _: &ScriptValue,
        key: &ScriptValue,
    ) -> Result<Option<ScriptValue>, Raise> {
        match self.find(p, key)? {
            Some(value) => Ok(Some(value)),
            None => Err(exception::key_error(key.clone())),
        }
    }
    fn set(
        &self,
        p: &mut Eval<'_>,
        _: &ScriptValue,
        key: &ScriptValue,
        new: ScriptValue,
    ) -> Result<bool, Raise> {
        match self.maps().first() {
            Some(map) => subscript::set(p, map, key.clone(), new).map(|()| true),
            None => Ok(false),
        }
    }
    fn delete(&self, p: &mut Eval<'_>, key: &ScriptValue) -> Result<bool, Raise> {
        let Some(map) = self.maps().into_iter().next() else { return Ok(false) };
        if !compare::contains(p, &map, key)? {
            return Err(not_in_first(p, key)?);
        }
        subscript::delete(p, &map, key).map(|()| true)
    }
    fn contains(&self, p: &mut Eval<'_>, item: &ScriptValue) -> Result<Option<bool>, Raise> {
        Ok(Some(self.find(p, item)?.is_some()))
    }
    fn operate(
        &self,
        p: &mut Eval<'_>,
        operator: Operator,
        operands: &[ScriptValue],
    ) -> Result<Option<ScriptValue>, Raise> {
        let (Operator::Compare(op @ (CmpOp::Eq | CmpOp::NotEq)), [a, b]) = (operator, operands) else {
            return Ok(None);
        };
        let mut plain = Vec::new();
        for operand in [a, b] {
            plain.push(match cast::<ChainMap>(operand) {
                Some(map) => map.as_dict(p)?,
                None => operand.clone(),
            });
        }
        match plain.as_slice() {
            [a, b] => compare::compare(p, op, a, b).map(Some),
            _ => Ok(None),
        }
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        match name {
            "maps" => Some(self.maps.clone()),
            "parents" => {
                let maps = self.maps().into_iter().skip(1).collect::<Vec<_>>();
                let maps = if maps.is_empty() { vec![ScriptValue::dict([])] } else { maps };
                Some(ChainMap::value(ScriptValue::list(maps)))
            }
            _ => None,
        }
    }
    fn attribute_names(&self) -> Vec<String> {
        ["maps", "parents"].map(str::to_owned).to_vec()
    }
    fn hashing(&self) -> Hashing {
        Hashing::Unhashable
    }
    fn write(&self, p: &mut Eval<'_>, out: &mut String, open: &mut Vec<*const ()>) -> Result<(), Raise> {
        repr::list(p, "ChainMap(", &self.maps(), out, open)?;
        out.push(')');
        Ok(())
    }
}

static CHAIN_MAP: Table = &[
    own("get").one_or_two(|p, v, key, default| {
        let found = cast::<ChainMap>(v).map_or(Ok(None), |map| map.find(p, &key))?;
        Ok(found.or(default).unwrap_or_default())
    }),
    own("keys").zero(|p, v| view(p, v, "keys")),
    own("values").zero(|p, v| view(p, v, "values")),
    own("items").zero(|p, v| view(p, v, "items")),
    linear("new_child").any(|p, v, a| {
        let Some(map) = cast::<ChainMap>(v) else { return Ok(ScriptValue::None) };
        cost::values(p.state, map.maps().len())?;
        let CallArgs { positional, keywords } = a;
        let first = match positional.into_iter().next().filter(|map| !matches!(map, ScriptValue::None)) {
            Some(first) => first,
            None => ScriptValue::dict(
                keywords.into_iter().map(|(key, value)| (tvmscript_script_value::DictKey::text(key), value)),
            ),
        };
        let maps = [first].into_iter().chain(map.maps()).collect();
        Ok(ChainMap::value(ScriptValue::list(maps)))
    }),
    own("pop").one_or_two(|p, v, key, default| {
        let Some(map) = cast::<ChainMap>(v).and_then(|map| map.maps().into_iter().next()) else {
            return Ok(ScriptValue::None);
        };
        let found =
            if compare::contains(p, &map, &key)? { Some(subscript::get(p, &map, &key)?) } else { None };
        match (found, default) {
            (Some(value), _) => {
                subscript::delete(p, &map, &key)?;
                Ok(value)
            }
            (None, Some(default)) => Ok(default),
            (None, None) => Err(not_in_first(p, &key)?),
        }
    }),
];

/// The error for a key that the first map does not have.
fn not_in_first(p: &mut Eval<'_>, key: &ScriptValue) -> Result<Raise, Raise> {
    let text = format!("Key not found in the first mapping: {}", repr::repr(p, key)?);
    Ok(exception::key_error(ScriptValue::str(&text)))
}

/// A view of the merged entries.
fn view(p: &mut Eval<'_>, v: &ScriptValue, name: &str) -> Outcome {
    let Some(map) = cast::<ChainMap>(v) else { return Ok(ScriptValue::None) };
    let merged = map.as_dict(p)?;
    match p.find_attribute(&merged, name)? {
        Some(method) => p.call_value(&method, CallArgs::default()),
        None => Ok(ScriptValue::None),
    }
}
