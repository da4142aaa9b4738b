//! Members of Python's library that make or describe classes.

use tvmscript_script_value::ScriptValue;

use super::{dataclass, enumeration, named_tuple};
use crate::Eval;
use crate::python::builtins::{Builtin, BuiltinKind, Native, Table, class, own};
use crate::python::{Outcome, exceptions};

/// Tests for the modules whose members are all here.
pub(crate) fn is_class_module(path: &str) -> bool {
    matches!(path, "abc" | "dataclasses" | "enum")
}

impl Eval<'_> {
    /// The member of a module for classes.
    pub(crate) fn class_library(&self, module: &str, name: &str) -> Option<ScriptValue> {
        let function = |table: Table, module| {
            let native: &'static Native = table.iter().find(|native| native.name == name)?;
            Some(Builtin::value(native, BuiltinKind::Function(module)))
        };
        match (module, name) {
            ("abc", "ABCMeta") | ("functools", "cached_property") => class(name),
            ("abc", "ABC") => Some(self.native_class("abc", "ABC", &[], Vec::new())),
            ("typing" | "typing_extensions", "Generic") => {
                Some(self.native_class("typing", "Generic", &[], Vec::new()))
            }
            ("typing" | "typing_extensions", "Protocol") => {
                Some(self.native_class("typing", "Protocol", &[], Vec::new()))
            }
            ("abc", "abstractproperty") => class("property"),
            ("abc", _) => function(ABC, "abc"),
            ("collections", "namedtuple") => function(COLLECTIONS, "collections"),
            ("typing" | "typing_extensions", "NamedTuple") => {
                Some(self.native_class("typing", "NamedTuple", &[], Vec::new()))
            }
            ("types", _) => TYPES.iter().find(|(known, _)| *known == name).and_then(|(_, name)| class(name)),
            ("enum", "EnumMeta" | "EnumType") => class("EnumType"),
            ("enum", "property") => class("property"),
            ("enum", _) => enumeration::class(self, name).or_else(|| function(enumeration::MODULE, "enum")),
            ("dataclasses", "FrozenInstanceError") => {
                let bases: Vec<ScriptValue> = exceptions::class("AttributeError").into_iter().collect();
                Some(self.native_class("dataclasses", "FrozenInstanceError", &bases, Vec::new()))
            }
            ("dataclasses", _) => {
                dataclass::sentinel(name).or_else(|| function(dataclass::MODULE, "dataclasses"))
            }
            _ => None,
        }
    }
}

/// Names in `types` of the types of values that the evaluator makes.
static TYPES: &[(&str, &str)] = &[
    ("BuiltinFunctionType", "builtin_function_or_method"),
    ("BuiltinMethodType", "builtin_function_or_method"),
    ("EllipsisType", "ellipsis"),
    ("FunctionType", "function"),
    ("GeneratorType", "generator"),
    ("LambdaType", "function"),
    ("MethodDescriptorType", "method_descriptor"),
    ("MethodType", "method"),
    ("ModuleType", "module"),
    ("NoneType", "NoneType"),
    ("NotImplementedType", "NotImplementedType"),
    ("UnionType", "UnionType"),
    ("WrapperDescriptorType", "wrapper_descriptor"),
];

/// The names of a module for classes, which `import *` binds.
pub(crate) fn class_module_names(path: &str) -> Option<Vec<&'static str>> {
    let (own, table): (&[&str], Table) = match path {
        "abc" => (&["ABC", "ABCMeta", "abstractproperty"], ABC),
        "dataclasses" => (&["FrozenInstanceError", "MISSING", "KW_ONLY", "InitVar"], dataclass::MODULE),
        "enum" => (
            &[
                "Enum", "EnumMeta", "EnumType", "Flag", "IntEnum", "IntFlag", "ReprEnum", "StrEnum",
                "property",
            ],
            enumeration::MODULE,
        ),
        _ => return None,
    };
    Some(own.iter().copied().chain(table.iter().map(|native| native.name)).collect())
}

static COLLECTIONS: Table = &[own("namedtuple").any(named_tuple::named_tuple)];

static ABC: Table = &[own("abstractmethod").one(|_, _, function| abstract_method(function))];

/// Marks a method: a class in which it is not overridden has no instances.
fn abstract_method(function: ScriptValue) -> Outcome {
    if let Some(closure) = super::closure_of(&function) {
        closure.is_abstract.set(true);
    }
    Ok(function)
}
