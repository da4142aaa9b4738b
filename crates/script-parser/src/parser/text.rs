//! Expressions inside string literals of a script.

use tvmscript_ir_core::Str;
use tvmscript_ir_core::diagnostic::Anchor;
use tvmscript_irbuilder::ScriptValue;

use super::{Parse, ParseOptions, Parser};
use crate::errors::ParseErrorKind;
use crate::scope::Shadowing;
use tvmscript_python_syntax::ast::{HasRange, Stmt, TextRange};
use tvmscript_python_syntax::parse_python;
use tvmscript_script_eval::errors::{EvalError, EvalErrorKind, EvalResult, syntax_error};
use tvmscript_script_eval::{Binding, Position, Program, Run};

impl Parser<'_> {
    /// Evaluates a string as a Python expression over the names in scope. Errors are reported inside the literal at
    /// `at` if its source contains the string unescaped, else at the whole literal.
    ///
    /// # Errors
    /// If the string is not an expression, or its evaluation fails.
    pub fn eval_text(&mut self, text: &str, at: impl HasRange + Copy) -> EvalResult<ScriptValue> {
        self.eval_text_at(Position::Module(Run::Strict), text, &[], at)
    }

    /// As [`Parser::eval_text`], but as if the expression stood there without quotes: under the rules of the current
    /// mode, and over further names, which the source may lack.
    ///
    /// # Errors
    /// As [`Parser::eval_text`].
    pub fn eval_quoted(
        &mut self,
        text: &str,
        names: &[(Str, ScriptValue)],
        at: impl HasRange + Copy,
    ) -> EvalResult<ScriptValue> {
        self.eval_text_at(self.state.position(), text, names, at)
    }

    fn eval_text_at(
        &mut self,
        position: Position,
        text: &str,
        names: &[(Str, ScriptValue)],
        at: impl HasRange + Copy,
    ) -> EvalResult<ScriptValue> {
        if let Some((_, value)) = names.iter().find(|(name, _)| *name == text) {
            return Ok(value.clone());
        }
        if let Some(name) = self.state.ast.find_name(text)
            && let Binding::Value(value) = self.find(name)
        {
            return Ok(value);
        }
        let (range, span) = (self.state.ast.range(at), self.span(at));
        let Some(registry) = self.registry else {
            return Err(self
                .state
                .report(EvalError::new(EvalErrorKind::UnsupportedExpression { what: "text here" }, range)));
        };
        let options = ParseOptions::default();
        let parsed = parse_python(text, &options.python);
        let expression = match parsed.ast.module_body() {
            [only] => match parsed.ast.stmt(*only) {
                Stmt::Expr(stmt) => Some(stmt.value),
                _ => None,
            },
            _ => None,
        };
        let mut errors: Vec<EvalError> = parsed.errors.into_iter().map(syntax_error).collect();
        let mut value = None;
        match expression {
            Some(expression) if errors.is_empty() => {
                let source = self.state.program.source;
                let tables = self.script.tables.clone();
                // Offsets in the string are none in the source.
                let with_spans = |program: Program| program.with_fixed_span(span);
                let mut parse = Parse::open(parsed.ast, text, source, tables, &options, with_spans);
                let mut inner = parse.parser(registry, self.family);
                inner.define_builtins();
                self.lend_names(&mut inner);
                names.iter().for_each(|(name, value)| inner.define_builtin(name, value.clone()));
                inner.state.move_to(position);
                value = inner.eval(expression).ok();
                let mut found = std::mem::take(&mut inner.state.diagnostics.errors);
                errors.append(&mut found);
                inner.state.program.close();
            }
            None if errors.is_empty() => {
                let kind = ParseErrorKind::expected("an expression", format!("the text `{text}`"));
                errors.push(EvalError::new(kind, TextRange::new(0, text.len() as u32)));
            }
            _ => {}
        }
        let offset = self.literal_offset(range, text);
        let mut reported = None;
        for mut error in errors {
            for label in &mut error.labels {
                if let Anchor::Text(at) = &mut label.at {
                    *at = match offset {
                        Some(offset) => offset + at.start..offset + at.end,
                        None => range.into(),
                    };
                }
            }
            match offset {
                Some(offset) => {
                    for edit in error.fixes.iter_mut().flat_map(|fix| &mut fix.edits) {
                        edit.range = offset + edit.range.start..offset + edit.range.end;
                    }
                }
                None => error.fixes.clear(),
            }
            reported = Some(self.state.report(error));
        }
        match (value, reported) {
            (Some(value), None) => Ok(value),
            (_, Some(reported)) => Err(reported),
            // The use of a poisoned name, whose error has been reported.
            (None, None) => Err(crate::Reported::already()),
        }
    }

    /// Binds the names of another tree to their values here.
    fn lend_names(&self, inner: &mut Parser<'_>) {
        inner.script.scopes.push_frame();
        let ast = inner.state.ast.clone();
        for name in ast.names() {
            let Some(outer) = self.state.ast.find_name(ast.name(name)) else { continue };
            let binding = self.find(outer);
            if !matches!(binding, Binding::Unbound) {
                let _ = inner.script.scopes.define(name, binding, TextRange::default(), Shadowing::SameFrame);
            }
        }
    }

    /// Offset of the string inside the range, if it occurs there in quotes.
    fn literal_offset(&self, range: TextRange, text: &str) -> Option<u32> {
        let source = self.state.program.text_of(range);
        let quoted = |quote: char| source.find(&format!("{quote}{text}{quote}"));
        let at = quoted('"').or_else(|| quoted('\''))?;
        Some(range.start + at as u32 + 1)
    }
}
