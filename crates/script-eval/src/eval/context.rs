//! Context managers: `with` in host code, and the managers of `contextlib`.
//!
//! Classes with `__enter__` and `__exit__` work as in Python. Scopes of the host's own go through
//! [`Host::enter_scope`]. A context whose value is not known is entered without effect.

use std::any::Any;
use std::cell::RefCell;

use tvmscript_ir_core::with_stack;
use tvmscript_python_syntax::ast::{StmtKind, TextRange, WithItem};
use tvmscript_script_value::{CallArgs, HostObject, ScriptValue, release};

use super::class::Instance;
use super::exception::{self, is_same};
use super::generator::{Input, Resumed};
use super::raising::Mark;
use super::statement::Flow;
use super::{Cause, Placeholder, Raise};
use crate::Eval;
use crate::errors::{EvalErrorKind, EvalResult, HostError};
use crate::python::{Outcome, type_name};

/// A context that was entered.
pub(super) enum Entered {
    /// A context manager.
    Manager(ScriptValue),
    /// A scope of the host's own.
    Scope(Box<dyn Any>),
    /// A value that is not known.
    Unknown,
}

impl Entered {
    /// Moves out the value that it holds.
    pub(super) fn part(self) -> Option<ScriptValue> {
        match self {
            Entered::Manager(value) => Some(value),
            Entered::Scope(_) | Entered::Unknown => None,
        }
    }

    /// Tests whether it may handle exceptions.
    pub(super) fn is_manager(&self) -> bool {
        matches!(self, Entered::Manager(_))
    }
}

/// A context manager of `contextlib`.
pub(crate) enum Context {
    /// `nullcontext(value)`
    Null(ScriptValue),
    /// `suppress(..)`, with a tuple of classes.
    Suppress(ScriptValue),
    /// `closing(value)`
    Closing(ScriptValue),
    /// A call of a function with the decorator `contextmanager`: its generator.
    Generator(ScriptValue),
    /// `ExitStack()`
    Stack(RefCell<Vec<Exit>>),
}

/// A call of an `ExitStack` at its end.
pub(crate) enum Exit {
    /// A context manager.
    Manager(ScriptValue),
    /// A function with the signature of `__exit__`.
    Function(ScriptValue),
    /// Any function, with its arguments.
    Callback(ScriptValue, CallArgs),
    /// A scope of the host, and the place where it was entered.
    Scope(Box<dyn Any>, TextRange),
}

impl Exit {
    fn parts(self, out: &mut Vec<ScriptValue>) {
        match self {
            Exit::Manager(value) | Exit::Function(value) => out.push(value),
            // Dropping it discards it.
            Exit::Scope(..) => {}
            Exit::Callback(function, args) => {
                out.push(function);
                out.extend(args.positional);
                out.extend(args.keywords.into_iter().map(|(_, value)| value));
            }
        }
    }
}

impl HostObject for Context {
    fn type_name(&self) -> &str {
        match self {
            Context::Null(_) => "nullcontext",
            Context::Suppress(_) => "suppress",
            Context::Closing(_) => "closing",
            Context::Generator(_) => "_GeneratorContextManager",
            Context::Stack(_) => "ExitStack",
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        match self {
            Context::Null(value)
            | Context::Suppress(value)
            | Context::Closing(value)
            | Context::Generator(value) => release([std::mem::take(value)]),
            Context::Stack(exits) => {
                let mut values = Vec::new();
                exits.take().into_iter().for_each(|exit| exit.parts(&mut values));
                release(values);
            }
        }
    }
}

impl Eval<'_> {
    /// Enters the context of an item and assigns the value that it gives.
    pub(super) fn enter_item(&mut self, item: WithItem, entered: &mut Vec<Entered>) -> EvalResult<()> {
        let (context, value) = self.open_context(item)?;
        if context.is_manager() {
            self.state.program.budget.enter_try();
        }
        entered.push(context);
        item.target.map_or(Ok(()), |target| self.assign_target(target, value))
    }

    /// Evaluates and enters the context of an item; also returns the value for its target.
    fn open_context(&mut self, item: WithItem) -> EvalResult<(Entered, ScriptValue)> {
        let at = item.context;
        let value = self.eval(at)?;
        let range = self.state.ast.range(at);
        if let Some(entered) = self.host.enter_scope(self.state, &value, range) {
            let (value, scope) = entered?;
            return Ok((Entered::Scope(scope), value));
        }
        if let Some(placeholder) = self.state.unknown(&value).filter(|_| self.state.is_tolerant()) {
            return Ok((Entered::Unknown, placeholder.value()));
        }
        match self.entering(at, |p| p.enter(&value))? {
            Some(entered) => Ok((Entered::Manager(value), entered)),
            None if is_plain(&value) => Err(self.state.error(at, not_a_manager(&value))),
            None if self.state.is_tolerant() => {
                let cause = Cause::Statement("what `with` enters is not evaluated".into());
                let place = self.state.ast.range(at);
                Ok((Entered::Unknown, Placeholder::new(cause, place).value()))
            }
            None => {
                let kind = EvalErrorKind::unsupported_statement(StmtKind::With, "outside a script");
                Err(self.state.error(at, kind))
            }
        }
    }

    /// Leaves a context after its body ended.
    pub(super) fn leave_item(
        &mut self,
        item: WithItem,
        entered: Entered,
        flow: EvalResult<Flow>,
        mark: Mark,
    ) -> EvalResult<Flow> {
        let at = item.context;
        match (entered, flow) {
            (Entered::Unknown, flow) => flow,
            // A scope is discarded when it is dropped.
            (Entered::Scope(_), Err(reported)) => Err(reported),
            (Entered::Scope(scope), Ok(flow)) => {
                let range = self.state.ast.range(at);
                self.host.leave_scope(self.state, scope, range)?;
                Ok(flow)
            }
            (Entered::Manager(manager), Ok(flow)) => {
                self.entering(at, |p| p.leave(&manager, None))?;
                Ok(flow)
            }
            (Entered::Manager(manager), Err(reported)) => {
                let Some(exception) = self.state.take_raised(mark) else { return Err(reported) };
                let leave = |p: &mut Self| p.entering(at, |p| p.leave(&manager, Some(&exception)));
                if self.handling(&exception, leave)? {
                    return Ok(Flow::Next);
                }
                let range = self.state.ast.range(at);
                Err(self.record_exception(range, &exception))
            }
        }
    }

    /// Enters a context manager; `None` if the value is none.
    pub(crate) fn enter(&mut self, value: &ScriptValue) -> Result<Option<ScriptValue>, Raise> {
        if let Some(context) = value.as_host::<Context>() {
            return match context {
                Context::Null(entered) | Context::Closing(entered) => Ok(Some(entered.clone())),
                Context::Suppress(_) => Ok(Some(ScriptValue::None)),
                Context::Stack(_) => Ok(Some(value.clone())),
                Context::Generator(generator) => {
                    match self.resume_value(generator, Input::Send(ScriptValue::None))? {
                        Resumed::Yielded(value) => Ok(Some(value)),
                        Resumed::Returned(_) => raise!(Runtime, "generator didn't yield"),
                    }
                }
            };
        }
        if value.as_host::<Instance>().is_none() {
            return Ok(None);
        }
        let enter = self.class_attribute(value, "__enter__").transpose()?.flatten();
        let exit = self.class_attribute(value, "__exit__").transpose()?.flatten();
        if (enter.is_none() || exit.is_none()) && self.state.failed_instance(value).is_some() {
            // The unknown base class may have the methods.
            return Ok(None);
        }
        let Some(enter) = enter else {
            return Err(not_a_manager(value).into());
        };
        if exit.is_none() {
            let name = type_name(value);
            raise!(
                Type,
                "'{name}' object does not support the context manager protocol (missed __exit__ method)"
            );
        }
        self.call_value(&enter, CallArgs::default()).map(Some)
    }

    /// Leaves a context manager; returns `true` if it suppresses the exception.
    pub(crate) fn leave(
        &mut self,
        manager: &ScriptValue,
        exception: Option<&ScriptValue>,
    ) -> Result<bool, Raise> {
        let Some(context) = manager.as_host::<Context>() else {
            let Some(exit) = self.class_attribute(manager, "__exit__").transpose()?.flatten() else {
                return Err(not_a_manager(manager).into());
            };
            return self.call_exit(&exit, exception);
        };
        match (context, exception) {
            (Context::Null(_), _) | (Context::Suppress(_), None) => Ok(false),
            (Context::Suppress(classes), Some(exception)) => self.is_caught_by(exception, classes),
            (Context::Closing(value), _) => {
                match self.find_attribute(value, "close")? {
                    Some(close) => self.call_value(&close, CallArgs::default())?,
                    None => raise!(Attribute, "'{}' object has no attribute 'close'", type_name(value)),
                };
                Ok(false)
            }
            (Context::Generator(generator), None) => {
                match self.resume_value(generator, Input::Send(ScriptValue::None))? {
                    Resumed::Returned(_) => Ok(false),
                    Resumed::Yielded(_) => raise!(Runtime, "generator didn't stop"),
                }
            }
            (Context::Generator(generator), Some(exception)) => self.throw_into(generator, exception),
            (Context::Stack(exits), exception) => self.leave_stack(exits, exception.cloned()),
        }
    }

    /// Calls `__exit__` or a function like it.
    fn call_exit(&mut self, exit: &ScriptValue, exception: Option<&ScriptValue>) -> Result<bool, Raise> {
        let class = exception.and_then(|exception| self.class_of(exception)).unwrap_or_default();
        let value = exception.cloned().unwrap_or_default();
        let result = self.call_value(exit, CallArgs::positional([class, value, ScriptValue::None]))?;
        self.truth(&result)
    }

    /// Raises the exception of a body in the generator of its context manager.
    fn throw_into(&mut self, generator: &ScriptValue, exception: &ScriptValue) -> Result<bool, Raise> {
        let thrown = Input::Throw(exception.clone());
        match self.attempt(|p| p.resume_value(generator, thrown))? {
            Ok(Resumed::Returned(_)) => Ok(true),
            Ok(Resumed::Yielded(_)) => raise!(Runtime, "generator didn't stop after throw()"),
            Err(raised) if is_same(&raised, exception) => Ok(false),
            // The generator replaces a `StopIteration`.
            Err(raised)
                if exception::is_of(exception, "StopIteration")
                    && exception::attribute(&raised, "__cause__")
                        .is_some_and(|cause| is_same(&cause, exception)) =>
            {
                Ok(false)
            }
            Err(raised) => Err(Raise::Exception(raised)),
        }
    }

    /// Runs what an `ExitStack` collected, last first.
    fn leave_stack(
        &mut self,
        exits: &RefCell<Vec<Exit>>,
        exception: Option<ScriptValue>,
    ) -> Result<bool, Raise> {
        let had_exception = exception.is_some();
        let mut pending = exception;
        let mut is_new = false;
        loop {
            let Some(exit) = exits.borrow_mut().pop() else { break };
            self.state.program.budget.step(1)?;
            let current = pending.clone();
            let ran = self.attempt(|p| match exit {
                Exit::Manager(manager) => with_stack(|| p.leave(&manager, current.as_ref())),
                Exit::Function(function) => p.call_exit(&function, current.as_ref()),
                Exit::Callback(function, args) => p.call_value(&function, args).map(|_| false),
                Exit::Scope(..) if current.is_some() => Ok(false),
                Exit::Scope(scope, at) => Ok(p.host.leave_scope(p.state, scope, at).map(|()| false)?),
            })?;
            match ran {
                Ok(true) => (pending, is_new) = (None, false),
                Ok(false) => {}
                Err(raised) => (pending, is_new) = (Some(raised), true),
            }
        }
        match pending {
            Some(exception) if is_new => Err(Raise::Exception(exception)),
            Some(_) => Ok(false),
            None => Ok(had_exception),
        }
    }

    /// `stack.enter_context(manager)`
    pub(crate) fn enter_in_stack(&mut self, stack: &ScriptValue, manager: ScriptValue) -> Outcome {
        let at = self.state.current_range();
        if let Some(entered) = self.host.enter_scope(self.state, &manager, at) {
            let (value, scope) = entered?;
            self.add_exit(stack, Exit::Scope(scope, at))?;
            return Ok(value);
        }
        let Some(value) = self.enter(&manager)? else { return Err(not_a_manager(&manager).into()) };
        self.add_exit(stack, Exit::Manager(manager))?;
        Ok(value)
    }

    /// Adds something that an `ExitStack` calls at its end.
    pub(crate) fn add_exit(&mut self, stack: &ScriptValue, exit: Exit) -> Result<(), Raise> {
        self.state.program.budget.allocate(size_of::<Exit>() as u64)?;
        if let Some(Context::Stack(exits)) = stack.as_host::<Context>() {
            exits.borrow_mut().push(exit);
        }
        Ok(())
    }
}

/// `stack.pop_all()`: a new stack with what the old one collected.
pub(crate) fn pop_all(stack: &ScriptValue) -> ScriptValue {
    match stack.as_host::<Context>() {
        Some(Context::Stack(exits)) => ScriptValue::host(Context::Stack(RefCell::new(exits.take()))),
        _ => ScriptValue::None,
    }
}

/// Tests whether a value is one of Python's that is not a context manager.
fn is_plain(value: &ScriptValue) -> bool {
    !matches!(
        value,
        ScriptValue::Host(_) | ScriptValue::Frame(_) | ScriptValue::Node(_) | ScriptValue::Function(_)
    )
}

fn not_a_manager(value: &ScriptValue) -> HostError {
    wrong_type!("'{}' object does not support the context manager protocol", value)
}
