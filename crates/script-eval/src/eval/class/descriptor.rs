//! Members that are bound when they are read: functions, properties, static and class methods.

use tvmscript_ir_core::Str;
use tvmscript_script_value::{CallArgs, DictKey, HostObject, ScriptValue, release};

use super::natives::Generated;
use super::{BoundMethod, ClassObject, Instance, Special, lookup};
use crate::eval::{Closure, Raise};
use crate::python::builtins::{Builtin, BuiltinKind, Table, own};
use crate::python::{Outcome, object};
use crate::{Eval, EvalState};

/// `property`
#[derive(Clone, Default)]
pub(crate) struct Property {
    pub(crate) getter: ScriptValue,
    pub(crate) setter: ScriptValue,
    pub(crate) deleter: ScriptValue,
    /// The documentation, unless it is that of the getter.
    pub(crate) doc: std::cell::RefCell<Option<ScriptValue>>,
    /// The name that a class gave it.
    pub(crate) name: std::cell::RefCell<Option<Str>>,
}

impl Property {
    pub(crate) fn new(getter: ScriptValue, setter: ScriptValue, deleter: ScriptValue) -> Property {
        Property { getter, setter, deleter, doc: Default::default(), name: Default::default() }
    }
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
            "__doc__" => Some(match (&*self.doc.borrow(), &self.getter) {
                (Some(doc), _) => doc.clone(),
                (None, ScriptValue::Host(getter)) => getter.attribute("__doc__").unwrap_or_default(),
                (None, _) => ScriptValue::None,
            }),
            "__isabstractmethod__" => {
                let functions = [&self.getter, &self.setter, &self.deleter];
                Some(ScriptValue::Bool(functions.into_iter().any(is_abstract)))
            }
            _ => None,
        }
    }
}

/// Tests whether a function is marked as abstract.
fn is_abstract(function: &ScriptValue) -> bool {
    function.as_host::<Closure>().is_some_and(|function| function.is_abstract.get())
}

impl Drop for Property {
    fn drop(&mut self) {
        let functions = [&mut self.getter, &mut self.setter, &mut self.deleter].map(std::mem::take);
        release(functions.into_iter().chain(self.doc.take()));
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
            ("attrname", _) if self.kind == WrapperKind::Cached => {
                Some(self.name.borrow().clone().map_or(ScriptValue::None, ScriptValue::Str))
            }
            ("__func__" | "__wrapped__" | "func", function) => Some(function.clone()),
            ("__isabstractmethod__", function) => Some(ScriptValue::Bool(is_abstract(function))),
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

impl Eval<'_> {
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
                // A class method may wrap another descriptor.
                (WrapperKind::Class, _) if !is_function(&wrapper.function) && binds(&wrapper.function) => {
                    let inner = wrapper.function.clone();
                    let meta = self.class_of(class).unwrap_or_default();
                    self.bind_member(inner, Some(class), &meta, name)
                }
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
        if let Some(bound) =
            object::of(&member).and_then(|object| object.bind(self, &member, instance, class))
        {
            return bound;
        }
        if member.as_host::<Instance>().is_some() {
            let args = [instance.cloned().unwrap_or_default(), class.clone()];
            if let Special::Value(value) = self.call_special(&member, "__get__", args)? {
                return Ok(value);
            }
            // An instance of a class that extends `property`, `classmethod` or `staticmethod`.
            let payload = member.plain();
            if payload.as_host::<Wrapper>().is_some()
                || payload.as_host::<Property>().is_some() && instance.is_some()
            {
                return self.bind_member(payload.clone(), instance, class, name);
            }
        }
        if let (Some(property), Some(instance)) = (member.as_host::<Property>(), instance) {
            if matches!(property.getter, ScriptValue::None) {
                return Err(lacking(self, instance, property, "getter"));
            }
            return self.call_value(&property.getter, CallArgs::positional([instance.clone()]));
        }
        Ok(member)
    }

    /// Tests whether a member of a class takes precedence over the attribute of an instance.
    pub(super) fn is_data_descriptor(&self, member: &ScriptValue) -> bool {
        member.plain().as_host::<Property>().is_some()
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
        value: Option<ScriptValue>,
    ) -> Result<bool, Raise> {
        let overrides = member
            .as_host::<Instance>()
            .is_some_and(|instance| super::special::find(&instance.class, "__set__").is_some());
        if let Some(property) = member.plain().as_host::<Property>().filter(|_| !overrides) {
            let (function, what) = match value {
                Some(_) => (&property.setter, "setter"),
                None => (&property.deleter, "deleter"),
            };
            if matches!(function, ScriptValue::None) {
                return Err(lacking(self, instance, property, what));
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
        self.state.set_field_at(instance, &DictKey::text(name), value)
    }
}

impl EvalState {
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
fn lacking(p: &Eval<'_>, instance: &ScriptValue, property: &Property, what: &str) -> Raise {
    let class = p.class_of(instance);
    let class = match class.as_ref().and_then(|class| class.as_host::<ClassObject>()) {
        Some(class) => class.qualified_name().to_string(),
        None => crate::python::type_name(instance),
    };
    let name = match &*property.name.borrow() {
        Some(name) => format!(" '{name}'"),
        None => String::new(),
    };
    crate::errors::HostError::new(
        crate::HostErrorKind::Attribute,
        format!("property{name} of '{class}' object has no {what}"),
    )
    .into()
}

/// Tests whether a value is a descriptor other than a function.
fn binds(value: &ScriptValue) -> bool {
    is_wrapper(value)
        || value
            .as_host::<Instance>()
            .is_some_and(|instance| super::special::find(&instance.class, "__get__").is_some())
}

/// Methods of `classmethod` and `staticmethod`.
pub(crate) static WRAPPER: Table = &[own("__get__").one_or_two(|p, wrapper, instance, class| {
    let class = match class {
        Some(class) => class,
        None => p.class_of(&instance).unwrap_or_default(),
    };
    let instance = Some(instance).filter(|instance| !matches!(instance, ScriptValue::None));
    p.bind_member(wrapper.clone(), instance.as_ref(), &class, "__get__")
})];

/// Methods of a property.
pub(crate) static PROPERTY: Table = &[
    own("getter").one(|p, property, getter| changed(p, property, |p| p.getter = getter)),
    own("setter").one(|p, property, setter| changed(p, property, |p| p.setter = setter)),
    own("__get__").one_or_two(|p, property, instance, class| match instance {
        ScriptValue::None => Ok(property.clone()),
        instance => p.bind_member(property.plain().clone(), Some(&instance), &class.unwrap_or_default(), ""),
    }),
    own("__set__").two(|p, property, instance, value| {
        p.write_descriptor(property.plain(), &instance, Some(value))?;
        Ok(ScriptValue::None)
    }),
    own("__delete__").one(|p, property, instance| {
        p.write_descriptor(property.plain(), &instance, None)?;
        Ok(ScriptValue::None)
    }),
    own("__set_name__").any(|_, property, args| match args.positional.as_slice() {
        [_, name] => {
            if let (Some(property), ScriptValue::Str(name)) = (property.plain().as_host::<Property>(), name) {
                property.name.replace(Some(name.clone()));
            }
            Ok(ScriptValue::None)
        }
        other => raise!(Type, "__set_name__() takes 2 positional arguments but {} were given", other.len()),
    }),
    own("deleter").one(|p, property, deleter| changed(p, property, |p| p.deleter = deleter)),
];

/// A copy of a property with another function.
fn changed(p: &mut Eval<'_>, property: &ScriptValue, change: impl FnOnce(&mut Property)) -> Outcome {
    let Some(known) = property.plain().as_host::<Property>() else { return Ok(ScriptValue::None) };
    let mut new = known.clone();
    change(&mut new);
    match property.as_host::<Instance>() {
        Some(instance) => {
            let functions = [&new.getter, &new.setter, &new.deleter].map(Clone::clone);
            let doc = new.doc.borrow().clone();
            let class = instance.class.clone();
            p.call_value(&class, CallArgs::positional(functions.into_iter().chain(doc)))
        }
        None => Ok(ScriptValue::host(new)),
    }
}
