//! Quotients and remainders of parts.

use tvmscript_prim::ops::{is_one, is_zero};

use super::error::IterMapError;
use super::form::{IterMark, IterSource, IterSplit, IterSum};
use super::rewrite::{Rewriter, Value};
use crate::error::Result;
use crate::expr::{self, BinOp, Expr};

/// A part and what is added to it.
fn value(part: IterSplit, base: Expr) -> Value {
    if is_zero(&base) { Value::Split(part) } else { Value::Sum(IterSum { parts: vec![part], base }) }
}

impl Rewriter<'_> {
    /// `(part + base) // divisor`; `None` if it is not a part.
    pub(super) fn quotient(
        &mut self,
        mut part: IterSplit,
        mut base: Expr,
        mut divisor: Expr,
        e: &Expr,
    ) -> Result<Option<Value>> {
        if is_one(&divisor) {
            return Ok(Some(value(part, base)));
        }
        if !is_one(&part.scale) {
            if self.is_multiple(&part.scale, &divisor)? && self.is_multiple(&base, &divisor)? {
                part.scale = expr::folded(BinOp::FloorDiv, &part.scale, &divisor)?;
                return Ok(Some(value(part, expr::fold(BinOp::FloorDiv, base, divisor)?)));
            }
            if !self.unscale(&part, &mut base, &mut divisor)? {
                self.errors.push(IterMapError::Scale(e.clone()));
                return Ok(None);
            }
            part.scale = expr::like(&divisor, 1)?;
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
            let rounded = expr::plus(&rounded, -1)?;
            let extent = self.simple(BinOp::FloorDiv, &rounded, &divisor)?;
            let is_whole = is_one(&part.lower_factor) && self.equal(&part.extent, part.mark.extent());
            if is_whole {
                IterSplit { lower_factor: divisor.clone(), extent, ..part }
            } else {
                let scale = expr::like(&divisor, 1)?;
                let count = part.extent.clone();
                let mark = IterMark::new(IterSource::Split(part), count);
                IterSplit { mark, lower_factor: divisor.clone(), extent, scale }
            }
        };
        let rest = expr::fold(BinOp::Sub, base, left)?;
        let base = self.analyzer.simplify_with_steps(&expr::fold(BinOp::FloorDiv, rest, divisor)?, 6);
        Ok(Some(value(new, base)))
    }

    /// `(part + base) % divisor`; `None` if it is not a part.
    pub(super) fn remainder(
        &mut self,
        part: IterSplit,
        mut base: Expr,
        mut divisor: Expr,
        e: &Expr,
    ) -> Result<Option<Value>> {
        let zero = || expr::constant(part.dtype(), 0).map(|zero| Some(Value::Plain(zero)));
        if is_one(&divisor) {
            return zero();
        }
        if !is_one(&part.scale) {
            if self.is_multiple(&part.scale, &divisor)? && self.is_multiple(&base, &divisor)? {
                return zero();
            }
            if !self.unscale(&part, &mut base, &mut divisor)? {
                self.errors.push(IterMapError::Scale(e.clone()));
                return Ok(None);
            }
        }
        let padded = self.pad(part, &base, &divisor)?;
        Ok(padded.map(|(part, _)| Value::Split(IterSplit { extent: divisor, ..part })))
    }

    /// Divides the base and the divisor by the scale of a part. Returns `false` if the scale does not divide both.
    fn unscale(&mut self, part: &IterSplit, base: &mut Expr, divisor: &mut Expr) -> Result<bool> {
        if !self.is_multiple(divisor, &part.scale)? || !self.is_multiple(base, &part.scale)? {
            return Ok(false);
        }
        *base = expr::folded(BinOp::FloorDiv, base, &part.scale)?;
        *divisor = expr::folded(BinOp::FloorDiv, divisor, &part.scale)?;
        Ok(true)
    }
}
