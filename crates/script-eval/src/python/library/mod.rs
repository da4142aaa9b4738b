//! Modules of Python's library, one file per module. Other modules are placeholders.

mod abstract_classes;
mod collections;
pub(super) mod contextlib;
mod copy;
mod dispatch;
mod functools;
mod heapq;
mod itertools;
mod math;
mod methods;
mod operator;
mod ordering;
mod string_template;
mod sys;
mod text;
mod types;
mod typing;
pub use typing::type_variable;

pub(crate) use functools::Partial;
pub(crate) use string_template::class as string_template;
pub(crate) use typing::{class_of_form, is_abstract_instance, is_abstract_subclass, parameterized};

use tvmscript_script_value::ScriptValue;

use super::builtins::{Builtin, BuiltinKind, Native, Table};
use super::numpy;

/// A module of the library.
struct Library {
    path: &'static str,
    functions: Table,
    /// Further functions.
    more_functions: &'static [Table],
    /// Callable as types: `isinstance(x, collections.deque)`.
    types: &'static [Table],
    constants: &'static [(&'static str, Constant)],
    /// Names for annotations, separated by spaces.
    forms: &'static str,
    /// `true` if CPython's module has more names than are listed here.
    is_open: bool,
    /// Names that CPython's module has and this one lacks, separated by spaces: their values are not known. Any other
    /// name is a mistake.
    missing: &'static str,
}

impl Library {
    const EMPTY: Library = Library {
        path: "",
        functions: &[],
        types: &[],
        constants: &[],
        forms: "",
        is_open: false,
        missing: "",
        more_functions: &[],
    };

    fn find(path: &str) -> Option<&'static Library> {
        MODULES.iter().copied().find(|module| module.path == path)
    }
}

/// A member of a module that is not a function.
enum Constant {
    None,
    Bool(bool),
    Float(f64),
    Int(i64),
    Str(&'static str),
    /// A tuple of numbers.
    Version(&'static [i64]),
    /// A tuple of strings.
    Names(&'static [&'static str]),
}

impl Constant {
    fn value(&self) -> ScriptValue {
        match self {
            Constant::None => ScriptValue::None,
            Constant::Bool(value) => ScriptValue::Bool(*value),
            Constant::Float(value) => ScriptValue::Float(*value),
            Constant::Int(value) => ScriptValue::Int(*value),
            Constant::Str(text) => ScriptValue::str(text),
            Constant::Version(parts) => ScriptValue::tuple(parts.iter().map(|part| ScriptValue::Int(*part))),
            Constant::Names(names) => ScriptValue::tuple(names.iter().map(|name| ScriptValue::str(name))),
        }
    }
}

static NUMPY: Library = Library {
    path: "numpy",
    functions: numpy::FUNCTIONS,
    more_functions: &[&numpy::FLOATS, &numpy::REDUCTIONS, &numpy::BINARIES],
    types: &[numpy::TYPES],
    constants: &[
        ("pi", Constant::Float(std::f64::consts::PI)),
        ("e", Constant::Float(std::f64::consts::E)),
        ("inf", Constant::Float(f64::INFINITY)),
        ("nan", Constant::Float(f64::NAN)),
        ("newaxis", Constant::None),
    ],
    is_open: true,
    ..Library::EMPTY
};

static MODULES: &[&Library] = &[
    &collections::COLLECTIONS,
    &contextlib::CONTEXTLIB,
    &copy::COPY,
    &functools::FUNCTOOLS,
    &heapq::BISECT,
    &heapq::HEAPQ,
    &itertools::ITERTOOLS,
    &math::MATH,
    &NUMPY,
    &operator::OPERATOR,
    &sys::SYS,
    &text::STRING,
    &types::TYPES,
    &typing::ABSTRACT,
    &typing::TYPING,
    &typing::TYPING_EXTENSIONS,
];

/// The types of all modules.
pub(crate) fn types() -> impl Iterator<Item = &'static Native> {
    MODULES.iter().flat_map(|module| module.types).copied().flatten()
}

/// Tests whether a dotted path is an evaluated module.
pub(crate) fn contains(path: &str) -> bool {
    Library::find(path).is_some()
}

/// A class method of a type of the library: `chain.from_iterable`.
pub(crate) fn class_method(owner: &str, name: &str) -> Option<&'static Native> {
    let tables = itertools::CLASS_METHODS.iter().filter(|(class, _)| *class == owner);
    tables.flat_map(|(_, table)| *table).find(|native| native.name == name)
}

/// The evaluated member of a module.
pub fn member(path: &str, name: &str) -> Option<ScriptValue> {
    let module = Library::find(path)?;
    if let Some((_, constant)) = module.constants.iter().find(|(known, _)| *known == name) {
        return Some(constant.value());
    }
    let mut functions = module.functions.iter().chain(module.more_functions.iter().copied().flatten());
    if let Some(native) = functions.find(|native| native.name == name) {
        return Some(Builtin::value(native, BuiltinKind::Function(module.path)));
    }
    if let Some(form) = module.forms.split_whitespace().find(|form| *form == name) {
        return Some(typing::form(module.path, form));
    }
    let native = module.types.iter().copied().flatten().find(|native| native.name == name)?;
    Some(Builtin::value(native, BuiltinKind::Type))
}

/// The names of the evaluated members of a module; `None` for other modules.
pub(crate) fn names(path: &str) -> Option<Vec<String>> {
    let module = Library::find(path)?;
    let functions = module.functions.iter().chain(module.more_functions.iter().copied().flatten());
    let natives = functions.chain(module.types.iter().copied().flatten()).map(|native| native.name);
    let constants = module.constants.iter().map(|(name, _)| *name);
    Some(constants.chain(natives).chain(module.forms.split_whitespace()).map(str::to_owned).collect())
}

/// Tests whether a name is certainly no member of an evaluated module.
pub(crate) fn lacks(path: &str, name: &str) -> bool {
    Library::find(path).is_some_and(|module| {
        !module.is_open
            && !name.starts_with("__")
            && member(path, name).is_none()
            && module.missing.split_whitespace().all(|missing| missing != name)
    })
}
