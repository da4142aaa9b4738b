//! Functions and types of nodes that no dialect has.

use std::rc::Rc;

use crate::errors::ParseErrorKind;
use tvmscript_ir_core::{Span, Str};
use tvmscript_irbuilder::{BuildError, CallArgs, Declaration, HostObject, ScriptValue};
use tvmscript_python_syntax::ast::{Expr, ExprId};
use tvmscript_script_eval::errors::{EvalError, EvalResult, Reported, suggest};

use super::tables::Calls;
use super::{Namespace, Parser};
use crate::table::UnknownFn;

/// A function that a dialect does not have, or a namespace of such functions.
#[derive(Debug, Clone)]
pub(crate) struct UnknownFunction {
    dialect: &'static str,
    /// Name with its namespaces, `ptx.fence`.
    path: String,
    call: UnknownFn,
}

impl UnknownFunction {
    pub(super) fn new(dialect: &'static str, path: String, call: UnknownFn) -> UnknownFunction {
        UnknownFunction { dialect, path, call }
    }

    /// The namespace `known` under this path, with unknown functions; other values as they are.
    pub(super) fn opened(self, known: ScriptValue) -> ScriptValue {
        match known {
            ScriptValue::Host(known) if known.is_namespace() => {
                ScriptValue::host(OpenNamespace { known, itself: self })
            }
            other => other,
        }
    }

    fn member(&self, name: &str) -> UnknownFunction {
        UnknownFunction { path: format!("{}.{name}", self.path), ..*self }
    }
}

impl HostObject for UnknownFunction {
    fn type_name(&self) -> &str {
        "an unknown function"
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        Some(ScriptValue::host(self.member(name)))
    }
    fn call(&self, args: CallArgs) -> std::result::Result<ScriptValue, BuildError> {
        (self.call)(&self.path, args)
    }
}

/// A namespace inside that of a dialect, where unknown functions may be.
pub(super) struct OpenNamespace {
    known: Rc<dyn HostObject>,
    itself: UnknownFunction,
}

impl OpenNamespace {
    /// The function under the namespace's own name, if its calls have no form like this.
    pub(super) fn unknown_form(&self, args: &CallArgs) -> Option<&UnknownFunction> {
        Some(&self.itself).filter(|_| !self.known.has_form(args))
    }
}

impl HostObject for OpenNamespace {
    fn type_name(&self) -> &str {
        self.known.type_name()
    }
    fn is_namespace(&self) -> bool {
        true
    }
    fn is_callable(&self) -> bool {
        self.known.is_callable()
    }
    fn declaration(&self) -> Option<Declaration> {
        self.known.declaration()
    }
    fn call(&self, args: CallArgs) -> std::result::Result<ScriptValue, BuildError> {
        self.known.call(args)
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        match self.known.attribute(name) {
            Some(value) => Some(self.itself.member(name).opened(value)),
            None => self.itself.attribute(name),
        }
    }
    fn attribute_names(&self) -> Vec<String> {
        self.known.attribute_names()
    }
}

impl Parser<'_> {
    /// Counts a call of a function that a dialect does not have.
    pub(super) fn count_unknown(&self, function: &UnknownFunction) {
        let mut calls = self.script.tables.unknown_calls.borrow_mut();
        let function = (function.dialect, function.path.clone());
        calls.entry(function).or_insert_with(|| Calls { first: Span::current(), count: 0 }).count += 1;
    }

    /// Returns `true` if calls of functions, and nodes of types, that no dialect declares are kept as they are.
    pub fn keeps_unknown(&self) -> bool {
        self.script.tables.keeps_unknown
    }

    /// Counts nodes of types that no dialect declares, for a note.
    pub fn count_unknown_types(&self, counts: Vec<(Str, usize)>) {
        let mut types = self.script.tables.unknown_types.borrow_mut();
        for (key, count) in counts {
            let new = Calls { first: Span::current(), count: 0 };
            types.entry(key.as_str().to_owned()).or_insert(new).count += count;
        }
    }

    /// A note for every function that a dialect does not have, at its first call, and for every unknown type of nodes.
    pub(super) fn notes_of_unknown(&self) -> Vec<EvalError> {
        let calls = self.script.tables.unknown_calls.take();
        let notes = calls.into_iter().map(|((dialect, path), calls)| {
            let range = self.state.range_of_span(calls.first).unwrap_or_default();
            let namespace = self.script.tables.namespace(dialect);
            let names = namespace.as_ref().map(|names| names.attribute_names()).unwrap_or_default();
            let known = namespace.map(|names| names.known());
            let is_known = known.and_then(|names| names.attribute(&path)).is_some();
            let near = suggest::nearest(&path, names.iter().map(String::as_str)).filter(|_| !is_known);
            let kind = ParseErrorKind::UnknownFunction { dialect, name: path, is_known, count: calls.count };
            let note = EvalError::note_at(kind, range);
            match near {
                Some(near) => note.with_help(format!("the dialect has `{}`", near.name)),
                None => note,
            }
        });
        let types = self.script.tables.unknown_types.take();
        let types = types.into_iter().map(|(key, nodes)| {
            let range = self.state.range_of_span(nodes.first).unwrap_or_default();
            EvalError::note_at(ParseErrorKind::UnknownType { key, count: nodes.count }, range)
        });
        notes.chain(types).collect()
    }

    /// Reports that an expression has another value than its place takes. A call of a function that the dialect does not
    /// have is reported as that.
    pub fn unexpected(
        &mut self,
        at: ExprId,
        kind: ParseErrorKind,
        help: impl Into<Option<&'static str>>,
    ) -> Reported {
        if let Err(reported) = self.known_function(at) {
            return reported;
        }
        match help.into() {
            Some(help) => self.error_with_help(at, kind, help),
            None => self.error(at, kind),
        }
    }

    /// # Errors
    /// If the expression calls a function that its dialect does not have.
    fn known_function(&mut self, at: ExprId) -> EvalResult<()> {
        let ast = self.state.ast.clone();
        let Expr::Call { mut func, .. } = *ast.expr(at) else { return Ok(()) };
        let mut path = Vec::new();
        while let Expr::Attribute { value, attr } = *ast.expr(func) {
            path.push((func, attr));
            func = value;
        }
        let Expr::Name(_) = *ast.expr(func) else { return Ok(()) };
        let value = self.eval(func)?;
        let Some(namespace) = value.as_host::<Namespace>().filter(|namespace| !namespace.is_known()) else {
            return Ok(());
        };
        let namespace = namespace.known();
        let text: Vec<&str> = path.iter().rev().map(|(_, name)| ast.name(*name)).collect();
        let function = (namespace.dialect(), text.join("."));
        let mut value = ScriptValue::host(namespace);
        while let Some((at, name)) = path.pop() {
            value = self.evaluate(|e| e.attribute(at, &value, name)).inspect_err(|_| {
                self.script.tables.unknown_calls.borrow_mut().remove(&function);
            })?;
        }
        Ok(())
    }

    /// Reports the error of a value as `checked` does, and a call of an unknown function as that.
    ///
    /// # Errors
    /// The error of the value.
    pub fn checked_value<T>(
        &mut self,
        at: ExprId,
        result: std::result::Result<T, BuildError>,
    ) -> EvalResult<T> {
        if result.is_err() {
            self.known_function(at)?;
        }
        self.checked(at, result)
    }
}
