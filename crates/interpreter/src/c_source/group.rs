//! Groups of threads that meet at barriers.
//!
//! Between two meetings, statements are a loop over the threads. Statements in which threads meet stand outside of these loops,
//! once for the group: their bounds and conditions are those of all threads. Values of a thread that live across a meeting
//! are elements of arrays, with one element per thread; memory that threads share is allocated before the first loop.
//!
//! Outside of the loops, the names of the indices are those of the first thread: what is the same for all threads is
//! computed with its values.

use std::collections::HashSet;

use tvmscript_ir_core::{DataType, Ref, pre_order_visit, with_stack};
use tvmscript_prim::{CommReducer, Expr};
use tvmscript_tir::node::{Allocate, Block, Buffer, BufferLoad, StmtRef};
use tvmscript_tirx::AllocBuffer;

use super::expr::lane_of;
use super::loops::Range;
use super::meetings::Meetings;
use super::types::{declare, pointer_type, value_type};
use super::value::{Level, Value};
use super::varying::Varying;
use super::{Lanes, Writer};
use crate::compile::{AXES, Axis, Launch, is_shared, memory_of_threads, pointer_scope};
use crate::error::{Result, unsupported};
use crate::threads::MAX_THREADS;

/// The threads that run statements together.
#[derive(Debug)]
pub(super) struct Group {
    /// The indices of a thread and their ends; 0 and 1 for axes that are not launched.
    pub(super) indices: [Value; 3],
    pub(super) extents: [Value; 3],
    /// The number of a thread in the group, and the number of threads.
    pub(super) linear: Value,
    pub(super) count: Value,
    /// The headers of the loops over the threads, outermost first.
    headers: Vec<String>,
    /// The conditions of the threads that take part, if not all do.
    masks: Vec<String>,
    /// A loop over the threads is open.
    is_inside: bool,
    /// The number of loops around the group.
    loops: usize,
    pub(super) meetings: Meetings,
    varying: Varying,
    pub(super) reducers: Vec<Ref<CommReducer>>,
}

/// An array with an element per thread.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    /// The array.
    pub(super) name: String,
    /// The element of a thread.
    pub(super) value: Value,
}

impl Writer<'_> {
    /// Writes a launch of threads that meet: loops over blocks around a group; `false` if it is none.
    pub(super) fn launch_group(&mut self, stmt: &StmtRef, is_launch: bool) -> Result<bool> {
        if self.group.is_some() {
            return Ok(false);
        }
        let Some(Launch { threads, blocks }) = Launch::of_waiting(stmt, is_launch) else { return Ok(false) };
        self.block_loops(&blocks, &mut |this| this.scoped(|this| this.group(&threads, stmt)))?;
        Ok(true)
    }

    fn block_loops(&mut self, blocks: &[Axis], body: &mut dyn FnMut(&mut Self) -> Result<()>) -> Result<()> {
        let Some((axis, blocks)) = blocks.split_first() else { return body(self) };
        let extent = self.index(&axis.extent)?;
        let name = axis.var.name.get().to_string();
        let range = Range::up_to(&name, axis.var.dtype.element(), extent);
        self.range(range, |this, index| {
            this.axes.push((axis.tag.clone(), index));
            let result = with_stack(|| this.block_loops(blocks, body));
            this.axes.pop();
            result
        })?
    }

    fn group(&mut self, threads: &[Axis], stmt: &StmtRef) -> Result<()> {
        let one = || Value::count(1);
        let (mut indices, mut extents) = ([(); 3].map(|()| Value::count(0)), [(); 3].map(|()| one()));
        let (mut linear, mut count) = (Value::count(0), one());
        let (mut headers, mut first, mut tags) = (Vec::new(), Vec::new(), Vec::new());
        for ((tag, index), extent) in AXES.into_iter().zip(&mut indices).zip(&mut extents) {
            let Some(axis) = threads.iter().find(|axis| axis.tag == tag) else { continue };
            let value = self.index(&axis.extent)?;
            *extent = self.hoisted("threads", value, DataType::INT64)?;
            if extent.known() == Some(1) {
                continue;
            }
            let dtype = axis.var.dtype.element();
            let (ctype, name) = (value_type(dtype)?, self.names.define(axis.var.name.get().as_str()));
            headers.insert(0, format!("for ({ctype} {name} = 0; {name} < {}; ++{name})", extent.text));
            first.push(format!("const {ctype} {name} = 0;"));
            tags.push(tag);
            *index = Value::atom(name, dtype).with_bounds((0, (extent.bounds.1 - 1).max(0)));
            linear = linear.index_add(&index.index_mul(&count));
            count = count.index_mul(extent);
        }
        if count.known().is_some_and(|count| count > i128::from(MAX_THREADS)) {
            return unsupported(format!("a block of {} threads", count.text));
        }
        let count = self.hoisted("threads", count, DataType::INT64)?;
        for (number, line) in first.into_iter().enumerate() {
            let comment =
                if number == 0 { " /* outside of loops over threads: the first one */" } else { "" };
            self.line(format!("{line}{comment}"));
        }
        let known = self.axes.len();
        self.axes.extend(AXES.into_iter().map(str::to_owned).zip(indices.iter().cloned()));
        self.group = Some(Group {
            indices,
            extents,
            linear,
            count,
            headers,
            masks: Vec::new(),
            is_inside: false,
            loops: self.loops.len(),
            meetings: Meetings::of(stmt, self.is_guarded),
            varying: Varying::of(stmt, &tags, &self.aliases),
            reducers: Vec::new(),
        });
        let result = self.allocate_for_threads(stmt).and_then(|()| self.allocate_shared(stmt));
        if result.is_ok() {
            self.stmt(stmt);
        }
        self.group = None;
        self.axes.truncate(known);
        result
    }

    /// Allocates the memory of a thread again that was allocated before the launch.
    fn allocate_for_threads(&mut self, stmt: &StmtRef) -> Result<()> {
        let (pointers, buffers) = memory_of_threads(stmt);
        let mut own = HashSet::new();
        for var in &pointers {
            let key = var.object().address();
            if self.first_lane(var).is_some()
                && let Some((dtype, count)) = self.memory.get(&key).cloned()
            {
                self.allocate(var, dtype, count, "local")?;
                own.insert(key);
            }
        }
        for buffer in buffers.iter().filter(|buffer| own.contains(&buffer.data.object().address())) {
            if self.views.contains_key(&buffer.object().address())
                && let Some(pointer) = self.first_lane(&buffer.data)
            {
                let view = self.layout(buffer, pointer)?;
                self.declare(buffer, view);
            }
        }
        Ok(())
    }

    /// Allocates what the threads of a group share.
    fn allocate_shared(&mut self, stmt: &StmtRef) -> Result<()> {
        let (mut memory, mut buffers) = (Vec::new(), Vec::new());
        let mut add = |buffer: &Ref<Buffer>| {
            if is_shared(buffer.scope().as_str()) {
                buffers.push(buffer.clone());
            }
        };
        pre_order_visit(stmt, |node| {
            if let Some(s) = node.as_node::<Allocate>().filter(|s| is_shared(&pointer_scope(&s.buffer_var))) {
                memory.push((s.buffer_var.clone(), s.dtype, s.extents.clone()));
            } else if let Some(s) = node.as_node::<AllocBuffer>() {
                add(&s.buffer);
            } else if let Some(block) = node.as_node::<Block>() {
                block.alloc_buffers.iter().for_each(&mut add);
            }
            true
        });
        for (var, dtype, extents) in memory {
            let count = self.count(&extents)?;
            self.allocate(&var, dtype, count, "shared")?;
        }
        for buffer in buffers {
            if self.first_lane(&buffer.data).is_none() {
                self.allocate_memory(&buffer)?;
            }
        }
        Ok(())
    }

    /// Tests whether statements are written once for the threads of a group.
    pub(super) fn is_joint(&self) -> bool {
        self.group.as_ref().is_some_and(|group| !group.is_inside)
    }

    /// Tests whether a statement stands outside of loops over threads.
    pub(super) fn stays_outside(&self, stmt: &StmtRef) -> bool {
        self.group
            .as_ref()
            .is_some_and(|group| group.meetings.is_inside(stmt) || self.leaves_loop(group, stmt))
    }

    /// Tests whether a statement has a jump out of a loop around it that the threads of a group run together.
    fn leaves_loop(&self, group: &Group, stmt: &StmtRef) -> bool {
        self.loops.len() > group.loops && group.meetings.has_jump(stmt)
    }

    /// Tests whether an expression may have another value in another thread.
    pub(super) fn differs(&self, expr: &Expr) -> bool {
        self.group.as_ref().is_some_and(|group| group.varying.differs(expr, &self.aliases))
    }

    /// Tests whether an expression cannot be computed once for the group. Where only some threads take part, it may be that
    /// none of them computes it.
    pub(super) fn is_of_threads(&self, expr: &Expr) -> bool {
        self.is_joint() && (self.mask().is_some() || self.differs(expr))
    }

    /// Tests whether the layout of a buffer is not that of all threads.
    pub(super) fn has_layouts_of_threads(&self, buffer: &Buffer) -> bool {
        let differs = |group: &Group| group.varying.layout_differs(buffer, &self.aliases);
        self.is_joint() && self.group.as_ref().is_some_and(differs)
    }

    /// Fails if a loop around a meeting differs between the threads.
    pub(super) fn check_loop(&self, stmt: &StmtRef, bounds: &[&Expr]) -> Result<()> {
        let Some(group) = self.group.as_ref().filter(|_| self.is_joint()) else { return Ok(()) };
        let is_masked = !group.masks.is_empty();
        if bounds.iter().any(|bound| self.differs(bound) || is_masked && reads(bound)) {
            return unsupported("a barrier in a loop that may run differently in each thread");
        }
        match group.varying.is_left(stmt) {
            true => unsupported("a barrier in a loop that some threads may leave before others"),
            false => Ok(()),
        }
    }

    /// Writes what each thread does between two meetings.
    pub(super) fn each_thread<T>(&mut self, body: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let Some(group) = self.group.as_ref().filter(|group| !group.is_inside) else { return body(self) };
        let mut headers = group.headers.clone();
        headers.extend(group.masks.last().map(|mask| format!("if ({mask})")));
        if headers.is_empty() {
            // A single thread.
            headers.push(String::new());
        }
        let start = self.lines.len();
        headers.iter().for_each(|header| self.open_block(header));
        let opened = self.lines.len();
        let result = self.once(body);
        let is_empty = self.lines.len() == opened;
        headers.iter().for_each(|_| self.close_block());
        if is_empty {
            self.lines.truncate(start);
        }
        result
    }

    /// Writes the statements of one thread: the loops of the group are not theirs.
    pub(super) fn once<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        self.set_inside(true);
        let loops = std::mem::take(&mut self.loops);
        let result = body(self);
        self.loops = loops;
        self.set_inside(false);
        result
    }

    pub(super) fn has_step_before(&self, stmt: &StmtRef) -> bool {
        self.group.as_ref().is_some_and(|group| group.meetings.is_before(stmt))
    }

    pub(super) fn runs_once(&self, stmt: &StmtRef) -> bool {
        self.group.as_ref().is_some_and(|group| group.masks.is_empty() && group.meetings.is_once(stmt))
    }

    /// Tests whether a statement has to be run by all threads: it has a barrier, or a jump out of a loop around one.
    pub(super) fn has_barrier(&self, stmt: &StmtRef) -> bool {
        self.group
            .as_ref()
            .is_some_and(|group| group.meetings.has_barrier(stmt) || self.leaves_loop(group, stmt))
    }

    fn set_inside(&mut self, is_inside: bool) {
        if let Some(group) = &mut self.group {
            group.is_inside = is_inside;
        }
    }

    /// Declares an array with an element per thread: its name, and the element.
    fn thread_array(&mut self, hint: &str, ctype: &str) -> Result<(String, String)> {
        let Some(group) = &self.group else { return unsupported("a value of a thread outside of a launch") };
        let (count, index) = (group.count.clone(), group.linear.text.clone());
        let name = self.names.define(hint);
        let element = format!("{name}[{index}]");
        if self.takes_stack(&count, 8) {
            self.line(format!("{}[{}] = {{0}};", declare(ctype, &name), count.text));
        } else {
            self.line_of_heap(&pointer_type(Some(ctype)), &name, &count, ctype);
        }
        Ok((name, element))
    }

    /// Computes values in each thread, and keeps them for later statements.
    pub(super) fn kept(
        &mut self,
        hint: &str,
        dtype: DataType,
        lanes: usize,
        compute: impl FnOnce(&mut Self) -> Result<Lanes>,
    ) -> Result<Vec<Kept>> {
        self.kept_pointers(hint, dtype, lanes, None, compute)
    }

    /// Computes values in each thread as [`Writer::kept`]; of pointers, the type that they point to.
    pub(super) fn kept_pointers(
        &mut self,
        hint: &str,
        dtype: DataType,
        lanes: usize,
        points_to: Option<&'static str>,
        compute: impl FnOnce(&mut Self) -> Result<Lanes>,
    ) -> Result<Vec<Kept>> {
        let ctype = match dtype.is_handle() {
            true => pointer_type(points_to),
            false => value_type(dtype)?.to_owned(),
        };
        let arrays =
            (0..lanes.max(1)).map(|_| self.thread_array(hint, &ctype)).collect::<Result<Vec<_>>>()?;
        let values = self.each_thread(|this| {
            let values = compute(this)?;
            for (lane, (_, element)) in arrays.iter().enumerate() {
                let value = lane_of(&values, lane)?;
                let is_cast = dtype.is_handle() && points_to.is_some() && value.points_to != points_to;
                let text = if is_cast { value.cast_to(&ctype) } else { value.text.clone() };
                this.line(format!("{element} = {text};"));
            }
            Ok(values)
        })?;
        let mut kept = Vec::new();
        for (lane, (name, element)) in arrays.into_iter().enumerate() {
            let bounds = lane_of(&values, lane)?.bounds;
            let value = match dtype.is_handle() {
                true => Value::pointer(element, Level::Atom, points_to),
                false => Value::atom(element, dtype).with_bounds(bounds),
            };
            kept.push(Kept { name, value });
        }
        Ok(kept)
    }

    /// Writes a part in which only the threads take part for which a value is not 0.
    pub(super) fn masked(&mut self, condition: String, part: impl FnOnce(&mut Self)) -> Result<()> {
        if let Some(group) = &mut self.group {
            group.masks.push(condition);
        }
        let result = self.scoped(|this| {
            part(this);
            Ok(())
        });
        if let Some(group) = &mut self.group {
            group.masks.pop();
        }
        result
    }

    /// The condition of the threads that take part, if not all do.
    pub(super) fn mask(&self) -> Option<String> {
        self.group.as_ref().and_then(|group| group.masks.last().cloned())
    }
}

fn reads(expr: &Expr) -> bool {
    let mut found = false;
    pre_order_visit(expr, |node| {
        found |= node.as_node::<BufferLoad>().is_some();
        !found
    });
    found
}
