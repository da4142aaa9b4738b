//! Metaclasses: classes whose instances are classes.
//!
//! A class statement calls the most derived metaclass of the class and its bases. Metaclasses of Python's library
//! (`type`, `ABCMeta`, `EnumType`) make the class directly. One that the text defines is called with the name, the
//! bases and the namespace; its `type.__new__` makes the class.

use std::cell::RefCell;
use std::rc::Rc;

use tvmscript_ir_core::Str;
use tvmscript_script_value::{CallArgs, Dict, DictKey, ScriptValue};

use super::define::{ClassParts, PendingClass};
use super::special::find;
use super::{BoundMethod, ClassObject, is_class, is_subclass, lookup, mro_of};
use crate::Eval;
use crate::eval::Raise;
use crate::python::builtins::{self, Builtin, BuiltinKind, Table, own};
use crate::python::{Outcome, cost, subscript};

/// The class of a class.
pub(crate) fn metaclass_of(class: &ScriptValue) -> Option<ScriptValue> {
    match class.as_host::<ClassObject>().and_then(|class| class.metaclass.clone()) {
        Some(metaclass) => Some(metaclass),
        None => builtins::class("type"),
    }
}

/// The metaclass of a class, if the text defines it.
pub(crate) fn custom(class: &ScriptValue) -> Option<&ScriptValue> {
    class.as_host::<ClassObject>()?.metaclass.as_ref().filter(|meta| meta.as_host::<ClassObject>().is_some())
}

/// The layout of instances of a built-in base class: all metaclasses have that of `type`.
pub(super) fn layout(name: &'static str) -> &'static str {
    if matches!(name, "ABCMeta" | "EnumType") { "type" } else { name }
}

/// Tests whether a class is a metaclass that the text defines.
pub(crate) fn is_metaclass(class: &ScriptValue) -> bool {
    class.as_host::<ClassObject>().is_some_and(|class| class.layout == Some("type"))
}

/// A method that the metaclass of a class defines in the text, bound to the class.
pub(super) fn method(
    p: &mut Eval<'_>,
    class: &ScriptValue,
    name: &str,
) -> Result<Option<ScriptValue>, Raise> {
    let Some(metaclass) = custom(class).cloned() else { return Ok(None) };
    match find(&metaclass, name) {
        Some(member) => p.bind_member(member, Some(class), &metaclass, name).map(Some),
        None => Ok(None),
    }
}

/// A method of `type` as an attribute of a class: `C.mro`.
pub(crate) fn native_method(class: &ScriptValue, name: &str) -> Option<ScriptValue> {
    let is_abstract = class.as_host::<ClassObject>().is_some_and(|object| {
        let meta = object.metaclass.as_ref();
        meta.is_some_and(|meta| mro_of(meta).iter().any(|base| is_builtin(base, "ABCMeta")))
    });
    let native = TYPE
        .iter()
        .chain(if is_abstract { ABSTRACT } else { &[] })
        .find(|native| native.name == name && !matches!(name, "__new__" | "__init__" | "__prepare__"))?;
    Some(BoundMethod::value(Builtin::value(native, BuiltinKind::Slot("type")), class))
}

fn is_builtin(class: &ScriptValue, name: &str) -> bool {
    class.as_host::<Builtin>().is_some_and(|builtin| builtin.native.name == name)
}

/// The most derived metaclass of a class statement.
///
/// # Errors
/// Fails if there is none.
pub(super) fn winner(
    explicit: Option<ScriptValue>,
    bases: &[ScriptValue],
) -> Result<Option<ScriptValue>, Raise> {
    let mut winner = explicit;
    let metaclasses = bases.iter().filter_map(|base| base.as_host::<ClassObject>()?.metaclass.clone());
    for other in metaclasses {
        match &winner {
            Some(known) if is_subclass(known, &other) => {}
            Some(known) if !is_subclass(&other, known) => raise!(
                Type,
                "metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of the metaclasses \
                 of all its bases"
            ),
            _ => winner = Some(other),
        }
    }
    Ok(winner)
}

impl Eval<'_> {
    /// Replaces bases that are no classes by what their `__mro_entries__` returns.
    pub(super) fn resolved_bases(&mut self, bases: &[ScriptValue]) -> Result<Vec<ScriptValue>, Raise> {
        let mut out = Vec::with_capacity(bases.len());
        for base in bases {
            if let Some(class) = crate::python::library::class_of_form(self, base) {
                out.push(class);
                continue;
            }
            if is_class(base) || !super::is_instance(base) {
                out.push(base.clone());
                continue;
            }
            let all = ScriptValue::tuple(bases.iter().cloned());
            match self.call_special(base, "__mro_entries__", [all])? {
                super::Special::Value(ScriptValue::Tuple(entries)) => {
                    self.state.program.budget.step(entries.len() as u64)?;
                    out.extend(entries.iter().cloned());
                }
                super::Special::Value(_) => raise!(Type, "__mro_entries__ must return a tuple"),
                _ => out.push(base.clone()),
            }
        }
        Ok(out)
    }

    /// The namespace that `__prepare__` of a metaclass returns; `None` for a plain one.
    pub(super) fn prepared(
        &mut self,
        metaclass: &ScriptValue,
        name: &Str,
        bases: &[ScriptValue],
        keywords: &CallArgs,
    ) -> Result<Option<ScriptValue>, Raise> {
        let Some(prepare) = find(metaclass, "__prepare__") else { return Ok(None) };
        let prepare = self.bind_member(prepare, None, metaclass, "__prepare__")?;
        let mut args =
            CallArgs::positional([ScriptValue::Str(name.clone()), ScriptValue::tuple(bases.iter().cloned())]);
        args.keywords = keywords.keywords.clone();
        let namespace = self.call_value(&prepare, args)?;
        if !matches!(namespace.plain(), ScriptValue::Dict(_)) && !super::is_instance(&namespace) {
            let class = super::mro::class_name(metaclass);
            return Err(wrong_type!("{class}.__prepare__() must return a mapping, not {}", &namespace).into());
        }
        Ok(Some(namespace))
    }

    /// Calls a metaclass that the text defines, for a class statement.
    pub(super) fn call_metaclass(
        &mut self,
        metaclass: &ScriptValue,
        parts: ClassParts,
        namespace: Option<ScriptValue>,
    ) -> Outcome {
        let ClassParts { name, bases, members, keywords, place, annotations, compares, env, .. } = parts;
        let pending = PendingClass { place, annotations, compares, env };
        let namespace = match namespace {
            Some(namespace) => {
                for (key, value) in members.iter().map(|(key, value)| (key.clone(), value.clone())) {
                    self.state.program.budget.step(1)?;
                    subscript::set(self, &namespace, key.0, value)?;
                }
                namespace
            }
            None => ScriptValue::Dict(Rc::new(RefCell::new(members))),
        };
        let args = [ScriptValue::Str(name), ScriptValue::tuple(bases), namespace];
        let around = self.state.pending_class.replace(pending);
        let mut args = CallArgs::positional(args);
        args.keywords = keywords.keywords;
        let made = self.call_value(metaclass, args);
        self.state.pending_class = around;
        made
    }

    /// `type.__new__(metaclass, name, bases, namespace)`
    pub(crate) fn new_class(&mut self, metaclass: &ScriptValue, args: CallArgs) -> Outcome {
        let given = args.positional.len();
        let [ScriptValue::Str(name), bases, namespace] = args.positional.as_slice() else {
            raise!(Type, "type.__new__() takes exactly 3 arguments ({given} given)");
        };
        let ScriptValue::Tuple(bases) = bases.plain() else {
            return Err(wrong_type!("type.__new__() argument 2 must be tuple, not {}", bases).into());
        };
        let ScriptValue::Dict(namespace) = namespace.plain() else {
            return Err(wrong_type!("type.__new__() argument 3 must be dict, not {}", namespace).into());
        };
        cost::entries(self.state, namespace.borrow().len())?;
        let mut members = Dict::new();
        let has = |name: &str| namespace.borrow().contains_key(&DictKey::text(name));
        if !has("__module__") {
            members.insert(DictKey::text("__module__"), ScriptValue::str("__main__"));
        }
        if !has("__qualname__") {
            members.insert(DictKey::text("__qualname__"), ScriptValue::Str(name.clone()));
        }
        if !has("__doc__") {
            members.insert(DictKey::text("__doc__"), ScriptValue::None);
        }
        members.extend(namespace.borrow().iter().map(|(key, value)| (key.clone(), value.clone())));
        let explicit = Some(metaclass.clone()).filter(|meta| !is_builtin(meta, "type"));
        let metaclass = winner(explicit, bases)?;
        let pending = self.state.pending_class.take().unwrap_or_else(|| PendingClass {
            place: self.state.statement.unwrap_or_default(),
            ..PendingClass::default()
        });
        self.make_class(ClassParts {
            name: name.clone(),
            bases: bases.to_vec(),
            members,
            keywords: CallArgs { keywords: args.keywords, ..CallArgs::default() },
            metaclass,
            place: pending.place,
            annotations: pending.annotations,
            compares: pending.compares,
            env: pending.env,
        })
    }

    /// `type(name, bases, members)`, and calls of metaclasses that inherit it.
    pub(crate) fn type_with_members(&mut self, args: &[ScriptValue], keywords: CallArgs) -> Outcome {
        let [name, bases, members] = args else {
            raise!(Type, "type.__new__() takes a name, a tuple of bases and a dict");
        };
        if !matches!(name.plain(), ScriptValue::Str(_)) {
            return Err(wrong_type!("type.__new__() argument 1 must be str, not {}", name).into());
        }
        let mut args = CallArgs::positional([name.plain().clone(), bases.clone(), members.clone()]);
        args.keywords = keywords.keywords;
        // The most derived metaclass makes the class.
        if let ScriptValue::Tuple(bases) = bases.plain()
            && let Some(metaclass) = winner(None, bases)?
            && metaclass.as_host::<ClassObject>().is_some()
        {
            return self.call_value(&metaclass, args);
        }
        let class = builtins::class("type").unwrap_or_default();
        self.new_class(&class, args)
    }
}

/// Methods of `type`.
pub(super) static TYPE: Table = &[
    own("__new__").any(|p, class, args| p.new_class(class, args)),
    own("__init__").any(|_, _, args| match args.positional.len() {
        1 | 3 => Ok(ScriptValue::None),
        _ => raise!(Type, "type.__init__() takes 1 or 3 arguments"),
    }),
    own("__call__").any(|p, class, args| p.instantiate(class, args)),
    own("__prepare__").any(|_, _, _| Ok(ScriptValue::dict([]))),
    own("__instancecheck__").one(|p, class, value| {
        let own = p.class_of(&value);
        Ok(ScriptValue::Bool(own.is_some_and(|own| is_subclass(&own, class))))
    }),
    own("__subclasscheck__").one(|_, class, other| Ok(ScriptValue::Bool(is_subclass(&other, class)))),
    own("mro").zero(|p, class| {
        let order = mro_of(class);
        cost::list(p.state, order)
    }),
    own("__repr__").zero(|p, class| {
        let text = class.as_host().map_or_else(String::new, crate::python::repr::class_text);
        cost::text(p.state, &text)
    }),
    own("__getattribute__").one(|p, class, name| {
        let Some(name) = name.as_str() else { raise!(Type, "attribute name must be string") };
        match p.find_class_attribute(class, name)? {
            Some(value) => Ok(value),
            None => Err(super::missing(class, name)),
        }
    }),
    own("__setattr__").two(|p, class, name, value| {
        let Some(name) = name.as_str() else { raise!(Type, "attribute name must be string") };
        p.set_class_attribute(class, name, value)?;
        Ok(ScriptValue::None)
    }),
    own("__delattr__").one(|p, class, name| {
        let Some(name) = name.as_str() else { raise!(Type, "attribute name must be string") };
        p.delete_class_attribute(class, name)?;
        Ok(ScriptValue::None)
    }),
];

/// Methods of `abc.ABCMeta`.
static ABSTRACT: Table = &[own("register").one(|p, class, other| {
    if !is_class(&other) {
        raise!(Type, "Can only register classes");
    }
    let Some(object) = class.as_host::<ClassObject>() else { return Ok(other) };
    if is_subclass(&other, class) {
        return Ok(other);
    }
    if is_subclass(class, &other) {
        raise!(Runtime, "Refusing to create an inheritance cycle");
    }
    // It is a subclass of the bases, too.
    let classes = object.mro.iter().filter_map(|base| base.as_host::<ClassObject>());
    for class in [object].into_iter().chain(classes) {
        p.state.program.budget.allocate(cost::VALUE_BYTES)?;
        class.registered.borrow_mut().push(other.clone());
    }
    Ok(other)
})];

/// Tests whether a class, or a class that inherits from it, has registered a class as its own.
pub(crate) fn is_registered(p: &mut Eval<'_>, class: &ScriptValue, of: &ScriptValue) -> Result<bool, Raise> {
    let Some(object) = of.as_host::<ClassObject>() else { return Ok(false) };
    let registered = object.registered.borrow().clone();
    for other in registered {
        p.state.program.budget.step(1)?;
        if is_subclass(class, &other) || is_registered(p, class, &other)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The member of a metaclass that takes precedence over the class's own: a data descriptor.
pub(super) fn data_member(p: &mut Eval<'_>, class: &ScriptValue, name: &str) -> Option<ScriptValue> {
    let member = find(custom(class)?, name)?;
    p.is_data_descriptor(&member).then_some(member)
}

/// The method that makes the instances of a class, if its metaclass replaces it.
pub(crate) fn call_method(p: &mut Eval<'_>, class: &ScriptValue) -> Result<Option<ScriptValue>, Raise> {
    method(p, class, "__call__")
}

/// Calls `__init__` of the metaclass on a class that its `__new__` made.
pub(super) fn init_class(
    p: &mut Eval<'_>,
    metaclass: &ScriptValue,
    class: &ScriptValue,
    args: CallArgs,
) -> Result<(), Raise> {
    let Some(init) = lookup(metaclass, "__init__") else { return Ok(()) };
    let init = p.bind_member(init, Some(class), metaclass, "__init__")?;
    p.call_value(&init, args).map(drop)
}
