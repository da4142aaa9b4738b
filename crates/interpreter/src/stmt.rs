//! Statements.

use tvmscript_ir_core::{Ref, with_stack};
use tvmscript_prim::{Call, Op};
use tvmscript_tir::node::{
    Allocate, AllocateConst, AttrStmt, Block, BlockRealize, Buffer, For, ForKind, IterType, StmtKind,
    StmtRef, StmtView as _, While,
};

use crate::error::{Result, RunErrorKind, unsupported};
use crate::machine::{Machine, Value, View};
use crate::scalar::{Scalar, wrap};

/// The point at which execution continues.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Flow {
    Next,
    Break,
    Continue,
    Return(Option<Scalar>),
}

impl Machine {
    /// Executes a statement.
    pub(crate) fn exec(&mut self, stmt: &StmtRef) -> Result<Flow> {
        self.step()?;
        with_stack(|| self.exec_kind(stmt)).map_err(|error| error.at(stmt.span()))
    }

    fn exec_kind(&mut self, stmt: &StmtRef) -> Result<Flow> {
        match stmt.kind() {
            StmtKind::SeqStmt(s) => {
                for stmt in s.seq.iter() {
                    let flow = self.exec(stmt)?;
                    if flow != Flow::Next {
                        return Ok(flow);
                    }
                }
                Ok(Flow::Next)
            }
            StmtKind::BufferStore(s) => {
                let value = self.eval(&s.value)?;
                self.store(&s.buffer, &s.indices, &value, s.predicate.as_ref())?;
                Ok(Flow::Next)
            }
            StmtKind::LetStmt(s) => {
                let value = self.eval(&s.value)?;
                self.bind(&s.var, value);
                self.exec(&s.body)
            }
            StmtKind::IfThenElse(s) => match (self.eval(&s.condition)?.scalar()?.truth()?, &s.else_case) {
                (true, _) => self.exec(&s.then_case),
                (false, Some(other)) => self.exec(other),
                (false, None) => Ok(Flow::Next),
            },
            StmtKind::For(s) => self.for_loop(s),
            StmtKind::While(s) => self.while_loop(s),
            StmtKind::AssertStmt(s) => {
                if self.eval(&s.condition)?.scalar()?.truth()? {
                    return self.exec(&s.body);
                }
                let message = match self.eval(&s.message) {
                    Ok(Value::Text(text)) => text,
                    _ => String::new(),
                };
                Err(RunErrorKind::Assertion { message }.into())
            }
            StmtKind::Evaluate(s) => self.evaluate(s.value.as_node::<Call>(), &s.value),
            StmtKind::AttrStmt(s) => self.attribute(s),
            StmtKind::Allocate(s) => self.allocate(s),
            StmtKind::AllocateConst(s) => self.allocate_const(s),
            StmtKind::DeclBuffer(s) => {
                if let Some(Value::Pointer(memory)) = self.variables.get(&s.buffer.data.object().address()) {
                    let memory = *memory;
                    self.declare(&s.buffer, memory)?;
                    return self.exec(&s.body);
                }
                self.with_buffer(&s.buffer, |machine| machine.exec(&s.body))
            }
            StmtKind::BufferRealize(s) => self.with_buffer(&s.buffer, |machine| machine.exec(&s.body)),
            StmtKind::BlockRealize(s) => self.block_realize(s),
            StmtKind::Block(block) => self.block(block, true),
            StmtKind::Other(other) => {
                unsupported(format!("the statement {}", other.object().info().display_key()))
            }
        }
    }

    fn evaluate(&mut self, call: Option<&Call>, value: &tvmscript_prim::Expr) -> Result<Flow> {
        let name = call.and_then(|call| call.op.as_node::<Op>()).map(|op| op.name.as_str());
        match (name, call) {
            (Some("tir.ret"), Some(call)) => {
                let value = call.args.first().map(|value| self.eval(value)?.scalar()).transpose()?;
                Ok(Flow::Return(value))
            }
            (Some("tir.break_loop"), _) => Ok(Flow::Break),
            (Some("tir.continue_loop"), _) => Ok(Flow::Continue),
            (Some("tir.tvm_storage_sync"), _) if self.threads == 0 => Ok(Flow::Next),
            (Some("tir.tvm_storage_sync"), _) => unsupported("a synchronisation of threads"),
            _ => self.eval(value).map(|_| Flow::Next),
        }
    }

    fn for_loop(&mut self, s: &For) -> Result<Flow> {
        let bound = self.integers([&s.min, &s.extent].into_iter())?;
        let &[min, extent] = bound.as_slice() else { return Ok(Flow::Next) };
        let step = s.step.as_ref().map_or(Ok(1), |step| self.eval(step)?.scalar()?.int())?;
        if step <= 0 {
            return unsupported("a loop whose step is not positive");
        }
        let is_thread = s.kind == ForKind::ThreadBinding && extent > 1;
        self.threads += usize::from(is_thread);
        let mut at = 0;
        let mut result = Ok(Flow::Next);
        while at < extent {
            let value = wrap(s.loop_var.dtype, min.wrapping_add(at))?;
            self.bind(&s.loop_var, Value::Scalar(value));
            if let Some(thread) = &s.thread_binding {
                self.bind(&thread.var, Value::Scalar(value));
            }
            match self.exec(&s.body) {
                Ok(Flow::Next | Flow::Continue) => {}
                Ok(Flow::Break) => break,
                other => {
                    result = other;
                    break;
                }
            }
            at = at.saturating_add(step);
        }
        self.threads -= usize::from(is_thread);
        result
    }

    fn while_loop(&mut self, s: &While) -> Result<Flow> {
        while self.eval(&s.condition)?.scalar()?.truth()? {
            match self.exec(&s.body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => break,
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn attribute(&mut self, s: &AttrStmt) -> Result<Flow> {
        match s.launched_thread() {
            Some(axis) if !self.is_bound(&axis.var) => {
                let extent = self.eval(&s.value)?.scalar()?.int()?;
                self.threads += usize::from(extent > 1);
                let mut result = Ok(Flow::Next);
                for at in 0..extent {
                    self.bind(&axis.var, Value::Scalar(Scalar::Int(at)));
                    result = self.exec(&s.body);
                    if !matches!(result, Ok(Flow::Next)) {
                        break;
                    }
                }
                self.variables.remove(&axis.var.object().address());
                self.threads -= usize::from(extent > 1);
                result
            }
            _ => self.exec(&s.body),
        }
    }

    fn allocate(&mut self, s: &Allocate) -> Result<Flow> {
        let shape = self.integers(s.extents.iter())?;
        self.with_memory(s.dtype, &shape, |machine, memory| {
            machine.bind(&s.buffer_var, Value::Pointer(memory));
            machine.exec(&s.body)
        })
    }

    fn allocate_const(&mut self, s: &AllocateConst) -> Result<Flow> {
        let Some(data) = &s.data else { return unsupported("a constant that is kept elsewhere") };
        let shape = self.integers(s.extents.iter())?;
        self.with_memory(s.dtype, &shape, |machine, memory| {
            machine.fill(memory, data.bytes().unwrap_or_default());
            machine.bind(&s.buffer_var, Value::Pointer(memory));
            machine.exec(&s.body)
        })
    }

    /// Allocates a buffer for the time of `body`. Strides may leave gaps, such as padding at the end of rows.
    fn with_buffer(
        &mut self,
        buffer: &Ref<Buffer>,
        body: impl FnOnce(&mut Machine) -> Result<Flow>,
    ) -> Result<Flow> {
        let shape = self.integers(buffer.shape.iter())?;
        let strides = self.integers(buffer.strides.iter())?;
        let shape = strided_elements(&shape, &strides).map_or(shape, |elements| vec![elements]);
        self.with_memory(buffer.dtype, &shape, |machine, memory| {
            machine.bind(&buffer.data, Value::Pointer(memory));
            machine.declare(buffer, memory)?;
            body(machine)
        })
    }

    fn block_realize(&mut self, s: &BlockRealize) -> Result<Flow> {
        for (axis, value) in s.block.iter_vars.iter().zip(s.iter_values.iter()) {
            let value = self.eval(value)?;
            self.bind(&axis.var, value);
        }
        if !self.eval(&s.predicate)?.scalar()?.truth()? {
            return Ok(Flow::Next);
        }
        // Initialization runs where all reduction axes are at their start.
        let mut is_first = true;
        for axis in s.block.iter_vars.iter().filter(|axis| axis.iter_type == IterType::CommReduce) {
            if let Some(dom) = &axis.dom {
                let start = self.eval(&dom.min)?.scalar()?;
                let at = self.variables.get(&axis.var.object().address()).cloned();
                is_first &= at == Some(Value::Scalar(start));
            }
        }
        self.block(&s.block, is_first)
    }

    fn block(&mut self, block: &Block, is_first: bool) -> Result<Flow> {
        self.with_buffers(block, 0, is_first)
    }

    /// Allocates the buffers of a block from number `at` on, and runs it.
    fn with_buffers(&mut self, block: &Block, at: usize, is_first: bool) -> Result<Flow> {
        if let Some(buffer) = block.alloc_buffers.get(at) {
            return with_stack(|| {
                self.with_buffer(buffer, |machine| machine.with_buffers(block, at + 1, is_first))
            });
        }
        for matched in block.match_buffers.iter() {
            let outer = self.view(&matched.source.buffer)?;
            let starts = self.integers(matched.source.region.iter().map(|range| &range.min))?;
            let offset = starts
                .iter()
                .zip(&outer.strides)
                .map(|(start, stride)| start.wrapping_mul(*stride))
                .sum::<i64>();
            let offset = outer.offset.wrapping_add(offset);
            let extents = self.integers(matched.source.region.iter().map(|range| &range.extent))?;
            let buffer = &matched.buffer;
            let skipped = outer.strides.len().saturating_sub(buffer.shape.len());
            let strides: Vec<i64> = outer.strides.iter().skip(skipped).copied().collect();
            self.define_layout(buffer, &extents, skipped, &strides, offset);
            let shape = self.integers(buffer.shape.iter())?;
            self.bind(&buffer.data, Value::Pointer(outer.memory));
            self.declare_view(buffer, View { memory: outer.memory, offset, shape, strides });
        }
        if let Some(init) = block.init.as_ref().filter(|_| is_first) {
            let flow = self.exec(init)?;
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        self.exec(&block.body)
    }

    /// Binds the variables of the layout of a matched buffer.
    fn define_layout(
        &mut self,
        buffer: &Buffer,
        extents: &[i64],
        skipped: usize,
        strides: &[i64],
        offset: i64,
    ) {
        let shape = buffer.shape.iter().zip(extents.iter().skip(skipped));
        let strides = buffer.strides.iter().zip(strides);
        for (expr, value) in shape.chain(strides).chain([(&buffer.elem_offset, &offset)]) {
            if let Some(variable) = expr.downcast_ref() {
                self.bind(variable, Value::Scalar(Scalar::Int(*value)));
            }
        }
    }
}

/// Returns the number of elements from the first to the last one of an array with gaps; `None` for a compact or empty
/// array.
fn strided_elements(shape: &[i64], strides: &[i64]) -> Option<i64> {
    if strides.is_empty() || shape.iter().any(|extent| *extent <= 0) {
        return None;
    }
    let last = |sum: i64, (extent, stride): (&i64, &i64)| sum.checked_add((extent - 1).checked_mul(*stride)?);
    shape.iter().zip(strides).try_fold(0, last)?.checked_add(1)
}
