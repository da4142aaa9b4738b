//! Values that dialects provide: namespaces, decorators and functions.

use std::sync::Arc;

use tvmscript_ir_core::Object;
use tvmscript_irbuilder::{BuildError, CallArgs, HostObject, Names, ScriptValue, release};

use super::unknown::UnknownFunction;
use super::{Globals, Parser};
use crate::table::{DecoratorEntry, ParseTable, ParserFn, ScopeFn, UnknownFn};
use tvmscript_python_syntax::ast::TextRange;
use tvmscript_script_eval::errors::suggest;
use tvmscript_script_eval::{Binding, Cause, Placeholder, Slot};

/// The namespace of a dialect as a value, e.g. `T`.
#[derive(Debug, Clone)]
pub struct Namespace {
    dialect: &'static str,
    index: usize,
    names: Arc<Names>,
    table: Arc<ParseTable>,
    /// Reading of calls of functions that the dialect does not have; `None` if they are errors.
    unknown: Option<UnknownFn>,
    /// Groups whose functions no table lists.
    open_groups: &'static [(&'static str, &'static str)],
}

impl Namespace {
    pub(crate) fn new(
        dialect: &'static str,
        index: usize,
        names: Arc<Names>,
        table: Arc<ParseTable>,
        open_groups: &'static [(&'static str, &'static str)],
        keeps_unknown: bool,
    ) -> Namespace {
        let unknown = if keeps_unknown { table.unknown(dialect) } else { None };
        Namespace { dialect, index, names, table, unknown, open_groups }
    }

    /// Name of the dialect.
    pub fn dialect(&self) -> &'static str {
        self.dialect
    }

    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// Name of the namespace in scripts; empty if there is none.
    fn prefix(&self) -> &'static str {
        let prefixes = self.table.prefixes.iter().filter(|(_, dialect)| *dialect == self.dialect);
        prefixes.map(|(prefix, _)| *prefix).next().unwrap_or_default()
    }

    fn unknown_function(&self, name: &str) -> Option<UnknownFunction> {
        let is_open = || self.open_groups.contains(&(self.dialect, name));
        let call = match self.unknown {
            Some(call) => Some(call).filter(|_| self.table.instead_of(self.dialect, name).is_none()),
            None if is_open() => self.table.unknown(self.dialect),
            None => None,
        }?;
        Some(UnknownFunction::new(self.dialect, name.to_owned(), call))
    }

    /// The namespace with the functions that the dialect has.
    pub(super) fn known(&self) -> Namespace {
        Namespace { unknown: None, ..self.clone() }
    }

    /// Tests whether the namespace has no functions but those of the dialect.
    pub(super) fn is_known(&self) -> bool {
        self.unknown.is_none()
    }

    /// The names that `import *` binds.
    pub(crate) fn exported_names(&self) -> Vec<String> {
        let mut names = self.attribute_names();
        names.retain(|name| self.names.exports(name));
        names
    }
}

impl HostObject for Namespace {
    fn type_name(&self) -> &str {
        "a dialect"
    }

    fn advice(&self) -> Option<String> {
        let prefix = self.prefix();
        (!prefix.is_empty())
            .then(|| format!("`{prefix}` is a namespace; call one of its functions, `{prefix}.name(..)`"))
    }

    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        if let Some(entry) = self.table.decorator(self.dialect, name) {
            return Some(ScriptValue::host(Decorator::new(entry, self.table.scope(self.dialect, name))));
        }
        match self.table.function(self.dialect, name) {
            Some(function) => Some(ScriptValue::host(ParserFunction { name: name.to_owned(), function })),
            None => match (self.names.get_under(self.prefix(), name), self.unknown_function(name)) {
                (Some(known @ ScriptValue::Host(_)), Some(open)) => Some(open.opened(known)),
                (Some(known), _) => Some(known),
                (None, unknown) => match self.table.unevaluated(self.dialect, name) {
                    Some(reason) => {
                        Some(Placeholder::new(Cause::LeftOut(reason.into()), TextRange::default()).value())
                    }
                    None => unknown.map(ScriptValue::host),
                },
            },
        }
    }

    fn attribute_names(&self) -> Vec<String> {
        let decorators = self.table.decorator_names(self.dialect).map(str::to_owned);
        decorators.chain(self.names.all().into_iter().map(str::to_owned)).collect()
    }
}

/// A decorator as a value, with the arguments of its call.
#[derive(Clone)]
pub struct Decorator {
    pub(crate) entry: DecoratorEntry,
    pub(crate) args: CallArgs,
    /// Makes the frame that `with` enters.
    pub(crate) scope: Option<ScopeFn>,
}

impl Decorator {
    pub(crate) fn new(entry: DecoratorEntry, scope: Option<ScopeFn>) -> Decorator {
        Decorator { entry, args: CallArgs::default(), scope }
    }
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
        Ok(ScriptValue::host(Decorator { entry: self.entry, args, scope: self.scope }))
    }
}

/// A function with access to the parser as a value.
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
}

impl Parser<'_> {
    /// The namespace of a dialect.
    pub fn namespace(&self, dialect: &str) -> Option<ScriptValue> {
        self.script.tables.namespace(dialect).map(ScriptValue::host)
    }

    /// A function that a dialect registers under a name of its own.
    ///
    /// # Errors
    /// If no dialect registers the name; the error suggests another.
    pub fn global_function(&self, name: &str) -> std::result::Result<ScriptValue, BuildError> {
        let handlers = &self.script.tables.handlers;
        match handlers.global_function(name) {
            Some(function) => Ok(ScriptValue::host(ParserFunction { name: name.to_owned(), function })),
            None => {
                let near = suggest::nearest(name, handlers.global_function_names());
                let error = BuildError::message(format!("there is no global function `{name}`"));
                Err(match near {
                    Some(near) => error.with_help(format!("did you mean `{}`?", near.name)),
                    None => error,
                })
            }
        }
    }

    /// Prints a node as `str` does; `None` if no dialect prints nodes.
    ///
    /// # Errors
    /// If the node has no text.
    pub fn node_text(&self, node: &Object) -> std::result::Result<Option<String>, BuildError> {
        match (self.registry, self.script.tables.handlers.node_text) {
            (Some(registry), Some(print)) => print(node, registry).map(Some),
            _ => Ok(None),
        }
    }

    /// Binds the names that the program gives to the text.
    pub(crate) fn define_globals(&mut self, globals: &Globals) {
        for (name, value) in globals.iter() {
            if let Some(name) = self.state.ast.find_name(name) {
                self.state.program.set_global(name, Slot::new(Binding::Value(value), TextRange::default()));
            }
        }
    }

    /// Binds the predefined names, which the text may redefine.
    pub(crate) fn define_builtins(&mut self) {
        let tables = self.script.tables.clone();
        for (prefix, dialect) in &tables.handlers.prefixes {
            self.predefine(prefix, |p| p.namespace(dialect));
        }
        for name in &tables.handlers.modules.predefined {
            self.predefine(name, |p| Some(p.evaluate(|e| e.module_value(name))));
        }
        for (name, module) in &tables.handlers.modules.predefined_names {
            self.predefine(name, |_| tvmscript_script_eval::library_member(module, name));
        }
        for (name, function) in &tables.handlers.predefined_functions {
            self.predefine(name, |_| Some(ScriptValue::Function(function)));
        }
        self.predefine_metadata();
        self.evaluate(|e| e.define_python_builtins());
    }

    /// Binds a predefined name, if the text contains it.
    pub(super) fn predefine(&mut self, name: &str, value: impl FnOnce(&mut Self) -> Option<ScriptValue>) {
        if let Some(name) = self.state.ast.find_name(name)
            && let Some(value) = value(self)
        {
            self.state.program.set_global(name, Slot::new(Binding::Value(value), TextRange::default()));
        }
    }
}
