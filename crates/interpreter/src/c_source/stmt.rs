//! Statements.

use tvmscript_ir_core::{Array, DataType, Ref, with_stack};
use tvmscript_prim::{CommReducer, Expr, ExprKind, ExprView as _, PrimExprExt as _, StringImm, Var};
use tvmscript_tir::node::{Allocate, AllocateConst, AttrStmt, Buffer, StmtKind, StmtRef, StmtView as _};
use tvmscript_tirx::{AllocBuffer, AssertStmt, Bind, DeclBuffer};

use super::buffer::{View, based};
use super::expr::not;
use super::helpers::Helper;
use super::lines::comment;
use super::types::{declare, pointer_type, storage_type};
use super::value::{Level, Value};
use super::{Lanes, Writer};
use crate::compile::{is_shared, pointer_scope};
use crate::error::{Result, unsupported};

/// Bytes of constant size that are put on the stack.
const MAX_STACK: i128 = 4096;
/// Maximum number of bytes on the stack of a function.
const MAX_FRAME: i128 = 1 << 18;

impl Writer<'_> {
    /// Writes a statement. Errors are collected, and the next statement is written all the same.
    pub(super) fn stmt(&mut self, stmt: &StmtRef) {
        match self.is_joint() && !self.stays_outside(stmt) {
            true => self.threads(&[stmt]),
            false => self.written(stmt),
        }
    }

    /// Writes a statement at this place: in a group, one at which threads meet.
    pub(super) fn written(&mut self, stmt: &StmtRef) {
        let outer = self.enter_span(stmt.span());
        if let Err(error) = with_stack(|| self.stmt_kind(stmt)) {
            self.refuse(error);
        }
        self.leave_span(outer);
    }

    fn stmt_kind(&mut self, stmt: &StmtRef) -> Result<()> {
        self.check_size()?;
        match stmt.kind() {
            StmtKind::SeqStmt(s) => {
                match self.is_joint() {
                    true => self.joint_sequence(&s.seq),
                    false => s.seq.iter().for_each(|stmt| self.stmt(stmt)),
                }
                Ok(())
            }
            StmtKind::BufferStore(s) => self.with_exchanges(stmt.object(), |this| {
                this.each_thread(|this| this.store(&s.buffer, &s.indices, &s.value, s.predicate.as_ref()))
            }),
            StmtKind::LetStmt(s) => self.scoped(|this| {
                this.define(&s.var, &s.value)?;
                this.stmt(&s.body);
                Ok(())
            }),
            StmtKind::IfThenElse(s) => self.conditional(s, stmt),
            StmtKind::For(s) => self.for_loop(s, stmt),
            StmtKind::While(s) => self.while_loop(s, stmt),
            StmtKind::AssertStmt(s) => {
                let message =
                    s.message.as_node::<StringImm>().map_or(String::new(), |text| text.value.to_string());
                self.check(&s.condition, &message)?;
                self.stmt(&s.body);
                Ok(())
            }
            StmtKind::Evaluate(s) => self.evaluate(&s.value),
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
            StmtKind::BlockRealize(s) => self.scoped(|this| this.block_realize(s, stmt)),
            StmtKind::Block(block) => self.scoped(|this| this.block(block, None)),
            StmtKind::Other(other) => {
                if let Some(s) = other.as_node::<Bind>() {
                    self.define(&s.var, &s.value)
                } else if let Some(s) = other.as_node::<AllocBuffer>() {
                    self.allocate_buffer(&s.buffer)
                } else if let Some(s) = other.as_node::<DeclBuffer>() {
                    if let Some(data) = &s.data {
                        self.define(&s.buffer.data, data)?;
                    }
                    self.allocate_buffer(&s.buffer)
                } else if let Some(s) = other.as_node::<AssertStmt>() {
                    let message: String = s.message_parts.iter().map(|part| part.value.as_str()).collect();
                    self.check(&s.condition, &message)
                } else {
                    unsupported(format!("the statement {}", other.object().info().display_key()))
                }
            }
        }
    }

    /// Declares a variable with the value of an expression.
    fn define(&mut self, var: &Ref<Var>, value: &Expr) -> Result<()> {
        self.with_exchanges(value.object(), |this| this.define_value(var, value))
    }

    fn define_value(&mut self, var: &Ref<Var>, value: &Expr) -> Result<()> {
        let dtype = value.dtype().element();
        if self.is_of_threads(value) {
            return self.define_for_threads(var, value);
        }
        let hint = var.name.get().to_string();
        let lanes = self.expr(value)?;
        let mut out = Lanes::new();
        for value in lanes {
            out.push(match dtype.is_handle() {
                true => self.pointer_variable(var, value),
                false => self.constant(&hint, value, dtype)?,
            });
        }
        self.bind(var, out);
        Ok(())
    }

    /// Declares a pointer; its type is that of what all buffers over the memory have.
    fn pointer_variable(&mut self, var: &Ref<Var>, value: Value) -> Value {
        let points_to = self.aliases.element_of(var);
        let ctype = pointer_type(points_to);
        let name = self.names.define(var.name.get().as_str());
        let text = if value.points_to == points_to { value.text } else { value.cast_to(&ctype) };
        self.line(format!("{} = {text};", declare(&ctype, &name)));
        Value::pointer(name, Level::Atom, points_to)
    }

    fn check(&mut self, condition: &Expr, message: &str) -> Result<()> {
        self.each_thread(|this| {
            let condition = this.scalar(condition)?;
            this.assertion(&condition, message)
        })
    }

    pub(super) fn assertion(&mut self, condition: &Value, message: &str) -> Result<()> {
        if self.lazy > 0 {
            return unsupported("an assertion inside of a condition");
        }
        let reason = if message.is_empty() { String::new() } else { format!(" {}", comment(message)) };
        self.line(format!("if ({}) {{{reason}", not(condition).text));
        self.depth += 1;
        self.line("abort();".to_owned());
        self.depth -= 1;
        self.line("}".to_owned());
        Ok(())
    }

    fn attribute(&mut self, s: &AttrStmt, stmt: &StmtRef) -> Result<()> {
        match s.launched_thread() {
            Some(axis) => self.launch(s, axis, stmt),
            None => {
                let reducer = s.node.as_object().and_then(|node| node.downcast_ref::<CommReducer>());
                let reducer = reducer.filter(|_| self.group.is_some());
                if let (Some(reducer), Some(group)) = (reducer, &mut self.group) {
                    group.reducers.push(reducer.clone());
                }
                self.stmt(&s.body);
                if let (Some(_), Some(group)) = (reducer, &mut self.group) {
                    group.reducers.pop();
                }
                Ok(())
            }
        }
    }

    fn allocate_stmt(&mut self, s: &Allocate) -> Result<()> {
        self.scoped(|this| {
            let scope = pointer_scope(&s.buffer_var);
            // Shared memory is there already.
            if this.group.is_none() || !is_shared(&scope) {
                let count = this.count(&s.extents)?;
                this.allocate(&s.buffer_var, s.dtype, count, &scope)?;
            }
            this.stmt(&s.body);
            Ok(())
        })
    }

    fn allocate_const(&mut self, s: &AllocateConst) -> Result<()> {
        let Some(bytes) = s.data.as_ref().and_then(|data| data.bytes()) else {
            return unsupported("a constant that is kept elsewhere");
        };
        self.scoped(|this| {
            let count = this.count(&s.extents)?;
            this.allocate(&s.buffer_var, s.dtype, count, "global")?;
            if let Some(pointer) = this.first_lane(&s.buffer_var).filter(|_| !bytes.is_empty()) {
                let name = this.names.define("bytes");
                this.line(format!("static const uint8_t {name}[] = {{"));
                for row in bytes.chunks(24) {
                    this.check_size()?;
                    let row: Vec<String> = row.iter().map(u8::to_string).collect();
                    this.line(format!("    {},", row.join(", ")));
                }
                this.line("};".to_owned());
                this.line(format!("memcpy({}, {name}, sizeof {name});", pointer.text));
            }
            this.stmt(&s.body);
            Ok(())
        })
    }

    /// The number of elements of a shape.
    pub(super) fn count(&mut self, extents: &Array<Expr>) -> Result<Value> {
        extents.iter().try_fold(Value::count(1), |count, extent| Ok(count.index_mul(&self.index(extent)?)))
    }

    /// Allocates zeroed elements of a type for the time of the scope; outside of loops over threads, for each of them if
    /// they do not share it.
    pub(super) fn allocate(
        &mut self,
        var: &Ref<Var>,
        dtype: DataType,
        count: Value,
        scope: &str,
    ) -> Result<()> {
        if self.lazy > 0 {
            return unsupported("an allocation inside of a condition");
        }
        self.memory.insert(var.object().address(), (dtype, count.clone()));
        let lanes = super::buffer::scalars_of(dtype)?;
        let storage = storage_type(dtype.element())?;
        let points_to = self.aliases.element_of(var);
        let count = count.index_mul(&Value::count(lanes as i64));
        let (start, count) = match &self.group {
            Some(group) if self.is_joint() && !is_shared(scope) => {
                (Some(group.linear.index_mul(&count)), group.count.index_mul(&count))
            }
            _ => (None, count),
        };
        let size = crate::scalar::storage_bytes(dtype.element()).unwrap_or(8) as i128;
        let name = self.names.define(var.name.get().as_str());
        if points_to == Some(storage) && self.takes_stack(&count, size) {
            self.line(format!("{}[{}] = {{0}};", declare(storage, &name), count.text));
        } else {
            self.line_of_heap(&pointer_type(points_to), &name, &count, storage);
        }
        let mut pointer = Value::pointer(name, Level::Atom, points_to);
        if let Some(start) = start {
            let memory = pointer.clone();
            pointer = self.element_at(&memory, &start, dtype.element())?;
            pointer.base = Some(Box::new((memory, start)));
        }
        self.bind(var, vec![pointer]);
        Ok(())
    }

    /// Tests whether elements of a size are put on the stack, and takes them from what is left of it.
    pub(super) fn takes_stack(&mut self, count: &Value, size: i128) -> bool {
        let bytes = count.known().filter(|count| *count > 0).and_then(|count| count.checked_mul(size));
        let fits = bytes.filter(|bytes| *bytes <= MAX_STACK && self.stack_bytes + bytes <= MAX_FRAME);
        self.stack_bytes += fits.unwrap_or_default();
        fits.is_some()
    }

    /// Allocates elements until the end of the scope.
    pub(super) fn line_of_heap(&mut self, pointer: &str, name: &str, count: &Value, element: &str) {
        let helper = self.helper(Helper::Allocate);
        self.line(format!("{} = {helper}({}, sizeof({element}));", declare(pointer, name), count.text));
        if let Some(scope) = self.scopes.last_mut() {
            scope.allocations.push(name.to_owned());
        }
    }

    /// Declares a buffer over the memory of its data variable, or with memory of its own. Strides may leave gaps, such as padding at the end of rows.
    pub(super) fn allocate_buffer(&mut self, buffer: &Ref<Buffer>) -> Result<()> {
        let Some(pointer) = self.first_lane(&buffer.data) else {
            let view = self.allocate_memory(buffer)?;
            self.declare(buffer, view);
            return Ok(());
        };
        // One that lies elsewhere in each thread gets its layout where it is used.
        if !self.has_layouts_of_threads(buffer) {
            let view = self.layout(buffer, pointer)?;
            self.declare(buffer, view);
        }
        Ok(())
    }

    /// Allocates the memory of a buffer.
    pub(super) fn allocate_memory(&mut self, buffer: &Ref<Buffer>) -> Result<View> {
        if self.has_layouts_of_threads(buffer) {
            return unsupported("memory of a size that may differ in each thread");
        }
        let unknown = Value::pointer("NULL", Level::Atom, None);
        let view = self.layout(buffer, unknown)?;
        let count = match buffer.strides.is_empty() {
            true => view.shape.iter().fold(Value::count(1), |count, extent| count.index_mul(extent)),
            false => last_element(&view),
        };
        self.allocate(&buffer.data, buffer.dtype, count, buffer.scope().as_str())?;
        Ok(match self.first_lane(&buffer.data) {
            Some(pointer) => based(View { pointer, ..view }, buffer),
            None => view,
        })
    }

    pub(super) fn evaluate(&mut self, value: &Expr) -> Result<()> {
        match value.kind() {
            // What is left of a statement that was removed.
            ExprKind::IntImm(_) | ExprKind::FloatImm(_) | ExprKind::StringImm(_) => Ok(()),
            _ if self.is_joint() => self.joint_evaluate(value),
            _ => {
                for lane in self.expr(value)? {
                    if !lane.is_literal && !lane.text.is_empty() {
                        self.line(format!("(void){};", lane.at(Level::Unary)));
                    }
                }
                Ok(())
            }
        }
    }

    /// Writes an expression for its effect.
    pub(super) fn effect(&mut self, text: String) -> Result<()> {
        if self.lazy > 0 {
            return unsupported("an operation on memory inside of a condition");
        }
        self.line(format!("{text};"));
        Ok(())
    }

    /// Writes a return from the function.
    pub(super) fn return_value(&mut self, value: Option<&Expr>) -> Result<()> {
        if self.lazy > 0 {
            return unsupported("a return inside of a condition");
        }
        if self.group.is_some() {
            return unsupported("a return of a thread that others wait for");
        }
        let value = match (value, self.result) {
            (Some(value), Some(result)) => {
                let own = value.dtype().element();
                let value = self.scalar(value)?;
                let value = self.cast(value, own, result)?;
                // The memory that it reads is freed before.
                Some(if self.allocations(0).is_empty() {
                    value
                } else {
                    self.hoisted("result", value, result)?
                })
            }
            (None, Some(_)) => Some(Value::count(0)),
            (_, None) => None,
        };
        self.free_from(0);
        self.line(value.map_or("return;".to_owned(), |value| format!("return {};", value.text)));
        Ok(())
    }

    /// Writes a jump out of the innermost loop or to its next iteration.
    pub(super) fn leave_loop(&mut self, jump: &str) -> Result<()> {
        let Some(scope) = self.loops.last().copied() else {
            return unsupported(format!("a {jump} outside of loops"));
        };
        if self.lazy > 0 {
            return unsupported(format!("a {jump} inside of a condition"));
        }
        self.free_from(scope);
        self.line(format!("{jump};"));
        Ok(())
    }

    /// The allocated memory of the scopes from one on, innermost first.
    fn allocations(&self, scope: usize) -> Vec<String> {
        let scopes = self.scopes.get(scope..).unwrap_or_default();
        scopes.iter().rev().flat_map(|scope| scope.allocations.iter().rev().cloned()).collect()
    }

    fn free_from(&mut self, scope: usize) {
        for name in self.allocations(scope) {
            self.line(format!("free({name});"));
        }
    }
}

/// The number of elements from the first to the last one of an array with gaps.
fn last_element(view: &View) -> Value {
    let mut sum = Value::count(1);
    for (extent, stride) in view.shape.iter().zip(&view.strides) {
        let last = extent.index_add(&Value::count(-1));
        sum = sum.index_add(&last.index_mul(stride));
    }
    sum
}
