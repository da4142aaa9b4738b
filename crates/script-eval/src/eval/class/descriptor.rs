//! Members that are bound when they are read: functions, properties, static and class methods.

use tvmscript_ir_core::Str;
use tvmscript_script_value::{CallArgs, DictKey, HostObject, ScriptValue, release};

use super::natives::Generated;
use super::{BoundMethod, Instance, Special, lookup};
use crate::eval::{Closure, Raise};
use crate::python::Outcome;
use crate::python::builtins::{Builtin, BuiltinKind, Table, own};
use crate::{Evaluator, Host};

/// `property`
#[derive(Clone, Default)]
pub(crate) struct Property {
    pub(crate) getter: ScriptValue,
    pub(crate) setter: ScriptValue,
    pub(crate) deleter: ScriptValue,
}

impl HostObject for Property {
    fn type_name(&self) -> &str {
        "property"
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        match name {
            "fget" => Some(self.getter.clone()),
            "fset" => Some(self.setter.clone()),
            "fdel" => Some(self.deleter.clone()),
            _ => None,
        }
    }
}

impl Drop for Property {
    fn drop(&mut self) {
        release([&mut self.getter, &mut self.setter, &mut self.deleter].map(std::mem::take));
    }
}

/// Kind of a [`Wrapper`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WrapperKind {
    /// `staticmethod`
    Static,
    /// `classmethod`
    Class,
    /// `functools.cached_property`
    Cached,
}

/// `staticmethod`, `classmethod` or `functools.cached_property` around a function.
pub(crate) struct Wrapper {
    pub(crate) kind: WrapperKind,
    pub(crate) function: ScriptValue,
    /// The name that a class gives a cached property.
    pub(crate) name: std::cell::RefCell<Option<Str>>,
}

impl Wrapper {
    pub(crate) fn value(kind: WrapperKind, function: ScriptValue) -> ScriptValue {
        ScriptValue::host(Wrapper { kind, function, name: Default::default() })
    }
}

impl HostObject for Wrapper {
    fn type_name(&self) -> &str {
        match self.kind {
            WrapperKind::Static => "staticmethod",
            WrapperKind::Class => "classmethod",
            WrapperKind::Cached => "cached_property",
        }
    }
    fn is_callable(&self) -> bool {
        self.kind == WrapperKind::Static
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        match (name, &self.function) {
            ("__func__" | "__wrapped__" | "func", function) => Some(function.clone()),
            (_, ScriptValue::Host(function)) => function.attribute(name),
            _ => None,
        }
    }
}

impl Drop for Wrapper {
    fn drop(&mut self) {
        release([std::mem::take(&mut self.function)]);
    }
}

/// Tests whether a value is a function, which becomes a method when it is read from an instance.
pub(crate) fn is_function(value: &ScriptValue) -> bool {
    value.as_host::<Closure>().is_some()
        || value.as_host::<Generated>().is_some()
        || value
            .as_host::<Builtin>()
            .is_some_and(|builtin| matches!(builtin.kind, BuiltinKind::Unbound(_) | BuiltinKind::Slot(_)))
}

/// Tests whether a value is a property or a wrapper of a function.
pub(super) fn is_wrapper(value: &ScriptValue) -> bool {
    value.as_host::<Property>().is_some() || value.as_host::<Wrapper>().is_some()
}

/// The function that a property or wrapper has.
pub(super) fn unwrapped(value: &ScriptValue) -> Option<&ScriptValue> {
    match (value.as_host::<Property>(), value.as_host::<Wrapper>()) {
        (Some(property), _) => Some(&property.getter),
        (_, Some(wrapper)) => Some(&wrapper.function),
        _ => None,
    }
}

impl dyn Host + '_ {
    /// Binds a member that was found in `class`: to an instance, or to the class if it is read from the class itself.
    pub(crate) fn bind_member(
        &mut self,
        member: ScriptValue,
        instance: Option<&ScriptValue>,
        class: &ScriptValue,
        name: &str,
    ) -> Outcome {
        if is_function(&member) || matches!(&member, ScriptValue::Host(host) if host.is_method()) {
            // A class method of `object`.
            if name == "__init_subclass__" && member.as_host::<Builtin>().is_some() {
                return Ok(BoundMethod::value(member, class));
            }
            return Ok(match instance {
                Some(instance) if name != "__new__" => BoundMethod::value(member, instance),
                _ => member,
            });
        }
        if let Some(wrapper) = member.as_host::<Wrapper>() {
            return match (wrapper.kind, instance) {
                (WrapperKind::Static, _) => Ok(wrapper.function.clone()),
                (WrapperKind::Class, _) => Ok(BoundMethod::value(wrapper.function.clone(), class)),
                (WrapperKind::Cached, None) => Ok(member.clone()),
                (WrapperKind::Cached, Some(instance)) => {
                    let args = CallArgs::positional([instance.clone()]);
                    let value = self.call_value(&wrapper.function, args)?;
                    let name = wrapper.name.borrow().clone();
                    if let (Some(of), Some(name)) = (instance.as_host::<Instance>(), name) {
                        self.set_field(of, &name, value.clone())?;
                    }
                    Ok(value)
                }
            };
        }
        if let (Some(property), Some(instance)) = (member.as_host::<Property>(), instance) {
            if matches!(property.getter, ScriptValue::None) {
                return Err(lacking(instance, name, "getter"));
            }
            return self.call_value(&property.getter, CallArgs::positional([instance.clone()]));
        }
        if member.as_host::<Instance>().is_some() {
            let args = [instance.cloned().unwrap_or_default(), class.clone()];
            if let Special::Value(value) = self.call_special(&member, "__get__", args)? {
                return Ok(value);
            }
        }
        Ok(member)
    }

    /// Tests whether a member of a class takes precedence over the attribute of an instance.
    pub(super) fn is_data_descriptor(&self, member: &ScriptValue) -> bool {
        member.as_host::<Property>().is_some()
            || member.as_host::<Instance>().is_some_and(|instance| {
                ["__set__", "__delete__"].iter().any(|name| lookup(&instance.class, name).is_some())
            })
    }

    /// Writes an attribute through a data descriptor; returns `false` if the member is none. `value` is `None` to
    /// delete the attribute.
    pub(super) fn write_descriptor(
        &mut self,
        member: &ScriptValue,
        instance: &ScriptValue,
        name: &str,
        value: Option<ScriptValue>,
    ) -> Result<bool, Raise> {
        if let Some(property) = member.as_host::<Property>() {
            let (function, what) = match value {
                Some(_) => (&property.setter, "setter"),
                None => (&property.deleter, "deleter"),
            };
            if matches!(function, ScriptValue::None) {
                return Err(lacking(instance, name, what));
            }
            self.call_value(function, CallArgs::positional([instance.clone()].into_iter().chain(value)))?;
            return Ok(true);
        }
        if member.as_host::<Instance>().is_none() {
            return Ok(false);
        }
        let (name, value) = match value {
            Some(value) => ("__set__", Some(value)),
            None => ("__delete__", None),
        };
        let args = [instance.clone()].into_iter().chain(value);
        Ok(matches!(self.call_special(member, name, args)?, Special::Value(_)))
    }

    /// Sets an attribute of an instance itself.
    pub(crate) fn set_field(
        &mut self,
        instance: &Instance,
        name: &str,
        value: ScriptValue,
    ) -> Result<(), Raise> {
        self.set_field_at(instance, &DictKey::text(name), value)
    }
}

impl Evaluator {
    /// Sets an attribute of an instance itself by its key.
    pub(super) fn set_field_at(
        &self,
        instance: &Instance,
        key: &DictKey,
        value: ScriptValue,
    ) -> Result<(), Raise> {
        self.program.budget.allocate(crate::python::cost::ENTRY_BYTES)?;
        if value.holds_values() {
            self.program.keep_container(&ScriptValue::Dict(instance.fields.clone()), &value)?;
        }
        let mut fields = instance.fields.borrow_mut();
        let old = match fields.get_mut(key) {
            Some(field) => std::mem::replace(field, value),
            None => fields.insert(key.clone(), value).unwrap_or_default(),
        };
        drop(fields);
        drop(old);
        Ok(())
    }
}

/// The error for a property without one of its functions.
fn lacking(instance: &ScriptValue, name: &str, what: &str) -> Raise {
    let class = crate::python::type_name(instance);
    crate::errors::HostError::new(
        crate::HostErrorKind::Attribute,
        format!("property '{name}' of '{class}' object has no {what}"),
    )
    .into()
}

/// Methods of a property.
pub(crate) static PROPERTY: Table = &[
    own("getter").one(|_, property, getter| changed(property, |p| p.getter = getter)),
    own("setter").one(|_, property, setter| changed(property, |p| p.setter = setter)),
    own("deleter").one(|_, property, deleter| changed(property, |p| p.deleter = deleter)),
];

fn changed(property: &ScriptValue, change: impl FnOnce(&mut Property)) -> Outcome {
    let Some(property) = property.as_host::<Property>() else { return Ok(ScriptValue::None) };
    let mut property = property.clone();
    change(&mut property);
    Ok(ScriptValue::host(property))
}
