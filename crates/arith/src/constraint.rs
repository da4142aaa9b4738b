//! Taking conditions apart.
//!
//! Upstream counterparts: `src/arith/constraint_extract.cc` and the normalisation of negated conditions in
//! `src/arith/rewrite_simplify.cc`.

use crate::error::Result;
use crate::expr::{self, BinOp, Expr, View};

/// The parts of a condition joined by `and`, in order.
pub(crate) fn conjuncts(condition: &Expr) -> Vec<Expr> {
    let mut parts = Vec::new();
    let mut pending = vec![condition];
    while let Some(part) = pending.pop() {
        match expr::view(part) {
            View::Bin(BinOp::And, a, b) => pending.extend([b, a]),
            _ => parts.push(part.clone()),
        }
    }
    parts
}

/// The negation of a condition that is already simplified, in the form the simplifier itself would give it:
/// negations pushed inwards, `>` and `>=` turned round.
pub(crate) fn negate(condition: &Expr) -> Result<Expr> {
    tvmscript_ir_core::with_stack(|| match expr::view(condition) {
        View::Not(inner) => normalize(inner),
        View::Bin(BinOp::Or, a, b) => expr::fold(BinOp::And, negate(a)?, negate(b)?),
        View::Bin(BinOp::And, a, b) => expr::fold(BinOp::Or, negate(a)?, negate(b)?),
        View::Bin(op, a, b) => match op {
            BinOp::Lt => expr::fold(BinOp::Le, b.clone(), a.clone()),
            BinOp::Le => expr::fold(BinOp::Lt, b.clone(), a.clone()),
            BinOp::Gt => expr::fold(BinOp::Le, a.clone(), b.clone()),
            BinOp::Ge => expr::fold(BinOp::Lt, a.clone(), b.clone()),
            BinOp::Eq => expr::fold(BinOp::Ne, a.clone(), b.clone()),
            BinOp::Ne => expr::fold(BinOp::Eq, a.clone(), b.clone()),
            _ => expr::not(condition.clone()),
        },
        _ => expr::not(condition.clone()),
    })
}

/// A condition with negations pushed inwards and `>` and `>=` turned round, at the top only.
fn normalize(condition: &Expr) -> Result<Expr> {
    tvmscript_ir_core::with_stack(|| match expr::view(condition) {
        View::Not(inner) => negate(inner),
        View::Bin(BinOp::Ge, a, b) => expr::fold(BinOp::Le, b.clone(), a.clone()),
        View::Bin(BinOp::Gt, a, b) => expr::fold(BinOp::Lt, b.clone(), a.clone()),
        _ => Ok(condition.clone()),
    })
}
