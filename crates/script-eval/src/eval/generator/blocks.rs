//! Statements with bodies, entered and resumed inside generators.

use super::*;

impl Eval<'_> {
    /// The branch of an `if`; the error is the reason why it is not known.
    pub(super) fn open_if(&mut self, stmt: If) -> Result<Result<Frame, Placeholder>> {
        for index in 0..stmt.clauses.len() {
            let Some(clause) = self.state.item(stmt.clauses, index) else { break };
            match self.decide(clause.test)? {
                Ok(true) => return Ok(Ok(Frame::Body(clause.body, 0))),
                Ok(false) => {}
                Err(why) => return Ok(Err(why)),
            }
        }
        Ok(Ok(Frame::Body(stmt.orelse, 0)))
    }

    pub(super) fn open_match(&mut self, stmt: Match) -> Result<Result<Frame, Placeholder>> {
        Ok(match self.choose_case(stmt)? {
            Chosen::Case(case) => Ok(Frame::Body(case.body, 0)),
            Chosen::None => Ok(Frame::Body(List::default(), 0)),
            Chosen::Unknown(why) => Err(why),
        })
    }

    pub(super) fn open_for(&mut self, stmt: For) -> Result<Result<Frame, Placeholder>> {
        let iterable = self.eval(stmt.iter)?;
        if self.state.is_tolerant()
            && let Some(why) = self.state.unknown(&iterable)
        {
            return Ok(Err(why));
        }
        let iter = self.entering(stmt.iter, |p| p.iterate(&iterable))?;
        Ok(Ok(Frame::For(stmt, iter)))
    }

    /// Ends an iteration of a loop; breaks with the step that ends the loop.
    pub(super) fn end_iteration(&mut self, done: Option<Result<Flow>>) -> ControlFlow<Step> {
        let is_unsure = std::mem::take(&mut self.state.explorer.is_loop_unsure);
        match done {
            None => ControlFlow::Continue(()),
            Some(Ok(Flow::Next | Flow::Continue)) if is_unsure => {
                ControlFlow::Break(Step::Pop(Ok(Flow::Next)))
            }
            Some(Ok(Flow::Next | Flow::Continue)) => ControlFlow::Continue(()),
            Some(Ok(Flow::Break)) => ControlFlow::Break(Step::Pop(Ok(Flow::Next))),
            Some(result) => ControlFlow::Break(Step::Pop(result)),
        }
    }

    pub(super) fn step_for(&mut self, stmt: For, iter: &mut Iter, done: Option<Result<Flow>>) -> Step {
        if let ControlFlow::Break(step) = self.end_iteration(done) {
            return step;
        }
        let next = self.try_at(stmt.iter, |p| p.next_at(stmt.iter, iter)).and_then(|next| match next {
            Some(value) => self.assign_target(stmt.target, value).map(|()| true),
            None => Ok(false),
        });
        match next {
            Ok(true) => Step::Push(Frame::Body(stmt.body, 0)),
            Ok(false) => Step::Replace(Frame::Body(stmt.orelse, 0)),
            Err(reported) => self.failed(reported),
        }
    }

    pub(super) fn step_while(&mut self, stmt: While, running: &mut Slot, done: Option<Result<Flow>>) -> Step {
        if let ControlFlow::Break(step) = self.end_iteration(done) {
            return step;
        }
        match self.suspending(running, |p| p.decide(stmt.test)) {
            Ok(Ok(Ok(holds))) => {
                forget(running);
                match holds {
                    true => Step::Push(Frame::Body(stmt.body, 0)),
                    false => Step::Replace(Frame::Body(stmt.orelse, 0)),
                }
            }
            Ok(Ok(Err(why))) => Step::GiveUp(why),
            Ok(Err(reported)) => Step::Pop(Err(reported)),
            Err(step) => step,
        }
    }

    /// The step after a failure outside of statements.
    pub(super) fn failed(&mut self, reported: Reported) -> Step {
        match self.state.pending.take() {
            Some(placeholder) if self.state.is_tolerant() => Step::GiveUp(placeholder),
            _ => Step::Pop(Err(reported)),
        }
    }

    /// The next part of a `try` statement.
    pub(super) fn step_try(
        &mut self,
        id: StmtId,
        stmt: Try,
        part: &mut Part,
        mark: Mark,
        done: Option<Result<Flow>>,
    ) -> Step {
        let Some(done) = done else { return Step::Push(Frame::Body(stmt.body, 0)) };
        let result = match std::mem::replace(part, Part::Else) {
            Part::Body => {
                self.state.program.budget.leave_try();
                match done {
                    Ok(flow) => {
                        self.explore_handlers_of(id, stmt);
                        match flow {
                            Flow::Next => return Step::Push(Frame::Body(stmt.orelse, 0)),
                            flow => Ok(flow),
                        }
                    }
                    Err(reported) => match self.state.take_raised(mark) {
                        Some(exception) => match self.find_handler(id, stmt.handlers, &exception) {
                            Ok(handler) => {
                                self.enter_handler(handler, &exception);
                                self.state.program.exceptions.push_handled(exception.clone());
                                *part = Part::Handler(handler, exception);
                                return Step::Push(Frame::Body(handler.body, 0));
                            }
                            Err(reported) => Err(reported),
                        },
                        None => Err(reported),
                    },
                }
            }
            Part::Handler(handler, exception) => {
                if done.is_err() {
                    self.leave_handler(mark, &exception);
                }
                self.state.program.exceptions.pop_handled();
                self.leave_name(handler);
                done
            }
            Part::Else => done,
            Part::Finally(pending) => {
                if let Pending::Exception(exception) = &pending {
                    if done.is_err() {
                        self.leave_handler(mark, exception);
                    }
                    self.state.program.exceptions.pop_handled();
                }
                return Step::Pop(match (done, pending) {
                    (Ok(Flow::Next), Pending::Flow(flow)) => Ok(flow),
                    (Ok(Flow::Next), Pending::Failed(reported)) => Err(reported),
                    (Ok(Flow::Next), Pending::Exception(exception)) => {
                        let range = self.state.ast.range(id);
                        Err(self.record_exception(range, &exception))
                    }
                    (other, _) => other,
                });
            }
        };
        if stmt.finalbody.is_empty() {
            return Step::Pop(result);
        }
        let pending = match result {
            Ok(flow) => Pending::Flow(flow),
            Err(reported) => match self.state.take_raised(mark) {
                Some(exception) => {
                    self.state.program.exceptions.push_handled(exception.clone());
                    Pending::Exception(exception)
                }
                None => Pending::Failed(reported),
            },
        };
        *part = Part::Finally(pending);
        Step::Push(Frame::Body(stmt.finalbody, 0))
    }

    /// Enters the next context of a `with` statement, runs its body, or leaves the last context.
    pub(super) fn step_with(
        &mut self,
        stmt: With,
        entered: &mut Vec<Entered>,
        value: &mut Option<ScriptValue>,
        running: &mut Slot,
        mark: Mark,
        mut done: Option<Result<Flow>>,
    ) -> Step {
        loop {
            if let Some(flow) = done.take() {
                let Some(last) = entered.pop() else { return Step::Pop(flow) };
                let Some(item) = self.state.item(stmt.items, entered.len()) else { return Step::Pop(flow) };
                done = Some(self.leave_item(item, last, flow, mark));
                continue;
            }
            if let Some(value) = value.take()
                && let Some(item) = self.state.item(stmt.items, entered.len().saturating_sub(1))
                && let Err(reported) = self.bind_item(item, value)
            {
                done = Some(Err(reported));
                continue;
            }
            let Some(item) = self.state.item(stmt.items, entered.len()) else {
                return Step::Push(Frame::Body(stmt.body, 0));
            };
            match self.suspending(running, |p| p.enter_item(item)) {
                Ok(Ok((last, given))) => {
                    forget(running);
                    entered.push(last);
                    *value = Some(given);
                }
                Ok(Err(reported)) => done = Some(Err(reported)),
                Err(step) => return step,
            }
        }
    }
}
