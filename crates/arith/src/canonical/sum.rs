//! Canonical forms: a sum of splits and a constant.
//!
//! A split is `index % upper / lower * scale`. A sum keeps the splits of one index adjacent, by descending `lower`.
//! Converted back to an expression, positive scales come first, in descending order, then the constant, then the
//! subtracted terms.
//!
//! Upstream counterpart: `SplitExprNode` and `SumExprNode` of `src/arith/canonical_simplify.cc`.

use std::collections::HashMap;

use tvmscript_ir_core::DataType;
use tvmscript_prim::PrimError;

use crate::analyzer::Analyzer;
use crate::bound::ConstIntBound;
use crate::error::{ArithError, Result};
use crate::expr::{self, BinOp, Expr};
use crate::number::{POS_INF, divides};

/// Rounding of the quotients and remainders of a split. The order breaks ties between terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DivMode {
    Trunc,
    Floor,
}

impl DivMode {
    pub(crate) fn quotient(self) -> BinOp {
        if self == Self::Trunc { BinOp::Div } else { BinOp::FloorDiv }
    }

    pub(crate) fn remainder(self) -> BinOp {
        if self == Self::Trunc { BinOp::Mod } else { BinOp::FloorMod }
    }
}

/// `index % upper / lower * scale`; without a remainder if `upper` is infinite.
#[derive(Debug, Clone)]
pub(crate) struct Split {
    pub(crate) index: Expr,
    pub(crate) dtype: DataType,
    pub(crate) lower: i64,
    /// Infinite, or a multiple of `lower`.
    pub(crate) upper: i64,
    pub(crate) scale: i64,
    pub(crate) mode: DivMode,
}

/// A coefficient overflowed 64 bits, so the expression has no canonical form.
pub(crate) fn overflow(dtype: DataType) -> ArithError {
    ArithError::Constant(PrimError::OutOfRange { value: "a coefficient".into(), dtype })
}

impl Split {
    /// The split with an expression as its index and nothing else.
    pub(crate) fn whole(index: Expr) -> Self {
        let dtype = expr::dtype(&index);
        Self { index, dtype, lower: 1, upper: POS_INF, scale: 1, mode: DivMode::Trunc }
    }

    pub(crate) fn into_expr(self) -> Result<Expr> {
        self.to_expr(1)
    }

    /// The expression for the split times `factor`.
    pub(crate) fn to_expr(&self, factor: i64) -> Result<Expr> {
        if self.scale == 0 {
            return expr::constant(self.dtype, 0);
        }
        let mut result = self.index.clone();
        if self.upper != POS_INF {
            result = expr::fold(self.mode.remainder(), result, expr::constant(self.dtype, self.upper)?)?;
        }
        if self.lower != 1 {
            result = expr::fold(self.mode.quotient(), result, expr::constant(self.dtype, self.lower)?)?;
        }
        let scale = self.scale.checked_mul(factor).ok_or_else(|| overflow(self.dtype))?;
        if scale != 1 {
            result = expr::fold(BinOp::Mul, result, expr::constant(self.dtype, scale)?)?;
        }
        Ok(result)
    }

    pub(crate) fn scale_by(&mut self, factor: i64) -> Result<()> {
        self.scale = self.scale.checked_mul(factor).ok_or_else(|| overflow(self.dtype))?;
        Ok(())
    }

    /// Returns `true` if the split has the given rounding, or neither quotient nor remainder.
    pub(crate) fn allows(&self, mode: DivMode) -> bool {
        self.mode == mode || (self.lower == 1 && self.upper == POS_INF)
    }

    /// Returns `true` for a floor quotient times a negative number. Unlike upstream, dividing it again does not join
    /// the divisors.
    pub(crate) fn is_negated_quotient(&self) -> bool {
        self.mode == DivMode::Floor && self.scale < 0 && self.lower != 1
    }

    fn same_index(&self, other: &Self, analyzer: &mut Analyzer) -> bool {
        analyzer.same_within(INDEX_BUDGET, &self.index, &other.index)
    }

    /// Returns `true` if a conversion to `dtype` may move to the index: no intermediate value leaves the range.
    pub(crate) fn can_convert(&self, dtype: DataType, analyzer: &mut Analyzer) -> Result<bool> {
        if dtype.bits >= self.dtype.bits || self.scale == 0 {
            return Ok(true);
        }
        let mut result = self.index.clone();
        let mut steps = Vec::with_capacity(3);
        if self.upper != POS_INF {
            steps.push((self.mode.remainder(), self.upper));
        }
        if self.lower != 1 {
            steps.push((self.mode.quotient(), self.lower));
        }
        if self.scale != 1 {
            steps.push((BinOp::Mul, self.scale));
        }
        let mut fits = fits_in(dtype, &result, analyzer);
        for (op, operand) in steps {
            if !fits {
                break;
            }
            result = expr::fold(op, result, expr::constant(self.dtype, operand)?)?;
            fits = fits_in(dtype, &result, analyzer);
        }
        Ok(fits)
    }

    pub(crate) fn convert(&mut self, dtype: DataType) -> Result<()> {
        self.index = expr::cast(dtype, self.index.clone())?;
        self.dtype = dtype;
        Ok(())
    }
}

/// Maximum number of nodes that structural equality of indices visits.
const INDEX_BUDGET: u64 = 2_000;

/// Returns `true` if every value of `e` fits `dtype`.
fn fits_in(dtype: DataType, e: &Expr, analyzer: &mut Analyzer) -> bool {
    if !expr::is_index(dtype) {
        return false;
    }
    if expr::dtype(e).bits <= dtype.bits {
        return true;
    }
    let (bound, all) = (analyzer.bound_of(e), ConstIntBound::of_dtype(dtype));
    bound.max <= all.max && bound.min >= all.min
}

/// Number of terms from which a sum keeps an index by hash.
const INDEXED_TERMS: usize = 16;

/// `terms + base`.
#[derive(Debug, Clone)]
pub(crate) struct Sum {
    pub(crate) dtype: DataType,
    pub(crate) terms: Vec<Split>,
    pub(crate) base: i64,
    /// The first terms of each index by hash, for long sums; empty if not computed.
    places: HashMap<u64, Vec<usize>>,
}

impl Sum {
    pub(crate) fn new(dtype: DataType) -> Self {
        Self { dtype, terms: Vec::new(), base: 0, places: HashMap::new() }
    }

    pub(crate) fn constant(dtype: DataType, base: i64) -> Self {
        Self { base, ..Self::new(dtype) }
    }

    pub(crate) fn of(split: Split) -> Self {
        Self { terms: vec![split.clone()], ..Self::new(split.dtype) }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.base == 0 && self.terms.is_empty()
    }

    pub(crate) fn scale_by(&mut self, factor: i64) -> Result<()> {
        self.base = self.base.checked_mul(factor).ok_or_else(|| overflow(self.dtype))?;
        self.terms.iter_mut().try_for_each(|term| term.scale_by(factor))
    }

    /// Divides by a constant that divides the base and every scale.
    pub(crate) fn divide_by(&mut self, divisor: i64) {
        self.base /= divisor;
        for term in &mut self.terms {
            term.scale /= divisor;
        }
    }

    pub(crate) fn add_constant(&mut self, value: i64) -> Result<()> {
        self.base = self.base.checked_add(value).ok_or_else(|| overflow(self.dtype))?;
        Ok(())
    }

    pub(crate) fn add_sum(&mut self, other: Sum, factor: i64, analyzer: &mut Analyzer) -> Result<()> {
        analyzer.spend_many(other.terms.len())?;
        for term in other.terms {
            self.add_split(term, factor, analyzer)?;
        }
        self.add_constant(other.base.checked_mul(factor).ok_or_else(|| overflow(self.dtype))?)
    }

    /// Adds `term * factor`, merged into an equal term if there is one.
    pub(crate) fn add_split(&mut self, mut term: Split, factor: i64, analyzer: &mut Analyzer) -> Result<()> {
        analyzer.spend_many(1)?;
        if term.scale == 0 {
            return Ok(());
        }
        term.scale_by(factor)?;
        let Some(start) = self.find_index(&term, analyzer) else {
            self.push(term);
            return Ok(());
        };
        for (at, other) in self.terms.iter_mut().enumerate().skip(start) {
            if !other.same_index(&term, analyzer) || term.lower > other.lower {
                self.terms.insert(at, term);
                self.places.clear();
                return Ok(());
            }
            if term.lower == other.lower && term.upper == other.upper && term.allows(other.mode) {
                other.scale = other.scale.checked_add(term.scale).ok_or_else(|| overflow(self.dtype))?;
                return Ok(());
            }
        }
        self.push(term);
        Ok(())
    }

    fn push(&mut self, term: Split) {
        if !self.places.is_empty() {
            self.places.entry(expr::deep_hash(&term.index)).or_default().push(self.terms.len());
        }
        self.terms.push(term);
    }

    /// The position of the first term with the index of `term`.
    fn find_index(&mut self, term: &Split, analyzer: &mut Analyzer) -> Option<usize> {
        if self.terms.len() < INDEXED_TERMS {
            return self.terms.iter().position(|other| other.same_index(term, analyzer));
        }
        if self.places.is_empty() {
            for (at, term) in self.terms.iter().enumerate() {
                self.places.entry(expr::deep_hash(&term.index)).or_default().push(at);
            }
        }
        let places = self.places.get(&expr::deep_hash(&term.index))?;
        places
            .iter()
            .copied()
            .find(|at| self.terms.get(*at).is_some_and(|other| other.same_index(term, analyzer)))
    }

    /// Splits the sum into the terms whose coefficients `divisor` divides, and the rest.
    pub(crate) fn separate(self, divisor: i64) -> (Sum, Sum) {
        let (mut divisible, mut rest) = (Sum::new(self.dtype), Sum::new(self.dtype));
        let side = if divides(divisor, self.base) { &mut divisible } else { &mut rest };
        side.base = self.base;
        for term in self.terms {
            let side = if divides(divisor, term.scale) { &mut divisible } else { &mut rest };
            side.terms.push(term);
        }
        (divisible, rest)
    }

    pub(crate) fn into_expr(mut self) -> Result<Expr> {
        if self.terms.is_empty() {
            return expr::constant(self.dtype, self.base);
        }
        let dtype = self.dtype;
        merge_terms(&mut self.terms);
        self.terms.sort_by_key(|term| std::cmp::Reverse((term.scale, term.lower, term.upper, term.mode)));
        let zero = expr::constant(dtype, 0)?;
        self.addends(dtype)?.into_iter().try_fold(zero, |sum, (op, addend)| expr::fold(op, sum, addend))
    }

    /// The additions and subtractions that make up the sum: positive terms, the base, then negative terms. The least value
    /// of `dtype` cannot be negated, so as a base it is added.
    fn addends(&self, dtype: DataType) -> Result<Vec<(BinOp, Expr)>> {
        let adds_base = self.base > 0 || is_least(self.base, dtype);
        let mut addends = Vec::with_capacity(self.terms.len() + 1);
        for term in self.terms.iter().filter(|term| term.scale > 0) {
            addends.push((BinOp::Add, term.to_expr(1)?));
        }
        if adds_base {
            addends.push((BinOp::Add, expr::constant(self.dtype, self.base)?));
        }
        for term in self.terms.iter().filter(|term| term.scale < 0) {
            addends.push((BinOp::Sub, term.to_expr(-1)?));
        }
        if self.base < 0 && !adds_base {
            let negated = self.base.checked_neg().ok_or_else(|| overflow(dtype))?;
            addends.push((BinOp::Sub, expr::constant(self.dtype, negated)?));
        }
        Ok(addends)
    }

    pub(crate) fn to_expr(&self) -> Result<Expr> {
        self.clone().into_expr()
    }

    /// Returns `true` if a conversion to `dtype` may move to the terms.
    pub(crate) fn can_convert(&self, dtype: DataType, analyzer: &mut Analyzer) -> Result<bool> {
        if dtype.bits >= self.dtype.bits {
            return Ok(true);
        }
        let mut result = expr::constant(self.dtype, 0)?;
        for (op, operand) in self.addends(dtype)? {
            result = expr::fold(op, result, operand)?;
            if !fits_in(dtype, &result, analyzer) {
                return Ok(false);
            }
        }
        for term in &self.terms {
            if !term.can_convert(dtype, analyzer)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(crate) fn convert(&mut self, dtype: DataType) -> Result<()> {
        self.dtype = dtype;
        self.places.clear();
        self.terms.iter_mut().try_for_each(|term| term.convert(dtype))
    }
}

/// Returns `true` for the least value of a type, which cannot be negated.
fn is_least(value: i64, dtype: DataType) -> bool {
    if dtype.bits >= 64 { value == i64::MIN } else { value == -(1i64 << (dtype.bits.max(1) - 1)) }
}

/// Merges adjacent splits of one index: equal ones by adding scales; a quotient and its remainder into the finer
/// quotient, as in `(z // 6) * 6 + (z % 6) // 3 * 3 = (z // 3) * 3`. Merged terms get the scale zero.
fn merge_terms(mut terms: &mut [Split]) {
    while let Some((coarse, finer)) = terms.split_first_mut() {
        terms = finer;
        if coarse.scale == 0 {
            continue;
        }
        for fine in &mut *terms {
            if !expr::deep_equal(&coarse.index, &fine.index, &mut { INDEX_BUDGET })
                || coarse.upper < fine.lower
            {
                break;
            }
            if coarse.upper == fine.upper && coarse.lower == fine.lower && coarse.allows(fine.mode) {
                fine.scale = fine.scale.wrapping_add(coarse.scale);
                coarse.scale = 0;
            } else if coarse.lower == fine.upper
                && divides(fine.scale, coarse.scale)
                && Some(coarse.lower) == (coarse.scale / fine.scale).checked_mul(fine.lower)
                && coarse.allows(fine.mode)
            {
                fine.upper = coarse.upper;
                coarse.scale = 0;
                break;
            }
        }
    }
}
