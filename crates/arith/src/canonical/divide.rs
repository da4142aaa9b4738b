//! Quotients and remainders of canonical forms.
//!
//! Upstream counterpart: the `Div`, `FloorDiv`, `Mod` and `FloorMod` visitors of `src/arith/canonical_simplify.cc`.

use super::{Canonical, DivMode, Factors, Operands, Split, overflow, product_of};
use crate::error::Result;
use crate::expr::{self, BinOp, Expr};
use crate::number::{POS_INF, divides, floor_div, floor_mod, gcd};
use crate::rewrite::Simplifier;
use crate::transitive::Outcomes;

impl Simplifier<'_> {
    pub(super) fn canonical_quotient(
        &mut self,
        op: BinOp,
        e: &Expr,
        a: &Expr,
        b: &Expr,
    ) -> Result<Canonical> {
        let (left, right) = match Self::fold_parts(op, self.part(a)?, self.part(b)?)? {
            Operands::Folded(folded) => return Ok(folded),
            Operands::Both(left, right) => (left, right),
        };
        let mode = if op == BinOp::Div { DivMode::Trunc } else { DivMode::Floor };
        if let Some(divisor @ 1..) = right.as_int() {
            if divisor == 1 {
                return Ok(left);
            }
            return self.quotient_by_constant(left, divisor, mode);
        }
        let (new_a, new_b) = (left.into_expr()?, right.into_expr()?);
        if let Some(common) = self.without_common_factors(&new_a, &new_b)? {
            return expr::fold(op, common.dividend, common.divisor).map(Canonical::Expr);
        }
        rebuilt(op, e, (a, b), new_a, new_b)
    }

    fn quotient_by_constant(&mut self, left: Canonical, divisor: i64, mode: DivMode) -> Result<Canonical> {
        let sum = match left {
            Canonical::Sum(sum) => *sum,
            other => {
                if self.is_own_remainder(&other, divisor)? {
                    return expr::like(&other.into_expr()?, 0).map(Canonical::Expr);
                }
                let split = self.split_quotient_by(other.into_split()?, divisor, mode)?;
                return Ok(Canonical::of_split(split));
            }
        };
        let original = (mode == DivMode::Trunc).then(|| sum.clone());
        let (mut divisible, rest) = sum.separate(divisor);
        if rest.is_zero() {
            divisible.divide_by(divisor);
            return Ok(Canonical::of_sum(divisible));
        }
        let rest = rest.into_expr()?;
        if let Some(original) = original {
            // Truncation distributes over the parts of a sum only where neither is negative.
            let whole = divisible.to_expr()?;
            if !self.analyzer.proves_at_least(&whole, 0)? || !self.analyzer.proves_at_least(&rest, 0)? {
                let split = Canonical::of_sum(original).into_split()?;
                return self.split_quotient_by(split, divisor, mode).map(Canonical::of_split);
            }
        }
        divisible.divide_by(divisor);
        match expr::as_int(&rest) {
            Some(value) => {
                let quotient = match mode {
                    DivMode::Trunc => value.checked_div(divisor),
                    DivMode::Floor => floor_div(value, divisor),
                };
                divisible.add_constant(quotient.unwrap_or(0))?;
            }
            None => {
                let vanishes = self.compare_const(&rest, divisor)? == Outcomes::LT
                    && (mode == DivMode::Trunc || self.analyzer.proves_at_least(&rest, 0)?);
                if !vanishes {
                    let split = Canonical::Expr(rest).into_split()?;
                    let quotient = self.split_quotient_by(split, divisor, mode)?;
                    divisible.add_split(quotient, 1, self.analyzer)?;
                }
            }
        }
        Ok(Canonical::of_sum(divisible))
    }

    pub(super) fn canonical_remainder(
        &mut self,
        op: BinOp,
        e: &Expr,
        a: &Expr,
        b: &Expr,
    ) -> Result<Canonical> {
        let (left, right) = match Self::fold_parts(op, self.part(a)?, self.part(b)?)? {
            Operands::Folded(folded) => return Ok(folded),
            Operands::Both(left, right) => (left, right),
        };
        if let Some(divisor @ 1..) = right.as_int() {
            return match op {
                BinOp::Mod => self.truncated_remainder(left, divisor),
                _ => self.floor_remainder(left, divisor),
            };
        }
        let (new_a, new_b) = (left.into_expr()?, right.into_expr()?);
        if let Some(common) = self.without_common_factors(&new_a, &new_b)? {
            let remainder = expr::fold(op, common.dividend, common.divisor)?;
            return expr::fold(BinOp::Mul, remainder, common.factor).map(Canonical::Expr);
        }
        rebuilt(op, e, (a, b), new_a, new_b)
    }

    /// Returns `true` if a value, not a sum, is in `0..divisor`.
    fn is_own_remainder(&mut self, value: &Canonical, divisor: i64) -> Result<bool> {
        let bound = self.analyzer.bound_of(&value.to_expr()?);
        Ok(bound.min >= 0 && bound.max < divisor)
    }

    fn truncated_remainder(&mut self, left: Canonical, divisor: i64) -> Result<Canonical> {
        let Canonical::Sum(sum) = left else {
            if self.is_own_remainder(&left, divisor)? {
                return Ok(left);
            }
            let split = self.split_remainder_by(left.into_split()?, divisor, DivMode::Trunc)?;
            return Ok(Canonical::of_split(split));
        };
        let (divisible, rest) = sum.clone().separate(divisor);
        if rest.is_zero() {
            return expr::constant(sum.dtype, 0).map(Canonical::Expr);
        }
        let mut sum = *sum;
        let remaining = rest.to_expr()?;
        if self.analyzer.proves_at_least(&divisible.into_expr()?, 0)?
            && self.analyzer.proves_at_least(&remaining, 0)?
        {
            if expr::as_int(&remaining).is_some() {
                let divisor = expr::constant(sum.dtype, divisor)?;
                return expr::fold(BinOp::Mod, remaining, divisor).map(Canonical::Expr);
            }
            if self.compare_const(&remaining, divisor)? == Outcomes::LT {
                return Ok(Canonical::Expr(remaining));
            }
            sum = rest;
        }
        // `(x - 5) % 3` is `(x - 2) % 3` if neither is negative.
        let bound = self.analyzer.bound_of(&sum.to_expr()?);
        let new_base = sum.base % divisor;
        if bound.min >= 0 && bound.min.saturating_sub(sum.base).saturating_add(new_base) >= 0 {
            sum.base = new_base;
        }
        let split = Canonical::of_sum(sum).into_split()?;
        self.split_remainder_by(split, divisor, DivMode::Trunc).map(Canonical::of_split)
    }

    fn floor_remainder(&mut self, left: Canonical, divisor: i64) -> Result<Canonical> {
        let Canonical::Sum(sum) = left else {
            if self.is_own_remainder(&left, divisor)? {
                return Ok(left);
            }
            let split = self.split_remainder_by(left.into_split()?, divisor, DivMode::Floor)?;
            return Ok(Canonical::of_split(split));
        };
        let dtype = sum.dtype;
        let (_, mut rest) = sum.separate(divisor);
        let remaining = rest.to_expr()?;
        if expr::as_int(&remaining).is_some() {
            let divisor = expr::constant(dtype, divisor)?;
            return expr::fold(BinOp::FloorMod, remaining, divisor).map(Canonical::Expr);
        }
        if self.compare_const(&remaining, divisor)? == Outcomes::LT
            && self.analyzer.proves_at_least(&remaining, 0)?
        {
            return Ok(Canonical::Expr(remaining));
        }
        rest.base = floor_mod(rest.base, divisor).unwrap_or(rest.base);
        let split = Canonical::of_sum(rest).into_split()?;
        self.split_remainder_by(split, divisor, DivMode::Floor).map(Canonical::of_split)
    }

    /// The split with the given rounding; a split that rounds the other way becomes the index of a new one.
    fn with_mode(split: Split, mode: DivMode) -> Result<Split> {
        let split = if split.allows(mode) { split } else { Split::whole(split.into_expr()?) };
        Ok(Split { mode, ..split })
    }

    fn split_quotient_by(&mut self, split: Split, divisor: i64, mode: DivMode) -> Result<Split> {
        let mut split = Self::with_mode(split, mode)?;
        if divides(divisor, split.scale) {
            split.scale /= divisor;
            return Ok(split);
        }
        if divides(split.scale, divisor) && !split.is_negated_quotient() {
            let by = divisor / split.scale;
            let lower = split.lower.checked_mul(by).ok_or_else(|| overflow(split.dtype))?;
            if split.upper == POS_INF || divides(lower, split.upper) {
                split.scale = 1;
                split.lower = lower;
                return Ok(split);
            }
            if 0 < split.upper && split.upper <= lower {
                return Ok(Split::whole(expr::constant(split.dtype, 0)?));
            }
            // The remainder moves into the index.
            let upper = expr::constant(split.dtype, split.upper)?;
            split.index = expr::fold(mode.remainder(), split.index, upper)?;
            split.upper = POS_INF;
            split.scale = 1;
            split.lower = lower;
            return Ok(split);
        }
        let mut whole = Split::whole(split.into_expr()?);
        whole.lower = divisor;
        whole.mode = mode;
        Ok(whole)
    }

    fn split_remainder_by(&mut self, split: Split, divisor: i64, mode: DivMode) -> Result<Split> {
        let mut split = Self::with_mode(split, mode)?;
        if divides(divisor, split.scale) {
            split.scale = 0;
            return Ok(split);
        }
        if divides(split.scale, divisor) && !split.is_negated_quotient() {
            // index % upper / lower * scale % divisor = index % upper % new_upper / lower * scale
            let by = divisor / split.scale;
            let upper = split.lower.checked_mul(by).ok_or_else(|| overflow(split.dtype))?;
            if split.upper == POS_INF {
                split.upper = upper;
                return Ok(split);
            }
            if divides(upper, split.upper) {
                if upper >= split.upper {
                    split.upper = upper;
                    return Ok(split);
                }
                let narrower =
                    expr::fold(mode.remainder(), split.index, expr::constant(split.dtype, upper)?)?;
                let mut updated = Canonical::Expr(self.visit(&narrower)?).into_split()?;
                if split.lower != 1 {
                    updated = self.split_quotient_by(updated, split.lower, mode)?;
                }
                updated.scale_by(split.scale)?;
                return Ok(updated);
            }
            if divides(split.upper, upper) {
                return Ok(split);
            }
        }
        let mut whole = Split::whole(split.into_expr()?);
        whole.mode = mode;
        whole.upper = divisor;
        Ok(whole)
    }

    /// Cancels the symbolic and constant factors that a dividend and a symbolic divisor share. Valid for both
    /// rounding modes, because quotients keep their value and remainders scale with the factor.
    fn without_common_factors(&mut self, dividend: &Expr, divisor: &Expr) -> Result<Option<CommonFactors>> {
        if expr::as_int(divisor).is_some() {
            return Ok(None);
        }
        let Factors { symbols: mut left, constant: left_scale } = self.factors(&[dividend])?;
        let Factors { symbols: right, constant: right_scale } = self.factors(&[divisor])?;
        let (mut common, mut remaining) = (Vec::new(), Vec::new());
        for factor in right {
            match left.iter().position(|other| self.analyzer.same(other, &factor)) {
                Some(at) => {
                    left.remove(at);
                    common.push(factor);
                }
                None => remaining.push(factor),
            }
        }
        let scale = gcd(left_scale, right_scale);
        if scale == 0 || (common.is_empty() && scale == 1) {
            return Ok(None);
        }
        let number = |like: &Expr, value: i64| expr::like(like, value);
        Ok(Some(CommonFactors {
            dividend: product_of(&left, &number(dividend, left_scale / scale)?)?,
            divisor: product_of(&remaining, &number(divisor, right_scale / scale)?)?,
            factor: product_of(&common, &number(divisor, scale)?)?,
        }))
    }
}

/// A dividend and a divisor without their common factors, and the product of those factors.
struct CommonFactors {
    dividend: Expr,
    divisor: Expr,
    factor: Expr,
}

/// The node `e` if its operands did not change, otherwise a new node.
fn rebuilt(op: BinOp, e: &Expr, old: (&Expr, &Expr), a: Expr, b: Expr) -> Result<Canonical> {
    if a.ptr_eq(old.0) && b.ptr_eq(old.1) {
        return Ok(Canonical::Expr(e.clone()));
    }
    expr::strict(op, a, b).map(Canonical::Expr)
}
