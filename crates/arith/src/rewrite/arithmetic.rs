//! Arithmetic nodes: the order of rule families, and two rewrites that are not plain rules.

use super::rules::{add, floor, min_max, mul, sub, trunc};
use super::{Simplifier, try_rules};
use crate::error::Result;
use crate::expr::{self, BinOp, Expr, View};
use crate::number::{divides, floor_div, floor_mod};
use crate::transitive::Outcomes;

impl Simplifier<'_> {
    /// Rewrites a node whose operands are simplified.
    pub(crate) fn rewrite_arithmetic(&mut self, op: BinOp, node: Expr) -> Result<Expr> {
        let View::Bin(_, a, b) = expr::view(&node) else { return Ok(node) };
        if let Some(folded) = expr::try_fold(op, a, b)? {
            return Ok(folded);
        }
        let dtype = expr::dtype(&node);
        let replacement = if dtype.is_vector() {
            self.rewrite_vector(op, &node)?
        } else if expr::is_index(dtype) {
            self.rewrite_index(op, &node, a, b)?
        } else {
            None
        };
        if let Some(replacement) = replacement {
            return Ok(replacement);
        }
        if op == BinOp::Sub && !expr::is_index(dtype) {
            try_rules!(self, sub::OTHER, &node);
        }
        match op {
            BinOp::Add => try_rules!(self, add::SELECT, &node),
            BinOp::Sub => try_rules!(self, sub::SELECT, &node),
            BinOp::Min => try_rules!(self, min_max::MIN_SELECT, &node),
            BinOp::Max => try_rules!(self, min_max::MAX_SELECT, &node),
            _ => {}
        }
        Ok(node)
    }

    fn rewrite_index(&mut self, op: BinOp, node: &Expr, a: &Expr, b: &Expr) -> Result<Option<Expr>> {
        match op {
            BinOp::Add => self.first_rule(&add::INDEX, node),
            BinOp::Sub => self.first_rule(&sub::INDEX, node),
            BinOp::Mul => self.first_rule(&mul::INDEX, node),
            BinOp::Div => self.first_rule(&trunc::DIV_INDEX, node),
            BinOp::Mod => match self.first_rule(&trunc::MOD_INDEX, node)? {
                None => self.remainder_by_step(op, a, b),
                found => Ok(found),
            },
            BinOp::FloorDiv => {
                if let Some(found) = self.first_rule(&floor::DIV_NESTED, node)? {
                    return Ok(Some(found));
                }
                match self.split_quotient(node, a, b)? {
                    None => self.first_rule(&floor::DIV_INDEX, node),
                    found => Ok(found),
                }
            }
            BinOp::FloorMod => match self.first_rule(&floor::MOD_INDEX, node)? {
                None => self.remainder_by_step(op, a, b),
                found => Ok(found),
            },
            BinOp::Min | BinOp::Max => self.rewrite_extremum(op, node, a, b),
            _ => Ok(None),
        }
    }

    fn rewrite_extremum(&mut self, op: BinOp, node: &Expr, a: &Expr, b: &Expr) -> Result<Option<Expr>> {
        let (same, rest) = match op {
            BinOp::Min => (&min_max::MIN_SAME, &min_max::MIN_INDEX),
            _ => (&min_max::MAX_SAME, &min_max::MAX_INDEX),
        };
        if let Some(found) = self.first_rule(same, node)? {
            return Ok(Some(found));
        }
        let (left, right) = (self.analyzer.bound_of(a), self.analyzer.bound_of(b));
        let (smaller_left, smaller_right) = (left.max <= right.min, right.max <= left.min);
        let (take_left, take_right) =
            if op == BinOp::Min { (smaller_left, smaller_right) } else { (smaller_right, smaller_left) };
        if take_left {
            return Ok(Some(a.clone()));
        }
        if take_right {
            return Ok(Some(b.clone()));
        }
        self.first_rule(rest, node)
    }

    /// A remainder by a constant that the residue class of the dividend determines, or that equals the dividend.
    fn remainder_by_step(&mut self, op: BinOp, a: &Expr, b: &Expr) -> Result<Option<Expr>> {
        let Some(divisor @ 1..) = expr::as_int(b) else { return Ok(None) };
        let set = self.analyzer.modular_of(a);
        let fixed = divides(divisor, set.coeff);
        if op == BinOp::Mod {
            if fixed && self.analyzer.proves_at_least(a, 0)? {
                return expr::like(b, set.base % divisor).map(Some);
            }
            return Ok(None);
        }
        if fixed {
            return expr::like(b, set.base.rem_euclid(divisor)).map(Some);
        }
        let bound = self.analyzer.bound_of(a);
        Ok((bound.min >= 0 && bound.max < divisor).then(|| a.clone()))
    }

    /// Splits `(x * c1 + y) // c2` if the part that `c2` does not divide is constant, or if `c1` divides `c2` and `y
    /// % c2` is less than `c1`.
    fn split_quotient(&mut self, node: &Expr, a: &Expr, b: &Expr) -> Result<Option<Expr>> {
        let Some(c2) = expr::as_int(b) else { return Ok(None) };
        let Some((x, c1, y)) = scaled_term(a) else { return Ok(None) };
        if c2 == 0 {
            return Ok(Some(node.clone()));
        }
        let dtype = expr::dtype(node);
        let number = |value: Option<i64>| expr::constant(dtype, value.unwrap_or(0));
        let divisor = || expr::constant(dtype, c2);
        let y = match y {
            Some(y) => y.clone(),
            None => expr::constant(dtype, 0)?,
        };
        let left_of_y = expr::fold(BinOp::FloorMod, y.clone(), divisor()?)?;
        let left_of_x = expr::fold(BinOp::Mul, x.clone(), number(floor_mod(c1, c2))?)?;
        let sum = expr::fold(BinOp::Add, left_of_x, left_of_y.clone())?;
        let residue = expr::fold(BinOp::FloorDiv, sum, divisor()?)?;
        let quotient_of_y = expr::fold(BinOp::FloorDiv, y, divisor()?)?;
        let quotient_of_y = if self.compare_const(&quotient_of_y, 0)? == Outcomes::EQ {
            expr::constant(dtype, 0)?
        } else {
            quotient_of_y
        };
        let bound = self.analyzer.bound_of(&residue);
        if bound.is_point() {
            let whole = expr::fold(BinOp::Mul, x.clone(), number(floor_div(c1, c2))?)?;
            let rest = expr::fold(BinOp::Add, quotient_of_y, expr::constant(dtype, bound.min)?)?;
            return expr::fold(BinOp::Add, whole, rest).map(Some);
        }
        if c1 > 0 && c2 > 0 && c2 % c1 == 0 && self.analyzer.proves_less(&left_of_y, c1)? {
            let whole = expr::fold(BinOp::FloorDiv, x.clone(), number(floor_div(c2, c1))?)?;
            return expr::fold(BinOp::Add, whole, quotient_of_y).map(Some);
        }
        Ok(None)
    }
}

/// The parts of `x * c1 + y`, `x * c1` or `y + x * c1`, in this order of preference.
fn scaled_term(e: &Expr) -> Option<(&Expr, i64, Option<&Expr>)> {
    let scaled = |e| match expr::view(e) {
        View::Bin(BinOp::Mul, x, factor) => expr::as_int(factor).map(|factor| (x, factor)),
        _ => None,
    };
    if let View::Bin(BinOp::Add, a, b) = expr::view(e) {
        return scaled(a)
            .map(|(x, factor)| (x, factor, Some(b)))
            .or_else(|| scaled(b).map(|(x, factor)| (x, factor, Some(a))));
    }
    scaled(e).map(|(x, factor)| (x, factor, None))
}
