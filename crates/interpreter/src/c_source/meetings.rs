//! Statements in which the threads of a group meet.
//!
//! Threads meet at barriers, and to exchange values. Before barriers are inserted, they take their steps on shared
//! memory together. Such statements are written once for the group, with loops over the threads inside.

use std::collections::HashSet;

use tvmscript_ir_core::{Object, pre_order_visit, with_stack};
use tvmscript_prim::{Expr, PrimExpr};
use tvmscript_tir::node::{For, ForKind, StmtKind, StmtRef, StmtView as _};

use crate::compile::{call_of, is_collective, is_of_group, launched_indices, meetings_of};
use crate::intrinsics::{Intrinsic, ThreadOperator, intrinsic};

/// The statements of a launch in which threads meet, by their addresses.
#[derive(Debug, Default)]
pub(super) struct Meetings {
    /// Before these statements, the threads meet for a step.
    steps: HashSet<usize>,
    /// In these, they meet.
    inside: HashSet<usize>,
    /// In these, all threads of the group have to meet.
    barriers: HashSet<usize>,
    /// From these, a jump leaves a loop around them.
    jumps: HashSet<usize>,
    /// Loops that one thread runs for all.
    once: HashSet<usize>,
}

/// Facts of a statement.
#[derive(Debug, Clone, Copy, Default)]
struct Found {
    meets: bool,
    barrier: bool,
    jump: bool,
}

impl Found {
    fn add(&mut self, other: Found) {
        self.meets |= other.meets;
        self.barrier |= other.barrier;
        self.jump |= other.jump;
    }
}

/// The kinds of operators at which threads meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meeting {
    /// All threads of the group.
    Barrier,
    /// Those of a warp that get there.
    Exchange,
}

/// The kind of meeting that an operator is.
pub(super) fn meeting(expr: &Expr) -> Option<Meeting> {
    let (callee, args) = call_of(expr)?;
    match intrinsic(callee)? {
        Intrinsic::Thread(ThreadOperator::Exchange(_) | ThreadOperator::MaskedExchange(_)) => {
            Some(Meeting::Exchange)
        }
        Intrinsic::Thread(
            ThreadOperator::Barrier
            | ThreadOperator::BarrierCount(_)
            | ThreadOperator::AllReduce
            | ThreadOperator::WaitBarrier
            | ThreadOperator::Matrix(_),
        ) => Some(Meeting::Barrier),
        Intrinsic::Extern if is_collective((callee, args)) => Some(Meeting::Barrier),
        _ => None,
    }
}

impl Meetings {
    /// Finds the statements of a launch; in a program on tiles, some loops run once for all threads.
    pub(super) fn of(stmt: &StmtRef, is_on_tiles: bool) -> Meetings {
        let mut meetings = Meetings { steps: meetings_of(stmt, is_on_tiles), ..Meetings::default() };
        if is_on_tiles {
            meetings.find_once(stmt);
        }
        meetings.stmt(stmt);
        meetings
    }

    pub(super) fn is_before(&self, stmt: &StmtRef) -> bool {
        self.steps.contains(&stmt.object().address())
    }

    pub(super) fn is_inside(&self, stmt: &StmtRef) -> bool {
        self.inside.contains(&stmt.object().address())
    }

    pub(super) fn has_barrier(&self, stmt: &StmtRef) -> bool {
        self.barriers.contains(&stmt.object().address())
    }

    pub(super) fn has_jump(&self, stmt: &StmtRef) -> bool {
        self.jumps.contains(&stmt.object().address())
    }

    pub(super) fn is_once(&self, stmt: &StmtRef) -> bool {
        self.once.contains(&stmt.object().address())
    }

    fn stmt(&mut self, stmt: &StmtRef) -> Found {
        let found = with_stack(|| self.stmt_kind(stmt));
        let key = stmt.object().address();
        for (holds, set) in [
            (found.meets, &mut self.inside),
            (found.barrier, &mut self.barriers),
            (found.jump, &mut self.jumps),
        ] {
            if holds {
                set.insert(key);
            }
        }
        found
    }

    fn stmt_kind(&mut self, stmt: &StmtRef) -> Found {
        let mut found = Found::default();
        if self.is_once(stmt) {
            return Found { meets: true, barrier: true, jump: false };
        }
        match stmt.kind() {
            StmtKind::BufferStore(_) | StmtKind::Evaluate(_) | StmtKind::Other(_) => {
                found.add(of_node(stmt.object()))
            }
            StmtKind::LetStmt(s) => found.add(of_expr(&s.value)),
            StmtKind::IfThenElse(s) => found.add(of_expr(&s.condition)),
            StmtKind::While(s) => found.add(of_expr(&s.condition)),
            StmtKind::For(s) => [&s.min, &s.extent].into_iter().for_each(|part| found.add(of_expr(part))),
            StmtKind::BlockRealize(s) => s.iter_values.iter().for_each(|value| found.add(of_expr(value))),
            _ => {}
        }
        // The interpreter takes a step before a part of a statement.
        let has_steps = match stmt.kind() {
            StmtKind::SeqStmt(_) | StmtKind::For(_) | StmtKind::While(_) | StmtKind::IfThenElse(_) => true,
            StmtKind::Block(s) => s.init.is_some(),
            _ => false,
        };
        stmt.kind().for_each_child(|child| {
            found.meets |= has_steps && self.is_before(child);
            let below = self.stmt(child);
            found.add(below);
        });
        if matches!(stmt.kind(), StmtKind::For(_) | StmtKind::While(_)) {
            found.jump = false;
        }
        found
    }

    /// Parallel loops that depend on no thread and write nothing of a thread's own.
    fn find_once(&mut self, stmt: &StmtRef) {
        let indices = launched_indices(stmt.object());
        pre_order_visit(stmt, |node| {
            if let Some(s) = node.as_node::<For>()
                && s.kind == ForKind::Parallel
                && is_of_group(&s.body, |index| indices.contains(&index.address()))
            {
                self.once.insert(node.address());
                return false;
            }
            true
        });
    }
}

fn of_expr(expr: &Expr) -> Found {
    of_node(expr.object())
}

fn of_node(node: &Object) -> Found {
    let mut found = Found::default();
    pre_order_visit(node, |node| {
        if let Some(expr) = node.downcast_ref::<PrimExpr>() {
            let meeting = meeting(expr);
            found.meets |= meeting.is_some();
            found.barrier |= meeting == Some(Meeting::Barrier);
            let intrinsic = call_of(expr).and_then(|(callee, _)| intrinsic(callee));
            found.jump |= matches!(intrinsic, Some(Intrinsic::Break | Intrinsic::Continue));
        }
        true
    });
    found
}
