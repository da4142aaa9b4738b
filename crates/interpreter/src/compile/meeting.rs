//! Operations of several threads: barriers, exchanges, reductions, and work that one thread does for all.

use tvmscript_ir_core::DataType;
use tvmscript_ir_core::arithmetic::{Comparison, Operator};
use tvmscript_prim::{Expr, IntImm, PrimExprExt as _};
use tvmscript_tir::node::StmtRef;

use super::call::Arguments;
use super::{Compiler, Kernel, Lanes};
use crate::device::{GroupReduction, RunningTotals};
use crate::error::{Result, unsupported};
use crate::intrinsics::ThreadOperator;
use crate::memory::Element;
use crate::program::{Instruction as I, Register};
use crate::scan::Scan;
use crate::warp::Exchange;

impl Compiler<'_> {
    /// Lets the threads meet.
    pub(super) fn meet(&mut self) {
        self.meet_at(false);
    }

    /// Lets the threads meet, at a barrier or to take a step together.
    fn meet_at(&mut self, is_barrier: bool) {
        if self.kernel.as_ref().is_some_and(|kernel| !kernel.is_once) {
            let d = self.fresh();
            self.emit(I::Meet { d, is_barrier });
        }
    }

    /// Lets the threads meet before a statement that accesses shared memory, in functions in which no barrier was
    /// inserted yet.
    pub(super) fn meet_before(&mut self, stmt: &StmtRef) {
        let key = stmt.object().address();
        if self.kernel.as_ref().is_some_and(|kernel| kernel.meetings.contains(&key)) {
            self.meet();
        }
    }

    /// Compiles what one thread does for the whole block.
    pub(super) fn once(&mut self, body: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        if self.kernel.as_ref().is_none_or(|kernel| kernel.is_once) {
            return self.scoped(body);
        }
        let d = self.fresh();
        self.emit(I::Meet { d, is_barrier: false });
        let skip = self.jump_unless(d);
        self.set_once(true);
        let result = self.scoped(body);
        self.set_once(false);
        self.land(skip);
        self.emit(I::Meet { d, is_barrier: false });
        result
    }

    fn set_once(&mut self, is_once: bool) {
        if let Some(kernel) = &mut self.kernel {
            kernel.is_once = is_once;
        }
    }

    pub(super) fn thread_call(
        &mut self,
        operator: ThreadOperator,
        arg: &Arguments<'_>,
        dtype: DataType,
    ) -> Result<Lanes> {
        let zero = vec![self.int(0)];
        Ok(match operator {
            ThreadOperator::Barrier => {
                self.meet_at(true);
                zero
            }
            ThreadOperator::BarrierCount(operator) => vec![self.barrier_count(operator, arg)?],
            ThreadOperator::Exchange(exchange) => {
                let value = arg.0.first().map(|value| self.expr(value)).transpose()?.unwrap_or(zero);
                self.exchange(exchange, dtype, &value, None)?
            }
            ThreadOperator::MaskedExchange(exchange) => {
                let value = self.expr(arg.get(1)?)?;
                let lane = arg.0.get(2).map(|lane| self.scalar(lane)).transpose()?;
                let width = arg.0.get(3).map(|width| self.scalar(width)).transpose()?;
                let width = width.unwrap_or_else(|| self.int(self.warp as i64));
                self.exchange(exchange, dtype, &value, lane.map(|lane| (lane, width)))?
            }
            ThreadOperator::AllReduce => {
                self.all_reduce(arg)?;
                zero
            }
            ThreadOperator::ThreadIndex => {
                let axis = self.scalar(arg.get(0)?)?;
                let axis = self.known(axis).and_then(|axis| usize::try_from(axis).ok()).unwrap_or_default();
                match self.thread_indices().get(axis) {
                    Some(index) => vec![*index],
                    None => return unsupported("an axis of threads beyond the third"),
                }
            }
            ThreadOperator::LaneIndex => vec![self.part_of_warp(Operator::FloorMod, arg)?],
            ThreadOperator::WarpIndex => vec![self.part_of_warp(Operator::FloorDiv, arg)?],
            ThreadOperator::ElectThread => {
                let extent = self.scalar(arg.get(0)?)?;
                let part = match self.known(extent) {
                    Some(extent) if extent > 0 => self.linear_part(Operator::FloorMod, extent)?,
                    _ => self.linear(),
                };
                let zero = self.int(0);
                vec![self.compare(Comparison::Eq, DataType::INT32, part, zero)]
            }
            ThreadOperator::InitBarrier => {
                let (p, count) = (self.address_of(arg.get(0)?)?, self.scalar(arg.get(1)?)?);
                self.emit(I::InitBarrier { p, count });
                zero
            }
            ThreadOperator::ArriveBarrier => {
                let p = self.address_of(arg.get(0)?)?;
                let count = self.int(1);
                self.emit(I::Arrive { p, count });
                zero
            }
            ThreadOperator::ExpectBytes | ThreadOperator::ArriveExpectingBytes => {
                let (p, bytes) = (self.address_of(arg.get(0)?)?, self.scalar(arg.get(1)?)?);
                self.emit(I::ExpectBytes { p, bytes });
                if matches!(operator, ThreadOperator::ArriveExpectingBytes) {
                    let count = self.int(1);
                    self.emit(I::Arrive { p, count });
                }
                zero
            }
            ThreadOperator::WaitBarrier => {
                let (p, parity) = (self.address_of(arg.get(0)?)?, self.scalar(arg.get(1)?)?);
                self.emit(I::WaitBarrier { p, parity });
                zero
            }
            ThreadOperator::Matrix(operator) => {
                self.matrix(operator, arg)?;
                zero
            }
        })
    }

    fn kernel(&self) -> Option<&Kernel> {
        self.kernel.as_ref()
    }

    fn linear(&mut self) -> Register {
        match self.kernel() {
            Some(kernel) => kernel.linear,
            None => self.int(0),
        }
    }

    fn linear_part(&mut self, operator: Operator, by: i64) -> Result<Register> {
        let (linear, by) = (self.linear(), self.int(by));
        self.operate(operator, DataType::INT32, linear, by)
    }

    /// The lane or the warp of a thread. An argument is the number of lanes.
    fn part_of_warp(&mut self, operator: Operator, arg: &Arguments<'_>) -> Result<Register> {
        let lanes = arg.0.first().map(|lanes| self.scalar(lanes)).transpose()?;
        let lanes = lanes.and_then(|lanes| self.known(lanes)).filter(|lanes| *lanes > 0);
        self.linear_part(operator, lanes.unwrap_or(self.warp as i64))
    }

    /// Exchanges values between the lanes of a warp; without threads, a lane exchanges with itself.
    fn exchange(
        &mut self,
        exchange: Exchange,
        dtype: DataType,
        value: &Lanes,
        lane: Option<(Register, Register)>,
    ) -> Result<Lanes> {
        let one = self.int(1);
        let (b, c) = lane.unwrap_or((one, one));
        if self.kernel().is_none_or(|kernel| kernel.is_once) {
            return Ok(match exchange {
                Exchange::Active => vec![one],
                Exchange::Any | Exchange::All | Exchange::Ballot => {
                    let zero = self.int(0);
                    self.each(value, |d, a| I::NeInt { d, a, b: zero })
                }
                _ => value.clone(),
            });
        }
        Ok(self.each(value, |d, a| I::Exchange { exchange, dtype, d, a, b, c }))
    }

    /// Combines a truth value over the threads of the block.
    fn barrier_count(&mut self, operator: Operator, arg: &Arguments<'_>) -> Result<Register> {
        let value = self.scalar(arg.get(0)?)?;
        let zero = self.int(0);
        let value = self.compare(Comparison::Ne, DataType::INT64, value, zero);
        if self.kernel().is_none() {
            return Ok(value);
        }
        let one = self.int(1);
        let start = if operator == Operator::Min { one } else { zero };
        let scratch = self.permanent(0);
        self.emit(I::AllocateShared { bytes: 8, d: scratch, count: one });
        let d = self.fresh();
        self.emit(I::Meet { d, is_barrier: true });
        let skip = self.jump_unless(d);
        self.emit(I::Store { element: Element::Word, p: scratch, index: zero, a: start });
        self.land(skip);
        self.emit(I::Meet { d, is_barrier: true });
        self.emit(I::Load { element: Element::Word, d, p: scratch, index: zero });
        let a = self.operate(operator, DataType::INT64, d, value)?;
        self.emit(I::Store { element: Element::Word, p: scratch, index: zero, a });
        self.emit(I::Meet { d, is_barrier: true });
        self.emit(I::Load { element: Element::Word, d, p: scratch, index: zero });
        Ok(d)
    }

    /// Reduces a value over threads.
    pub(super) fn reduce_group(
        &mut self,
        &GroupReduction { operator, threads, distance, first }: &GroupReduction,
        value: Register,
        dtype: DataType,
    ) -> Result<Register> {
        let Some(kernel) = self.kernel.clone() else {
            return unsupported("a reduction over threads outside of a launch");
        };
        let int = DataType::INT64;
        let count = self.product(&kernel.extents);
        let p = self.permanent(0);
        self.emit(I::AllocateShared { bytes: 8, d: p, count });
        self.emit(I::Store { element: Element::Word, p, index: kernel.linear, a: value });
        self.meet();
        let (minus, group) = (self.int(-first), self.int(threads));
        let relative = self.add(kernel.linear, minus);
        let within = self.operate(Operator::FloorMod, int, relative, group)?;
        let start = self.operate(Operator::Sub, int, kernel.linear, within)?;
        let step = self.int(distance);
        let lane = self.operate(Operator::FloorMod, int, relative, step)?;
        let start = self.add(start, lane);
        let total = self.fresh();
        let neutral = self.neutral(operator, dtype, false);
        self.emit(I::Move { d: total, a: neutral });
        let members = self.int(threads / distance);
        self.counted(members, |this, index| {
            let part = this.mul(index, step);
            let at = this.add(start, part);
            let d = this.fresh();
            this.emit(I::Load { element: Element::Word, d, p, index: at });
            let a = this.operate(operator, dtype, total, d)?;
            this.emit(I::Move { d: total, a });
            Ok(())
        })?;
        self.meet();
        Ok(total)
    }

    /// Running totals of lines: pointers to source and target, then the numbers of [`RunningTotals::lines`].
    pub(super) fn scan_lines(&mut self, totals: &RunningTotals<'_>, arg: &Arguments<'_>) -> Result<()> {
        let (operator, is_reverse) = (totals.operator, totals.is_reverse);
        self.once(|this| {
            let (source, dtype) = this.typed_pointer(arg.get(1)?)?;
            let (target, _) = this.typed_pointer(arg.get(2)?)?;
            let one = this.int(1);
            let numbers = this.scalars(arg.0.iter().skip(3))?;
            let [lines, extent, from_line, to_line, from, to] = totals.lines(&numbers, &one)?;
            let neutral = this.neutral(operator, dtype, false);
            this.program.scans.push(Scan {
                operator,
                is_reverse,
                dtype,
                neutral,
                source,
                target,
                lines,
                extent,
                line_strides: [from_line, to_line],
                strides: [from, to],
            });
            let scan = this.program.scans.len() as u32 - 1;
            this.emit(I::Scan { scan });
            Ok(())
        })
    }

    /// Reduces values over axes of threads: their number, the values, a condition, the results, the axes.
    fn all_reduce(&mut self, arg: &Arguments<'_>) -> Result<()> {
        let number = arg.get(0)?.as_node::<IntImm>().map_or(0, |number| number.value);
        let number = usize::try_from(number).unwrap_or_default();
        let Some(kernel) = self.kernel.clone() else {
            return unsupported("a reduction over threads outside of a launch");
        };
        let Some(reducer) = kernel.reducers.last().cloned() else {
            return unsupported("a reduction over threads without its operator");
        };
        if reducer.lhs.len() != number {
            return unsupported("a reduction over threads of another number of values");
        }
        let condition = self.scalar(arg.get(number + 1)?)?;
        let count = self.product(&kernel.extents);
        let mut scratch = Vec::new();
        for index in 0..number {
            let value = self.scalar(arg.get(index + 1)?)?;
            let identity = match reducer.identity_element.get(index) {
                Some(identity) => self.scalar(identity)?,
                None => self.int(0),
            };
            let a = self.fresh();
            self.emit(I::Select { d: a, c: condition, a: value, b: identity });
            let p = self.permanent(0);
            self.emit(I::AllocateShared { bytes: 8, d: p, count });
            self.emit(I::Store { element: Element::Word, p, index: kernel.linear, a });
            let total = self.fresh();
            self.emit(I::Move { d: total, a: identity });
            scratch.push((p, total));
        }
        self.meet();
        let mut steps = Vec::new();
        let mut base = kernel.linear;
        let mut step = self.int(1);
        let axes: Vec<Register> =
            arg.0.iter().skip(2 * number + 2).map(|axis| self.scalar(axis)).collect::<Result<_>>()?;
        for (index, extent) in kernel.indices.iter().zip(kernel.extents) {
            if axes.contains(index) {
                let part = self.mul(*index, step);
                let d = self.fresh();
                self.emit(I::SubInt { d, a: base, b: part });
                base = d;
                steps.push((extent, step));
            }
            step = self.mul(step, extent);
        }
        self.reduce_axes(&steps, base, &mut |this, at| {
            for ((p, total), (lhs, rhs)) in scratch.iter().zip(reducer.lhs.iter().zip(reducer.rhs.iter())) {
                let d = this.fresh();
                this.emit(I::Load { element: Element::Word, d, p: *p, index: at });
                this.bind(lhs, vec![*total]);
                this.bind(rhs, vec![d]);
            }
            let results = this.scalars(reducer.result.iter())?;
            for ((_, total), a) in scratch.iter().zip(results) {
                this.emit(I::Move { d: *total, a });
            }
            Ok(())
        })?;
        self.meet();
        for (index, (_, total)) in scratch.iter().enumerate() {
            let target = arg.get(number + 2 + index)?;
            let (p, dtype) = self.result_pointer(target, arg.get(index + 1)?)?;
            let zero = self.int(0);
            self.emit(I::Store { element: Element::of(dtype)?, p, index: zero, a: *total });
        }
        Ok(())
    }

    fn result_pointer(&mut self, target: &Expr, value: &Expr) -> Result<(Register, DataType)> {
        let p = self.address_of(target)?;
        Ok((p, value.dtype().element()))
    }

    fn reduce_axes(
        &mut self,
        steps: &[(Register, Register)],
        at: Register,
        body: &mut dyn FnMut(&mut Self, Register) -> Result<()>,
    ) -> Result<()> {
        let Some(((extent, step), steps)) = steps.split_first() else {
            return self.scoped(|this| body(this, at));
        };
        self.counted(*extent, |this, index| {
            let part = this.mul(index, *step);
            let at = this.add(at, part);
            this.reduce_axes(steps, at, body)
        })
    }
}
