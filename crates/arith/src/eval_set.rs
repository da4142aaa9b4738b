//! Evaluation of expressions over sets of their variables.
//!
//! Upstream counterpart: `IntervalSetEvaluator` and `EvalSet` of `src/arith/int_set.cc`.

use hashbrown::HashMap;
use tvmscript_ir_core::{Object, Ref, with_stack};
use tvmscript_prim::PrimExpr;

use crate::analyzer::Analyzer;
use crate::error::{ArithError, Result};
use crate::expr::{self, BinOp, Expr, Intrinsic, VarMap, View};
use crate::interval::{DomMap, IntSet, SetState};

/// The values of `e` if its variables range over `domains`; other variables stay symbolic.
pub fn eval_set(e: &Ref<PrimExpr>, domains: &DomMap) -> IntSet {
    with_evaluator(domains, |evaluator| evaluator.eval(e))
}

/// The union of `set` over all values of the variables in its ends.
pub fn eval_set_of_set(set: &IntSet, domains: &DomMap) -> IntSet {
    with_evaluator(domains, |evaluator| {
        let min = set.min().map(|end| evaluator.eval(end)).transpose()?;
        let max = set.max().map(|end| evaluator.eval(end)).transpose()?;
        if set.is_nothing() {
            return Ok(IntSet::nothing());
        }
        Ok(IntSet::interval(min.and_then(|set| set.min().cloned()), max.and_then(|set| set.max().cloned())))
    })
}

/// The union of `min..min + extent` over all values of the variables in both.
pub fn eval_set_of_range(min: &Ref<PrimExpr>, extent: &Ref<PrimExpr>, domains: &DomMap) -> IntSet {
    with_evaluator(domains, |evaluator| {
        if expr::dtype(min).is_integer()
            && evaluator.analyzer.can_prove_equal(extent, &expr::like(extent, 1)?)
        {
            return evaluator.eval(min);
        }
        let end = expr::folded(BinOp::Add, min, extent)?;
        let last = evaluator.analyzer.simplify(&expr::plus(&end, -1)?);
        evaluator.eval_interval(&IntSet::interval(Some(min.clone()), Some(last)))
    })
}

/// The values of an index expression: the lanes of a vector, or the scalar itself.
pub fn vector_set(e: &Ref<PrimExpr>) -> IntSet {
    if !expr::dtype(e).is_vector() {
        return IntSet::point(e);
    }
    let domains = DomMap::new();
    let mut analyzer = Analyzer::new();
    let state = SetState { vars: domains.vars, scoped: Vec::new() };
    analyzer
        .metered(|analyzer| Evaluator::new(analyzer, &state, true).eval(e))
        .unwrap_or_else(|_| IntSet::everything())
}

fn with_evaluator(domains: &DomMap, f: impl FnOnce(&mut Evaluator<'_>) -> Result<IntSet>) -> IntSet {
    let state = SetState { vars: domains.vars.clone(), scoped: Vec::new() };
    let mut analyzer = Analyzer::new();
    analyzer
        .metered(|analyzer| f(&mut Evaluator::new(analyzer, &state, false)))
        .unwrap_or_else(|_| IntSet::everything())
}

impl Analyzer {
    /// The values of `e` under the facts of the analyzer.
    pub(crate) fn set_of(&mut self, e: &Expr) -> IntSet {
        let state = std::mem::take(&mut self.sets);
        let result = Evaluator::new(self, &state, true).eval(e);
        self.sets = state;
        result.unwrap_or_else(|_| IntSet::everything())
    }
}

struct Evaluator<'a> {
    analyzer: &'a mut Analyzer,
    state: &'a SetState,
    /// Evaluate vectors over their lanes.
    in_lanes: bool,
    depth: usize,
    /// Variables whose domain is being evaluated; they stay symbolic there.
    visiting: VarMap<()>,
    /// Sets of shared expressions, by depth, recorded while no domain is being evaluated.
    memo: HashMap<(Object, usize), IntSet>,
}

impl<'a> Evaluator<'a> {
    fn new(analyzer: &'a mut Analyzer, state: &'a SetState, in_lanes: bool) -> Self {
        Self { analyzer, state, in_lanes, depth: 0, visiting: VarMap::default(), memo: HashMap::new() }
    }

    /// The interval with both ends evaluated, unless no variable is left to relax.
    fn eval_interval(&mut self, set: &IntSet) -> Result<IntSet> {
        if self.depth >= self.state.vars.len() || set.is_nothing() {
            return Ok(set.clone());
        }
        self.depth += 1;
        let min = set.min().map(|end| self.eval(end)).transpose();
        let max = set.max().map(|end| self.eval(end)).transpose();
        self.depth -= 1;
        let (min, max) = (min?, max?);
        Ok(IntSet::interval(min.and_then(|set| set.min().cloned()), max.and_then(|set| set.max().cloned())))
    }

    fn eval(&mut self, e: &Expr) -> Result<IntSet> {
        if !self.analyzer.spend() {
            return Err(ArithError::Budget);
        }
        if !self.analyzer.memoizes(e) || !self.visiting.is_empty() {
            return with_stack(|| self.eval_kind(e));
        }
        let key = (e.object().clone(), self.depth);
        if let Some(known) = self.memo.get(&key) {
            return Ok(known.clone());
        }
        let set = with_stack(|| self.eval_kind(e))?;
        self.memo.insert(key, set.clone());
        Ok(set)
    }

    fn eval_kind(&mut self, e: &Expr) -> Result<IntSet> {
        match expr::view(e) {
            View::Int(_) => Ok(IntSet::point(e)),
            View::Var => self.eval_var(e),
            View::Bin(op, a, b) => {
                let (left, right) = (self.eval(a)?, self.eval(b)?);
                let is = |set: &IntSet, e: &Expr| set.as_point().is_some_and(|point| point.ptr_eq(e));
                if is(&left, a) && is(&right, b) {
                    return Ok(IntSet::point(e));
                }
                self.analyzer.combine(op, left, right, e)
            }
            View::Select(_, on_true, on_false) => {
                let (on_true, on_false) = (self.eval(on_true)?, self.eval(on_false)?);
                Ok(on_false.hull(&on_true))
            }
            View::Cast(value) => {
                let set = self.eval(value)?;
                let converted =
                    |end: Option<&Expr>| end.map(|end| expr::cast(expr::dtype(e), end.clone())).transpose();
                if set.is_nothing() {
                    return Ok(set);
                }
                if let Some(point) = set.as_point() {
                    return Ok(IntSet::point(&expr::cast(expr::dtype(e), point.clone())?));
                }
                Ok(IntSet::interval(converted(set.min())?, converted(set.max())?))
            }
            View::Ramp(base, stride, lanes) if self.in_lanes => self.eval_ramp(e, base, stride, lanes),
            View::Broadcast(value, _) if self.in_lanes => self.eval(value),
            View::Call(call) if call.intrinsic() == Some(Intrinsic::VScale) => Ok(IntSet::point(e)),
            View::Other if expr::dtype(e).is_integer() && !expr::mentions(e, &self.state.vars) => {
                Ok(IntSet::point(e))
            }
            _ => Ok(IntSet::everything()),
        }
    }

    fn eval_var(&mut self, e: &Expr) -> Result<IntSet> {
        if self.visiting.get(e).is_some() {
            return Ok(IntSet::point(e));
        }
        let mut sets: Vec<IntSet> =
            self.state.scoped.iter().filter(|(var, _)| var.ptr_eq(e)).map(|(_, set)| set.clone()).collect();
        sets.extend(self.state.vars.get(e).cloned());
        if sets.is_empty() {
            return Ok(IntSet::point(e));
        }
        let set = IntSet::intersection(&sets);
        if set.as_point().is_some_and(|point| point.ptr_eq(e)) {
            return Ok(set);
        }
        self.visiting.insert(e, ());
        let result = self.eval_interval(&set);
        self.visiting.remove(e);
        result
    }

    fn eval_ramp(&mut self, e: &Expr, base: &Expr, stride: &Expr, lanes: &Expr) -> Result<IntSet> {
        let first = self.eval(base)?;
        let Some(step) = expr::as_int(stride) else { return Ok(IntSet::everything()) };
        let dtype = expr::dtype(base);
        let zero = Some(expr::constant(dtype, 0)?);
        let last = match expr::as_int(lanes) {
            Some(lanes) => Some(expr::constant(dtype, step.saturating_mul(lanes - 1))?),
            None => None,
        };
        let steps = if step > 0 { IntSet::interval(zero, last) } else { IntSet::interval(last, zero) };
        self.analyzer.combine(BinOp::Add, first, steps, e)
    }
}
