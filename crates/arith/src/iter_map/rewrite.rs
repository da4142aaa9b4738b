//! Rewriting of expressions to sums of parts, with the padding that uneven divisions need.

use std::collections::{HashMap, HashSet};
use tvmscript_ir_core::{Ref, with_stack};
use tvmscript_prim::Var;

use super::used::Used;
use super::{IterMark, IterSplit, MarkId, Source, Sum};
use crate::analyzer::Analyzer;
use crate::error::{ArithError, Result};
use crate::expr::{self, BinOp, Expr, VarMap, View};
use crate::number::gcd;
use tvmscript_prim::ops::{is_one, is_zero};

/// A rewritten expression.
#[derive(Debug, Clone)]
pub(super) enum Value {
    /// Without iterators.
    Plain(Expr),
    IterSplit(IterSplit),
    Sum(Sum),
}

/// The padding of a mark.
#[derive(Debug, Clone)]
struct Pad {
    /// A multiple of all divisors of the mark.
    factor: Expr,
    left: Expr,
    padded: Option<MarkId>,
}

/// State of one detection. Its functions return `None` if the expression is not a sum of parts.
pub(super) struct Rewriter<'a> {
    pub(super) analyzer: &'a mut Analyzer,
    pub(super) marks: Vec<IterMark>,
    variables: VarMap<Value>,
    pads: HashMap<MarkId, Pad>,
    /// Marks that stand for another mark with padding.
    padded: HashSet<MarkId>,
    /// Fused sums and their marks.
    pub(super) fused: Vec<(Vec<IterSplit>, MarkId)>,
    /// The first round determines the padding.
    is_first_round: bool,
    requires_padding: bool,
}

type Rewritten<T> = Result<Option<T>>;

impl<'a> Rewriter<'a> {
    #[expect(clippy::indexing_slicing, reason = "ids are positions of added marks")]
    pub(super) fn mark(&self, id: MarkId) -> &IterMark {
        &self.marks[id]
    }

    pub(super) fn new(
        variables: &[(Ref<Var>, Expr, Expr)],
        analyzer: &'a mut Analyzer,
    ) -> Rewritten<Rewriter<'a>> {
        let mut marks = Vec::new();
        let Some(variables) = super::iterators(variables, &mut marks)? else { return Ok(None) };
        Ok(Some(Rewriter {
            analyzer,
            marks,
            variables,
            pads: HashMap::new(),
            padded: HashSet::new(),
            fused: Vec::new(),
            is_first_round: true,
            requires_padding: false,
        }))
    }

    /// The indices as sums of parts that do not overlap.
    pub(super) fn detect(&mut self, indices: &[Expr]) -> Rewritten<Vec<Sum>> {
        let Some(mut sums) = self.round(indices)? else { return Ok(None) };
        self.is_first_round = false;
        if self.requires_padding {
            let Some(padded) = self.round(indices)? else { return Ok(None) };
            sums = padded;
        }
        Ok(self.is_valid(&sums)?.then_some(sums))
    }

    fn round(&mut self, indices: &[Expr]) -> Rewritten<Vec<Sum>> {
        let mut sums = Vec::with_capacity(indices.len());
        for index in indices {
            let Some(value) = self.visit(index)? else { return Ok(None) };
            let sum = to_sum(value)?;
            let sum = if sum.parts.is_empty() { Some(sum) } else { self.fuse(sum, true)? };
            let Some(sum) = sum else { return Ok(None) };
            sums.push(sum);
        }
        Ok(Some(sums))
    }

    pub(super) fn equal(&mut self, a: &Expr, b: &Expr) -> bool {
        self.analyzer.can_prove_equal(a, b)
    }

    /// Returns `true` if `number` is proven to be a multiple of `of`.
    pub(super) fn is_multiple(&mut self, number: &Expr, of: &Expr) -> Result<bool> {
        match (expr::as_int(number), expr::as_int(of)) {
            (_, Some(0)) => return Ok(false),
            (Some(number), Some(of)) => return Ok(number.checked_rem(of) == Some(0)),
            _ => {}
        }
        if self.equal(number, of) {
            return Ok(true);
        }
        let rest = expr::folded(BinOp::FloorMod, number, of)?;
        let zero = expr::like(&rest, 0)?;
        Ok(self.analyzer.can_prove(&expr::fold(BinOp::Eq, rest, zero)?))
    }

    fn simple(&mut self, op: BinOp, a: &Expr, b: &Expr) -> Result<Expr> {
        Ok(self.analyzer.simplify(&expr::folded(op, a, b)?))
    }

    fn visit(&mut self, e: &Expr) -> Rewritten<Value> {
        self.analyzer.spend_many(1)?;
        let known = match expr::view(e) {
            View::Var => self.variables.get(e).cloned(),
            View::Bin(op, a, b) if expr::is_index(expr::dtype(e)) => match op {
                BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::FloorDiv | BinOp::FloorMod => {
                    return with_stack(|| self.visit_binary(e, op, a, b));
                }
                _ => None,
            },
            _ => None,
        };
        Ok(match known {
            Some(value) => Some(value),
            // No other expression of an iterator is a sum of parts.
            None => (!expr::mentions(e, &self.variables)).then(|| Value::Plain(e.clone())),
        })
    }

    fn visit_binary(&mut self, e: &Expr, op: BinOp, a: &Expr, b: &Expr) -> Rewritten<Value> {
        let (Some(a), Some(b)) = (self.visit(a)?, self.visit(b)?) else { return Ok(None) };
        if let (Value::Plain(_), Value::Plain(_)) = (&a, &b) {
            return Ok(Some(Value::Plain(e.clone())));
        }
        match (op, a, b) {
            (BinOp::Add | BinOp::Sub, a, b) => {
                let mut sum = to_sum(a)?;
                self.add(&mut sum, to_sum(b)?, op)?;
                Ok(Some(Value::Sum(sum)))
            }
            (BinOp::Mul, Value::Plain(factor), iterators) | (BinOp::Mul, iterators, Value::Plain(factor)) => {
                scaled(iterators, &factor).map(Some)
            }
            (BinOp::FloorDiv, dividend, Value::Plain(divisor)) => {
                let Some((part, base)) = self.one_part(dividend)? else { return Ok(None) };
                self.quotient(part, base, divisor)
            }
            (BinOp::FloorMod, dividend, Value::Plain(divisor)) => {
                let Some((part, base)) = self.one_part(dividend)? else { return Ok(None) };
                self.remainder(part, base, divisor)
            }
            _ => Ok(None),
        }
    }

    fn add(&mut self, sum: &mut Sum, other: Sum, op: BinOp) -> Result<()> {
        self.analyzer.spend_many(1 + sum.parts.len() * other.parts.len())?;
        for mut part in other.parts {
            let same = sum.parts.iter_mut().find(|known| {
                known.mark == part.mark
                    && self.analyzer.same(&known.lower_factor, &part.lower_factor)
                    && self.analyzer.same(&known.extent, &part.extent)
            });
            match same {
                Some(known) => {
                    part.scale = expr::fold(op, known.scale.clone(), part.scale)?;
                    *known = part;
                }
                None => {
                    if op == BinOp::Sub {
                        part.scale = expr::negated(part.scale)?;
                    }
                    sum.parts.push(part);
                }
            }
        }
        sum.base = expr::fold(op, sum.base.clone(), other.base)?;
        Ok(())
    }

    /// The dividend as one part and a base.
    fn one_part(&mut self, dividend: Value) -> Rewritten<(IterSplit, Expr)> {
        let sum = to_sum(dividend)?;
        let sum = if sum.parts.len() > 1 { self.fuse(sum, true)? } else { Some(sum) };
        let Some(Sum { mut parts, base }) = sum else { return Ok(None) };
        Ok(parts.pop().filter(|_| parts.is_empty()).map(|part| (part, base)))
    }

    /// `(part + base) // divisor`
    fn quotient(&mut self, mut part: IterSplit, mut base: Expr, mut divisor: Expr) -> Rewritten<Value> {
        if is_one(&divisor) {
            return Ok(Some(match is_zero(&base) {
                true => Value::IterSplit(part),
                false => Value::Sum(Sum { parts: vec![part], base }),
            }));
        }
        if !is_one(&part.scale) {
            let div = |a: &Expr, b: &Expr| expr::folded(BinOp::FloorDiv, a, b);
            if self.is_multiple(&part.scale, &divisor)? && self.is_multiple(&base, &divisor)? {
                part.scale = div(&part.scale, &divisor)?;
                return Ok(Some(match is_zero(&base) {
                    true => Value::IterSplit(part),
                    false => Value::Sum(Sum { base: div(&base, &divisor)?, parts: vec![part] }),
                }));
            }
            if !self.unscale(&mut part, &mut base, &mut divisor, true)? {
                return Ok(None);
            }
        }
        let Some((part, left)) = self.pad(part, &base, &divisor)? else { return Ok(None) };
        let new = if self.is_multiple(&part.extent, &divisor)? {
            let extent = self.simple(BinOp::FloorDiv, &part.extent, &divisor)?;
            IterSplit {
                lower_factor: expr::fold(BinOp::Mul, part.lower_factor, divisor.clone())?,
                extent,
                ..part
            }
        } else {
            let rounded = expr::folded(BinOp::Add, &part.extent, &divisor)?;
            let one = expr::like(&rounded, 1)?;
            let rounded = expr::fold(BinOp::Sub, rounded, one.clone())?;
            let extent = self.simple(BinOp::FloorDiv, &rounded, &divisor)?;
            let of_mark = self.mark(part.mark).extent.clone();
            if is_one(&part.lower_factor) && self.equal(&part.extent, &of_mark) {
                IterSplit { lower_factor: divisor.clone(), extent, ..part }
            } else {
                let mark = self.mark_of_part(part)?;
                IterSplit { mark, lower_factor: divisor.clone(), extent, scale: one }
            }
        };
        let rest = expr::fold(BinOp::Sub, base, left)?;
        let base = self.analyzer.simplify_with_steps(&expr::fold(BinOp::FloorDiv, rest, divisor)?, 6);
        Ok(Some(match is_zero(&base) {
            true => Value::IterSplit(new),
            false => Value::Sum(Sum { parts: vec![new], base }),
        }))
    }

    /// `(part + base) % divisor`
    fn remainder(&mut self, mut part: IterSplit, mut base: Expr, mut divisor: Expr) -> Rewritten<Value> {
        let zero = || expr::constant(part.dtype(), 0).map(|zero| Some(Value::Plain(zero)));
        if is_one(&divisor) {
            return zero();
        }
        if !is_one(&part.scale) {
            if self.is_multiple(&part.scale, &divisor)? && self.is_multiple(&base, &divisor)? {
                return zero();
            }
            if !self.unscale(&mut part, &mut base, &mut divisor, false)? {
                return Ok(None);
            }
        }
        let padded = self.pad(part, &base, &divisor)?;
        Ok(padded.map(|(part, _)| Value::IterSplit(IterSplit { extent: divisor, ..part })))
    }

    /// Divides the base and the divisor by the scale of a part. Returns `false` if the scale does not divide both.
    fn unscale(
        &mut self,
        part: &mut IterSplit,
        base: &mut Expr,
        divisor: &mut Expr,
        is_quotient: bool,
    ) -> Result<bool> {
        if !self.is_multiple(divisor, &part.scale)? || !self.is_multiple(base, &part.scale)? {
            return Ok(false);
        }
        *base = expr::folded(BinOp::FloorDiv, base, &part.scale)?;
        *divisor = expr::folded(BinOp::FloorDiv, divisor, &part.scale)?;
        if is_quotient {
            part.scale = expr::like(divisor, 1)?;
        }
        Ok(true)
    }

    /// The mark that stands for a part, created on first use.
    fn mark_of_part(&mut self, part: IterSplit) -> Result<MarkId> {
        self.analyzer.spend_many(1 + self.marks.len())?;
        let same = |known: &IterMark, analyzer: &mut Analyzer| {
            let Source::IterSplit(known) = &known.source else { return false };
            known.mark == part.mark
                && analyzer.same(&known.lower_factor, &part.lower_factor)
                && analyzer.same(&known.extent, &part.extent)
                && analyzer.same(&known.scale, &part.scale)
        };
        if let Some(known) = self.marks.iter().position(|known| same(known, self.analyzer)) {
            return Ok(known);
        }
        let extent = part.extent.clone();
        self.marks.push(IterMark { source: Source::IterSplit(part), extent });
        Ok(self.marks.len() - 1)
    }

    /// The part with padding on both sides so that `divisor` divides it, and the padding on the left.
    fn pad(&mut self, mut part: IterSplit, base: &Expr, divisor: &Expr) -> Rewritten<(IterSplit, Expr)> {
        let mut left = self.simple(BinOp::FloorMod, base, divisor)?;
        let edge = expr::folded(BinOp::Add, &left, &part.extent)?;
        let right = self.right_pad(&edge, divisor, true)?;
        let mark = part.mark;
        if self.is_first_round {
            let divided = expr::folded(BinOp::Mul, divisor, &part.lower_factor)?;
            let (factor, known_left) = match self.pads.get(&mark) {
                Some(pad) => (pad.factor.clone(), pad.left.clone()),
                None => (expr::constant(part.dtype(), 1)?, expr::constant(part.dtype(), 0)?),
            };
            let factor = self.common_multiple(&factor, &divided)?;
            let mut pad = Pad { factor, left: known_left, padded: None };
            if is_zero(&left) && is_zero(&right) {
                self.pads.insert(mark, pad);
                return Ok(Some((part, left)));
            }
            self.requires_padding = true;
            let of_mark = expr::folded(BinOp::Mul, &left, &part.lower_factor)?;
            pad.left = expr::fold(BinOp::Max, pad.left, of_mark)?;
            self.pads.insert(mark, pad);
            part.extent = self.simple(BinOp::Add, &edge, &right)?;
            return Ok(Some((part, left)));
        }
        let Some(pad) = self.pads.get(&mark).cloned() else { return Ok(Some((part, left))) };
        let extent = self.mark(mark).extent.clone();
        if is_zero(&pad.left) && self.is_multiple(&extent, &pad.factor)? {
            return Ok(Some((part, left)));
        }
        let padded = match pad.padded {
            Some(padded) => padded,
            None => {
                if !self.is_multiple(&pad.left, &part.lower_factor)? {
                    return Ok(None);
                }
                left = expr::folded(BinOp::FloorDiv, &pad.left, &part.lower_factor)?;
                let edge = expr::folded(BinOp::Add, &extent, &pad.left)?;
                let right = self.right_pad(&edge, &pad.factor, false)?;
                let whole = IterSplit::whole(mark, extent, part.dtype())?;
                let source = Source::Sum(Sum { parts: vec![whole], base: pad.left.clone() });
                let extent = self.simple(BinOp::Add, &edge, &right)?;
                self.marks.push(IterMark { source, extent });
                let padded = self.marks.len() - 1;
                self.padded.insert(padded);
                self.pads.insert(mark, Pad { padded: Some(padded), ..pad });
                padded
            }
        };
        part.mark = padded;
        let extent = self.mark(padded).extent.clone();
        part.extent = expr::fold(BinOp::FloorDiv, extent, part.lower_factor.clone())?;
        Ok(Some((part, left)))
    }

    /// The distance from `edge` to the next multiple of `factor`.
    fn right_pad(&mut self, edge: &Expr, factor: &Expr, simplified: bool) -> Result<Expr> {
        if self.is_multiple(edge, factor)? {
            return expr::like(edge, 0);
        }
        let missing = expr::fold(BinOp::FloorMod, expr::negated(edge.clone())?, factor.clone())?;
        Ok(if simplified { self.analyzer.simplify(&missing) } else { missing })
    }

    /// A common multiple; the least one for constants.
    fn common_multiple(&mut self, a: &Expr, b: &Expr) -> Result<Expr> {
        let split = |e: &Expr| -> Result<(Expr, i64)> {
            let one = || expr::like(e, 1);
            Ok(match expr::view(e) {
                View::Int(value) => (one()?, value),
                View::Bin(BinOp::Mul, x, y) => match (expr::as_int(x), expr::as_int(y)) {
                    (_, Some(value)) => (x.clone(), value),
                    (Some(value), _) => (y.clone(), value),
                    _ => (e.clone(), 1),
                },
                _ => (e.clone(), 1),
            })
        };
        let ((x, c), (y, k)) = (split(a)?, split(b)?);
        let constant = match gcd(c, k) {
            0 => 0,
            common => (c.checked_abs().ok_or(ArithError::Budget)? / common)
                .checked_mul(k)
                .ok_or(ArithError::Budget)?,
        };
        let constant = expr::like(a, constant)?;
        let symbols = if self.equal(&x, &y) || self.is_multiple(&x, &y)? {
            x
        } else if self.is_multiple(&y, &x)? {
            y
        } else {
            expr::fold(BinOp::Mul, x, y)?
        };
        expr::fold(BinOp::Mul, symbols, constant)
    }

    /// Returns `true` if the parts of every mark are adjacent and do not overlap.
    fn is_valid(&mut self, sums: &[Sum]) -> Result<bool> {
        let mut parts_of: HashMap<MarkId, Vec<IterSplit>> = HashMap::new();
        let mut seen = HashSet::new();
        let mut order = Vec::new();
        let mut pending: Vec<IterSplit> = sums.iter().flat_map(|sum| sum.parts.iter().cloned()).collect();
        while let Some(part) = pending.pop() {
            if seen.insert(part.mark) {
                order.push(part.mark);
                if let Source::Sum(sum) = &self.mark(part.mark).source {
                    pending.extend(sum.parts.iter().cloned());
                }
            }
            parts_of.entry(part.mark).or_default().push(part);
        }
        for mark in order {
            let parts = parts_of.remove(&mark).unwrap_or_default();
            if !self.lie_side_by_side(mark, &parts)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn lie_side_by_side(&mut self, mark: MarkId, parts: &[IterSplit]) -> Result<bool> {
        let mut used = Used::of(parts.len());
        let extent = self.mark(mark).extent.clone();
        let mut below = expr::constant(parts.first().map_or(expr::dtype(&extent), IterSplit::dtype), 1)?;
        for _ in 0..parts.len() {
            self.analyzer.spend_many(parts.len())?;
            let mut unused = parts.iter().enumerate().filter(|(i, _)| !used.contains(*i));
            let next = unused.find(|(_, part)| self.equal(&part.lower_factor, &below));
            let next = match next {
                Some(next) => Some(next),
                None => self.next_above(parts, &used, &below)?,
            };
            let Some((at, part)) = next else { return Ok(false) };
            used.add(at);
            below = expr::folded(BinOp::Mul, &part.lower_factor, &part.extent)?;
        }
        Ok(self.padded.contains(&mark) || self.equal(&below, &extent) || self.is_multiple(&extent, &below)?)
    }

    /// The lowest unused part that starts at a multiple of `below`.
    fn next_above<'p>(
        &mut self,
        parts: &'p [IterSplit],
        used: &Used,
        below: &Expr,
    ) -> Rewritten<(usize, &'p IterSplit)> {
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

pub(super) fn to_sum(value: Value) -> Result<Sum> {
    Ok(match value {
        Value::Plain(base) => Sum { parts: Vec::new(), base },
        Value::IterSplit(part) => Sum { base: expr::constant(part.dtype(), 0)?, parts: vec![part] },
        Value::Sum(sum) => sum,
    })
}

fn scaled(iterators: Value, factor: &Expr) -> Result<Value> {
    let scale = |e: Expr| expr::fold(BinOp::Mul, e, factor.clone());
    Ok(match iterators {
        Value::Plain(e) => Value::Plain(scale(e)?),
        Value::IterSplit(part) => Value::IterSplit(IterSplit { scale: scale(part.scale.clone())?, ..part }),
        Value::Sum(sum) => {
            let parts = sum.parts.into_iter();
            let parts = parts.map(|part| Ok(IterSplit { scale: scale(part.scale.clone())?, ..part }));
            Value::Sum(Sum { parts: parts.collect::<Result<_>>()?, base: scale(sum.base)? })
        }
    })
}
