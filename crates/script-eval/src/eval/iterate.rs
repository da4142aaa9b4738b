//! Iteration.

use std::cell::RefCell;
use std::rc::Rc;

use tvmscript_ir_core::Str;
use tvmscript_script_value::{Dict, HostObject, Items, ScriptValue, release};

use super::Raise;
use super::class::{self, Instance, Special, is_instance};
use super::comprehension::Loops;
use super::generator::{Generator, Input, Resumed};
use crate::Eval;
use crate::errors::{EvalErrorKind, EvalResult};
use crate::python::{self, cost, object::Advance, range::Range, view};
use tvmscript_python_syntax::ast::{BinOp, ExprId};

/// An iterator.
pub(crate) enum Iter {
    /// Precomputed values.
    Items(std::vec::IntoIter<ScriptValue>),
    /// A list, which may grow during the iteration.
    List(Rc<RefCell<Items>>, usize),
    /// A tuple.
    Tuple(Rc<Items>, usize),
    /// Characters of a text, from a byte offset.
    Text(Str, usize),
    /// Bytes.
    Bytes(Rc<[u8]>, usize),
    /// A view of a dictionary with the length at the start of the iteration.
    Dict { dict: Rc<RefCell<Dict>>, kind: view::Kind, at: usize, len: usize },
    /// A set with its length at the start of the iteration.
    Set { set: Rc<dyn HostObject>, at: usize, len: usize },
    /// Numbers.
    Range(Range),
    /// An iterator that is shared with other code.
    Shared(Rc<dyn HostObject>),
    /// A generator expression with its element expression.
    Generator(Box<(Loops, ExprId)>),
    /// A call of a generator function.
    Function(Box<Generator>),
    /// `zip`
    Zip(Vec<Iter>, bool),
    /// `map`
    Map(ScriptValue, Vec<Iter>),
    /// `filter`
    Filter(ScriptValue, Box<Iter>),
    /// An instance with `__next__`.
    Instance(ScriptValue),
    /// An instance with `__getitem__` and the next index: the old sequence protocol.
    Sequence(ScriptValue, i64),
    /// An iterator of a library module.
    Library(Box<dyn Advance>),
    /// `enumerate`, with the next number.
    Enumerate(ScriptValue, Box<Iter>),
}

/// An iterator as a value.
pub(crate) struct IterObject {
    name: &'static str,
    pub(super) iter: RefCell<Iter>,
}

impl IterObject {
    /// The number of elements that are left, if it is known without running code.
    pub(crate) fn length_hint(&self) -> Option<usize> {
        self.iter.try_borrow().ok()?.length_hint()
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn value(name: &'static str, iter: Iter) -> ScriptValue {
        ScriptValue::host(IterObject { name, iter: RefCell::new(iter) })
    }
}

impl Iter {
    /// Tests whether advancing it runs no code of others.
    fn is_stored(&self) -> bool {
        matches!(
            self,
            Iter::Items(_)
                | Iter::List(..)
                | Iter::Tuple(..)
                | Iter::Text(..)
                | Iter::Bytes(..)
                | Iter::Dict { .. }
                | Iter::Set { .. }
                | Iter::Range(_)
        )
    }

    /// The name of its type in Python.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Iter::List(..) => "list_iterator",
            Iter::Tuple(..) => "tuple_iterator",
            Iter::Text(text, _) if text.as_str().is_ascii() => "str_ascii_iterator",
            Iter::Text(..) => "str_iterator",
            Iter::Bytes(..) => "bytes_iterator",
            Iter::Dict { kind, .. } => match kind {
                view::Kind::Keys => "dict_keyiterator",
                view::Kind::Values => "dict_valueiterator",
                view::Kind::Items => "dict_itemiterator",
            },
            Iter::Set { .. } => "set_iterator",
            Iter::Range(_) => "range_iterator",
            Iter::Generator(_) | Iter::Function(_) => "generator",
            Iter::Zip(..) => "zip",
            Iter::Map(..) => "map",
            Iter::Filter(..) => "filter",
            Iter::Enumerate(..) => "enumerate",
            Iter::Items(_) | Iter::Shared(_) | Iter::Library(_) => "iterator",
            Iter::Instance(_) | Iter::Sequence(..) => "iterator",
        }
    }

    /// The number of elements that are left, if it is known without running code.
    pub(crate) fn length_hint(&self) -> Option<usize> {
        match self {
            Iter::Items(items) => Some(items.len()),
            Iter::List(items, at) => Some(items.borrow().len().saturating_sub(*at)),
            Iter::Tuple(items, at) => Some(items.len().saturating_sub(*at)),
            Iter::Text(text, at) => Some(text.as_str().get(*at..)?.chars().count()),
            Iter::Bytes(bytes, at) => Some(bytes.len().saturating_sub(*at)),
            Iter::Dict { dict, at, len, .. } => match dict.borrow().len() == *len {
                true => Some(len.saturating_sub(*at)),
                false => Some(0),
            },
            Iter::Set { set, at, len } => {
                let now = python::set::len(&ScriptValue::Host(set.clone()))?;
                Some(if now == *len { len.saturating_sub(*at) } else { 0 })
            }
            Iter::Range(range) => Some(range.len()),
            _ => None,
        }
    }

    /// Moves out the values that it holds.
    pub(crate) fn parts(self, out: &mut Vec<ScriptValue>) {
        match self {
            Iter::Items(items) => out.extend(items),
            Iter::List(items, _) => out.push(ScriptValue::List(items)),
            Iter::Tuple(items, _) => out.push(ScriptValue::Tuple(items)),
            Iter::Shared(object) => out.push(ScriptValue::Host(object)),
            Iter::Dict { dict, .. } => out.push(ScriptValue::Dict(dict)),
            Iter::Set { set, .. } => out.push(ScriptValue::Host(set)),
            Iter::Instance(value) | Iter::Sequence(value, _) => out.push(value),
            Iter::Range(_) | Iter::Text(..) | Iter::Bytes(..) => {}
            Iter::Generator(generator) => generator.0.parts(out),
            Iter::Function(generator) => generator.parts(out),
            Iter::Zip(iters, _) => iters.into_iter().for_each(|iter| iter.parts(out)),
            Iter::Map(function, iters) => {
                out.push(function);
                iters.into_iter().for_each(|iter| iter.parts(out));
            }
            Iter::Filter(function, iter) => {
                out.push(function);
                iter.parts(out);
            }
            Iter::Library(mut iter) => iter.parts(out),
            Iter::Enumerate(number, iter) => {
                out.push(number);
                iter.parts(out);
            }
        }
    }
}

impl Drop for IterObject {
    fn drop(&mut self) {
        let iter = std::mem::replace(self.iter.get_mut(), Iter::Items(Vec::new().into_iter()));
        let mut values = Vec::new();
        iter.parts(&mut values);
        release(values);
    }
}

impl HostObject for IterObject {
    fn type_name(&self) -> &str {
        self.name
    }
}

impl Eval<'_> {
    /// Makes an iterator over a value.
    pub(crate) fn iterate(&mut self, value: &ScriptValue) -> Result<Iter, Raise> {
        if class::is_instance(value)
            && let Some(iter) = self.iterate_instance(value)?
        {
            return Ok(iter);
        }
        if let Some(members) = class::enumeration::iterated(self, value)? {
            return Ok(Iter::Items(members.into_iter()));
        }
        if self.state.is_tolerant()
            && let Some(placeholder) = self.state.failed_instance(value)
        {
            return Err(Raise::Unknown(placeholder));
        }
        let own = value;
        let value = value.plain();
        if let ScriptValue::Host(_) = value {
            self.state.known([value])?;
        }
        Ok(match value {
            ScriptValue::List(items) => Iter::List(items.clone(), 0),
            ScriptValue::Tuple(items) => Iter::Tuple(items.clone(), 0),
            ScriptValue::Host(object) => {
                let any = object.as_any();
                if let Some(range) = any.downcast_ref::<Range>() {
                    Iter::Range(range.clone())
                } else if any.is::<IterObject>() {
                    Iter::Shared(object.clone())
                } else if let Some(len) = python::set::len(value) {
                    Iter::Set { set: object.clone(), at: 0, len }
                } else if let Some(view) = any.downcast_ref::<view::View>() {
                    let (dict, kind) = (view.dict.clone(), view.kind);
                    let len = dict.borrow().len();
                    Iter::Dict { dict, kind, at: 0, len }
                } else if let Some(library) = python::object::of(value) {
                    match library.iterate(self, object)? {
                        Some(iter) => iter,
                        None => return Err(self.not_iterable(value)),
                    }
                } else if let Some(items) = object.items() {
                    cost::values(self.state, items.len())?;
                    Iter::Items(items.into_iter())
                } else {
                    return Err(self.not_iterable(own));
                }
            }
            ScriptValue::Str(text) => Iter::Text(text.clone(), 0),
            ScriptValue::Bytes(bytes) => Iter::Bytes(bytes.clone(), 0),
            ScriptValue::Dict(dict) => {
                Iter::Dict { dict: dict.clone(), kind: view::Kind::Keys, at: 0, len: dict.borrow().len() }
            }
            ScriptValue::Node(object) => match self.host.rules(object).items {
                Some(items) => Iter::Items(items(object)?.into_iter()),
                None => match python::node_items(object) {
                    Some(items) => Iter::Items(items.into_iter()),
                    None => return Err(self.not_iterable(own)),
                },
            },
            _ => return Err(self.not_iterable(own)),
        })
    }

    /// Makes an iterator by the methods of an instance's class; `None` if it does not define any.
    fn iterate_instance(&mut self, value: &ScriptValue) -> Result<Option<Iter>, Raise> {
        if class::removes(value, "__iter__") {
            return Err(self.not_iterable(value));
        }
        if let Special::Value(iterator) = self.call_special(value, "__iter__", [])? {
            if !is_instance(&iterator) {
                return match iterator.as_host::<IterObject>() {
                    Some(_) => self.iterate(&iterator).map(Some),
                    None => Err(wrong_type!("iter() returned non-iterator of type '{}'", &iterator).into()),
                };
            }
            if !self.iterates(&iterator, "__next__") {
                return Err(wrong_type!("iter() returned non-iterator of type '{}'", &iterator).into());
            }
            return Ok(Some(Iter::Instance(iterator)));
        }
        let has_items = is_instance(value.plain()) && self.iterates(value, "__getitem__");
        Ok(has_items.then(|| Iter::Sequence(value.clone(), 0)))
    }

    fn iterates(&self, value: &ScriptValue, name: &str) -> bool {
        value.as_host::<Instance>().is_some_and(|instance| class::lookup(&instance.class, name).is_some())
    }

    /// Tests whether the class of an instance defines its iteration.
    pub(crate) fn iterates_itself(&self, value: &ScriptValue) -> bool {
        let is_own = |instance: &Instance, name: &str| {
            class::lookup(&instance.class, name)
                .is_some_and(|method| method.as_host::<python::builtins::Builtin>().is_none())
        };
        value.as_host::<Instance>().is_some_and(|instance| is_own(instance, "__iter__"))
    }

    fn not_iterable(&self, value: &ScriptValue) -> Raise {
        wrong_type!("'{}' object is not iterable", value).into()
    }

    /// Advances the iterator of a loop over `at`, which is the call site of what runs.
    pub(crate) fn next_at(&mut self, at: ExprId, iter: &mut Iter) -> Result<Option<ScriptValue>, Raise> {
        match iter.is_stored() {
            true => self.next(iter),
            false => self.with_call_site(at, |p| p.next(iter)),
        }
    }

    /// Advances an iterator that is a value, so that it may be a part of another one, and that of a third one.
    pub(super) fn next_nested(&mut self, iter: &mut Iter) -> Result<Option<ScriptValue>, Raise> {
        if iter.is_stored() {
            return self.next(iter);
        }
        self.in_value(|p| p.next(iter))
    }

    /// Advances an iterator.
    pub(crate) fn next(&mut self, iter: &mut Iter) -> Result<Option<ScriptValue>, Raise> {
        self.state.program.budget.step(1)?;
        match iter {
            Iter::Items(items) => Ok(items.next()),
            Iter::List(items, at) => {
                *at += 1;
                Ok(items.borrow().get(*at - 1).cloned())
            }
            Iter::Tuple(items, at) => {
                *at += 1;
                Ok(items.get(*at - 1).cloned())
            }
            Iter::Range(range) => Ok(range.next()),
            Iter::Text(text, at) => {
                let Some(c) = text.as_str()[*at..].chars().next() else { return Ok(None) };
                *at += c.len_utf8();
                cost::text(self.state, c.encode_utf8(&mut [0; 4])).map(Some)
            }
            Iter::Bytes(bytes, at) => {
                *at += 1;
                Ok(bytes.get(*at - 1).map(|byte| ScriptValue::Int(i64::from(*byte))))
            }
            Iter::Dict { dict, kind, at, len } => {
                let dict = dict.borrow();
                if *at == usize::MAX {
                    return Ok(None);
                }
                if dict.len() != *len {
                    *at = usize::MAX;
                    raise!(Runtime, "dictionary changed size during iteration");
                }
                if *kind == view::Kind::Items {
                    self.state.program.budget.allocate(2 * cost::VALUE_BYTES + cost::OBJECT_BYTES)?;
                }
                let item = kind.at(&dict, *at);
                *at = if item.is_some() { *at + 1 } else { usize::MAX };
                Ok(item)
            }
            Iter::Set { set, at, len } => {
                let Some(set) = set.as_any().downcast_ref::<python::set::Set>() else { return Ok(None) };
                let items = set.items.borrow();
                if *at == usize::MAX {
                    return Ok(None);
                }
                if items.len() != *len {
                    *at = usize::MAX;
                    raise!(Runtime, "Set changed size during iteration");
                }
                let item = items.get_index(*at).map(|key| key.0.clone());
                *at = if item.is_some() { *at + 1 } else { usize::MAX };
                Ok(item)
            }
            Iter::Instance(iterator) => {
                let iterator = iterator.clone();
                match self.catching("StopIteration", |p| p.call_special(&iterator, "__next__", []))? {
                    Some(Special::Value(value)) => Ok(Some(value)),
                    Some(_) => Err(wrong_type!("'{}' object is not an iterator", &iterator).into()),
                    None => Ok(None),
                }
            }
            Iter::Sequence(sequence, at) => {
                let (sequence, index) = (sequence.clone(), ScriptValue::Int(*at));
                *at = at.saturating_add(1);
                let get = |p: &mut Self| {
                    p.catching("StopIteration", |p| p.call_special(&sequence, "__getitem__", [index]))
                };
                match self.catching("IndexError", get)? {
                    Some(Some(Special::Value(value))) => Ok(Some(value)),
                    _ => Ok(None),
                }
            }
            Iter::Shared(object) => {
                let Some(shared) = object.as_any().downcast_ref::<IterObject>() else { return Ok(None) };
                match shared.iter.try_borrow_mut() {
                    Ok(mut iter) => self.next_nested(&mut iter),
                    Err(_) => raise!(Value, "generator already executing"),
                }
            }
            Iter::Generator(generator) => {
                let (loops, elt) = &mut **generator;
                let elt = *elt;
                Ok(tvmscript_ir_core::with_stack(|| self.advance(loops, |p| p.eval_inner(elt)))?)
            }
            Iter::Function(generator) => {
                let next = Input::Send(ScriptValue::None);
                Ok(match self.resume(generator, next)? {
                    Resumed::Yielded(value) => Some(value),
                    Resumed::Returned(_) => None,
                })
            }
            Iter::Zip(iters, strict) => {
                self.state
                    .program
                    .budget
                    .allocate(cost::VALUE_BYTES * iters.len() as u64 + cost::OBJECT_BYTES)?;
                let mut items = Vec::with_capacity(iters.len());
                let mut ended = None;
                for (index, iter) in iters.iter_mut().enumerate() {
                    match (self.next(iter)?, ended) {
                        (Some(item), None) => items.push(item),
                        (None, None) if !*strict => return Ok(None),
                        (None, None) if index == 0 => ended = Some(index),
                        (None, Some(_)) => {}
                        (found, _) => {
                            let than = if index == 1 { " 1".to_owned() } else { format!("s 1-{index}") };
                            let how = if found.is_some() { "longer" } else { "shorter" };
                            raise!(Value, "zip() argument {} is {how} than argument{than}", index + 1);
                        }
                    }
                }
                Ok(if items.is_empty() { None } else { Some(ScriptValue::tuple(items)) })
            }
            Iter::Map(function, iters) => {
                let mut args = tvmscript_script_value::CallArgs::default();
                for iter in iters {
                    match self.next(iter)? {
                        Some(item) => args.positional.push(item),
                        None => return Ok(None),
                    }
                }
                self.call_value(function, args).map(Some)
            }
            Iter::Filter(function, iter) => loop {
                let Some(item) = self.next(iter)? else { return Ok(None) };
                let keep = match &*function {
                    ScriptValue::None => self.truth(&item)?,
                    function => {
                        let args = tvmscript_script_value::CallArgs::positional([item.clone()]);
                        let value = self.call_value(function, args)?;
                        self.truth(&value)?
                    }
                };
                if keep {
                    return Ok(Some(item));
                }
            },
            Iter::Library(iter) => iter.next(self),
            Iter::Enumerate(count, iter) => {
                let Some(item) = self.next(iter)? else { return Ok(None) };
                let next = python::arith::binary(self, BinOp::Add, count, &ScriptValue::Int(1))?;
                let number = std::mem::replace(count, next);
                self.state.program.budget.allocate(2 * cost::VALUE_BYTES + cost::OBJECT_BYTES)?;
                Ok(Some(ScriptValue::tuple([number, item])))
            }
        }
    }

    /// Collects all elements of a value.
    pub(crate) fn collect_values(&mut self, value: &ScriptValue) -> Result<Vec<ScriptValue>, Raise> {
        self.take_values(value, usize::MAX)
    }

    fn take_values(&mut self, value: &ScriptValue, limit: usize) -> Result<Vec<ScriptValue>, Raise> {
        if let ScriptValue::Tuple(items) = value
            && items.len() <= limit
        {
            cost::values(self.state, items.len())?;
            return Ok(items.to_vec());
        }
        let mut iter = self.iterate(value)?;
        let mut items = Vec::new();
        while items.len() < limit {
            let Some(item) = self.next(&mut iter)? else { break };
            self.state.program.budget.allocate(2 * cost::VALUE_BYTES)?;
            items.push(item);
        }
        Ok(items)
    }

    /// Collects all elements of a value; an error is recorded at `at`.
    ///
    /// # Errors
    /// Fails if the value is not iterable.
    pub fn collect(&mut self, at: ExprId, value: &ScriptValue) -> EvalResult<Vec<ScriptValue>> {
        self.entering(at, |p| p.collect_values(value))
    }

    /// Collects all elements of `*value`. If it cannot be iterated, `message` begins the error, unless it is empty.
    pub(crate) fn collect_starred(
        &mut self,
        at: ExprId,
        value: &ScriptValue,
        message: &str,
    ) -> EvalResult<Vec<ScriptValue>> {
        self.entering(at, |p| p.collect_values(value).map_err(|raise| not_iterable(raise, value, message)))
    }

    pub(crate) fn collect_at_most(
        &mut self,
        at: ExprId,
        value: &ScriptValue,
        limit: usize,
    ) -> EvalResult<Vec<ScriptValue>> {
        self.entering(at, |p| p.take_values(value, limit))
    }
}

/// The error of iterating `*value` with another beginning, unless that is empty.
pub(super) fn not_iterable(raise: Raise, value: &ScriptValue, message: &str) -> Raise {
    match raise {
        Raise::Kind(EvalErrorKind::Host(mut error))
            if error.message.ends_with("object is not iterable") && !message.is_empty() =>
        {
            error.message = format!("{message} {}", python::type_name(value));
            error.into()
        }
        raise => raise,
    }
}
