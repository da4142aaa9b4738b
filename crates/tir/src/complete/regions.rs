//! Detection of the regions that a block reads and writes.
//!
//! The walk visits the statements and expressions of one block in TVM's order. Nested blocks count by their declared
//! regions. It uses a worklist that also holds the ends of scopes. Loop variables are relaxed to their ranges,
//! conditions narrow these, and bound values are substituted.
//!
//! Upstream counterpart: `BlockReadWriteDetector`, `src/tir/analysis/block_access_region_detector.cc`.

use tvmscript_arith::{
    DomMap, IntSet, Narrowing, eval_set_of_range, eval_set_of_set, narrow_domains, vector_set,
};
use tvmscript_ir_core::mutate::substitute;
use tvmscript_ir_core::view::for_each_node_below_rev;
use tvmscript_ir_core::{Array, FieldRef, Object, PtrMap, Ref, Span};
use tvmscript_prim::intrinsic::{self, NamedOp};
use tvmscript_prim::ops::{self, BinaryOp};
use tvmscript_prim::{Call, Expr, ExprKind, ExprView, IntImm, PrimExpr, Range, Var};

use super::accesses::{Accesses, cover};
use super::{CompleteError, CompleteErrorKind, CompleteResult};
use crate::node::*;
use crate::op::memory::TVM_ACCESS_PTR;

/// Maximum number of visited expressions per block; only shared expressions can exceed it.
const VISIT_LIMIT: u64 = 1 << 24;
/// Visits that count for one unit of [`Narrowing::work`], by time.
const VISITS_PER_WORK: u64 = 2;
/// Maximum number of repeated visits of shared expressions per block. Conditions and bindings in shared expressions
/// give each visit a scope of its own.
const REVISIT_LIMIT: u64 = 1 << 19;
/// Maximum number of visits of a shared expression per scope: a third union with the same set changes nothing.
const VISITS_OF_SHARED: u32 = 2;

/// The accesses of a block to the visible buffers.
#[derive(Debug, Clone, Default)]
pub struct AccessRegions {
    /// Read regions, in order of first access; without written buffers if the block has an initialization.
    pub reads: Vec<Ref<BufferRegion>>,
    /// Written regions, in order of first access.
    pub writes: Vec<Ref<BufferRegion>>,
    /// The first buffer whose use through its data pointer hides the region, with the span of the use.
    pub opaque: Option<(Ref<Buffer>, Span)>,
}

/// Finds the regions of the buffers in `visible` (by data pointer) that the block's body and initialization access.
///
/// # Errors
/// [`CompleteErrorKind::TooLarge`].
///
/// # Source
/// `GetBlockAccessRegion`, `src/tir/analysis/block_access_region_detector.cc`. Nested blocks count by their declared
/// regions alone, as in TVM 0.23.0.
pub fn block_access_regions(block: &Block, visible: &PtrMap<Ref<Buffer>>) -> CompleteResult<AccessRegions> {
    let mut detector = Detector {
        visible,
        matched: PtrMap::default(),
        domains: DomMap::new(),
        hints: DomMap::new(),
        lets: PtrMap::default(),
        narrowings: Vec::new(),
        reads: Accesses::default(),
        writes: Accesses::default(),
        opaque: None,
        span: block.span,
        visited: PtrMap::default(),
        scope: 0,
        visits: 0,
        revisits: 0,
    };
    detector.run(block)?;
    let Detector { reads, writes, opaque, .. } = detector;
    let has_init = block.init.is_some();
    let reads = reads.to_regions(|buffer| has_init && writes.contains(buffer));
    Ok(AccessRegions { reads, writes: writes.to_regions(|_| false), opaque })
}

/// An element of the worklist; the last one is next.
enum WorkItem<'a> {
    Stmt(&'a StmtRef),
    Expr(&'a Expr),
    /// Brings the condition, or its negation, into scope.
    Narrow(&'a Expr, bool),
    /// Ends the innermost condition.
    Widen,
    EndLoop(&'a Ref<Var>),
    EndLet(&'a Ref<Var>),
}

struct Detector<'v> {
    visible: &'v PtrMap<Ref<Buffer>>,
    /// Matched buffers of the block that map visible ones, by data pointer.
    matched: PtrMap<Ref<MatchBufferRegion>>,
    /// Values of the variables of open loops.
    domains: DomMap,
    /// Values of other variables that conditions imply.
    hints: DomMap,
    /// Values of bound variables, free of bound variables.
    lets: PtrMap<Object>,
    narrowings: Vec<Narrowing>,
    reads: Accesses,
    writes: Accesses,
    opaque: Option<(Ref<Buffer>, Span)>,
    /// Span of the last statement or call.
    span: Span,
    /// Scope of the last visit of shared expressions, and the number of visits in it.
    visited: PtrMap<(u64, u32)>,
    /// Changes whenever a definition or condition enters or leaves scope.
    scope: u64,
    visits: u64,
    /// Number of repeated visits of shared expressions.
    revisits: u64,
}

impl<'v> Detector<'v> {
    fn run(&mut self, block: &Block) -> CompleteResult<()> {
        for matched in block.match_buffers.iter() {
            if self.is_visible(&matched.source.buffer.data) {
                self.matched.insert(matched.buffer.data.object().clone(), matched.clone());
            }
        }
        let mut worklist = Vec::new();
        push_block(block, &mut worklist);
        while let Some(item) = worklist.pop() {
            match item {
                WorkItem::Stmt(stmt) => self.stmt(stmt, &mut worklist),
                WorkItem::Expr(expr) => {
                    self.visits += 1;
                    if self.visits > VISIT_LIMIT || self.revisits > REVISIT_LIMIT {
                        let kind = CompleteErrorKind::TooLarge {
                            block: block.name_hint.clone(),
                            limit: if self.visits > VISIT_LIMIT { VISIT_LIMIT } else { REVISIT_LIMIT },
                        };
                        return Err(CompleteError { kind, span: block.span });
                    }
                    self.expr(expr, &mut worklist);
                }
                other => self.change_scope(other),
            }
        }
        Ok(())
    }

    fn change_scope(&mut self, item: WorkItem<'_>) {
        self.scope += 1;
        match item {
            WorkItem::Stmt(_) | WorkItem::Expr(_) => {}
            WorkItem::Narrow(condition, holds) => {
                let condition = match holds {
                    true => Ok(condition.clone()),
                    false => ops::not(condition.clone()),
                };
                let narrowing = condition
                    .map(|condition| narrow_domains(&condition, &mut self.domains, &mut self.hints))
                    .unwrap_or_default();
                self.visits += narrowing.work() * VISITS_PER_WORK;
                self.narrowings.push(narrowing);
            }
            WorkItem::Widen => {
                if let Some(narrowing) = self.narrowings.pop() {
                    narrowing.undo(&mut self.domains, &mut self.hints);
                }
            }
            WorkItem::EndLoop(var) => {
                self.domains.remove(var);
            }
            WorkItem::EndLet(var) => {
                self.lets.remove(var.object());
            }
        }
    }

    fn stmt<'a>(&mut self, stmt: &'a StmtRef, worklist: &mut Vec<WorkItem<'a>>) {
        if stmt.span().is_known() {
            self.span = stmt.span();
        }
        match stmt.kind() {
            StmtKind::LetStmt(s) => {
                self.scope += 1;
                let value = self.resolved(&s.value);
                self.lets.insert(s.var.object().clone(), value.into());
                worklist.extend([
                    WorkItem::EndLet(&s.var),
                    WorkItem::Stmt(&s.body),
                    WorkItem::Expr(&s.value),
                ]);
            }
            StmtKind::AttrStmt(s) => worklist.extend([WorkItem::Stmt(&s.body), WorkItem::Expr(&s.value)]),
            StmtKind::BufferStore(s) => {
                let region = self.index_sets(&s.indices);
                self.access(Access::Write, &s.buffer, region);
                push_exprs(&s.indices, worklist);
                worklist.push(WorkItem::Expr(&s.value));
            }
            StmtKind::Allocate(s) => {
                worklist.extend([WorkItem::Expr(&s.condition), WorkItem::Stmt(&s.body)]);
                push_exprs(&s.extents, worklist);
            }
            StmtKind::AllocateConst(s) => {
                worklist.push(WorkItem::Stmt(&s.body));
                push_exprs(&s.extents, worklist);
            }
            StmtKind::IfThenElse(s) => {
                if let Some(else_case) = &s.else_case {
                    worklist.extend([
                        WorkItem::Widen,
                        WorkItem::Stmt(else_case),
                        WorkItem::Narrow(&s.condition, false),
                    ]);
                }
                worklist.extend([
                    WorkItem::Widen,
                    WorkItem::Stmt(&s.then_case),
                    WorkItem::Narrow(&s.condition, true),
                ]);
                worklist.push(WorkItem::Expr(&s.condition));
            }
            StmtKind::For(s) => {
                self.scope += 1;
                self.domains.insert(&s.loop_var, IntSet::from_range(&s.min, &s.extent));
                worklist.extend([WorkItem::EndLoop(&s.loop_var), WorkItem::Stmt(&s.body)]);
                worklist.extend(s.step.iter().map(WorkItem::Expr));
                worklist.extend([WorkItem::Expr(&s.extent), WorkItem::Expr(&s.min)]);
            }
            StmtKind::Block(s) => push_block(s, worklist),
            StmtKind::BlockRealize(s) => self.inner_block(s),
            StmtKind::AssertStmt(_)
            | StmtKind::BufferRealize(_)
            | StmtKind::DeclBuffer(_)
            | StmtKind::SeqStmt(_)
            | StmtKind::Evaluate(_)
            | StmtKind::While(_) => push_fields(stmt.object(), worklist),
            StmtKind::Other(_) => {
                if let Some((var, value)) = flat_binding(stmt) {
                    // The variable is known until the end of the block: nothing defines it again.
                    self.scope += 1;
                    let value = self.resolved(value);
                    self.lets.insert(var.object().clone(), value.into());
                }
                push_fields(stmt.object(), worklist);
            }
        }
    }

    /// Adds the declared regions of a nested block, with the values of its axes substituted.
    fn inner_block(&mut self, realize: &BlockRealize) {
        let axes = realize.block.iter_vars.iter().map(|axis| axis.var.object().clone());
        let values: PtrMap<Object> =
            axes.zip(realize.iter_values.iter().map(|v| v.object().clone())).collect();
        let lists = [(Access::Read, &realize.block.reads), (Access::Write, &realize.block.writes)];
        for (access, regions) in lists {
            for region in regions.iter() {
                let set = |range: &Ref<Range>| {
                    let set =
                        IntSet::from_range(&replaced(&range.min, &values), &replaced(&range.extent, &values));
                    eval_set_of_set(&set, &self.domains)
                };
                let sets = region.region.iter().map(set).collect();
                self.access(access, &region.buffer, sets);
            }
        }
    }

    fn expr<'a>(&mut self, expr: &'a Expr, worklist: &mut Vec<WorkItem<'a>>) {
        match expr.kind() {
            ExprKind::IntImm(_) | ExprKind::FloatImm(_) | ExprKind::StringImm(_) => return,
            ExprKind::Var(_) => return self.pointer(expr.object()),
            _ => {}
        }
        if !expr.object().is_unique() && self.is_spent(expr.object()) {
            return;
        }
        match expr.kind() {
            ExprKind::Let(e) => worklist.extend([WorkItem::Expr(&e.body), WorkItem::Expr(&e.value)]),
            ExprKind::Shuffle(e) => {
                push_exprs(&e.vectors, worklist);
                push_exprs(&e.indices, worklist);
            }
            ExprKind::Call(call) => self.call(call, worklist),
            _ => match expr.as_node::<BufferLoad>() {
                Some(load) => {
                    let region = self.index_sets(&load.indices);
                    self.access(Access::Read, &load.buffer, region);
                    push_exprs(&load.indices, worklist);
                }
                None => push_fields(expr.object(), worklist),
            },
        }
    }

    /// Returns `true` if a shared expression was visited often enough in this scope.
    fn is_spent(&mut self, object: &Object) -> bool {
        let (scope, times) = self.visited.entry(object.clone()).or_default();
        self.revisits += u64::from(*times > 0);
        if *scope != self.scope {
            (*scope, *times) = (self.scope, 0);
        }
        *times += 1;
        *times > VISITS_OF_SHARED
    }

    fn call<'a>(&mut self, call: &'a Call, worklist: &mut Vec<WorkItem<'a>>) {
        if call.span.is_known() {
            self.span = call.span;
        }
        let is = |op: &NamedOp| op.is_called_by(call);
        match call.args.len() {
            5 if is(&TVM_ACCESS_PTR.op) => {
                let pointer = call.args.get(1).and_then(|arg| arg.downcast_ref::<Var>());
                let mask = call.args.get(4).and_then(|arg| arg.as_node::<IntImm>());
                let (Some(pointer), Some(mask)) = (pointer, mask) else {
                    return push_exprs(&call.args, worklist);
                };
                let Some(buffer) = self.buffer_of(pointer.object()) else { return };
                let region = self.full_sets(&buffer);
                match mask.value & 3 {
                    1 => self.access(Access::Read, &buffer, region),
                    2 => self.access(Access::Write, &buffer, region),
                    3 => self.set_opaque(buffer),
                    _ => {}
                }
            }
            3 if is(&intrinsic::IF_THEN_ELSE) => {
                let mut args = call.args.iter();
                let (Some(condition), Some(then_value), Some(else_value)) =
                    (args.next(), args.next(), args.next())
                else {
                    return;
                };
                for (value, holds) in [(else_value, false), (then_value, true)] {
                    worklist.extend([
                        WorkItem::Widen,
                        WorkItem::Expr(value),
                        WorkItem::Narrow(condition, holds),
                    ]);
                }
                worklist.push(WorkItem::Expr(condition));
            }
            _ => push_exprs(&call.args, worklist),
        }
    }

    /// A variable by itself makes an access opaque if it is the data of a buffer.
    fn pointer(&mut self, var: &Object) {
        if self.opaque.is_none()
            && let Some(buffer) = self.buffer_of(var)
        {
            self.set_opaque(buffer);
        }
    }

    fn set_opaque(&mut self, buffer: Ref<Buffer>) {
        self.opaque.get_or_insert((buffer, self.span));
    }

    fn is_visible(&self, data: &Ref<Var>) -> bool {
        self.visible.contains_key(data.object()) || self.matched.contains_key(data.object())
    }

    fn buffer_of(&self, data: &Object) -> Option<Ref<Buffer>> {
        let matched = self.matched.get(data).map(|matched| matched.buffer.clone());
        matched.or_else(|| self.visible.get(data).cloned())
    }

    fn resolved(&self, expr: &Expr) -> Expr {
        if self.lets.is_empty() { expr.clone() } else { replaced(expr, &self.lets) }
    }

    fn index_sets(&self, indices: &Array<Expr>) -> Vec<IntSet> {
        let set = |index: &Expr| match index.kind() {
            ExprKind::IntImm(_) => IntSet::point(index),
            ExprKind::Var(_)
                if !self.lets.contains_key(index.object())
                    && index.downcast_ref::<Var>().is_some_and(|v| self.domains.get(v).is_none()) =>
            {
                IntSet::point(index)
            }
            _ => eval_set_of_set(&vector_set(&self.resolved(index)), &self.domains),
        };
        indices.iter().map(set).collect()
    }

    fn full_sets(&self, buffer: &Buffer) -> Vec<IntSet> {
        let zero = IntImm::int32(0);
        buffer.shape.iter().map(|extent| eval_set_of_range(&zero, extent, &self.domains)).collect()
    }

    fn access(&mut self, access: Access, buffer: &Ref<Buffer>, region: Vec<IntSet>) {
        if !self.is_visible(&buffer.data) {
            return;
        }
        let mapped = self
            .matched
            .get(buffer.data.object())
            .map(|matched| (matched.source.buffer.clone(), self.source_sets(matched, &region)));
        let (buffer, region) = mapped.unwrap_or_else(|| (buffer.clone(), region));
        match access {
            Access::Read => self.reads.add(buffer, region),
            Access::Write => self.writes.add(buffer, region),
        }
    }

    /// Converts a region of a matched buffer to a region of its source.
    ///
    /// Upstream: `ConvertRegion`, `src/tir/transforms/ir_utils.cc`.
    fn source_sets(&self, matched: &MatchBufferRegion, region: &[IntSet]) -> Vec<IntSet> {
        let source = &matched.source.region;
        let leading = source.len().saturating_sub(region.len());
        let one = IntImm::int32(1);
        let outer = source.iter().take(leading).map(|range| (range.min.clone(), one.clone()));
        let inner = source.iter().skip(leading).zip(region.iter().zip(matched.buffer.shape.iter()));
        let inner = inner.map(|(range, (set, full))| {
            let (min, extent) = cover(set, full);
            let shifted = ops::binary(BinaryOp::Add, range.min.clone(), min);
            (shifted.unwrap_or_else(|_| range.min.clone()), extent)
        });
        outer.chain(inner).map(|(min, extent)| eval_set_of_range(&min, &extent, &self.domains)).collect()
    }
}

fn push_block<'a>(block: &'a Block, worklist: &mut Vec<WorkItem<'a>>) {
    worklist.push(WorkItem::Stmt(&block.body));
    worklist.extend(block.init.iter().map(WorkItem::Stmt));
    for matched in block.match_buffers.iter().rev() {
        push_ranges(&matched.source.region, worklist);
    }
    for region in block.writes.iter().rev().chain(block.reads.iter().rev()) {
        push_ranges(&region.region, worklist);
    }
    worklist.extend(block.iter_vars.iter().rev().filter_map(|axis| axis.dom.as_deref()).flat_map(bounds));
}

fn bounds(range: &Range) -> [WorkItem<'_>; 2] {
    [WorkItem::Expr(&range.extent), WorkItem::Expr(&range.min)]
}

fn push_exprs<'a>(exprs: &'a Array<Expr>, worklist: &mut Vec<WorkItem<'a>>) {
    worklist.extend(exprs.iter().rev().map(WorkItem::Expr));
}

fn push_ranges<'a>(ranges: &'a Array<Ref<Range>>, worklist: &mut Vec<WorkItem<'a>>) {
    worklist.extend(ranges.iter().rev().flat_map(|range| bounds(range)));
}

/// Pushes the expressions and statements in the fields of a node, in field order.
fn push_fields<'a>(node: &'a Object, worklist: &mut Vec<WorkItem<'a>>) {
    for_each_node_below_rev(node, |_, child| {
        if let Some(expr) = child.downcast_ref::<PrimExpr>() {
            worklist.push(WorkItem::Expr(expr));
        } else if let Some(stmt) = child.downcast_ref::<Stmt>() {
            worklist.push(WorkItem::Stmt(stmt));
        } else {
            let dom = child.as_node::<IterVar>().and_then(|axis| axis.dom.as_deref());
            let range = dom.or_else(|| child.as_node::<Range>());
            worklist.extend(range.into_iter().flat_map(bounds));
        }
    });
}

/// The variable and the value of a statement that only binds it, for the rest of its sequence.
fn flat_binding(stmt: &StmtRef) -> Option<(&Ref<Var>, &Expr)> {
    let (mut var, mut value) = (None, None);
    for (at, field) in stmt.object().info().fields().iter().enumerate() {
        let FieldRef::Node(child) = stmt.object().field(at) else { continue };
        match (field.def, child.downcast_ref::<Var>(), child.downcast_ref::<PrimExpr>()) {
            (true, Some(bound), _) if var.is_none() => var = Some(bound),
            (false, _, Some(bound)) if value.is_none() => value = Some(bound),
            _ => return None,
        }
    }
    var.zip(value)
}

fn replaced(expr: &Expr, values: &PtrMap<Object>) -> Expr {
    if values.is_empty() || expr.as_node::<IntImm>().is_some() {
        return expr.clone();
    }
    substitute(expr.clone(), values).unwrap_or_else(|_| expr.clone())
}

#[derive(Clone, Copy)]
enum Access {
    Read,
    Write,
}
