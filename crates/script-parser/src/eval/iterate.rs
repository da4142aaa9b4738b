//! Iterating over values.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use tvmscript_irbuilder::{HostObject, Items, ScriptValue, release};

use super::Raise;
use super::comprehension::Loops;
use crate::ast::ExprId;
use crate::errors::{HostError, Result};
use crate::host::{self, range::Range};
use crate::parser::Parser;

/// An iterator.
pub(crate) enum Iter {
    /// Values that are there already.
    Items(std::vec::IntoIter<ScriptValue>),
    /// A list, which may grow meanwhile.
    List(Rc<RefCell<Items>>, usize),
    /// A tuple.
    Tuple(Rc<Items>, usize),
    /// Numbers.
    Range(Range),
    /// An iterator that others hold too.
    Shared(Rc<dyn HostObject>),
    /// A generator expression and its element.
    Generator(Box<(Loops, ExprId)>),
    /// `zip`
    Zip(Vec<Iter>, bool),
    /// `map`
    Map(ScriptValue, Vec<Iter>),
    /// `filter`
    Filter(ScriptValue, Box<Iter>),
    /// `enumerate`
    Enumerate(i64, Box<Iter>),
}

/// An iterator as a value.
pub(crate) struct IterObject {
    name: &'static str,
    iter: RefCell<Iter>,
}

impl IterObject {
    pub(crate) fn value(name: &'static str, iter: Iter) -> ScriptValue {
        ScriptValue::host(IterObject { name, iter: RefCell::new(iter) })
    }
}

impl Iter {
    /// Takes out the values that it holds on to.
    pub(crate) fn parts(self, out: &mut Vec<ScriptValue>) {
        match self {
            Iter::Items(items) => out.extend(items),
            Iter::List(items, _) => out.push(ScriptValue::List(items)),
            Iter::Tuple(items, _) => out.push(ScriptValue::Tuple(items)),
            Iter::Shared(object) => out.push(ScriptValue::Host(object)),
            Iter::Range(_) => {}
            Iter::Generator(generator) => generator.0.parts(out),
            Iter::Zip(iters, _) => iters.into_iter().for_each(|iter| iter.parts(out)),
            Iter::Map(function, iters) => {
                out.push(function);
                iters.into_iter().for_each(|iter| iter.parts(out));
            }
            Iter::Filter(function, iter) => {
                out.push(function);
                iter.parts(out);
            }
            Iter::Enumerate(_, iter) => iter.parts(out),
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
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Parser<'_> {
    /// An iterator over a value.
    pub(crate) fn iterate(&mut self, value: &ScriptValue) -> Result<Iter, Raise> {
        Ok(match value {
            ScriptValue::List(items) => Iter::List(items.clone(), 0),
            ScriptValue::Tuple(items) => Iter::Tuple(items.clone(), 0),
            ScriptValue::Host(object) => {
                let any = object.as_any();
                if let Some(range) = any.downcast_ref::<Range>() {
                    Iter::Range(range.clone())
                } else if any.is::<IterObject>() {
                    Iter::Shared(object.clone())
                } else if let Some(items) = host::set::items(value).or_else(|| object.items()) {
                    Iter::Items(items.into_iter())
                } else {
                    return Err(self.not_iterable(value));
                }
            }
            ScriptValue::Str(text) => {
                self.shared.allocate(host::VALUE_BYTES * text.as_str().len() as u64)?;
                let mut buffer = [0; 4];
                let chars = text.as_str().chars().map(|c| ScriptValue::str(c.encode_utf8(&mut buffer)));
                Iter::Items(chars.collect::<Vec<_>>().into_iter())
            }
            ScriptValue::Bytes(bytes) => Iter::Items(
                bytes.iter().map(|b| ScriptValue::Int(i64::from(*b))).collect::<Vec<_>>().into_iter(),
            ),
            ScriptValue::Dict(dict) => {
                Iter::Items(dict.borrow().keys().map(|k| k.0.clone()).collect::<Vec<_>>().into_iter())
            }
            ScriptValue::Node(object) => match self.rules(object).items {
                Some(items) => Iter::Items(items(object)?.into_iter()),
                None => match host::node_items(object) {
                    Some(items) => Iter::Items(items.into_iter()),
                    None => return Err(self.not_iterable(value)),
                },
            },
            _ => return Err(self.not_iterable(value)),
        })
    }

    fn not_iterable(&self, value: &ScriptValue) -> Raise {
        HostError::type_error(format!("'{}' object is not iterable", self.python_type(value))).into()
    }

    /// The next value.
    pub(crate) fn next(&mut self, iter: &mut Iter) -> Result<Option<ScriptValue>, Raise> {
        self.shared.step(1)?;
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
            Iter::Shared(object) => {
                let Some(shared) = object.as_any().downcast_ref::<IterObject>() else { return Ok(None) };
                match shared.iter.try_borrow_mut() {
                    Ok(mut iter) => tvmscript_ir_core::with_stack(|| self.next(&mut iter)),
                    Err(_) => Err(HostError::value_error("generator already executing").into()),
                }
            }
            Iter::Generator(generator) => {
                let (loops, elt) = &mut **generator;
                let elt = *elt;
                Ok(tvmscript_ir_core::with_stack(|| self.advance(loops, |p| p.eval_inner(elt)))?)
            }
            Iter::Zip(iters, strict) => {
                let mut items = Vec::with_capacity(iters.len());
                for iter in iters.iter_mut() {
                    match self.next(iter)? {
                        Some(item) => items.push(item),
                        None if *strict && !items.is_empty() => {
                            let count = items.len();
                            let message = format!(
                                "zip() argument {} is shorter than argument{} 1{}",
                                count + 1,
                                if count == 1 { "" } else { "s" },
                                if count == 1 { String::new() } else { format!("-{count}") }
                            );
                            return Err(HostError::value_error(message).into());
                        }
                        None => return Ok(None),
                    }
                }
                Ok(if items.is_empty() { None } else { Some(ScriptValue::tuple(items)) })
            }
            Iter::Map(function, iters) => {
                let mut args = tvmscript_irbuilder::CallArgs::default();
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
                        let args = tvmscript_irbuilder::CallArgs::positional([item.clone()]);
                        let value = self.call_value(function, args)?;
                        self.truth(&value)?
                    }
                };
                if keep {
                    return Ok(Some(item));
                }
            },
            Iter::Enumerate(count, iter) => {
                let Some(item) = self.next(iter)? else { return Ok(None) };
                let number = ScriptValue::Int(*count);
                *count = count.saturating_add(1);
                Ok(Some(ScriptValue::tuple([number, item])))
            }
        }
    }

    /// All elements of a value.
    pub(crate) fn collect_values(&mut self, value: &ScriptValue) -> Result<Vec<ScriptValue>, Raise> {
        self.take_values(value, usize::MAX)
    }

    fn take_values(&mut self, value: &ScriptValue, limit: usize) -> Result<Vec<ScriptValue>, Raise> {
        if let ScriptValue::Tuple(items) = value
            && items.len() <= limit
        {
            return Ok(items.to_vec());
        }
        let mut iter = self.iterate(value)?;
        let mut items = Vec::new();
        while items.len() < limit {
            let Some(item) = self.next(&mut iter)? else { break };
            self.shared.allocate(host::VALUE_BYTES)?;
            items.push(item);
        }
        Ok(items)
    }

    /// All elements of a value; an error is recorded at `at`.
    ///
    /// # Errors
    /// When the value cannot be iterated over.
    pub fn collect(&mut self, at: ExprId, value: &ScriptValue) -> Result<Vec<ScriptValue>> {
        let items = self.collect_values(value);
        self.at(at, items)
    }

    pub(crate) fn collect_at_most(
        &mut self,
        at: ExprId,
        value: &ScriptValue,
        limit: usize,
    ) -> Result<Vec<ScriptValue>> {
        let items = self.take_values(value, limit);
        self.at(at, items)
    }
}
