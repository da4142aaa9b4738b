//! Division of a map into a map of outer and one of inner iterators.
//!
//! Each index becomes `outer * inner_extent + inner`, with all inner iterators in `inner`.
//!
//! Upstream counterpart: `SubspaceDivider` of `src/arith/iter_affine_map.cc`.

use std::collections::HashMap;

use tvmscript_ir_core::{DataType, Ref, with_stack};
use tvmscript_prim::ops::{is_one, is_zero};
use tvmscript_prim::{Expr, IntImm, Var};

use super::check::SplitsOfMarks;
use super::detect::{IterMapLevel, detect_iter_map};
use super::error::{IterMapError, IterMapErrors};
use super::form::{IterMark, IterSource, IterSplit, IterSum};
use super::to_expr::Converter;
use super::used::Used;
use crate::VarRange;
use crate::analyzer::Analyzer;
use crate::error::Result;
use crate::expr::{self, BinOp, VarMap};

/// A map divided by [`subspace_divide`].
#[derive(Debug, Clone)]
pub struct SubspaceDivision {
    parts: Vec<(IterMark, IterMark)>,
    outer_predicate: Expr,
    inner_predicate: Expr,
}

impl SubspaceDivision {
    /// For each index the outer and the inner part; the index is `outer * inner.extent() + inner`. The sources are
    /// sums or parts.
    pub fn parts(&self) -> &[(IterMark, IterMark)] {
        &self.parts
    }

    /// The part of the predicate for the outer iterators.
    pub fn outer_predicate(&self) -> &Expr {
        &self.outer_predicate
    }

    /// The part of the predicate for the inner iterators.
    pub fn inner_predicate(&self) -> &Expr {
        &self.inner_predicate
    }
}

/// Divides an affine map into a map of the iterators `sub_iters` and one of the others. For the other arguments see
/// [`detect_iter_map`].
///
/// # Errors
/// [`IterMapErrors`] if the indices are not an affine map, or an index mixes both kinds of iterators otherwise.
///
/// # Source
/// `SubspaceDivide`, `src/arith/iter_affine_map.cc`.
pub fn subspace_divide(
    indices: &[Expr],
    ranges: &[VarRange],
    sub_iters: &[Ref<Var>],
    predicate: &Expr,
    level: IterMapLevel,
    simplify_trivial: bool,
    analyzer: &mut Analyzer,
) -> std::result::Result<SubspaceDivision, IterMapErrors> {
    let map = detect_iter_map(indices, ranges, predicate, level, simplify_trivial, analyzer)?;
    let mut inner = VarMap::default();
    sub_iters.iter().for_each(|var| inner.insert(var.upcast_ref(), ()));
    analyzer.metered(|analyzer| {
        let mut divider = Divider {
            analyzer,
            splits: SplitsOfMarks::of(map.sums()),
            inner,
            known: HashMap::new(),
            outer_predicate: IntImm::bool(true),
            inner_predicate: IntImm::bool(true),
        };
        let unbounded = expr::constant(DataType::INT32, 0)?;
        let mut parts = Vec::with_capacity(indices.len());
        for sum in map.sums() {
            let divided = divider.divide_sum(sum, &unbounded)?.ok_or(IterMapError::NotDivisible)?;
            parts.push((
                IterMark::new(divided.outer, divided.outer_extent),
                IterMark::new(divided.inner, divided.inner_extent),
            ));
        }
        let Divider { outer_predicate, inner_predicate, .. } = divider;
        Ok(SubspaceDivision { parts, outer_predicate, inner_predicate })
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Outer,
    Inner,
    Both,
}

/// `outer * inner_extent + inner`
#[derive(Debug, Clone)]
struct Division {
    outer: IterSource,
    outer_extent: Expr,
    inner: IterSource,
    inner_extent: Expr,
    side: Side,
}

impl Division {
    fn inner(inner: IterSource, inner_extent: Expr) -> Result<Self> {
        let (outer, outer_extent) = nothing(&inner)?;
        Ok(Self { outer, outer_extent, inner, inner_extent, side: Side::Inner })
    }

    fn outer(outer: IterSource, outer_extent: Expr) -> Result<Self> {
        let (inner, inner_extent) = nothing(&outer)?;
        Ok(Self { outer, outer_extent, inner, inner_extent, side: Side::Outer })
    }
}

/// The constant zero, which has one value.
fn nothing(other: &IterSource) -> Result<(IterSource, Expr)> {
    let zero = expr::constant(other.dtype(), 0)?;
    let one = expr::like(&zero, 1)?;
    Ok((IterSource::Sum(IterSum::constant(zero)), one))
}

/// The parts, innermost first, as a sum of consecutive parts, and the number of its values.
fn consecutive(parts: Vec<IterSplit>, base: Expr) -> Result<(IterSum, Expr)> {
    let mut extent = expr::like(&base, 1)?;
    let mut consecutive = Vec::with_capacity(parts.len());
    for mut part in parts {
        part.scale = extent.clone();
        extent = expr::fold(BinOp::Mul, extent, part.extent.clone())?;
        consecutive.push(part);
    }
    consecutive.reverse();
    Ok((IterSum { parts: consecutive, base }, extent))
}

/// State of one division. Its functions return `None` if a sum cannot be divided.
struct Divider<'a> {
    analyzer: &'a mut Analyzer,
    splits: SplitsOfMarks,
    inner: VarMap<()>,
    /// Divisions of the parts of marks, by mark.
    known: HashMap<usize, Vec<(IterSplit, Division)>>,
    outer_predicate: Expr,
    inner_predicate: Expr,
}

impl Divider<'_> {
    fn divide_sum(&mut self, sum: &IterSum, extent: &Expr) -> Result<Option<Division>> {
        self.analyzer.spend_many(1 + sum.parts.len())?;
        match sum.parts.as_slice() {
            [] => {
                let inner = IterSource::Sum(sum.clone());
                let one = expr::like(&sum.base, 1)?;
                Ok(Some(Division { side: Side::Both, ..Division::inner(inner, one)? }))
            }
            [only] if is_one(&only.scale) => {
                let Some(mut division) = with_stack(|| self.divide_split(only))? else { return Ok(None) };
                if !is_zero(&sum.base) {
                    division.inner = match division.inner {
                        IterSource::Sum(inner) => IterSource::Sum(IterSum {
                            base: expr::folded(BinOp::Add, &inner.base, &sum.base)?,
                            ..inner
                        }),
                        IterSource::Split(inner) => {
                            IterSource::Sum(IterSum { parts: vec![inner], base: sum.base.clone() })
                        }
                        other => other,
                    };
                }
                Ok(Some(division))
            }
            [_] => Ok(None),
            parts => self.divide_parts(parts, &sum.base, extent),
        }
    }

    /// Divides a sum of several parts: outer ones, followed by inner ones.
    fn divide_parts(&mut self, parts: &[IterSplit], base: &Expr, extent: &Expr) -> Result<Option<Division>> {
        let (mut outer, mut inner) = (Vec::new(), Vec::new());
        let mut total = expr::like(base, 1)?;
        for part in parts.iter().rev() {
            let Some(division) = with_stack(|| self.divide_split(part))? else { return Ok(None) };
            let split = match division.side {
                Side::Inner if outer.is_empty() => {
                    inner.push(division.inner.into_split(&division.inner_extent)?);
                    inner.last()
                }
                Side::Outer => {
                    outer.push(division.outer.into_split(&division.outer_extent)?);
                    outer.last()
                }
                _ => return Ok(None),
            };
            if let Some(split) = split {
                total = expr::folded(BinOp::Mul, &total, &split.extent)?;
            }
        }
        if !parts.iter().any(|part| is_one(&part.scale)) {
            return Ok(None);
        }
        let (has_outer, has_inner) = (!outer.is_empty(), !inner.is_empty());
        let (outer, outer_extent) = consecutive(outer, expr::like(base, 0)?)?;
        let (inner, inner_extent) = consecutive(inner, base.clone())?;
        if self.analyzer.can_prove_equal(&total, extent) {
            let (outer, inner) = (IterSource::Sum(outer), IterSource::Sum(inner));
            return Ok(Some(Division { outer, outer_extent, inner, inner_extent, side: Side::Both }));
        }
        // The sum is bounded by the predicate, so it must be on one side.
        match (has_outer, has_inner) {
            (true, false) => {
                let bound = self.bound(&outer, extent)?;
                self.outer_predicate = expr::folded(BinOp::And, &self.outer_predicate, &bound)?;
                Division::outer(IterSource::Sum(outer), extent.clone()).map(Some)
            }
            (false, true) => {
                let bound = self.bound(&inner, extent)?;
                self.inner_predicate = expr::folded(BinOp::And, &self.inner_predicate, &bound)?;
                Division::inner(IterSource::Sum(inner), extent.clone()).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn bound(&mut self, sum: &IterSum, extent: &Expr) -> Result<Expr> {
        let e = Converter::new(self.analyzer).sum(sum)?;
        expr::fold(BinOp::Lt, e, extent.clone())
    }

    fn known(&mut self, split: &IterSplit) -> Option<Division> {
        let known = self.known.get(&split.mark.address())?;
        let (_, division) = known.iter().find(|(other, _)| other.equals(split, self.analyzer))?;
        Some(division.clone())
    }

    fn divide_split(&mut self, split: &IterSplit) -> Result<Option<Division>> {
        if let Some(known) = self.known(split) {
            return Ok(Some(known));
        }
        let mark = &split.mark;
        match mark.source() {
            IterSource::Variable { var, min } if is_zero(min) => {
                let source = IterSource::Split(split.clone());
                match self.inner.get(var.upcast_ref()) {
                    Some(()) => Division::inner(source, split.extent.clone()).map(Some),
                    None => Division::outer(source, split.extent.clone()).map(Some),
                }
            }
            IterSource::Sum(sum) => {
                let Some(division) = self.divide_sum(sum, mark.extent())? else { return Ok(None) };
                let splits = self.splits.get(mark).to_vec();
                if splits.len() == 1 {
                    return Ok(Some(division));
                }
                let Some(divisions) = self.divide_splits(splits, division)? else { return Ok(None) };
                self.known.insert(mark.address(), divisions);
                Ok(self.known(split))
            }
            _ => Ok(None),
        }
    }

    /// Divides the parts of a mark at the boundary between its outer and its inner part.
    fn divide_splits(
        &mut self,
        splits: Vec<IterSplit>,
        division: Division,
    ) -> Result<Option<Vec<(IterSplit, Division)>>> {
        // A part alone has no boundary within it.
        let (IterSource::Sum(_), IterSource::Sum(_)) = (&division.outer, &division.inner) else {
            return Ok(None);
        };
        let mut is_past = division.side == Side::Outer;
        let mut used = Used::of(splits.len());
        let (mut outer, mut inner) = (Vec::new(), Vec::new());
        let mut below = expr::like(&division.inner_extent, 1)?;
        for _ in &splits {
            self.analyzer.spend_many(splits.len())?;
            let mut unused = splits.iter().enumerate().filter(|(i, _)| !used.contains(*i));
            let next = unused.find(|(_, split)| self.analyzer.can_prove_equal(&split.lower_factor, &below));
            let Some((at, split)) = next else { return Ok(None) };
            used.add(at);
            below = expr::folded(BinOp::Mul, &below, &split.extent)?;
            if is_past {
                outer.push(split.clone())
            } else {
                inner.push(split.clone())
            }
            is_past |= self.analyzer.can_prove_equal(&below, &division.inner_extent);
        }
        if !is_past {
            return Ok(None);
        }
        let outer_mark = IterMark::new(division.outer, division.outer_extent);
        let inner_mark = IterMark::new(division.inner, division.inner_extent);
        let mut divisions = Vec::with_capacity(splits.len());
        for split in inner {
            let new = IterSplit { mark: inner_mark.clone(), ..split.clone() };
            divisions.push((split, Division::inner(IterSource::Split(new.clone()), new.extent)?));
        }
        let begin = outer.first().map(|split: &IterSplit| split.lower_factor.clone());
        for split in outer {
            let mut new = IterSplit { mark: outer_mark.clone(), ..split.clone() };
            if let Some(begin) = &begin {
                new.lower_factor = expr::folded(BinOp::FloorDiv, &split.lower_factor, begin)?;
            }
            divisions.push((split, Division::outer(IterSource::Split(new.clone()), new.extent)?));
        }
        Ok(Some(divisions))
    }
}
