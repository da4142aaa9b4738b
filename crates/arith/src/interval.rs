//! Symbolic intervals.
//!
//! Upstream counterpart: `IntervalSet` and its operations in `src/arith/int_set.cc`.

use tvmscript_ir_core::Ref;
use tvmscript_prim::{PrimExpr, Var};

use crate::analyzer::Analyzer;
use crate::constraint;
use crate::error::Result;
use crate::expr::{self, BinOp, Expr, VarMap, View};

/// An empty set, or an interval of integers between two symbolic ends, both included and both optional.
#[derive(Debug, Clone)]
pub struct IntSet {
    ends: Option<(Option<Expr>, Option<Expr>)>,
}

impl IntSet {
    /// The empty set.
    pub fn nothing() -> Self {
        Self { ends: None }
    }

    /// All integers.
    pub fn everything() -> Self {
        Self::interval(None, None)
    }

    /// The set of one value.
    pub fn point(value: &Ref<PrimExpr>) -> Self {
        Self::interval(Some(value.clone()), Some(value.clone()))
    }

    /// The values from `min` to `max`, both included; `None` for an unbounded side.
    pub fn interval(min: Option<Ref<PrimExpr>>, max: Option<Ref<PrimExpr>>) -> Self {
        Self { ends: Some((min, max)) }
    }

    /// The `extent` values from `min`.
    pub fn from_range(min: &Ref<PrimExpr>, extent: &Ref<PrimExpr>) -> Self {
        if expr::as_int(extent) == Some(1) {
            return Self::point(min);
        }
        match expr::folded(BinOp::Add, extent, min).and_then(|end| expr::plus(&end, -1)) {
            Ok(last) => Self::interval(Some(min.clone()), Some(last)),
            Err(_) => Self::everything(),
        }
    }

    /// The least value, if bounded.
    pub fn min(&self) -> Option<&Ref<PrimExpr>> {
        self.ends.as_ref()?.0.as_ref()
    }

    /// The greatest value, if bounded.
    pub fn max(&self) -> Option<&Ref<PrimExpr>> {
        self.ends.as_ref()?.1.as_ref()
    }

    /// Returns `true` for the empty set.
    pub fn is_nothing(&self) -> bool {
        self.ends.is_none()
    }

    /// Returns `true` if neither side is bounded.
    pub fn is_everything(&self) -> bool {
        matches!(self.ends, Some((None, None)))
    }

    /// The only value, if both ends are the same node.
    pub fn as_point(&self) -> Option<&Ref<PrimExpr>> {
        let (min, max) = (self.min()?, self.max()?);
        min.ptr_eq(max).then_some(min)
    }

    /// Returns `true` if both ends are proven to be equal.
    pub fn is_provably_point(&self, analyzer: &mut Analyzer) -> bool {
        match (self.min(), self.max()) {
            (Some(min), Some(max)) => min.ptr_eq(max) || analyzer.can_prove_equal(min, max),
            _ => false,
        }
    }

    /// The least value and the number of values, both simplified; `None` if a side is unbounded.
    pub fn cover_range(&self) -> Option<(Ref<PrimExpr>, Ref<PrimExpr>)> {
        let (min, max) = (self.min()?, self.max()?);
        let mut analyzer = Analyzer::new();
        let extent = expr::fold(BinOp::Sub, expr::plus(max, 1).ok()?, min.clone()).ok()?;
        Some((analyzer.simplify(min), analyzer.simplify(&extent)))
    }

    /// The smallest interval that contains all `sets`. Its ends are simplified unless there is only one set.
    pub fn union(sets: &[IntSet]) -> IntSet {
        match sets {
            [] => Self::nothing(),
            [only] => only.clone(),
            [first, rest @ ..] => {
                let hull = rest.iter().fold(first.clone(), |hull, set| hull.hull(set));
                hull.simplified(&mut Analyzer::new())
            }
        }
    }

    /// The values that all `sets` contain. The ends are simplified unless there is only one set.
    pub fn intersection(sets: &[IntSet]) -> IntSet {
        match sets {
            [] => Self::nothing(),
            [only] => only.clone(),
            [first, rest @ ..] => {
                let mut analyzer = Analyzer::new();
                let common =
                    rest.iter().fold(first.clone(), |common, set| common.intersect(set, &mut analyzer));
                common.simplified(&mut analyzer)
            }
        }
    }

    fn simplified(self, analyzer: &mut Analyzer) -> Self {
        let mut simplify = |end: Option<Expr>| end.map(|end| analyzer.simplify(&end));
        Self { ends: self.ends.map(|(min, max)| (simplify(min), simplify(max))) }
    }

    /// The smallest interval that contains both, not simplified.
    pub(crate) fn hull(&self, other: &Self) -> Self {
        let (Some((min, max)), Some((other_min, other_max))) = (&self.ends, &other.ends) else {
            return if self.is_nothing() { other.clone() } else { self.clone() };
        };
        let both = |op, a: &Option<Expr>, b: &Option<Expr>| match (a, b) {
            (Some(a), Some(b)) => expr::folded(op, a, b).ok(),
            _ => None,
        };
        Self::interval(both(BinOp::Min, min, other_min), both(BinOp::Max, max, other_max))
    }

    fn intersect(&self, other: &Self, analyzer: &mut Analyzer) -> Self {
        let (Some((min, max)), Some((other_min, other_max))) = (&self.ends, &other.ends) else {
            return Self::nothing();
        };
        let either = |op, a: &Option<Expr>, b: &Option<Expr>| match (a, b) {
            (Some(a), Some(b)) => expr::folded(op, a, b).ok(),
            (end, None) | (None, end) => end.clone(),
        };
        let (min, max) = (either(BinOp::Max, min, other_min), either(BinOp::Min, max, other_max));
        if let (Some(min), Some(max)) = (&min, &max)
            && expr::dtype(min).is_integer()
            && expr::dtype(max).is_integer()
            && let Ok(crossed) = expr::folded(BinOp::Lt, max, min)
            && analyzer.can_prove(&crossed)
        {
            return Self::nothing();
        }
        Self::interval(min, max)
    }
}

/// Sets of the variables of an expression.
#[derive(Debug, Clone, Default)]
pub struct DomMap {
    pub(crate) vars: VarMap<IntSet>,
}

impl DomMap {
    /// Creates an empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the values of `var` and returns the previous ones.
    pub fn insert(&mut self, var: &Ref<Var>, set: IntSet) -> Option<IntSet> {
        let old = self.get(var).cloned();
        self.vars.insert(var.upcast_ref(), set);
        old
    }

    /// The values of `var`.
    pub fn get(&self, var: &Ref<Var>) -> Option<&IntSet> {
        self.vars.get(var.upcast_ref())
    }

    /// Removes `var` and returns its values.
    pub fn remove(&mut self, var: &Ref<Var>) -> Option<IntSet> {
        let old = self.get(var).cloned();
        self.vars.remove(var.upcast_ref());
        old
    }
}

/// The sets of the variables of an analyzer.
#[derive(Debug, Clone, Default)]
pub(crate) struct SetState {
    pub(crate) vars: VarMap<IntSet>,
    /// From the conditions in scope, innermost last.
    pub(crate) scoped: Vec<(Expr, IntSet)>,
}

impl SetState {
    /// Adds the sets that `condition` implies for single variables.
    pub(crate) fn enter(&mut self, condition: &Expr) {
        for part in constraint::conjuncts(condition) {
            let View::Bin(op, a, b) = expr::view(part) else { continue };
            for (var, op, limit) in [(a, op, b), (b, expr::mirrored(op), a)] {
                if expr::is_var(var)
                    && let Some(set) = limited(op, limit)
                {
                    self.scoped.push((var.clone(), set));
                }
            }
        }
    }
}

/// The values `v` with `v op limit`.
fn limited(op: BinOp, limit: &Expr) -> Option<IntSet> {
    Some(match op {
        BinOp::Le => IntSet::interval(None, Some(limit.clone())),
        BinOp::Lt => IntSet::interval(None, Some(expr::plus(limit, -1).ok()?)),
        BinOp::Ge => IntSet::interval(Some(limit.clone()), None),
        BinOp::Gt => IntSet::interval(Some(expr::plus(limit, 1).ok()?), None),
        BinOp::Eq => IntSet::point(limit),
        _ => return None,
    })
}

impl Analyzer {
    /// The values of `a op b`; `node` is the operation itself.
    pub(crate) fn combine(&mut self, op: BinOp, a: IntSet, b: IntSet, node: &Expr) -> Result<IntSet> {
        if let (Some(x), Some(y)) = (a.as_point(), b.as_point()) {
            return Ok(IntSet::point(&expr::folded(op, x, y)?));
        }
        if expr::gives_truth(op) {
            let dtype = expr::dtype(node);
            return Ok(IntSet::interval(Some(expr::constant(dtype, 0)?), Some(expr::constant(dtype, 1)?)));
        }
        if a.is_nothing() || b.is_nothing() {
            return Ok(IntSet::nothing());
        }
        let ends = |op, x: Option<&Expr>, y: Option<&Expr>| match (x, y) {
            (Some(x), Some(y)) => expr::folded(op, x, y).map(Some),
            _ => Ok(None),
        };
        match op {
            BinOp::Add => Ok(IntSet::interval(ends(op, a.min(), b.min())?, ends(op, a.max(), b.max())?)),
            BinOp::Sub => Ok(IntSet::interval(ends(op, a.min(), b.max())?, ends(op, a.max(), b.min())?)),
            BinOp::Min => {
                Ok(IntSet::interval(ends(op, a.min(), b.min())?, either_end(op, a.max(), b.max())?))
            }
            BinOp::Max => {
                Ok(IntSet::interval(either_end(op, a.min(), b.min())?, ends(op, a.max(), b.max())?))
            }
            BinOp::Mul if a.as_point().is_some() => self.combine_monotonic(op, b, a),
            BinOp::Mul | BinOp::Div | BinOp::FloorDiv => self.combine_monotonic(op, a, b),
            BinOp::Mod | BinOp::FloorMod => self.combine_remainder(op, a, b, node),
            _ => Ok(IntSet::everything()),
        }
    }

    /// A product or quotient by one value, whose sign decides whether the ends swap.
    fn combine_monotonic(&mut self, op: BinOp, a: IntSet, b: IntSet) -> Result<IntSet> {
        let Some(by) = b.as_point() else { return Ok(IntSet::everything()) };
        match expr::as_int(by) {
            Some(0) if op == BinOp::Mul => return Ok(b),
            Some(1) => return Ok(a),
            _ => {}
        }
        let end = |end: Option<&Expr>| end.map(|end| expr::folded(op, end, by)).transpose();
        if self.proves_at_least(by, 0)? {
            return Ok(IntSet::interval(end(a.min())?, end(a.max())?));
        }
        let zero = expr::like(by, 0)?;
        let negated = expr::folded(BinOp::Sub, &zero, by)?;
        if self.proves_at_least(&negated, 1)? {
            return Ok(IntSet::interval(end(a.max())?, end(a.min())?));
        }
        let (Some(at_min), Some(at_max)) = (end(a.min())?, end(a.max())?) else {
            return Ok(IntSet::everything());
        };
        let sign = expr::fold(BinOp::Ge, by.clone(), zero)?;
        let low = expr::select(sign.clone(), at_min.clone(), at_max.clone())?;
        Ok(IntSet::interval(Some(low), Some(expr::select(sign, at_max, at_min)?)))
    }

    /// The remainders `0..divisor`, or the shifted dividend if its quotient is constant. As upstream, assumes a
    /// dividend that is not negative for truncated remainders.
    fn combine_remainder(&mut self, op: BinOp, a: IntSet, b: IntSet, node: &Expr) -> Result<IntSet> {
        let Some(divisor) = b.as_point() else { return Ok(IntSet::everything()) };
        let one = expr::like(divisor, 1)?;
        if !self.proves_at_least(divisor, 0)? {
            let zero = expr::like(divisor, 0)?;
            let is_positive = expr::folded(BinOp::Ge, divisor, &zero)?;
            let negated = expr::folded(BinOp::Sub, &zero, divisor)?;
            let magnitude = match expr::as_int(&is_positive) {
                Some(0) => negated,
                Some(_) => divisor.clone(),
                None => expr::select(is_positive, divisor.clone(), negated)?,
            };
            let last = expr::fold(BinOp::Sub, magnitude, one)?;
            let first = expr::fold(BinOp::Sub, zero, last.clone())?;
            return Ok(IntSet::interval(Some(first), Some(last)));
        }
        if op == BinOp::FloorMod
            && let Some(value) = expr::as_int(divisor)
        {
            if let (Some(min), Some(max)) = (a.min(), a.max()) {
                let quotient = |end: &Expr| expr::folded(BinOp::FloorDiv, end, divisor);
                let (first, last) = (quotient(min)?, quotient(max)?);
                let same = expr::fold(BinOp::Eq, last, first.clone())?;
                if self.proves(&same, crate::ProofStrength::Simplify)? {
                    let skipped = expr::fold(BinOp::Mul, divisor.clone(), first)?;
                    let shifted = |end: &Expr| expr::folded(BinOp::Sub, end, &skipped);
                    return Ok(IntSet::interval(Some(shifted(min)?), Some(shifted(max)?)));
                }
            }
            if let View::Bin(_, dividend, _) = expr::view(node) {
                let set = self.modular_of(dividend);
                let step = crate::number::gcd(set.coeff, value);
                if set.coeff > 0 && step > 1 {
                    let last = value - step + set.base % step;
                    let dtype = expr::dtype(node);
                    return Ok(IntSet::interval(
                        Some(expr::constant(dtype, 0)?),
                        Some(expr::constant(dtype, last)?),
                    ));
                }
            }
        }
        let last = expr::fold(BinOp::Sub, divisor.clone(), one)?;
        Ok(IntSet::interval(Some(expr::like(divisor, 0)?), Some(last)))
    }
}

/// The end of a minimum or maximum on the side where one bounded operand suffices.
fn either_end(op: BinOp, a: Option<&Expr>, b: Option<&Expr>) -> Result<Option<Expr>> {
    match (a, b) {
        (Some(a), Some(b)) => expr::folded(op, a, b).map(Some),
        (end, None) | (None, end) => Ok(end.cloned()),
    }
}
