//! Values that may differ between the threads of a group.
//!
//! The index of a thread differs, and so does what is computed from it. Memory of the threads themselves has equal contents as
//! long as each thread writes the same values at the same places, and none of them does so alone. Memory that threads share
//! is the same for all: programs in which one thread writes what another one reads without a barrier mean nothing.

use std::collections::HashSet;

use tvmscript_ir::GlobalVar;
use tvmscript_ir_core::{Array, Ref, pre_order_visit, with_stack};
use tvmscript_prim::{Expr, Let, PrimExpr, Var};
use tvmscript_tir::node::{Block, Buffer, BufferLoad, For, IterVar, StmtKind, StmtRef, StmtView as _};
use tvmscript_tirx::{Bind, DeclBuffer};

use super::aliases::{Aliases, pointers};
use crate::compile::{call_of, is_of_thread, is_shared};
use crate::intrinsics::{Intrinsic, PointerOperator, ThreadOperator, intrinsic};

/// Maximum number of walks over a launch; after them, everything may differ.
const MAX_WALKS: usize = 32;

/// Variables and memory that may differ between the threads of a launch.
#[derive(Debug, Default)]
pub(super) struct Varying {
    variables: HashSet<usize>,
    /// Memory of single threads, by the groups of its pointers.
    memory: HashSet<usize>,
    /// Loops that some threads may leave before others.
    left: HashSet<usize>,
    is_all: bool,
    /// Some threads jump out of the current loop.
    jumps: bool,
}

impl Varying {
    /// Finds what may differ, where the indices of the axes with some tags do.
    pub(super) fn of(stmt: &StmtRef, tags: &[&str], aliases: &Aliases) -> Varying {
        let mut varying = Varying::default();
        varying.start(stmt, tags, aliases);
        for _ in 0..MAX_WALKS {
            let before = varying.size();
            varying.stmt(stmt, false, aliases);
            if varying.size() == before {
                return varying;
            }
        }
        varying.is_all = true;
        varying
    }

    /// Tests whether an expression may have another value in another thread.
    pub(super) fn differs(&self, expr: &Expr, aliases: &Aliases) -> bool {
        if self.is_all {
            return true;
        }
        let mut found = false;
        pre_order_visit(expr, |node| {
            if found {
                return false;
            }
            if let Some(load) = node.as_node::<BufferLoad>() {
                found =
                    load.indices.iter().chain(&load.predicate).any(|part| self.differs_below(part, aliases))
                        || self.layout_differs(&load.buffer, aliases)
                        || is_own(&load.buffer)
                            && aliases
                                .group_of(&load.buffer.data)
                                .is_none_or(|group| self.memory.contains(&group));
                return false;
            }
            found = self.variables.contains(&node.address());
            if let Some((callee, args)) = node.downcast_ref::<PrimExpr>().and_then(call_of) {
                found |= callee.as_node::<GlobalVar>().is_some();
                found |= match intrinsic(callee) {
                    Some(Intrinsic::Thread(ThreadOperator::Barrier | ThreadOperator::BarrierCount(_))) => {
                        false
                    }
                    Some(Intrinsic::Thread(_)) => true,
                    Some(Intrinsic::Pointer(PointerOperator::Atomic { .. })) => true,
                    Some(Intrinsic::Extern) => crate::compile::is_collective((callee, args)),
                    _ => false,
                };
            }
            !found
        });
        found
    }

    fn differs_below(&self, expr: &Expr, aliases: &Aliases) -> bool {
        with_stack(|| self.differs(expr, aliases))
    }

    /// Tests whether the places of elements of a buffer may differ.
    pub(super) fn layout_differs(&self, buffer: &Buffer, aliases: &Aliases) -> bool {
        let extents = buffer.shape.iter().skip(1);
        let layout = extents.chain(buffer.strides.iter()).chain([&buffer.elem_offset]);
        layout.into_iter().any(|part| self.differs_below(part, aliases))
    }

    /// Tests whether some threads may leave a loop before others.
    pub(super) fn is_left(&self, stmt: &StmtRef) -> bool {
        self.is_all || self.left.contains(&stmt.object().address())
    }

    fn size(&self) -> [usize; 3] {
        [self.variables.len(), self.memory.len(), self.left.len()]
    }

    fn add(&mut self, variable: &Ref<Var>) {
        self.variables.insert(variable.object().address());
    }

    /// Indices of threads, pointers to memory of threads, and such memory that operators access.
    fn start(&mut self, stmt: &StmtRef, tags: &[&str], aliases: &Aliases) {
        pre_order_visit(stmt, |node| {
            if let Some(axis) = node.as_node::<IterVar>() {
                if tags.contains(&axis.thread_tag.as_str()) {
                    self.add(&axis.var);
                }
            } else if let Some(s) = node.as_node::<For>() {
                let axis = s.thread_binding.as_ref();
                if axis.is_some_and(|axis| tags.contains(&axis.thread_tag.as_str())) {
                    self.add(&s.loop_var);
                }
            } else if let Some(node) = node.as_node::<Let>() {
                self.add(&node.var);
            } else if let Some(var) = node.downcast_ref::<Var>() {
                if is_of_thread(var) {
                    self.add(var);
                }
            } else if let Some((callee, args)) = node.downcast_ref::<PrimExpr>().and_then(call_of) {
                match intrinsic(callee) {
                    Some(
                        Intrinsic::Pointer(_) | Intrinsic::Thread(_) | Intrinsic::Tile(_) | Intrinsic::Extern,
                    )
                    | None => self.may_write(args, aliases),
                    _ => {}
                }
            }
            true
        });
    }

    fn may_write(&mut self, args: &Array<Expr>, aliases: &Aliases) {
        for pointer in args.iter().flat_map(pointers) {
            self.memory.extend(aliases.group_of(&pointer));
        }
    }

    fn define(&mut self, var: &Ref<Var>, value: &Expr, aliases: &Aliases) {
        if self.differs(value, aliases) {
            self.add(var);
        }
    }

    /// Walks a statement; `is_alone` says that only some of the threads may run it.
    fn stmt(&mut self, stmt: &StmtRef, is_alone: bool, aliases: &Aliases) {
        with_stack(|| self.stmt_kind(stmt, is_alone, aliases));
    }

    fn stmt_kind(&mut self, stmt: &StmtRef, is_alone: bool, aliases: &Aliases) {
        let mut is_alone = is_alone;
        match stmt.kind() {
            StmtKind::BufferStore(s) => {
                let mut parts = s.indices.iter().chain([&s.value]).chain(&s.predicate);
                if is_own(&s.buffer)
                    && (is_alone
                        || self.layout_differs(&s.buffer, aliases)
                        || parts.any(|part| self.differs(part, aliases)))
                {
                    self.memory.extend(aliases.group_of(&s.buffer.data));
                }
            }
            StmtKind::LetStmt(s) => self.define(&s.var, &s.value, aliases),
            StmtKind::Evaluate(s) => {
                let call = s.value.downcast_ref::<PrimExpr>().and_then(call_of);
                let found = call.and_then(|(callee, _)| intrinsic(callee));
                self.jumps |= is_alone && matches!(found, Some(Intrinsic::Break | Intrinsic::Continue));
            }
            StmtKind::IfThenElse(s) => is_alone |= self.differs(&s.condition, aliases),
            StmtKind::For(s) => {
                let mut bounds = [&s.min, &s.extent].into_iter().chain(&s.step);
                if bounds.any(|part| self.differs(part, aliases)) {
                    self.add(&s.loop_var);
                    is_alone = true;
                }
                return self.loop_body(stmt, &s.body, is_alone, aliases);
            }
            StmtKind::While(s) => {
                is_alone |= self.differs(&s.condition, aliases);
                return self.loop_body(stmt, &s.body, is_alone, aliases);
            }
            StmtKind::BlockRealize(s) => {
                for (axis, value) in s.block.iter_vars.iter().zip(s.iter_values.iter()) {
                    self.define(&axis.var, value, aliases);
                }
                is_alone |= self.differs(&s.predicate, aliases);
            }
            StmtKind::Block(s) => self.matched(s, aliases),
            StmtKind::Other(other) => {
                if let Some(s) = other.as_node::<Bind>() {
                    self.define(&s.var, &s.value, aliases);
                } else if let Some((s, data)) =
                    other.as_node::<DeclBuffer>().and_then(|s| Some((s, s.data.as_ref()?)))
                {
                    self.define(&s.buffer.data, data, aliases);
                }
            }
            _ => {}
        }
        stmt.kind().for_each_child(|child| self.stmt(child, is_alone, aliases));
    }

    /// A loop that some threads leave, or whose iterations they skip, runs for some of them alone.
    fn loop_body(&mut self, stmt: &StmtRef, body: &StmtRef, is_alone: bool, aliases: &Aliases) {
        let outer = std::mem::take(&mut self.jumps);
        self.stmt(body, is_alone, aliases);
        if self.jumps {
            self.left.insert(stmt.object().address());
            if !is_alone {
                self.stmt(body, true, aliases);
            }
        }
        self.jumps = outer;
    }

    /// Layouts of buffers that a block defines.
    fn matched(&mut self, block: &Block, aliases: &Aliases) {
        for matched in block.match_buffers.iter() {
            let region = matched.source.region.iter();
            let mut parts = region.flat_map(|range| [&range.min, &range.extent]);
            if self.layout_differs(&matched.source.buffer, aliases)
                || parts.any(|part| self.differs(part, aliases))
            {
                let buffer = &matched.buffer;
                let layout = buffer.shape.iter().chain(buffer.strides.iter()).chain([&buffer.elem_offset]);
                layout.filter_map(|part| part.downcast_ref::<Var>()).for_each(|var| self.add(var));
            }
        }
    }
}

/// Tests whether each thread has a buffer of its own.
fn is_own(buffer: &Buffer) -> bool {
    !is_shared(buffer.scope().as_str())
}
