//! Frames: scopes of the program being built.

use std::any::Any;
use std::cell::RefCell;

use crate::builder::Builder;
use crate::error::{BuildErrorKind, Result};
use crate::value::ScriptValue;

/// A scope of the program being built: a loop, a block, a function, a module.
pub trait Frame: Any {
    /// The name in text (`T.block`), for messages.
    fn name(&self) -> &'static str;

    /// What entering the frame gives (`with .. as x`, `x = ..`, `for x in ..`).
    ///
    /// # Errors
    /// Whatever the dialect says, for frames that check or build when entered.
    fn enter(&mut self) -> Result<ScriptValue> {
        Ok(ScriptValue::None)
    }

    /// Closes the frame: its node goes to the frame around it, or becomes the builder's result. The frame is off the
    /// stack already.
    ///
    /// # Errors
    /// Whatever the dialect says of the finished node.
    fn close(self: Box<Self>) -> Result<()>;

    /// The frame itself, for those who know its type.
    fn as_any_mut(&mut self) -> &mut dyn Any;

    /// The frame itself, for those who know its type.
    fn as_any(&self) -> &dyn Any;
}

/// A frame that a function made and nobody entered yet.
pub struct PendingFrame {
    name: &'static str,
    frame: RefCell<Option<Box<dyn Frame>>>,
}

impl PendingFrame {
    /// Keeps a frame until it is entered.
    pub fn new(frame: impl Frame) -> PendingFrame {
        PendingFrame { name: frame.name(), frame: RefCell::new(Some(Box::new(frame))) }
    }

    /// The frame's name in text.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Looks at a frame of type `F` that is not entered yet.
    pub fn inspect<F: Frame, R>(&self, f: impl FnOnce(&F) -> R) -> Option<R> {
        self.frame.borrow().as_ref().and_then(|frame| frame.as_any().downcast_ref::<F>().map(f))
    }

    /// Enters the frame; it can be entered once. Gives what entering it gives, and its handle.
    ///
    /// # Errors
    /// When it was entered before, or the dialect refuses.
    pub fn enter(&self) -> Result<(ScriptValue, OpenFrame)> {
        let frame = self.frame.borrow_mut().take();
        let frame = frame
            .ok_or_else(|| BuildErrorKind::Repeated { what: format!("the scope of `{}`", self.name) })?;
        Builder::enter(frame)
    }
}

impl std::fmt::Debug for PendingFrame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// A frame on the stack. Leaving it closes the frames inside it first, innermost first: those were entered for the rest
/// of its scope. Dropped without [`OpenFrame::leave`] (after `?` or a panic), it and what is inside are thrown away.
#[must_use = "a frame closes when its handle is dropped"]
#[derive(Debug)]
pub struct OpenFrame {
    pub(crate) depth: usize,
    pub(crate) serial: u64,
}

impl OpenFrame {
    /// Closes the frame and those inside it.
    ///
    /// # Errors
    /// All that the closing frames say, in the order they close.
    pub fn leave(self) -> std::result::Result<(), Vec<crate::error::BuildError>> {
        let errors = Builder::leave(self.depth, self.serial);
        std::mem::forget(self);
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Leaves the frame open until the one around it closes.
    pub fn keep_open(self) {
        std::mem::forget(self);
    }
}

impl Drop for OpenFrame {
    fn drop(&mut self) {
        Builder::discard(self.depth, self.serial);
    }
}

/// What a script function returns when it makes a frame.
#[derive(Debug)]
pub struct FrameOf<F>(pub F);

impl<F: Frame> FrameOf<F> {
    /// Enters the frame, runs `body` with what entering gives, and leaves it: the Rust face of a scope.
    ///
    /// # Errors
    /// The first of what entering, the body and leaving say.
    pub fn scope<R>(self, body: impl FnOnce(ScriptValue) -> Result<R>) -> Result<R> {
        let (value, open) = Builder::enter(Box::new(self.0))?;
        let result = body(value)?;
        match open.leave() {
            Ok(()) => Ok(result),
            Err(mut errors) => Err(errors.remove(0)),
        }
    }
}
