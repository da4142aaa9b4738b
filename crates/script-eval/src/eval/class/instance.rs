//! Instances of classes.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use tvmscript_script_value::{Dict, Hashing, HostObject, ScriptValue, TextKey, release};

use super::{ClassObject, lookup};
use crate::eval::exception::ExceptionState;
use crate::python::builtins::Builtin;

/// An instance of a class.
pub(crate) struct Instance {
    pub(crate) class: ScriptValue,
    /// Its own attributes.
    pub(crate) fields: Rc<RefCell<Dict>>,
    /// The value of the built-in type that the class extends.
    payload: Option<ScriptValue>,
    /// The state of an exception.
    pub(crate) exception: Option<Box<ExceptionState>>,
    /// Identity as a key, if the class defines `__hash__`; equal instances share it.
    pub(super) key: Cell<Option<u64>>,
    /// `true` for the receiver of an explored method, whose `__init__` did not run.
    pub(crate) is_explored: bool,
}

impl Instance {
    pub(crate) fn new(class: ScriptValue, payload: Option<ScriptValue>) -> Instance {
        Instance {
            class,
            fields: Rc::default(),
            payload,
            exception: None,
            key: Cell::new(None),
            is_explored: false,
        }
    }

    /// An instance of an exception class.
    pub(crate) fn exception(class: ScriptValue, state: Box<ExceptionState>) -> ScriptValue {
        let mut instance = Instance::new(class, None);
        instance.exception = Some(state);
        ScriptValue::host(instance)
    }

    /// The receiver of an explored method.
    pub(crate) fn explored(class: ScriptValue) -> ScriptValue {
        let mut instance = Instance::new(class, None);
        instance.is_explored = true;
        ScriptValue::host(instance)
    }

    /// An attribute of the instance itself.
    pub(crate) fn own(&self, name: &str) -> Option<ScriptValue> {
        self.fields.borrow().get(&TextKey::new(name)).cloned()
    }

    /// Its class, if it is defined in the text or in the library.
    pub(crate) fn class(&self) -> Option<&ClassObject> {
        self.class.as_host()
    }
}

impl HostObject for Instance {
    fn type_name(&self) -> &str {
        match (self.class(), self.class.as_host::<Builtin>()) {
            (Some(class), _) => class.name.as_str(),
            (None, Some(builtin)) => builtin.native.name,
            (None, None) => "object",
        }
    }
    fn is_callable(&self) -> bool {
        lookup(&self.class, "__call__").is_some()
            || matches!(&self.payload, Some(ScriptValue::Host(payload)) if payload.is_callable())
    }
    fn attribute_names(&self) -> Vec<String> {
        let fields = self.fields.borrow();
        let own = fields.keys().filter_map(|key| key.0.as_str().map(str::to_owned));
        own.chain(self.class().into_iter().flat_map(|class| class.attribute_names())).collect()
    }
    fn payload(&self) -> Option<&ScriptValue> {
        self.payload.as_ref()
    }
    fn hashing(&self) -> Hashing {
        match (self.key.get(), &self.payload) {
            (Some(hash), _) => Hashing::Value { hash, weight: 1 },
            (None, Some(_)) => Hashing::Payload,
            (None, None) => Hashing::Identity,
        }
    }
    fn same_key(&self, other: &dyn HostObject) -> bool {
        let other = other.as_any().downcast_ref::<Instance>();
        self.key.get().is_some() && other.is_some_and(|other| other.key.get() == self.key.get())
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        release([std::mem::take(&mut self.class), self.payload.take().unwrap_or_default()]);
    }
}
