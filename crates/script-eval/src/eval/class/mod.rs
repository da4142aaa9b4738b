//! Classes of host code: members, instances and bound methods.
//!
//! A class body runs as in Python. Its methods run when they are called, or are explored for the scripts in them.
//! Members are looked up along the method resolution order ([`mro`]); a lookup that reaches an unknown base class finds
//! a placeholder. Operators and built-in functions ask [`special`] for the methods by which a class defines them.
//!
//! An instance of a class that extends a built-in type has a payload, the value of that type. Operations that the class
//! does not define apply to the payload.

mod access;
mod binding;
mod dataclass;
mod define;
mod descriptor;
pub(crate) mod enumeration;
mod instance;
mod keys;
mod library;
mod mro;
mod named_tuple;
pub(crate) mod natives;
mod special;
mod super_object;

use std::cell::RefCell;
use std::rc::Rc;

use tvmscript_ir_core::Str;
use tvmscript_python_syntax::ast::TextRange;
use tvmscript_script_value::{Dict, DictKey, HostObject, ScriptValue, TextKey, release};

use super::placeholder::as_placeholder;
use super::{Cause, Closure, Placeholder, Raise};
use crate::EvalState;
use crate::python::builtins::{self, Builtin};
use crate::python::exceptions;

pub(crate) use access::missing;
pub(crate) use dataclass::same_sentinel;
pub(crate) use define::{ClassParts, mangled};
pub(crate) use descriptor::{PROPERTY, Property, is_function};
pub(crate) use descriptor::{Wrapper, WrapperKind};
pub(crate) use instance::Instance;
pub(crate) use keys::Keys;
pub(crate) use library::{class_module_names, is_class_module};
pub(crate) use special::{Special, is_instance, removes};

/// Binding of a method on access, as its decorators say. Exploration passes the receiver accordingly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum MethodKind {
    /// To the instance.
    #[default]
    Plain,
    /// Not at all: `@staticmethod`.
    Static,
    /// To the class: `@classmethod`.
    Class,
    /// Called when it is read: `@property`.
    Property,
}

/// A name that a class body annotates, in order.
#[derive(Debug, Clone)]
pub(crate) struct Annotation {
    pub(crate) name: Str,
    /// The annotation as in the text.
    pub(crate) text: Str,
    /// The type, if it is a plain name that is bound; else the text.
    pub(crate) value: ScriptValue,
}

/// A class.
pub(crate) struct ClassObject {
    pub(crate) name: Str,
    place: TextRange,
    pub(crate) bases: Vec<ScriptValue>,
    /// The method resolution order behind the class itself.
    mro: Vec<ScriptValue>,
    pub(crate) namespace: Rc<RefCell<Dict>>,
    pub(crate) annotations: Vec<Annotation>,
    /// Names of abstract methods; a class with some has no instances.
    abstracts: Vec<Str>,
    /// The built-in type that instances extend.
    layout: Option<&'static str>,
    /// `true` for test classes whose bare methods are scripts.
    compares: bool,
    /// Its class, if that is not just `type`: a class of Python's library, or unknown.
    pub(crate) metaclass: Option<ScriptValue>,
}

impl HostObject for ClassObject {
    fn type_name(&self) -> &str {
        "a class"
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn attribute_names(&self) -> Vec<String> {
        let classes = self.mro.iter().filter_map(|class| class.as_host::<ClassObject>());
        [self].into_iter().chain(classes).flat_map(ClassObject::own_names).collect()
    }
}

impl Drop for ClassObject {
    fn drop(&mut self) {
        release(self.bases.drain(..).chain(self.mro.drain(..)).chain(self.metaclass.take()));
    }
}

impl ClassObject {
    /// The member that the class itself defines.
    pub(crate) fn own(&self, name: &str) -> Option<ScriptValue> {
        self.namespace.borrow().get(&TextKey::new(name)).cloned()
    }

    /// Sets a member, without descriptors.
    pub(crate) fn set(&self, name: &str, value: ScriptValue) {
        let old = self.namespace.borrow_mut().insert(DictKey::text(name), value);
        drop(old);
    }

    fn own_names(&self) -> Vec<String> {
        self.namespace.borrow().keys().filter_map(|key| key.0.as_str().map(str::to_owned)).collect()
    }

    /// Tests whether all base classes are known.
    pub(crate) fn is_known(&self) -> bool {
        self.mro.iter().all(is_class)
    }

    /// The name with its enclosing functions and classes.
    pub(crate) fn qualified_name(&self) -> Str {
        match self.own("__qualname__") {
            Some(ScriptValue::Str(name)) => name,
            _ => self.name.clone(),
        }
    }
}

/// Classes of the library that extend `dict`.
pub(crate) const DICT_CLASSES: &[&str] = &["OrderedDict", "defaultdict", "Counter"];

/// The method resolution order of a class, which it begins.
pub(crate) fn mro_of(class: &ScriptValue) -> Vec<ScriptValue> {
    let mut order = vec![class.clone()];
    match (class.as_host::<ClassObject>(), class.as_host::<Builtin>()) {
        (Some(class), _) => order.extend(class.mro.iter().cloned()),
        (None, Some(builtin)) if builtin.native.name == "object" => {}
        (None, Some(builtin)) => {
            let mut base = exceptions::base(builtin.native.name);
            while let Some(name) = base {
                order.extend(exceptions::class(name));
                base = exceptions::base(name);
            }
            order.extend((builtin.native.name == "bool").then(|| builtins::class("int")).flatten());
            let is_dict = DICT_CLASSES.contains(&builtin.native.name);
            order.extend(is_dict.then(|| builtins::class("dict")).flatten());
            let is_metaclass = matches!(builtin.native.name, "ABCMeta" | "EnumType");
            order.extend(is_metaclass.then(|| builtins::class("type")).flatten());
            order.extend(builtins::class("object"));
        }
        (None, None) => order.extend(builtins::class("object")),
    }
    order
}

/// Tests whether a value is a class of Python.
pub(crate) fn is_class(value: &ScriptValue) -> bool {
    value.as_host::<ClassObject>().is_some() || value.as_host::<Builtin>().is_some_and(Builtin::is_type)
}

/// Tests whether a class is another one or inherits from it.
pub(crate) fn is_subclass(class: &ScriptValue, of: &ScriptValue) -> bool {
    let is_it = |class: &ScriptValue| crate::python::compare::identical(class, of);
    is_it(class)
        || match class.as_host::<ClassObject>() {
            Some(class) => class.mro.iter().any(is_it),
            None => class.as_host::<Builtin>().is_some() && mro_of(class).iter().any(is_it),
        }
}

/// Tests whether a member was made by a definition.
fn is_definition(value: &ScriptValue) -> bool {
    matches!(value, ScriptValue::Node(_))
        || is_function(value)
        || descriptor::is_wrapper(value)
        || value.as_host::<ClassObject>().is_some()
}

/// A method bound to an instance or class.
pub(crate) struct BoundMethod {
    pub(crate) function: ScriptValue,
    pub(crate) receiver: ScriptValue,
}

impl BoundMethod {
    pub(crate) fn value(function: ScriptValue, receiver: &ScriptValue) -> ScriptValue {
        ScriptValue::host(BoundMethod { function, receiver: receiver.clone() })
    }
}

impl BoundMethod {
    /// Tests whether both are the same function bound to the same receiver.
    pub(crate) fn same(a: &ScriptValue, b: &ScriptValue) -> bool {
        use crate::python::compare::identical;
        match (a.as_host::<BoundMethod>(), b.as_host::<BoundMethod>()) {
            (Some(a), Some(b)) => identical(&a.function, &b.function) && identical(&a.receiver, &b.receiver),
            _ => false,
        }
    }
}

impl HostObject for BoundMethod {
    fn type_name(&self) -> &str {
        "a method"
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        match (name, &self.function) {
            ("__self__", _) => Some(self.receiver.clone()),
            ("__func__", function) => Some(function.clone()),
            (_, ScriptValue::Host(function)) => function.attribute(name),
            _ => None,
        }
    }
}

impl Drop for BoundMethod {
    fn drop(&mut self) {
        release([&mut self.function, &mut self.receiver].map(std::mem::take));
    }
}

impl EvalState {
    /// A placeholder for an instance that is not evaluated.
    pub(super) fn unknown_instance(&self, class: &ClassObject) -> Placeholder {
        let reason = format!("instances of the class `{}` are not evaluated", class.name);
        Placeholder::new(Cause::Statement(reason.into()), self.statement.unwrap_or_default())
    }

    /// Returns a placeholder for a class with unknown bases or an instance of one, to explain why an operation on it
    /// failed.
    pub(crate) fn failed_instance(&self, value: &ScriptValue) -> Option<Placeholder> {
        let (class, is_explored) = match value.as_host::<Instance>() {
            Some(instance) => (instance.class.as_host::<ClassObject>()?, instance.is_explored),
            None => (value.as_host::<ClassObject>()?, false),
        };
        (is_explored || !class.is_known()).then(|| self.unknown_instance(class))
    }
}

/// Looks up a member of a class along its method resolution order, without binding it.
pub(crate) fn lookup(class: &ScriptValue, name: &str) -> Option<ScriptValue> {
    match class.as_host::<ClassObject>() {
        Some(object) => {
            let key = TextKey::new(name);
            let own = object.namespace.borrow().get(&key).cloned();
            if let Some(member) = own {
                return Some(object.visible(member));
            }
            object.mro.iter().find_map(|base| match base.as_host::<ClassObject>() {
                Some(base) => {
                    let member = base.namespace.borrow().get(&key).cloned();
                    member.map(|member| object.visible(member))
                }
                None => native_member(base, name),
            })
        }
        None => mro_of(class).iter().find_map(|base| native_member(base, name)),
    }
}

impl ClassObject {
    /// A member as Python shows it. An unknown base class that is named like an enumeration replaces members that are
    /// not definitions; others are assumed to leave them.
    fn visible(&self, member: ScriptValue) -> ScriptValue {
        let is_replaced = || self.mro.iter().any(may_replace_members);
        if self.is_known() || is_definition(&member) || as_placeholder(&member).is_some() || !is_replaced() {
            return member;
        }
        let reason = format!("members of the class `{}` are not evaluated", self.name);
        Placeholder::new(Cause::Statement(reason.into()), self.place).value()
    }
}

/// Tests for an unknown class whose name says that it makes instances of the members of its subclasses.
fn may_replace_members(class: &ScriptValue) -> bool {
    match as_placeholder(class).map(|placeholder| &placeholder.cause) {
        Some(Cause::Module(path)) => path.ends_with("Enum") || path.ends_with("Flag"),
        _ => false,
    }
}

/// The member of a base class that is not defined in the text.
fn native_member(base: &ScriptValue, name: &str) -> Option<ScriptValue> {
    match base.as_host::<Builtin>().filter(|builtin| builtin.is_type()) {
        Some(builtin) => natives::member(builtin.native.name, name),
        // Python may give every class these.
        None => match base {
            ScriptValue::Host(_) if name.starts_with("__") => None,
            ScriptValue::Host(host) => match as_placeholder(base) {
                Some(placeholder) => Some(placeholder.member(name).value()),
                None => host.attribute(name),
            },
            _ => None,
        },
    }
}

/// The closure behind a method, through its decorators.
pub(crate) fn closure_of(member: &ScriptValue) -> Option<&Closure> {
    match descriptor::unwrapped(member) {
        Some(inner) => inner.as_host::<Closure>(),
        None => member.as_host::<Closure>(),
    }
}

/// The error of an operation that needs an unknown base class.
fn unknown(evaluator: &EvalState, class: &ClassObject) -> Raise {
    Raise::Unknown(evaluator.unknown_instance(class))
}
