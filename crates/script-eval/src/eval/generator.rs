//! Generators: calls of host functions that are suspended at a `yield`.
//!
//! The evaluator recurses on the native stack, which cannot be kept. A `yield` therefore unwinds to the generator, as an
//! error does, and leaves what is needed to get back:
//!
//! - a [`Frame`] for each statement around the `yield`, with its cursor and iterators. Only statements that contain a
//!   `yield` have one; others run as in any function;
//! - the values of the expressions of the innermost statement that were evaluated before. Entered again, the statement
//!   takes them from there, so that nothing runs twice.
//!
//! A resumption thus costs the depth of the `yield`, not the length of the body.

mod control;

mod blocks;

use std::ops::ControlFlow;
use std::rc::Rc;

use tvmscript_ir_core::with_stack;
use tvmscript_script_value::{CallArgs, ScriptValue, release};

use super::class::Special;
use super::closure::Call;
use super::context::Entered;
use super::pattern::Chosen;
use super::raising::Mark;
use super::statement::Flow;
use super::{Cause, Env, Iter, IterObject, Placeholder, Raise, exception, walk};
use crate::errors::{EvalErrorKind, Reported, Result};
use crate::id_hash::{IdMap, IdSet};
use crate::python::{Outcome, cost};
use crate::{Eval, EvalState};
use tvmscript_python_syntax::ast::{
    ExceptHandler, Expr, ExprId, For, If, List, Match, Stmt, StmtId, Try, While, With,
};

/// Size of a generator without its variables.
const GENERATOR_BYTES: u64 = 512;

/// What a generator is resumed with.
pub(crate) enum Input {
    /// The value of the `yield`.
    Send(ScriptValue),
    /// An exception to raise at the `yield`.
    Throw(ScriptValue),
}

/// The end of a resumption.
pub(crate) enum Resumed {
    Yielded(ScriptValue),
    Returned(ScriptValue),
}

enum State {
    Created,
    Suspended,
    /// It returned or raised an exception.
    Done,
    /// It needs a value that is not known.
    Unknown(Placeholder),
}

/// A call of a generator function.
pub(crate) struct Generator {
    call: Rc<Call>,
    env: Option<Rc<Env>>,
    /// Statements that contain a `yield`.
    yielding: Rc<IdSet<StmtId>>,
    state: State,
    /// The open statements, outermost first.
    frames: Vec<Frame>,
    /// The state of the innermost statement; `None` while it runs.
    running: Option<Box<Running>>,
}

/// An open statement.
enum Frame {
    /// The expression of a lambda.
    Value(ExprId),
    /// Statements, and the index of the running one.
    Body(List<StmtId>, usize),
    For(For, Iter),
    While(While),
    Try(StmtId, Try, Part),
    /// The contexts entered so far, and the value for the target of the last one.
    With(With, Vec<Entered>, Option<ScriptValue>),
}

/// The running part of a `try` statement.
enum Part {
    Body,
    Handler(ExceptHandler, ScriptValue),
    Else,
    /// `finally`, and what happens after it.
    Finally(Pending),
}

/// How a `try` statement ends after its `finally`.
enum Pending {
    Flow(Flow),
    Exception(ScriptValue),
    Failed(Reported),
}

impl Frame {
    fn parts(self, out: &mut Vec<ScriptValue>) {
        match self {
            Frame::For(_, iter) => iter.parts(out),
            Frame::Try(_, _, Part::Handler(_, exception)) => out.push(exception),
            Frame::Try(
                _,
                _,
                Part::Finally(Pending::Exception(value) | Pending::Flow(Flow::Return(value))),
            ) => {
                out.push(value);
            }
            Frame::With(_, entered, value) => {
                out.extend(entered.into_iter().filter_map(Entered::part));
                out.extend(value);
            }
            Frame::Value(_) | Frame::Body(..) | Frame::While(_) | Frame::Try(..) => {}
        }
    }

    /// The exception that the frame handles.
    fn handled(&self) -> Option<&ScriptValue> {
        match self {
            Frame::Try(_, _, Part::Handler(_, exception) | Part::Finally(Pending::Exception(exception))) => {
                Some(exception)
            }
            _ => None,
        }
    }

    fn is_try_body(&self) -> bool {
        matches!(self, Frame::Try(_, _, Part::Body))
    }
}

impl Generator {
    pub(super) fn new(call: Rc<Call>, env: Rc<Env>, yielding: Rc<IdSet<StmtId>>) -> Generator {
        let frame = match call.body {
            super::closure::Body::Expr(id) => Frame::Value(id),
            super::closure::Body::Stmts(body) => Frame::Body(body, 0),
        };
        Generator {
            call,
            env: Some(env),
            yielding,
            state: State::Created,
            frames: vec![frame],
            running: Some(Box::default()),
        }
    }

    /// Moves out the values that it holds, except variables.
    pub(crate) fn parts(self, out: &mut Vec<ScriptValue>) {
        if let Some(mut running) = self.running {
            out.extend(running.values.drain().map(|(_, value)| value));
            out.extend(running.delegate);
        }
        self.frames.into_iter().for_each(|frame| frame.parts(out));
    }

    fn end(&mut self, state: State) {
        self.state = state;
        let mut values = Vec::new();
        if let Some(running) = &mut self.running {
            values.extend(running.values.drain().map(|(_, value)| value));
            values.extend(running.delegate.take());
        }
        self.frames.drain(..).for_each(|frame| frame.parts(&mut values));
        self.env = None;
        release(values);
    }
}

/// The state of the running generator that expressions use.
#[derive(Default)]
pub(crate) struct Running {
    /// The values of expressions of the running statement that were evaluated before.
    values: IdMap<ExprId, ScriptValue>,
    /// What the `yield` that the statement was suspended at gets.
    input: Option<Input>,
    /// The iterator of that `yield`, if it is a `yield from`.
    delegate: Option<ScriptValue>,
    /// The yielded value, once the statement is suspended.
    yielded: Option<ScriptValue>,
}

impl Running {
    /// Forgets a statement that ended.
    fn clear(&mut self) {
        self.values.clear();
        (self.input, self.delegate, self.yielded) = (None, None, None);
    }
}

/// The state of the statement that a generator runs, unless the evaluator has it.
type Slot = Option<Box<Running>>;

/// Forgets the values of a header that ended.
fn forget(running: &mut Slot) {
    if let Some(running) = running {
        running.values.clear();
    }
}

/// A step of a generator.
enum Step {
    Push(Frame),
    Replace(Frame),
    /// The innermost frame ended.
    Pop(Result<Flow>),
    Suspend(ScriptValue),
    GiveUp(Placeholder),
}

impl EvalState {
    /// The value that an expression had before the statement was suspended.
    pub(crate) fn replayed(&self, id: ExprId) -> Option<ScriptValue> {
        self.running.as_ref()?.values.get(&id).cloned()
    }

    /// Keeps a value for the case that the statement is suspended.
    pub(crate) fn remember(&mut self, id: ExprId, value: &ScriptValue) {
        if let Some(running) = &mut self.running {
            running.values.insert(id, value.clone());
        }
    }
}

impl Eval<'_> {
    /// Evaluates an expression of a statement that may be suspended.
    pub(crate) fn eval_replayed(&mut self, id: ExprId) -> Result<ScriptValue> {
        if let Some(value) = self.state.replayed(id) {
            return Ok(value);
        }
        let value = self.eval_now(id)?;
        if !matches!(self.state.ast.expr(id), Expr::Constant(_)) {
            self.state.remember(id, &value);
        }
        Ok(value)
    }

    /// `yield value`
    pub(crate) fn eval_yield(&mut self, id: ExprId, value: Option<ExprId>) -> Result<ScriptValue> {
        let value = value.map(|value| self.eval_inner(value)).transpose()?.unwrap_or_default();
        let Some(running) = &mut self.state.running else { return self.yield_elsewhere(id) };
        match running.input.take() {
            None => {
                running.yielded = Some(value);
                self.state.pending = None;
                Err(Reported(()))
            }
            Some(Input::Send(value)) => Ok(value),
            Some(Input::Throw(exception)) => self.at(id, Err(Raise::Exception(exception))),
        }
    }

    /// `yield from values`
    pub(crate) fn eval_yield_from(&mut self, id: ExprId, values: ExprId) -> Result<ScriptValue> {
        let values = self.eval_inner(values)?;
        let Some(running) = &mut self.state.running else { return self.yield_elsewhere(id) };
        let (delegate, input) = match (running.delegate.take(), running.input.take()) {
            (Some(delegate), Some(input)) => (delegate, input),
            (_, input) => {
                let delegate = self.entering(id, |p| p.iterator_of(&values))?;
                (delegate, input.unwrap_or(Input::Send(ScriptValue::None)))
            }
        };
        match self.entering(id, |p| with_stack(|| p.resume_value(&delegate, input)))? {
            Resumed::Returned(value) => Ok(value),
            Resumed::Yielded(value) => {
                if let Some(running) = &mut self.state.running {
                    running.yielded = Some(value);
                    running.delegate = Some(delegate);
                }
                self.state.pending = None;
                Err(Reported(()))
            }
        }
    }

    /// The value of a `yield` in code that is not run by a generator.
    fn yield_elsewhere(&mut self, id: ExprId) -> Result<ScriptValue> {
        if self.state.is_exploring() {
            let reason = "what a generator is sent is not evaluated";
            return Ok(Placeholder::new(Cause::Statement(reason.into()), self.state.ast.range(id)).value());
        }
        Err(self.state.error(id, EvalErrorKind::UnsupportedExpression { what: "this `yield`" }))
    }

    /// `iter(value)` as a value.
    pub(crate) fn iterator_of(&mut self, value: &ScriptValue) -> Outcome {
        if value.as_host::<IterObject>().is_some() {
            return Ok(value.clone());
        }
        if let Special::Value(iterator) = self.call_special(value, "__iter__", [])? {
            return Ok(iterator);
        }
        let iter = self.iterate(value)?;
        Ok(IterObject::value(iter.type_name(), iter))
    }

    /// Resumes an iterator. One that is not a generator accepts only `None`.
    pub(crate) fn resume_value(&mut self, value: &ScriptValue, input: Input) -> Result<Resumed, Raise> {
        let Some(object) = value.as_host::<IterObject>() else {
            return Err(wrong_type!("'{}' object is not an iterator", value).into());
        };
        let Ok(mut iter) = object.iter.try_borrow_mut() else {
            raise!(Value, "generator already executing");
        };
        if let Iter::Function(generator) = &mut *iter {
            return self.resume(generator, input);
        }
        let is_generator = matches!(*iter, Iter::Generator(_));
        match input {
            Input::Send(sent) => {
                if !is_generator && !matches!(sent, ScriptValue::None) {
                    let name = object.name();
                    raise!(Attribute, "'{name}' object has no attribute 'send'");
                }
                Ok(match self.next(&mut iter)? {
                    Some(value) => Resumed::Yielded(value),
                    None => Resumed::Returned(ScriptValue::None),
                })
            }
            Input::Throw(exception) => {
                if is_generator {
                    *iter = Iter::Items(Vec::new().into_iter());
                }
                Err(Raise::Exception(exception))
            }
        }
    }

    /// Runs a generator up to its next `yield` or its end.
    pub(crate) fn resume(&mut self, generator: &mut Generator, input: Input) -> Result<Resumed, Raise> {
        let input = match (&generator.state, input) {
            (State::Unknown(placeholder), _) => return Err(Raise::Unknown(placeholder.clone())),
            (State::Done, Input::Throw(exception)) => return Err(Raise::Exception(exception)),
            (State::Done, Input::Send(_)) => return Ok(Resumed::Returned(ScriptValue::None)),
            (State::Created, Input::Throw(exception)) => {
                generator.end(State::Done);
                return Err(Raise::Exception(exception));
            }
            (State::Created, Input::Send(ScriptValue::None)) => None,
            (State::Created, Input::Send(_)) => {
                raise!(Type, "can't send non-None value to a just-started generator");
            }
            (State::Suspended, input) => Some(input),
        };
        let Some(env) = generator.env.clone() else { return Ok(Resumed::Returned(ScriptValue::None)) };
        let call = generator.call.clone();
        let mark = self.state.mark();
        let program = self.state.program.clone();
        let (handled, tries) = (program.exceptions.handled_count(), program.budget.open_tries());
        let around = std::mem::take(&mut self.state.explorer.returns);
        let result = self.in_call(&call, env, |p| {
            for frame in &generator.frames {
                frame.handled().cloned().into_iter().for_each(|e| p.state.program.exceptions.push_handled(e));
                if frame.is_try_body() {
                    p.state.program.budget.enter_try();
                }
            }
            Ok(p.run_frames(generator, input, mark))
        });
        self.state.explorer.returns = around;
        program.exceptions.truncate_handled(handled);
        program.budget.set_tries(tries);
        match result? {
            Step::Suspend(value) => {
                generator.state = State::Suspended;
                Ok(Resumed::Yielded(value))
            }
            Step::GiveUp(placeholder) => {
                generator.end(State::Unknown(placeholder.clone()));
                Err(Raise::Unknown(placeholder))
            }
            Step::Pop(Ok(flow)) => {
                generator.end(State::Done);
                Ok(Resumed::Returned(if let Flow::Return(value) = flow { value } else { ScriptValue::None }))
            }
            Step::Pop(Err(Reported(()))) => {
                generator.end(State::Done);
                Err(self.leave_generator(mark))
            }
            Step::Push(_) | Step::Replace(_) => Ok(Resumed::Returned(ScriptValue::None)),
        }
    }

    /// The failure of a generator. Its own `StopIteration` is not that of the iteration.
    fn leave_generator(&mut self, mark: Mark) -> Raise {
        match self.state.raised_since(mark) {
            Some(stop) if exception::is_of(&stop, "StopIteration") => match self.state.take_raised(mark) {
                Some(stop) => {
                    let error = ScriptValue::str("generator raised StopIteration");
                    Raise::Exception(exception::caused_by("RuntimeError", [error], stop))
                }
                None => Raise::Reported,
            },
            _ => Raise::Reported,
        }
    }

    /// Runs the frames until the generator is suspended or ends.
    fn run_frames(&mut self, generator: &mut Generator, input: Option<Input>, mark: Mark) -> Step {
        let mut running = Some(generator.running.take().unwrap_or_default());
        if let Some(running) = &mut running {
            running.input = input;
        }
        let step = self.run_frames_with(generator, &mut running, mark);
        generator.running = running;
        step
    }

    fn run_frames_with(&mut self, generator: &mut Generator, running: &mut Slot, mark: Mark) -> Step {
        let mut done: Option<Result<Flow>> = None;
        loop {
            let Some(frame) = generator.frames.last_mut() else {
                return Step::Pop(done.unwrap_or(Ok(Flow::Next)));
            };
            let step = match frame {
                Frame::Value(id) => {
                    let id = *id;
                    self.suspending(running, |p| p.eval(id).map(Flow::Return)).map_or_else(|s| s, Step::Pop)
                }
                Frame::Body(body, at) => self.step_body(*body, at, &generator.yielding, running, done.take()),
                Frame::For(stmt, iter) => self.step_for(*stmt, iter, done.take()),
                Frame::While(stmt) => self.step_while(*stmt, running, done.take()),
                Frame::Try(id, stmt, part) => self.step_try(*id, *stmt, part, mark, done.take()),
                Frame::With(stmt, entered, value) => {
                    self.step_with(*stmt, entered, value, running, mark, done.take())
                }
            };
            match step {
                Step::Push(frame) => generator.frames.push(frame),
                Step::Replace(frame) => {
                    generator.frames.pop();
                    generator.frames.push(frame);
                }
                Step::Pop(result) => {
                    generator.frames.pop();
                    done = Some(result);
                }
                Step::Suspend(value) => return Step::Suspend(value),
                Step::GiveUp(placeholder) => return Step::GiveUp(placeholder),
            }
            if let Some(running) = running {
                running.clear();
            }
            if let Err(raise) = self.state.program.budget.step(1) {
                let place = self.state.statement.unwrap_or_default();
                return Step::Pop(Err(self.raise(place, None, raise)));
            }
        }
    }

    /// Runs code of a statement that contains a `yield`. The error is the step of the generator, if it cannot go on.
    fn suspending<R>(
        &mut self,
        running: &mut Slot,
        f: impl FnOnce(&mut Self) -> Result<R>,
    ) -> Result<Result<R>, Step> {
        let around = std::mem::replace(&mut self.state.running, running.take());
        let result = with_stack(|| f(self));
        *running = std::mem::replace(&mut self.state.running, around);
        if result.is_ok() {
            return Ok(result);
        }
        if let Some(value) = running.as_mut().and_then(|running| running.yielded.take()) {
            return Err(Step::Suspend(value));
        }
        match self.state.pending.take() {
            Some(placeholder) if self.state.is_tolerant() => Err(Step::GiveUp(placeholder)),
            _ => Ok(result),
        }
    }

    /// Runs statements up to the next one that contains a `yield`.
    fn step_body(
        &mut self,
        body: List<StmtId>,
        at: &mut usize,
        yielding: &IdSet<StmtId>,
        running: &mut Slot,
        mut done: Option<Result<Flow>>,
    ) -> Step {
        loop {
            match done.take() {
                None => {}
                Some(Ok(Flow::Next)) => *at += 1,
                Some(Ok(flow)) => return Step::Pop(Ok(flow)),
                Some(Err(reported)) => {
                    let failed = match self.state.item(body, *at) {
                        Some(id) if self.state.is_tolerant() => self.behind_failed(id, reported),
                        _ => Err(reported),
                    };
                    match failed {
                        Ok(()) => *at += 1,
                        Err(reported) => return Step::Pop(Err(reported)),
                    }
                }
            }
            let Some(id) = self.state.item(body, *at) else { return Step::Pop(Ok(Flow::Next)) };
            if !yielding.contains(&id) {
                done = Some(with_stack(|| self.exec(id)));
                continue;
            }
            self.state.statement = Some(self.state.ast.range(id));
            let opened = match *self.state.ast.stmt(id) {
                Stmt::If(stmt) => self.suspending(running, |p| p.open_if(stmt)),
                Stmt::For(stmt) => self.suspending(running, |p| p.open_for(stmt)),
                Stmt::While(stmt) => Ok(Ok(Ok(Frame::While(stmt)))),
                Stmt::Match(stmt) => self.suspending(running, |p| p.open_match(stmt)),
                Stmt::With(stmt) => Ok(Ok(Ok(Frame::With(stmt, Vec::new(), None)))),
                Stmt::Try(stmt) => {
                    self.state.program.budget.enter_try();
                    Ok(Ok(Ok(Frame::Try(id, stmt, Part::Body))))
                }
                stmt if self.is_unsuspendable(stmt) => {
                    let kind = EvalErrorKind::UnsupportedExpression { what: "a `yield` in this statement" };
                    let reported = self.state.error(id, kind);
                    return self.failed(reported);
                }
                _ => match self.suspending(running, |p| p.exec(id)) {
                    Ok(result) => {
                        if let Some(running) = running {
                            running.clear();
                        }
                        done = Some(result);
                        continue;
                    }
                    Err(step) => Err(step),
                },
            };
            match opened {
                Ok(Ok(Ok(frame))) => {
                    forget(running);
                    return Step::Push(frame);
                }
                Ok(Ok(Err(placeholder))) => return Step::GiveUp(placeholder),
                Ok(Err(reported)) => done = Some(Err(reported)),
                Err(step) => return step,
            }
        }
    }

    /// Tests whether a statement with a `yield` cannot run again from its start after a suspension.
    fn is_unsuspendable(&self, stmt: Stmt) -> bool {
        let unpacks =
            |id: &ExprId| matches!(self.state.ast.expr(*id), Expr::Tuple { .. } | Expr::List { .. });
        match stmt {
            Stmt::Assign(stmt) => {
                let targets = self.state.ast.list(stmt.targets);
                (targets.len() > 1 || targets.iter().any(unpacks))
                    && targets.iter().any(|target| walk::has_yield(&self.state.ast, *target))
            }
            Stmt::Delete(stmt) => stmt.targets.len() > 1,
            Stmt::Unsupported(_) => true,
            _ => false,
        }
    }
}

/// Tests whether a value is a generator.
pub(crate) fn is_generator(value: &ScriptValue) -> bool {
    value.as_host::<IterObject>().is_some_and(|object| object.name() == "generator")
}
