//! Bounds of one variable, and the best range between them.
//!
//! Upstream counterpart: `IntGroupBounds` of `src/arith/int_constraints.cc`.

use super::VarRange;
use crate::analyzer::Analyzer;
use crate::error::Result;
use crate::eval_set::eval_set;
use crate::expr::{self, BinOp, Expr};
use crate::interval::{DomMap, IntSet};

/// Values that `coefficient * v` equals, is at least, or is at most.
#[derive(Debug, Clone)]
pub(super) struct Bounds {
    pub(super) coefficient: Expr,
    pub(super) equal: Vec<Expr>,
    pub(super) lower: Vec<Expr>,
    pub(super) upper: Vec<Expr>,
}

/// Records all ranges as facts.
pub(super) fn bind_all(analyzer: &mut Analyzer, ranges: &[VarRange]) -> Result<()> {
    ranges
        .iter()
        .try_for_each(|range| analyzer.bind_range_inner(range.var.upcast_ref(), &range.min, &range.extent))
}

impl Bounds {
    /// Adds the bounds of a range before the others.
    pub(super) fn within(mut self, range: &VarRange) -> Result<Self> {
        let mut analyzer = Analyzer::new();
        let mut scaled = |e: Expr| -> Result<Expr> {
            Ok(analyzer.simplify(&expr::fold(BinOp::Mul, e, self.coefficient.clone())?))
        };
        if expr::as_int(&range.extent) == Some(1) {
            self.equal.insert(0, scaled(range.min.clone())?);
        } else {
            let end = expr::folded(BinOp::Add, &range.min, &range.extent)?;
            let (least, greatest) = (scaled(range.min.clone())?, scaled(expr::plus(&end, -1)?)?);
            self.lower.insert(0, least);
            self.upper.insert(0, greatest);
        }
        Ok(self)
    }

    /// The range between a lower and an upper bound with the smallest proven extent; the earlier pair wins ties.
    pub(super) fn best_range(&self, ranges: &[VarRange]) -> Result<Option<(Expr, Expr)>> {
        let mut analyzer = Analyzer::new();
        bind_all(&mut analyzer, ranges)?;
        let mut domains = DomMap::new();
        for range in ranges {
            domains.insert(&range.var, IntSet::from_range(&range.min, &range.extent));
        }
        let with_equal = |others: &[Expr]| [&self.equal[..], others].concat();
        let (lowers, uppers) = (with_equal(&self.lower), with_equal(&self.upper));
        if let ([low], [high], Some(1)) = (&lowers[..], &uppers[..], expr::as_int(&self.coefficient)) {
            let (low, end) = (analyzer.simplify(low), analyzer.simplify(&expr::plus(high, 1)?));
            return range_from_to(low, end).map(Some);
        }
        let mut best: Option<(Expr, Expr)> = None;
        for low in &lowers {
            for high in &uppers {
                let Some((start, span)) = self.pair(low, high, &mut analyzer, &domains)? else { continue };
                let is_better = match &best {
                    None => true,
                    Some((_, known)) => analyzer.proves_comparison(BinOp::Lt, &span, known)?,
                };
                if is_better {
                    best = Some((start, span));
                }
            }
        }
        best.map(|(start, span)| Ok((start, analyzer.simplify(&expr::plus(&span, 1)?)))).transpose()
    }

    /// The least value between two bounds, and an upper bound of the greatest minus the least.
    fn pair(
        &self,
        low: &Expr,
        high: &Expr,
        analyzer: &mut Analyzer,
        domains: &DomMap,
    ) -> Result<Option<(Expr, Expr)>> {
        let by = &self.coefficient;
        let quotient = |e: Expr| expr::fold(BinOp::FloorDiv, e, by.clone());
        let difference = expr::folded(BinOp::Sub, high, low)?;
        let direct = analyzer.simplify_with_steps(&quotient(difference)?, 3);
        let rounded_up = expr::plus(&expr::folded(BinOp::Add, low, by)?, -1)?;
        let start = analyzer.simplify_with_steps(&quotient(rounded_up)?, 3);
        let stepwise = expr::fold(BinOp::Sub, quotient(high.clone())?, start.clone())?;
        let stepwise = analyzer.simplify_with_steps(&stepwise, 3);
        let mut greatest = |e: &Expr| {
            let set = eval_set(e, domains);
            set.max().map(|max| analyzer.simplify_with_steps(max, 3))
        };
        let span = match (greatest(&direct), greatest(&stepwise)) {
            (Some(direct), Some(stepwise))
                if analyzer.proves_comparison(BinOp::Lt, &stepwise, &direct)? =>
            {
                Some(stepwise)
            }
            (Some(direct), _) => Some(direct),
            (None, stepwise) => stepwise,
        };
        Ok(span.map(|span| (start, span)))
    }
}

/// The minimum and the extent of `begin..end`.
pub(super) fn range_from_to(begin: Expr, end: Expr) -> Result<(Expr, Expr)> {
    if expr::as_int(&begin) == Some(0) {
        return Ok((begin, end));
    }
    let extent = expr::fold(BinOp::Sub, end, begin.clone())?;
    Ok((begin, extent))
}
