//! Frames: scopes of the program being built.

use std::any::Any;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::panic::Location;
use std::rc::Rc;

use tvmscript_ir_core::{Object, PoisonNode, Ref};

use crate::builder::Builder;
use crate::emit::Poison;
use tvmscript_script_value::record::{Action, record};
use tvmscript_script_value::{
    BuildErrorKind, BuildResult, CallArgs, FromScript, IntoScript, PendingScope, PyType, ScriptValue,
};

/// A scope of the program being built: a loop, a block, a function, a module.
pub trait Frame: Any {
    /// The name in text (`Toy.region`), for error messages.
    fn name(&self) -> &'static str;

    /// Enters the frame and returns its value (`with .. as x`, `x = ..`, `for x in ..`).
    ///
    /// # Errors
    /// Errors of the dialect.
    fn enter(&mut self) -> BuildResult<ScriptValue> {
        Ok(ScriptValue::None)
    }

    /// The arguments with which the frame is made, for a record of the building.
    fn arguments(&self) -> CallArgs {
        CallArgs::default()
    }

    /// Closes the frame, which is no longer on the stack: passes its node to the enclosing frame or to the builder's
    /// results.
    ///
    /// # Errors
    /// Errors of the dialect about the finished node.
    fn close(self: Box<Self>) -> BuildResult<()>;

    /// Takes a statement of any dialect that was built inside the frame ([`Builder::add_stmt`]). A frame that holds no
    /// such statements returns it, and the enclosing frame is tried next.
    fn take_stmt(&mut self, stmt: Object) -> Option<Object> {
        Some(stmt)
    }
}

impl dyn Frame {
    /// The frame, for downcasting.
    pub fn as_any(&self) -> &dyn Any {
        self
    }

    /// The frame, for downcasting.
    pub fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

/// A frame that is not entered yet.
pub struct PendingFrame {
    name: &'static str,
    frame: RefCell<Option<Box<dyn Frame>>>,
}

impl PendingFrame {
    /// Wraps a frame.
    pub fn new(frame: impl Frame) -> PendingFrame {
        PendingFrame { name: frame.name(), frame: RefCell::new(Some(Box::new(frame))) }
    }

    /// Wraps a frame as a script value.
    pub fn value(frame: impl Frame) -> ScriptValue {
        ScriptValue::Frame(Rc::new(PendingFrame::new(frame)))
    }

    /// The frame's name in text.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The pending frame in a script value.
    pub fn of(value: &ScriptValue) -> Option<&PendingFrame> {
        match value {
            ScriptValue::Frame(scope) => scope.as_any().downcast_ref(),
            _ => None,
        }
    }

    /// Runs `f` on the frame if it is an `F` that is not entered yet.
    pub fn inspect<F: Frame, R>(&self, f: impl FnOnce(&F) -> R) -> Option<R> {
        self.frame.borrow().as_ref().and_then(|frame| frame.as_any().downcast_ref::<F>().map(f))
    }

    /// Enters the frame, which is possible once. Returns the value of [`Frame::enter`] and a handle.
    ///
    /// # Errors
    /// If it was entered before, or errors of the dialect.
    pub fn enter(&self) -> BuildResult<(ScriptValue, OpenFrame)> {
        let frame = self.frame.borrow_mut().take();
        let frame = frame
            .ok_or_else(|| BuildErrorKind::Repeated { what: format!("the scope of `{}`", self.name) })?;
        Builder::enter_scope(frame, std::ptr::from_ref(self) as usize)
    }
}

impl PendingScope for PendingFrame {
    fn name(&self) -> &'static str {
        self.name
    }
}

impl std::fmt::Debug for PendingFrame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Handle of a frame on the stack. Leaving it closes the inner frames first, innermost first: they were entered for the
/// rest of its scope. Dropping it without [`OpenFrame::leave`] (after `?` or a panic) discards the frame and the inner
/// ones.
#[must_use = "a frame closes when its handle is dropped"]
#[derive(Debug)]
pub struct OpenFrame {
    pub(crate) name: &'static str,
    pub(crate) depth: usize,
    pub(crate) serial: u64,
}

impl OpenFrame {
    /// Closes the frame and the inner ones.
    ///
    /// # Errors
    /// All errors of the closing frames, in order; [`BuildErrorKind::Closed`] if the frame was closed together with an
    /// outer one.
    pub fn leave(self) -> std::result::Result<(), Vec<tvmscript_script_value::BuildError>> {
        let errors = Builder::leave(self.name, self.depth, self.serial);
        std::mem::forget(self);
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Leaves the frame open until the enclosing one closes.
    pub fn keep_open(self) {
        record(|| Action::KeepOpen);
        std::mem::forget(self);
    }
}

impl Drop for OpenFrame {
    fn drop(&mut self) {
        Builder::discard(self.depth, self.serial);
    }
}

/// Placeholder on the stack for a scope that could not be opened; discards what is built inside.
pub(crate) struct PoisonFrame;

impl Frame for PoisonFrame {
    fn name(&self) -> &'static str {
        "a scope that could not be opened"
    }
    fn close(self: Box<Self>) -> BuildResult<()> {
        Ok(())
    }
}

/// The frame returned by a script function; entering it yields a `V`.
#[derive(Debug)]
#[must_use = "nothing is built before the scope is entered"]
pub struct FrameOf<F, V = ()> {
    /// `None` if the frame could not be made.
    frame: Option<F>,
    gives: PhantomData<fn() -> V>,
}

impl<F, V> Poison for FrameOf<F, V> {
    fn poison() -> FrameOf<F, V> {
        FrameOf { frame: None, gives: PhantomData }
    }
}

/// Types of values that entering a frame yields.
pub trait Entered: FromScript + Poison {}
impl Entered for ScriptValue {}
impl<T: PoisonNode> Entered for Ref<T> {}
impl<V: Entered> Entered for Vec<V> {}
impl<V: Entered, const N: usize> Entered for [V; N] {}

impl<F: Frame, V> FrameOf<F, V> {
    /// Wraps a frame.
    pub fn new(frame: F) -> FrameOf<F, V> {
        FrameOf { frame: Some(frame), gives: PhantomData }
    }

    /// The frame, for modification before it is entered; `None` if it could not be made.
    pub fn frame_mut(&mut self) -> Option<&mut F> {
        self.frame.as_mut()
    }

    /// The frame as a script value.
    pub fn into_pending(self) -> Option<PendingFrame> {
        self.frame.map(PendingFrame::new)
    }
}

impl<F: Frame, V: FromScript> IntoScript for FrameOf<F, V> {
    const TYPE: PyType = PyType::Scope { of: &V::TYPE };
    fn into_script(self) -> ScriptValue {
        self.into_pending().map_or(ScriptValue::None, |frame| ScriptValue::Frame(Rc::new(frame)))
    }
}

impl<F: Frame, V: FromScript> FrameOf<F, V> {
    /// Enters the frame, runs `body` with the frame's value, and leaves it.
    ///
    /// # Errors
    /// The first error of entering, the body and leaving.
    pub fn try_body<R>(self, body: impl FnOnce(V) -> BuildResult<R>) -> BuildResult<R> {
        let frame = self.frame.ok_or(BuildErrorKind::Poisoned)?;
        let (value, open) = Builder::enter(Box::new(frame))?;
        let result = body(V::from_script(value)?)?;
        match open.leave() {
            Ok(()) => Ok(result),
            Err(mut errors) => Err(errors.remove(0)),
        }
    }
}

impl<F: Frame, V: FromScript + Poison> FrameOf<F, V> {
    /// Enters the frame or a placeholder. Returns the frame's value, and the handle if a builder is open.
    fn open_at(self, caller: &'static Location<'static>) -> (V, Option<OpenFrame>) {
        let entered = match self.frame {
            Some(frame) => Builder::enter(Box::new(frame))
                .and_then(|(value, open)| Ok((V::from_script(value)?, Some(open)))),
            None => Err(BuildErrorKind::Poisoned.into()),
        };
        entered.unwrap_or_else(|error| {
            Builder::record(error, caller);
            (V::poison(), Builder::enter(Box::new(PoisonFrame)).ok().map(|(_, open)| open))
        })
    }

    /// As `body`, with an explicit call site.
    pub fn body_at<R>(self, caller: &'static Location<'static>, body: impl FnOnce(V) -> R) -> R {
        let before = Builder::error_count();
        let (value, open) = self.open_at(caller);
        let result = body(value);
        let errors = open.map_or_else(Vec::new, |open| open.leave().err().unwrap_or_default());
        // Errors of the body may be the cause of errors at its end.
        if Builder::error_count() == before {
            errors.into_iter().for_each(|error| Builder::record(error, caller));
        }
        result
    }

    /// As [`FrameOf::enter`], with an explicit call site.
    pub fn enter_at(self, caller: &'static Location<'static>) -> V {
        let (value, open) = self.open_at(caller);
        open.into_iter().for_each(OpenFrame::keep_open);
        value
    }

    /// Enters the frame for the rest of the enclosing scope and returns its value.
    ///
    /// # Panics
    /// Panics on an error if no builder is open.
    #[track_caller]
    pub fn enter(self) -> V {
        self.enter_at(Location::caller())
    }
}

impl<F: Frame> FrameOf<F, ()> {
    /// Enters the frame, runs `body`, and leaves it. Errors are recorded in the current builder.
    ///
    /// # Panics
    /// Panics on an error if no builder is open.
    #[track_caller]
    pub fn body<R>(self, body: impl FnOnce() -> R) -> R {
        self.body_at(Location::caller(), |()| body())
    }
}

impl<F: Frame, V: Entered> FrameOf<F, V> {
    /// Enters the frame, runs `body` with the frame's value, and leaves it. Errors are recorded in the current builder.
    ///
    /// # Panics
    /// Panics on an error if no builder is open.
    #[track_caller]
    pub fn body<R>(self, body: impl FnOnce(V) -> R) -> R {
        self.body_at(Location::caller(), body)
    }
}
