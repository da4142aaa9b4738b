//! Canonical simplification: integer arithmetic as sums of splits.
//!
//! Everything else goes through the rewriter, which calls back for the operands.
//!
//! Upstream counterpart: `src/arith/canonical_simplify.cc`.

mod divide;
mod sum;

use std::sync::LazyLock;

use tvmscript_ir_core::DataType;
use tvmscript_prim::Var;
use tvmscript_prim::ops::{self, Folded};

use crate::error::{ArithError, Result};
use crate::expr::{self, BinOp, Expr, View};
use crate::number::{POS_INF, gcd};
use crate::rewrite::Simplifier;

pub(crate) use sum::{DivMode, Split, Sum, overflow};

/// Result of the canonical walk for a node.
#[derive(Debug, Clone)]
pub(crate) enum Canonical {
    Expr(Expr),
    Split(Box<Split>),
    Sum(Box<Sum>),
}

/// The operands of a node after folding.
enum Operands {
    Folded(Canonical),
    Both(Canonical, Canonical),
}

impl Canonical {
    pub(crate) fn into_expr(self) -> Result<Expr> {
        match self {
            Self::Expr(e) => Ok(e),
            Self::Split(split) => split.into_expr(),
            Self::Sum(sum) => sum.into_expr(),
        }
    }

    fn to_expr(&self) -> Result<Expr> {
        match self {
            Self::Expr(e) => Ok(e.clone()),
            Self::Split(split) => split.to_expr(1),
            Self::Sum(sum) => sum.to_expr(),
        }
    }

    /// The value as one split; a longer sum becomes the index of a new split.
    fn into_split(self) -> Result<Split> {
        match self {
            Self::Split(split) => Ok(*split),
            Self::Sum(mut sum) if sum.base == 0 && sum.terms.len() == 1 => match sum.terms.pop() {
                Some(only) => Ok(only),
                None => Ok(Split::whole(sum.into_expr()?)),
            },
            other => Ok(Split::whole(other.into_expr()?)),
        }
    }

    fn into_sum(self) -> Sum {
        match self {
            Self::Sum(sum) => *sum,
            Self::Split(split) => Sum::of(*split),
            Self::Expr(e) => match expr::as_int(&e) {
                Some(value) => Sum::constant(expr::dtype(&e), value),
                None => Sum::of(Split::whole(e)),
            },
        }
    }

    fn as_int(&self) -> Option<i64> {
        match self {
            Self::Expr(e) => expr::as_int(e),
            _ => None,
        }
    }

    fn of_sum(sum: Sum) -> Self {
        Self::Sum(Box::new(sum))
    }

    fn of_split(split: Split) -> Self {
        Self::Split(Box::new(split))
    }
}

impl Simplifier<'_> {
    /// The canonical form of `e` before it is converted back to an expression.
    pub(crate) fn canonicalize(&mut self, e: &Expr) -> Result<Canonical> {
        match expr::view(e) {
            View::Bin(BinOp::Lt, a, b) => self.canonical_lt(e, a, b),
            View::Bin(op, a, b) if !expr::gives_truth(op) && expr::is_index(expr::dtype(e)) => match op {
                BinOp::Add | BinOp::Sub => self.canonical_sum(op, a, b),
                BinOp::Mul => self.canonical_product(e, a, b),
                BinOp::Div | BinOp::FloorDiv => self.canonical_quotient(op, e, a, b),
                BinOp::Mod | BinOp::FloorMod => self.canonical_remainder(op, e, a, b),
                _ => self.rewrite(e).map(Canonical::Expr),
            },
            View::Cast(value) if expr::is_index(expr::dtype(e)) => self.canonical_cast(e, value),
            _ => self.rewrite(e).map(Canonical::Expr),
        }
    }

    /// [`Simplifier::canonicalize`] for an operand, with budget, memo and stack guard.
    fn part(&mut self, e: &Expr) -> Result<Canonical> {
        if matches!(expr::view(e), View::Int(_) | View::Var) {
            return self.visit(e).map(Canonical::Expr);
        }
        if !self.analyzer.spend() {
            return Err(ArithError::Budget);
        }
        let key = self.analyzer.memoizes(e).then(|| (e.object().clone(), self.analyzer.recursion));
        if let Some(known) = key.as_ref().and_then(|key| self.analyzer.memo.canonical.get(key)) {
            return Ok(known.clone());
        }
        let new = tvmscript_ir_core::with_stack(|| self.canonicalize(e))?;
        if let Some(key) = key {
            self.analyzer.memo.canonical.insert(key, new.clone());
        }
        Ok(new)
    }

    /// Folds `a op b`, or returns the operands. Folding looks at constants only, so a variable stands in for a sum or
    /// a split.
    fn fold_parts(op: BinOp, a: Canonical, b: Canonical) -> Result<Operands> {
        static STAND_INS: LazyLock<[Expr; 2]> = LazyLock::new(|| {
            [DataType::INT32, DataType::INT64].map(|dtype| Var::new("stand_in", dtype).upcast())
        });
        let [narrow, wide] = &*STAND_INS;
        let stand_in = |constant: &Expr| if expr::dtype(constant).bits == 64 { wide } else { narrow };
        let folded = match (&a, &b) {
            (Canonical::Expr(a), Canonical::Expr(b)) => ops::fold::fold(op, a, b),
            (Canonical::Expr(a), _) if expr::as_int(a).is_some() => ops::fold::fold(op, a, stand_in(a)),
            (_, Canonical::Expr(b)) if expr::as_int(b).is_some() => ops::fold::fold(op, stand_in(b), b),
            _ => Ok(None),
        };
        Ok(match folded.map_err(ArithError::Constant)? {
            Some(Folded::Left) => Operands::Folded(a),
            Some(Folded::Right) => Operands::Folded(b),
            Some(Folded::Value(value)) => Operands::Folded(Canonical::Expr(value)),
            None => Operands::Both(a, b),
        })
    }

    fn canonical_sum(&mut self, op: BinOp, a: &Expr, b: &Expr) -> Result<Canonical> {
        let (a, b) = match Self::fold_parts(op, self.part(a)?, self.part(b)?)? {
            Operands::Folded(folded) => return Ok(folded),
            Operands::Both(a, b) => (a, b),
        };
        let factor = if op == BinOp::Add { 1 } else { -1 };
        let mut sum = a.into_sum();
        match b {
            Canonical::Sum(other) => {
                sum.add_sum(*other, factor, self.analyzer)?;
            }
            other => match other.as_int() {
                Some(value) => {
                    sum.add_constant(value.checked_mul(factor).ok_or_else(|| overflow(sum.dtype))?)?;
                }
                None => sum.add_split(other.into_split()?, factor, self.analyzer)?,
            },
        }
        Ok(Canonical::of_sum(sum))
    }

    fn canonical_product(&mut self, e: &Expr, a: &Expr, b: &Expr) -> Result<Canonical> {
        let (mut left, mut right) = match Self::fold_parts(BinOp::Mul, self.part(a)?, self.part(b)?)? {
            Operands::Folded(folded) => return Ok(folded),
            Operands::Both(a, b) => (a, b),
        };
        if left.as_int().is_some() {
            std::mem::swap(&mut left, &mut right);
        }
        if let Some(factor) = right.as_int() {
            return Ok(match left {
                Canonical::Sum(mut sum) => {
                    sum.scale_by(factor)?;
                    Canonical::Sum(sum)
                }
                other => {
                    let mut split = other.into_split()?;
                    split.scale_by(factor)?;
                    Canonical::of_split(split)
                }
            });
        }
        let product = self.normalized_product(&left.into_expr()?, &right.into_expr()?)?;
        match expr::view(&product) {
            View::Bin(BinOp::Mul, new_a, new_b) if new_a.ptr_eq(a) && new_b.ptr_eq(b) => {
                Ok(Canonical::Expr(e.clone()))
            }
            _ => Ok(Canonical::Expr(product)),
        }
    }

    fn canonical_cast(&mut self, e: &Expr, value: &Expr) -> Result<Canonical> {
        let dtype = expr::dtype(e);
        match self.part(value)? {
            Canonical::Sum(mut sum) if sum.can_convert(dtype, self.analyzer)? => {
                sum.convert(dtype)?;
                return Ok(Canonical::Sum(sum));
            }
            Canonical::Split(mut split) if split.can_convert(dtype, self.analyzer)? => {
                split.convert(dtype)?;
                return Ok(Canonical::Split(split));
            }
            _ => {}
        }
        self.rewrite(e).map(Canonical::Expr)
    }

    /// Rewrites `a < b` as `x0 * s0 + ... + rest < 0` and divides by the common divisor `d` of the scales: a rest in
    /// `0..d` vanishes; a remainder by a multiple of `d` is divided too.
    fn canonical_lt(&mut self, e: &Expr, a: &Expr, b: &Expr) -> Result<Canonical> {
        let keep = |this: &mut Self| this.rewrite(e).map(Canonical::Expr);
        if !expr::dtype(a).is_integer() {
            return keep(self);
        }
        let difference = expr::folded(BinOp::Sub, a, b)?;
        let Canonical::Sum(sum) = self.part(&difference)? else { return keep(self) };
        let mut divisor = sum.base;
        let mut is_scaled = false;
        for term in &sum.terms {
            if term.scale.unsigned_abs() > 1 {
                is_scaled = true;
                divisor = gcd(divisor, term.scale);
            }
        }
        if !is_scaled || divisor <= 1 {
            return keep(self);
        }
        let dtype = sum.dtype;
        let (mut divisible, rest) = sum.separate(divisor);
        let zero = expr::constant(dtype, 0)?;
        if self.is_within(&rest.to_expr()?, divisor)? {
            divisible.divide_by(divisor);
            let less = expr::fold(BinOp::Lt, divisible.into_expr()?, zero)?;
            return self.part(&less);
        }
        // Unlike upstream, this leaves out remainders that are subtracted or truncated.
        let [only] = rest.terms.as_slice() else { return keep(self) };
        if only.scale != 1 || only.mode != DivMode::Floor {
            return keep(self);
        }
        let step = divisor.checked_mul(only.lower).ok_or_else(|| overflow(dtype))?;
        if only.upper == POS_INF || !crate::number::divides(step, only.upper) {
            return keep(self);
        }
        divisible.divide_by(divisor);
        let quotient = expr::fold(BinOp::FloorDiv, only.index.clone(), expr::constant(dtype, step)?)?;
        let remainder = expr::fold(BinOp::FloorMod, quotient, expr::constant(dtype, only.upper / step)?)?;
        let left = expr::fold(BinOp::Add, divisible.into_expr()?, remainder)?;
        self.part(&expr::fold(BinOp::Lt, left, zero)?)
    }

    /// Returns `true` if `e` is proven to be in `0..end`.
    fn is_within(&mut self, e: &Expr, end: i64) -> Result<bool> {
        let dtype = expr::dtype(e);
        let below = expr::fold(BinOp::Lt, e.clone(), expr::constant(dtype, end)?)?;
        let above = expr::fold(BinOp::Ge, e.clone(), expr::constant(dtype, 0)?)?;
        let strength = crate::ProofStrength::Simplify;
        Ok(self.analyzer.proves(&below, strength)? && self.analyzer.proves(&above, strength)?)
    }
}

/// The factors of a product: symbols from left to right, and one constant.
pub(crate) struct Factors {
    pub(crate) symbols: Vec<Expr>,
    pub(crate) constant: i64,
}

impl Simplifier<'_> {
    /// The factors of all `products`.
    fn factors(&mut self, products: &[&Expr]) -> Result<Factors> {
        let mut factors = Factors { symbols: Vec::new(), constant: 1 };
        let mut pending: Vec<&Expr> = products.iter().rev().copied().collect();
        while let Some(e) = pending.pop() {
            self.analyzer.spend_many(1)?;
            match expr::view(e) {
                View::Bin(BinOp::Mul, a, b) => pending.extend([b, a]),
                View::Int(value) => factors.constant = factors.constant.wrapping_mul(value),
                _ => factors.symbols.push(e.clone()),
            }
        }
        Ok(factors)
    }

    /// `a * b` as a left-associated product with one constant at the end.
    fn normalized_product(&mut self, a: &Expr, b: &Expr) -> Result<Expr> {
        let factors = self.factors(&[a, b])?;
        product_of(&factors.symbols, &expr::like(a, factors.constant)?)
    }
}

/// The left-associated product of `symbols` and a constant.
fn product_of(symbols: &[Expr], constant: &Expr) -> Result<Expr> {
    let mut result = expr::like(constant, 1)?;
    for symbol in symbols {
        result = expr::fold(BinOp::Mul, result, symbol.clone())?;
    }
    expr::fold(BinOp::Mul, result, constant.clone())
}
