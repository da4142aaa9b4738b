//! The classes of `collections.abc`: their bases, abstract methods and mixin methods.
//!
//! Membership by methods and of built-in types is decided in `python::library::abstract_classes`.

mod mapping;
mod sequence;
mod set;

use tvmscript_script_value::{CallArgs, ScriptValue};

use super::natives::Generated;
use super::{ClassObject, Instance, Wrapper, WrapperKind, missing};
use crate::Eval;
use crate::eval::{Iter, IterObject, Raise, exception};
use crate::python::Outcome;
use crate::python::builtins::{Native, Table, own};

/// The module of the classes.
pub(super) const MODULE: &str = "collections.abc";

/// A class.
struct Abstract {
    name: &'static str,
    bases: &'static [&'static str],
    /// Abstract methods, with what they do when a subclass calls them.
    required: Table,
    methods: Table,
    class_methods: Table,
    /// Special methods that the class takes away from its bases.
    removed: &'static [&'static str],
}

impl Abstract {
    const EMPTY: Abstract =
        Abstract { name: "", bases: &[], required: &[], methods: &[], class_methods: &[], removed: &[] };
}

static CLASSES: &[Abstract] = &[
    Abstract { name: "Hashable", required: &[own("__hash__").zero(zero)], ..Abstract::EMPTY },
    Abstract { name: "Iterable", required: &[own("__iter__").zero(nothing)], ..Abstract::EMPTY },
    Abstract {
        name: "Iterator",
        bases: &["Iterable"],
        required: &[own("__next__").zero(stop)],
        methods: &[own("__iter__").zero(|_, x| Ok(x.clone()))],
        ..Abstract::EMPTY
    },
    Abstract {
        name: "Reversible",
        bases: &["Iterable"],
        required: &[own("__reversed__").zero(nothing)],
        ..Abstract::EMPTY
    },
    Abstract {
        name: "Generator",
        bases: &["Iterator"],
        required: sequence::GENERATOR_REQUIRED,
        methods: sequence::GENERATOR,
        ..Abstract::EMPTY
    },
    Abstract { name: "Sized", required: &[own("__len__").zero(zero)], ..Abstract::EMPTY },
    Abstract {
        name: "Container",
        required: &[own("__contains__").one(|_, _, _| Ok(ScriptValue::Bool(false)))],
        ..Abstract::EMPTY
    },
    Abstract { name: "Collection", bases: &["Sized", "Iterable", "Container"], ..Abstract::EMPTY },
    Abstract {
        name: "Callable",
        required: &[own("__call__").any(|_, _, _| Ok(ScriptValue::Bool(false)))],
        ..Abstract::EMPTY
    },
    Abstract {
        name: "Sequence",
        bases: &["Reversible", "Collection"],
        required: &[own("__getitem__").one(|_, _, _| raise!(Index, ""))],
        methods: sequence::SEQUENCE,
        ..Abstract::EMPTY
    },
    Abstract { name: "ByteString", bases: &["Sequence"], ..Abstract::EMPTY },
    Abstract {
        name: "MutableSequence",
        bases: &["Sequence"],
        required: sequence::MUTABLE_REQUIRED,
        methods: sequence::MUTABLE,
        ..Abstract::EMPTY
    },
    Abstract {
        name: "Set",
        bases: &["Collection"],
        methods: set::SET,
        class_methods: set::CLASS_METHODS,
        ..Abstract::EMPTY
    },
    Abstract {
        name: "MutableSet",
        bases: &["Set"],
        required: set::MUTABLE_REQUIRED,
        methods: set::MUTABLE,
        ..Abstract::EMPTY
    },
    Abstract {
        name: "Mapping",
        bases: &["Collection"],
        required: &[own("__getitem__").one(|_, _, _| Err(raised("KeyError")))],
        methods: mapping::MAPPING,
        removed: &["__reversed__"],
        ..Abstract::EMPTY
    },
    Abstract {
        name: "MutableMapping",
        bases: &["Mapping"],
        required: mapping::MUTABLE_REQUIRED,
        methods: mapping::MUTABLE,
        ..Abstract::EMPTY
    },
    Abstract { name: "MappingView", bases: &["Sized"], methods: mapping::VIEW, ..Abstract::EMPTY },
    Abstract {
        name: "KeysView",
        bases: &["MappingView", "Set"],
        methods: mapping::KEYS,
        class_methods: mapping::SET_OF_ELEMENTS,
        ..Abstract::EMPTY
    },
    Abstract {
        name: "ItemsView",
        bases: &["MappingView", "Set"],
        methods: mapping::ITEMS,
        class_methods: mapping::SET_OF_ELEMENTS,
        ..Abstract::EMPTY
    },
    Abstract {
        name: "ValuesView",
        bases: &["MappingView", "Collection"],
        methods: mapping::VALUES,
        ..Abstract::EMPTY
    },
];

fn zero(_: &mut Eval<'_>, _: &ScriptValue) -> Outcome {
    Ok(ScriptValue::Int(0))
}

fn nothing(_: &mut Eval<'_>, _: &ScriptValue) -> Outcome {
    Ok(generator(Iter::Items(Vec::new().into_iter())))
}

fn stop(_: &mut Eval<'_>, _: &ScriptValue) -> Outcome {
    Err(raised("StopIteration"))
}

/// An exception without arguments.
fn raised(class: &str) -> Raise {
    Raise::Exception(exception::of_builtin(class, []))
}

/// An iterator that a mixin method written as a generator returns.
fn generator(iter: Iter) -> ScriptValue {
    IterObject::value("generator", iter)
}

/// A method of a class.
fn method(native: &'static Native, is_abstract: bool) -> ScriptValue {
    let run = move |p: &mut Eval<'_>, mut args: CallArgs| {
        if args.positional.is_empty() {
            raise!(Type, "{}() missing 1 required positional argument: 'self'", native.name);
        }
        let receiver = args.positional.remove(0);
        native.call_method(p, &receiver, args)
    };
    match is_abstract {
        true => Generated::abstract_method(native.name, run),
        false => Generated::value(native.name, run),
    }
}

/// The class of this name. Each program has its own.
pub(crate) fn class(p: &Eval<'_>, name: &str) -> Option<ScriptValue> {
    let row = CLASSES.iter().find(|row| row.name == name)?;
    if let Some(known) = p.state.program.native_classes.borrow().get(row.name) {
        return Some(known.clone());
    }
    let bases = row.bases.iter().map(|base| class(p, base)).collect::<Option<Vec<_>>>()?;
    let mut members = Vec::new();
    members.extend(row.required.iter().map(|native| (native.name, method(native, true))));
    members.extend(row.methods.iter().map(|native| (native.name, method(native, false))));
    members.extend(
        row.class_methods
            .iter()
            .map(|native| (native.name, Wrapper::value(WrapperKind::Class, method(native, false)))),
    );
    members.extend(row.removed.iter().map(|name| (*name, ScriptValue::None)));
    Some(p.native_class(MODULE, row.name, &bases, members))
}

/// The name of a class of this module; `None` for other values.
pub(crate) fn name_of(class: &ScriptValue) -> Option<&'static str> {
    class.as_host::<ClassObject>()?.abstract_name
}

/// Tests whether a value is an instance of the class of this name.
pub(crate) fn is_of(p: &mut Eval<'_>, value: &ScriptValue, name: &str) -> Result<bool, Raise> {
    match class(p, name) {
        Some(class) => p.is_instance(value, &class),
        None => Ok(false),
    }
}

/// Calls a method by its name.
fn call(
    p: &mut Eval<'_>,
    receiver: &ScriptValue,
    name: &str,
    args: impl IntoIterator<Item = ScriptValue>,
) -> Outcome {
    match p.find_attribute(receiver, name)? {
        Some(method) => p.call_value(&method, CallArgs::positional(args)),
        None => Err(missing(receiver, name)),
    }
}

/// `len(value)`
fn length(p: &mut Eval<'_>, value: &ScriptValue) -> Result<i64, Raise> {
    match crate::python::builtins::len(p, value)? {
        ScriptValue::Int(len) => Ok(len),
        _ => Ok(0),
    }
}

/// An attribute of an instance; `None` if it is not set.
fn field(instance: &ScriptValue, name: &str) -> Option<ScriptValue> {
    instance.as_host::<Instance>()?.own(name)
}
