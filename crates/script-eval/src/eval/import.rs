//! Imports and module values.

use tvmscript_python_syntax::ast::{Import, ImportFrom, TextRange};
use tvmscript_script_value::{HostObject, ScriptValue};

use super::Placeholder;
use crate::Eval;
use crate::binding::{Binding, Slot};
use crate::errors::{EvalError, EvalErrorKind, EvalResult, HostError, HostErrorKind, suggest};
use crate::python;

/// A Python module, or a member of one that no dialect declares: it can be imported but not used.
#[derive(Debug, Clone)]
pub struct Module {
    pub(crate) path: Box<str>,
}

impl HostObject for Module {
    fn type_name(&self) -> &str {
        "a module"
    }
    fn advice(&self) -> Option<String> {
        Some(format!("`{}` is a module; use a member of it", self.path))
    }
}

impl Module {
    /// The module at a dotted path.
    pub fn value(path: &str) -> ScriptValue {
        ScriptValue::host(Module { path: path.into() })
    }
}

impl Eval<'_> {
    /// Resolves a dotted path: a declared module or a member of one, or an unknown module.
    pub fn module_value(&self, path: &str) -> ScriptValue {
        self.declared(path).unwrap_or_else(|| ScriptValue::host(Module { path: path.into() }))
    }

    /// The value at a path that starts with a declared module.
    fn declared(&self, path: &str) -> Option<ScriptValue> {
        // A path that its parent declares as a value may have members of its own.
        let value = path.rsplit_once('.').and_then(|(parent, name)| self.host.modules().member(parent, name));
        if let Some(value) = value.filter(|value| value.as_host::<Module>().is_none()) {
            return Some(value);
        }
        let mut end = path.len();
        while !self.host.modules().contains(&path[..end]) {
            end = path[..end].rfind('.')?;
        }
        let module = ScriptValue::host(Module { path: path[..end].into() });
        let members = path[end..].split('.').skip(1);
        members.into_iter().try_fold(module, |value, name| match &value {
            ScriptValue::Host(host) => match host.as_any().downcast_ref::<Module>() {
                Some(module) => self.module_member(module, name),
                None => host.attribute(name),
            },
            _ => None,
        })
    }

    /// The member of a path that the host declares as a value and not as a module.
    fn declared_member(&self, module: &Module, name: &str) -> Option<ScriptValue> {
        match self.declared(&module.path)? {
            ScriptValue::Host(host) => host.attribute(name),
            _ => None,
        }
    }

    /// The known member of a module.
    pub(crate) fn module_member(&self, module: &Module, name: &str) -> Option<ScriptValue> {
        let inner = format!("{}.{name}", module.path);
        if python::library::contains(&inner) {
            return Some(Module::value(&inner));
        }
        if let Some(value) = self.class_library(&module.path, name) {
            return Some(value);
        }
        if let Some(value) = python::library::member(&module.path, name) {
            return Some(value);
        }
        self.host.modules().member(&module.path, name)
    }

    /// The error for using a module or a member of one, and a suggested fix.
    pub(crate) fn unusable(&self, path: &str) -> (HostError, Option<String>) {
        let modules = self.host.modules();
        if modules.contains(path) {
            let error = HostError::type_error(format!("`{path}` is a module, which cannot be called"));
            return (error, Some(format!("call one of its functions: `{path}.name(..)`")));
        }
        let message = format!("`{path}` cannot be used here");
        let (parent, name) = path.rsplit_once('.').unwrap_or(("", path));
        let help = match modules.instead_of(parent, name) {
            Some(instead) => Some(instead.to_owned()),
            None => {
                let names = modules.names(parent);
                let near = suggest::nearest(name, names.iter().map(String::as_str));
                near.map(|near| format!("did you mean `{parent}.{}`?", near.name))
            }
        };
        (HostError::new(HostErrorKind::Import, message), help)
    }

    /// Tests whether some of a module is evaluated. Others can be imported, and their members are unknown.
    fn is_evaluated(&self, path: &str) -> bool {
        let first = path.split('.').next().unwrap_or(path);
        first == "__future__" || is_library_module(path) || self.host.modules().contains(first)
    }

    /// `import a.b as c`
    pub(crate) fn import(&mut self, stmt: Import) -> EvalResult<()> {
        let ast = self.state.ast.clone();
        let value_of = |p: &Self, path: &str, place| match p.is_evaluated(path) {
            true => p.module_value(path),
            false => Placeholder::of_module(path, place).value(),
        };
        for alias in ast.list(stmt.names) {
            let path = ast.name(alias.name);
            let place = ast.range(alias.place);
            if let Some(what) = python::library::without_feature(path) {
                return Err(self.state.error(alias.place, EvalErrorKind::UnsupportedExpression { what }));
            }
            if !self.is_evaluated(path)
                && let Some(module) = self.local_module(path)
            {
                let first = path.split('.').next().unwrap_or(path);
                let (name, value) = match alias.asname {
                    Some(name) => (Some(name), Some(module)),
                    None => (ast.find_name(first), self.local_module(first)),
                };
                if let (Some(name), Some(value)) = (name, value) {
                    self.assign_host(name, value, place);
                }
                continue;
            }
            let first = path.split('.').next().unwrap_or(path);
            if !self.is_evaluated(path)
                && alias.asname.is_none()
                && let (Some(name), Some(value)) = (ast.find_name(first), self.local_module(first))
            {
                // The package is known, and the module in it is not.
                self.assign_host(name, value, place);
                continue;
            }
            match alias.asname {
                Some(name) => {
                    let value = value_of(self, path, place);
                    self.assign_host(name, value, place);
                }
                None => {
                    let first = path.split('.').next().unwrap_or(path);
                    // `import a.b` binds `a`. A name without other occurrences needs no value.
                    if let Some(name) = ast.find_name(first) {
                        let value = value_of(self, first, place);
                        self.assign_host(name, value, place);
                    }
                }
            }
        }
        Ok(())
    }

    /// `from a.b import c as d`
    pub(crate) fn import_from(&mut self, stmt: ImportFrom) -> EvalResult<()> {
        let ast = self.state.ast.clone();
        if let Some(path) = self.state.local_path(stmt) {
            return self.import_from_local(stmt, &path);
        }
        if let Some(module) = stmt.module.filter(|_| stmt.level == 0)
            && let Some(what) = python::library::without_feature(ast.name(module))
        {
            let place = ast.list(stmt.names).first().map(|alias| alias.place);
            let place = place.map_or(self.state.statement.unwrap_or_default(), |place| ast.range(place));
            return Err(self
                .state
                .report(EvalError::new(EvalErrorKind::UnsupportedExpression { what }, place)));
        }
        let dots = ".".repeat(stmt.level as usize);
        let module = Module { path: format!("{dots}{}", stmt.module.map_or("", |m| ast.name(m))).into() };
        let mut result = Ok(());
        for alias in ast.list(stmt.names) {
            let name = ast.name(alias.name);
            let place = ast.range(alias.place);
            let bound = alias.asname.unwrap_or(alias.name);
            let member = self.module_member(&module, name).or_else(|| self.declared_member(&module, name));
            let value = match member {
                Some(value) => value,
                // Members of a complete module are all known: a wrong name is an error.
                None if name == "*" => {
                    if !is_future(&module) && !self.import_all(&module, place) {
                        let statement = self.state.statement.unwrap_or(place);
                        self.state.star_import.get_or_insert(statement);
                    }
                    continue;
                }
                None if python::library::lacks(&module.path, name) => {
                    let error = self.no_library_member(&module.path, name, place);
                    result = Err(self.state.report(error));
                    self.state.program.set_global(bound, Slot::poison(place));
                    continue;
                }
                None => {
                    let path = format!("{}.{name}", module.path.trim_end_matches('.'));
                    match self.host.modules().contains(module.path.split('.').next().unwrap_or_default())
                        || is_future(&module)
                    {
                        true => ScriptValue::host(Module { path: path.into() }),
                        false => Placeholder::of_module(&path, place).value(),
                    }
                }
            };
            self.assign_host(bound, value, place);
        }
        result
    }

    /// The error for a name that a module of Python's library does not have.
    pub(crate) fn no_library_member(&self, path: &str, name: &str, range: TextRange) -> EvalError {
        let what = format!("the module `{path}`");
        let kind = EvalErrorKind::NoAttribute { what, name: name.to_owned() };
        let mut error = EvalError::new(kind, range);
        let names = python::library::names(path).unwrap_or_default();
        if let Some(near) = suggest::nearest(name, names.iter().map(String::as_str)) {
            near.suggest(&mut error, range, "");
        }
        error
    }

    /// `from a import b` for a module of the program.
    fn import_from_local(&mut self, stmt: ImportFrom, path: &str) -> EvalResult<()> {
        let ast = self.state.ast.clone();
        let Some(module) = self.local_module(path) else { return Ok(()) };
        let mut result = Ok(());
        for alias in ast.list(stmt.names) {
            let (name, place) = (ast.name(alias.name), ast.range(alias.place));
            if name == "*" {
                for name in self.public_names(&module) {
                    if let (Some(bound), Some(value)) =
                        (ast.find_name(&name), self.find_attribute(&module, &name).ok().flatten())
                    {
                        self.assign_host(bound, value, place);
                    }
                }
                continue;
            }
            let bound = alias.asname.unwrap_or(alias.name);
            let value = match self.find_attribute(&module, name).ok().flatten() {
                Some(value) => Some(value),
                None => self.local_module(&format!("{path}.{name}")),
            };
            match value {
                Some(value) => self.assign_host(bound, value, place),
                None => {
                    let message = format!("cannot import name '{name}' from '{path}'");
                    result =
                        Err(self.state.error(alias.place, HostError::new(HostErrorKind::Import, message)));
                    self.state.set_host(bound, Binding::Poison, place);
                }
            }
        }
        result
    }

    /// Runs `from a import *` for a namespace of the host or `math`; returns `false` for other modules.
    fn import_all(&mut self, module: &Module, place: TextRange) -> bool {
        let value = |p: &Self, name: &str| {
            let member = p.module_member(module, name).or_else(|| p.declared_member(module, name));
            // A member that is not evaluated can be imported, too.
            member.or_else(|| Some(p.module_value(&format!("{}.{name}", module.path))))
        };
        let names = match self.declared(&module.path) {
            _ if python::library::contains(&module.path) => {
                let mut names = python::library::names(&module.path).unwrap_or_default();
                names.extend(python::library::missing_names(&module.path).map(str::to_owned));
                names
            }
            _ if let Some(names) = super::class::class_module_names(&module.path) => {
                names.into_iter().map(str::to_owned).collect()
            }
            _ => match self.host.modules().star_names(&module.path) {
                Some(names) => names,
                None => return false,
            },
        };
        let ast = self.state.ast.clone();
        for name in names.iter().filter(|name| !name.starts_with('_')) {
            // A name that does not occur in the text needs no value.
            if let Some(bound) = ast.find_name(name)
                && let Some(value) = value(self, name)
            {
                self.assign_host(bound, value, place);
            }
        }
        true
    }

    /// Binds Python's built-in names that occur in the text. The text may rebind them.
    pub fn define_python_builtins(&mut self) {
        let ast = self.state.ast.clone();
        for name in python::builtins::names() {
            if let Some(bound) = ast.find_name(name)
                && let Some(value) = python::builtins::value(name)
            {
                self.state.program.set_global(bound, Slot::new(Binding::Value(value), TextRange::default()));
            }
        }
    }
}

/// Tests whether a dotted path is a module of Python's library that is evaluated.
pub fn is_library_module(path: &str) -> bool {
    python::library::contains(path) || super::class::is_class_module(path)
}

fn is_future(module: &Module) -> bool {
    &*module.path == "__future__"
}
