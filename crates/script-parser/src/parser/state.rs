//! The syntax tree and the diagnostics, for handlers.

use std::rc::Rc;

use crate::errors::ParseError;
use tvmscript_ir_core::{Span, Str};
use tvmscript_irbuilder::{BuildError, ScriptValue};
use tvmscript_python_syntax::ast::{
    Ast, Expr, ExprId, HasRange, List, Listed, Name, Stmt, StmtId, TextRange,
};
use tvmscript_script_eval::errors::{EvalErrorKind, EvalResult, Label, Reported};

use super::Parser;

impl Parser<'_> {
    /// The syntax tree of the text, shared.
    pub fn ast(&self) -> Rc<Ast> {
        self.state.ast.clone()
    }

    /// A statement.
    pub fn stmt(&self, id: StmtId) -> Stmt {
        self.state.stmt(id)
    }

    /// An expression.
    pub fn expr(&self, id: ExprId) -> Expr {
        self.state.expr(id)
    }

    /// The element of a list of the tree.
    pub fn item<T: Listed>(&self, list: List<T>, index: usize) -> Option<T> {
        self.state.item(list, index)
    }

    /// The text of a name.
    pub fn name_text(&self, name: Name) -> &str {
        self.state.name_text(name)
    }

    /// The text of a name as an IR string, cached.
    pub fn name_str(&mut self, name: Name) -> Str {
        self.state.name_str(name)
    }

    /// The range of a syntax element.
    pub fn range(&self, of: impl HasRange) -> TextRange {
        self.state.range(of)
    }

    /// The span of a syntax element.
    pub fn span(&self, of: impl HasRange) -> Span {
        self.state.span(of)
    }

    /// Describes a value, for messages.
    pub fn describe(&self, value: &ScriptValue) -> String {
        self.state.describe(value)
    }

    /// Records an error.
    pub fn report(&mut self, error: ParseError) -> Reported {
        self.state.report(error.map(EvalErrorKind::from))
    }

    /// Records an error.
    pub fn error(&mut self, at: impl HasRange, kind: impl Into<EvalErrorKind>) -> Reported {
        self.state.error(at, kind)
    }

    /// Records an error with a suggested fix.
    pub fn error_with_help(
        &mut self,
        at: impl HasRange,
        kind: impl Into<EvalErrorKind>,
        help: impl Into<String>,
    ) -> Reported {
        self.state.error_with_help(at, kind, help)
    }

    /// Records a note at a span of this text; nothing has to change.
    pub fn note(&mut self, at: Span, kind: impl Into<EvalErrorKind>) {
        self.state.note(at, kind);
    }

    /// Records a dialect's error, at the argument that it is about if `at` is a call.
    pub fn build_error(&mut self, at: impl HasRange, error: BuildError) -> Reported {
        self.state.build_error(at, error)
    }

    /// Records the error of a call: at the argument of `call` that it is about, else at `range`.
    pub fn build_error_at(&mut self, range: TextRange, call: Option<ExprId>, error: BuildError) -> Reported {
        self.state.build_error_at(range, call, error)
    }

    /// Unwraps a dialect's result; its error is recorded at `at`.
    ///
    /// # Errors
    /// Fails if the result is an error.
    pub fn checked<T>(
        &mut self,
        at: impl HasRange,
        result: std::result::Result<T, BuildError>,
    ) -> EvalResult<T> {
        self.state.checked(at, result)
    }

    /// Unwraps a dialect's result for a call; its error is recorded at the argument that it is about, else at the
    /// call.
    ///
    /// # Errors
    /// Fails if the result is an error.
    pub fn checked_call<T>(
        &mut self,
        call: ExprId,
        result: std::result::Result<T, BuildError>,
    ) -> EvalResult<T> {
        self.state.checked_call(call, result)
    }

    /// Number of errors so far.
    pub fn error_count(&self) -> usize {
        self.state.diagnostics.errors.len()
    }

    /// Adds a label to the last error, unless it has several.
    pub fn explain_last_error(&mut self, label: Label) {
        if let Some(error) = self.state.diagnostics.errors.last_mut().filter(|error| error.labels.len() == 1)
        {
            error.labels.push(label);
        }
    }

    /// Tests whether the maximum number of errors is reached.
    pub fn is_exhausted(&self) -> bool {
        self.state.is_exhausted()
    }
}
