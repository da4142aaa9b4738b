//! Modules of Python's library, one file per module. Other modules are placeholders.

mod dataclasses;
mod functools;
mod itertools;
mod math;
mod operator;

pub(crate) use functools::Partial;

use tvmscript_script_value::ScriptValue;

use super::builtins::{Builtin, BuiltinKind, Table};

/// A module of the library.
struct Library {
    path: &'static str,
    functions: Table,
    /// Callable as types: `isinstance(x, collections.deque)`.
    types: Table,
    constants: &'static [(&'static str, Constant)],
    /// Names that CPython's module has and this one lacks, separated by spaces: their values are not known. Any other
    /// name is a mistake.
    missing: &'static str,
}

impl Library {
    const EMPTY: Library = Library { path: "", functions: &[], types: &[], constants: &[], missing: "" };

    fn find(path: &str) -> Option<&'static Library> {
        MODULES.iter().copied().find(|module| module.path == path)
    }
}

/// A member of a module that is not a function.
enum Constant {
    Float(f64),
}

impl Constant {
    fn value(&self) -> ScriptValue {
        match self {
            Constant::Float(value) => ScriptValue::Float(*value),
        }
    }
}

static MODULES: &[&Library] = &[
    &dataclasses::DATACLASSES,
    &functools::FUNCTOOLS,
    &itertools::ITERTOOLS,
    &math::MATH,
    &operator::OPERATOR,
];

/// Tests whether a dotted path is an evaluated module.
pub(crate) fn contains(path: &str) -> bool {
    Library::find(path).is_some()
}

/// The evaluated member of a module.
pub(crate) fn member(path: &str, name: &str) -> Option<ScriptValue> {
    let module = Library::find(path)?;
    if let Some((_, constant)) = module.constants.iter().find(|(known, _)| *known == name) {
        return Some(constant.value());
    }
    if let Some(native) = module.functions.iter().find(|native| native.name == name) {
        return Some(Builtin::value(native, BuiltinKind::Function(module.path)));
    }
    let native = module.types.iter().find(|native| native.name == name)?;
    Some(Builtin::value(native, BuiltinKind::Type))
}

/// The names of the evaluated members of a module; `None` for other modules.
pub(crate) fn names(path: &str) -> Option<Vec<String>> {
    let module = Library::find(path)?;
    let natives = module.functions.iter().chain(module.types).map(|native| native.name);
    Some(module.constants.iter().map(|(name, _)| *name).chain(natives).map(str::to_owned).collect())
}

/// Tests whether a name is certainly no member of an evaluated module.
pub(crate) fn lacks(path: &str, name: &str) -> bool {
    Library::find(path).is_some_and(|module| {
        !name.starts_with("__")
            && member(path, name).is_none()
            && module.missing.split_whitespace().all(|missing| missing != name)
    })
}
