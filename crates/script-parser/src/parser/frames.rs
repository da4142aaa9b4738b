//! Frames of the builder, with their errors recorded at the right place.

use tvmscript_ir_core::Span;
use tvmscript_irbuilder::{OpenFrame, PendingFrame, ScriptValue};

use super::Parser;
use crate::errors::{ParseErrorKind, Result};
use tvmscript_python_syntax::ast::HasRange;

impl Parser<'_> {
    /// Enters a frame: gives what entering it gives, and its handle. The frame is then left by [`Parser::leave_frame`],
    /// or stays open to the end of the scope by [`OpenFrame::keep_open`].
    ///
    /// # Errors
    /// When the value is no frame, was entered before, or the dialect refuses.
    pub fn enter_frame(
        &mut self,
        value: &ScriptValue,
        at: impl HasRange + Copy,
    ) -> Result<(ScriptValue, OpenFrame)> {
        let Some(frame) = PendingFrame::of(value) else {
            let example = self.profile().examples.scope.map(|scope| format!(" such as `{scope}`"));
            let expected = format!("a scope{}", example.unwrap_or_default());
            let kind = ParseErrorKind::expected(expected, self.describe(value));
            return Err(self.error(at, kind));
        };
        let entered = frame.enter();
        self.checked(at, entered)
    }

    /// Leaves a frame; those inside it close first. What is built now has the span of `at`.
    ///
    /// # Errors
    /// All that the closing frames say, at `at`.
    pub fn leave_frame(&mut self, open: OpenFrame, at: impl HasRange + Copy) -> Result<()> {
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

    /// Enters a frame, runs `body` with what entering gives, and leaves it.
    ///
    /// # Errors
    /// When the value is no frame, the body fails, or the frame does not close; a frame whose body failed is thrown away.
    pub fn in_frame<R>(
        &mut self,
        value: &ScriptValue,
        at: impl HasRange + Copy,
        body: impl FnOnce(&mut Self, ScriptValue) -> Result<R>,
    ) -> Result<R> {
        let (entered, open) = self.enter_frame(value, at)?;
        let result = body(self, entered)?;
        self.leave_frame(open, at)?;
        Ok(result)
    }
}
