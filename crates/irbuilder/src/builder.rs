//! The thread's stack of builders, each with a stack of frames.
//!
//! Entering a [`Builder`] suspends the open one until the new one is dropped, so builders nest and do not see each
//! other's errors. A builder never hands work to another thread.

use std::any::Any;
use std::cell::RefCell;
use std::panic::Location;
use std::sync::Arc;

use tvmscript_ir_core::operators::{ErrorSink, set_error_sink};
use tvmscript_ir_core::registry::DeclaredNames;
use tvmscript_ir_core::release::{self, Release};
use tvmscript_ir_core::{Class, Object, Ref, Registry};

use crate::context::Contexts;
use crate::frame::{Frame, OpenFrame, PoisonFrame};
use tvmscript_script_value::ScriptValue;
use tvmscript_script_value::record::{Action, record};
use tvmscript_script_value::{BuildError, BuildErrorKind, BuildResult};

struct OpenEntry {
    frame: Box<dyn Frame>,
    serial: u64,
}

/// An error of a function called from Rust, with its call site.
#[derive(Debug)]
pub struct RecordedError {
    /// The error.
    pub error: BuildError,
    /// The call site.
    pub caller: &'static Location<'static>,
}

impl std::fmt::Display for RecordedError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let RecordedError { error, caller } = self;
        write!(f, "{caller}: {error}")?;
        match &error.help {
            Some(help) => write!(f, " (help: {help})"),
            None => Ok(()),
        }
    }
}

/// All errors of one builder, in order; at least one.
#[derive(Debug)]
pub struct BuildErrors {
    /// The first error.
    pub first: RecordedError,
    /// The others.
    pub rest: Vec<RecordedError>,
}

impl BuildErrors {
    /// Returns the first error, for callers that report their own location.
    pub fn into_first(self) -> BuildError {
        self.first.error
    }

    /// The errors in order.
    pub fn iter(&self) -> impl Iterator<Item = &RecordedError> {
        std::iter::once(&self.first).chain(&self.rest)
    }
}

impl std::fmt::Display for BuildErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, error) in self.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for BuildErrors {}

#[derive(Default)]
struct State {
    id: u64,
    frames: Vec<OpenEntry>,
    results: Vec<Object>,
    errors: Vec<RecordedError>,
    /// Call site at which a poison value was first used.
    poisoned: Option<&'static Location<'static>>,
    contexts: Contexts,
    /// `true` once the result is taken.
    is_closed: bool,
}

impl State {
    /// The only result, if there are no errors and all frames are closed.
    fn result(mut self, caller: &'static Location<'static>) -> std::result::Result<Object, BuildErrors> {
        let mut errors = std::mem::take(&mut self.errors).into_iter();
        if let Some(first) = errors.next() {
            return Err(BuildErrors { first, rest: errors.collect() });
        }
        if let Some(place) = self.poisoned {
            return one_error(BuildErrorKind::Poisoned, place);
        }
        if let Some(open) = self.frames.last() {
            return one_error(
                BuildErrorKind::Nesting { name: "the builder", inner: open.frame.name() },
                caller,
            );
        }
        match (self.results.len(), self.results.pop()) {
            (1, Some(result)) => Ok(result),
            (_, None) => one_error(BuildErrorKind::NoResult, caller),
            (count, _) => one_error(BuildErrorKind::SecondResult { count }, caller),
        }
    }
}

fn one_error<T>(
    error: BuildErrorKind,
    caller: &'static Location<'static>,
) -> std::result::Result<T, BuildErrors> {
    let first = RecordedError { error: error.into(), caller };
    Err(BuildErrors { first, rest: Vec::new() })
}

/// The thread's builders, and a counter for serial numbers.
#[derive(Default)]
struct Stack {
    builders: Vec<State>,
    serial: u64,
}

impl Stack {
    fn number(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }
}

thread_local! {
    static STACK: RefCell<Stack> = const { RefCell::new(Stack { builders: Vec::new(), serial: 0 }) };
}

fn with_state<R>(f: impl FnOnce(&mut State) -> R) -> BuildResult<R> {
    STACK
        .with_borrow_mut(|stack| stack.builders.last_mut().map(f))
        .ok_or_else(|| BuildErrorKind::NoBuilder.into())
}

/// A builder, open on this thread until it is dropped.
///
/// The node that the outermost frame builds when it closes is the result: see [`Builder::finish`].
#[derive(Debug)]
pub struct Builder {
    id: u64,
    /// Routes errors of operators (`a + b`) to the builder.
    _operators: ErrorSink,
    not_send: std::marker::PhantomData<*const ()>,
}

impl Default for Builder {
    fn default() -> Self {
        Builder::new()
    }
}

impl Builder {
    /// Opens a builder on this thread and suspends the one that is open.
    pub fn new() -> Builder {
        Builder::open(Contexts::default())
    }

    /// Opens a builder with the contexts and the node names ([`DeclaredNames`]) of the registry's dialects.
    pub fn for_registry(registry: &Registry) -> Builder {
        let mut contexts = registry.slot::<Contexts>().cloned().unwrap_or_default();
        if let Some(names) = registry.slot::<DeclaredNames>() {
            contexts.set(names.clone());
        }
        contexts.set(registry.release());
        Builder::open(contexts)
    }

    fn open(contexts: Contexts) -> Builder {
        let id = STACK.with_borrow_mut(|stack| {
            let id = stack.number();
            stack.builders.push(State { id, contexts, ..State::default() });
            id
        });
        record(|| Action::Open);
        let record = |error, caller| Builder::record(BuildError::from_boxed(error), caller);
        Builder { id, _operators: set_error_sink(record), not_send: std::marker::PhantomData }
    }

    /// Sets the context of this type for code that runs inside the builder.
    #[track_caller]
    pub fn set_context<C: Any + Send + Sync>(&self, value: C) {
        let _ = with_state(|s| s.contexts.set(value));
    }

    /// Sets the context of this type in the innermost builder. Has no effect without one.
    #[track_caller]
    pub fn set_innermost_context<C: Any + Send + Sync>(value: C) {
        let _ = with_state(|s| s.contexts.set(value));
    }

    /// The context of this type, of the innermost builder that has one.
    pub fn context<C: Any + Send + Sync>() -> Option<Arc<C>> {
        STACK.with_borrow(|stack| stack.builders.iter().rev().find_map(|state| state.contexts.get()))
    }

    /// The release that the innermost builder for a registry builds for.
    pub fn release() -> &'static Release {
        Builder::context::<&'static Release>().map_or(&release::PLAIN, |release| *release)
    }

    /// Returns the node that was built.
    ///
    /// # Errors
    /// All recorded errors with their call sites. Without any, an error if frames are still open, or if there is not
    /// exactly one result.
    #[track_caller]
    pub fn finish(self) -> std::result::Result<Object, BuildErrors> {
        let caller = Location::caller();
        self.close(caller)
    }

    /// Returns the node that was built as a `T`: `let plan = builder.get::<Plan>()?;`.
    ///
    /// # Errors
    /// As [`Builder::finish`], and if the node is of another class.
    #[track_caller]
    pub fn get<T: Class>(self) -> std::result::Result<Ref<T>, BuildErrors> {
        let caller = Location::caller();
        let object = self.close(caller)?;
        object.downcast::<T>().map_err(|object| {
            let expected = format!("a `{}`", T::type_info().display_key());
            let error = BuildError::expected(expected, format!("`{}`", object.info().display_key()));
            BuildErrors { first: RecordedError { error, caller }, rest: Vec::new() }
        })
    }

    fn close(self, caller: &'static Location<'static>) -> std::result::Result<Object, BuildErrors> {
        let state = STACK.with_borrow_mut(|stack| match stack.builders.last_mut() {
            Some(state) if state.id == self.id => Some(std::mem::take(state)),
            _ => None,
        });
        let Some(state) = state else { return one_error(BuildErrorKind::InnerBuilder, caller) };
        // The stack entry belongs to this builder until it is dropped.
        let _ = with_state(|s| (s.id, s.is_closed) = (self.id, true));
        let result = state.result(caller);
        record(|| Action::Close { result: result.as_ref().ok().cloned() });
        result
    }

    /// Records an error in the innermost builder. Errors that follow from an earlier one are dropped: a poisoned
    /// argument, or a missing scope that could not be opened.
    ///
    /// # Panics
    /// Panics if no builder is open.
    #[allow(
        clippy::panic,
        reason = "without a builder the error has no other way out of a function that cannot fail"
    )]
    pub fn record(error: BuildError, caller: &'static Location<'static>) {
        let mut error = Some(error);
        let recorded = with_state(|s| {
            let Some(error) = error.take() else { return };
            let poisoned = matches!(error.kind(), Some(BuildErrorKind::Poisoned));
            let misplaced = matches!(error.kind(), Some(BuildErrorKind::WrongFrame { .. }));
            let in_poison = || s.frames.iter().any(|e| e.frame.as_any().is::<PoisonFrame>());
            match poisoned || misplaced && in_poison() {
                true => s.poisoned = s.poisoned.or(Some(caller)),
                false => s.errors.push(RecordedError { error, caller }),
            }
        });
        if let (Err(_), Some(error)) = (recorded, error) {
            panic!("{}", RecordedError { error, caller });
        }
    }

    /// Number of errors of the innermost builder.
    pub(crate) fn error_count() -> usize {
        with_state(|s| s.errors.len()).unwrap_or(0)
    }

    /// Returns `true` if a builder is open on this thread.
    pub fn is_open() -> bool {
        STACK.with_borrow(|stack| !stack.builders.is_empty())
    }

    /// Adds a finished object to the results of the innermost builder.
    ///
    /// # Errors
    /// [`BuildErrorKind::NoBuilder`].
    pub fn set_result(object: Object) -> BuildResult<()> {
        with_state(|s| s.results.push(object))
    }

    /// Adds a finished statement to the innermost frame that accepts it, or to the results if no frame is open.
    ///
    /// # Errors
    /// [`BuildErrorKind::NoBuilder`], or a message if no open frame accepts statements.
    pub fn add_stmt(stmt: Object) -> BuildResult<()> {
        let inside = with_state(|s| {
            let left =
                s.frames.iter_mut().rev().try_fold(stmt, |stmt, entry| entry.frame.take_stmt(stmt).ok_or(()));
            let stmt = left.ok()?;
            let innermost = s.frames.last().map(|entry| entry.frame.name());
            if innermost.is_none() {
                s.results.push(stmt);
            }
            innermost
        })?;
        match inside {
            None => Ok(()),
            Some(name) => {
                let message = format!(
                    "a statement of another dialect cannot stand here: the innermost scope is `{name}`"
                );
                Err(BuildError::message(message))
            }
        }
    }

    /// Returns `true` if the innermost frame is an `F`.
    pub fn top_is<F: Frame>() -> bool {
        matches!(Builder::with_top(|_: &mut F| ()), Ok(Some(())))
    }

    /// Enters a frame. Returns the value of [`Frame::enter`] and a handle.
    ///
    /// # Errors
    /// [`BuildErrorKind::NoBuilder`], or errors of [`Frame::enter`]; the frame is then not open.
    pub fn enter(frame: Box<dyn Frame>) -> BuildResult<(ScriptValue, OpenFrame)> {
        Builder::enter_scope(frame, 0)
    }

    /// Enters a frame. `scope` is the address of the value that it was made as.
    pub(crate) fn enter_scope(
        mut frame: Box<dyn Frame>,
        scope: usize,
    ) -> BuildResult<(ScriptValue, OpenFrame)> {
        let value = frame.enter()?;
        let name = frame.name();
        record(|| Action::Enter { name, scope, args: frame.arguments(), value: value.clone() });
        let opened = STACK.with_borrow_mut(|stack| {
            let serial = stack.number();
            let state = stack.builders.last_mut()?;
            state.frames.push(OpenEntry { frame, serial });
            Some(OpenFrame { name, depth: state.frames.len(), serial })
        });
        match opened {
            Some(open) => Ok((value, open)),
            None => Err(BuildErrorKind::NoBuilder.into()),
        }
    }

    /// Pops the innermost frame if the frame with this depth and serial number is still open.
    fn pop(depth: usize, serial: u64) -> Option<Box<dyn Frame>> {
        with_state(|s| {
            let here = s.frames.get(depth.checked_sub(1)?)?.serial == serial;
            if here { s.frames.pop().map(|e| e.frame) } else { None }
        })
        .ok()
        .flatten()
    }

    pub(crate) fn leave(name: &'static str, depth: usize, serial: u64) -> Vec<BuildError> {
        let mut errors = Vec::new();
        let mut closed = false;
        // Closes the frames above too, which were entered for the rest of this scope. One at a time, because closing
        // may inspect the stack.
        while let Some(frame) = Builder::pop(depth, serial) {
            closed = true;
            record(|| Action::Leave);
            if let Err(error) = frame.close() {
                errors.push(error);
            }
        }
        if !closed {
            errors.push(BuildErrorKind::Closed { name }.into());
        }
        errors
    }

    pub(crate) fn discard(depth: usize, serial: u64) {
        while Builder::pop(depth, serial).is_some() {
            record(|| Action::Leave);
        }
    }

    /// Number of open frames of the innermost builder. In the handler of a decorator, `Builder::depth() > 0` means that
    /// the definition is inside another one, whose frames these are.
    pub fn depth() -> usize {
        with_state(|s| s.frames.len()).unwrap_or(0)
    }

    /// Runs `f` on the innermost frame if it is an `F`; else returns `None`.
    ///
    /// # Errors
    /// [`BuildErrorKind::NoBuilder`].
    pub fn with_top<F: Frame, R>(f: impl FnOnce(&mut F) -> R) -> BuildResult<Option<R>> {
        with_state(|s| s.frames.last_mut().and_then(|e| e.frame.as_any_mut().downcast_mut::<F>()).map(f))
    }

    /// Runs `f` on the innermost `F` of the stack; returns `None` if there is none.
    ///
    /// # Errors
    /// [`BuildErrorKind::NoBuilder`].
    pub fn with_innermost<F: Frame, R>(f: impl FnOnce(&mut F) -> R) -> BuildResult<Option<R>> {
        with_state(|s| {
            s.frames.iter_mut().rev().find_map(|e| e.frame.as_any_mut().downcast_mut::<F>()).map(f)
        })
    }

    /// Runs `f` on each open `F`, innermost first, until it returns a value.
    ///
    /// # Errors
    /// [`BuildErrorKind::NoBuilder`].
    pub fn find<F: Frame, R>(mut f: impl FnMut(&mut F) -> Option<R>) -> BuildResult<Option<R>> {
        with_state(|s| {
            s.frames.iter_mut().rev().find_map(|e| e.frame.as_any_mut().downcast_mut::<F>().and_then(&mut f))
        })
    }

    /// As [`Builder::find`], continuing in the enclosing builders. For a function that is built with a builder of its own
    /// while another one is open: it sees the frames around it. A nested function that shares the builder needs
    /// [`Builder::find`] only.
    pub fn find_around<F: Frame, R>(mut f: impl FnMut(&mut F) -> Option<R>) -> Option<R> {
        STACK.with_borrow_mut(|stack| {
            stack
                .builders
                .iter_mut()
                .rev()
                .flat_map(|state| state.frames.iter_mut().rev())
                .find_map(|entry| entry.frame.as_any_mut().downcast_mut::<F>().and_then(&mut f))
        })
    }

    /// The error of a function that is used outside of the frame that it needs. `expected` completes "must be used ..".
    pub fn wrong_frame(function: &str, expected: &'static str) -> BuildError {
        let found = match Builder::top_name() {
            Some(frame) => format!("is used in `{frame}`"),
            None => "is used outside of any scope".to_owned(),
        };
        BuildErrorKind::WrongFrame { function: function.to_owned(), expected: expected.into(), found }.into()
    }

    /// The name of the innermost frame.
    pub fn top_name() -> Option<&'static str> {
        with_state(|s| s.frames.last().map(|e| e.frame.name())).ok().flatten()
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        // Builders opened inside this one are dropped with it, after the borrow ends: dropping frames may drop nodes
        // that access the builder.
        let gone = STACK.with_borrow_mut(|stack| match stack.builders.iter().position(|s| s.id == self.id) {
            Some(at) => stack.builders.split_off(at),
            None => Vec::new(),
        });
        for _ in gone.iter().filter(|state| !state.is_closed) {
            record(|| Action::Close { result: None });
        }
        drop(gone);
    }
}
