//! The analyzer: facts about variables, and the queries.
//!
//! Upstream counterpart: `src/arith/analyzer.cc`.

use tvmscript_ir_core::Ref;
use tvmscript_prim::{PrimExpr, Var};

use crate::bound::{BoundState, ConstIntBound};
use crate::constraint;
use crate::error::{ArithError, Result};
use crate::expr::{self, BinOp, Effect, Expr, VarMap, View};
use crate::interval::{IntSet, SetState};
use crate::memo::{self, Memo};
use crate::modular::{ModularSet, ModularState};
use crate::rewrite::{Mode, Simplifier};
use crate::transitive::Comparisons;
use crate::witness::Witness;

/// Default maximum number of nodes that one query visits, over all analyses: about a second. A sum of 100,000 terms
/// needs 400,000.
pub const DEFAULT_NODE_BUDGET: u64 = 1_000_000;

/// Maximum number of nodes of expressions that are compared before the difference of the two is simplified.
const SMALL: u64 = 32;

/// Effort spent on proving a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum ProofStrength {
    /// Simplification only.
    #[default]
    Simplify,
    /// Also the symbolic bounds of `a - b`, for a comparison of `a` with `b`.
    SymbolicBound,
}

/// Simplifies integer expressions and proves facts about them from the ranges of variables and the conditions in
/// scope.
///
/// No query fails: an expression that cannot be simplified (a division by zero, a constant out of range, too many
/// nodes) is returned unchanged, and a condition that cannot be decided is not proven.
///
/// ```
/// use tvmscript_arith::Analyzer;
/// use tvmscript_ir_core::DataType;
/// use tvmscript_prim::{Add, FloorDiv, IntImm, Mul, Var};
///
/// let i = Var::new("i", DataType::INT32);
/// let mut analyzer = Analyzer::new();
/// analyzer.bind_range(&i, &IntImm::int32(0), &IntImm::int32(8));
/// // (i * 8 + i) // 8 is i for i in 0..8
/// let product = Mul::try_new(i.clone().upcast(), IntImm::int32(8)).unwrap();
/// let sum = Add::try_new(product, i.clone().upcast()).unwrap();
/// let quotient = FloorDiv::try_new(sum, IntImm::int32(8)).unwrap();
/// assert!(analyzer.simplify(&quotient).ptr_eq(&i));
/// ```
#[derive(Debug, Clone)]
pub struct Analyzer {
    pub(crate) bounds: BoundState,
    pub(crate) modular: ModularState,
    pub(crate) comparisons: Comparisons,
    pub(crate) sets: SetState,
    /// Variables with a known value.
    pub(crate) replaced: VarMap<Expr>,
    /// Simplified conditions in scope, each followed by the negation of its negation.
    pub(crate) literals: Vec<Expr>,
    /// Depth of nested re-simplification, per mode.
    pub(crate) recursion: [u32; 2],
    pub(crate) memo: Memo,
    pub(crate) witnesses: [Witness; 2],
    /// Nodes that the current query may still visit.
    pub(crate) budget: u64,
    node_budget: u64,
    /// Nodes that earlier queries visited.
    pub(crate) work: u64,
    is_busy: bool,
}

impl Default for Analyzer {
    fn default() -> Self {
        Self::new()
    }
}

/// Simplifies `e` without facts about its variables.
pub fn simplify(e: &Ref<PrimExpr>) -> Ref<PrimExpr> {
    match expr::view(e) {
        View::Int(_) | View::Float(_) | View::Var => e.clone(),
        _ => Analyzer::new().simplify(e),
    }
}

/// A condition in scope; see [`Analyzer::enter_constraint`].
#[must_use = "the condition stays in scope until it is given to `leave_constraint`"]
#[derive(Debug)]
pub struct Constraint(Option<Scope>);

/// State to restore when a condition leaves scope.
#[derive(Debug)]
pub(crate) struct Scope {
    bounds: usize,
    literals: usize,
    comparisons: usize,
    sets: usize,
    modular: Option<(Expr, ModularSet)>,
    /// `true` if the witnesses know the condition.
    has_condition: bool,
}

impl Analyzer {
    /// Creates an analyzer without facts.
    pub fn new() -> Self {
        Self::with_node_budget(DEFAULT_NODE_BUDGET)
    }

    /// Creates an analyzer that visits at most `node_budget` nodes per query.
    pub fn with_node_budget(node_budget: u64) -> Self {
        Self {
            bounds: BoundState::default(),
            modular: ModularState::default(),
            comparisons: Comparisons::default(),
            sets: SetState::default(),
            replaced: VarMap::default(),
            literals: Vec::new(),
            recursion: [0; 2],
            memo: Memo::default(),
            witnesses: Witness::pair(),
            budget: node_budget,
            node_budget,
            work: 0,
            is_busy: false,
        }
    }

    /// Records that `var` equals `value`.
    pub fn bind(&mut self, var: &Ref<Var>, value: &Ref<PrimExpr>) {
        let _ = self.metered(|this| this.bind_inner(var.upcast_ref(), value));
    }

    /// Records that `var` is in `min..min + extent`, or equals `min` if the extent is one.
    pub fn bind_range(&mut self, var: &Ref<Var>, min: &Ref<PrimExpr>, extent: &Ref<PrimExpr>) {
        let _ = self.metered(|this| this.bind_range_inner(var.upcast_ref(), min, extent));
    }

    /// Records that a variable is not negative.
    pub fn mark_non_negative(&mut self, var: &Ref<Var>) {
        let bound = ConstIntBound { min: 0, max: ConstIntBound::of_dtype(var.dtype).max };
        self.witnesses.iter_mut().for_each(|witness| witness.mark_non_negative(var.upcast_ref()));
        self.bounds.vars.insert(&var.clone().upcast(), bound);
    }

    /// Runs `f` with `condition` in scope.
    pub fn with_constraint<R>(&mut self, condition: &Ref<PrimExpr>, f: impl FnOnce(&mut Self) -> R) -> R {
        let scope = self.metered(|this| this.enter_scope(condition));
        let result = f(self);
        if let Ok(scope) = scope {
            self.leave_scope(scope);
        }
        result
    }

    /// Brings `condition` into scope until [`Analyzer::leave_constraint`], for callers that cannot use
    /// [`Analyzer::with_constraint`].
    pub fn enter_constraint(&mut self, condition: &Ref<PrimExpr>) -> Constraint {
        Constraint(self.metered(|this| this.enter_scope(condition)).ok())
    }

    /// Ends the scope of the condition that was entered last.
    pub fn leave_constraint(&mut self, constraint: Constraint) {
        if let Some(scope) = constraint.0 {
            self.leave_scope(scope);
        }
    }

    /// Simplifies `e` to the form that TVM's `Analyzer::Simplify` finds.
    pub fn simplify(&mut self, e: &Ref<PrimExpr>) -> Ref<PrimExpr> {
        self.try_simplify(e).unwrap_or_else(|_| e.clone())
    }

    /// Like [`Analyzer::simplify`], with the reason why an expression cannot be simplified.
    ///
    /// # Errors
    /// [`ArithError`] if the expression divides by the constant zero, leaves the range of its type, or is too large.
    pub fn try_simplify(&mut self, e: &Ref<PrimExpr>) -> std::result::Result<Ref<PrimExpr>, ArithError> {
        self.metered(|this| this.simplify_steps(e, 2))
    }

    /// Simplifies with a canonical pass followed by `steps` passes, which alternate between rewriting and canonical.
    pub fn simplify_with_steps(&mut self, e: &Ref<PrimExpr>, steps: u32) -> Ref<PrimExpr> {
        self.metered(|this| this.simplify_steps(e, steps)).unwrap_or_else(|_| e.clone())
    }

    /// Applies the rewrite rules alone.
    pub fn rewrite_simplify(&mut self, e: &Ref<PrimExpr>) -> Ref<PrimExpr> {
        self.metered(|this| this.rewrite(e)).unwrap_or_else(|_| e.clone())
    }

    /// Applies the canonical pass alone.
    pub fn canonical_simplify(&mut self, e: &Ref<PrimExpr>) -> Ref<PrimExpr> {
        self.metered(|this| this.canonical(e)).unwrap_or_else(|_| e.clone())
    }

    /// Returns constant bounds of `e`.
    pub fn const_int_bound(&mut self, e: &Ref<PrimExpr>) -> ConstIntBound {
        self.metered(|this| this.bound_of(e))
    }

    /// Returns the residue class that contains all values of `e`.
    pub fn modular_set(&mut self, e: &Ref<PrimExpr>) -> ModularSet {
        self.metered(|this| this.modular_of(e))
    }

    /// Returns the values of `e` as a symbolic interval, with bound variables relaxed to their ranges.
    pub fn int_set(&mut self, e: &Ref<PrimExpr>) -> IntSet {
        self.metered(|this| this.set_of(e))
    }

    /// Returns `true` if `condition` is proven to hold.
    pub fn can_prove(&mut self, condition: &Ref<PrimExpr>) -> bool {
        self.can_prove_with(condition, ProofStrength::Simplify)
    }

    /// Returns `true` if `condition` is proven to hold with the given effort.
    pub fn can_prove_with(&mut self, condition: &Ref<PrimExpr>, strength: ProofStrength) -> bool {
        self.metered(|this| this.proves(condition, strength)).unwrap_or(false)
    }

    /// Returns `true` if the two are proven to be equal.
    pub fn can_prove_equal(&mut self, a: &Ref<PrimExpr>, b: &Ref<PrimExpr>) -> bool {
        if let (Some(a), Some(b)) = (expr::as_int(a), expr::as_int(b)) {
            return a == b;
        }
        if expr::dtype(a).is_handle() || expr::dtype(b).is_handle() {
            return a.ptr_eq(b);
        }
        if self.same_within(SMALL, a, b) {
            return true;
        }
        self.metered(|this| this.proves_comparison(BinOp::Eq, a, b)).unwrap_or(false)
    }

    /// Returns `true` if `e` is proven to be at least `lower`.
    pub fn can_prove_greater_equal(&mut self, e: &Ref<PrimExpr>, lower: i64) -> bool {
        self.metered(|this| this.proves_at_least(e, lower)).unwrap_or(false)
    }

    /// Returns `true` if `e` is proven to be less than `upper`.
    pub fn can_prove_less(&mut self, e: &Ref<PrimExpr>, upper: i64) -> bool {
        self.metered(|this| this.proves_less(e, upper)).unwrap_or(false)
    }
}

/// Queries without a budget of their own, for use among the analyses.
impl Analyzer {
    /// Runs a query with a fresh budget, unless it is part of another query.
    pub(crate) fn metered<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        if self.is_busy {
            return f(self);
        }
        self.is_busy = true;
        self.budget = self.node_budget;
        let result = f(self);
        self.work += self.node_budget - self.budget;
        self.is_busy = false;
        self.recursion = [0; 2];
        self.memo.clear();
        result
    }

    /// Returns `true` if the result for `e` is worth recording: the node is shared, and the query is not small.
    #[inline]
    pub(crate) fn memoizes(&self, e: &Expr) -> bool {
        self.node_budget - self.budget > memo::MEMO_THRESHOLD && !e.object().is_unique()
    }

    /// Takes one node off the budget. Returns `false` if it is used up.
    #[inline]
    pub(crate) fn spend(&mut self) -> bool {
        if self.budget == 0 {
            return false;
        }
        self.budget -= 1;
        true
    }

    pub(crate) fn spend_many(&mut self, nodes: usize) -> Result<()> {
        self.budget = self.budget.saturating_sub(nodes as u64);
        if self.budget == 0 { Err(ArithError::Budget) } else { Ok(()) }
    }

    /// Structural equality, counted against the budget.
    pub(crate) fn same(&mut self, a: &Expr, b: &Expr) -> bool {
        expr::deep_equal(a, b, &mut self.budget)
    }

    /// Structural equality of at most `nodes` nodes, counted against the budget at a fraction: comparing a node takes far
    /// less time than simplifying it.
    pub(crate) fn same_within(&mut self, nodes: u64, a: &Expr, b: &Expr) -> bool {
        let mut left = nodes;
        let is_same = expr::deep_equal(a, b, &mut left);
        self.budget = self.budget.saturating_sub((nodes - left) / 8);
        is_same
    }

    /// Applies the rewrite rules, a second time if the first pass changed anything.
    pub(crate) fn rewrite(&mut self, e: &Expr) -> Result<Expr> {
        let first = Simplifier { analyzer: self, mode: Mode::Rewrite }.visit(e)?;
        if first.ptr_eq(e) {
            return Ok(first);
        }
        Simplifier { analyzer: self, mode: Mode::Rewrite }.visit(&first)
    }

    pub(crate) fn canonical(&mut self, e: &Expr) -> Result<Expr> {
        Simplifier { analyzer: self, mode: Mode::Canonical }.visit(e)
    }

    pub(crate) fn simplify_steps(&mut self, e: &Expr, steps: u32) -> Result<Expr> {
        let mut result = self.canonical(e)?;
        let mut is_stable = result.ptr_eq(e);
        for step in 0..steps {
            if expr::as_int(&result).is_some() {
                return Ok(result);
            }
            let next = if step % 2 == 0 { self.rewrite(&result)? } else { self.canonical(&result)? };
            // What neither pass changes stays as it is.
            if is_stable && next.ptr_eq(&result) {
                return Ok(next);
            }
            is_stable = next.ptr_eq(&result);
            result = next;
        }
        Ok(result)
    }

    pub(crate) fn bind_inner(&mut self, var: &Expr, value: &Expr) -> Result<()> {
        self.memo.clear();
        let canonical = self.canonical(value)?;
        let simple = self.rewrite(&canonical)?;
        let (bound, modular, set) = (self.bound_of(&simple), self.modular_of(&simple), self.set_of(&simple));
        self.witnesses.iter_mut().for_each(|witness| witness.bind(var, &simple));
        self.bounds.vars.insert(var, bound);
        self.modular.vars.insert(var, modular);
        self.replaced.insert(var, simple);
        self.sets.vars.insert(var, set);
        self.memo.clear();
        self.comparisons.forget(var);
        self.learn(BinOp::Eq, var, value)
    }

    /// Records the comparison of a variable that was bound.
    fn learn(&mut self, op: BinOp, var: &Expr, value: &Expr) -> Result<()> {
        if expr::dtype(var) == expr::dtype(value) {
            self.comparisons.add_bound(op, var, value);
        } else if let View::Bin(op, a, b) = expr::view(&expr::folded(op, var, value)?) {
            self.comparisons.add_bound(op, a, b);
        }
        Ok(())
    }

    pub(crate) fn bind_range_inner(&mut self, var: &Expr, min: &Expr, extent: &Expr) -> Result<()> {
        if expr::as_int(extent) == Some(1) {
            return self.bind_inner(var, min);
        }
        let (low, count) = (self.bound_of(min), self.bound_of(extent));
        let greatest = crate::number::inf_add(low.max, crate::number::inf_add(count.max, -1));
        self.memo.clear();
        self.witnesses.iter_mut().for_each(|witness| witness.bind_range(var, min, extent));
        self.bounds.vars.insert(var, ConstIntBound { min: low.min, max: greatest });
        self.sets.vars.insert(var, IntSet::from_range(min, extent));
        self.comparisons.forget(var);
        let end = expr::folded(BinOp::Add, min, extent)?;
        self.learn(BinOp::Ge, var, min)?;
        self.learn(BinOp::Lt, var, &end)
    }

    /// Brings `condition` into scope until [`Analyzer::leave_scope`].
    pub(crate) fn enter_scope(&mut self, condition: &Expr) -> Result<Scope> {
        let mut scope = Scope {
            bounds: self.bounds.scoped.len(),
            literals: self.literals.len(),
            comparisons: self.comparisons.depth(),
            sets: self.sets.scoped.len(),
            modular: None,
            has_condition: false,
        };
        if expr::as_int(condition).is_some() {
            return Ok(scope);
        }
        self.memo.clear();
        self.witnesses.iter_mut().for_each(|witness| witness.enter(condition));
        scope.has_condition = true;
        self.bounds.enter(condition);
        scope.modular = self.modular.enter(condition);
        match self.enter_literals(condition) {
            Ok(()) => {
                self.sets.enter(condition);
                self.comparisons.enter(condition);
                Ok(scope)
            }
            Err(stop) => {
                self.leave_scope(scope);
                Err(stop)
            }
        }
    }

    fn enter_literals(&mut self, condition: &Expr) -> Result<()> {
        let simple = Simplifier { analyzer: self, mode: Mode::Rewrite }.visit(condition)?;
        for part in constraint::conjuncts(&simple) {
            // A constant decides no condition.
            if expr::as_int(part).is_some() || expr::effect(part) > Effect::Pure {
                continue;
            }
            let negation = if expr::dtype(part).is_bool() {
                constraint::negate(part)?
            } else {
                let zero = expr::like(part, 0)?;
                expr::fold(BinOp::Eq, part.clone(), zero)?
            };
            self.memo.clear();
            self.literals.push(part.clone());
            self.literals.push(expr::not(negation)?);
        }
        Ok(())
    }

    pub(crate) fn leave_scope(&mut self, scope: Scope) {
        self.memo.clear();
        self.bounds.scoped.truncate(scope.bounds);
        self.literals.truncate(scope.literals);
        if scope.has_condition {
            self.witnesses.iter_mut().for_each(Witness::leave);
        }
        self.comparisons.leave(scope.comparisons);
        self.sets.scoped.truncate(scope.sets);
        if let Some((var, set)) = scope.modular {
            self.modular.vars.insert(&var, set);
        }
    }

    /// Returns `true` if `e` is proven to be at least `lower`; `false` if it cannot be simplified.
    pub(crate) fn can_prove_at_least(&mut self, e: &Expr, lower: i64) -> bool {
        self.proves_at_least(e, lower).unwrap_or(false)
    }

    pub(crate) fn proves_at_least(&mut self, e: &Expr, lower: i64) -> Result<bool> {
        if let Some(value) = expr::as_int(e) {
            return Ok(value >= lower);
        }
        if self.refutes_at_least(e, lower) {
            return Ok(false);
        }
        let simple = self.rewrite(e)?;
        Ok(self.bound_of(&simple).min >= lower)
    }

    pub(crate) fn proves_less(&mut self, e: &Expr, upper: i64) -> Result<bool> {
        if let Some(value) = expr::as_int(e) {
            return Ok(value < upper);
        }
        let simple = self.rewrite(e)?;
        Ok(self.bound_of(&simple).max < upper)
    }

    /// Returns `true` if the constant bounds of both sides decide an inequality.
    fn holds_by_bounds(&mut self, condition: &Expr) -> bool {
        let View::Bin(op, a, b) = expr::view(condition) else { return false };
        let (smaller, greater) = match op {
            BinOp::Lt | BinOp::Le => (a, b),
            BinOp::Gt | BinOp::Ge => (b, a),
            _ => return false,
        };
        let (most, least) = (self.bound_of(smaller).max, self.bound_of(greater).min);
        let is_strict = matches!(op, BinOp::Lt | BinOp::Gt);
        most < ConstIntBound::POS_INF && if is_strict { most < least } else { most <= least }
    }

    /// Proves `a op b` by simplifying the difference of the two.
    pub(crate) fn proves_comparison(&mut self, op: BinOp, a: &Expr, b: &Expr) -> Result<bool> {
        let difference = expr::folded(BinOp::Sub, a, b)?;
        let zero = expr::like(&difference, 0)?;
        self.proves(&expr::fold(op, difference, zero)?, ProofStrength::Simplify)
    }

    pub(crate) fn proves(&mut self, condition: &Expr, strength: ProofStrength) -> Result<bool> {
        if let Some(value) = expr::as_int(condition) {
            return Ok(value != 0);
        }
        if self.refutes(condition) {
            return Ok(false);
        }
        if self.holds_by_bounds(condition) {
            return Ok(true);
        }
        let simple = self.simplify_steps(condition, 2)?;
        if expr::as_int(&simple).is_some_and(|value| value != 0) {
            return Ok(true);
        }
        if strength < ProofStrength::SymbolicBound {
            return Ok(false);
        }
        let View::Bin(op, a, b) = expr::view(condition) else { return Ok(false) };
        let (greater, smaller, lower) = match op {
            BinOp::Lt => (b, a, 1),
            BinOp::Le => (b, a, 0),
            BinOp::Gt => (a, b, 1),
            BinOp::Ge => (a, b, 0),
            _ => return Ok(false),
        };
        let difference = expr::folded(BinOp::Sub, greater, smaller)?;
        let difference = self.simplify_steps(&difference, 2)?;
        let Some(least) = self.set_of(&difference).min().cloned() else { return Ok(false) };
        let least = self.simplify_steps(&least, 2)?;
        Ok(self.bound_of(&least).min >= lower)
    }
}
