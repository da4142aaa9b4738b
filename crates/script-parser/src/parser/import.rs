//! Names from outside: dialects' namespaces, decorators, modules.

use std::any::Any;
use std::sync::Arc;

use tvmscript_ir_core::DataType;
use tvmscript_irbuilder::{
    BuildError, CallArgs, FromScript, HostFunction, HostObject, Names, ScriptValue, release,
};

use super::Parser;
use crate::ast::{Import, ImportFrom, TextRange};
use crate::errors::{ParseErrorKind, Result};
use crate::scope::{Binding, Slot};
use crate::table::{DecoratorEntry, ParseTable, ParserFn};

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

/// A module of Python. Those that are not known here can be imported, not used.
#[derive(Debug, Clone)]
pub(crate) struct Module {
    pub(crate) path: Box<str>,
}

impl HostObject for Module {
    fn type_name(&self) -> &str {
        "a module"
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

    /// What a dotted path means: a dialect, a module.
    pub(crate) fn module_value(&self, path: &str) -> ScriptValue {
        let dialect = ["tvm.script.parser.", "tvm.script.ir_builder.", "tvm.script.", "tvm."]
            .iter()
            .find_map(|prefix| self.namespace(path.strip_prefix(prefix)?));
        dialect.unwrap_or_else(|| ScriptValue::host(Module { path: path.into() }))
    }

    /// The member of a module, if it is known.
    pub(crate) fn module_member(&self, module: &Module, name: &str) -> Option<ScriptValue> {
        let path = format!("{}.{name}", module.path);
        match &*module.path {
            "math" => return crate::host::math::member(name),
            "tvm" if name == "DataType" => return Some(HostFunction::value("DataType", dtype)),
            "tvm.script" | "tvm.script.parser" if name == "ir_module" => {
                let namespace = self.namespace("ir")?;
                return namespace.as_host::<Namespace>()?.attribute(name);
            }
            _ => {}
        }
        let value = self.module_value(&path);
        let known = value.as_host::<Module>().is_none()
            || ["tvm.script", "tvm.script.parser", "tvm.script.ir_builder"].contains(&path.as_str());
        known.then_some(value)
    }

    /// `import a.b as c`
    pub(crate) fn import(&mut self, stmt: Import) -> Result<()> {
        let ast = self.ast.clone();
        for alias in ast.list(stmt.names) {
            let path = ast.name(alias.name);
            let place = ast.range(alias.place);
            match alias.asname {
                Some(name) => {
                    let value = self.module_value(path);
                    self.assign_host(name, value, place);
                }
                None => {
                    let first = path.split('.').next().unwrap_or(path);
                    // `import a.b` binds `a`; a name that occurs nowhere else needs no value.
                    if let Some(name) = ast.find_name(first) {
                        let value = self.module_value(first);
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
        let module = Module { path: stmt.module.map_or("", |m| ast.name(m)).into() };
        let mut result = Ok(());
        for alias in ast.list(stmt.names) {
            let name = ast.name(alias.name);
            let place = ast.range(alias.place);
            let bound = alias.asname.unwrap_or(alias.name);
            let value = match self.module_member(&module, name) {
                Some(value) => value,
                // What is known is known in full: a wrong name there is a mistake.
                None if &*module.path == "math" || name == "*" && !is_future(&module) => {
                    let kind = match name {
                        "*" => ParseErrorKind::UnsupportedStatement { kind: "import *", place: "here" },
                        _ => ParseErrorKind::NoAttribute {
                            what: format!("the module `{}`", module.path),
                            name: name.to_owned(),
                        },
                    };
                    result = Err(self.error(alias.place, kind));
                    self.shared.set_global(bound, Slot::poison(place));
                    continue;
                }
                None => ScriptValue::host(Module { path: format!("{}.{name}", module.path).into() }),
            };
            self.assign_host(bound, value, place);
        }
        result
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
        define("tvm", &|| Some(self.module_value("tvm")));
        for name in crate::host::builtins::NAMES {
            define(name, &|| crate::host::builtins::value(name));
        }
    }
}

/// `tvm.DataType("float32")`: a data type as a value, where its name alone would be text.
fn dtype(mut args: CallArgs) -> std::result::Result<ScriptValue, BuildError> {
    let one =
        if args.keywords.is_empty() && args.positional.len() == 1 { args.positional.pop() } else { None };
    let text = one.ok_or_else(|| BuildError::message("`tvm.DataType` takes the name of a data type"))?;
    Ok(ScriptValue::DType(DataType::from_script(text).map_err(|e| e.at_position(0))?))
}

fn is_future(module: &Module) -> bool {
    &*module.path == "__future__"
}
