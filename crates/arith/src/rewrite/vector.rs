//! Vector arithmetic: lane-wise rules, and ramps divided by a constant.
//!
//! Upstream: the vector parts of the visitors in `src/arith/rewrite_simplify.cc`.

use super::Simplifier;
use super::rules::{add, floor, min_max, mul, sub, trunc};
use crate::error::Result;
use crate::expr::{self, BinOp, Expr, View};
use crate::number::{divides, floor_div};

impl Simplifier<'_> {
    pub(super) fn rewrite_vector(&mut self, op: BinOp, node: &Expr) -> Result<Option<Expr>> {
        let rules = match op {
            BinOp::Add => &add::VECTOR,
            BinOp::Sub => &sub::VECTOR,
            BinOp::Mul => &mul::VECTOR,
            BinOp::Div => &trunc::DIV_VECTOR,
            BinOp::Mod => &trunc::MOD_VECTOR,
            BinOp::FloorDiv => &floor::DIV_VECTOR,
            BinOp::FloorMod => &floor::MOD_VECTOR,
            BinOp::Min => &min_max::MIN_VECTOR,
            BinOp::Max => &min_max::MAX_VECTOR,
            _ => return Ok(None),
        };
        match self.first_rule(rules, node)? {
            None if matches!(op, BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod) => {
                self.divide_ramp(op, node)
            }
            found => Ok(found),
        }
    }

    /// Divides a ramp with a constant stride by a constant in every lane.
    fn divide_ramp(&mut self, op: BinOp, node: &Expr) -> Result<Option<Expr>> {
        let View::Bin(_, ramp, divisors) = expr::view(node) else { return Ok(None) };
        let View::Ramp(base, stride, lanes) = expr::view(ramp) else { return Ok(None) };
        let View::Broadcast(divisor, _) = expr::view(divisors) else { return Ok(None) };
        let (Some(step), Some(by)) = (expr::as_int(stride), expr::as_int(divisor)) else { return Ok(None) };
        let is_quotient = matches!(op, BinOp::Div | BinOp::FloorDiv);
        let divided = |e: &Expr| expr::folded(op, e, divisor);
        if divides(by, step) && expr::dtype(node).is_integer() {
            return if is_quotient {
                expr::ramp(divided(base)?, divided(stride)?, lanes.clone()).map(Some)
            } else {
                expr::broadcast(divided(base)?, lanes.clone()).map(Some)
            };
        }
        let truncates = matches!(op, BinOp::Div | BinOp::Mod);
        if by <= 0 || (truncates && !self.analyzer.proves_at_least(base, 0)?) {
            return Ok(None);
        }
        let set = self.analyzer.modular_of(base);
        let known_base = || expr::like(base, set.base.rem_euclid(by));
        let base_is_known = divides(by, set.coeff);
        if let Some(count) = expr::as_int(lanes) {
            let Some(last) = count.checked_sub(1).and_then(|n| n.checked_mul(step)?.checked_add(set.base))
            else {
                return Ok(None);
            };
            // All lanes have one quotient; with lanes on both sides of zero this is known for a constant base only.
            let is_one = floor_div(set.base, by) == floor_div(last, by)
                || (truncates && set.is_const() && set.base / by == last / by);
            if is_one {
                let stays_in_step = !truncates && divides(set.coeff, by) && last < set.coeff;
                if is_quotient && (base_is_known || stays_in_step) {
                    return expr::broadcast(divided(base)?, lanes.clone()).map(Some);
                }
                if !is_quotient && base_is_known {
                    return expr::ramp(known_base()?, stride.clone(), lanes.clone()).map(Some);
                }
                if !is_quotient && stays_in_step {
                    return expr::ramp(divided(base)?, stride.clone(), lanes.clone()).map(Some);
                }
            }
        }
        if !is_quotient && base_is_known {
            let ramp = expr::ramp(known_base()?, stride.clone(), lanes.clone())?;
            let reduced = expr::fold(op, ramp, divisors.clone())?;
            return Ok((!self.analyzer.same(&reduced, node)).then_some(reduced));
        }
        Ok(None)
    }
}
