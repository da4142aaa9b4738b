//! Loops and jumps out of them.

use tvmscript_prim::PrimExprExt as _;
use tvmscript_tir::node::{For, ForKind, StmtRef, While};

use super::{Compiler, Jumps};
use crate::error::{Result, unsupported};
use crate::program::{Instruction as I, Register};

impl Compiler<'_> {
    pub(super) fn for_loop(&mut self, s: &For, stmt: &StmtRef) -> Result<()> {
        if s.kind == ForKind::ThreadBinding
            && let Some(axis) = &s.thread_binding
            && self.thread_loop(s, axis, stmt)?
        {
            return Ok(());
        }
        if self.is_collective_loop(s) {
            return self.once(|this| this.serial_loop(s));
        }
        self.serial_loop(s)
    }

    fn serial_loop(&mut self, s: &For) -> Result<()> {
        self.scoped(|this| {
            let (min, extent) = (this.scalar(&s.min)?, this.scalar(&s.extent)?);
            let step = s.step.as_ref().map_or(Ok(this.int(1)), |step| this.scalar(step))?;
            this.check_step(step);
            let end = this.add(min, extent);
            this.range(min, end, step, |this, index| {
                let index = match s.loop_var.dtype == tvmscript_ir_core::DataType::INT32
                    || s.loop_var.dtype.bits == 64
                {
                    true => index,
                    false => {
                        let d = this.fresh();
                        let (from, to) = (tvmscript_ir_core::DataType::INT64, s.loop_var.dtype.element());
                        this.emit(I::Cast { from, to, d, a: index });
                        d
                    }
                };
                this.bind(&s.loop_var, vec![index]);
                if let Some(thread) = &s.thread_binding {
                    this.bind(&thread.var, vec![index]);
                }
                this.body(&s.body);
            });
            Ok(())
        })
    }

    fn check_step(&mut self, step: Register) {
        if self.known(step).is_some_and(|step| step > 0) {
            return;
        }
        let zero = self.int(0);
        let d = self.fresh();
        self.emit(I::LtInt { d, a: zero, b: step });
        let is_positive = self.jump_if(d);
        let construct = "a loop whose step is not positive".to_owned();
        self.fail(crate::error::RunErrorKind::Unsupported { construct });
        self.land(is_positive);
    }

    /// Counts from `min` to `end`. Breaks and continues inside refer to this loop.
    pub(super) fn range(
        &mut self,
        min: Register,
        end: Register,
        step: Register,
        body: impl FnOnce(&mut Self, Register),
    ) {
        let a = self.fresh();
        self.emit(I::Move { d: a, a: min });
        let is_any = self.fresh();
        self.emit(I::LtInt { d: is_any, a: min, b: end });
        let none = self.jump_unless(is_any);
        let to = self.here();
        self.loops.push(Jumps::default());
        self.open_scope();
        body(self, a);
        self.close_scope();
        let jumps = self.loops.pop().unwrap_or_default();
        jumps.continues.into_iter().for_each(|jump| self.land(jump));
        self.emit(I::Next { a, step, end, to });
        self.land(none);
        jumps.breaks.into_iter().for_each(|jump| self.land(jump));
    }

    pub(super) fn while_loop(&mut self, s: &While) -> Result<()> {
        let start = self.here();
        self.open_scope();
        let condition = self.scalar(&s.condition);
        let condition = condition.inspect_err(|_| self.close_scope())?;
        let out = self.jump_unless(condition);
        self.close_scope();
        self.loops.push(Jumps::default());
        self.body(&s.body);
        let jumps = self.loops.pop().unwrap_or_default();
        jumps.continues.into_iter().for_each(|jump| self.land(jump));
        self.emit(I::Jump { to: start });
        self.land(out);
        jumps.breaks.into_iter().for_each(|jump| self.land(jump));
        Ok(())
    }

    pub(super) fn break_loop(&mut self) -> Result<()> {
        let jump = self.jump();
        match self.loops.last_mut() {
            Some(jumps) => jumps.breaks.push(jump),
            None => return unsupported("a break outside of loops"),
        }
        Ok(())
    }

    pub(super) fn continue_loop(&mut self) -> Result<()> {
        let jump = self.jump();
        match self.loops.last_mut() {
            Some(jumps) => jumps.continues.push(jump),
            None => return unsupported("a continue outside of loops"),
        }
        Ok(())
    }

    /// Returns from the function, or from the one that is compiled into it.
    pub(super) fn return_value(&mut self, value: Option<&tvmscript_prim::Expr>) -> Result<()> {
        let register = value.map(|value| self.scalar(value)).transpose()?;
        if let Some(callee) = self.callees.last() {
            if let Some(a) = register {
                let d = callee.result;
                self.emit(I::Move { d, a });
            }
            let jump = self.jump();
            if let Some(callee) = self.callees.last_mut() {
                callee.returns.push(jump);
            }
            return Ok(());
        }
        self.program.result_is_float |= value.is_some_and(|value| crate::scalar::is_float(value.dtype()));
        match register {
            Some(a) => self.emit(I::Return { a }),
            None => self.emit(I::End),
        };
        Ok(())
    }
}
