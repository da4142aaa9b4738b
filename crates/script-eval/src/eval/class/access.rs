//! Attributes of classes and instances: reading, writing, deleting.

use tvmscript_script_value::{CallArgs, DictKey, ScriptValue, TextKey};

use super::enumeration;
use super::super_object::SuperObject;
use super::{ClassObject, Instance, Property, Special, lookup, mro_of, unknown};
use crate::errors::{HostError, HostErrorKind};
use crate::eval::placeholder::as_placeholder;
use crate::eval::{Raise, exception};
use crate::python::builtins::{self, Builtin, BuiltinKind};
use crate::python::cost;
use crate::{Eval, python};

type Found = Result<Option<ScriptValue>, Raise>;

impl Eval<'_> {
    /// Looks up an attribute of a class or instance; `None` for other values.
    pub(crate) fn class_attribute(&mut self, value: &ScriptValue, name: &str) -> Option<Found> {
        let ScriptValue::Host(host) = value else { return None };
        let any = host.as_any();
        if let Some(instance) = any.downcast_ref::<Instance>() {
            return Some(self.instance_attribute(value, instance, name));
        }
        if any.is::<ClassObject>() {
            return Some(self.find_class_attribute(value, name));
        }
        any.downcast_ref::<SuperObject>().map(|object| self.super_attribute(object, name))
    }

    fn instance_attribute(&mut self, value: &ScriptValue, instance: &Instance, name: &str) -> Found {
        if let Some(getter) = lookup(&instance.class, "__getattribute__")
            && getter.as_host::<Builtin>().is_none()
            && as_placeholder(&getter).is_none()
        {
            let args = CallArgs::positional([value.clone(), ScriptValue::str(name)]);
            let found = self.catching("AttributeError", |p| p.call_value(&getter, args))?;
            return self.or_getattr(value, instance, name, found);
        }
        match lookup(&instance.class, "__getattr__") {
            Some(member) if as_placeholder(&member).is_none() => {
                // The getter of a property may raise an `AttributeError`.
                let plain = self.catching("AttributeError", |p| p.plain_attribute(value, instance, name))?;
                self.or_getattr(value, instance, name, plain.flatten())
            }
            _ => self.plain_attribute(value, instance, name),
        }
    }

    /// The found attribute, else what `__getattr__` of the class returns.
    fn or_getattr(
        &mut self,
        value: &ScriptValue,
        instance: &Instance,
        name: &str,
        found: Option<ScriptValue>,
    ) -> Found {
        if found.is_some() {
            return Ok(found);
        }
        let Some(getter) = lookup(&instance.class, "__getattr__") else { return Ok(None) };
        let args = CallArgs::positional([value.clone(), ScriptValue::str(name)]);
        self.call_value(&getter, args).map(Some)
    }

    /// Looks up an attribute as `object.__getattribute__` does.
    pub(super) fn plain_attribute(&mut self, value: &ScriptValue, instance: &Instance, name: &str) -> Found {
        match name {
            "__class__" => return Ok(Some(instance.class.clone())),
            "__dict__" => return Ok(Some(ScriptValue::Dict(instance.fields.clone()))),
            _ => {}
        }
        let mut member = lookup(&instance.class, name);
        // A property of a base class hides the member of its name from the members.
        if enumeration::is_enumeration(&instance.class)
            && let Some(property) = enumeration::hidden_property(&instance.class, name)
        {
            member = Some(property);
        }
        if let Some(member) = member.as_ref().filter(|member| member.as_host::<Property>().is_some()) {
            return self.bind_member(member.clone(), Some(value), &instance.class, name).map(Some);
        }
        if let Some(field) = instance.own(name) {
            return Ok(Some(field));
        }
        if instance.exception.is_some()
            && let Some(found) = exception::attribute(value, name)
            && member.as_ref().is_none_or(|member| member.as_host::<Builtin>().is_some())
        {
            return Ok(Some(found));
        }
        match member {
            Some(member) => self.bind_member(member, Some(value), &instance.class, name).map(Some),
            // The payload of a class that extends a built-in type.
            None => Ok(match value.plain() {
                ScriptValue::Host(payload) if !super::is_instance(value.plain()) => payload.attribute(name),
                _ => None,
            }),
        }
    }

    fn find_class_attribute(&mut self, value: &ScriptValue, name: &str) -> Found {
        let Some(class) = value.as_host::<ClassObject>() else { return Ok(None) };
        match self.member_of_class(value, class, name)? {
            Some(member) => Ok(Some(member)),
            None => Ok(super::natives::type_method(value, name)),
        }
    }

    fn member_of_class(&mut self, value: &ScriptValue, class: &ClassObject, name: &str) -> Found {
        Ok(Some(match name {
            "__name__" => ScriptValue::Str(class.name.clone()),
            "__bases__" => ScriptValue::tuple(class.bases.iter().cloned()),
            "__mro__" => ScriptValue::tuple(mro_of(value)),
            "__class__" => return Ok(self.class_of(value)),
            "__dict__" => {
                cost::entries(self.state, class.namespace.borrow().len())?;
                let mut members = class.namespace.borrow().clone();
                members.shift_remove(&TextKey::new("__qualname__"));
                ScriptValue::Dict(std::rc::Rc::new(std::cell::RefCell::new(members)))
            }
            "__qualname__" | "__module__" | "__doc__" => {
                return Ok(class.own(name));
            }
            "__members__" if enumeration::mapping(value).is_some() => {
                cost::entries(self.state, class.namespace.borrow().len())?;
                return Ok(enumeration::mapping(value));
            }
            "__annotations__" => {
                let names = class.annotations.iter();
                let entries = names.map(|a| (DictKey::text(a.name.clone()), a.value.clone()));
                ScriptValue::dict(entries)
            }
            _ => match lookup(value, name) {
                Some(member) if is_class_method(&member, class) => subclass_method(member, value),
                Some(member) => self.bind_member(member, None, value, name)?,
                None => return Ok(None),
            },
        }))
    }

    fn super_attribute(&mut self, object: &SuperObject, name: &str) -> Found {
        let Some(member) = object.member(name) else { return Ok(None) };
        if as_placeholder(&member).is_some() {
            return Ok(Some(member));
        }
        let instance = object.instance();
        self.bind_member(member, instance.as_ref(), &object.class, name).map(Some)
    }

    /// `value.name = new`; returns `false` if the value is neither a class nor an instance of one.
    pub(crate) fn set_attribute(
        &mut self,
        value: &ScriptValue,
        name: &str,
        new: ScriptValue,
    ) -> Result<bool, Raise> {
        if let Some(instance) = value.as_host::<Instance>() {
            if let Some(setter) = lookup(&instance.class, "__setattr__").filter(is_own) {
                let args = [value.clone(), ScriptValue::str(name), new];
                self.call_value(&setter, CallArgs::positional(args))?;
            } else {
                self.set_plain(value, instance, name, new)?;
            }
            return Ok(true);
        }
        if value.as_host::<ClassObject>().is_none() {
            return Ok(false);
        }
        self.set_class_attribute(value, name, new)?;
        Ok(true)
    }

    /// Sets an attribute of a class.
    fn set_class_attribute(
        &mut self,
        value: &ScriptValue,
        name: &str,
        new: ScriptValue,
    ) -> Result<(), Raise> {
        let Some(class) = value.as_host::<ClassObject>() else { return Ok(()) };
        if let Some(error) = enumeration::reassigned(value, name) {
            return Err(error.into());
        }
        self.state.program.budget.allocate(cost::ENTRY_BYTES)?;
        self.state.program.keep_container(&ScriptValue::Dict(class.namespace.clone()), &new)?;
        class.set(name, new);
        Ok(())
    }

    /// Sets an attribute as `object.__setattr__` does.
    pub(super) fn set_plain(
        &mut self,
        value: &ScriptValue,
        instance: &Instance,
        name: &str,
        new: ScriptValue,
    ) -> Result<(), Raise> {
        if exception::set_attribute(self, value, name, &new)? {
            return Ok(());
        }
        if let Some(member) = lookup(&instance.class, name)
            && self.write_property(&member, value, Some(new.clone()))?
        {
            return Ok(());
        }
        self.set_field(instance, name, new)
    }

    /// `del value.name`; returns `false` if the value is neither a class nor an instance of one.
    pub(crate) fn delete_attribute(&mut self, value: &ScriptValue, name: &str) -> Result<bool, Raise> {
        if let Some(instance) = value.as_host::<Instance>() {
            if let Some(deleter) = lookup(&instance.class, "__delattr__").filter(is_own) {
                let args = [value.clone(), ScriptValue::str(name)];
                self.call_value(&deleter, CallArgs::positional(args))?;
            } else {
                self.delete_plain(value, instance, name)?;
            }
            return Ok(true);
        }
        if value.as_host::<ClassObject>().is_none() {
            return Ok(false);
        }
        self.delete_class_attribute(value, name)?;
        Ok(true)
    }

    /// Deletes an attribute of a class.
    fn delete_class_attribute(&mut self, value: &ScriptValue, name: &str) -> Result<(), Raise> {
        let Some(class) = value.as_host::<ClassObject>() else { return Ok(()) };
        if enumeration::reassigned(value, name).is_some() {
            raise!(Attribute, "'{}' cannot delete member '{name}'.", class.name);
        }
        cost::removal(self.state, class.namespace.borrow().len())?;
        let old = class.namespace.borrow_mut().shift_remove(&TextKey::new(name));
        match old {
            Some(_) => Ok(()),
            None => raise!(Attribute, "type object '{}' has no attribute '{name}'", class.name),
        }
    }

    /// Deletes an attribute as `object.__delattr__` does.
    pub(super) fn delete_plain(
        &mut self,
        value: &ScriptValue,
        instance: &Instance,
        name: &str,
    ) -> Result<(), Raise> {
        if exception::delete_attribute(value, name)? {
            return Ok(());
        }
        if let Some(member) = lookup(&instance.class, name)
            && self.write_property(&member, value, None)?
        {
            return Ok(());
        }
        cost::removal(self.state, instance.fields.borrow().len())?;
        let old = instance.fields.borrow_mut().shift_remove(&TextKey::new(name));
        match old {
            Some(_) => Ok(()),
            None => Err(missing(value, name)),
        }
    }

    /// The class of a value; `None` for values whose class is not available.
    pub(crate) fn class_of(&self, value: &ScriptValue) -> Option<ScriptValue> {
        match value.as_host::<Instance>() {
            Some(instance) => Some(instance.class.clone()),
            None if super::is_class(value) => {
                let class = value.as_host::<ClassObject>();
                class.and_then(|class| class.metaclass.clone()).or_else(|| builtins::class("type"))
            }
            None => builtins::class(&python::type_name(value)),
        }
    }

    /// Calls the method by which the class of an instance defines an operation.
    pub(crate) fn call_special(
        &mut self,
        value: &ScriptValue,
        name: &str,
        args: impl IntoIterator<Item = ScriptValue>,
    ) -> Result<Special, Raise> {
        let Some(class) = super::special::definer(value) else { return Ok(Special::Missing) };
        let object = class.as_host::<ClassObject>();
        let Some(member) = super::special::find(class, name) else {
            return match object {
                Some(class) if !class.is_known() => Err(unknown(self.state, class)),
                _ => Ok(Special::Missing),
            };
        };
        if as_placeholder(&member).is_some() {
            return Err(object.map_or(Raise::Reported, |class| unknown(self.state, class)));
        }
        let class = class.clone();
        let method = self.bind_member(member, Some(value), &class, name)?;
        let result = self.call_value(&method, CallArgs::positional(args))?;
        Ok(match super::natives::is_not_implemented(&result) {
            true => Special::NotImplemented,
            false => Special::Value(result),
        })
    }
}

/// Tests whether a member is a class method of the built-in type that a class extends: `dict.fromkeys`.
fn is_class_method(member: &ScriptValue, class: &ClassObject) -> bool {
    let kind = member.as_host::<Builtin>().map(|builtin| &builtin.kind);
    matches!(kind, Some(BuiltinKind::Function(owner)) if class.layout == Some(owner))
}

/// A class method of a built-in type for a class that extends it: its results become instances of the class.
fn subclass_method(method: ScriptValue, class: &ScriptValue) -> ScriptValue {
    let name = method.as_host::<Builtin>().map_or("", |builtin| builtin.native.name);
    let class = class.clone();
    super::natives::Generated::value(name, move |p, args| {
        let value = p.call_value(&method, args)?;
        match name {
            "maketrans" => Ok(value),
            _ => p.call_value(&class, CallArgs::positional([value])),
        }
    })
}

/// Tests whether a method was defined in the text or by a decorator, not inherited from `object`.
fn is_own(method: &ScriptValue) -> bool {
    method.as_host::<Builtin>().is_none() && as_placeholder(method).is_none()
}

/// The error for a missing attribute.
pub(crate) fn missing(value: &ScriptValue, name: &str) -> Raise {
    let what = match value.as_host::<ClassObject>() {
        Some(class) => format!("type object '{}'", class.name),
        None => format!("'{}' object", python::type_name(value)),
    };
    HostError::new(HostErrorKind::Attribute, format!("{what} has no attribute '{name}'")).into()
}
