//! The thread's stack of builders, each with its stack of frames.
//!
//! Entering a [`Builder`] sets what is open aside and restores it at the end, so that builders nest, and no earlier
//! failure is seen by the next one. No work is handed to another thread while a builder is open.

use std::any::Any;
use std::cell::RefCell;
use std::panic::Location;
use std::sync::Arc;

use tvmscript_ir_core::{Object, Registry};

use crate::context::Contexts;
use crate::error::{BuildError, BuildErrorKind, Result};
use crate::frame::{Frame, OpenFrame};
use crate::value::ScriptValue;

struct OpenEntry {
    frame: Box<dyn Frame>,
    serial: u64,
}

/// An error of the Rust face, and where in the calling program it was made.
#[derive(Debug)]
pub struct RecordedError {
    /// What went wrong.
    pub error: BuildError,
    /// Where.
    pub caller: &'static Location<'static>,
}

#[derive(Default)]
struct State {
    frames: Vec<OpenEntry>,
    results: Vec<Object>,
    errors: Vec<RecordedError>,
    contexts: Contexts,
    serial: u64,
}

thread_local! {
    static STACK: RefCell<Vec<State>> = const { RefCell::new(Vec::new()) };
}

fn with_state<R>(f: impl FnOnce(&mut State) -> R) -> Result<R> {
    STACK.with_borrow_mut(|stack| stack.last_mut().map(f)).ok_or_else(|| {
        let error: BuildError = BuildErrorKind::NoBuilder.into();
        error.with_help("open one with `Builder::new()`")
    })
}

/// A builder, open on this thread while the value lives.
///
/// What is built when the outermost frame closes is the result: see [`Builder::finish`].
#[derive(Debug)]
pub struct Builder {
    not_send: std::marker::PhantomData<*const ()>,
}

impl Default for Builder {
    fn default() -> Self {
        Builder::new()
    }
}

impl Builder {
    /// Opens a builder on this thread. A builder that is open already is set aside until this one is done.
    pub fn new() -> Builder {
        STACK.with_borrow_mut(|stack| stack.push(State::default()));
        Builder { not_send: std::marker::PhantomData }
    }

    /// Opens a builder that carries the contexts of the registry's dialects.
    pub fn for_registry(registry: &Registry) -> Builder {
        let contexts = registry.slot::<Contexts>().cloned().unwrap_or_default();
        STACK.with_borrow_mut(|stack| stack.push(State { contexts, ..State::default() }));
        Builder { not_send: std::marker::PhantomData }
    }

    /// Gives what is built inside a value of this type, in the place of an earlier one.
    #[track_caller]
    pub fn set_context<C: Any + Send + Sync>(&self, value: C) {
        let _ = with_state(|s| s.contexts.set(value));
    }

    /// The value of this type that the innermost builder which has one carries.
    pub fn context<C: Any + Send + Sync>() -> Option<Arc<C>> {
        STACK.with_borrow(|stack| stack.iter().rev().find_map(|state| state.contexts.get()))
    }

    /// The one thing that was built.
    ///
    /// # Errors
    /// When frames are still open, nothing was built, or more than one thing.
    pub fn finish(self) -> Result<Object> {
        let (open, mut results) =
            with_state(|s| (s.frames.last().map(|e| e.frame.name()), std::mem::take(&mut s.results)))?;
        if let Some(inner) = open {
            return Err(BuildErrorKind::Nesting { name: "the builder", inner }.into());
        }
        match results.len() {
            0 => Err(BuildErrorKind::NoResult.into()),
            1 => Ok(results.remove(0)),
            _ => Err(BuildErrorKind::SecondResult.into()),
        }
    }

    /// Records an error of the Rust face in the innermost builder. Without one it is lost, as is what was being built.
    pub fn record(error: BuildError, caller: &'static Location<'static>) {
        let _ = with_state(|s| s.errors.push(RecordedError { error, caller }));
    }

    /// The one thing that was built through the Rust face.
    ///
    /// # Errors
    /// All recorded mistakes, with their places in the calling program; or what [`Builder::finish`] says.
    #[track_caller]
    pub fn finish_recorded(self) -> std::result::Result<Object, Vec<RecordedError>> {
        let caller = Location::caller();
        let errors = with_state(|s| std::mem::take(&mut s.errors)).unwrap_or_default();
        if !errors.is_empty() {
            return Err(errors);
        }
        self.finish().map_err(|error| vec![RecordedError { error, caller }])
    }

    /// Whether a builder is open on this thread.
    pub fn is_open() -> bool {
        STACK.with_borrow(|stack| !stack.is_empty())
    }

    /// Puts a finished object in as a result of the innermost builder.
    ///
    /// # Errors
    /// [`BuildErrorKind::NoBuilder`].
    pub fn set_result(object: Object) -> Result<()> {
        with_state(|s| s.results.push(object))
    }

    /// Takes out what was built so far, for a parser that builds several things in turn.
    ///
    /// # Errors
    /// [`BuildErrorKind::NoBuilder`].
    pub fn take_results() -> Result<Vec<Object>> {
        with_state(|s| std::mem::take(&mut s.results))
    }

    /// Enters a frame: gives what entering it gives, and its handle.
    ///
    /// # Errors
    /// [`BuildErrorKind::NoBuilder`], or whatever the dialect says; the frame is then not entered.
    pub fn enter(mut frame: Box<dyn Frame>) -> Result<(ScriptValue, OpenFrame)> {
        let value = frame.enter()?;
        let (depth, serial) = with_state(|s| {
            s.serial += 1;
            s.frames.push(OpenEntry { frame, serial: s.serial });
            (s.frames.len(), s.serial)
        })?;
        Ok((value, OpenFrame { depth, serial }))
    }

    fn pop(depth: usize, serial: u64) -> Option<Box<dyn Frame>> {
        with_state(|s| {
            let here = s.frames.get(depth.checked_sub(1)?)?.serial == serial;
            if here { s.frames.pop().map(|e| e.frame) } else { None }
        })
        .ok()
        .flatten()
    }

    pub(crate) fn leave(depth: usize, serial: u64) -> Vec<BuildError> {
        let mut errors = Vec::new();
        // Frames above were entered for the rest of this scope. One at a time: closing may look at what is open.
        while let Some(frame) = Builder::pop(depth, serial) {
            if let Err(error) = frame.close() {
                errors.push(error);
            }
        }
        errors
    }

    pub(crate) fn discard(depth: usize, serial: u64) {
        while Builder::pop(depth, serial).is_some() {}
    }

    /// How many frames are open.
    pub fn depth() -> usize {
        with_state(|s| s.frames.len()).unwrap_or(0)
    }

    /// Works on the innermost frame, if it is an `F`.
    ///
    /// # Errors
    /// [`BuildErrorKind::NoBuilder`]. The inner option is empty when the innermost frame is another one.
    pub fn with_top<F: Frame, R>(f: impl FnOnce(&mut F) -> R) -> Result<Option<R>> {
        with_state(|s| s.frames.last_mut().and_then(|e| e.frame.as_any_mut().downcast_mut::<F>()).map(f))
    }

    /// Works on the innermost `F`, wherever it is on the stack.
    ///
    /// # Errors
    /// [`BuildErrorKind::NoBuilder`]. The inner option is empty when no `F` is open.
    pub fn with_innermost<F: Frame, R>(f: impl FnOnce(&mut F) -> R) -> Result<Option<R>> {
        with_state(|s| {
            s.frames.iter_mut().rev().find_map(|e| e.frame.as_any_mut().downcast_mut::<F>()).map(f)
        })
    }

    /// Goes through the open `F`s, innermost first, until `f` gives something.
    ///
    /// # Errors
    /// [`BuildErrorKind::NoBuilder`].
    pub fn find<F: Frame, R>(mut f: impl FnMut(&mut F) -> Option<R>) -> Result<Option<R>> {
        with_state(|s| {
            s.frames.iter_mut().rev().find_map(|e| e.frame.as_any_mut().downcast_mut::<F>().and_then(&mut f))
        })
    }

    /// As [`Builder::find`], and then in the builders around, innermost first: a function inside of a function is built by
    /// itself, but sees what is open around it.
    pub fn find_around<F: Frame, R>(mut f: impl FnMut(&mut F) -> Option<R>) -> Option<R> {
        STACK.with_borrow_mut(|stack| {
            stack
                .iter_mut()
                .rev()
                .flat_map(|state| state.frames.iter_mut().rev())
                .find_map(|entry| entry.frame.as_any_mut().downcast_mut::<F>().and_then(&mut f))
        })
    }

    /// The name of the innermost frame.
    pub fn top_name() -> Option<&'static str> {
        with_state(|s| s.frames.last().map(|e| e.frame.name())).ok().flatten()
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        // Taken out first: dropping frames may drop nodes that look at the builder.
        let state = STACK.with_borrow_mut(Vec::pop);
        drop(state);
    }
}
