//! Search among the parts of a sum, and parts of one mark joined.

use std::collections::HashMap;

use super::form::{IterMark, IterSplit};
use super::product;
use super::rewrite::Rewriter;
use super::used::Used;
use crate::error::Result;
use crate::expr::{self, BinOp, Expr, View};
use tvmscript_prim::ops::is_one;

/// A part and its position among the others.
pub(super) type At<'p> = (usize, &'p IterSplit);

/// The parts among which to search.
#[derive(Clone, Copy)]
pub(super) struct Search<'p, 'u> {
    parts: &'p [IterSplit],
    used: &'u Used,
    /// Restricts the search to one mark.
    mark: Option<&'u IterMark>,
    /// Number of leading parts to search.
    end: usize,
}

impl<'p, 'u> Search<'p, 'u> {
    /// All parts that are not used.
    pub(super) fn among(parts: &'p [IterSplit], used: &'u Used) -> Self {
        Self { parts, used, mark: None, end: parts.len() }
    }
}

impl<'p> Search<'p, '_> {
    /// The candidates from last to first.
    fn candidates(self) -> impl Iterator<Item = At<'p>> {
        let parts = self.parts.iter().enumerate().take(self.end).rev();
        parts.filter(move |(i, part)| {
            !self.used.contains(*i) && self.mark.is_none_or(|mark| mark.is_same(&part.mark))
        })
    }

    /// The candidate with the smallest scale.
    pub(super) fn base(self) -> Option<At<'p>> {
        let mut best: Option<(At<'p>, i64)> = None;
        for (i, part) in self.candidates() {
            let Some(scale) = expr::as_int(&part.scale) else { continue };
            let is_better = match best {
                None => true,
                Some(((_, other), known)) => {
                    scale < known || (scale == known && is_one(&part.extent) && !is_one(&other.extent))
                }
            };
            if is_better {
                best = Some(((i, part), scale));
            }
        }
        // If any scale is constant, upstream does not compare the symbolic ones.
        let Some((at, _)) = best else {
            let mut fewest: Option<(At<'p>, usize)> = None;
            for (i, part) in self.candidates() {
                let count = factor_count(&part.scale);
                if fewest.is_none_or(|(_, known)| count < known) {
                    fewest = Some(((i, part), count));
                }
            }
            return fewest.map(|(at, _)| at);
        };
        Some(at)
    }
}

fn factor_count(e: &Expr) -> usize {
    let mut count = 0;
    let mut pending = vec![e];
    while let Some(e) = pending.pop() {
        match expr::view(e) {
            View::Bin(BinOp::Mul, a, b) => pending.extend([a, b]),
            _ => count += 1,
        }
    }
    count
}

/// The first part of extent one. Such parts may stand anywhere among the others.
fn first_unit(parts: &[IterSplit]) -> usize {
    parts.iter().position(|part| is_one(&part.extent)).unwrap_or(parts.len())
}

impl Rewriter<'_> {
    /// The candidate with exactly this scale, preferably of extent one.
    pub(super) fn with_scale<'p>(&mut self, search: Search<'p, '_>, scale: &Expr) -> Option<At<'p>> {
        let first_unit = first_unit(search.parts);
        let mut found = None;
        for (i, part) in search.candidates() {
            if !self.equal(&part.scale, scale) {
                continue;
            }
            if is_one(&part.extent) {
                return Some((i, part));
            }
            found = found.or(Some((i, part)));
            if i <= first_unit {
                break;
            }
        }
        found
    }

    /// The candidate with the greatest scale that does not exceed `scale`.
    pub(super) fn with_smaller_scale<'p>(
        &mut self,
        search: Search<'p, '_>,
        scale: &Expr,
    ) -> Result<Option<At<'p>>> {
        let mut found: Option<At<'p>> = None;
        for (i, part) in search.candidates() {
            let room = expr::folded(BinOp::Sub, scale, &part.scale)?;
            let fits = self.analyzer.can_prove_greater_equal(&room, 0)
                && self.analyzer.can_prove_greater_equal(&part.scale, 0);
            if !fits {
                continue;
            }
            let is_closer = match found {
                None => true,
                Some((_, known)) => {
                    let difference = expr::fold(BinOp::Sub, known.scale.clone(), part.scale.clone())?;
                    self.analyzer.can_prove_less(&difference, 0)
                }
            };
            if is_closer {
                found = Some((i, part));
            }
        }
        Ok(found)
    }

    /// Joins adjacent parts of one mark, as in `i // 4 * 4 + i % 4`. `None` if no mark occurs twice.
    pub(super) fn combine(&mut self, parts: &[IterSplit]) -> Result<Option<Vec<IterSplit>>> {
        let mut counts: HashMap<usize, usize> = HashMap::new();
        parts.iter().for_each(|part| *counts.entry(part.mark.address()).or_default() += 1);
        if counts.len() == parts.len() {
            return Ok(None);
        }
        let mut used = Used::of(parts.len());
        let mut combined = Vec::new();
        for (last, part) in parts.iter().enumerate().rev() {
            if used.contains(last) {
                continue;
            }
            self.analyzer.spend_many(parts.len())?;
            if counts.get(&part.mark.address()) == Some(&1) {
                used.add(last);
                combined.push(part.clone());
                continue;
            }
            while !used.contains(last) {
                let mark = Some(&part.mark);
                let search = Search { parts, used: &used, mark, end: last + 1 };
                let Some((at, base)) = search.base() else { break };
                used.add(at);
                let mut lower = base.clone();
                loop {
                    self.analyzer.spend_many(parts.len())?;
                    let scale = product(&lower.extent, &lower.scale)?;
                    let search = Search { parts, used: &used, mark, end: last + 1 };
                    let Some((at, next)) = self.with_scale(search, &scale) else { break };
                    let begins = product(&lower.lower_factor, &lower.extent)?;
                    if !self.equal(&next.lower_factor, &begins) {
                        break;
                    }
                    used.add(at);
                    lower.extent = product(&next.extent, &lower.extent)?;
                }
                combined.push(lower);
            }
        }
        combined.reverse();
        Ok(Some(combined))
    }
}
