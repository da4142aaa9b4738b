//! Statements.

use std::collections::HashSet;

use tvmscript_ir_core::{Array, DataType, Ref, pre_order_visit, with_stack};
use tvmscript_prim::{Expr, ExprKind, ExprView as _, StringImm, Var};
use tvmscript_tir::node::{
    Allocate, AllocateConst, AttrStmt, Buffer, IfThenElse, StmtKind, StmtRef, StmtView as _,
};
use tvmscript_tirx::{AllocBuffer, AssertStmt, Bind, DeclBuffer};

use super::{Compiler, View};
use crate::error::{Result, RunErrorKind, unsupported};
use crate::program::{Instruction as I, Register};
use crate::scalar::storage_bytes;

impl Compiler<'_> {
    /// Compiles a statement. What cannot be compiled fails when it is reached.
    pub(super) fn stmt(&mut self, stmt: &StmtRef) {
        let outer = self.span;
        if stmt.span().is_known() {
            self.span = stmt.span();
        }
        let (scopes, loops, callees) = (self.scopes.len(), self.loops.len(), self.callees.len());
        if let Err(error) = with_stack(|| self.stmt_kind(stmt)) {
            while self.scopes.len() > scopes {
                self.close_scope();
            }
            self.loops.truncate(loops);
            self.callees.truncate(callees);
            self.fail_with(error);
        }
        self.span = outer;
    }

    fn stmt_kind(&mut self, stmt: &StmtRef) -> Result<()> {
        self.check_size()?;
        match stmt.kind() {
            StmtKind::SeqStmt(s) => {
                for stmt in s.seq.iter() {
                    self.meet_before(stmt);
                    self.stmt(stmt);
                }
                Ok(())
            }
            StmtKind::BufferStore(s) => {
                self.scoped(|this| this.store(&s.buffer, &s.indices, &s.value, s.predicate.as_ref()))
            }
            StmtKind::LetStmt(s) => self.scoped(|this| {
                let value = this.expr(&s.value)?;
                this.bind(&s.var, value);
                this.stmt(&s.body);
                Ok(())
            }),
            StmtKind::IfThenElse(s) => self.conditional(s),
            StmtKind::For(s) => self.for_loop(s, stmt),
            StmtKind::While(s) => self.while_loop(s),
            StmtKind::AssertStmt(s) => {
                let message =
                    s.message.as_node::<StringImm>().map_or(String::new(), |text| text.value.to_string());
                self.assertion(&s.condition, message)?;
                self.stmt(&s.body);
                Ok(())
            }
            StmtKind::Evaluate(s) => self.scoped(|this| this.evaluate(&s.value)),
            StmtKind::AttrStmt(s) => self.attribute(s, stmt),
            StmtKind::Allocate(s) => self.allocate_stmt(s),
            StmtKind::AllocateConst(s) => self.allocate_const(s),
            StmtKind::DeclBuffer(s) => self.scoped(|this| {
                this.allocate_buffer(&s.buffer)?;
                this.stmt(&s.body);
                Ok(())
            }),
            StmtKind::BufferRealize(s) => self.scoped(|this| {
                this.allocate_buffer(&s.buffer)?;
                this.stmt(&s.body);
                Ok(())
            }),
            StmtKind::BlockRealize(s) => self.scoped(|this| this.block_realize(s)),
            StmtKind::Block(block) => self.scoped(|this| this.block(block, None)),
            StmtKind::Other(other) => {
                if let Some(s) = other.as_node::<Bind>() {
                    let value = self.expr(&s.value)?;
                    self.bind(&s.var, value);
                    Ok(())
                } else if let Some(s) = other.as_node::<AllocBuffer>() {
                    self.allocate_buffer(&s.buffer)
                } else if let Some(s) = other.as_node::<DeclBuffer>() {
                    if let Some(data) = &s.data {
                        let pointer = self.scalar(data)?;
                        self.bind(&s.buffer.data, vec![pointer]);
                    }
                    self.allocate_buffer(&s.buffer)
                } else if let Some(s) = other.as_node::<AssertStmt>() {
                    let message = s.message_parts.iter().map(|part| part.value.as_str()).collect();
                    self.assertion(&s.condition, message)
                } else {
                    unsupported(format!("the statement {}", other.object().info().display_key()))
                }
            }
        }
    }

    fn assertion(&mut self, condition: &Expr, message: String) -> Result<()> {
        self.scoped(|this| {
            let condition = this.scalar(condition)?;
            let holds = this.jump_if(condition);
            this.fail(RunErrorKind::Assertion { message });
            this.land(holds);
            Ok(())
        })
    }

    fn conditional(&mut self, s: &IfThenElse) -> Result<()> {
        self.open_scope();
        let condition = self.scalar(&s.condition);
        let condition = condition.inspect_err(|_| self.close_scope())?;
        let otherwise = self.jump_unless(condition);
        self.close_scope();
        self.body(&s.then_case);
        match &s.else_case {
            None => self.land(otherwise),
            Some(other) => {
                let out = self.jump();
                self.land(otherwise);
                self.body(other);
                self.land(out);
            }
        }
        Ok(())
    }

    /// Compiles a statement in a scope of its own.
    pub(super) fn body(&mut self, stmt: &StmtRef) {
        self.open_scope();
        self.meet_before(stmt);
        self.stmt(stmt);
        self.close_scope();
    }

    fn attribute(&mut self, s: &AttrStmt, stmt: &StmtRef) -> Result<()> {
        match s.launched_thread() {
            Some(axis) => self.launch(s, axis, stmt),
            None => self.scoped(|this| {
                this.enter_attribute(s);
                this.stmt(&s.body);
                Ok(())
            }),
        }
    }

    fn allocate_stmt(&mut self, s: &Allocate) -> Result<()> {
        self.scoped(|this| {
            let scope = pointer_scope(&s.buffer_var);
            let count = this.count(&s.extents)?;
            let pointer = this.allocate(s.dtype, count, &scope)?;
            this.bind(&s.buffer_var, vec![pointer]);
            this.memory.insert(s.buffer_var.object().address(), (s.dtype, count));
            this.stmt(&s.body);
            Ok(())
        })
    }

    /// Allocates the memory of a thread again that was allocated before the launch.
    pub(super) fn allocate_for_threads(&mut self, stmt: &StmtRef) {
        let (pointers, buffers) = memory_of_threads(stmt);
        let mut own = HashSet::new();
        for var in &pointers {
            let key = var.object().address();
            if self.is_bound(var)
                && let Some((dtype, count)) = self.memory.get(&key).copied()
                && let Ok(pointer) = self.allocate(dtype, count, "local")
            {
                self.bind(var, vec![pointer]);
                own.insert(key);
            }
        }
        for buffer in buffers.iter().filter(|buffer| own.contains(&buffer.data.object().address())) {
            let view = self.views.get(&buffer.object().address()).cloned();
            if let (Some(view), Some(lanes)) = (view, self.lanes_of(&buffer.data))
                && let Some(pointer) = lanes.first().copied()
            {
                self.declare(buffer, View { pointer, ..view });
            }
        }
    }

    fn allocate_const(&mut self, s: &AllocateConst) -> Result<()> {
        let Some(data) = &s.data else { return unsupported("a constant that is kept elsewhere") };
        self.scoped(|this| {
            let count = this.count(&s.extents)?;
            let pointer = this.allocate(s.dtype, count, "global")?;
            this.program.data.push(data.bytes().unwrap_or_default().to_vec());
            let data = this.program.data.len() as u32 - 1;
            this.emit(I::Fill { data, p: pointer });
            this.bind(&s.buffer_var, vec![pointer]);
            this.stmt(&s.body);
            Ok(())
        })
    }

    /// The number of elements of a shape. A negative extent makes it negative.
    fn count(&mut self, extents: &Array<Expr>) -> Result<Register> {
        let extents = self.scalars(extents.iter())?;
        Ok(self.product(&extents))
    }

    /// Allocates elements of a type for the time of the scope, or for all threads of a block.
    pub(super) fn allocate(&mut self, dtype: DataType, count: Register, scope: &str) -> Result<Register> {
        let Some(size) = storage_bytes(dtype.element()).filter(|_| dtype.lanes > 0) else {
            return crate::error::unsupported_type(dtype);
        };
        let bytes = (size * dtype.lanes as usize) as u32;
        let d = self.permanent(0);
        if self.kernel.is_some() && is_shared(scope) {
            self.emit(I::AllocateShared { bytes, d, count });
            return Ok(d);
        }
        self.emit(I::Allocate { bytes, d, count });
        if let Some(scope) = self.scopes.last_mut() {
            scope.allocations.push(d);
        }
        Ok(d)
    }

    /// Declares a buffer over the memory of its data variable, or with memory of its own. Strides may leave gaps, such as padding at the end of rows.
    pub(super) fn allocate_buffer(&mut self, buffer: &Ref<Buffer>) -> Result<()> {
        if let Some(pointer) = self.lanes_of(&buffer.data).and_then(|lanes| lanes.first().copied()) {
            // The pointer was defined before, as that of a barrier is.
            let view = self.layout(buffer, pointer)?;
            self.declare(buffer, view);
            return Ok(());
        }
        let zero = self.int(0);
        let mut view = self.layout(buffer, zero)?;
        let count = match buffer.strides.is_empty() {
            true => self.product(&view.shape),
            false => self.last_element(&view),
        };
        view.pointer = self.allocate(buffer.dtype, count, &buffer.scope())?;
        self.bind(&buffer.data, vec![view.pointer]);
        self.memory.insert(buffer.data.object().address(), (buffer.dtype, count));
        self.declare(buffer, view);
        Ok(())
    }

    /// The number of elements from the first to the last one of an array with gaps.
    fn last_element(&mut self, view: &View) -> Register {
        let mut sum = self.int(1);
        let minus = self.int(-1);
        for (extent, stride) in view.shape.iter().zip(&view.strides) {
            let last = self.add(*extent, minus);
            let part = self.mul(last, *stride);
            sum = self.add(sum, part);
        }
        sum
    }

    fn evaluate(&mut self, value: &Expr) -> Result<()> {
        match value.kind() {
            // What is left of a statement that was removed.
            ExprKind::IntImm(_) | ExprKind::FloatImm(_) | ExprKind::StringImm(_) => Ok(()),
            _ => self.expr(value).map(|_| ()),
        }
    }
}

/// Tests whether all threads of a block have one copy of memory in a scope.
pub(crate) fn is_shared(scope: &str) -> bool {
    !(scope == "local" || scope.starts_with("local.") && scope != "local.fragment")
}

/// The scope of a pointer's memory.
pub(crate) fn pointer_scope(variable: &Ref<Var>) -> String {
    let pointer = variable.type_annotation.as_node::<tvmscript_prim::PointerType>();
    pointer.map_or(String::new(), |pointer| pointer.storage_scope.to_string())
}

/// Tests whether a variable is a pointer to memory that each thread has for itself.
pub(crate) fn is_of_thread(var: &Ref<Var>) -> bool {
    let scope = pointer_scope(var);
    !scope.is_empty() && !is_shared(&scope)
}

/// Pointers to memory that each thread has for itself, and buffers in it, that a statement uses.
pub(crate) fn memory_of_threads(stmt: &StmtRef) -> (Vec<Ref<Var>>, Vec<Ref<Buffer>>) {
    let (mut pointers, mut buffers) = (Vec::new(), Vec::new());
    pre_order_visit(stmt, |node| {
        pointers.extend(node.downcast_ref::<Var>().filter(|var| is_of_thread(var)).cloned());
        buffers.extend(node.downcast_ref::<Buffer>().filter(|buffer| is_of_thread(&buffer.data)).cloned());
        true
    });
    (pointers, buffers)
}
