//! Names from outside: dialects' namespaces, decorators, modules.

use std::any::Any;
use std::sync::Arc;

use tvmscript_irbuilder::{BuildError, CallArgs, HostObject, Names, ScriptValue, release};

use super::Parser;
use crate::errors::{HostError, HostErrorKind, ParseErrorKind, Result, suggest};
use crate::eval::Placeholder;
use crate::scope::{Binding, Slot};
use crate::table::{DecoratorEntry, Found, ParseTable, ParserFn};
use tvmscript_python_syntax::ast::{Import, ImportFrom, TextRange};

/// The functions of a dialect as a value: what `T` is.
#[derive(Debug, Clone)]
pub struct Namespace {
    dialect: &'static str,
    index: usize,
    names: Arc<Names>,
    table: Arc<ParseTable>,
}

impl Namespace {
    /// The dialect's name.
    pub fn dialect(&self) -> &'static str {
        self.dialect
    }

    pub(crate) fn index(&self) -> usize {
        self.index
    }
}

impl HostObject for Namespace {
    fn type_name(&self) -> &str {
        "a dialect"
    }

    fn advice(&self) -> Option<String> {
        let prefixes = self.table.prefixes.iter().filter(|(_, dialect)| *dialect == self.dialect);
        let prefix = prefixes.map(|(prefix, _)| *prefix).next()?;
        Some(format!("`{prefix}` is a namespace; call one of its functions, `{prefix}.name(..)`"))
    }

    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        if let Some(entry) = self.table.decorator(self.dialect, name) {
            return Some(ScriptValue::host(Decorator { entry, args: CallArgs::default() }));
        }
        match self.table.function(self.dialect, name) {
            Some(function) => Some(ScriptValue::host(ParserFunction { name: name.to_owned(), function })),
            None => self.names.get(name),
        }
    }

    fn attribute_names(&self) -> Vec<String> {
        let decorators = self.table.decorator_names(self.dialect).map(str::to_owned);
        decorators.chain(self.names.all().into_iter().map(str::to_owned)).collect()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A decorator as a value, with the arguments it was called with.
#[derive(Clone)]
pub struct Decorator {
    pub(crate) entry: DecoratorEntry,
    pub(crate) args: CallArgs,
}

impl Drop for Decorator {
    fn drop(&mut self) {
        let args = std::mem::take(&mut self.args);
        release(args.positional.into_iter().chain(args.keywords.into_iter().map(|(_, value)| value)));
    }
}

impl HostObject for Decorator {
    fn type_name(&self) -> &str {
        "a decorator"
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(&self, args: CallArgs) -> std::result::Result<ScriptValue, BuildError> {
        Ok(ScriptValue::host(Decorator { entry: self.entry, args }))
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A dialect's function that needs the parser, as a value.
pub(crate) struct ParserFunction {
    name: String,
    pub(crate) function: ParserFn,
}

impl HostObject for ParserFunction {
    fn type_name(&self) -> &str {
        &self.name
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(&self, _: CallArgs) -> std::result::Result<ScriptValue, BuildError> {
        Err(BuildError::message(format!("`{}` cannot be called from here", self.name)))
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A Python module, or a member of one that no dialect declares: it can be imported, not used.
#[derive(Debug, Clone)]
pub(crate) struct Module {
    pub(crate) path: Box<str>,
}

impl HostObject for Module {
    fn type_name(&self) -> &str {
        "a module"
    }
    fn advice(&self) -> Option<String> {
        Some(format!("`{}` is a module; use a member of it", self.path))
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Parser<'_> {
    /// The namespace of a dialect of the registry.
    pub fn namespace(&self, dialect: &str) -> Option<ScriptValue> {
        let index = self.shared.namespaces.iter().position(|(name, _)| *name == dialect)?;
        let (dialect, names) = &self.shared.namespaces[index];
        let (names, table) = (names.clone(), self.shared.table.clone());
        Some(ScriptValue::host(Namespace { dialect, index, names, table }))
    }

    /// What a dotted path means: a declared module or a member of one, else a module that nothing is known of.
    pub(crate) fn module_value(&self, path: &str) -> ScriptValue {
        self.declared(path).unwrap_or_else(|| ScriptValue::host(Module { path: path.into() }))
    }

    /// The value at a path that starts with a declared module.
    fn declared(&self, path: &str) -> Option<ScriptValue> {
        let mut end = path.len();
        while !self.shared.table.modules.contains(&path[..end]) {
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

    /// The member of what stands at a module's path, where a dialect declares that as a value.
    fn declared_member(&self, module: &Module, name: &str) -> Option<ScriptValue> {
        match self.declared(&module.path)? {
            ScriptValue::Host(host) => host.attribute(name),
            _ => None,
        }
    }

    /// The member of a module, if it is known.
    pub(crate) fn module_member(&self, module: &Module, name: &str) -> Option<ScriptValue> {
        if &*module.path == "math" {
            return crate::host::math::member(name);
        }
        if let Some(value) = crate::host::library::member(&module.path, name) {
            return Some(value);
        }
        match self.shared.table.modules.member(&module.path, name)? {
            Found::Value(value) => Some(value),
            Found::Own(dialect) => self.namespace(dialect)?.as_host::<Namespace>()?.attribute(name),
            Found::Namespace(dialect) => self.namespace(dialect),
            Found::Module => {
                Some(ScriptValue::host(Module { path: format!("{}.{name}", module.path).into() }))
            }
            Found::LeftOut(_) => None,
        }
    }

    /// Why a module, or a member of one, cannot be used, and what to do instead.
    pub(crate) fn unusable(&self, path: &str) -> (HostError, Option<String>) {
        let modules = &self.shared.table.modules;
        if modules.contains(path) {
            let error = HostError::type_error(format!("`{path}` is a module, which cannot be called"));
            return (error, Some(format!("call one of its functions: `{path}.name(..)`")));
        }
        let message = format!("`{path}` cannot be used here");
        let (parent, name) = path.rsplit_once('.').unwrap_or(("", path));
        let help = match modules.member(parent, name) {
            Some(Found::LeftOut(instead)) => Some(instead.to_owned()),
            _ => {
                let names = modules.names(parent);
                let near = suggest::nearest(name, names.iter().map(String::as_str));
                near.map(|near| format!("did you mean `{parent}.{near}`?"))
            }
        };
        (HostError::new(HostErrorKind::Import, message), help)
    }

    /// Whether anything of a module is evaluated. Others can be imported, and what comes from them is not known.
    fn is_evaluated(&self, path: &str) -> bool {
        let first = path.split('.').next().unwrap_or(path);
        matches!(first, "math" | "__future__" | "functools" | "operator" | "itertools" | "dataclasses")
            || self.shared.table.modules.contains(first)
    }

    /// `import a.b as c`
    pub(crate) fn import(&mut self, stmt: Import) -> Result<()> {
        let ast = self.ast.clone();
        let value_of = |p: &Self, path: &str, place| match p.is_evaluated(path) {
            true => p.module_value(path),
            false => Placeholder::of_module(path, place).value(),
        };
        for alias in ast.list(stmt.names) {
            let path = ast.name(alias.name);
            let place = ast.range(alias.place);
            match alias.asname {
                Some(name) => {
                    let value = value_of(self, path, place);
                    self.assign_host(name, value, place);
                }
                None => {
                    let first = path.split('.').next().unwrap_or(path);
                    // `import a.b` binds `a`; a name that occurs nowhere else needs no value.
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
    pub(crate) fn import_from(&mut self, stmt: ImportFrom) -> Result<()> {
        let ast = self.ast.clone();
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
                // What is known is known in full: a wrong name there is a mistake.
                None if name == "*" => {
                    if !is_future(&module) && !self.import_all(&module, place) {
                        self.star_import.get_or_insert(self.statement.unwrap_or(place));
                    }
                    continue;
                }
                None if &*module.path == "math" => {
                    let what = format!("the module `{}`", module.path);
                    let kind = ParseErrorKind::NoAttribute { what, name: name.to_owned() };
                    result = Err(self.error(alias.place, kind));
                    self.shared.set_global(bound, Slot::poison(place));
                    continue;
                }
                None => {
                    let path = format!("{}.{name}", module.path.trim_end_matches('.'));
                    match self.is_evaluated(&module.path) {
                        true => ScriptValue::host(Module { path: path.into() }),
                        false => Placeholder::of_module(&path, place).value(),
                    }
                }
            };
            self.assign_host(bound, value, place);
        }
        result
    }

    /// `from a import *` of a module that is known in full: a dialect's namespace, or `math`.
    fn import_all(&mut self, module: &Module, place: TextRange) -> bool {
        let value =
            |p: &Self, name: &str| p.module_member(module, name).or_else(|| p.declared_member(module, name));
        let names = match self.declared(&module.path) {
            _ if &*module.path == "math" => crate::host::math::names(),
            Some(ScriptValue::Host(host)) if host.as_any().is::<Namespace>() => host.attribute_names(),
            _ => return false,
        };
        let ast = self.ast.clone();
        for name in names.iter().filter(|name| !name.starts_with('_')) {
            // A name that occurs nowhere in the text needs no value.
            if let Some(bound) = ast.find_name(name)
                && let Some(value) = value(self, name)
            {
                self.assign_host(bound, value, place);
            }
        }
        true
    }

    /// Gives the names that need no import their values; the text may replace them.
    pub(crate) fn define_builtins(&mut self) {
        let ast = self.ast.clone();
        let define = |name: &str, value: &dyn Fn() -> Option<ScriptValue>| {
            if let Some(name) = ast.find_name(name)
                && let Some(value) = value()
            {
                self.shared.set_global(name, Slot::global(Binding::Value(value), TextRange::default()));
            }
        };
        for (prefix, dialect) in &self.shared.table.prefixes {
            define(prefix, &|| self.namespace(dialect));
        }
        for name in &self.shared.table.modules.predefined {
            define(name, &|| Some(self.module_value(name)));
        }
        for name in crate::host::builtins::NAMES {
            define(name, &|| crate::host::builtins::value(name));
        }
    }
}

fn is_future(module: &Module) -> bool {
    &*module.path == "__future__"
}
