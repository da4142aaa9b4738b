//! Comparisons and connectives.

use super::rules::{compare, logic};
use super::{Simplifier, try_rules};
use crate::error::Result;
use crate::expr::{self, BinOp, Expr, View};
use crate::number::gcd;
use crate::transitive::Outcomes;

fn operands(node: &Expr) -> Option<(&Expr, &Expr)> {
    match expr::view(node) {
        View::Bin(_, a, b) => Some((a, b)),
        _ => None,
    }
}

impl Simplifier<'_> {
    /// The value of a comparison or connective that folding or a condition in scope determines.
    fn decided(&mut self, op: BinOp, node: &Expr) -> Result<Option<Expr>> {
        if let Some((a, b)) = operands(node)
            && let Some(folded) = expr::try_fold(op, a, b)?
        {
            return Ok(Some(folded));
        }
        self.known_truth(node)
    }

    /// Rewrites a comparison or connective whose operands are simplified.
    pub(super) fn rewrite_truth(&mut self, op: BinOp, node: Expr) -> Result<Expr> {
        if let Some(decided) = self.decided(op, &node)? {
            return Ok(decided);
        }
        match op {
            BinOp::Eq => self.rewrite_eq(node),
            BinOp::Ne => self.rewrite_ne(node),
            BinOp::Lt => self.rewrite_lt(node),
            BinOp::Le => self.rewrite_le(node),
            _ => self.rewrite_connective(op, node),
        }
    }

    fn rewrite_eq(&mut self, node: Expr) -> Result<Expr> {
        let Some((a, b)) = operands(&node) else { return Ok(node) };
        let dtype = expr::dtype(&node);
        if dtype.is_vector() {
            try_rules!(self, compare::EQ_VECTOR, &node);
        }
        if !expr::is_index(expr::dtype(a)) {
            try_rules!(self, compare::EQ_OTHER, &node);
            return Ok(node);
        }
        match self.compare(a, b)? {
            Outcomes::EQ => return expr::constant(dtype, 1),
            Outcomes::NE | Outcomes::GT | Outcomes::LT => return expr::constant(dtype, 0),
            _ => {}
        }
        try_rules!(self, compare::EQ_INDEX, &node);
        Ok(node)
    }

    fn rewrite_ne(&mut self, node: Expr) -> Result<Expr> {
        let Some((a, b)) = operands(&node) else { return Ok(node) };
        if expr::is_index(expr::dtype(a)) {
            match self.compare(a, b)? {
                Outcomes::NE | Outcomes::GT | Outcomes::LT => return expr::like(&node, 1),
                Outcomes::EQ => return expr::like(&node, 0),
                Outcomes::GE => return self.rewrite_lt(expr::strict(BinOp::Lt, b.clone(), a.clone())?),
                Outcomes::LE => return self.rewrite_lt(expr::strict(BinOp::Lt, a.clone(), b.clone())?),
                _ => {}
            }
        }
        let equal = self.rewrite_eq(expr::strict(BinOp::Eq, a.clone(), b.clone())?)?;
        self.rewrite_not(expr::not(equal)?)
    }

    /// `a <= b` is first rewritten as the negation of `b < a`, so that both have the same form, and compared
    /// afterwards.
    fn rewrite_le(&mut self, node: Expr) -> Result<Expr> {
        let Some((a, b)) = operands(&node) else { return Ok(node) };
        let greater = self.rewrite_lt(expr::strict(BinOp::Lt, b.clone(), a.clone())?)?;
        let result = self.rewrite_not(expr::not(greater)?)?;
        let View::Bin(BinOp::Le, a, b) = expr::view(&result) else { return Ok(result) };
        if !expr::is_index(expr::dtype(a)) {
            return Ok(result);
        }
        let dtype = expr::dtype(&result);
        match self.compare(a, b)? {
            Outcomes::LE | Outcomes::LT | Outcomes::EQ => expr::constant(dtype, 1),
            Outcomes::GT => expr::constant(dtype, 0),
            Outcomes::NE => self.rewrite_lt(expr::strict(BinOp::Lt, a.clone(), b.clone())?),
            Outcomes::GE => self.rewrite_eq(expr::strict(BinOp::Eq, a.clone(), b.clone())?),
            _ => Ok(result),
        }
    }

    fn rewrite_lt(&mut self, node: Expr) -> Result<Expr> {
        let Some((a, b)) = operands(&node) else { return Ok(node) };
        let dtype = expr::dtype(&node);
        if dtype.is_vector() {
            try_rules!(self, compare::LT_VECTOR, &node);
        }
        if !expr::is_index(expr::dtype(a)) {
            return Ok(node);
        }
        match self.compare(a, b)? {
            Outcomes::LT => return expr::constant(dtype, 1),
            Outcomes::EQ | Outcomes::GT | Outcomes::GE => return expr::constant(dtype, 0),
            _ => {}
        }
        try_rules!(self, compare::LT_INDEX, &node);
        if let Some(merged) = merge_offsets(a, b)? {
            return self.visit_again(&merged);
        }
        let factor = self.common_factor(a, b);
        if factor > 1 {
            let factor = expr::like(a, factor)?;
            let left = expr::folded(BinOp::FloorDiv, a, &factor)?;
            let right = expr::fold(BinOp::FloorDiv, b.clone(), factor)?;
            return self.visit_again(&expr::fold(BinOp::Lt, left, right)?);
        }
        Ok(node)
    }

    /// A number that divides every value of both sides.
    fn common_factor(&mut self, a: &Expr, b: &Expr) -> i64 {
        let (a, b) = (self.analyzer.modular_of(a), self.analyzer.modular_of(b));
        gcd(gcd(a.base, a.coeff), gcd(b.base, b.coeff))
    }

    pub(super) fn rewrite_not(&mut self, node: Expr) -> Result<Expr> {
        if expr::dtype(&node).is_vector() {
            try_rules!(self, logic::NOT_VECTOR, &node);
        }
        try_rules!(self, logic::NOT, &node);
        Ok(node)
    }

    fn rewrite_connective(&mut self, op: BinOp, node: Expr) -> Result<Expr> {
        let (vector, scalar) = match op {
            BinOp::And => (&logic::AND_VECTOR, &logic::AND),
            _ => (&logic::OR_VECTOR, &logic::OR),
        };
        if expr::dtype(&node).is_vector() {
            try_rules!(self, vector, &node);
        }
        try_rules!(self, scalar, &node);
        Ok(node)
    }
}

/// Splits off the constant term. A constant minuend does not occur: the rules move it.
fn constant_term(e: &Expr) -> (&Expr, i64) {
    let View::Bin(op @ (BinOp::Add | BinOp::Sub), a, b) = expr::view(e) else { return (e, 0) };
    match (expr::as_int(a), expr::as_int(b)) {
        (_, Some(value)) if op == BinOp::Add => (a, value),
        (_, Some(value)) => (a, value.wrapping_neg()),
        _ => (e, 0),
    }
}

/// Collects the constant terms of `a < b` on a side that already has one.
fn merge_offsets(a: &Expr, b: &Expr) -> Result<Option<Expr>> {
    let ((left, left_offset), (right, right_offset)) = (constant_term(a), constant_term(b));
    if left_offset == 0 && right_offset == 0 {
        return Ok(None);
    }
    let dtype = expr::dtype(a);
    let shifted = |e: &Expr, by: i64| expr::fold(BinOp::Add, e.clone(), expr::constant(dtype, by)?);
    let merged = match right_offset.wrapping_sub(left_offset) {
        0 => expr::folded(BinOp::Lt, left, right)?,
        1 => expr::folded(BinOp::Le, left, right)?,
        by if by < 0 && right_offset != 0 => {
            expr::fold(BinOp::Lt, shifted(left, by.wrapping_neg())?, right.clone())?
        }
        by if by > 0 && left_offset != 0 => expr::fold(BinOp::Lt, left.clone(), shifted(right, by)?)?,
        _ => return Ok(None),
    };
    Ok(Some(merged))
}
