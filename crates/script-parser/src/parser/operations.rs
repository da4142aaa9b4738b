//! Host code one operation at a time, for programs in other languages than Python.

use std::any::Any;
use std::rc::Rc;

use tvmscript_ir_core::{Registry, SourceId, Span};
use tvmscript_irbuilder::{CallArgs, ScriptValue};
use tvmscript_python_syntax::ast::{ExprId, Stmt, TextRange};
use tvmscript_python_syntax::{PythonOptions, parse_python};
use tvmscript_script_eval::errors::EvalResult;
use tvmscript_script_eval::{Indices, Operator, Program, builtin};

use super::{HostBuilder, Parse, ParseOptions, Parser, Tables};
use crate::errors::{ParseError, parse_errors};

/// The text of operations: each is recorded at its only expression.
const TEXT: &str = "operation\n";

/// An evaluator of single operations of host code: what a text of Python around scripts does, without the text.
///
/// Names are those of the registry's dialects (`Toy`), of Python, and of modules. A failed operation records its errors
/// ([`Operations::take_errors`]).
pub struct Operations<'r> {
    parse: Parse,
    registry: &'r Registry,
    at: ExprId,
    source: SourceId,
}

impl<'r> Operations<'r> {
    /// Operations with the dialects of a registry. `None` if the Python parser fails, which it does not.
    pub fn new(registry: &'r Registry, options: &ParseOptions) -> Option<Operations<'r>> {
        let parsed = parse_python(TEXT, &PythonOptions::default());
        let statement = parsed.ast.module_body().first()?;
        let Stmt::Expr(expr) = parsed.ast.stmt(*statement) else { return None };
        let at = expr.value;
        let source = SourceId::new("operation");
        let without_spans = |program: Program| program.with_fixed_span(Span::UNKNOWN);
        let tables = Rc::new(Tables::new(registry, false));
        let parse = Parse::open(parsed.ast, TEXT, source, tables, options, without_spans);
        Some(Operations { parse, registry, at, source })
    }

    fn parser(&mut self) -> Parser<'_> {
        self.parse.parser(self.registry, None)
    }

    /// The value of a name: a namespace, a built-in function of Python, or a module.
    pub fn name(&mut self, name: &str) -> ScriptValue {
        let mut parser = self.parser();
        let tables = parser.script.tables.clone();
        let dialect = tables.handlers.prefixes.iter().find(|(prefix, _)| *prefix == name);
        let found = dialect.and_then(|(_, dialect)| parser.namespace(dialect)).or_else(|| builtin(name));
        found.unwrap_or_else(|| parser.evaluate(|e| e.module_value(name)))
    }

    /// A new builder, which [`Operations::enter`] opens.
    pub fn builder(&self) -> ScriptValue {
        HostBuilder::value()
    }

    /// `value.name`
    ///
    /// # Errors
    /// If there is no such attribute.
    pub fn attribute(&mut self, value: &ScriptValue, name: &str) -> EvalResult<ScriptValue> {
        let at = self.at;
        self.parser().evaluate(|e| e.attribute_named(at, value, name))
    }

    /// `value[items]`
    ///
    /// # Errors
    /// If there is no such item.
    pub fn subscript(&mut self, value: &ScriptValue, indices: Indices) -> EvalResult<ScriptValue> {
        let at = self.at;
        self.parser().evaluate(|e| e.subscript(at, value, indices))
    }

    /// `callee(args)`
    ///
    /// # Errors
    /// If the call fails.
    pub fn call(&mut self, callee: &ScriptValue, args: CallArgs) -> EvalResult<ScriptValue> {
        let at = self.at;
        self.parser().call(callee, args, at)
    }

    /// Applies an operator.
    ///
    /// # Errors
    /// If the operator does not apply to the operands.
    pub fn operate(&mut self, operator: Operator, operands: &[ScriptValue]) -> EvalResult<ScriptValue> {
        let at = self.at;
        self.parser().operate(at, operator, operands)
    }

    /// The elements of a value.
    ///
    /// # Errors
    /// If the value is not iterable.
    pub fn items(&mut self, value: &ScriptValue) -> EvalResult<Vec<ScriptValue>> {
        let at = self.at;
        self.parser().collect(at, value)
    }

    /// Enters a scope. Returns its value, and the open scope, which is discarded if it is dropped.
    ///
    /// # Errors
    /// If the value is not a scope, or cannot be entered.
    pub fn enter(&mut self, scope: &ScriptValue) -> EvalResult<(ScriptValue, OpenScope)> {
        let range = self.range();
        let mut parser = self.parser();
        match parser.open_scope(scope, range) {
            Some(entered) => entered.map(|(value, scope)| (value, OpenScope(scope))),
            None => {
                let kind = parser.expected_scope(scope);
                Err(parser.error(range, kind))
            }
        }
    }

    /// Leaves a scope.
    ///
    /// # Errors
    /// The errors of the nodes that the scope makes.
    pub fn leave(&mut self, scope: OpenScope) -> EvalResult<()> {
        let range = self.range();
        self.parser().close_scope(scope.0, range)
    }

    /// The errors so far.
    pub fn take_errors(&mut self) -> Vec<ParseError> {
        parse_errors(std::mem::take(&mut self.parse.state.diagnostics.errors))
    }

    fn range(&self) -> TextRange {
        self.parse.state.ast.range(self.at)
    }
}

impl Drop for Operations<'_> {
    fn drop(&mut self) {
        self.parse.state.program.close();
        self.source.release();
    }
}

/// An open scope of [`Operations`].
pub struct OpenScope(Box<dyn Any>);
