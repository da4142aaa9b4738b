//! Raising and catching of exceptions in host code: `raise` and `try`.
//!
//! An exception that nothing catches is a diagnostic, so it is recorded as one when it is raised, and its instance is
//! kept in [`Exceptions`] beside it. Operations of the evaluator raise without an instance; the handler that catches
//! such an error makes it. Errors in scripts and exceeded limits cannot be caught, except that of nested calls.

use std::cell::{Cell, RefCell};

use tvmscript_python_syntax::ast::{
    ExceptHandler, ExprId, HasRange, List, Name, Raise as RaiseStmt, StmtId, TextRange, Try,
};
use tvmscript_script_value::{CallArgs, DictKey, ScriptValue};

use super::class::Instance;
use super::exception::{class_name, is_class, is_exception, is_same, is_subclass, of_builtin, parts};
use super::{Placeholder, Raise};
use crate::binding::Binding;
use crate::errors::{EvalError, EvalErrorKind, EvalResult, HostError, HostErrorKind, Label, Reported};
use crate::python::repr;
use crate::{Eval, EvalState};

/// Size of an exception with its diagnostic.
const EXCEPTION_BYTES: u64 = 512;

/// Maximum number of labels of a diagnostic.
const MAX_LABELS: usize = 4;

/// The exceptions of a program that are being raised or handled.
#[derive(Default)]
pub(crate) struct Exceptions {
    /// The instance of the exception recorded last.
    raised: RefCell<Option<ScriptValue>>,
    /// The exceptions that running handlers caught, innermost last.
    handled: RefCell<Vec<ScriptValue>>,
    /// `true` if the last `raise` had no expression.
    is_reraised: Cell<bool>,
}

impl Exceptions {
    /// Forgets the instance of the last exception, since another error is recorded.
    pub(crate) fn forget(&self) -> Option<ScriptValue> {
        self.raised.take()
    }

    /// Sets the instance of the exception recorded last.
    pub(crate) fn set_raised(&self, exception: Option<ScriptValue>) {
        let old = self.raised.replace(exception);
        drop(old);
    }

    /// Drops all exceptions.
    pub(crate) fn clear(&self) {
        drop((self.raised.take(), self.handled.take()));
    }

    pub(crate) fn set_reraised(&self, is_reraised: bool) {
        self.is_reraised.set(is_reraised);
    }

    /// The exception that the innermost handler caught.
    pub(crate) fn current(&self) -> Option<ScriptValue> {
        self.handled.borrow().last().cloned()
    }

    /// Number of exceptions that running handlers caught.
    pub(crate) fn handled_count(&self) -> usize {
        self.handled.borrow().len()
    }

    /// Forgets the innermost handled exceptions, except `count`.
    pub(crate) fn truncate_handled(&self, count: usize) {
        let mut handled = self.handled.borrow_mut();
        let at = count.min(handled.len());
        let ended = handled.split_off(at);
        drop(handled);
        drop(ended);
    }

    pub(crate) fn push_handled(&self, exception: ScriptValue) {
        self.handled.borrow_mut().push(exception);
    }

    pub(crate) fn pop_handled(&self) -> Option<ScriptValue> {
        self.handled.borrow_mut().pop()
    }
}

/// The exception that an error of an operation is, as the name of its class and its arguments; `None` for errors that
/// cannot be caught.
fn of_error(kind: &EvalErrorKind) -> Option<(&str, Option<String>)> {
    match kind {
        EvalErrorKind::Host(error) if error.is_gap => None,
        EvalErrorKind::Host(error) => {
            Some((error.class(), Some(error.message.clone()).filter(|message| !message.is_empty())))
        }
        EvalErrorKind::UndefinedName { name } => {
            Some(("NameError", Some(format!("name '{name}' is not defined"))))
        }
        EvalErrorKind::NoAttribute { what, name } => {
            Some(("AttributeError", Some(format!("{what} has no attribute '{name}'"))))
        }
        EvalErrorKind::CallsTooDeep { .. } => {
            Some(("RecursionError", Some("maximum recursion depth exceeded".to_owned())))
        }
        _ => None,
    }
}

/// The state of the diagnostics before code whose exceptions may be caught.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    errors: usize,
    failures: u64,
}

impl EvalState {
    /// The exceptions recorded so far in the current mode.
    fn recorded(&self) -> &[EvalError] {
        if self.is_tolerant() { &self.diagnostics.raised } else { &self.diagnostics.errors }
    }

    fn recorded_mut(&mut self) -> &mut Vec<EvalError> {
        if self.is_tolerant() { &mut self.diagnostics.raised } else { &mut self.diagnostics.errors }
    }

    /// Marks the start of code whose exceptions may be caught.
    pub(crate) fn mark(&self) -> Mark {
        Mark { errors: self.recorded().len(), failures: self.diagnostics.failures }
    }

    /// Makes the exception recorded since the mark a value; `None` if nothing was recorded that can be caught.
    pub(super) fn raised_since(&self, mark: Mark) -> Option<ScriptValue> {
        let [error] = self.recorded().get(mark.errors..)? else { return None };
        let (name, message) = of_error(&error.kind)?;
        if let Some(exception) = self.program.exceptions.raised.borrow().clone() {
            return Some(exception);
        }
        let missing = match &error.kind {
            EvalErrorKind::NoAttribute { name, .. } | EvalErrorKind::UndefinedName { name } => {
                Some(ScriptValue::str(name))
            }
            _ => None,
        };
        let exception = of_builtin(name, message.map(|message| ScriptValue::str(&message)));
        if let (Some(missing), Some(instance)) = (missing, exception.as_host::<Instance>()) {
            instance.fields.borrow_mut().insert(DictKey::text("name"), missing);
        }
        self.link(&exception);
        self.program.exceptions.set_raised(Some(exception.clone()));
        Some(exception)
    }

    /// Takes the exception recorded since the mark; `None` if nothing was recorded that can be caught.
    pub(crate) fn take_raised(&mut self, mark: Mark) -> Option<ScriptValue> {
        let exception = self.raised_since(mark)?;
        if let Err(kind) = self.program.budget.allocate(EXCEPTION_BYTES) {
            let range = self.recorded().last().map(|error| error.range()).unwrap_or_default();
            let _ = self.report(EvalError::new(kind, range));
            return None;
        }
        self.program.exceptions.forget();
        let error = self.recorded_mut().pop();
        self.diagnostics.failures = mark.failures;
        if let Some((_, state)) = parts(&exception) {
            state.error.replace(error);
        }
        Some(exception)
    }

    /// Makes the exception of an unbound variable of a function. It differs from that of an unknown name.
    pub(crate) fn note_unbound(&self, name: Name) {
        let env = self.env.as_ref().filter(|_| self.is_local());
        let text = self.ast.name(name);
        let (class, text) = match env.and_then(|env| env.is_local(name)) {
            Some(true) => (
                "UnboundLocalError",
                format!("cannot access local variable '{text}' where it is not associated with a value"),
            ),
            Some(false) => (
                "NameError",
                format!(
                    "cannot access free variable '{text}' where it is not associated with a value in enclosing scope"
                ),
            ),
            None => return,
        };
        let exception = of_builtin(class, [ScriptValue::str(&text)]);
        self.link(&exception);
        self.program.exceptions.set_raised(Some(exception));
    }

    /// Sets the context of a new exception: the one that is being handled.
    fn link(&self, exception: &ScriptValue) {
        let Some(handled) = self.program.exceptions.current() else { return };
        let Some((_, state)) = parts(exception) else { return };
        if is_same(exception, &handled) {
            return;
        }
        // The context chain of the handled exception must not lead back here.
        let mut at = handled.clone();
        // The text may have made a cycle, which the slower walk meets.
        let (mut slow, mut is_odd) = (handled.clone(), false);
        while let Some((_, state)) = parts(&at) {
            // Exceeding the budget is reported by the next operation.
            if !self.program.budget.spend(1) {
                break;
            }
            let next = state.context.borrow().clone();
            if is_same(&next, exception) {
                state.context.replace(ScriptValue::None);
                break;
            }
            at = next;
            if is_odd {
                slow = parts(&slow).map(|(_, state)| state.context.borrow().clone()).unwrap_or_default();
            }
            is_odd = !is_odd;
            if is_same(&slow, &at) || self.program.budget.step(1).is_err() {
                break;
            }
        }
        state.context.replace(handled);
    }
}

/// Adds a call site to the error that an exception stands for, if it was recorded already.
pub(super) fn called_from(exception: &ScriptValue, range: TextRange) {
    if let Some((_, state)) = parts(exception)
        && let Some(mut error) = state.error.take()
    {
        error.called_from(range);
        state.error.replace(Some(error));
    }
}

impl Eval<'_> {
    /// Runs an operation of the evaluator and catches its exception.
    ///
    /// # Errors
    /// Fails if the operation fails for another reason.
    pub(crate) fn attempt<R>(
        &mut self,
        operation: impl FnOnce(&mut Self) -> Result<R, Raise>,
    ) -> Result<Result<R, ScriptValue>, Raise> {
        let mark = self.state.mark();
        let program = self.state.program.clone();
        match program.budget.tries(|| operation(self)) {
            Ok(value) => Ok(Ok(value)),
            Err(raise) => self.caught(mark, raise).map(Err),
        }
    }

    /// The exception that an operation raised.
    ///
    /// # Errors
    /// Returns the failure if it cannot be caught.
    fn caught(&mut self, mark: Mark, raise: Raise) -> Result<ScriptValue, Raise> {
        match raise {
            Raise::Exception(exception) => {
                self.link_new(&exception);
                Ok(exception)
            }
            Raise::Kind(ref kind) | Raise::WithHelp(ref kind, _) => {
                let is_gap = self.state.is_tolerant()
                    && matches!(kind, EvalErrorKind::Host(error) if error.kind == HostErrorKind::Import);
                let Some((name, message)) = of_error(kind).filter(|_| !is_gap) else { return Err(raise) };
                let exception = of_builtin(name, message.map(|message| ScriptValue::str(&message)));
                self.state.link(&exception);
                Ok(exception)
            }
            Raise::Reported => self.state.take_raised(mark).ok_or(Raise::Reported),
            other => Err(other),
        }
    }

    fn link_new(&self, exception: &ScriptValue) {
        let is_new = parts(exception).is_some_and(|(_, state)| state.error.borrow().is_none());
        if is_new {
            self.state.link(exception);
        }
    }

    /// Records an exception at a range, or where it was recorded before if it was caught since.
    pub(crate) fn record_exception(&mut self, range: TextRange, exception: &ScriptValue) -> Reported {
        let known = parts(exception).and_then(|(_, state)| state.error.take());
        let error = match known {
            Some(error) => error,
            None => {
                self.link_new(exception);
                EvalError::new(self.host_error(exception), range)
            }
        };
        self.report_exception(error, exception)
    }

    fn report_exception(&mut self, error: EvalError, exception: &ScriptValue) -> Reported {
        let reported = self.state.report(error);
        self.state.program.exceptions.set_raised(Some(exception.clone()));
        reported
    }

    /// An exception as the content of a diagnostic.
    fn host_error(&mut self, exception: &ScriptValue) -> HostError {
        let name = parts(exception).map(|(class, _)| class_name(class)).unwrap_or_default();
        let message = match self.attempt(|p| repr::str(p, exception)) {
            Ok(Ok(text)) => text,
            Ok(Err(_)) | Err(_) => "<exception str() failed>".to_owned(),
        };
        HostError::of_class(&name, message)
    }

    /// `raise`
    pub(super) fn exec_raise(&mut self, id: StmtId, stmt: RaiseStmt) -> EvalResult<Reported> {
        let Some(exc) = stmt.exc else {
            return Ok(match self.state.program.exceptions.current() {
                Some(exception) => {
                    self.state.program.exceptions.set_reraised(true);
                    let range = self.state.ast.range(id);
                    self.record_exception(range, &exception)
                }
                None => {
                    let none = HostError::new(HostErrorKind::Runtime, "No active exception to reraise");
                    self.state.error(id, none)
                }
            });
        };
        let value = self.eval(exc)?;
        self.state.program.exceptions.set_reraised(false);
        if let Some(placeholder) = self.state.unknown(&value) {
            return Ok(self.raise_unknown(id, exc, &placeholder));
        }
        let exception = match self.try_at(exc, |p| p.exception_from(&value))? {
            Some(exception) => exception,
            None => {
                return Ok(self
                    .state
                    .error(id, HostError::type_error("exceptions must derive from BaseException")));
            }
        };
        if let Some(cause) = stmt.cause {
            let value = self.eval(cause)?;
            let cause = match &value {
                ScriptValue::None => Some(value),
                value if self.state.unknown(value).is_some() => Some(ScriptValue::None),
                value => self.try_at(cause, |p| p.exception_from(value))?,
            };
            let Some(cause) = cause else {
                let error = HostError::type_error("exception causes must derive from BaseException");
                return Ok(self.state.error(id, error));
            };
            if let Some((_, state)) = parts(&exception) {
                state.cause.replace(cause);
                state.suppress_context.set(true);
            }
        }
        self.state.link(&exception);
        let range = id.shown_in(&self.state.ast, self.state.program.text());
        let mut error = EvalError::new(self.host_error(&exception), range);
        if let Some((_, state)) = parts(&exception)
            && let Some(first) = state.error.take()
            && first.range() != error.range()
        {
            error = error.with_label(TextRange::from(first.range()), "raised first here");
        }
        self.explain(&mut error, &exception);
        Ok(self.report_exception(error, &exception))
    }

    /// The exception that `raise value` raises; `None` if the value is neither an exception nor a class of exceptions.
    fn exception_from(&mut self, value: &ScriptValue) -> Result<Option<ScriptValue>, Raise> {
        if is_exception(value) {
            return Ok(Some(value.clone()));
        }
        if !is_class(value) {
            return Ok(None);
        }
        let made = self.call_value(value, CallArgs::default())?;
        if !is_exception(&made) {
            return Err(wrong_type!(
                "calling {} should have returned an instance of BaseException, not {}",
                value,
                &made
            )
            .into());
        }
        Ok(Some(made))
    }

    /// Raises an exception of a class that is not known.
    fn raise_unknown(&mut self, id: StmtId, exc: ExprId, placeholder: &Placeholder) -> Reported {
        let range = self.state.ast.range(exc);
        if !self.state.is_tolerant() {
            return self.use_unknown(range, placeholder);
        }
        let text = self.state.program.text_of(range).to_owned();
        self.state.error(id, HostError::new(HostErrorKind::Raised, text))
    }

    /// Adds the cause or context of an exception to its diagnostic.
    fn explain(&mut self, error: &mut EvalError, exception: &ScriptValue) {
        let Some((_, state)) = parts(exception) else { return };
        let cause = state.cause.borrow().clone();
        let (other, how) = match (is_exception(&cause), state.suppress_context.get()) {
            (true, _) => (cause, "caused by"),
            (false, false) => (state.context.borrow().clone(), "raised while handling"),
            (false, true) => return,
        };
        let Some((class, state)) = parts(&other) else { return };
        let mut text = format!("{how} `{}`", class_name(class));
        if let Some(HostError { message, .. }) =
            Some(self.host_error(&other)).filter(|e| !e.message.is_empty())
        {
            text.push_str(&format!(": {message}"));
        }
        let place = state.error.borrow().as_ref().map(|error| TextRange::from(error.range()));
        match place {
            Some(place) if error.labels.len() < MAX_LABELS => error.labels.push(Label::new(place, text)),
            _ => error.notes.push(text),
        }
    }

    /// Runs code that handles an exception. A new exception in it gets the handled one as its context.
    pub(crate) fn handling<R>(
        &mut self,
        exception: &ScriptValue,
        f: impl FnOnce(&mut Self) -> EvalResult<R>,
    ) -> EvalResult<R> {
        self.state.program.exceptions.push_handled(exception.clone());
        let mark = self.state.mark();
        let result = f(self);
        if result.is_err() {
            self.leave_handler(mark, exception);
        }
        self.state.program.exceptions.pop_handled();
        result
    }

    /// Adds the handled exception to the diagnostic of a new one.
    pub(crate) fn leave_handler(&mut self, mark: Mark, handled: &ScriptValue) {
        let Some(exception) = self.state.raised_since(mark) else { return };
        if is_same(&exception, handled) {
            return;
        }
        let Some(mut error) = self.state.recorded_mut().pop() else { return };
        if error.labels.len() == 1 && error.notes.is_empty() {
            self.explain(&mut error, &exception);
        }
        self.state.recorded_mut().push(error);
    }
}

impl Eval<'_> {
    /// Explores the handlers of a `try` statement that raised nothing.
    pub(super) fn explore_handlers_of(&mut self, id: StmtId, stmt: Try) {
        if self.state.is_tolerant() {
            let ast = self.state.ast.clone();
            let handlers: Vec<_> = ast.list(stmt.handlers).iter().map(|h| h.body).collect();
            self.explore_handlers(id, &handlers);
        }
    }

    /// The handler of an exception.
    ///
    /// # Errors
    /// Fails with the exception if it has none.
    pub(super) fn find_handler(
        &mut self,
        id: StmtId,
        handlers: List<ExceptHandler>,
        exception: &ScriptValue,
    ) -> EvalResult<ExceptHandler> {
        match self.handling(exception, |p| p.handler_of(handlers, exception))? {
            Some(handler) => Ok(handler),
            None => {
                let range = self.state.ast.range(id);
                Err(self.record_exception(range, exception))
            }
        }
    }

    /// The first handler whose classes the exception belongs to.
    fn handler_of(
        &mut self,
        handlers: List<ExceptHandler>,
        exception: &ScriptValue,
    ) -> EvalResult<Option<ExceptHandler>> {
        for index in 0..handlers.len() {
            let Some(handler) = self.state.item(handlers, index) else { break };
            let Some(classes) = handler.exc else { return Ok(Some(handler)) };
            let classes_value = self.eval(classes)?;
            if self.try_at(classes, |p| p.is_caught_by(exception, &classes_value))? {
                return Ok(Some(handler));
            }
        }
        Ok(None)
    }

    /// Tests whether an exception belongs to a class or one of a tuple of classes. A class that is not
    /// known has none but plain ones.
    pub(super) fn is_caught_by(
        &mut self,
        exception: &ScriptValue,
        classes: &ScriptValue,
    ) -> Result<bool, Raise> {
        let Some((own, _)) = parts(exception) else { return Ok(false) };
        let own = own.clone();
        let classes = match classes {
            ScriptValue::Tuple(classes) => classes.to_vec(),
            one => vec![one.clone()],
        };
        for class in classes {
            self.state.program.budget.step(1)?;
            let is_unknown = self.state.unknown(&class).is_some();
            if is_unknown || !is_class(&class) && self.state.failed_instance(&class).is_some() {
                if class_name(&own) == "Exception" {
                    // What was raised may be unknown, too.
                    return Ok(true);
                }
                continue;
            }
            if !is_class(&class) {
                raise!(Type, "catching classes that do not inherit from BaseException is not allowed");
            }
            if is_subclass(&own, &class) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Binds the name of a handler.
    pub(super) fn enter_handler(&mut self, handler: ExceptHandler, exception: &ScriptValue) {
        if let Some(name) = handler.name {
            let place = self.state.ast.range(handler.place);
            self.assign_host(name, exception.clone(), place);
        }
    }

    /// Unbinds the name of a handler after it ran.
    pub(super) fn leave_name(&mut self, handler: ExceptHandler) {
        if let Some(name) = handler.name {
            let place = self.state.ast.range(handler.place);
            self.state.set_host(name, Binding::Unbound, place);
        }
    }
}
