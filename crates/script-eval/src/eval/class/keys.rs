//! Instances as keys of dictionaries and sets.
//!
//! Keys compare in Rust code, which cannot call `__eq__`. An instance whose class defines `__hash__` therefore gets a
//! number when it becomes a key: that of an equal instance among the earlier keys with the same hash, else a new one.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::{Rc, Weak};

use tvmscript_script_value::{HostObject, ScriptValue};

use super::special::find;
use super::{Instance, Special};
use crate::Eval;
use crate::errors::HostError;
use crate::eval::Raise;
use crate::eval::placeholder::as_placeholder;
use crate::python::compare;
use tvmscript_python_syntax::ast::CmpOp;

/// A key and its number.
type Entry = (Weak<dyn HostObject>, u64);

/// The instances that were keys, by the address of the `__eq__` of their class and their hash.
#[derive(Default)]
pub(crate) struct Keys {
    known: RefCell<HashMap<(usize, i64), Vec<Entry>>>,
    next: Cell<u64>,
}

impl Keys {
    fn number(&self) -> u64 {
        self.next.set(self.next.get() + 1);
        self.next.get()
    }

    fn candidates(&self, bucket: (usize, i64)) -> Vec<(ScriptValue, u64)> {
        let mut known = self.known.borrow_mut();
        let Some(entries) = known.get_mut(&bucket) else { return Vec::new() };
        entries.retain(|(object, _)| object.strong_count() > 0);
        let alive = entries.iter().filter_map(|(object, id)| Some((object.upgrade()?, *id)));
        alive.map(|(object, id)| (ScriptValue::Host(object), id)).collect()
    }
}

/// The identity of a method.
fn address(method: &ScriptValue) -> usize {
    match method {
        ScriptValue::Host(host) => Rc::as_ptr(host).cast::<()>().addr(),
        _ => 0,
    }
}

impl Eval<'_> {
    /// Prepares an instance as a key: calls `__hash__`, and `__eq__` for the keys with the same hash.
    ///
    /// # Errors
    /// Fails if the instance is unhashable or a method fails.
    pub(crate) fn prepare_key(&mut self, value: &ScriptValue) -> Result<(), Raise> {
        let Some(instance) = value.as_host::<Instance>() else { return Ok(()) };
        let Some(hash) = find(&instance.class, "__hash__") else { return Ok(()) };
        if matches!(hash, ScriptValue::None) {
            return Err(wrong_type!("unhashable type: '{}'", value).into());
        }
        let Some(equal) = find(&instance.class, "__eq__") else { return Ok(()) };
        if as_placeholder(&hash).is_some() || as_placeholder(&equal).is_some() {
            return Ok(());
        }
        let Some(hash) = self.special_hash(value)? else { return Ok(()) };
        let bucket = (address(&equal), hash);
        let ScriptValue::Host(object) = value else { return Ok(()) };
        for (other, number) in self.state.program.keys.candidates(bucket) {
            self.state.program.budget.step(1)?;
            if compare::identical(&other, value) {
                instance.key.set(Some(number));
                return Ok(());
            }
            let same = self.special_compare(CmpOp::Eq, &other, value)?;
            if self.truth(&same)? {
                instance.key.set(Some(number));
                self.remember(bucket, object, number)?;
                return Ok(());
            }
        }
        let number = self.state.program.keys.number();
        instance.key.set(Some(number));
        self.remember(bucket, object, number)
    }

    fn remember(
        &mut self,
        bucket: (usize, i64),
        object: &Rc<dyn HostObject>,
        number: u64,
    ) -> Result<(), Raise> {
        self.state.program.budget.allocate(crate::python::cost::ENTRY_BYTES)?;
        let entry = (Rc::downgrade(object), number);
        self.state.program.keys.known.borrow_mut().entry(bucket).or_default().push(entry);
        Ok(())
    }

    /// `hash(value)` by a method of its class.
    pub(crate) fn special_hash(&mut self, value: &ScriptValue) -> Result<Option<i64>, Raise> {
        let defined = value.as_host::<Instance>().and_then(|instance| find(&instance.class, "__hash__"));
        if matches!(defined, Some(ScriptValue::None)) {
            return Err(wrong_type!("unhashable type: '{}'", value).into());
        }
        match self.call_special(value, "__hash__", [])? {
            // -1 marks errors inside CPython.
            Special::Value(ScriptValue::Int(hash)) => Ok(Some(if hash == -1 { -2 } else { hash })),
            Special::Value(hash @ (ScriptValue::Bool(_) | ScriptValue::BigInt(_))) => {
                Ok(crate::python::number::Number::of(&hash).map(|n| crate::python::number::hash(&n)))
            }
            Special::Value(_) => {
                Err(HostError::type_error("__hash__ method should return an integer").into())
            }
            _ => Ok(None),
        }
    }
}
