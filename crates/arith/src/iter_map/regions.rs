//! Bounds of the regions that loops touch.
//!
//! Upstream counterpart: `EstimateRegionStrictBound` and its kin of `src/arith/int_set.cc`.

use tvmscript_prim::{Expr, FloatImm, IntImm};

use super::detect::{IterMapLevel, detect_iter_map};
use super::form::IterSum;
use super::index_map::domains;
use crate::VarRange;
use crate::analyzer::Analyzer;
use crate::error::Result;
use crate::eval_set::eval_set_of_range;
use crate::expr::{self, BinOp};
use crate::interval::IntSet;

/// The union of `min..min + extent` in each dimension over the iterations of loops in which `predicate` holds, if it is
/// exact: the least values are an affine map that takes all values, and the extents are constants that leave no gaps.
///
/// # Source
/// `EstimateRegionStrictBound`, `src/arith/int_set.cc`.
pub fn estimate_region_strict_bound(
    region: &[(Expr, Expr)],
    loops: &[VarRange],
    predicate: &Expr,
    analyzer: &mut Analyzer,
) -> Option<Vec<IntSet>> {
    if !region.iter().all(|(_, extent)| extent.is::<IntImm>() || extent.is::<FloatImm>()) {
        return None;
    }
    let begins: Vec<Expr> = region.iter().map(|(min, _)| min.clone()).collect();
    let map = detect_iter_map(&begins, loops, predicate, IterMapLevel::Surjective, true, analyzer).ok()?;
    if map.sums().is_empty() {
        return None;
    }
    let sets = map.sums().iter().zip(region).map(|(sum, (_, extent))| touched(sum, extent, analyzer).ok()?);
    sets.collect()
}

/// A set that the touched region certainly contains; `None` if it is not known. It is the strict bound.
///
/// # Source
/// `EstimateRegionLowerBound`, `src/arith/int_set.cc`.
pub fn estimate_region_lower_bound(
    region: &[(Expr, Expr)],
    loops: &[VarRange],
    predicate: &Expr,
    analyzer: &mut Analyzer,
) -> Option<Vec<IntSet>> {
    estimate_region_strict_bound(region, loops, predicate, analyzer)
}

/// A set that certainly contains the touched region: the strict bound, or an exact or covering interval of each dimension.
///
/// # Source
/// `EstimateRegionUpperBound`, `src/arith/int_set.cc`.
pub fn estimate_region_upper_bound(
    region: &[(Expr, Expr)],
    loops: &[VarRange],
    predicate: &Expr,
    analyzer: &mut Analyzer,
) -> Vec<IntSet> {
    if let Some(strict) = estimate_region_strict_bound(region, loops, predicate, analyzer) {
        return strict;
    }
    let domains = domains(loops);
    let mut of_dimension = |(min, extent): &(Expr, Expr)| {
        let begin = std::slice::from_ref(min);
        let map = detect_iter_map(begin, loops, predicate, IterMapLevel::Surjective, true, analyzer);
        let exact = map.ok().and_then(|map| touched(map.sums().first()?, extent, analyzer).ok()?);
        exact.unwrap_or_else(|| eval_set_of_range(min, extent, &domains))
    };
    region.iter().map(&mut of_dimension).collect()
}

/// The values `begin..begin + extent` for all values of a sum of at most one part; `None` if there may be gaps.
fn touched(begin: &IterSum, extent: &Expr, analyzer: &mut Analyzer) -> Result<Option<IntSet>> {
    let is_empty = |e: &Expr, analyzer: &mut Analyzer| -> Result<bool> {
        Ok(analyzer.can_prove(&expr::fold(BinOp::Eq, e.clone(), expr::like(e, 0)?)?))
    };
    if is_empty(extent, analyzer)? {
        return Ok(Some(IntSet::nothing()));
    }
    let base = begin.base();
    let part = match begin.args() {
        [] => return Ok(Some(IntSet::from_range(base, extent))),
        [part] => part,
        _ => return Ok(None),
    };
    if is_empty(part.extent(), analyzer)? {
        return Ok(Some(IntSet::nothing()));
    }
    let scale = part.scale();
    if !analyzer.can_prove(&expr::folded(BinOp::Ge, extent, scale)?) {
        return Ok(None);
    }
    let last = expr::fold(BinOp::Mul, expr::plus(part.extent(), -1)?, scale.clone())?;
    let is_falling = expr::fold(BinOp::Lt, scale.clone(), expr::like(scale, 0)?)?;
    let (min, count) = if analyzer.can_prove(&is_falling) {
        (expr::folded(BinOp::Add, base, &last)?, expr::folded(BinOp::Sub, extent, &last)?)
    } else {
        (base.clone(), expr::folded(BinOp::Add, extent, &last)?)
    };
    Ok(Some(IntSet::from_range(&min, &count)))
}
