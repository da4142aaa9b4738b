//! Taking conditions apart.
//!
//! Upstream counterparts: `src/arith/constraint_extract.cc` and the normalisation of negated conditions in
//! `src/arith/rewrite_simplify.cc`.

use tvmscript_ir_core::shared::{Memo, Visited};

use crate::error::Result;
use crate::expr::{self, BinOp, Expr, View};

/// The parts of a condition joined by `and`, in order; a part that is shared comes once.
pub(crate) fn conjuncts(condition: &Expr) -> Vec<Expr> {
    let mut parts = Vec::new();
    let mut pending = vec![condition];
    let mut seen = Visited::default();
    while let Some(part) = pending.pop() {
        if !seen.is_first(part.object()) {
            continue;
        }
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
    negate_once(condition, &mut Memo::default())
}

/// As [`negate`]; a part that is shared is negated once, and stays shared.
fn negate_once(condition: &Expr, done: &mut Memo<Expr>) -> Result<Expr> {
    if let Some(known) = done.get(condition.object()) {
        return Ok(known);
    }
    let new = negate_new(condition, done)?;
    done.insert(condition.object(), &new);
    Ok(new)
}

fn negate_new(condition: &Expr, done: &mut Memo<Expr>) -> Result<Expr> {
    tvmscript_ir_core::with_stack(|| match expr::view(condition) {
        View::Not(inner) => normalize(inner, done),
        View::Bin(BinOp::Or, a, b) => expr::fold(BinOp::And, negate_once(a, done)?, negate_once(b, done)?),
        View::Bin(BinOp::And, a, b) => expr::fold(BinOp::Or, negate_once(a, done)?, negate_once(b, done)?),
        View::Bin(op, a, b) => match op {
            BinOp::Lt => expr::folded(BinOp::Le, b, a),
            BinOp::Le => expr::folded(BinOp::Lt, b, a),
            BinOp::Gt => expr::folded(BinOp::Le, a, b),
            BinOp::Ge => expr::folded(BinOp::Lt, a, b),
            BinOp::Eq => expr::folded(BinOp::Ne, a, b),
            BinOp::Ne => expr::folded(BinOp::Eq, a, b),
            _ => expr::not(condition.clone()),
        },
        _ => expr::not(condition.clone()),
    })
}

/// A condition with negations pushed inwards and `>` and `>=` turned round, at the top only.
fn normalize(condition: &Expr, done: &mut Memo<Expr>) -> Result<Expr> {
    tvmscript_ir_core::with_stack(|| match expr::view(condition) {
        View::Not(inner) => negate_once(inner, done),
        View::Bin(BinOp::Ge, a, b) => expr::folded(BinOp::Le, b, a),
        View::Bin(BinOp::Gt, a, b) => expr::folded(BinOp::Lt, b, a),
        _ => Ok(condition.clone()),
    })
}
