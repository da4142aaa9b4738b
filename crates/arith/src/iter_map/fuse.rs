//! Fusion of consecutive parts into one, and bounds of fused iterators.
//!
//! Upstream counterpart: `IterMapRewriter::TryFuseIters`, `NormalizeToIterOnBoundExpr` and `CheckConstraints` of
//! `src/arith/iter_affine_map.cc`.

use tvmscript_prim::ops::{is_one, is_zero};

use super::combine::Search;
use super::error::IterMapError;
use super::form::{IterMark, IterSource, IterSplit, IterSum};
use super::predicate::IterConstraint;
use super::product;
use super::rewrite::Rewriter;
use super::used::Used;
use crate::IterMapLevel;
use crate::error::Result;
use crate::expr::{self, BinOp, Expr};

/// A fused sum.
pub(super) struct Fused {
    /// Its parts, those of constrained sums within it included.
    flat: Vec<IterSplit>,
    /// The mark that stands for it.
    mark: IterMark,
    /// The least value of the sum, which is zero in the mark.
    offset: Expr,
}

/// A sum as `fused * scale + offset`.
struct Fusion {
    at: usize,
    scale: Expr,
    offset: Expr,
}

/// The parts of a sum in the order in which they are fused, innermost first.
struct Group {
    flat: Vec<IterSplit>,
    parts: Vec<IterSplit>,
    /// Number of values, times the scale of the whole.
    end: Expr,
    offset: Expr,
    /// Values added because scales are smaller than the extents below.
    tail: Expr,
}

impl Rewriter<'_> {
    /// The sum as one part of a new mark; `None` if its parts are not consecutive.
    pub(super) fn fuse(&mut self, mut sum: IterSum, allow_early_end: bool) -> Result<Option<IterSum>> {
        if sum.parts.len() > 1
            && let Some(parts) = self.combine(&sum.parts)?
        {
            sum.parts = parts;
            if sum.parts.len() <= 1 && allow_early_end {
                return Ok(Some(sum));
            }
        }
        let Some(Fusion { at, scale, offset }) = self.fusion(&sum)? else { return Ok(None) };
        let Some(fused) = self.fused.get(at) else { return Ok(None) };
        let part = IterSplit { scale, ..IterSplit::whole(fused.mark.clone())? };
        Ok(Some(IterSum { parts: vec![part], base: expr::fold(BinOp::Add, sum.base, offset)? }))
    }

    fn fusion(&mut self, sum: &IterSum) -> Result<Option<Fusion>> {
        let nothing_used = Used::of(sum.parts.len());
        let Some((_, base)) = Search::among(&sum.parts, &nothing_used).base() else { return Ok(None) };
        let scale = base.scale.clone();
        let Some(group) = self.group(sum, &scale)? else { return Ok(None) };
        if let Some(at) = self.known(&group.flat)? {
            let Some(known) = self.fused.get(at) else { return Ok(None) };
            let of_known = expr::folded(BinOp::Mul, &known.offset, &scale)?;
            let is_same = self.equal(&group.offset, &of_known);
            return Ok(is_same.then_some(Fusion { at, scale, offset: group.offset }));
        }
        let extent = expr::folded(BinOp::Div, &group.end, &scale)?;
        let extent = expr::fold(BinOp::Add, extent, group.tail)?;
        let source = IterSum { parts: group.parts, base: expr::like(&sum.base, 0)? };
        let mark = IterMark::new(IterSource::Sum(source), extent);
        self.fused.push(Fused { flat: group.flat, mark, offset: group.offset.clone() });
        Ok(Some(Fusion { at: self.fused.len() - 1, scale, offset: group.offset }))
    }

    /// Orders the parts so that each scale is the end of the parts below.
    fn group(&mut self, sum: &IterSum, base_scale: &Expr) -> Result<Option<Group>> {
        let parts = &sum.parts;
        let mut used = Used::of(parts.len());
        let zero = expr::like(&sum.base, 0)?;
        let (flat, grouped) = (Vec::new(), Vec::with_capacity(parts.len()));
        let mut group =
            Group { flat, parts: grouped, end: base_scale.clone(), offset: zero.clone(), tail: zero };
        while group.flat.len() < parts.len() {
            self.analyzer.spend_many(parts.len())?;
            let search = Search::among(parts, &used);
            let exact = match group.flat.is_empty() {
                true => search.base(),
                false => self.with_scale(search, &group.end),
            };
            let ((at, part), scale) = match exact {
                Some(exact) => (exact, group.end.clone()),
                None if is_one(base_scale) && self.level != IterMapLevel::Bijective => {
                    let Some(smaller) = self.with_smaller_scale(search, &group.end)? else { return Ok(None) };
                    let scale = smaller.1.scale.clone();
                    let gap = expr::folded(BinOp::Sub, &group.end, &scale)?;
                    group.tail = expr::fold(BinOp::Add, group.tail, gap)?;
                    (smaller, scale)
                }
                None => return Ok(None),
            };
            match self.constraint_from(part)? {
                Some(at) => {
                    if !self.take_constrained(at, parts, &mut used, &scale, base_scale, &mut group)? {
                        return Ok(None);
                    }
                }
                None => {
                    used.add(at);
                    let relative = expr::folded(BinOp::FloorDiv, &part.scale, base_scale)?;
                    let part = IterSplit { scale: self.analyzer.simplify(&relative), ..part.clone() };
                    group.end = product(&part.extent, &scale)?;
                    group.flat.push(part.clone());
                    group.parts.push(part);
                }
            }
        }
        group.flat.reverse();
        group.parts.reverse();
        Ok(Some(group))
    }

    /// Adds the constrained sum at a position of `fused` to a group. Returns `false` if the parts of the group do not
    /// contain it.
    fn take_constrained(
        &mut self,
        at: usize,
        parts: &[IterSplit],
        used: &mut Used,
        scale: &Expr,
        base_scale: &Expr,
        group: &mut Group,
    ) -> Result<bool> {
        let Some(known) = self.fused.get(at) else { return Ok(false) };
        let (flat, mark, offset) = (known.flat.clone(), known.mark.clone(), known.offset.clone());
        for inner in flat.iter().rev() {
            self.analyzer.spend_many(parts.len())?;
            let wanted = expr::folded(BinOp::Mul, &inner.scale, scale)?;
            let mut unused = parts.iter().enumerate().filter(|(i, _)| !used.contains(*i));
            let found = unused.find(|(_, part)| {
                part.is_same_part(inner, self.analyzer) && self.analyzer.can_prove_equal(&wanted, &part.scale)
            });
            let Some((i, part)) = found else { return Ok(false) };
            used.add(i);
            group.flat.push(part.clone());
        }
        let relative = expr::folded(BinOp::FloorDiv, scale, base_scale)?;
        group.end = product(mark.extent(), scale)?;
        group.parts.push(IterSplit { scale: relative, ..IterSplit::whole(mark)? });
        let offset = expr::folded(BinOp::Mul, &offset, scale)?;
        group.offset = expr::folded(BinOp::Add, &group.offset, &offset)?;
        Ok(true)
    }

    /// The longest constrained sum that begins with a part.
    fn constraint_from(&mut self, part: &IterSplit) -> Result<Option<usize>> {
        self.analyzer.spend_many(1 + self.constrained.len())?;
        let mut longest: Option<(usize, usize)> = None;
        for &at in &self.constrained {
            let Some(Fused { flat, .. }) = self.fused.get(at) else { continue };
            let begins = flat.last().is_some_and(|innermost| part.is_same_part(innermost, self.analyzer));
            if begins && longest.is_none_or(|(_, length)| length < flat.len()) {
                longest = Some((at, flat.len()));
            }
        }
        Ok(longest.map(|(at, _)| at))
    }

    /// The position of the fused sum with these parts.
    fn known(&mut self, flat: &[IterSplit]) -> Result<Option<usize>> {
        self.analyzer.spend_many(1 + self.fused.len())?;
        Ok(self.fused.iter().position(|known| {
            known.flat.len() == flat.len()
                && known.flat.iter().zip(flat).all(|(a, b)| a.equals(b, self.analyzer))
        }))
    }

    /// Bounds a fused iterator as a comparison of the predicate says.
    pub(super) fn constrain(&mut self, constraint: IterConstraint) -> Result<()> {
        let mut sum = self.sum_of(&constraint.iterator)?;
        let shifted =
            |bound: Option<Expr>| bound.map(|e| expr::folded(BinOp::Sub, &e, &sum.base)).transpose();
        let (lower, upper) = (shifted(constraint.lower)?, shifted(constraint.upper)?);
        sum.base = expr::like(&sum.base, 0)?;
        if sum.parts.len() > 1
            && let Some(parts) = self.combine(&sum.parts)?
        {
            sum.parts = parts;
        }
        match self.fusion(&sum)? {
            Some(fusion) if is_one(&fusion.scale) => self.bound(fusion.at, lower, upper),
            _ => {
                self.errors.push(IterMapError::Constraint(constraint.iterator));
                Ok(())
            }
        }
    }

    /// Replaces the mark of a fused sum by one with `lower <= fused < upper`.
    fn bound(&mut self, at: usize, lower: Option<Expr>, upper: Option<Expr>) -> Result<()> {
        let Some(Fused { mark, offset, .. }) = self.fused.get(at) else { return Ok(()) };
        let (mark, mut min) = (mark.clone(), offset.clone());
        let mut end = expr::folded(BinOp::Add, &min, mark.extent())?;
        let mut source = mark.source().clone();
        if let Some(lower) = lower {
            let raised = expr::fold(BinOp::Max, lower, min.clone())?;
            let delta = expr::folded(BinOp::Sub, &raised, &min)?;
            min = raised;
            if !is_zero(&delta)
                && let IterSource::Sum(sum) = &mut source
            {
                sum.base = expr::folded(BinOp::Sub, &sum.base, &delta)?;
            }
        }
        if let Some(upper) = upper {
            // Most predicates bound the iterator, so the bound is preferred where it is known to be smaller.
            let is_smaller = self.analyzer.can_prove(&expr::folded(BinOp::Le, &upper, &end)?);
            end = if is_smaller { upper } else { expr::fold(BinOp::Min, upper, end)? };
        }
        let extent = expr::folded(BinOp::Sub, &end, &min)?;
        if let Some(fused) = self.fused.get_mut(at) {
            (fused.mark, fused.offset) = (IterMark::new(source, extent), min);
            self.constrained.push(at);
        }
        Ok(())
    }

    /// Returns `true` if of any two constrained sums the longer one contains all parts of the other, or none.
    pub(super) fn constraints_nest(&mut self) -> Result<bool> {
        for (i, &first) in self.constrained.iter().enumerate() {
            for &second in self.constrained.iter().skip(i + 1) {
                let (Some(inner), Some(outer)) = (self.fused.get(first), self.fused.get(second)) else {
                    continue;
                };
                self.analyzer.spend_many(1 + inner.flat.len() * outer.flat.len())?;
                let is_in_outer = |part: &IterSplit, analyzer: &mut _| {
                    outer.flat.iter().any(|other| part.equals(other, analyzer))
                };
                let shared = inner.flat.iter().filter(|part| is_in_outer(part, self.analyzer)).count();
                if shared != 0 && shared != inner.flat.len() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
