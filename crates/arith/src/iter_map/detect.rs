//! Detection and simplification of affine maps.

use tvmscript_prim::ops::is_one;
use tvmscript_prim::{Expr, IntImm};

use super::error::{IterMapError, IterMapErrors};
use super::form::IterSum;
use super::nest::simplify_nests;
use super::predicate;
use super::product;
use super::rewrite::Rewriter;
use super::to_expr::Converter;
use crate::VarRange;
use crate::analyzer::Analyzer;
use crate::error::{ArithError, Result};
use crate::expr::{self, BinOp, VarMap, View};

/// The demands on a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IterMapLevel {
    /// The indices take each value of their ranges exactly once, and all iterators are used.
    Bijective,
    /// The indices take each value of their ranges.
    Surjective,
    /// The indices are sums of parts that do not overlap; with padding, they need not take all values.
    NoCheck,
}

/// Indices as sums of parts.
#[derive(Debug, Clone)]
pub struct IterMap {
    sums: Vec<IterSum>,
    padding_predicate: Expr,
}

impl IterMap {
    /// One sum for each index, of at most one part.
    pub fn sums(&self) -> &[IterSum] {
        &self.sums
    }

    /// The condition under which the outputs are of padding, in terms of the variables; `False` if there is none.
    pub fn padding_predicate(&self) -> &Expr {
        &self.padding_predicate
    }
}

type Detected<T> = std::result::Result<T, IterMapErrors>;

/// Fails if a range mentions an iterator.
fn check_ranges(ranges: &[VarRange], analyzer: &mut Analyzer) -> std::result::Result<(), IterMapError> {
    let mut iterators = VarMap::default();
    ranges.iter().for_each(|range| iterators.insert(range.var.upcast_ref(), ()));
    for e in ranges.iter().flat_map(|range| [&range.min, &range.extent]) {
        analyzer.spend_many(expr::node_count(e))?;
        if expr::mentions(e, &iterators) {
            return Err(IterMapError::DependentRanges);
        }
    }
    Ok(())
}

/// The indices as sums of parts of the iterators `ranges`, for the iterations in which `predicate` holds.
///
/// The predicate is a conjunction of comparisons, which bound iterators or sums of them; it may be `True`. With
/// `simplify_trivial`, iterators of one value are replaced by the value. The analyzer knows facts about the symbols of
/// the ranges.
///
/// ```
/// use tvmscript_arith::{Analyzer, IterMapLevel, VarRange, detect_iter_map};
/// use tvmscript_prim::{DataType, IntImm, Var, ops};
///
/// let i = Var::new("i", DataType::INT32);
/// let ranges = [VarRange { var: i.clone(), min: IntImm::int32(0), extent: IntImm::int32(32) }];
/// let outer = ops::floordiv(i.clone().upcast(), IntImm::int32(8))?;
/// let inner = ops::floormod(i.upcast(), IntImm::int32(8))?;
/// let (all, mut analyzer) = (IntImm::bool(true), Analyzer::new());
/// let map = detect_iter_map(&[outer, inner], &ranges, &all, IterMapLevel::Bijective, true, &mut analyzer)?;
/// let extents: Vec<_> = map.sums().iter().map(|sum| sum.args()[0].extent().clone()).collect();
/// assert!(extents.iter().zip([4, 8]).all(|(e, n)| e.as_node::<IntImm>().unwrap().value == n));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`IterMapErrors`] if the indices are not such a map.
///
/// # Source
/// `DetectIterMap`, `src/arith/iter_affine_map.cc`.
pub fn detect_iter_map(
    indices: &[Expr],
    ranges: &[VarRange],
    predicate: &Expr,
    level: IterMapLevel,
    simplify_trivial: bool,
    analyzer: &mut Analyzer,
) -> Detected<IterMap> {
    analyzer.metered(|analyzer| {
        check_ranges(ranges, analyzer)?;
        let mut ranges = ranges.to_vec();
        let mut constraints = match is_one(predicate) {
            true => Vec::new(),
            false => predicate::constraints(predicate, &mut ranges, analyzer)?,
        };
        // A bound of a sum must be known when a longer one is fused.
        constraints.sort_by_cached_key(|constraint| expr::node_count(&constraint.iterator));
        let mut rewriter = Rewriter::new(&ranges, level, simplify_trivial, analyzer)?;
        for constraint in constraints {
            rewriter.constrain(constraint)?;
            rewriter.check()?;
        }
        if !rewriter.constraints_nest()? {
            return Err(IterMapError::OverlappingConstraints.into());
        }
        let sums = rewritten(&mut rewriter, indices)?;
        if !rewriter.is_valid(&sums)? {
            return Err(match level {
                IterMapLevel::Bijective => IterMapError::NotBijective.into(),
                _ => IterMapError::NotIndependent.into(),
            });
        }
        let padding_predicate = rewriter.pads.predicate.take().unwrap_or_else(|| IntImm::bool(false));
        Ok(IterMap { sums, padding_predicate })
    })
}

/// The indices as sums; with padding, they are rewritten twice.
fn rewritten(rewriter: &mut Rewriter<'_>, indices: &[Expr]) -> Detected<Vec<IterSum>> {
    if rewriter.level != IterMapLevel::Bijective {
        rewriter.pads.is_determined_now = true;
        let sums = rewriter.round(indices)?;
        rewriter.pads.is_determined_now = false;
        if !rewriter.pads.is_required {
            return Ok(sums);
        }
    }
    rewriter.round(indices)
}

/// The indices written as simply as their parts allow; unchanged if they are not a map of the level asked for.
///
/// If only the predicate is in the way, it is left out.
///
/// # Source
/// `IterMapSimplify`, `src/arith/iter_affine_map.cc`.
pub fn iter_map_simplify(
    indices: &[Expr],
    ranges: &[VarRange],
    predicate: &Expr,
    level: IterMapLevel,
    simplify_trivial: bool,
    analyzer: &mut Analyzer,
) -> Vec<Expr> {
    if level != IterMapLevel::Bijective
        && let Ok(Some(simple)) = simplify_nests(indices, ranges, predicate, simplify_trivial)
    {
        return simple;
    }
    let mut detected = detect_iter_map(indices, ranges, predicate, level, simplify_trivial, analyzer);
    if detected.is_err() && !is_one(predicate) && level != IterMapLevel::Bijective {
        let all = IntImm::bool(true);
        detected = detect_iter_map(indices, ranges, &all, level, simplify_trivial, analyzer);
    }
    let Ok(map) = detected else { return indices.to_vec() };
    let simplified = analyzer.metered(|analyzer| {
        let mut converter = Converter::new(analyzer);
        map.sums.iter().map(|sum| converter.sum(sum)).collect::<Result<Vec<_>>>()
    });
    simplified.unwrap_or_else(|_| indices.to_vec())
}

/// The index as a sum of parts with the largest scales first, not fused. What is not a sum of parts is in the base.
///
/// # Errors
/// [`IterMapErrors`] if a range mentions an iterator or an expression cannot be simplified.
///
/// # Source
/// `NormalizeToIterSum`, `src/arith/iter_affine_map.cc`.
pub fn normalize_to_iter_sum(
    index: &Expr,
    ranges: &[VarRange],
    analyzer: &mut Analyzer,
) -> Detected<IterSum> {
    analyzer.metered(|analyzer| {
        check_ranges(ranges, analyzer)?;
        let mut rewriter = Rewriter::new(ranges, IterMapLevel::NoCheck, true, analyzer)?;
        let mut sum = rewriter.sum_of(index)?;
        if sum.parts.len() > 1
            && let Some(parts) = rewriter.combine(&sum.parts)?
        {
            sum.parts = parts;
        }
        for part in &mut sum.parts {
            let one = expr::constant(part.dtype(), 1)?;
            part.scale = product(&part.scale, &one)?;
        }
        let mut keyed = Vec::with_capacity(sum.parts.len());
        for part in sum.parts {
            keyed.push((size_of_scale(&part.scale)?, part));
        }
        keyed.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
        Ok(IterSum { parts: keyed.into_iter().map(|(_, part)| part).collect(), base: sum.base })
    })
}

/// The constant factor of a scale and the number of the other factors.
fn size_of_scale(scale: &Expr) -> std::result::Result<(i64, usize), ArithError> {
    let (mut constant, mut symbols) = (1i64, 0);
    let mut pending = vec![scale];
    while let Some(e) = pending.pop() {
        match expr::view(e) {
            View::Bin(BinOp::Mul, a, b) => pending.extend([a, b]),
            View::Int(value) => constant = constant.checked_mul(value).ok_or(ArithError::Budget)?,
            _ => symbols += 1,
        }
    }
    Ok((constant, symbols))
}
