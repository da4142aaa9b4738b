//! Launches: which threads run a body, and whether they have to run together.
//!
//! Threads that exchange nothing run one after the other, as a loop. Others become a group: each thread has its own
//! registers, and waits where it has to. All axes of a launch are known where it begins, so memory that is allocated
//! between two axes belongs to the right threads. On tiles, what a whole block does together runs once; if nothing else
//! happens, one thread stands for all.

use std::collections::HashSet;

use tvmscript_ir_core::containers::{ArrayNode, MapNode};
use tvmscript_ir_core::{Object, Ref, Value, pre_order_visit, with_stack};
use tvmscript_prim::{CommReducer, Expr, IntImm, PrimExpr, Var};
use tvmscript_tir::node::{
    AttrStmt, Block, BufferStore, For, ForKind, IterVar, StmtKind, StmtRef, StmtView as _,
};

use tvmscript_tirx::AnnotatedCall;

use super::pointer::call_of;
use super::stmt::{is_shared, pointer_scope};
use super::{Compiler, Jumps};
use crate::error::Result;
use crate::intrinsics::{Intrinsic, ThreadOperator, intrinsic};
use crate::program::{Group, Instruction as I, Position, Register};

/// The group of threads that instructions belong to.
#[derive(Debug, Clone)]
pub(crate) struct Kernel {
    pub(super) indices: [Register; 3],
    pub(super) extents: [Register; 3],
    pub(super) linear: Register,
    /// Statements that access shared memory, before each of which the threads meet.
    pub(super) meetings: HashSet<usize>,
    /// `true` while one thread runs for the whole block.
    pub(super) is_once: bool,
    pub(super) reducers: Vec<Ref<CommReducer>>,
}

/// The demands of a body on its threads.
#[derive(Debug, Clone, Default)]
pub(crate) struct Needs {
    /// Operators on tiles.
    tiles: bool,
    /// Waiting for each other, without operators on tiles.
    barriers: bool,
    /// Anything that depends on the number of threads.
    exchanges: bool,
    shared: bool,
    uses_index: bool,
}

/// Tests whether a call of an external function is an operation of all threads.
pub(crate) fn is_collective(
    (_, args): (&Ref<tvmscript_prim::BaseExpr>, &tvmscript_ir_core::Array<Expr>),
) -> bool {
    let name = args.first().and_then(|name| name.as_node::<tvmscript_prim::StringImm>());
    name.is_some_and(|name| ["tl::AllReduce", "tl::Cum"].iter().any(|known| name.value.starts_with(known)))
}

/// The axes of the threads of a group.
pub(crate) const AXES: [&str; 3] = ["threadIdx.x", "threadIdx.y", "threadIdx.z"];

impl Needs {
    fn of(root: &Object, is_index: &dyn Fn(&Object) -> bool) -> Needs {
        let mut needs = Needs::default();
        pre_order_visit(root, |node| {
            // The definition of an index is not a use.
            if node.as_node::<IterVar>().is_some_and(|axis| !axis.thread_tag.is_empty()) {
                return false;
            }
            if let Some(var) = node.downcast_ref::<Var>() {
                needs.uses_index |= is_index(node);
                let scope = pointer_scope(var);
                needs.shared |= scope.starts_with("shared");
            }
            let call = node.downcast_ref::<PrimExpr>().and_then(call_of);
            match call.and_then(|(op, _)| intrinsic(op)) {
                Some(Intrinsic::Tile(_)) => needs.tiles = true,
                Some(Intrinsic::Thread(ThreadOperator::ThreadIndex)) => needs.uses_index = true,
                Some(Intrinsic::Thread(ThreadOperator::Barrier)) => needs.barriers = true,
                Some(Intrinsic::Thread(_)) => needs.exchanges = true,
                // One that is written out as a function exchanges values, too.
                Some(Intrinsic::Extern) => needs.exchanges |= call.is_some_and(is_collective),
                _ => {}
            }
            true
        });
        needs
    }

    /// Tests whether a group of threads has to run together.
    fn together(&self, is_launch: bool) -> bool {
        match self.tiles {
            true => self.uses_index || self.exchanges,
            false => self.exchanges || self.barriers || self.shared && is_launch,
        }
    }
}

/// Tests whether a function is a program on tiles.
pub(crate) fn is_on_tiles(body: &StmtRef) -> bool {
    let mut found = false;
    pre_order_visit(body, |node| {
        let expr = node.downcast_ref::<PrimExpr>();
        let call = expr.and_then(call_of).and_then(|(op, _)| intrinsic(op));
        found |= matches!(call, Some(Intrinsic::Tile(_) | Intrinsic::Thread(ThreadOperator::ThreadIndex)));
        found |= node.as_node::<Block>().is_some_and(|block| launch_extents(block).is_some());
        !found
    });
    found
}

/// The axes of a launch.
#[derive(Debug)]
pub(crate) struct Launch {
    /// Those of the threads of a block.
    pub(crate) threads: Vec<Axis>,
    /// Those of blocks.
    pub(crate) blocks: Vec<Axis>,
}

impl Launch {
    /// The launch that begins with a statement; `None` if it launches no threads.
    fn of(stmt: &StmtRef) -> Option<Launch> {
        let (threads, mut blocks): (Vec<Axis>, Vec<Axis>) =
            axes_of(stmt).into_iter().partition(|axis| AXES.contains(&axis.tag.as_str()));
        blocks.retain(|axis| !axis.tag.contains("vthread"));
        (!threads.is_empty()).then_some(Launch { threads, blocks })
    }

    /// The same; `None` if its threads do not wait for each other, either.
    pub(crate) fn of_waiting(stmt: &StmtRef, is_launch: bool) -> Option<Launch> {
        Launch::of(stmt).filter(|_| Needs::of(stmt.object(), &|_| false).together(is_launch))
    }
}

/// The variables of the indices of threads that a node launches, by their addresses.
pub(crate) fn launched_indices(root: &Object) -> HashSet<usize> {
    let mut launched = HashSet::new();
    pre_order_visit(root, |node| {
        if let Some(axis) = node.as_node::<IterVar>()
            && axis.thread_tag.starts_with("threadIdx")
        {
            launched.insert(axis.var.object().address());
        }
        true
    });
    launched
}

/// Tests whether a statement uses no index of a thread, and writes nothing of single threads.
pub(crate) fn is_of_group(stmt: &StmtRef, is_index: impl Fn(&Object) -> bool) -> bool {
    let mut holds = true;
    pre_order_visit(stmt, |node| {
        holds &= node.downcast_ref::<Var>().is_none() || !is_index(node);
        holds &= node.as_node::<BufferStore>().is_none_or(|s| is_shared(s.buffer.scope().as_str()));
        holds
    });
    holds
}

/// The threads of a block of tiles, by its annotation.
fn launch_extents(block: &Block) -> Option<Vec<Value>> {
    Some(items(block.annotations.get_str("tl.launch_threads")?))
}

/// The elements of an array.
fn items(value: &Value) -> Vec<Value> {
    let array = value.as_object().and_then(|array| array.as_node::<ArrayNode>());
    array.map_or_else(Vec::new, |array| array.items().to_vec())
}

/// The number that an annotation holds.
pub(super) fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Int(number) => Some(*number),
        value => value.as_object()?.as_node::<IntImm>().map(|number| number.value),
    }
}

/// An axis of a launch.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    pub(crate) tag: String,
    pub(crate) extent: Expr,
    /// The variable of its first launch.
    pub(crate) var: Ref<Var>,
}

/// The name of an axis: its tag, or, without one, that of a variable.
pub(crate) fn name_of(axis: &IterVar) -> String {
    match axis.thread_tag.as_str() {
        "" => format!("axis {:x}", axis.var.object().address()),
        tag => tag.to_owned(),
    }
}

/// The axes that a statement launches, outermost first; those that follow another statement are left out.
fn axes_of(stmt: &StmtRef) -> Vec<Axis> {
    let mut axes: Vec<Axis> = Vec::new();
    let mut add = |axis: &IterVar, extent: &Expr| {
        let tag = name_of(axis);
        if !axes.iter().any(|axis| axis.tag == tag) {
            axes.push(Axis { tag, extent: extent.clone(), var: axis.var.clone() });
        }
    };
    pre_order_visit(stmt, |node| {
        if let Some(s) = node.as_node::<AttrStmt>()
            && let Some(axis) = s.launched_thread()
        {
            add(axis, &s.value);
        }
        if let Some(s) = node.as_node::<For>()
            && let Some(axis) = &s.thread_binding
        {
            add(axis, &s.extent);
        }
        true
    });
    axes
}

impl Compiler<'_> {
    fn axis(&self, tag: &str) -> Option<Register> {
        self.axes.iter().rev().find(|(known, _)| known == tag).map(|(_, register)| *register)
    }

    /// The registers of the indices of threads.
    pub(super) fn thread_indices(&mut self) -> [Register; 3] {
        let fresh = |this: &mut Self| [this.permanent(0), this.permanent(0), this.permanent(0)];
        match self.thread_indices {
            Some(indices) => indices,
            None => {
                let indices = fresh(self);
                self.thread_indices = Some(indices);
                indices
            }
        }
    }

    fn needs(&mut self, root: &Object) -> Needs {
        let indices = self.thread_indices();
        let launched = launched_indices(root);
        let variables = &self.variables;
        let is_index = |node: &Object| {
            let key = node.address();
            let is_own =
                variables.get(&key).is_some_and(|lanes| lanes.iter().any(|lane| indices.contains(lane)));
            is_own || launched.contains(&key)
        };
        Needs::of(root, &is_index)
    }

    /// Compiles a launch of an axis of threads.
    pub(super) fn launch(&mut self, s: &AttrStmt, axis: &Ref<IterVar>, stmt: &StmtRef) -> Result<()> {
        let bound = self.lanes_of(&axis.var).and_then(|lanes| lanes.first().copied());
        if let Some(register) = bound.or_else(|| self.axis(&name_of(axis))) {
            return self.scoped(|this| {
                this.bind(&axis.var, vec![register]);
                this.body(&s.body);
                Ok(())
            });
        }
        if self.kernel.is_none() && self.launch_group(stmt, true)? {
            return Ok(());
        }
        self.scoped(|this| {
            let extent = this.scalar(&s.value)?;
            let (zero, one) = (this.int(0), this.int(1));
            this.range(zero, extent, one, |this, index| {
                this.axes.push((name_of(axis), index));
                this.bind(&axis.var, vec![index]);
                this.body(&s.body);
                this.axes.pop();
            });
            Ok(())
        })
    }

    /// Compiles a loop over threads as a launch; `false` if it is a loop like others.
    pub(super) fn thread_loop(&mut self, s: &For, axis: &Ref<IterVar>, stmt: &StmtRef) -> Result<bool> {
        let Some(index) = self.axis(&name_of(axis)) else {
            return if self.kernel.is_none() { self.launch_group(stmt, false) } else { Ok(false) };
        };
        self.scoped(|this| {
            let (min, extent) = (this.scalar(&s.min)?, this.scalar(&s.extent)?);
            let d = this.fresh();
            this.emit(I::LtInt { d, a: index, b: extent });
            let skip = this.jump_unless(d);
            let value = this.add(min, index);
            this.bind(&s.loop_var, vec![value]);
            this.bind(&axis.var, vec![value]);
            this.body(&s.body);
            this.land(skip);
            Ok(true)
        })
    }

    /// Compiles a launch as loops over blocks around a group of threads; `false` if its threads run one by one.
    fn launch_group(&mut self, stmt: &StmtRef, is_launch: bool) -> Result<bool> {
        let Some(launch) = Launch::of(stmt) else { return Ok(false) };
        let needs = self.needs(stmt.object());
        let is_together = needs.together(is_launch);
        if !is_together && !needs.tiles {
            return Ok(false);
        }
        self.open_scope();
        let known = self.axes.len();
        let result = self.launch_axes(&launch, stmt, &needs, !is_together);
        self.axes.truncate(known);
        self.close_scope();
        result
    }

    fn launch_axes(
        &mut self,
        Launch { threads, blocks }: &Launch,
        stmt: &StmtRef,
        needs: &Needs,
        is_uniform: bool,
    ) -> Result<bool> {
        // An extent that the body computes is not known here.
        let one = self.int(1);
        let mut counts = Vec::new();
        for axis in blocks {
            let Ok(extent) = self.scalar(&axis.extent) else { return Ok(false) };
            counts.push(extent);
        }
        let mut extents = [one; 3];
        for (slot, tag) in extents.iter_mut().zip(AXES) {
            if let Some(axis) = threads.iter().find(|axis| axis.tag == tag) {
                let Ok(extent) = self.scalar(&axis.extent) else { return Ok(false) };
                *slot = extent;
            }
        }
        self.block_loops(blocks, &counts, &mut |this| match is_uniform {
            true => {
                let zero = this.int(0);
                for tag in AXES {
                    this.axes.push((tag.to_owned(), zero));
                }
                this.stmt(stmt);
            }
            false => this.group(extents, needs, stmt, &mut |this| this.stmt(stmt)),
        });
        Ok(true)
    }

    fn block_loops(&mut self, blocks: &[Axis], counts: &[Register], body: &mut dyn FnMut(&mut Self)) {
        let (Some((axis, blocks)), Some((count, counts))) = (blocks.split_first(), counts.split_first())
        else {
            return body(self);
        };
        let (zero, one) = (self.int(0), self.int(1));
        self.range(zero, *count, one, |this, index| {
            this.axes.push((axis.tag.clone(), index));
            this.block_loops(blocks, counts, body);
            this.axes.pop();
        });
    }

    /// Compiles what each thread of a group runs.
    fn group(
        &mut self,
        extents: [Register; 3],
        needs: &Needs,
        stmt: &StmtRef,
        body: &mut dyn FnMut(&mut Self),
    ) {
        let indices = self.thread_indices();
        let linear = self.permanent(0);
        let group = Group { extents, indices, linear, warp: self.warp, end: Position::MAX };
        self.program.groups.push(group);
        let number = self.program.groups.len() - 1;
        self.emit(I::Fork { group: number as u32 });
        let meetings = meetings(stmt, needs, self.is_guarded);
        let kernel = Kernel { indices, extents, linear, meetings, is_once: false, reducers: Vec::new() };
        self.kernel = Some(kernel);
        let known = self.axes.len();
        for (tag, index) in AXES.iter().zip(indices) {
            self.axes.push(((*tag).to_owned(), index));
        }
        let (loops, callees): (Vec<Jumps>, _) =
            (std::mem::take(&mut self.loops), std::mem::take(&mut self.callees));
        self.open_scope();
        self.allocate_for_threads(stmt);
        body(self);
        self.close_scope();
        self.loops = loops;
        self.callees = callees;
        self.axes.truncate(known);
        self.kernel = None;
        self.emit(I::End);
        let end = self.here();
        if let Some(group) = self.program.groups.get_mut(number) {
            group.end = end;
        }
    }

    /// Compiles a block of tiles that names its threads as a launch; `false` if it is a block like others.
    pub(super) fn launch_tiles(&mut self, block: &Block) -> Result<bool> {
        let Some(extents) = launch_extents(block).filter(|_| self.kernel.is_none()) else { return Ok(false) };
        let root = block.body.object().clone();
        let needs = self.needs(&root);
        let needs = Needs { tiles: true, ..needs };
        if !needs.together(true) {
            return Ok(false);
        }
        let one = self.int(1);
        let mut registers = [one; 3];
        for (slot, extent) in registers.iter_mut().zip(extents.iter()) {
            if let Some(extent) = number(extent) {
                *slot = self.int(extent);
            } else if let Some(extent) = extent.as_object().and_then(|node| node.downcast_ref::<PrimExpr>()) {
                *slot = self.scalar(extent)?;
            }
        }
        let body = block.body.clone();
        self.group(registers, &needs, &body, &mut |this| {
            let result = this.scoped(|this| this.block_body(block, None));
            if let Err(error) = result {
                this.fail_with(error);
            }
        });
        Ok(true)
    }

    /// Remembers the operator of reductions over threads.
    pub(super) fn enter_attribute(&mut self, s: &AttrStmt) {
        let reducer = s.node.as_object().and_then(|node| node.downcast_ref::<CommReducer>());
        if let (Some(reducer), Some(kernel)) = (reducer, &mut self.kernel) {
            kernel.reducers.push(reducer.clone());
        }
    }

    /// Sets up the barriers that a block of tiles declares.
    pub(super) fn init_barriers(&mut self, block: &Block) -> Result<()> {
        let Some(barriers) = block.annotations.get_str("barrier_init") else { return Ok(()) };
        let Some(barriers) = barriers.as_object().and_then(|map| map.as_node::<MapNode>()) else {
            return Ok(());
        };
        for (variable, counts) in barriers.entries() {
            let variable = variable.value().as_object().and_then(|node| node.downcast_ref::<Var>());
            let Some(p) = variable.and_then(|variable| self.lanes_of(variable)?.first().copied()) else {
                continue;
            };
            for (index, count) in items(counts).iter().enumerate() {
                let Some(count) = number(count) else { continue };
                let (count, bytes) = (self.int(count), self.int(8 * index as i64));
                let d = self.fresh();
                self.emit(I::Offset { d, p, bytes });
                self.once(|this| {
                    this.emit(I::InitBarrier { p: d, count });
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    /// Arrives at the barrier of a copy that says so.
    pub(super) fn arrive_after(&mut self, call: &AnnotatedCall) -> Result<()> {
        let arrives = call.annotations.get_str("emit_arrive").and_then(number) == Some(1);
        let barrier = call.annotations.get_str("barrier").and_then(Value::as_object);
        let Some(barrier) = barrier.and_then(|node| node.downcast_ref::<PrimExpr>()).filter(|_| arrives)
        else {
            return Ok(());
        };
        let barrier = barrier.clone();
        self.once(|this| {
            let (p, count) = (this.address_of(&barrier)?, this.int(1));
            this.emit(I::Arrive { p, count });
            Ok(())
        })
    }

    /// Tests whether a loop on tiles runs once for all threads: it depends on none of them, and writes nothing of their own.
    pub(super) fn is_collective_loop(&self, s: &For) -> bool {
        let Some(kernel) = &self.kernel else { return false };
        if s.kind != ForKind::Parallel || !self.is_guarded || kernel.is_once {
            return false;
        }
        is_of_group(&s.body, |node| {
            let lanes = self.variables.get(&node.address());
            lanes.is_some_and(|lanes| lanes.iter().any(|lane| kernel.indices.contains(lane)))
        })
    }
}

/// The statements that access shared memory, before each of which the threads of a launch meet: none where barriers were
/// inserted.
pub(crate) fn meetings_of(stmt: &StmtRef, is_guarded: bool) -> HashSet<usize> {
    meetings(stmt, &Needs::of(stmt.object(), &|_| false), is_guarded)
}

fn meetings(stmt: &StmtRef, needs: &Needs, is_guarded: bool) -> HashSet<usize> {
    let mut found = HashSet::new();
    if needs.shared && (needs.tiles || is_guarded || !needs.barriers) {
        mark(stmt, &mut found);
    }
    found
}

fn mark(stmt: &StmtRef, found: &mut HashSet<usize>) -> bool {
    let mut touches = false;
    match stmt.kind() {
        StmtKind::BufferStore(_) | StmtKind::Evaluate(_) | StmtKind::Other(_) => {
            touches = touches_shared(stmt.object())
        }
        StmtKind::LetStmt(s) => touches = touches_shared(s.value.object()),
        StmtKind::IfThenElse(s) => touches = touches_shared(s.condition.object()),
        StmtKind::While(s) => touches = touches_shared(s.condition.object()),
        _ => {}
    }
    with_stack(|| stmt.kind().for_each_child(|child| touches |= mark(child, found)));
    if touches {
        found.insert(stmt.object().address());
    }
    touches
}

fn touches_shared(node: &Object) -> bool {
    let mut touches = false;
    pre_order_visit(node, |node| {
        touches |= node.downcast_ref::<Var>().is_some_and(|var| pointer_scope(var).starts_with("shared"));
        !touches
    });
    touches
}
