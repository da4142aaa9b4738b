//! Simplification of the indices of buffers, as sums of parts of loops and block iterators.
//!
//! Upstream counterpart: `BlockBufferAccessSimplifier` of `src/tir/schedule/transform.cc`.

use tvmscript_arith::{Analyzer, IterMapLevel, VarRange, iter_map_simplify};
use tvmscript_ir_core::{Array, Descend, Mutator, Object, ObjectLike, Ref, RewriteError, mutate, with_stack};
use tvmscript_prim::intrinsic;
use tvmscript_prim::{Call, Expr, IntImm, Range, Var, ops};
use tvmscript_tir::{Block, BufferLoad, BufferRegion, BufferStore, For, IfThenElse, StmtRef};

use crate::error::Result;

/// Simplifies the indices and regions in a statement.
pub(crate) fn simplify_accesses<T: ObjectLike>(root: T, analyzer: &mut Analyzer) -> Result<T> {
    let mut accesses = Accesses { analyzer, ranges: Vec::new(), conditions: Vec::new(), failed: None };
    let new = mutate(root, &mut accesses)?;
    accesses.failed.map_or(Ok(new), |error| Err(error.into()))
}

struct Accesses<'a> {
    analyzer: &'a mut Analyzer,
    /// The loops and block iterators around the node.
    ranges: Vec<VarRange>,
    /// The conditions under which it runs.
    conditions: Vec<Expr>,
    failed: Option<RewriteError>,
}

impl Accesses<'_> {
    fn bind(&mut self, var: &Ref<Var>, min: &Expr, extent: &Expr) {
        self.analyzer.bind_range(var, min, extent);
        self.ranges.push(VarRange { var: var.clone(), min: min.clone(), extent: extent.clone() });
    }

    /// The indices as sums of parts; a variable does not become a constant.
    fn simple(&mut self, indices: impl Iterator<Item = Expr>) -> Vec<Expr> {
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
        let ranges = region.region.iter().zip(begins).map(|(range, min)| {
            Range::from_min_extent(min, self.analyzer.simplify(&range.extent))
        });
        let region_of = |ranges| BufferRegion { buffer: region.buffer.clone(), region: Array::new(ranges) };
        let ranges: Vec<Ref<Range>> = ranges.collect();
        Ref::new(region_of(ranges))
    }

    /// Visits a part that runs under a condition.
    fn under<T: ObjectLike + Clone>(&mut self, condition: &Expr, part: &T) -> T {
        let constraint = self.analyzer.enter_constraint(condition);
        self.conditions.push(condition.clone());
        let new = with_stack(|| mutate(part.clone(), self));
        self.conditions.pop();
        self.analyzer.leave_constraint(constraint);
        self.kept(part, new)
    }

    fn kept<T: ObjectLike + Clone>(&mut self, old: &T, new: std::result::Result<T, RewriteError>) -> T {
        new.unwrap_or_else(|error| {
            self.failed.get_or_insert(error);
            old.clone()
        })
    }

    /// The branches of a conditional expression.
    fn call(&mut self, call: &Ref<Call>) -> Option<Object> {
        if !call.op.ptr_eq(intrinsic::IF_THEN_ELSE.get()) {
            return None;
        }
        let (condition, then, other) = (call.args.get(0)?, call.args.get(1)?, call.args.get(2)?);
        let new = with_stack(|| mutate(condition.clone(), self));
        let condition = self.kept(condition, new);
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

impl Mutator for Accesses<'_> {
    fn enter(&mut self, node: &Object) -> Descend {
        if let Some(found) = node.as_node::<For>() {
            self.bind(&found.loop_var, &found.min, &found.extent);
        } else if let Some(block) = node.as_node::<Block>() {
            for axis in block.iter_vars.iter() {
                if let Some(dom) = &axis.dom {
                    self.bind(&axis.var, &dom.min, &dom.extent);
                }
            }
        } else if let Some(branches) = node.downcast_ref::<IfThenElse>() {
            let new = with_stack(|| mutate(branches.condition.clone(), self));
            let condition = self.kept(&branches.condition, new);
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
            self.ranges.pop();
            return node;
        }
        if let Some(load) = node.downcast_ref::<BufferLoad>() {
            let mut new = load.clone();
            new.make_mut().indices = Array::new(self.simple(load.indices.iter().cloned()));
            return new.into_object();
        }
        if let Some(store) = node.downcast_ref::<BufferStore>() {
            let mut new = store.clone();
            new.make_mut().indices = Array::new(self.simple(store.indices.iter().cloned()));
            return new.into_object();
        }
        let Some(block) = node.downcast_ref::<Block>() else { return node };
        let mut new = block.clone();
        let reads: Vec<_> = block.reads.iter().map(|region| self.region(region)).collect();
        let writes: Vec<_> = block.writes.iter().map(|region| self.region(region)).collect();
        let changed = new.make_mut();
        (changed.reads, changed.writes) = (Array::new(reads), Array::new(writes));
        let count = block.iter_vars.iter().filter(|axis| axis.dom.is_some()).count();
        self.ranges.truncate(self.ranges.len().saturating_sub(count));
        new.into_object()
    }
}
