//! Fusion of consecutive parts into one.

use std::collections::HashMap;

use super::rewrite::Rewriter;
use super::used::Used;
use super::{IterMark, IterSplit, MarkId, Source, Sum, product};
use crate::error::Result;
use crate::expr::{self, BinOp, Expr, View};
use tvmscript_prim::ops::is_one;

/// A part and its position among the others.
type At<'p> = (usize, &'p IterSplit);

/// The parts among which to search.
#[derive(Clone, Copy)]
struct Search<'p, 'u> {
    parts: &'p [IterSplit],
    used: &'u Used,
    /// Restricts the search to one mark.
    mark: Option<MarkId>,
    /// Number of leading parts to search.
    end: usize,
}

impl<'p> Search<'p, '_> {
    /// The candidates from last to first.
    fn candidates(self) -> impl Iterator<Item = At<'p>> {
        let parts = self.parts.iter().enumerate().take(self.end).rev();
        parts.filter(move |(i, part)| {
            !self.used.contains(*i) && self.mark.is_none_or(|mark| mark == part.mark)
        })
    }

    /// The candidate with the smallest scale.
    fn base(self) -> Option<At<'p>> {
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
    fn with_scale<'p>(&mut self, search: Search<'p, '_>, scale: &Expr) -> Option<At<'p>> {
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
    fn with_smaller_scale<'p>(&mut self, search: Search<'p, '_>, scale: &Expr) -> Result<Option<At<'p>>> {
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
    fn combine(&mut self, parts: &[IterSplit]) -> Result<Option<Vec<IterSplit>>> {
        let mut counts: HashMap<MarkId, usize> = HashMap::new();
        parts.iter().for_each(|part| *counts.entry(part.mark).or_default() += 1);
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
            if counts.get(&part.mark) == Some(&1) {
                used.add(last);
                combined.push(part.clone());
                continue;
            }
            while !used.contains(last) {
                let mark = Some(part.mark);
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

    /// The sum as one part of a new mark; `None` if its parts are not consecutive.
    pub(super) fn fuse(&mut self, mut sum: Sum, allow_early_end: bool) -> Result<Option<Sum>> {
        if sum.parts.len() > 1
            && let Some(parts) = self.combine(&sum.parts)?
        {
            sum.parts = parts;
            if sum.parts.len() <= 1 && allow_early_end {
                return Ok(Some(sum));
            }
        }
        let parts = &sum.parts;
        let mut used = Used::of(parts.len());
        let whole = Search { parts, used: &used, mark: None, end: parts.len() };
        let Some(base) = whole.base() else { return Ok(None) };
        let base_scale = base.1.scale.clone();
        let mut group: Vec<IterSplit> = Vec::with_capacity(parts.len());
        let mut tail = expr::like(&sum.base, 0)?;
        let mut expected = base_scale.clone();
        for i in 0..parts.len() {
            self.analyzer.spend_many(parts.len())?;
            let search = Search { parts, used: &used, mark: None, end: parts.len() };
            let exact = if i == 0 { Some(base) } else { self.with_scale(search, &expected) };
            let ((at, part), scale) = match exact {
                Some(exact) => (exact, expected.clone()),
                None if is_one(&base_scale) => match self.with_smaller_scale(search, &expected)? {
                    Some(smaller) => {
                        let scale = smaller.1.scale.clone();
                        let gap = expr::folded(BinOp::Sub, &expected, &scale)?;
                        tail = expr::fold(BinOp::Add, tail, gap)?;
                        (smaller, scale)
                    }
                    None => return Ok(None),
                },
                None => return Ok(None),
            };
            used.add(at);
            let mut part = part.clone();
            let relative = expr::fold(BinOp::FloorDiv, part.scale, base_scale.clone())?;
            part.scale = self.analyzer.simplify(&relative);
            expected = product(&part.extent, &scale)?;
            group.push(part);
        }
        group.reverse();
        let mark = match self.known_group(&group)? {
            Some(mark) => mark,
            None => {
                let extent = expr::fold(BinOp::Div, expected, base_scale.clone())?;
                let extent = expr::fold(BinOp::Add, extent, tail)?;
                let base = expr::like(&sum.base, 0)?;
                self.marks.push(IterMark { source: Source::Sum(Sum { parts: group.clone(), base }), extent });
                self.fused.push((group, self.marks.len() - 1));
                self.marks.len() - 1
            }
        };
        let extent = self.mark(mark).extent.clone();
        let one = expr::like(&base_scale, 1)?;
        let part = IterSplit { mark, lower_factor: one, extent, scale: base_scale };
        Ok(Some(Sum { parts: vec![part], base: sum.base }))
    }

    fn known_group(&mut self, group: &[IterSplit]) -> Result<Option<MarkId>> {
        self.analyzer.spend_many(1 + self.fused.len())?;
        let analyzer = &mut *self.analyzer;
        let mut same = |a: &IterSplit, b: &IterSplit| {
            a.mark == b.mark
                && analyzer.same(&a.lower_factor, &b.lower_factor)
                && analyzer.same(&a.scale, &b.scale)
                && analyzer.same(&a.extent, &b.extent)
        };
        let known = self.fused.iter().find(|(known, _)| {
            known.len() == group.len() && known.iter().zip(group).all(|(a, b)| same(a, b))
        });
        Ok(known.map(|(_, mark)| *mark))
    }
}
