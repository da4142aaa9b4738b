//! `try` with `except*`.
//!
//! Each handler takes the part of the exception that it matches. What no handler takes, and what handlers raise, is raised
//! together after the last one.

use tvmscript_python_syntax::ast::{ExceptHandler, List, StmtId};
use tvmscript_script_value::{CallArgs, ScriptValue};

use super::Raise;
use super::exception::{is_class, is_same, parts};
use super::exception_group::{Condition, derived, is_group, is_group_class, members, split};
use super::statement::Flow;
use crate::Eval;
use crate::errors::{HostError, Result};
use crate::python::exceptions;

impl Eval<'_> {
    /// Runs the handlers of an exception; fails with what is left of it.
    pub(super) fn handle_group(
        &mut self,
        id: StmtId,
        handlers: List<ExceptHandler>,
        exception: &ScriptValue,
    ) -> Result<Flow> {
        let range = self.state.ast.range(id);
        let mut rest = Some(exception.clone());
        let (mut raised, mut again) = (Vec::new(), Vec::new());
        for index in 0..handlers.len() {
            let Some(handler) = self.state.item(handlers, index) else { break };
            let Some(left) = rest.clone() else { break };
            let Some(classes) = handler.exc else { continue };
            let matched = self.handling(exception, |p| {
                let value = p.eval(classes)?;
                p.try_at(classes, |p| p.taken(&left, value))
            })?;
            rest = matched.1;
            let Some(taken) = matched.0 else { continue };
            self.enter_handler(handler, &taken);
            let mark = self.state.mark();
            self.state.program.exceptions.set_reraised(false);
            let result =
                self.handling(&taken, |p| p.state.program.clone().budget.tries(|| p.exec_body(handler.body)));
            self.leave_name(handler);
            match result {
                Ok(Flow::Next) => {}
                Ok(other) => return Ok(other),
                Err(reported) => match self.state.take_raised(mark) {
                    Some(new) if is_same(&new, &taken) && self.state.program.exceptions.was_reraised() => {
                        again.push(new)
                    }
                    Some(new) => raised.push(new),
                    None => return Err(reported),
                },
            }
        }
        let left =
            self.left_over(exception, raised, again, rest).map_err(|raise| self.raise(range, None, raise))?;
        match left {
            None => Ok(Flow::Next),
            Some(left) => Err(self.record_exception(range, &left)),
        }
    }

    /// The part of an exception that a handler takes, as a group, and the rest.
    fn taken(
        &mut self,
        exception: &ScriptValue,
        classes: ScriptValue,
    ) -> Result<(Option<ScriptValue>, Option<ScriptValue>), Raise> {
        let all = match &classes {
            ScriptValue::Tuple(classes) => classes.to_vec(),
            one => vec![one.clone()],
        };
        for class in &all {
            self.state.program.budget.step(1)?;
            if !is_class(class) {
                return Err(HostError::type_error(
                    "catching classes that do not inherit from BaseException is not allowed",
                )
                .into());
            }
            if is_group_class(class) {
                return Err(HostError::type_error(
                    "catching ExceptionGroup with except* is not allowed. Use except instead.",
                )
                .into());
            }
        }
        let (matching, rest) = split(self, exception, &Condition::of_classes(classes))?;
        match matching {
            Some(one) if !is_group(&one) => {
                let class = exceptions::class("BaseExceptionGroup").unwrap_or_default();
                let args = [ScriptValue::str(""), ScriptValue::tuple([one])];
                Ok((Some(self.call_value(&class, CallArgs::positional(args))?), rest))
            }
            matching => Ok((matching, rest)),
        }
    }

    /// What is raised after all handlers: new exceptions, and the parts of the original one that were raised again or not
    /// handled.
    fn left_over(
        &mut self,
        original: &ScriptValue,
        raised: Vec<ScriptValue>,
        again: Vec<ScriptValue>,
        rest: Option<ScriptValue>,
    ) -> Result<Option<ScriptValue>, Raise> {
        if raised.is_empty() && again.is_empty() {
            return Ok(rest);
        }
        let kept: Vec<ScriptValue> = again.into_iter().chain(rest).collect();
        if !is_group(original) {
            // It was wrapped for the handlers, one of which took it.
            return Ok(match raised.into_iter().next() {
                Some(new) => Some(new),
                None => kept.into_iter().next(),
            });
        }
        let projected = match kept.is_empty() {
            true => None,
            false => {
                let mut leaves = Vec::new();
                for part in &kept {
                    self.leaves(part, &mut leaves)?;
                }
                self.projection(original, &leaves)?
            }
        };
        if raised.is_empty() {
            return Ok(projected);
        }
        let all: Vec<ScriptValue> = raised.into_iter().chain(projected).collect();
        let class = exceptions::class("BaseExceptionGroup").unwrap_or_default();
        let args = [ScriptValue::str(""), ScriptValue::list(all)];
        self.call_value(&class, CallArgs::positional(args)).map(Some)
    }

    /// The exceptions in a group that are no groups.
    fn leaves(&mut self, exception: &ScriptValue, out: &mut Vec<ScriptValue>) -> Result<(), Raise> {
        let mut work = vec![exception.clone()];
        while let Some(at) = work.pop() {
            self.state.program.budget.step(1)?;
            match is_group(&at) {
                true => work.extend(members(&at)),
                false => out.push(at),
            }
        }
        Ok(())
    }

    /// The part of a group that consists of these exceptions, with its structure.
    fn projection(
        &mut self,
        group: &ScriptValue,
        leaves: &[ScriptValue],
    ) -> Result<Option<ScriptValue>, Raise> {
        self.state.program.budget.step(1 + leaves.len() as u64)?;
        if !is_group(group) {
            return Ok(leaves.iter().any(|leaf| is_same(leaf, group)).then(|| group.clone()));
        }
        let mut kept = Vec::new();
        let all = members(group);
        for member in &all {
            self.state.program.budget.enter_call()?;
            let part = tvmscript_ir_core::with_stack(|| self.projection(member, leaves));
            self.state.program.budget.leave_call();
            kept.extend(part?);
        }
        if kept.len() == all.len()
            && kept.iter().zip(&all).all(|(a, b)| is_same(a, b))
            && parts(group).is_some()
        {
            return Ok(Some(group.clone()));
        }
        derived(self, group, kept)
    }
}
