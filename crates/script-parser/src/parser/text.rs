//! Expressions that a script holds as text: `R.Tensor(("n", "n * 2"))`.

use std::rc::Rc;

use tvmscript_irbuilder::ScriptValue;

use super::{ParseOptions, Parser, Shared};
use crate::errors::{ParseError, ParseErrorKind, Result};
use crate::scope::{Binding, Shadowing};
use tvmscript_python_syntax::ast::{HasRange, Stmt, TextRange};
use tvmscript_python_syntax::parse_python;

impl Parser<'_> {
    /// Evaluates text as a Python expression over the names that are visible here. Mistakes are reported inside of the
    /// literal at `at` where its text stands there as it is, else at the whole of it.
    ///
    /// # Errors
    /// When the text is no expression, or its evaluation fails.
    pub fn eval_text(&mut self, text: &str, at: impl HasRange) -> Result<ScriptValue> {
        if let Some(name) = self.ast.find_name(text)
            && let Binding::Value(value) = self.find(name)
        {
            return Ok(value);
        }
        let range = self.ast.range(at);
        let Some(registry) = self.registry else {
            return Err(self.report(ParseError::new(
                ParseErrorKind::UnsupportedExpression { what: "text here" },
                range,
            )));
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
        let mut errors: Vec<ParseError> = parsed.errors.into_iter().map(ParseError::from).collect();
        let mut value = None;
        match expression {
            Some(expression) if errors.is_empty() => {
                let (source, profile) = (self.shared.source, self.shared.profile);
                let shared = Shared::new(parsed.ast, text, source, registry, profile, &options);
                let mut inner = Parser::new(Rc::new(shared), Some(registry));
                inner.define_builtins();
                self.lend_names(&mut inner);
                value = inner.eval(expression).ok();
                errors.append(&mut inner.errors);
                inner.shared.close();
            }
            None if errors.is_empty() => {
                let kind = ParseErrorKind::expected("an expression", format!("the text `{text}`"));
                errors.push(ParseError::new(kind, TextRange::new(0, text.len() as u32)));
            }
            _ => {}
        }
        let offset = self.literal_offset(range, text);
        let mut reported = None;
        for mut error in errors {
            for label in &mut error.labels {
                label.range = match offset {
                    Some(offset) => TextRange::new(offset + label.range.start, offset + label.range.end),
                    None => range,
                };
            }
            reported = Some(self.report(error));
        }
        match (value, reported) {
            (Some(value), None) => Ok(value),
            (_, Some(reported)) => Err(reported),
            // A name that is poisoned was complained about before.
            (None, None) => Err(crate::errors::Reported(())),
        }
    }

    /// Gives another tree's names the values they have here.
    fn lend_names(&self, inner: &mut Parser<'_>) {
        inner.scopes.push_frame();
        let ast = inner.ast.clone();
        for name in ast.names() {
            let Some(outer) = self.ast.find_name(ast.name(name)) else { continue };
            let binding = self.find(outer);
            if !matches!(binding, Binding::Unbound) {
                let _ = inner.scopes.define(name, binding, TextRange::default(), Shadowing::SameFrame);
            }
        }
    }

    /// Where the text stands inside of the range, if it does so exactly once and in quotes.
    fn literal_offset(&self, range: TextRange, text: &str) -> Option<u32> {
        let source = self.shared.text_of(range);
        let quoted = |quote: char| source.find(&format!("{quote}{text}{quote}"));
        let at = quoted('"').or_else(|| quoted('\''))?;
        Some(range.start + at as u32 + 1)
    }
}
