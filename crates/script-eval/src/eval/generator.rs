//! Generators: calls of host functions that are suspended at a `yield`.
//!
//! The evaluator recurses on the native stack, which cannot be kept. A generator therefore runs code in which each
//! `yield` is a statement of its own ([`lower`]), and keeps its open statements in [`Frame`]s. Only statements that
//! contain a `yield` have one; others run as in any function. A resumption costs the depth of the `yield`, not the
//! length of the body.

mod control;
mod lower;

use std::rc::Rc;

use tvmscript_ir_core::with_stack;
use tvmscript_script_value::{CallArgs, ScriptValue, release};

use super::block::{Block, Step};
use super::class::Special;
use super::closure::Call;
use super::raising::Mark;
use super::statement::Flow;
use super::{Cause, Env, Iter, IterObject, Placeholder, Raise, exception};
use crate::Eval;
use crate::errors::{EvalErrorKind, EvalResult, Reported};
use crate::python::{Outcome, cost, type_name};
pub(crate) use lower::Generators;
use tvmscript_python_syntax::ast::{Expr, ExprId, List, Stmt, StmtId};

/// Size of a generator without its variables.
const GENERATOR_BYTES: u64 = 512;

/// The input with which a generator is resumed.
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
    state: State,
    /// The open statements, outermost first.
    frames: Vec<Frame>,
    /// The iterator of the `yield from` that it is suspended at.
    delegate: Option<ScriptValue>,
}

enum Frame {
    /// Statements, and the index of the running one.
    Body(List<StmtId>, usize),
    Block(Block),
}

impl Generator {
    pub(super) fn new(call: Rc<Call>, env: Rc<Env>, code: List<StmtId>) -> Generator {
        let frames = vec![Frame::Body(code, 0)];
        Generator { call, env: Some(env), state: State::Created, frames, delegate: None }
    }

    fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.frames.iter().filter_map(|frame| match frame {
            Frame::Block(block) => Some(block),
            Frame::Body(..) => None,
        })
    }

    /// Moves out the values that it holds, except variables.
    pub(crate) fn parts(mut self, out: &mut Vec<ScriptValue>) {
        self.clear(out);
    }

    fn clear(&mut self, out: &mut Vec<ScriptValue>) {
        out.extend(self.delegate.take());
        for frame in self.frames.drain(..) {
            if let Frame::Block(block) = frame {
                block.parts(out);
            }
        }
    }

    fn end(&mut self, state: State) {
        self.state = state;
        let mut values = Vec::new();
        self.clear(&mut values);
        self.env = None;
        release(values);
    }
}

/// A step of a generator.
enum Next {
    Step(Step),
    Open(Block),
    Suspend(ScriptValue),
}

/// Why the frames stopped.
enum End {
    Suspended(ScriptValue),
    Done(EvalResult<Flow>),
    Unknown(Placeholder),
}

impl Eval<'_> {
    /// The value of a `yield` in code that is not run by a generator.
    pub(super) fn yield_elsewhere(&mut self, id: ExprId) -> EvalResult<ScriptValue> {
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
        let Some(object) = value.as_host::<IterObject>() else { return self.resume_instance(value, input) };
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
                Ok(match self.next_nested(&mut iter)? {
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

    /// Resumes an iterator of a class of the text.
    fn resume_instance(&mut self, value: &ScriptValue, input: Input) -> Result<Resumed, Raise> {
        let (name, argument) = match input {
            Input::Send(ScriptValue::None) => ("__next__", None),
            Input::Send(sent) => ("send", Some(sent)),
            Input::Throw(exception) => ("throw", Some(exception)),
        };
        let Some(method) = self.find_attribute(value, name)? else {
            return Err(match (name, argument) {
                ("throw", Some(exception)) => Raise::Exception(exception),
                ("send", _) => raise!(Attribute, "'{}' object has no attribute 'send'", type_name(value)),
                _ => wrong_type!("'{}' object is not an iterator", value).into(),
            });
        };
        match self.attempt(|p| p.call_value(&method, CallArgs::positional(argument)))? {
            Ok(value) => Ok(Resumed::Yielded(value)),
            Err(end) if exception::is_of(&end, "StopIteration") => {
                Ok(Resumed::Returned(exception::attribute(&end, "value").unwrap_or_default()))
            }
            Err(other) => Err(Raise::Exception(other)),
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
            for block in generator.blocks() {
                block.handled().cloned().into_iter().for_each(|e| p.state.program.exceptions.push_handled(e));
                program.budget.set_tries(program.budget.open_tries() + block.tries());
            }
            Ok(p.run_frames(generator, input, mark))
        });
        self.state.explorer.returns = around;
        program.exceptions.truncate_handled(handled);
        program.budget.set_tries(tries);
        match result? {
            End::Suspended(value) => {
                generator.state = State::Suspended;
                Ok(Resumed::Yielded(value))
            }
            End::Unknown(placeholder) => {
                generator.end(State::Unknown(placeholder.clone()));
                Err(Raise::Unknown(placeholder))
            }
            End::Done(Ok(flow)) => {
                generator.end(State::Done);
                Ok(Resumed::Returned(if let Flow::Return(value) = flow { value } else { ScriptValue::None }))
            }
            End::Done(Err(Reported(()))) => {
                generator.end(State::Done);
                Err(self.leave_generator(mark))
            }
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
    fn run_frames(&mut self, generator: &mut Generator, mut input: Option<Input>, mark: Mark) -> End {
        let mut done: Option<EvalResult<Flow>> = None;
        loop {
            let Some(frame) = generator.frames.last_mut() else {
                return End::Done(done.unwrap_or(Ok(Flow::Next)));
            };
            let step = match (frame, done.take()) {
                (Frame::Block(block), done) => self.step(block, mark, done).map(Next::Step),
                (Frame::Body(body, at), None | Some(Ok(Flow::Next))) => {
                    self.step_body(*body, at, &mut generator.delegate, &mut input)
                }
                (Frame::Body(..), Some(done)) => done.map(|flow| Next::Step(Step::End(flow))),
            };
            match step {
                Ok(Next::Suspend(value)) => return End::Suspended(value),
                Ok(Next::Step(Step::Unknown(placeholder))) => return End::Unknown(placeholder),
                Ok(Next::Open(block)) => generator.frames.push(Frame::Block(block)),
                Ok(Next::Step(Step::Run(body))) => generator.frames.push(Frame::Body(body, 0)),
                Ok(Next::Step(Step::Last(body))) => {
                    generator.frames.pop();
                    generator.frames.push(Frame::Body(body, 0));
                }
                Ok(Next::Step(Step::End(flow))) => {
                    generator.frames.pop();
                    done = Some(Ok(flow));
                }
                Err(reported) => {
                    if self.state.is_tolerant()
                        && let Some(placeholder) = self.state.pending.take()
                    {
                        return End::Unknown(placeholder);
                    }
                    generator.frames.pop();
                    done = Some(Err(reported));
                }
            }
        }
    }

    /// Runs statements from `at` up to one that must be kept.
    fn step_body(
        &mut self,
        body: List<StmtId>,
        at: &mut usize,
        delegate: &mut Option<ScriptValue>,
        input: &mut Option<Input>,
    ) -> EvalResult<Next> {
        while let Some(id) = self.state.item(body, *at) {
            if !self.state.program.generators.suspends(id) {
                *at += 1;
                match with_stack(|| self.exec(id))? {
                    Flow::Next => continue,
                    flow => return Ok(Next::Step(Step::End(flow))),
                }
            }
            let stmt = self.begin(id)?;
            let (value, targets) = match stmt {
                Stmt::Expr(stmt) => (stmt.value, None),
                Stmt::Assign(stmt) => (stmt.value, Some(stmt.targets)),
                stmt => {
                    *at += 1;
                    match Block::new(id, stmt) {
                        Some(block) => return Ok(Next::Open(block)),
                        None => {
                            self.exec(id)?;
                            continue;
                        }
                    }
                }
            };
            match self.step_yield(value, delegate, input.take())? {
                Resumed::Yielded(value) => return Ok(Next::Suspend(value)),
                Resumed::Returned(value) => {
                    *at += 1;
                    targets.map_or(Ok(()), |targets| self.assign_targets(id, targets, value))?;
                }
            }
        }
        Ok(Next::Step(Step::End(Flow::Next)))
    }

    /// Begins a `yield`, or goes on with what it was resumed with; returns its value once it has one.
    fn step_yield(
        &mut self,
        id: ExprId,
        delegate: &mut Option<ScriptValue>,
        input: Option<Input>,
    ) -> EvalResult<Resumed> {
        match (*self.state.ast.expr(id), input) {
            (Expr::YieldFrom { value }, input) => {
                let (inner, input) = match (delegate.take(), input) {
                    (Some(inner), Some(input)) => (inner, input),
                    _ => {
                        let value = self.eval(value)?;
                        (self.entering(id, |p| p.iterator_of(&value))?, Input::Send(ScriptValue::None))
                    }
                };
                let resumed = self.entering(id, |p| with_stack(|| p.resume_inner(&inner, input)))?;
                if let Resumed::Yielded(_) = resumed {
                    *delegate = Some(inner);
                }
                Ok(resumed)
            }
            (_, Some(Input::Send(value))) => Ok(Resumed::Returned(value)),
            (_, Some(Input::Throw(exception))) => self.at(id, Err(Raise::Exception(exception))),
            (Expr::Yield { value: Some(value) }, None) => Ok(Resumed::Yielded(self.eval(value)?)),
            _ => Ok(Resumed::Yielded(ScriptValue::None)),
        }
    }

    /// Resumes the iterator of a `yield from`. A `GeneratorExit` closes it and is raised here.
    fn resume_inner(&mut self, inner: &ScriptValue, input: Input) -> Result<Resumed, Raise> {
        if let Input::Throw(exit) = &input
            && exception::is_of(exit, "GeneratorExit")
        {
            self.close_generator(inner)?;
            return Err(Raise::Exception(exit.clone()));
        }
        self.resume_value(inner, input)
    }
}

/// Tests whether a value is a generator.
pub(crate) fn is_generator(value: &ScriptValue) -> bool {
    value.as_host::<IterObject>().is_some_and(|object| object.name() == "generator")
}
