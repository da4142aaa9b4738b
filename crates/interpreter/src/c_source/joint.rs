//! Statements in which the threads of a group meet: written once, around loops over the threads.

use std::collections::HashMap;

use tvmscript_ir_core::{Array, DataType, Ref, pre_order_visit};
use tvmscript_prim::{Expr, PrimExpr, PrimExprExt as _, Var};
use tvmscript_tir::node::{IfThenElse, StmtKind, StmtRef, StmtView as _};
use tvmscript_tirx::{AllocBuffer, Bind, DeclBuffer};

use super::Writer;
use super::group::Kept;
use super::value::Value;
use crate::compile::{Arguments, call_of, lane_count};
use crate::error::{Result, RunErrorKind, unsupported};
use crate::intrinsics::{Intrinsic, ThreadOperator, intrinsic};
use crate::warp::Exchange;

impl Writer<'_> {
    /// Writes statements of a group: loops over the threads, each as far as no thread waits.
    pub(super) fn joint_sequence(&mut self, seq: &Array<StmtRef>) {
        let stmts: Vec<&StmtRef> = seq.iter().collect();
        let is_outside = self.outside(&stmts);
        let mut rest = stmts.as_slice();
        let mut at = 0;
        while let Some((first, others)) = rest.split_first() {
            if is_outside.get(at) == Some(&true) {
                self.written(first);
                (rest, at) = (others, at + 1);
                continue;
            }
            let begins = |index: usize, stmt: &&&StmtRef| {
                is_outside.get(at + 1 + index) != Some(&true) && !self.has_step_before(stmt)
            };
            let more = others.iter().enumerate().take_while(|(index, stmt)| begins(*index, stmt)).count();
            let (run, others) = rest.split_at_checked(more + 1).unwrap_or((rest, &[]));
            self.threads(run);
            (rest, at) = (others, at + more + 1);
        }
    }

    /// Writes statements that each thread runs without waiting.
    pub(super) fn threads(&mut self, stmts: &[&StmtRef]) {
        let Some(first) = stmts.first() else { return };
        let outer = self.enter_span(first.span());
        let result = self.each_thread(|this| {
            stmts.iter().for_each(|stmt| this.written(stmt));
            Ok(())
        });
        if let Err(error) = result {
            self.refuse(error);
        }
        self.leave_span(outer);
    }

    /// The statements of a sequence that stand outside of loops over threads: those in which threads meet, and definitions
    /// that statements after a meeting use.
    fn outside(&self, stmts: &[&StmtRef]) -> Vec<bool> {
        let mut is_outside: Vec<bool> = stmts.iter().map(|stmt| self.stays_outside(stmt)).collect();
        if !stmts.iter().any(|stmt| defined(stmt).is_some()) {
            return is_outside;
        }
        let mut last_uses: HashMap<usize, usize> = HashMap::new();
        for (number, stmt) in stmts.iter().enumerate() {
            pre_order_visit(*stmt, |node| {
                if node.downcast_ref::<Var>().is_some() {
                    last_uses.insert(node.address(), number);
                }
                true
            });
        }
        // From the last one on: what stays outside is a meeting for those before.
        let mut meeting = stmts.len();
        for ((number, stmt), slot) in stmts.iter().enumerate().zip(&mut is_outside).rev() {
            let is_used_after =
                |var: Ref<Var>| last_uses.get(&var.object().address()).is_some_and(|last| *last >= meeting);
            *slot |= defined(stmt).is_some_and(is_used_after);
            if *slot || self.has_step_before(stmt) {
                meeting = number;
            }
        }
        is_outside
    }

    pub(super) fn conditional(&mut self, s: &IfThenElse, stmt: &StmtRef) -> Result<()> {
        self.with_exchanges(s.condition.object(), |this| {
            let is_uniform = !this.is_of_threads(&s.condition);
            let otherwise = s.else_case.as_ref().map(|other| move |this: &mut Self| this.stmt(other));
            let condition = |this: &mut Self| this.scalar(&s.condition);
            this.branch(is_uniform, stmt, condition, |this| this.stmt(&s.then_case), otherwise)
        })
    }

    /// Writes a part of a statement that runs if a condition holds.
    pub(super) fn when(
        &mut self,
        is_uniform: bool,
        stmt: &StmtRef,
        condition: impl FnOnce(&mut Self) -> Result<Value>,
        then: impl FnOnce(&mut Self),
    ) -> Result<()> {
        self.branch(is_uniform, stmt, condition, then, None::<fn(&mut Self)>)
    }

    /// Writes a branch of a statement. If threads that meet inside may choose differently, those take part that do.
    fn branch(
        &mut self,
        is_uniform: bool,
        stmt: &StmtRef,
        condition: impl FnOnce(&mut Self) -> Result<Value>,
        then: impl FnOnce(&mut Self),
        otherwise: Option<impl FnOnce(&mut Self)>,
    ) -> Result<()> {
        if !self.is_joint() || is_uniform {
            let condition = condition(self)?;
            self.block_of(&format!("if ({})", condition.text), then);
            if let Some(otherwise) = otherwise {
                self.block_of("else", otherwise);
            }
            return Ok(());
        }
        if self.has_barrier(stmt) {
            return unsupported("a barrier inside of a condition that may differ in each thread");
        }
        let chosen = self.kept_one("chosen", DataType::BOOL, condition)?.value.text;
        self.masked(chosen.clone(), then)?;
        let Some(otherwise) = otherwise else { return Ok(()) };
        let mask = self.mask().map_or(format!("!{chosen}"), |outer| format!("{outer} && !{chosen}"));
        self.masked(mask, otherwise)
    }

    /// Computes a value in each thread, and keeps it.
    pub(super) fn kept_one(
        &mut self,
        hint: &str,
        dtype: DataType,
        compute: impl FnOnce(&mut Self) -> Result<Value>,
    ) -> Result<Kept> {
        let kept = self.kept(hint, dtype, 1, |this| Ok(vec![compute(this)?]))?;
        kept.into_iter().next().ok_or_else(|| RunErrorKind::Kind { expected: "a scalar" }.into())
    }

    /// Defines a variable that has a value in each thread.
    pub(super) fn define_for_threads(&mut self, var: &Ref<Var>, value: &Expr) -> Result<()> {
        let dtype = value.dtype().element();
        // Another name of a pointer.
        if let Some(pointer) = value.downcast_ref::<Var>().filter(|_| dtype.is_handle())
            && let Some(pointer) = self.first_lane(pointer)
        {
            self.bind(var, vec![pointer]);
            return Ok(());
        }
        let (hint, lanes) = (var.name.get().to_string(), lane_count(value.dtype())?);
        let points_to = self.aliases.element_of(var);
        let kept = self.kept_pointers(&hint, dtype, lanes, points_to, |this| this.expr(value))?;
        self.bind(var, kept.into_iter().map(|kept| kept.value).collect());
        Ok(())
    }

    /// Writes a call at which threads meet.
    pub(super) fn joint_evaluate(&mut self, value: &Expr) -> Result<()> {
        let call = value.downcast_ref::<PrimExpr>().and_then(call_of);
        let found = call.and_then(|(callee, args)| Some((intrinsic(callee)?, args)));
        match found {
            Some((
                Intrinsic::Thread(
                    ThreadOperator::Barrier
                    | ThreadOperator::WaitBarrier
                    | ThreadOperator::Exchange(Exchange::Active),
                ),
                _,
            )) => {
                self.line("/* barrier */".to_owned());
                Ok(())
            }
            Some((Intrinsic::Thread(ThreadOperator::AllReduce), args)) => self.all_reduce(&Arguments(args)),
            Some((Intrinsic::Thread(ThreadOperator::Matrix(operator)), args)) => {
                self.matrix(operator, &Arguments(args))
            }
            Some((Intrinsic::Break | Intrinsic::Continue, _)) => self.expr(value).map(|_| ()),
            Some((Intrinsic::Extern, args)) if Arguments(args).text(0)?.starts_with("tl::Cum") => {
                self.scan_lines(&Arguments(args))
            }
            _ => self.with_exchanges(value.object(), |this| this.each_thread(|this| this.evaluate(value))),
        }
    }
}

/// The variable that a statement defines for those after it.
fn defined(stmt: &StmtRef) -> Option<Ref<Var>> {
    let StmtKind::Other(other) = stmt.kind() else { return None };
    let bound = other.as_node::<Bind>().map(|s| &s.var);
    let allocated = || other.as_node::<AllocBuffer>().map(|s| &s.buffer.data);
    let declared = || other.as_node::<DeclBuffer>().map(|s| &s.buffer.data);
    bound.or_else(allocated).or_else(declared).cloned()
}
