//! Loops as sequences.

use tvmscript_ir::IRModule;
use tvmscript_ir_core::{
    Descend, Mutator, Object, ObjectLike, PtrMap, PtrSet, Ref, any_node, mutate, pre_order_visit, tree_size,
};
use tvmscript_prim::{Expr, FloatImm, IntImm, Let, Op, Var, ops};
use tvmscript_tir::node::*;

use super::convert_ssa;
use super::rewrite::{self, Rewriter, Visits, array, changed, edit, visit};
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
        let defined = definitions(&s.body);
        let vars = defined.iter().chain([&s.loop_var]).map(|var| var.object().clone()).collect();
        let mut copies = Copies { vars, values: PtrMap::default(), buffers: PtrMap::default() };
        let mut copy = |index: i64| -> Result<StmtRef> {
            if index > 0 {
                copies.values.extend(defined.iter().map(|var| {
                    let copy = changed(var, |_| ());
                    (var.object().clone(), copy.into_object())
                }));
            }
            let index = IntImm::try_new(s.loop_var.dtype, index)?;
            let offset = match &s.step {
                Some(step) => ops::mul(step.clone(), index)?,
                None => index,
            };
            let value = ops::add(s.min.clone(), offset)?.into_object();
            copies.values.insert(s.loop_var.object().clone(), value);
            Ok(self.visits.absorb(mutate(s.body.clone(), &mut copies)?, s.span))
        };
        Ok(flatten((0..count).map(&mut copy).collect::<Result<_>>()?, false))
    }
}

/// Copies of a body with variables replaced.
struct Copies {
    /// The variables that copies replace.
    vars: PtrSet,
    /// Their values in the next copy. The first copy keeps the variables that the body defines.
    values: PtrMap<Object>,
    /// Tests of buffers for these variables, which the copies share.
    buffers: PtrMap<bool>,
}

impl Mutator for Copies {
    fn enter(&mut self, node: &Object) -> Descend {
        if let Some(value) = self.values.get(node) {
            return Descend::Replace(value.clone());
        }
        if node.is::<Var>() || node.is::<IntImm>() || node.is::<FloatImm>() || node.is::<Op>() {
            return Descend::Keep;
        }
        if !node.is::<Buffer>() {
            return Descend::Into;
        }
        let Copies { vars, buffers, .. } = self;
        let is_changed =
            buffers.entry(node.clone()).or_insert_with(|| any_node(node, |part| vars.contains(part)));
        if *is_changed { Descend::Into } else { Descend::Keep }
    }
}

/// The variables that a statement defines up to its end.
fn definitions(stmt: &StmtRef) -> Vec<Ref<Var>> {
    let mut found = Vec::new();
    pre_order_visit(stmt, |node| {
        if let Some(node) = node.as_node::<For>() {
            found.push(node.loop_var.clone());
        } else if let Some(node) = node.as_node::<LetStmt>() {
            found.push(node.var.clone());
        } else if let Some(node) = node.as_node::<Allocate>() {
            found.push(node.buffer_var.clone());
        } else if let Some(node) = node.as_node::<Block>() {
            found.extend(node.iter_vars.iter().map(|axis| axis.var.clone()));
        } else if let Some(node) = node.as_node::<Let>() {
            found.push(node.var.clone());
        }
        !node.is::<Buffer>()
    });
    found
}

/// The constant extent of a loop.
fn extent(s: &For) -> Option<i64> {
    ops::int_value(&tvmscript_arith::simplify(&s.extent)).filter(|extent| *extent <= i64::from(i32::MAX))
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
