//! The test whether the parts of all indices are independent.
//!
//! Upstream counterpart: `IterMapRewriter::CheckMapping` and `TryNormalizeSplits` of `src/arith/iter_affine_map.cc`.

use tvmscript_ir_core::ptr_map::AddressMap;
use tvmscript_ir_core::with_stack;
use tvmscript_prim::ops::is_one;

use super::IterMapLevel;
use super::form::{IterMark, IterSource, IterSplit, IterSum};
use super::rewrite::Rewriter;
use super::used::Used;
use crate::error::Result;
use crate::expr::{self, BinOp, Expr};

/// The parts of each mark that sums are made of, also within the sources of their marks.
#[derive(Default)]
pub(super) struct SplitsOfMarks {
    marks: Vec<IterMark>,
    splits: AddressMap<Vec<IterSplit>>,
}

impl SplitsOfMarks {
    pub(super) fn of(sums: &[IterSum]) -> Self {
        let mut this = Self::default();
        sums.iter().for_each(|sum| this.add(sum));
        this
    }

    /// The parts of a mark; empty for other marks.
    pub(super) fn get(&self, mark: &IterMark) -> &[IterSplit] {
        self.splits.get(&mark.address()).map_or(&[], Vec::as_slice)
    }

    fn add(&mut self, sum: &IterSum) {
        for part in &sum.parts {
            let mark = &part.mark;
            if !self.splits.contains_key(&mark.address()) {
                self.splits.insert(mark.address(), Vec::new());
                self.marks.push(mark.clone());
                if let IterSource::Sum(source) = mark.source() {
                    with_stack(|| self.add(source));
                }
            }
            self.splits.entry(mark.address()).or_default().push(part.clone());
        }
    }
}

impl Rewriter<'_> {
    /// Returns `true` if the parts of every mark lie side by side as the level asks.
    pub(super) fn is_valid(&mut self, sums: &[IterSum]) -> Result<bool> {
        let found = SplitsOfMarks::of(sums);
        for mark in &found.marks {
            if !self.lie_side_by_side(mark, found.get(mark))? {
                return Ok(false);
            }
        }
        let is_used = |input: &IterMark| is_one(input.extent()) || !found.get(input).is_empty();
        Ok(self.level != IterMapLevel::Bijective || self.inputs.iter().all(is_used))
    }

    fn lie_side_by_side(&mut self, mark: &IterMark, parts: &[IterSplit]) -> Result<bool> {
        let mut used = Used::of(parts.len());
        let mut below = expr::constant(mark.source().dtype(), 1)?;
        for _ in parts {
            self.analyzer.spend_many(parts.len())?;
            let mut unused = parts.iter().enumerate().filter(|(i, _)| !used.contains(*i));
            let next = unused.find(|(_, part)| self.equal(&part.lower_factor, &below));
            let next = match next {
                Some(next) => Some(next),
                None if self.level == IterMapLevel::Bijective => None,
                None => self.next_above(parts, &used, &below)?,
            };
            let Some((at, part)) = next else { return Ok(false) };
            used.add(at);
            below = expr::folded(BinOp::Mul, &part.lower_factor, &part.extent)?;
        }
        self.fills(mark, parts, &below)
    }

    /// Tests that parts up to `below` fill the mark, or divide it if not all values are needed.
    fn fills(&mut self, mark: &IterMark, parts: &[IterSplit], below: &Expr) -> Result<bool> {
        let origin = self.pads.origin(mark).cloned();
        let is_full = self.equal(below, mark.extent());
        let divides = is_full || self.is_multiple(mark.extent(), below)?;
        match (self.level, origin) {
            (IterMapLevel::Bijective, origin) => Ok(is_full && origin.is_none()),
            (_, None) => Ok(divides),
            (IterMapLevel::NoCheck, Some(_)) => Ok(true),
            (IterMapLevel::Surjective, Some(origin)) => {
                let is_large = |this: &mut Self| -> Result<bool> {
                    let condition = expr::folded(BinOp::Ge, origin.extent(), below)?;
                    Ok(this.analyzer.can_prove(&condition))
                };
                match parts {
                    [only] if is_full => Ok(!self.equal(&only.extent, below) || is_large(self)?),
                    _ => Ok(!is_full && divides && is_large(self)?),
                }
            }
        }
    }

    /// The lowest unused part that starts at a multiple of `below`.
    fn next_above<'p>(
        &mut self,
        parts: &'p [IterSplit],
        used: &Used,
        below: &Expr,
    ) -> Result<Option<(usize, &'p IterSplit)>> {
        let mut lowest: Option<(usize, &IterSplit)> = None;
        for (i, part) in parts.iter().enumerate().filter(|(i, _)| !used.contains(*i)) {
            if !self.is_multiple(&part.lower_factor, below)? {
                return Ok(None);
            }
            let is_lower = match lowest {
                Some((_, known)) => self.is_multiple(&known.lower_factor, &part.lower_factor)?,
                None => true,
            };
            if is_lower {
                lowest = Some((i, part));
            }
        }
        Ok(lowest)
    }
}
