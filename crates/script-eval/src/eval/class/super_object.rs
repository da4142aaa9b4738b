//! `super()`

use tvmscript_script_value::{HostObject, ScriptValue, release};

use super::{ClassObject, Instance, is_subclass, mro_of};
use crate::Eval;
use crate::python::Outcome;
use crate::python::compare::identical;

/// The members of an object's class behind a class of its method resolution order.
pub(crate) struct SuperObject {
    /// The class behind which the lookup begins.
    start: ScriptValue,
    /// The instance or class that methods are bound to.
    receiver: ScriptValue,
    /// The class whose order is searched.
    pub(super) class: ScriptValue,
}

impl HostObject for SuperObject {
    fn type_name(&self) -> &str {
        "super"
    }
}

impl Drop for SuperObject {
    fn drop(&mut self) {
        release([&mut self.start, &mut self.receiver, &mut self.class].map(std::mem::take));
    }
}

impl SuperObject {
    /// The instance that methods are bound to; `None` for a class.
    pub(super) fn instance(&self) -> Option<ScriptValue> {
        (!identical(&self.receiver, &self.class)).then(|| self.receiver.clone())
    }

    pub(super) fn member(&self, name: &str) -> Option<ScriptValue> {
        let order = mro_of(&self.class);
        let behind = order.iter().skip_while(|class| !identical(class, &self.start)).skip(1);
        behind.into_iter().find_map(|class| match class.as_host::<ClassObject>() {
            Some(class) => class.own(name),
            None => super::native_member(class, name),
        })
    }
}

impl Eval<'_> {
    /// `super(start, receiver)`
    pub(crate) fn super_of(&mut self, start: ScriptValue, receiver: ScriptValue) -> Outcome {
        if !super::is_class(&start) {
            return Err(wrong_type!("super() argument 1 must be a type, not {}", &start).into());
        }
        let class = match receiver.as_host::<Instance>() {
            Some(instance) => Some(instance.class.clone()),
            None if !super::is_class(&receiver) => None,
            None if is_subclass(&receiver, &start) => Some(receiver.clone()),
            None => None,
        };
        match class.filter(|class| is_subclass(class, &start)) {
            Some(class) => Ok(ScriptValue::host(SuperObject { start, receiver, class })),
            None => raise!(Type, "super(type, obj): obj must be an instance or subtype of type"),
        }
    }

    /// `super()` in a method: the class around it, and its first argument.
    pub(crate) fn innermost_super(&mut self) -> Outcome {
        let found = self.state.env.as_ref().and_then(|env| env.method());
        match found {
            Some((Some(class), Some(receiver))) => self.super_of(class, receiver),
            None | Some((_, None)) => raise!(Runtime, "super(): no arguments"),
            _ => raise!(Runtime, "super(): __class__ cell not found"),
        }
    }
}
