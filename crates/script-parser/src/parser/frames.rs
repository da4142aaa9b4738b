//! Frames of the builder, with errors reported at their source position.

use tvmscript_ir_core::Span;
use tvmscript_irbuilder::{OpenFrame, PendingFrame, ScriptValue};

use super::Parser;
use crate::errors::ParseErrorKind;
use tvmscript_python_syntax::ast::HasRange;
use tvmscript_script_eval::errors::EvalResult;

impl Parser<'_> {
    /// The error of a value that is not a scope.
    pub fn expected_scope(&self, value: &ScriptValue) -> ParseErrorKind {
        let example = self.syntax().examples.scope.map(|scope| format!(" such as `{scope}`"));
        ParseErrorKind::expected(format!("a scope{}", example.unwrap_or_default()), self.describe(value))
    }

    /// Enters a frame. Returns the value of entering it and a handle to leave it with [`Parser::leave_frame`], or to
    /// keep it open up to the end of the scope with [`OpenFrame::keep_open`].
    ///
    /// # Errors
    /// If the value is not a frame, has been entered before, or the dialect rejects it.
    pub fn enter_frame(
        &mut self,
        value: &ScriptValue,
        at: impl HasRange + Copy,
    ) -> EvalResult<(ScriptValue, OpenFrame)> {
        let Some(frame) = PendingFrame::of(value) else {
            return Err(self.error(at, self.expected_scope(value)));
        };
        let entered = frame.enter();
        self.checked(at, entered)
    }

    /// Leaves a frame after the frames inside it. Nodes built by leaving have the span of `at`.
    ///
    /// # Errors
    /// The errors of the closing frames, reported at `at`.
    pub fn leave_frame(&mut self, open: OpenFrame, at: impl HasRange + Copy) -> EvalResult<()> {
        let before = Span::set_current(self.span(at));
        let left = open.leave();
        Span::set_current(before);
        let Err(errors) = left else { return Ok(()) };
        let mut result = Ok(());
        for error in errors {
            result = Err(self.build_error(at, error));
        }
        result
    }

    /// Enters a frame, runs `body` with the value of entering it, and leaves the frame.
    ///
    /// # Errors
    /// If the value is not a frame, the body fails, or the frame does not close. If the body fails, the frame is
    /// discarded.
    pub fn in_frame<R>(
        &mut self,
        value: &ScriptValue,
        at: impl HasRange + Copy,
        body: impl FnOnce(&mut Self, ScriptValue) -> EvalResult<R>,
    ) -> EvalResult<R> {
        let (entered, open) = self.enter_frame(value, at)?;
        let result = body(self, entered)?;
        self.leave_frame(open, at)?;
        Ok(result)
    }
}
