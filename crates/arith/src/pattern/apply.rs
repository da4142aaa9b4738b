//! Matching of rules and construction of replacements.

use super::{Pat, Query, Rule, RuleSet, SLOTS};
use crate::error::{ArithError, Result};
use crate::expr::{self, BinOp, Expr, View};

/// Answers the questions of conditions.
pub(crate) trait Prover {
    fn answer(&mut self, question: Query, subject: &Expr, number: i64) -> Result<bool>;
    /// Structural equality, counted against the node budget.
    fn same(&mut self, a: &Expr, b: &Expr) -> bool;
}

/// A replacement, and whether to simplify it again.
pub(crate) struct Rewritten {
    pub(crate) expr: Expr,
    pub(crate) recursive: bool,
}

/// Parts of the matched expression by slot.
#[derive(Default)]
struct Bindings<'e>([Option<&'e Expr>; SLOTS]);

impl<'e> Bindings<'e> {
    #[inline]
    fn get(&self, slot: usize) -> Option<&'e Expr> {
        self.0.get(slot).copied().flatten()
    }

    #[inline]
    #[expect(clippy::indexing_slicing, reason = "the parser of rules counts the slots of `SLOTS` names")]
    fn bind(&mut self, slot: usize, part: &'e Expr) {
        self.0[slot] = Some(part);
    }
}

impl RuleSet {
    /// Applies the first rule that matches `subject` and whose condition holds.
    pub(crate) fn apply(&self, subject: &Expr, prover: &mut dyn Prover) -> Result<Option<Rewritten>> {
        let (left, right) = match expr::view(subject) {
            View::Bin(_, a, b) => (Some(expr::tag(a)), Some(expr::tag(b))),
            View::Not(a) => (Some(expr::tag(a)), None),
            _ => (None, None),
        };
        for (rule, pattern) in self.candidates(left, right) {
            let mut bindings = Bindings::default();
            if !matches(pattern, subject, &mut bindings, prover) {
                continue;
            }
            if let Some(condition) = &rule.condition
                && !holds(condition, &bindings, prover)?
            {
                continue;
            }
            return finish(rule, subject, &bindings).map(Some);
        }
        Ok(None)
    }
}

fn finish(rule: &Rule, subject: &Expr, bindings: &Bindings<'_>) -> Result<Rewritten> {
    let expr = match &rule.replacement {
        Pat::Literal(value) => expr::like(subject, *value)?,
        Pat::Truth(value) => expr::like(subject, i64::from(*value))?,
        replacement => build(replacement, bindings)?,
    };
    Ok(Rewritten { expr, recursive: rule.recursive })
}

fn matches<'e>(pat: &Pat, subject: &'e Expr, bindings: &mut Bindings<'e>, prover: &mut dyn Prover) -> bool {
    match (pat, expr::view(subject)) {
        (Pat::Any(slot), _) => match bindings.get(*slot) {
            None => {
                bindings.bind(*slot, subject);
                true
            }
            Some(bound) => prover.same(bound, subject),
        },
        (Pat::Int(slot), View::Int(value)) => match bindings.get(*slot) {
            None => {
                bindings.bind(*slot, subject);
                true
            }
            Some(bound) => expr::as_int(bound) == Some(value),
        },
        (Pat::Float(slot), View::Float(_)) => {
            bindings.bind(*slot, subject);
            true
        }
        (Pat::Literal(expected), View::Int(value)) => *expected == value,
        (Pat::Bin(expected, pats), View::Bin(op, a, b)) => {
            *expected == op && all_match(&**pats, &[a, b], bindings, prover)
        }
        (Pat::Not(pat), View::Not(a)) => matches(pat, a, bindings, prover),
        (Pat::Select(pats), View::Select(a, b, c)) | (Pat::Ramp(pats), View::Ramp(a, b, c)) => {
            all_match(&**pats, &[a, b, c], bindings, prover)
        }
        (Pat::Broadcast(pats), View::Broadcast(a, b)) => all_match(&**pats, &[a, b], bindings, prover),
        _ => false,
    }
}

fn all_match<'e>(
    pats: &[Pat],
    subjects: &[&'e Expr],
    bindings: &mut Bindings<'e>,
    prover: &mut dyn Prover,
) -> bool {
    pats.iter().zip(subjects).all(|(pat, subject)| matches(pat, subject, bindings, prover))
}

fn bound(slot: usize, bindings: &Bindings<'_>) -> Result<Expr> {
    bindings.get(slot).cloned().ok_or(ArithError::MalformedRule)
}

/// Builds both operands; a number takes the type of the other operand.
fn build_pair(pats: [&Pat; 2], bindings: &Bindings<'_>) -> Result<(Expr, Expr)> {
    match pats {
        [Pat::Literal(a), b] => {
            let b = build(b, bindings)?;
            Ok((expr::like(&b, *a)?, b))
        }
        [a, Pat::Literal(b)] => {
            let a = build(a, bindings)?;
            let b = expr::like(&a, *b)?;
            Ok((a, b))
        }
        [a, b] => Ok((build(a, bindings)?, build(b, bindings)?)),
    }
}

fn build(pat: &Pat, bindings: &Bindings<'_>) -> Result<Expr> {
    match pat {
        Pat::Any(slot) | Pat::Int(slot) | Pat::Float(slot) => bound(*slot, bindings),
        Pat::Bin(op, pats) => {
            let (a, b) = build_pair(pats.each_ref(), bindings)?;
            expr::fold(*op, a, b)
        }
        Pat::Not(pat) => expr::not(build(pat, bindings)?),
        Pat::Select(pats) => {
            let [condition, on_true, on_false] = &**pats;
            let (on_true, on_false) = build_pair([on_true, on_false], bindings)?;
            expr::select(build(condition, bindings)?, on_true, on_false)
        }
        Pat::Ramp(pats) => {
            let [base, stride, lanes] = &**pats;
            let (base, stride) = build_pair([base, stride], bindings)?;
            expr::ramp(base, stride, build(lanes, bindings)?)
        }
        Pat::Broadcast(pats) => {
            let [value, lanes] = &**pats;
            expr::broadcast(build(value, bindings)?, build(lanes, bindings)?)
        }
        Pat::Literal(_) | Pat::Truth(_) | Pat::Ask(..) | Pat::Rem(_) | Pat::Neg(_) => {
            Err(ArithError::MalformedRule)
        }
    }
}

/// Evaluates a condition; one with an undefined part (division by zero) does not hold.
fn holds(pat: &Pat, bindings: &Bindings<'_>, prover: &mut dyn Prover) -> Result<bool> {
    Ok(match pat {
        Pat::Bin(BinOp::And, pats) => {
            let [a, b] = &**pats;
            holds(a, bindings, prover)? && holds(b, bindings, prover)?
        }
        Pat::Bin(BinOp::Or, pats) => {
            let [a, b] = &**pats;
            holds(a, bindings, prover)? || holds(b, bindings, prover)?
        }
        Pat::Not(pat) => !holds(pat, bindings, prover)?,
        Pat::Ask(question, pats) => {
            let [subject, wanted] = &**pats;
            let subject = build(subject, bindings)?;
            let Some(number) = number(wanted, bindings) else { return Ok(false) };
            prover.answer(*question, &subject, number)?
        }
        Pat::Bin(op, pats) => {
            let [a, b] = &**pats;
            if let Pat::Float(slot) = a {
                let value = bindings.get(*slot).and_then(expr::as_float);
                return Ok(value == Some(0.0) && *b == Pat::Literal(0));
            }
            let (Some(a), Some(b)) = (number(a, bindings), number(b, bindings)) else {
                return Ok(false);
            };
            match op {
                BinOp::Eq => a == b,
                BinOp::Ne => a != b,
                BinOp::Lt => a < b,
                BinOp::Le => a <= b,
                BinOp::Gt => a > b,
                BinOp::Ge => a >= b,
                _ => return Err(ArithError::MalformedRule),
            }
        }
        _ => return Err(ArithError::MalformedRule),
    })
}

/// The value of a constant expression of a condition.
fn number(pat: &Pat, bindings: &Bindings<'_>) -> Option<i64> {
    match pat {
        Pat::Int(slot) => bindings.get(*slot).and_then(expr::as_int),
        Pat::Literal(value) => Some(*value),
        Pat::Neg(pat) => Some(number(pat, bindings)?.wrapping_neg()),
        Pat::Rem(pats) => {
            let [a, b] = &**pats;
            let (a, b) = (number(a, bindings)?, number(b, bindings)?);
            (b != 0).then(|| a.wrapping_rem(b))
        }
        Pat::Bin(op, pats) => {
            let [a, b] = &**pats;
            let (a, b) = (number(a, bindings)?, number(b, bindings)?);
            match op {
                BinOp::Add => Some(a.wrapping_add(b)),
                BinOp::Sub => Some(a.wrapping_sub(b)),
                BinOp::Mul => Some(a.wrapping_mul(b)),
                BinOp::FloorMod => crate::number::floor_mod(a, b),
                _ => None,
            }
        }
        _ => None,
    }
}
