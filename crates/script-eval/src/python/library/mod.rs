//! Modules of Python's library, one file per module. Other modules are placeholders.

mod abstract_classes;
#[cfg(feature = "library")]
mod collections;
#[cfg(feature = "library")]
pub(super) mod contextlib;
#[cfg(feature = "library")]
mod copy;
#[cfg(feature = "library")]
mod functools;
#[cfg(feature = "library")]
mod itertools;
#[cfg(feature = "library")]
mod math;
#[cfg(feature = "library")]
mod operator;
#[cfg(feature = "library")]
mod sys;
#[cfg(feature = "library")]
mod text;
#[cfg(feature = "library")]
mod types;
mod typing;
pub use typing::type_variable;

#[cfg(feature = "library")]
pub(crate) use collections::MISSING as MISSING_OF_DEQUE;
#[cfg(feature = "library")]
pub(crate) use functools::Partial;
pub(crate) use typing::{class_of_form, is_abstract_class, is_abstract_instance, is_abstract_subclass};

use tvmscript_script_value::ScriptValue;

use super::builtins::{Builtin, BuiltinKind, Native, Table};
#[cfg(feature = "numpy")]
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

#[cfg(feature = "numpy")]
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
    #[cfg(feature = "library")]
    &collections::COLLECTIONS,
    #[cfg(feature = "library")]
    &contextlib::CONTEXTLIB,
    #[cfg(feature = "library")]
    &copy::COPY,
    #[cfg(feature = "library")]
    &functools::FUNCTOOLS,
    #[cfg(feature = "library")]
    &itertools::ITERTOOLS,
    #[cfg(feature = "library")]
    &math::MATH,
    #[cfg(feature = "numpy")]
    &NUMPY,
    #[cfg(feature = "library")]
    &operator::OPERATOR,
    #[cfg(feature = "library")]
    &sys::SYS,
    #[cfg(feature = "library")]
    &text::STRING,
    #[cfg(feature = "library")]
    &types::TYPES,
    &typing::ABSTRACT,
    &typing::TYPING,
    &typing::TYPING_EXTENSIONS,
];

/// The types of all modules.
pub(crate) fn types() -> impl Iterator<Item = &'static Native> {
    MODULES.iter().flat_map(|module| module.types).copied().flatten()
}

/// Modules by the feature of the crate that has them.
const FEATURES: &[(&str, bool, &str)] = &[
    (
        "collections contextlib copy functools itertools math operator string sys types",
        cfg!(feature = "library"),
        "a module of Python's library without the feature `library`",
    ),
    ("numpy", cfg!(feature = "numpy"), "`numpy` without the feature `numpy`"),
];

/// The description of a module that is left out because this crate was built without its feature.
pub(crate) fn without_feature(path: &str) -> Option<&'static str> {
    let first = path.split('.').next()?;
    let is_left_out = |(modules, is_there, _): &&(&str, bool, &str)| {
        !is_there && modules.split_whitespace().any(|module| module == first) && path != "collections.abc"
    };
    FEATURES.iter().find(is_left_out).map(|(_, _, what)| *what)
}

/// Tests whether a dotted path is an evaluated module.
pub(crate) fn contains(path: &str) -> bool {
    Library::find(path).is_some()
}

/// A class method of a type of the library: `chain.from_iterable`.
pub(crate) fn class_method(owner: &str, name: &str) -> Option<&'static Native> {
    #[cfg(feature = "library")]
    let all = itertools::CLASS_METHODS;
    #[cfg(not(feature = "library"))]
    let all: &[(&str, Table)] = &[];
    let tables = all.iter().filter(|(class, _)| *class == owner);
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

/// The names that CPython's module has and this one lacks.
pub(crate) fn missing_names(path: &str) -> impl Iterator<Item = &'static str> {
    Library::find(path).map_or("", |module| module.missing).split_whitespace()
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
