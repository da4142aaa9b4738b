//! Constant bounds of expressions.
//!
//! The facts about variables and conditions live here; the walk also needs modular sets, so it is a method of
//! [`Analyzer`]. An operation that may overflow 64 bits yields an infinite bound.
//!
//! Upstream counterpart: `src/arith/const_int_bound.cc`.

use tvmscript_ir_core::{DataType, with_stack};

use crate::analyzer::Analyzer;
use crate::constraint;
use crate::expr::{self, BinOp, Expr, Intrinsic, VarMap, View};
use crate::number::{
    NEG_INF, POS_INF, gcd, inf_add, inf_floor_div, inf_mul, inf_neg, inf_shift_left, inf_shift_right,
    inf_trunc_div,
};

/// A range of integers, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConstIntBound {
    /// The least value; [`ConstIntBound::NEG_INF`] if unbounded.
    pub min: i64,
    /// The greatest value; [`ConstIntBound::POS_INF`] if unbounded.
    pub max: i64,
}

impl ConstIntBound {
    /// No upper bound.
    pub const POS_INF: i64 = POS_INF;
    /// No lower bound.
    pub const NEG_INF: i64 = NEG_INF;
    /// All integers.
    pub const EVERYTHING: Self = Self { min: NEG_INF, max: POS_INF };

    /// Creates the range from `min` to `max`.
    pub fn new(min: i64, max: i64) -> Self {
        Self {
            min: if min == POS_INF { min - 1 } else { min },
            max: if max <= NEG_INF { NEG_INF + 1 } else { max },
        }
    }

    /// Creates the range of one value.
    pub fn point(value: i64) -> Self {
        Self::new(value, value)
    }

    /// The values that `dtype` can represent.
    pub fn of_dtype(dtype: DataType) -> Self {
        if dtype.is_bool() {
            return Self { min: 0, max: 1 };
        }
        if !dtype.is_integer() {
            return Self::EVERYTHING;
        }
        let value_bits = u32::from(dtype.bits) - u32::from(dtype.is_int()).min(u32::from(dtype.bits));
        let max = if value_bits >= 63 { POS_INF } else { (1i64 << value_bits) - 1 };
        let min = match (dtype.is_uint(), value_bits >= 63) {
            (true, _) => 0,
            (false, true) => NEG_INF,
            (false, false) => -(1i64 << value_bits),
        };
        Self { min, max }
    }

    /// Returns `true` if the range has exactly one value.
    pub fn is_point(self) -> bool {
        self.min == self.max
    }

    fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    fn intersect(self, other: Self) -> Self {
        Self { min: self.min.max(other.min), max: self.max.min(other.max) }
    }

    /// The hull of `op` at the four corners; exact if `op` is monotonic in each operand.
    fn corners(self, other: Self, op: impl Fn(i64, i64) -> i64) -> Self {
        let values = [
            op(self.min, other.min),
            op(self.max, other.max),
            op(self.min, other.max),
            op(self.max, other.min),
        ];
        let min = values.into_iter().min().unwrap_or(NEG_INF);
        let max = values.into_iter().max().unwrap_or(POS_INF);
        Self { min, max }
    }

    /// The range of quotients; a range of divisors that contains zero is split there.
    fn divide(self, divisor: Self, dtype: DataType, op: impl Fn(i64, i64) -> i64) -> Self {
        if divisor.min <= 0 && 0 <= divisor.max && dtype.is_int() {
            let everything = Self::of_dtype(dtype);
            let negative = if divisor.min < 0 { Self::new(divisor.min, -1) } else { everything };
            let positive = if divisor.max > 0 { Self::new(1, divisor.max) } else { everything };
            let hull = self.corners(negative, &op).union(self.corners(positive, &op));
            return Self::new(hull.min, hull.max);
        }
        self.corners(divisor, op)
    }

    /// The range as a divisor: a program does not divide by zero, so a range from 0 starts at 1. `None` for the
    /// constant zero.
    fn as_divisor(self) -> Option<Self> {
        match self {
            Self { min: 0, max } if max <= 0 => None,
            Self { min: 0, max } => Some(Self { min: 1, max }),
            other => Some(other),
        }
    }
}

/// Bounds of variables and, from the conditions in scope, of other expressions.
#[derive(Debug, Clone, Default)]
pub(crate) struct BoundState {
    pub(crate) vars: VarMap<ConstIntBound>,
    /// Bounds from the conditions in scope, innermost last.
    pub(crate) scoped: Vec<(Expr, ConstIntBound)>,
}

impl BoundState {
    /// Adds the bounds that `condition` implies.
    pub(crate) fn enter(&mut self, condition: &Expr) {
        for part in constraint::conjuncts(condition) {
            let View::Bin(op, a, b) = expr::view(part) else { continue };
            let (subject, op, value) = match (expr::as_int(a), expr::as_int(b)) {
                (Some(value), None) => (b, expr::mirrored(op), value),
                (None, Some(value)) => (a, op, value),
                _ => continue,
            };
            let bound = match op {
                BinOp::Ge => ConstIntBound::new(value, POS_INF),
                BinOp::Gt => ConstIntBound::new(value.saturating_add(1), POS_INF),
                BinOp::Le => ConstIntBound::new(NEG_INF, value),
                BinOp::Lt => ConstIntBound::new(NEG_INF, value.saturating_sub(1)),
                BinOp::Eq => ConstIntBound::point(value),
                _ => continue,
            };
            self.scoped.push((subject.clone(), bound));
        }
    }
}

impl Analyzer {
    /// Constant bounds from the structure of `e`, the bound variables and the conditions in scope.
    pub(crate) fn bound_of(&mut self, e: &Expr) -> ConstIntBound {
        if !self.spend() {
            return ConstIntBound::EVERYTHING;
        }
        let memoizes = self.memoizes(e);
        if memoizes && let Some(known) = self.memo.bounds.get(e.object()) {
            return *known;
        }
        let mut bound = with_stack(|| self.bound_of_kind(e));
        for (subject, extra) in &self.bounds.scoped {
            if expr::deep_equal(subject, e, &mut self.budget) {
                bound = bound.intersect(*extra);
            }
        }
        if memoizes && self.budget > 0 {
            self.memo.bounds.insert(e.object().clone(), bound);
        }
        bound
    }

    fn bound_of_kind(&mut self, e: &Expr) -> ConstIntBound {
        match expr::view(e) {
            View::Int(value) => ConstIntBound::point(value),
            View::Var => match self.bounds.vars.get(e) {
                Some(bound) => *bound,
                None if expr::is_size_var(e) => ConstIntBound { min: 0, max: POS_INF },
                None => ConstIntBound::of_dtype(expr::dtype(e)),
            },
            View::Bin(op, a, b) => self.bound_of_binary(op, a, b, expr::dtype(e)),
            View::Select(_, on_true, on_false) => self.bound_of(on_true).union(self.bound_of(on_false)),
            View::Cast(value) => {
                let inner = match ceil_log2_argument(e, value) {
                    Some(argument) => self.ceil_log2_bound(&argument),
                    None => self.bound_of(value),
                };
                inner.intersect(ConstIntBound::of_dtype(expr::dtype(e)))
            }
            View::Ramp(base, stride, lanes) => {
                let first = self.bound_of(base);
                match expr::last_lane(base, stride, lanes) {
                    Ok(last) => first.union(self.bound_of(&last)),
                    Err(_) => ConstIntBound::of_dtype(expr::dtype(e)),
                }
            }
            View::Broadcast(value, _) => self.bound_of(value),
            View::Let(var, value, body) => {
                if self.bounds.vars.get(var).is_some() {
                    return self.bound_of(body);
                }
                let bound = self.bound_of(value);
                self.memo.clear();
                self.bounds.vars.insert(var, bound);
                let result = self.bound_of(body);
                self.memo.clear();
                self.bounds.vars.remove(var);
                result
            }
            View::Call(call) => match (call.intrinsic(), call.args().as_slice()) {
                (Some(Intrinsic::ShiftRight), [a, b]) => {
                    self.bound_of(a).corners(self.bound_of(b), inf_shift_right)
                }
                (Some(Intrinsic::ShiftLeft), [a, b]) => {
                    let (a, b) = (self.bound_of(a), self.bound_of(b));
                    if a.min < 0 || b.min < 0 {
                        ConstIntBound::of_dtype(expr::dtype(e))
                    } else {
                        a.corners(b, inf_shift_left)
                    }
                }
                (Some(Intrinsic::BitwiseAnd), [a, b]) => {
                    let (a, b) = (self.bound_of(a), self.bound_of(b));
                    match (a.min >= 0, b.min >= 0) {
                        (true, true) => ConstIntBound::new(0, a.max.min(b.max)),
                        (false, true) => ConstIntBound::new(0, b.max),
                        (true, false) => ConstIntBound::new(0, a.max),
                        (false, false) => ConstIntBound::of_dtype(expr::dtype(e)),
                    }
                }
                _ => ConstIntBound::of_dtype(expr::dtype(e)),
            },
            _ => ConstIntBound::of_dtype(expr::dtype(e)),
        }
    }

    fn bound_of_binary(&mut self, op: BinOp, a: &Expr, b: &Expr, dtype: DataType) -> ConstIntBound {
        if expr::gives_truth(op) {
            return ConstIntBound::of_dtype(dtype);
        }
        let (left, right) = (self.bound_of(a), self.bound_of(b));
        match op {
            BinOp::Add => {
                ConstIntBound { min: inf_add(left.min, right.min), max: inf_add(left.max, right.max) }
            }
            BinOp::Sub => ConstIntBound {
                min: inf_add(left.min, inf_neg(right.max)),
                max: inf_add(left.max, inf_neg(right.min)),
            },
            BinOp::Mul => left.corners(right, inf_mul),
            BinOp::Min => ConstIntBound { min: left.min.min(right.min), max: left.max.min(right.max) },
            BinOp::Max => ConstIntBound { min: left.min.max(right.min), max: left.max.max(right.max) },
            BinOp::Div | BinOp::FloorDiv => match right.as_divisor() {
                Some(right) if op == BinOp::Div => left.divide(right, dtype, inf_trunc_div),
                Some(right) => left.divide(right, dtype, inf_floor_div),
                None => ConstIntBound::of_dtype(dtype),
            },
            BinOp::Mod | BinOp::FloorMod => match right.as_divisor() {
                Some(right) => self.bound_of_remainder(op, a, left, right, dtype),
                None => ConstIntBound::of_dtype(dtype),
            },
            _ => ConstIntBound::of_dtype(dtype),
        }
    }

    fn bound_of_remainder(
        &mut self,
        op: BinOp,
        a: &Expr,
        left: ConstIntBound,
        right: ConstIntBound,
        dtype: DataType,
    ) -> ConstIntBound {
        if right.min <= 0 {
            if op == BinOp::Mod {
                return ConstIntBound::of_dtype(dtype);
            }
            let (low, high) = (inf_add(right.min, 1).min(0), inf_add(right.max, -1).max(0));
            return ConstIntBound::new(low, high).intersect(ConstIntBound::of_dtype(dtype));
        }
        let cap = inf_add(right.max, -1);
        // A dividend in steps of a divisor of the modulus reaches only every `step`th remainder. Truncated remainders
        // of a negative dividend are negative and keep the general rule.
        if right.is_point() && (op == BinOp::FloorMod || left.min >= 0) {
            let modulus = right.min;
            let steps = self.modular_of(a);
            let step = gcd(steps.coeff, modulus);
            if step > 1 {
                let first = steps.base.rem_euclid(step);
                return ConstIntBound::new(first, modulus - step + first);
            }
        }
        if left.min >= 0 {
            if left.max < right.min {
                return left;
            }
            return ConstIntBound::new(0, left.max.min(cap));
        }
        match op {
            BinOp::FloorMod => ConstIntBound::new(0, cap),
            _ => ConstIntBound::new(left.min.max(-cap), left.max.max(0).min(cap)),
        }
    }

    fn ceil_log2_bound(&mut self, argument: &Expr) -> ConstIntBound {
        let ceil_log2 = |value: f64| {
            let log = value.log2().ceil();
            if log.is_nan() { NEG_INF } else { log as i64 }
        };
        if let Some(value) = expr::as_float(argument) {
            return ConstIntBound::point(ceil_log2(value));
        }
        let bound = self.bound_of(argument);
        ConstIntBound::new(ceil_log2(bound.min as f64).max(NEG_INF), ceil_log2(bound.max as f64))
    }
}

/// The `n` of `int(ceil(log2(n)))`, which loop bounds use for a number of bits.
fn ceil_log2_argument(cast: &Expr, value: &Expr) -> Option<Expr> {
    if !expr::dtype(cast).is_int() {
        return None;
    }
    let View::Call(ceil) = expr::view(value) else { return None };
    let View::Call(log) = expr::view(ceil.node.args.first()?) else { return None };
    let argument = log.node.args.first()?;
    (ceil.intrinsic() == Some(Intrinsic::Ceil) && log.intrinsic() == Some(Intrinsic::Log2))
        .then(|| argument.clone())
}
