//! The Rust face of script functions: mistakes are collected, not returned at every step.
//!
//! [`Emit::emit`] records an error with the caller's place in the current builder and gives a poison value instead;
//! [`crate::Builder::finish`] gives all errors. [`Emit::try_emit`] returns the error.

use std::panic::Location;

use crate::builder::Builder;
use crate::error::Result;
use crate::frame::{Frame, FrameOf};
use crate::value::ScriptValue;

/// A value that stands for one that could not be made. What is made of it is thrown away with it.
pub trait Poison {
    /// The stand-in.
    fn poison() -> Self;
}

impl Poison for () {
    fn poison() {}
}

impl Poison for ScriptValue {
    fn poison() -> ScriptValue {
        ScriptValue::None
    }
}

/// A call of a script function that is ready to be made.
pub trait Emit: Sized {
    /// What the call gives.
    type Out;

    /// Makes the call.
    ///
    /// # Errors
    /// Whatever the function says.
    fn try_emit(self) -> Result<Self::Out>;

    /// Where the call was written.
    fn caller(&self) -> &'static Location<'static>;

    /// Makes the call; an error is recorded in the current builder.
    fn emit(self) -> Self::Out
    where
        Self::Out: Poison,
    {
        let caller = self.caller();
        self.try_emit().unwrap_or_else(|error| {
            Builder::record(error, caller);
            Self::Out::poison()
        })
    }

    /// Makes the frame, enters it, runs `body` with what entering gives, and leaves it; errors are recorded in the
    /// current builder.
    fn scope<F: Frame>(self, body: impl FnOnce(ScriptValue))
    where
        Self: Emit<Out = FrameOf<F>>,
    {
        let caller = self.caller();
        let result = self.try_emit().and_then(|frame| {
            frame.scope(|value| {
                body(value);
                Ok(())
            })
        });
        if let Err(error) = result {
            Builder::record(error, caller);
        }
    }
}
