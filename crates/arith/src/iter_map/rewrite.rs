//! Rewriting of expressions to sums of parts.
//!
//! Upstream counterpart: `IterMapRewriter` of `src/arith/iter_affine_map.cc`.

use tvmscript_ir_core::with_stack;
use tvmscript_prim::ops::{is_one, is_zero};

use super::IterMapLevel;
use super::error::{IterMapError, IterMapErrors};
use super::form::{IterMark, IterSource, IterSplit, IterSum};
use super::fuse::Fused;
use super::pad::Pads;
use crate::VarRange;
use crate::analyzer::Analyzer;
use crate::error::Result;
use crate::expr::{self, BinOp, Expr, VarMap, View};

/// A rewritten expression.
#[derive(Debug, Clone)]
pub(super) enum Value {
    /// Without iterators.
    Plain(Expr),
    Split(IterSplit),
    Sum(IterSum),
}

/// State of one detection.
///
/// An expression that is not a sum of parts is kept as it is, and the reason is added to `errors`.
pub(super) struct Rewriter<'a> {
    pub(super) analyzer: &'a mut Analyzer,
    pub(super) level: IterMapLevel,
    variables: VarMap<Value>,
    /// Marks of the variables.
    pub(super) inputs: Vec<IterMark>,
    pub(super) pads: Pads,
    pub(super) fused: Vec<Fused>,
    /// Fused sums that the predicate bounds, as positions in `fused`, shorter expressions first.
    pub(super) constrained: Vec<usize>,
    pub(super) errors: Vec<IterMapError>,
}

impl<'a> Rewriter<'a> {
    pub(super) fn new(
        variables: &[VarRange],
        level: IterMapLevel,
        simplify_trivial: bool,
        analyzer: &'a mut Analyzer,
    ) -> Result<Rewriter<'a>> {
        let mut known = VarMap::default();
        let mut inputs = Vec::new();
        for VarRange { var, min, extent } in variables {
            let value = if simplify_trivial && is_one(extent) {
                Value::Sum(IterSum::constant(min.clone()))
            } else {
                let source = IterSource::Variable { var: var.clone(), min: min.clone() };
                let mark = IterMark::new(source, extent.clone());
                inputs.push(mark.clone());
                let part = IterSplit::whole(mark)?;
                match is_zero(min) {
                    true => Value::Split(part),
                    false => Value::Sum(IterSum { parts: vec![part], base: min.clone() }),
                }
            };
            known.insert(var.upcast_ref(), value);
        }
        Ok(Rewriter {
            analyzer,
            level,
            variables: known,
            inputs,
            pads: Pads::default(),
            fused: Vec::new(),
            constrained: Vec::new(),
            errors: Vec::new(),
        })
    }

    /// The reasons found so far, if any.
    pub(super) fn check(&mut self) -> std::result::Result<(), IterMapErrors> {
        match self.errors.is_empty() {
            true => Ok(()),
            false => Err(IterMapErrors::new(std::mem::take(&mut self.errors))),
        }
    }

    /// The indices as sums of at most one part.
    pub(super) fn round(&mut self, indices: &[Expr]) -> std::result::Result<Vec<IterSum>, IterMapErrors> {
        let mut sums = Vec::with_capacity(indices.len());
        for index in indices {
            let sum = self.sum_of(index)?;
            let fused = if sum.parts.is_empty() { Some(sum) } else { self.fuse(sum, true)? };
            match fused {
                Some(sum) => sums.push(sum),
                None => self.errors.push(IterMapError::NotFused(index.clone())),
            }
            self.check()?;
        }
        Ok(sums)
    }

    /// The expression as a sum of parts, not fused.
    pub(super) fn sum_of(&mut self, e: &Expr) -> Result<IterSum> {
        let value = self.visit(e)?;
        to_sum(value)
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

    pub(super) fn simple(&mut self, op: BinOp, a: &Expr, b: &Expr) -> Result<Expr> {
        Ok(self.analyzer.simplify(&expr::folded(op, a, b)?))
    }

    fn visit(&mut self, e: &Expr) -> Result<Value> {
        self.analyzer.spend_many(1)?;
        match expr::view(e) {
            View::Var => Ok(self.variables.get(e).cloned().unwrap_or_else(|| Value::Plain(e.clone()))),
            View::Int(_) | View::Float(_) => Ok(Value::Plain(e.clone())),
            View::Bin(op, a, b)
                if expr::is_index(expr::dtype(e))
                    && matches!(
                        op,
                        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::FloorDiv | BinOp::FloorMod
                    ) =>
            {
                with_stack(|| self.visit_binary(e, op, a, b))
            }
            _ => with_stack(|| self.visit_other(e)),
        }
    }

    /// An operation that is not defined on iterators.
    fn visit_other(&mut self, e: &Expr) -> Result<Value> {
        for operand in expr::operands(e) {
            if !matches!(self.visit(operand)?, Value::Plain(_)) {
                self.errors.push(IterMapError::Operation(e.clone()));
            }
        }
        Ok(Value::Plain(e.clone()))
    }

    /// `e` as it is, for a reason.
    fn refused(&mut self, e: &Expr, reason: fn(Expr) -> IterMapError) -> Value {
        self.errors.push(reason(e.clone()));
        Value::Plain(e.clone())
    }

    fn visit_binary(&mut self, e: &Expr, op: BinOp, left: &Expr, right: &Expr) -> Result<Value> {
        let (a, b) = (self.visit(left)?, self.visit(right)?);
        if let Some(neutral) = with_literal(op, &a, &b)? {
            return Ok(neutral);
        }
        match (op, a, b) {
            (op, Value::Plain(a), Value::Plain(b)) => {
                let is_same = a.ptr_eq(left) && b.ptr_eq(right);
                Ok(Value::Plain(if is_same { e.clone() } else { expr::fold(op, a, b)? }))
            }
            (BinOp::Add | BinOp::Sub, a, b) => {
                let mut sum = to_sum(a)?;
                self.add(&mut sum, to_sum(b)?, op)?;
                Ok(Value::Sum(sum))
            }
            (BinOp::Mul, Value::Plain(factor), iterators) | (BinOp::Mul, iterators, Value::Plain(factor)) => {
                scaled(iterators, &factor)
            }
            (BinOp::Mul, ..) => Ok(self.refused(e, IterMapError::Product)),
            (_, dividend, Value::Plain(divisor)) => {
                if is_zero(&divisor) {
                    return Ok(self.refused(e, IterMapError::ZeroDivisor));
                }
                let Some((part, base)) = self.one_part(dividend, left)? else {
                    return Ok(Value::Plain(e.clone()));
                };
                let divided = match op {
                    BinOp::FloorDiv => self.quotient(part, base, divisor, e)?,
                    _ => self.remainder(part, base, divisor, e)?,
                };
                Ok(divided.unwrap_or_else(|| Value::Plain(e.clone())))
            }
            _ => Ok(self.refused(e, IterMapError::Divisor)),
        }
    }

    fn add(&mut self, sum: &mut IterSum, other: IterSum, op: BinOp) -> Result<()> {
        self.analyzer.spend_many(1 + sum.parts.len() * other.parts.len())?;
        for mut part in other.parts {
            let same = sum.parts.iter_mut().find(|known| known.is_same_part(&part, self.analyzer));
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
    fn one_part(&mut self, dividend: Value, e: &Expr) -> Result<Option<(IterSplit, Expr)>> {
        let sum = to_sum(dividend)?;
        let sum = match sum.parts.len() {
            // Iterators of one value are gone; the expression stays as it is.
            0 => return Ok(None),
            1 => Some(sum),
            _ => self.fuse(sum, true)?,
        };
        if let Some(IterSum { mut parts, base }) = sum
            && let Some(part) = parts.pop()
            && parts.is_empty()
        {
            return Ok(Some((part, base)));
        }
        self.errors.push(IterMapError::NotFused(e.clone()));
        Ok(None)
    }
}

/// The result of an operation with the literal zero or one, or of one of two literals.
fn with_literal(op: BinOp, a: &Value, b: &Value) -> Result<Option<Value>> {
    let literal = |value: &Value| match value {
        Value::Plain(e) => expr::as_int(e),
        _ => None,
    };
    if let (Value::Plain(a), Value::Plain(b)) = (a, b) {
        return Ok(expr::try_fold(op, a, b)?.map(Value::Plain));
    }
    Ok(match (op, literal(a), literal(b)) {
        (BinOp::Add, Some(0), _) | (BinOp::Mul, Some(1), _) | (BinOp::Mul, _, Some(0)) => Some(b.clone()),
        (BinOp::Add | BinOp::Sub, _, Some(0))
        | (BinOp::Mul | BinOp::FloorDiv, _, Some(1))
        | (BinOp::Mul | BinOp::FloorDiv | BinOp::FloorMod, Some(0), _) => Some(a.clone()),
        (BinOp::FloorMod, _, Some(1)) => match b {
            Value::Plain(one) => Some(Value::Plain(expr::like(one, 0)?)),
            _ => None,
        },
        _ => None,
    })
}

fn to_sum(value: Value) -> Result<IterSum> {
    Ok(match value {
        Value::Plain(base) => IterSum::constant(base),
        Value::Split(part) => IterSum { base: expr::constant(part.dtype(), 0)?, parts: vec![part] },
        Value::Sum(sum) => sum,
    })
}

fn scaled(iterators: Value, factor: &Expr) -> Result<Value> {
    let scale = |e: Expr| expr::fold(BinOp::Mul, e, factor.clone());
    Ok(match iterators {
        Value::Plain(e) => Value::Plain(scale(e)?),
        Value::Split(part) => Value::Split(IterSplit { scale: scale(part.scale.clone())?, ..part }),
        Value::Sum(sum) => {
            let parts = sum.parts.into_iter();
            let parts = parts.map(|part| Ok(IterSplit { scale: scale(part.scale.clone())?, ..part }));
            Value::Sum(IterSum { parts: parts.collect::<Result<_>>()?, base: scale(sum.base)? })
        }
    })
}
