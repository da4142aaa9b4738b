//! Loops as sequences.

use tvmscript_arith::Analyzer;
use tvmscript_ir::IRModule;
use tvmscript_ir_core::{Object, PtrSet, pre_order_visit, ptr_map, substitute, tree_size};
use tvmscript_prim::{Expr, IntImm, Var, ops};
use tvmscript_tir::node::*;

use super::convert_ssa;
use super::rewrite::{self, Rewriter, Visits, array, edit, visit};
use crate::Result;
use tvmscript_pass::{OptionDecl, OptionValue, PassContext, PassError, pass};

pass! {
    /// Unrolls loops that are marked as unrolled, and small serial loops up to the limits of the options.
    ///
    /// Each copy keeps the spans of the body and has those of the loop. Variables that a body defines are new in each copy after the first.
    ///
    /// Unlike TVM's pass it respects the step of a loop.
    ///
    /// Upstream: `src/tir/transforms/unroll_loop.cc`.
    pub UnrollLoop = "tir.UnrollLoop" for PrimFunc in IRModule |function, context| {
        let mut unroll = Unroll::new(context)?;
        let new = rewrite::body(function.clone(), context, &mut unroll)?;
        if new.ptr_eq(&function) { Ok(new) } else { rewrite::body(new, context, &mut convert_ssa::Ssa::default()) }
    }
}

/// Options of the pass.
pub(super) const OPTIONS: [OptionDecl; 5] = [
    OptionDecl {
        key: "tir.UnrollLoop.auto_max_step",
        default: OptionValue::Int(0),
        doc: "unroll serial loops of at most this many steps",
    },
    OptionDecl {
        key: "tir.UnrollLoop.auto_max_depth",
        default: OptionValue::Int(8),
        doc: "unroll serial loops around at most this many unrolled loops",
    },
    OptionDecl {
        key: "tir.UnrollLoop.auto_max_extent",
        default: OptionValue::Int(0),
        doc: "unroll serial loops of at most this extent",
    },
    OptionDecl {
        key: "tir.UnrollLoop.explicit_unroll",
        default: OptionValue::Bool(true),
        doc: "replace loops by copies of their bodies, instead of marking them as unrolled",
    },
    OptionDecl {
        key: "tir.UnrollLoop.unroll_local_access",
        default: OptionValue::Bool(false),
        doc: "unroll loops whose variable indexes local memory",
    },
];

/// Maximum number of nodes that unrolling one function makes.
const MAX_NODES: i64 = 1 << 22;

struct Unroll {
    /// Statements that may still be visited.
    visits: Visits,
    auto_max_step: i64,
    auto_max_depth: i64,
    auto_max_extent: i64,
    explicit_unroll: bool,
    unroll_local_access: bool,
    /// Depth of loops that stay loops, below the current statement.
    normal_loop_depth: i64,
    /// Depth of unrolled loops below the current statement.
    unroll_depth: i64,
    /// Steps below the current statement.
    step_count: i64,
    /// Variables that index local memory.
    local_indices: PtrSet,
    /// Nodes that may still be made.
    budget: i64,
}

impl Unroll {
    fn new(context: &PassContext<'_, IRModule>) -> Result<Unroll> {
        Ok(Unroll {
            visits: Visits::default(),
            auto_max_step: context.integer("tir.UnrollLoop.auto_max_step")?,
            auto_max_depth: context.integer("tir.UnrollLoop.auto_max_depth")?,
            auto_max_extent: context.integer("tir.UnrollLoop.auto_max_extent")?,
            explicit_unroll: context.flag("tir.UnrollLoop.explicit_unroll")?,
            unroll_local_access: context.flag("tir.UnrollLoop.unroll_local_access")?,
            normal_loop_depth: 0,
            unroll_depth: 0,
            step_count: 0,
            local_indices: PtrSet::default(),
            budget: MAX_NODES,
        })
    }

    /// Records the variables that index local memory.
    fn access(&mut self, buffer: &Buffer, indices: &tvmscript_ir_core::Array<Expr>) {
        let scope = buffer.scope();
        if !self.unroll_local_access || !(scope.starts_with("local") || scope.starts_with("warp")) {
            return;
        }
        for index in indices.iter() {
            pre_order_visit(index, |node| {
                if node.is::<Var>() {
                    self.local_indices.insert(node.clone());
                }
                true
            });
        }
    }

    fn for_loop(&mut self, stmt: &StmtRef) -> Result<StmtRef> {
        let stmt = rewrite::children(self, stmt)?;
        let Some(s) = stmt.as_node::<For>() else { return Ok(stmt) };
        let extent = extent(s);
        let is_unrolled = s.kind == ForKind::Unrolled;
        if is_unrolled && extent.is_none_or(|extent| extent < 0) {
            let name = s.loop_var.name.get();
            return Err(PassError::unsupported(format!(
                "the unrolled loop over `{name}` has no constant extent"
            )));
        }
        let value = extent.unwrap_or(-1);
        let steps = value.saturating_mul(self.step_count);
        let is_small = s.kind == ForKind::Serial
            && value >= 0
            && self.normal_loop_depth == 0
            && self.unroll_depth <= self.auto_max_depth
            && (steps <= self.auto_max_step || value <= self.auto_max_extent);
        let indexes_local = value > 0 && self.local_indices.contains(s.loop_var.object());
        let unrolls = is_unrolled || is_small || indexes_local;
        if unrolls {
            self.step_count = steps;
            self.unroll_depth += 1;
        } else {
            self.normal_loop_depth += 1;
        }
        let is_single = (0..=1).contains(&value) && self.auto_max_extent == 1;
        if (unrolls && self.explicit_unroll) || is_single {
            return self.copies(s, value);
        }
        Ok(if unrolls && !is_unrolled { edit::<For>(&stmt, |s| s.kind = ForKind::Unrolled) } else { stmt })
    }

    /// One copy of the body per value of the variable.
    fn copies(&mut self, s: &For, count: i64) -> Result<StmtRef> {
        let nodes = tree_size(s.body.object()).unfolded.saturating_mul(count.unsigned_abs());
        self.budget = self.budget.saturating_sub_unsigned(nodes);
        if self.budget < 0 {
            let name = s.loop_var.name.get();
            return Err(PassError::unsupported(format!(
                "unrolling the loop over `{name}` makes more than {MAX_NODES} nodes"
            )));
        }
        let copy = |index: i64| -> Result<StmtRef> {
            let index = IntImm::try_new(s.loop_var.dtype, index)?;
            let offset = match &s.step {
                Some(step) => ops::mul(step.clone(), index)?,
                None => index,
            };
            let value: Object = ops::add(s.min.clone(), offset)?.into();
            Ok(self.visits.absorb(substitute(s.body.clone(), &ptr_map([(&s.loop_var, value)]))?, s.span))
        };
        Ok(flatten((0..count).map(copy).collect::<Result<_>>()?, false))
    }
}

/// The constant extent of a loop.
fn extent(s: &For) -> Option<i64> {
    let extent = Analyzer::new().simplify(&s.extent);
    ops::int_value(&extent).filter(|extent| *extent <= i64::from(i32::MAX))
}

impl Rewriter for Unroll {
    fn visits(&mut self) -> &mut Visits {
        &mut self.visits
    }

    fn stmt(&mut self, stmt: &StmtRef) -> Result<StmtRef> {
        match stmt.kind() {
            StmtKind::For(_) => self.for_loop(stmt),
            StmtKind::AttrStmt(s) => {
                let value = ops::int_value(&s.value);
                match (s.attr_key.as_str(), value) {
                    ("pragma_auto_unroll_max_step", Some(step)) => {
                        let before = std::mem::replace(&mut self.auto_max_step, step);
                        let body = visit(self, &s.body);
                        self.auto_max_step = before;
                        body
                    }
                    ("pragma_unroll_explicit", Some(explicit)) => {
                        let before = std::mem::replace(&mut self.explicit_unroll, explicit != 0);
                        let body = visit(self, &s.body);
                        self.explicit_unroll = before;
                        body
                    }
                    _ => rewrite::children(self, stmt),
                }
            }
            StmtKind::SeqStmt(s) => {
                let seq = array(&s.seq, |stmt| {
                    let depths = (self.step_count, self.unroll_depth, self.normal_loop_depth);
                    (self.step_count, self.unroll_depth, self.normal_loop_depth) = (0, 0, 0);
                    let new = visit(self, stmt);
                    self.step_count = self.step_count.saturating_add(depths.0);
                    self.unroll_depth = self.unroll_depth.max(depths.1);
                    self.normal_loop_depth = self.normal_loop_depth.max(depths.2);
                    new
                })?;
                if seq.ptr_eq(&s.seq) {
                    return Ok(stmt.clone());
                }
                Ok(flatten(seq.iter().cloned().collect(), true))
            }
            StmtKind::BufferStore(s) => {
                self.step_count += 1;
                self.access(&s.buffer, &s.indices);
                rewrite::children(self, stmt)
            }
            StmtKind::Evaluate(_) => {
                self.step_count += 1;
                rewrite::children(self, stmt)
            }
            _ => rewrite::children(self, stmt),
        }
    }

    fn expr(&mut self, expr: &Expr) -> Result<Expr> {
        if self.unroll_local_access {
            pre_order_visit(expr, |node| match node.as_node::<BufferLoad>() {
                Some(load) => {
                    self.access(&load.buffer, &load.indices);
                    false
                }
                None => true,
            });
        }
        Ok(expr.clone())
    }
}
