//! Padding of iterators whose extent a divisor does not divide.
//!
//! The first round over the indices finds out which padding each mark needs; the second one replaces the mark by a padded
//! one in all indices.

use tvmscript_prim::ops::{is_one, is_zero};

use super::error::IterMapError;
use super::form::{IterMark, IterSource, IterSplit, IterSum};
use super::rewrite::Rewriter;
use super::to_expr::Converter;
use crate::error::{ArithError, Result};
use crate::expr::{self, BinOp, Expr, View};
use crate::number::extended_gcd;

/// The padding of a mark.
struct Pad {
    mark: IterMark,
    /// A multiple of all divisors of the mark.
    factor: Expr,
    left: Expr,
    padded: Option<IterMark>,
}

/// The padding of all marks.
#[derive(Default)]
pub(super) struct Pads {
    pads: Vec<Pad>,
    /// The current round determines the padding.
    pub(super) is_determined_now: bool,
    /// A mark needs padding.
    pub(super) is_required: bool,
    /// The condition under which the outputs are of padding; `None` for nowhere.
    pub(super) predicate: Option<Expr>,
}

impl Pads {
    /// The mark that a padded mark was made from.
    pub(super) fn origin(&self, padded: &IterMark) -> Option<&IterMark> {
        let is_this = |pad: &&Pad| pad.padded.as_ref().is_some_and(|known| known.is_same(padded));
        self.pads.iter().find(is_this).map(|pad| &pad.mark)
    }
}

impl Rewriter<'_> {
    /// The position of the padding of a mark.
    fn pad_of(&mut self, mark: &IterMark) -> Result<Option<usize>> {
        self.analyzer.spend_many(1 + self.pads.pads.len())?;
        Ok(self.pads.pads.iter().position(|pad| pad.mark.equals(mark, self.analyzer)))
    }

    /// The part with padding on both sides so that `divisor` divides it, and the padding on the left. `None` if another
    /// division needs other padding.
    pub(super) fn pad(
        &mut self,
        mut part: IterSplit,
        base: &Expr,
        divisor: &Expr,
    ) -> Result<Option<(IterSplit, Expr)>> {
        let left = self.simple(BinOp::FloorMod, base, divisor)?;
        let edge = expr::folded(BinOp::Add, &left, &part.extent)?;
        if self.pads.is_determined_now {
            let missing = self.missing(&edge, divisor)?;
            let right = self.analyzer.simplify(&missing);
            self.determine(&part, divisor, &left, &right)?;
            if !is_zero(&left) || !is_zero(&right) {
                self.pads.is_required = true;
                part.extent = self.simple(BinOp::Add, &edge, &right)?;
            }
            return Ok(Some((part, left)));
        }
        let Some(at) = self.pad_of(&part.mark)? else { return Ok(Some((part, left))) };
        let Some(pad) = self.pads.pads.get(at) else { return Ok(Some((part, left))) };
        let (factor, mark_left, padded) = (pad.factor.clone(), pad.left.clone(), pad.padded.clone());
        if is_zero(&mark_left) && self.is_multiple(part.mark.extent(), &factor)? {
            return Ok(Some((part, left)));
        }
        let is_compatible =
            self.is_multiple(&factor, &part.lower_factor)? && self.is_multiple(&factor, divisor)?;
        if !is_compatible {
            self.errors.push(IterMapError::Padding);
            return Ok(None);
        }
        let (padded, left) = match padded {
            Some(padded) => (padded, left),
            None => {
                if !self.is_multiple(&mark_left, &part.lower_factor)? {
                    self.errors.push(IterMapError::Padding);
                    return Ok(None);
                }
                let left = expr::folded(BinOp::FloorDiv, &mark_left, &part.lower_factor)?;
                let padded = self.padded(&part.mark, &mark_left, &factor)?;
                if let Some(pad) = self.pads.pads.get_mut(at) {
                    pad.padded = Some(padded.clone());
                }
                (padded, left)
            }
        };
        part.extent = expr::folded(BinOp::FloorDiv, padded.extent(), &part.lower_factor)?;
        part.mark = padded;
        Ok(Some((part, left)))
    }

    /// Adds a division to what the padding of its mark has to fit.
    fn determine(&mut self, part: &IterSplit, divisor: &Expr, left: &Expr, right: &Expr) -> Result<()> {
        let at = match self.pad_of(&part.mark)? {
            Some(at) => at,
            None => {
                let (factor, left) = (expr::constant(part.dtype(), 1)?, expr::constant(part.dtype(), 0)?);
                self.pads.pads.push(Pad { mark: part.mark.clone(), factor, left, padded: None });
                self.pads.pads.len() - 1
            }
        };
        let divided = expr::folded(BinOp::Mul, divisor, &part.lower_factor)?;
        let Some(pad) = self.pads.pads.get(at) else { return Ok(()) };
        let (known, mut mark_left) = (pad.factor.clone(), pad.left.clone());
        let factor = self.common_multiple(&known, &divided)?;
        if !is_zero(left) || !is_zero(right) {
            let of_mark = expr::folded(BinOp::Mul, left, &part.lower_factor)?;
            mark_left = expr::fold(BinOp::Max, mark_left, of_mark)?;
        }
        if let Some(pad) = self.pads.pads.get_mut(at) {
            (pad.factor, pad.left) = (factor, mark_left);
        }
        Ok(())
    }

    /// A new mark with `left` values before those of `mark`, up to a multiple of `factor`.
    fn padded(&mut self, mark: &IterMark, left: &Expr, factor: &Expr) -> Result<IterMark> {
        let edge = expr::folded(BinOp::Add, mark.extent(), left)?;
        let right = self.missing(&edge, factor)?;
        let source = IterSum { parts: vec![IterSplit::whole(mark.clone())?], base: left.clone() };
        let extent = self.simple(BinOp::Add, &edge, &right)?;
        self.note_padding(&source, left, &edge, &right, factor)?;
        Ok(IterMark::new(IterSource::Sum(source), extent))
    }

    /// Adds to the predicate where the padded iterator is outside of `left..edge`.
    fn note_padding(
        &mut self,
        padded: &IterSum,
        left: &Expr,
        edge: &Expr,
        right: &Expr,
        factor: &Expr,
    ) -> Result<()> {
        let padded = Converter::new(self.analyzer).sum(padded)?;
        let block = expr::folded(BinOp::FloorDiv, &padded, factor)?;
        let within = expr::folded(BinOp::FloorMod, &padded, factor)?;
        let both = |a: Expr, b: Expr, c: Expr| expr::fold(BinOp::And, a, expr::fold(BinOp::And, b, c)?);
        let differs = |e: &Expr| expr::fold(BinOp::Ne, e.clone(), expr::like(e, 0)?);
        let before = both(
            differs(left)?,
            expr::fold(BinOp::Eq, block.clone(), expr::like(&block, 0)?)?,
            expr::folded(BinOp::Lt, &within, left)?,
        )?;
        let after = both(
            differs(right)?,
            expr::fold(BinOp::Eq, block, expr::folded(BinOp::FloorDiv, edge, factor)?)?,
            expr::fold(BinOp::Ge, within, expr::folded(BinOp::FloorMod, edge, factor)?)?,
        )?;
        let mut outside = expr::fold(BinOp::Or, before, after)?;
        if let Some(known) = self.pads.predicate.take() {
            outside = expr::fold(BinOp::Or, known, outside)?;
        }
        self.pads.predicate = Some(outside);
        Ok(())
    }

    /// The distance from `edge` to the next multiple of `factor`.
    fn missing(&mut self, edge: &Expr, factor: &Expr) -> Result<Expr> {
        if self.is_multiple(edge, factor)? {
            return expr::like(edge, 0);
        }
        expr::fold(BinOp::FloorMod, expr::negated(edge.clone())?, factor.clone())
    }

    /// A common multiple; the least one for constants. Its sign is that of upstream.
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
        let constant = match extended_gcd(c, k).0 {
            0 => 0,
            common => c.wrapping_div(common).checked_mul(k).ok_or(ArithError::Budget)?,
        };
        let constant = expr::like(a, constant)?;
        let symbols = if is_one(&y) || self.is_multiple(&x, &y)? {
            x
        } else if self.is_multiple(&y, &x)? {
            y
        } else {
            expr::fold(BinOp::Mul, x, y)?
        };
        expr::fold(BinOp::Mul, symbols, constant)
    }
}
