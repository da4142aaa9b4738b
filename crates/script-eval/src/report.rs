//! Recording of errors and their source ranges.

use tvmscript_ir_core::{Span, SpanKind};
use tvmscript_python_syntax::ast::{Expr, ExprId, HasRange, TextRange};
use tvmscript_script_value::{ArgumentPart, ArgumentRef, BuildError, BuildErrorKind};

use crate::errors::{
    EvalError, EvalErrorKind, EvalResult, HostErrorKind, Reported, place_in_literal, suggest,
};
use crate::program::InnerErrors;
use crate::state::EvalState;

impl EvalState {
    /// Records an error.
    pub fn report(&mut self, error: EvalError) -> Reported {
        self.diagnostics.failures += 1;
        drop(self.program.exceptions.forget());
        if self.is_tolerant() {
            return self.report_host(error);
        }
        self.diagnostics.push(error);
        Reported(())
    }

    /// Records a note at a span of this text; nothing has to change.
    pub fn note(&mut self, at: Span, kind: impl Into<EvalErrorKind>) {
        if let Some(range) = self.range_of_span(at) {
            self.diagnostics.note(kind.into(), range);
        }
    }

    /// Records a failure of host code that no script called: a Python exception as one that may still be caught, a gap
    /// of the evaluator as a placeholder.
    #[cold]
    fn report_host(&mut self, error: EvalError) -> Reported {
        let is_gap = match &error.kind {
            EvalErrorKind::UnsupportedExpression { .. }
            | EvalErrorKind::UnsupportedStatement { .. }
            | EvalErrorKind::InvalidTarget { .. } => true,
            // The import of a dialect's decorator cannot be skipped, since the decorator makes scripts.
            EvalErrorKind::Host(error) if error.kind == HostErrorKind::Import => {
                !self.position().is_decorator()
            }
            EvalErrorKind::Host(error) => error.is_gap,
            _ => false,
        };
        if is_gap {
            let reason = error.kind.to_string();
            return self.give_up(TextRange::from(error.range()), &reason);
        }
        self.diagnostics.push_raised(error);
        Reported(())
    }

    /// Records an error that no code of the file can catch.
    pub(crate) fn mistake(&mut self, at: impl HasRange, kind: EvalErrorKind) -> Reported {
        let range = self.shown(at);
        self.diagnostics.failures += 1;
        self.diagnostics.push(EvalError::new(kind, range));
        Reported(())
    }

    /// The range that a message shows.
    fn shown(&self, at: impl HasRange) -> TextRange {
        at.shown_in(&self.ast, self.program.text())
    }

    /// Records an error.
    pub fn error(&mut self, at: impl HasRange, kind: impl Into<EvalErrorKind>) -> Reported {
        let range = self.shown(at);
        self.report(EvalError::new(kind, range))
    }

    /// Records an error with a suggested fix.
    pub fn error_with_help(
        &mut self,
        at: impl HasRange,
        kind: impl Into<EvalErrorKind>,
        help: impl Into<String>,
    ) -> Reported {
        let range = self.shown(at);
        self.report(EvalError::new(kind, range).with_help(help))
    }

    /// Records a dialect's error, at the argument that it is about if `at` is a call.
    pub fn build_error(&mut self, at: impl HasRange, error: BuildError) -> Reported {
        let range = self.shown(at);
        self.build_error_at(range, None, error)
    }

    /// Unwraps a dialect's result; its error is recorded at `at`.
    pub fn checked<T>(&mut self, at: impl HasRange, result: Result<T, BuildError>) -> EvalResult<T> {
        result.map_err(|error| self.build_error(at, error))
    }

    /// Unwraps a dialect's result for a call; its error is recorded at the argument that it is about, else at the
    /// call.
    ///
    /// # Errors
    /// Fails if the result is an error.
    pub fn checked_call<T>(&mut self, call: ExprId, result: Result<T, BuildError>) -> EvalResult<T> {
        let range = self.ast.range(call);
        result.map_err(|error| self.build_error_at(range, Some(call), error))
    }

    /// Records the error of a call: at the argument of `call` that it is about, else at `range`.
    pub fn build_error_at(&mut self, range: TextRange, call: Option<ExprId>, error: BuildError) -> Reported {
        if let Some(inner) = error.downcast_ref::<InnerErrors>() {
            let exception = self.program.exceptions.forget();
            for mut error in inner.take() {
                error.called_from(range);
                let _ = self.report(error);
            }
            self.program.exceptions.set_raised(exception);
            return Reported(());
        }
        if self.diagnostics.silenced > 0 && !self.diagnostics.errors.is_empty() {
            return Reported(());
        }
        let argument =
            error.argument.as_ref().and_then(|a| self.argument_range(call?, a, error.part.as_deref()));
        let argument = argument.map(|range| {
            error
                .part
                .as_ref()
                .and_then(|part| part.byte)
                .and_then(|byte| self.byte_range(range, byte))
                .unwrap_or(range)
        });
        let place = self.range_of_span(error.span).or(argument).unwrap_or(range);
        let mut out = EvalError::new(&error, place);
        out.notes.extend(error.note.as_deref().map(str::to_owned));
        out.help = error.help.as_deref().map(str::to_owned);
        if let Some(BuildErrorKind::UnknownKeyword { name, known, .. }) = error.kind()
            && let Some(near) = suggest::nearest(name, known.iter().copied())
        {
            // The label is on the keyword and its value.
            let start = out.range().start;
            let keyword = TextRange::new(start, start + name.len() as u32);
            match self.program.text_of(keyword) == name {
                true => near.suggest(&mut out, keyword, ""),
                false => out.help = Some(format!("did you mean `{}`?", near.name)),
            }
        }
        self.report(out)
    }

    /// The range of a span in this text: of a call site that in the helper, of a marker its statement.
    pub fn range_of_span(&self, span: Span) -> Option<TextRange> {
        if self.program.spans.fixed.is_some() {
            return None;
        }
        match span.kind() {
            SpanKind::Range { source, start_bytes, end_bytes } if source == self.program.source => {
                Some(TextRange::new(start_bytes, end_bytes))
            }
            SpanKind::CallSite { callee, .. } => self.range_of_span(callee),
            _ => {
                let comments = &self.program.comments;
                let stmt = comments.stmts().get(*comments.stmts_of(span).first()?)?;
                Some(TextRange::new(stmt.start_bytes, stmt.end_bytes))
            }
        }
    }

    /// The source range of a byte of a string literal's value.
    fn byte_range(&self, literal: TextRange, byte: usize) -> Option<TextRange> {
        let place = place_in_literal(self.program.text_of(literal), byte)?;
        let at = |offset: usize| u32::try_from(offset).ok().map(|offset| literal.start + offset);
        Some(TextRange::new(at(place.start)?, at(place.end)?))
    }

    /// The range of an argument, or of an element of the list or tuple displayed there.
    fn argument_range(
        &self,
        call: ExprId,
        argument: &ArgumentRef,
        path: Option<&ArgumentPart>,
    ) -> Option<TextRange> {
        let (value, whole) = match argument {
            ArgumentRef::Position(index) => self.positional_range(call, *index)?,
            ArgumentRef::Keyword(name) => self.keyword_range(call, name)?,
            ArgumentRef::Parameter { name, index } => {
                self.keyword_range(call, name).or_else(|| self.positional_range(call, *index as usize))?
            }
        };
        let mut item = value;
        for index in path.into_iter().flat_map(|path| path.items.iter().rev()) {
            let (Expr::Tuple { elts } | Expr::List { elts }) = *self.ast.expr(item) else { break };
            let Some(next) = self.ast.list(elts).get(*index) else { break };
            item = *next;
        }
        Some(if item == value { whole } else { self.ast.range(item) })
    }

    /// A positional argument of a call, subscript or operator.
    fn positional_range(&self, call: ExprId, index: usize) -> Option<(ExprId, TextRange)> {
        let value = match *self.ast.expr(call) {
            Expr::Call { args, .. } => {
                let args = self.ast.list(args);
                let starred = |id: &ExprId| matches!(self.ast.expr(*id), Expr::Starred { .. });
                let star = args.iter().position(starred).unwrap_or(usize::MAX);
                *args.get(index.min(star))?
            }
            Expr::Subscript { index: subscript, .. } => match *self.ast.expr(subscript) {
                Expr::Tuple { elts } => *self.ast.list(elts).get(index)?,
                _ => subscript,
            },
            Expr::BinOp { left, right, .. } => *[left, right].get(index)?,
            _ => return None,
        };
        Some((value, self.ast.range(value)))
    }

    /// A keyword argument, and the range of keyword and value.
    fn keyword_range(&self, call: ExprId, name: &str) -> Option<(ExprId, TextRange)> {
        let Expr::Call { keywords, .. } = *self.ast.expr(call) else { return None };
        let keywords = self.ast.list(keywords);
        let keyword = keywords.iter().find(|k| k.arg.is_some_and(|a| self.ast.name(a) == name))?;
        Some((keyword.value, self.ast.range(keyword.place)))
    }

    /// Tests whether an error would not be recorded, because there are too many.
    pub(crate) fn drops_errors(&self) -> bool {
        match self.is_tolerant() {
            true => self.diagnostics.is_full_of_raised(),
            false => self.is_exhausted(),
        }
    }

    /// Tests whether the maximum number of errors is reached.
    pub fn is_exhausted(&self) -> bool {
        self.diagnostics.is_exhausted()
    }
}
