//! Rewriting of the indices of buffers, simplified as sums of parts of the loops and block iterators around them.
//!
//! Upstream counterpart: `BlockBufferAccessSimplifier` of `src/tir/schedule/transform.cc` and
//! `IRMutatorWithAnalyzer` of `src/arith/ir_mutator_with_analyzer.cc`.

use tvmscript_arith::{Analyzer, IterMapLevel, VarRange, iter_map_simplify};
use tvmscript_ir_core::{Array, Descend, Mutator, Object, ObjectLike, Ref, mutate, with_stack};
use tvmscript_prim::intrinsic;
use tvmscript_prim::{Call, Expr, IntImm, Range, Var, ops};
use tvmscript_tir::{Block, Buffer, BufferLoad, BufferRegion, BufferStore, For, IfThenElse, StmtRef};

use crate::error::{Result, ScheduleError};

/// A rewrite of accesses to buffers.
pub(crate) trait RewriteAccess {
    /// The buffer and the indices of a load or store that changes.
    fn access(
        &mut self,
        context: &mut Context<'_>,
        buffer: &Ref<Buffer>,
        indices: &Array<Expr>,
    ) -> Result<Option<(Ref<Buffer>, Vec<Expr>)>>;

    /// A block whose parts are rewritten; `before` is the block as it was.
    fn block(
        &mut self,
        context: &mut Context<'_>,
        block: Ref<Block>,
        before: Ref<Block>,
    ) -> Result<Ref<Block>>;
}

/// Rewrites the accesses in a statement.
pub(crate) fn rewrite_accesses<T: ObjectLike>(
    root: T,
    analyzer: &mut Analyzer,
    rewrite: &mut impl RewriteAccess,
) -> Result<T> {
    let context = Context { analyzer, ranges: Vec::new(), conditions: Vec::new() };
    let mut accesses = Accesses { context, rewrite, open: Vec::new(), failed: None };
    let new = mutate(root, &mut accesses)?;
    accesses.failed.map_or(Ok(new), Err)
}

/// Simplifies the indices and regions in a statement.
pub(crate) fn simplify_accesses<T: ObjectLike>(root: T, analyzer: &mut Analyzer) -> Result<T> {
    rewrite_accesses(root, analyzer, &mut Simplify)
}

struct Simplify;

impl RewriteAccess for Simplify {
    fn access(
        &mut self,
        context: &mut Context<'_>,
        buffer: &Ref<Buffer>,
        indices: &Array<Expr>,
    ) -> Result<Option<(Ref<Buffer>, Vec<Expr>)>> {
        Ok(Some((buffer.clone(), context.simple(indices.iter().cloned()))))
    }

    fn block(&mut self, context: &mut Context<'_>, block: Ref<Block>, _: Ref<Block>) -> Result<Ref<Block>> {
        let mut new = block.clone();
        let reads: Vec<_> = block.reads.iter().map(|region| context.region(region)).collect();
        let writes: Vec<_> = block.writes.iter().map(|region| context.region(region)).collect();
        let changed = new.make_mut();
        (changed.reads, changed.writes) = (Array::new(reads), Array::new(writes));
        Ok(new)
    }
}

/// Facts that hold at an access.
pub(crate) struct Context<'a> {
    analyzer: &'a mut Analyzer,
    /// The loops and block iterators around the node.
    ranges: Vec<VarRange>,
    /// The conditions under which it runs.
    conditions: Vec<Expr>,
}

impl Context<'_> {
    fn bind(&mut self, var: &Ref<Var>, min: &Expr, extent: &Expr) {
        self.analyzer.bind_range(var, min, extent);
        self.ranges.push(VarRange { var: var.clone(), min: min.clone(), extent: extent.clone() });
    }

    /// The indices as sums of parts; a variable does not become a constant.
    pub(crate) fn simple(&mut self, indices: impl Iterator<Item = Expr>) -> Vec<Expr> {
        let indices: Vec<Expr> = indices.collect();
        let all: Expr = IntImm::bool(true);
        let predicate = self.conditions.iter().cloned().try_fold(all.clone(), ops::and).unwrap_or(all);
        let mut simple = iter_map_simplify(
            &indices,
            &self.ranges,
            &predicate,
            IterMapLevel::Surjective,
            true,
            self.analyzer,
        );
        for (new, old) in simple.iter_mut().zip(&indices) {
            if new.is::<IntImm>() && old.is::<Var>() {
                *new = old.clone();
            }
        }
        simple
    }

    fn region(&mut self, region: &Ref<BufferRegion>) -> Ref<BufferRegion> {
        let begins = self.simple(region.region.iter().map(|range| range.min.clone()));
        let ranges = region
            .region
            .iter()
            .zip(begins)
            .map(|(range, min)| Range::from_min_extent(min, self.analyzer.simplify(&range.extent)));
        let region_of = |ranges| BufferRegion { buffer: region.buffer.clone(), region: Array::new(ranges) };
        let ranges: Vec<Ref<Range>> = ranges.collect();
        Ref::new(region_of(ranges))
    }
}

struct Accesses<'a, R> {
    context: Context<'a>,
    rewrite: &'a mut R,
    /// The blocks around the node, as they were.
    open: Vec<Ref<Block>>,
    failed: Option<ScheduleError>,
}

impl<R: RewriteAccess> Accesses<'_, R> {
    /// Visits a part that runs under a condition.
    fn under<T: ObjectLike + Clone>(&mut self, condition: &Expr, part: &T) -> T {
        let constraint = self.context.analyzer.enter_constraint(condition);
        self.context.conditions.push(condition.clone());
        let new = with_stack(|| mutate(part.clone(), self));
        self.context.conditions.pop();
        self.context.analyzer.leave_constraint(constraint);
        self.kept(part, new.map_err(Into::into))
    }

    fn kept<T: Clone>(&mut self, old: &T, new: Result<T>) -> T {
        new.unwrap_or_else(|error| {
            self.failed.get_or_insert(error);
            old.clone()
        })
    }

    fn access(&mut self, buffer: &Ref<Buffer>, indices: &Array<Expr>) -> Option<(Ref<Buffer>, Array<Expr>)> {
        let new = self.rewrite.access(&mut self.context, buffer, indices);
        let (buffer, indices) = self.kept(&None, new)?;
        Some((buffer, Array::new(indices)))
    }

    /// The branches of a conditional expression.
    fn call(&mut self, call: &Ref<Call>) -> Option<Object> {
        if !call.op.ptr_eq(intrinsic::IF_THEN_ELSE.get()) {
            return None;
        }
        let (condition, then, other) = (call.args.get(0)?, call.args.get(1)?, call.args.get(2)?);
        let new = with_stack(|| mutate(condition.clone(), self));
        let condition = self.kept(condition, new.map_err(Into::into));
        let then = self.under(&condition, then);
        let other = match ops::not(condition.clone()) {
            Ok(negation) => self.under(&negation, other),
            Err(_) => other.clone(),
        };
        let mut new = call.clone();
        new.make_mut().args = Array::new([condition, then, other]);
        Some(new.into_object())
    }
}

impl<R: RewriteAccess> Mutator for Accesses<'_, R> {
    fn enter(&mut self, node: &Object) -> Descend {
        if let Some(found) = node.as_node::<For>() {
            self.context.bind(&found.loop_var, &found.min, &found.extent);
        } else if let Some(block) = node.downcast_ref::<Block>() {
            self.open.push(block.clone());
            for axis in block.iter_vars.iter() {
                if let Some(dom) = &axis.dom {
                    self.context.bind(&axis.var, &dom.min, &dom.extent);
                }
            }
        } else if let Some(branches) = node.downcast_ref::<IfThenElse>() {
            let new = with_stack(|| mutate(branches.condition.clone(), self));
            let condition = self.kept(&branches.condition, new.map_err(Into::into));
            let then_case: StmtRef = self.under(&condition, &branches.then_case);
            let else_case = match (&branches.else_case, ops::not(condition.clone())) {
                (Some(other), Ok(negation)) => Some(self.under(&negation, other)),
                (other, _) => other.clone(),
            };
            let mut new = branches.clone();
            let changed = new.make_mut();
            (changed.condition, changed.then_case, changed.else_case) = (condition, then_case, else_case);
            return Descend::Replace(new.into_object());
        } else if let Some(call) = node.downcast_ref::<Call>()
            && let Some(new) = self.call(call)
        {
            return Descend::Replace(new);
        }
        Descend::Into
    }

    fn leave(&mut self, node: Object) -> Object {
        if node.is::<For>() {
            self.context.ranges.pop();
            return node;
        }
        if let Some(load) = node.downcast_ref::<BufferLoad>() {
            let Some(new) = self.access(&load.buffer, &load.indices) else { return node };
            let mut load = load.clone();
            let changed = load.make_mut();
            (changed.buffer, changed.indices) = new;
            return load.into_object();
        }
        if let Some(store) = node.downcast_ref::<BufferStore>() {
            let Some(new) = self.access(&store.buffer, &store.indices) else { return node };
            let mut store = store.clone();
            let changed = store.make_mut();
            (changed.buffer, changed.indices) = new;
            return store.into_object();
        }
        let Some(block) = node.downcast_ref::<Block>() else { return node };
        let Some(before) = self.open.pop() else { return node };
        let new = self.rewrite.block(&mut self.context, block.clone(), before);
        let count = block.iter_vars.iter().filter(|axis| axis.dom.is_some()).count();
        let around = self.context.ranges.len().saturating_sub(count);
        self.context.ranges.truncate(around);
        self.kept(block, new).into_object()
    }
}
