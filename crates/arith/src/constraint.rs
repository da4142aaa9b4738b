//! Conjuncts and negations of conditions.
//!
//! Upstream counterparts: `src/arith/constraint_extract.cc` and the normalization of negated conditions in
//! `src/arith/rewrite_simplify.cc`.

use smallvec::SmallVec;
use tvmscript_ir_core::shared::{Memo, Visited};

use crate::error::Result;
use crate::expr::{self, BinOp, Expr, View};

/// The operands of nested `and`s, in order, without duplicates of shared nodes.
pub(crate) fn conjuncts(condition: &Expr) -> SmallVec<[&Expr; 4]> {
    let mut parts = SmallVec::new();
    let mut pending: SmallVec<[&Expr; 4]> = SmallVec::from_slice(&[condition]);
    let mut seen = Visited::default();
    while let Some(part) = pending.pop() {
        let View::Bin(BinOp::And, a, b) = expr::view(part) else {
            // Most conditions have one part, which needs no record.
            if pending.is_empty() && parts.is_empty() || seen.is_first(part.object()) {
                parts.push(part);
            }
            continue;
        };
        if seen.is_first(part.object()) {
            pending.extend([b, a]);
        }
    }
    parts
}

/// The negation of a simplified condition in the simplifier's own normal form: negations pushed inwards, `>` and `>=`
/// swapped.
pub(crate) fn negate(condition: &Expr) -> Result<Expr> {
    negate_once(condition, &mut Memo::default())
}

/// [`negate`] with a memo, so that shared parts stay shared.
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

/// A condition with negations pushed inwards and `>` and `>=` swapped, at the top only.
fn normalize(condition: &Expr, done: &mut Memo<Expr>) -> Result<Expr> {
    tvmscript_ir_core::with_stack(|| match expr::view(condition) {
        View::Not(inner) => negate_once(inner, done),
        View::Bin(BinOp::Ge, a, b) => expr::folded(BinOp::Le, b, a),
        View::Bin(BinOp::Gt, a, b) => expr::folded(BinOp::Lt, b, a),
        _ => Ok(condition.clone()),
    })
}
