//! Statements with bodies.
//!
//! A [`Block`] runs one list of statements at a time: each step returns the statements that run next and is told how
//! the last ones ended. Functions run them by recursion; generators keep the block on a stack of their own, so that a
//! `yield` inside it can be left and entered again.

use tvmscript_script_value::ScriptValue;

use super::context::Entered;
use super::pattern::Chosen;
use super::raising::Mark;
use super::statement::Flow;
use super::{Iter, Placeholder, Raise};
use crate::Eval;
use crate::errors::{EvalResult, Reported};
use tvmscript_python_syntax::ast::{ExceptHandler, For, If, List, Match, Stmt, StmtId, Try, While, With};

/// A running statement with bodies.
pub(super) struct Block {
    id: StmtId,
    kind: Kind,
}

enum Kind {
    /// The statement and the clause that is tested.
    If(If, usize),
    Match(Match),
    /// The iterator, once the loop is entered, and whether the loop around is unsure.
    For(For, Option<Iter>, bool),
    /// Whether the loop around is unsure.
    While(While, bool),
    Try(Try, Part),
    /// The contexts entered so far.
    With(With, Vec<Entered>),
}

/// The running part of a `try` statement.
enum Part {
    Body,
    Handler(ExceptHandler, ScriptValue),
    Else,
    /// `finally`, and what happens after it.
    Finally(Pending),
}

/// The end of a `try` statement after its `finally`.
enum Pending {
    Flow(Flow),
    Exception(ScriptValue),
    Failed(Reported),
}

/// A step of a block.
pub(super) enum Step {
    /// Statements run; the block goes on after them.
    Run(List<StmtId>),
    /// Statements run in place of the block.
    Last(List<StmtId>),
    End(Flow),
    /// The effect of the block depends on a value that is not known.
    Unknown(Placeholder),
}

impl Block {
    /// The block of a statement; `None` if the statement has no bodies of its own.
    pub(super) fn new(id: StmtId, stmt: Stmt) -> Option<Block> {
        let kind = match stmt {
            Stmt::If(stmt) => Kind::If(stmt, 0),
            Stmt::Match(stmt) => Kind::Match(stmt),
            Stmt::For(stmt) => Kind::For(stmt, None, false),
            Stmt::While(stmt) => Kind::While(stmt, false),
            Stmt::Try(stmt) => Kind::Try(stmt, Part::Body),
            Stmt::With(stmt) => Kind::With(stmt, Vec::new()),
            _ => return None,
        };
        Some(Block { id, kind })
    }

    /// Moves out the values that it holds.
    pub(super) fn parts(self, out: &mut Vec<ScriptValue>) {
        match self.kind {
            Kind::For(_, Some(iter), _) => iter.parts(out),
            Kind::Try(
                _,
                Part::Handler(_, value)
                | Part::Finally(Pending::Exception(value) | Pending::Flow(Flow::Return(value))),
            ) => out.push(value),
            Kind::With(_, entered) => out.extend(entered.into_iter().filter_map(Entered::part)),
            Kind::For(..) | Kind::If(..) | Kind::Match(_) | Kind::While(..) | Kind::Try(..) => {}
        }
    }

    /// The exception that it handles.
    pub(super) fn handled(&self) -> Option<&ScriptValue> {
        match &self.kind {
            Kind::Try(_, Part::Handler(_, exception) | Part::Finally(Pending::Exception(exception))) => {
                Some(exception)
            }
            _ => None,
        }
    }

    /// Number of open `try` statements that it counts as.
    pub(super) fn tries(&self) -> u32 {
        match &self.kind {
            Kind::Try(_, Part::Body) => 1,
            Kind::With(_, entered) => entered.iter().filter(|entered| entered.is_manager()).count() as u32,
            _ => 0,
        }
    }
}

impl Eval<'_> {
    /// Runs a statement with bodies.
    pub(super) fn exec_block(&mut self, mut block: Block) -> EvalResult<Flow> {
        let mark = self.state.mark();
        let mut done = None;
        loop {
            match self.step(&mut block, mark, done.take())? {
                Step::Run(body) => done = Some(self.exec_body(body)),
                Step::Last(body) => return self.exec_body(body),
                Step::End(flow) => return Ok(flow),
                Step::Unknown(why) => {
                    return match block.kind {
                        Kind::If(stmt, at) => self.uncertain_if(stmt, at, &why),
                        Kind::Match(stmt) => self.uncertain_match(block.id, stmt, &why),
                        Kind::For(stmt, ..) => self.uncertain_for(stmt, &why),
                        Kind::While(stmt, _) => self.uncertain_while(stmt, &why),
                        Kind::Try(..) | Kind::With(..) => Ok(Flow::Next),
                    };
                }
            }
        }
    }

    /// Advances a block; `done` is how its last statements ended, `mark` was made before they ran.
    pub(super) fn step(
        &mut self,
        block: &mut Block,
        mark: Mark,
        done: Option<EvalResult<Flow>>,
    ) -> EvalResult<Step> {
        match &mut block.kind {
            Kind::If(stmt, at) => self.step_if(*stmt, at),
            Kind::Match(stmt) => Ok(match self.choose_case(*stmt)? {
                Chosen::Case(case) => Step::Last(case.body),
                Chosen::None => Step::End(Flow::Next),
                Chosen::Unknown(why) => Step::Unknown(why),
            }),
            Kind::For(stmt, iter, around) => self.step_for(*stmt, iter, around, done),
            Kind::While(stmt, around) => self.step_while(*stmt, around, done),
            Kind::Try(stmt, part) => self.step_try(block.id, *stmt, part, mark, done),
            Kind::With(stmt, entered) => self.step_with(*stmt, entered, mark, done),
        }
    }

    fn step_if(&mut self, stmt: If, at: &mut usize) -> EvalResult<Step> {
        while let Some(clause) = self.state.item(stmt.clauses, *at) {
            if self.is_main_guard(clause.test) {
                if self.state.is_tolerant() {
                    self.state.explorer.guarded.push(clause.body);
                }
            } else {
                match self.decide(clause.test)? {
                    Ok(true) => return Ok(Step::Last(clause.body)),
                    Ok(false) => {}
                    Err(why) => return Ok(Step::Unknown(why)),
                }
            }
            *at += 1;
        }
        Ok(Step::Last(stmt.orelse))
    }

    /// Ends an iteration; returns the flow of the whole loop if it ends here.
    fn end_iteration(&mut self, around: bool, done: EvalResult<Flow>) -> EvalResult<Option<Flow>> {
        let is_unsure = std::mem::replace(&mut self.state.explorer.is_loop_unsure, around);
        Ok(match done? {
            Flow::Next | Flow::Continue => (is_unsure || self.state.explorer.is_tired).then_some(Flow::Next),
            Flow::Break => Some(Flow::Next),
            other => Some(other),
        })
    }

    fn step_for(
        &mut self,
        stmt: For,
        iter: &mut Option<Iter>,
        around: &mut bool,
        done: Option<EvalResult<Flow>>,
    ) -> EvalResult<Step> {
        if let Some(done) = done
            && let Some(flow) = self.end_iteration(*around, done)?
        {
            if let Some(iter) = iter.take() {
                self.entering(stmt.iter, |p| p.abandon(iter))?;
            }
            return Ok(Step::End(flow));
        }
        let iter = match iter {
            Some(iter) => iter,
            None => {
                let iterable = self.eval(stmt.iter)?;
                if self.state.is_tolerant()
                    && let Some(why) = self.state.unknown(&iterable).or_else(|| self.in_hurry())
                {
                    return Ok(Step::Unknown(why));
                }
                iter.insert(self.entering(stmt.iter, |p| p.iterate(&iterable))?)
            }
        };
        let next = match self.next_at(stmt.iter, iter) {
            Err(Raise::Unknown(why)) if self.state.is_tolerant() => return Ok(Step::Unknown(why)),
            next => self.at(stmt.iter, next)?,
        };
        let Some(value) = next else { return Ok(Step::Last(stmt.orelse)) };
        self.assign_target(stmt.target, value)?;
        *around = std::mem::take(&mut self.state.explorer.is_loop_unsure);
        Ok(Step::Run(stmt.body))
    }

    fn step_while(
        &mut self,
        stmt: While,
        around: &mut bool,
        done: Option<EvalResult<Flow>>,
    ) -> EvalResult<Step> {
        if let Some(done) = done
            && let Some(flow) = self.end_iteration(*around, done)?
        {
            return Ok(Step::End(flow));
        }
        if let Some(why) = self.in_hurry() {
            return Ok(Step::Unknown(why));
        }
        match self.decide(stmt.test)? {
            Ok(true) => {}
            Ok(false) => return Ok(Step::Last(stmt.orelse)),
            Err(why) => return Ok(Step::Unknown(why)),
        }
        self.try_at(stmt.test, |p| p.state.program.budget.step(1))?;
        *around = std::mem::take(&mut self.state.explorer.is_loop_unsure);
        Ok(Step::Run(stmt.body))
    }

    fn step_try(
        &mut self,
        id: StmtId,
        stmt: Try,
        part: &mut Part,
        mark: Mark,
        done: Option<EvalResult<Flow>>,
    ) -> EvalResult<Step> {
        let Some(done) = done else {
            self.state.program.budget.enter_try();
            return Ok(Step::Run(stmt.body));
        };
        let result = match std::mem::replace(part, Part::Else) {
            Part::Body => {
                self.state.program.budget.leave_try();
                if let Ok(flow) = &done {
                    self.explore_handlers_of(id, stmt);
                    if matches!(flow, Flow::Next) {
                        return Ok(Step::Run(stmt.orelse));
                    }
                }
                match self.raised_by(&done, mark) {
                    Some(exception) => match self.find_handler(id, stmt.handlers, &exception) {
                        Ok(handler) => {
                            self.enter_handler(handler, &exception);
                            self.state.program.exceptions.push_handled(exception.clone());
                            *part = Part::Handler(handler, exception);
                            return Ok(Step::Run(handler.body));
                        }
                        Err(reported) => Err(reported),
                    },
                    None => done,
                }
            }
            Part::Handler(handler, exception) => {
                self.end_handling(&done, mark, &exception);
                self.leave_name(handler);
                done
            }
            Part::Else => done,
            Part::Finally(pending) => {
                if let Pending::Exception(exception) = &pending {
                    self.end_handling(&done, mark, exception);
                }
                return match (done?, pending) {
                    (Flow::Next, Pending::Flow(flow)) => Ok(Step::End(flow)),
                    (Flow::Next, Pending::Failed(reported)) => Err(reported),
                    (Flow::Next, Pending::Exception(exception)) => {
                        let range = self.state.ast.range(id);
                        Err(self.record_exception(range, &exception))
                    }
                    (other, _) => Ok(Step::End(other)),
                };
            }
        };
        if stmt.finalbody.is_empty() {
            return result.map(Step::End);
        }
        // While `finally` runs, the exception is neither reported nor caught.
        *part = Part::Finally(match (self.raised_by(&result, mark), result) {
            (Some(exception), _) => {
                self.state.program.exceptions.push_handled(exception.clone());
                Pending::Exception(exception)
            }
            (None, Ok(flow)) => Pending::Flow(flow),
            (None, Err(reported)) => Pending::Failed(reported),
        });
        Ok(Step::Run(stmt.finalbody))
    }

    /// The exception that statements ended with.
    fn raised_by(&mut self, done: &EvalResult<Flow>, mark: Mark) -> Option<ScriptValue> {
        if done.is_err() { self.state.take_raised(mark) } else { None }
    }

    fn end_handling(&mut self, done: &EvalResult<Flow>, mark: Mark, exception: &ScriptValue) {
        if done.is_err() {
            self.leave_handler(mark, exception);
        }
        self.state.program.exceptions.pop_handled();
    }

    /// Enters the contexts of a `with` statement, runs its body, and leaves the contexts.
    fn step_with(
        &mut self,
        stmt: With,
        entered: &mut Vec<Entered>,
        mark: Mark,
        mut done: Option<EvalResult<Flow>>,
    ) -> EvalResult<Step> {
        while done.is_none() {
            let Some(item) = self.state.item(stmt.items, entered.len()) else {
                return Ok(Step::Run(stmt.body));
            };
            done = self.enter_item(item, entered).err().map(Err);
        }
        let mut flow = done.unwrap_or(Ok(Flow::Next));
        while let Some(last) = entered.pop() {
            if last.is_manager() {
                self.state.program.budget.leave_try();
            }
            if let Some(item) = self.state.item(stmt.items, entered.len()) {
                flow = self.leave_item(item, last, flow, mark);
            }
        }
        flow.map(Step::End)
    }
}
