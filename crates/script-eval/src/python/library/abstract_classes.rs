//! The classes of `collections.abc`, for `isinstance` and `issubclass`: those that a class belongs to by its methods, and
//! those that built-in types are registered with.

use tvmscript_script_value::ScriptValue;

use crate::eval::class::{self, ClassObject};
use crate::python::builtins::Builtin;

/// The base classes of a class, direct or not.
const BASES: &[(&str, &str)] = &[
    ("Iterator", "Iterable"),
    ("Generator", "Iterator Iterable"),
    ("Reversible", "Iterable"),
    ("Collection", "Sized Iterable Container"),
    ("Sequence", "Reversible Collection Sized Iterable Container"),
    ("MutableSequence", "Sequence Reversible Collection Sized Iterable Container"),
    ("ByteString", "Sequence Reversible Collection Sized Iterable Container"),
    ("Set", "Collection Sized Iterable Container"),
    ("MutableSet", "Set Collection Sized Iterable Container"),
    ("Mapping", "Collection Sized Iterable Container"),
    ("MutableMapping", "Mapping Collection Sized Iterable Container"),
    ("MappingView", "Sized"),
    ("KeysView", "MappingView Set Collection Sized Iterable Container"),
    ("ItemsView", "MappingView Set Collection Sized Iterable Container"),
    ("ValuesView", "MappingView Collection Sized Iterable Container"),
];

/// The methods that make a class one of these.
const METHODS: &[(&str, &[&str])] = &[
    ("Callable", &["__call__"]),
    ("Collection", &["__len__", "__iter__", "__contains__"]),
    ("Container", &["__contains__"]),
    ("Generator", &["__iter__", "__next__", "send", "throw", "close"]),
    ("Iterable", &["__iter__"]),
    ("Iterator", &["__iter__", "__next__"]),
    ("Reversible", &["__reversed__", "__iter__"]),
    ("Sized", &["__len__"]),
];

/// The classes of built-in types; the bases of the classes follow from [`BASES`].
const BUILTIN: &[(&str, &str)] = &[
    ("list", "MutableSequence"),
    ("deque", "MutableSequence"),
    ("tuple", "Sequence Hashable"),
    ("str", "Sequence Hashable"),
    ("range", "Sequence Hashable"),
    ("bytes", "ByteString Hashable"),
    ("dict", "MutableMapping Reversible"),
    ("OrderedDict", "MutableMapping Reversible"),
    ("defaultdict", "MutableMapping Reversible"),
    ("Counter", "MutableMapping Reversible"),
    ("ndarray", "Iterable Sized Container"),
    ("set", "MutableSet"),
    ("slice", ""),
    ("frozenset", "Set Hashable"),
    ("dict_keys", "KeysView Reversible"),
    ("dict_items", "ItemsView Reversible"),
    ("dict_values", "ValuesView Reversible Hashable"),
    ("generator", "Generator Hashable"),
    ("enumerate", "Iterator Hashable"),
    ("filter", "Iterator Hashable"),
    ("map", "Iterator Hashable"),
    ("reversed", "Iterator Hashable"),
    ("zip", "Iterator Hashable"),
];

/// Tests whether a name is that of a class here.
pub(super) fn is_known(name: &str) -> bool {
    name == "Hashable"
        || BASES.iter().any(|(known, _)| *known == name)
        || METHODS.iter().any(|(known, _)| *known == name)
}

/// Tests whether a class of this table is `name` or extends it.
fn extends(class: &str, name: &str) -> bool {
    class == name
        || BASES
            .iter()
            .any(|(known, bases)| *known == class && bases.split_whitespace().any(|base| base == name))
}

/// Tests whether values of a built-in type are instances of an abstract class.
pub(super) fn is_builtin_of(type_name: &str, name: &str) -> bool {
    let type_name = type_name.rsplit('.').next().unwrap_or(type_name);
    match BUILTIN.iter().find(|(known, _)| *known == type_name) {
        Some((_, classes)) => classes.split_whitespace().any(|class| extends(class, name)),
        None if type_name.ends_with("iterator") => name == "Hashable" || extends("Iterator", name),
        None => name == "Hashable",
    }
}

/// Tests whether a class of the program, or a built-in type, is a subclass of an abstract class. `None` if it has bases
/// that are not known.
pub(super) fn is_subclass(of: &ScriptValue, name: &str) -> Option<bool> {
    if let Some(builtin) = of.as_host::<Builtin>() {
        // A type itself can be called; its values cannot.
        return Some(
            is_builtin_of(builtin.native.name, name) || builtin.native.name == "type" && name == "Callable",
        );
    }
    of.as_host::<ClassObject>()?;
    let method =
        |method: &str| class::lookup(of, method).is_some_and(|found| !matches!(found, ScriptValue::None));
    if name == "Hashable" {
        let is_hashable = |base: &ScriptValue| match base.as_host::<Builtin>() {
            Some(builtin) => is_builtin_of(builtin.native.name, name),
            None => true,
        };
        return Some(match class::lookup(of, "__hash__") {
            Some(member) if member.as_host::<Builtin>().is_none() => !matches!(member, ScriptValue::None),
            _ => class::mro_of(of).iter().all(is_hashable),
        });
    }
    if METHODS.iter().any(|(known, methods)| *known == name && methods.iter().all(|needed| method(needed))) {
        return Some(true);
    }
    let mut is_certain = true;
    for base in class::mro_of(of) {
        let is_one = match base.as_host::<Builtin>() {
            Some(builtin) => is_builtin_of(builtin.native.name, name),
            None => {
                is_certain &= base.as_host::<ClassObject>().is_some();
                false
            }
        };
        if is_one {
            return Some(true);
        }
    }
    is_certain.then_some(false)
}
