//! Members that are bound when they are read: functions, properties, static and class methods.

use tvmscript_ir_core::Str;
use tvmscript_script_value::{CallArgs, DictKey, HostObject, ScriptValue, release};

use super::natives::Generated;
use super::{BoundMethod, ClassObject, Instance};
use crate::eval::{Closure, Raise};
use crate::python::Outcome;
use crate::python::builtins::{Builtin, BuiltinKind, Table, own};
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
                return Err(lacking(self, instance, property, "getter"));
            }
            return self.call_value(&property.getter, CallArgs::positional([instance.clone()]));
        }
        Ok(member)
    }

    /// Writes an attribute through a property; returns `false` if the member is none. `value` is `None` to delete the
    /// attribute.
    pub(super) fn write_property(
        &mut self,
        member: &ScriptValue,
        instance: &ScriptValue,
        value: Option<ScriptValue>,
    ) -> Result<bool, Raise> {
        let Some(property) = member.as_host::<Property>() else { return Ok(false) };
        let (function, what) = match value {
            Some(_) => (&property.setter, "setter"),
            None => (&property.deleter, "deleter"),
        };
        if matches!(function, ScriptValue::None) {
            return Err(lacking(self, instance, property, what));
        }
        self.call_value(function, CallArgs::positional([instance.clone()].into_iter().chain(value)))?;
        Ok(true)
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

/// Methods of a property.
pub(crate) static PROPERTY: Table = &[
    own("deleter").one(|_, property, deleter| changed(property, |p| p.deleter = deleter)),
    own("getter").one(|_, property, getter| changed(property, |p| p.getter = getter)),
    own("setter").one(|_, property, setter| changed(property, |p| p.setter = setter)),
];

/// A copy of a property with another function.
fn changed(property: &ScriptValue, change: impl FnOnce(&mut Property)) -> Outcome {
    let Some(known) = property.as_host::<Property>() else { return Ok(ScriptValue::None) };
    let mut new = known.clone();
    change(&mut new);
    Ok(ScriptValue::host(new))
}
