//! Bounds of iterators that a predicate gives.
//!
//! Upstream counterpart: `MatchBoundConstraints` of `src/arith/iter_affine_map.cc`.

use tvmscript_prim::ops::is_zero;

use super::error::IterMapError;
use crate::VarRange;
use crate::analyzer::Analyzer;
use crate::error::Result;
use crate::expr::{self, BinOp, Expr, VarMap, View};

/// `lower <= iterator < upper`
pub(super) struct IterConstraint {
    pub(super) iterator: Expr,
    pub(super) lower: Option<Expr>,
    pub(super) upper: Option<Expr>,
}

/// The last comparison of a conjunction that is of the first kind present, and what is left of the conjunction.
fn comparison(predicate: &Expr) -> Option<(BinOp, &Expr, &Expr, Option<&Expr>)> {
    for op in [BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge] {
        let is_op = |e: &Expr| matches!(expr::view(e), View::Bin(found, ..) if found == op);
        let (part, rest) = match expr::view(predicate) {
            View::Bin(BinOp::And, first, last) if is_op(last) => (last, Some(first)),
            View::Bin(BinOp::And, first, last) if is_op(first) => (first, Some(last)),
            _ if is_op(predicate) => (predicate, None),
            _ => continue,
        };
        if let View::Bin(_, a, b) = expr::view(part) {
            return Some((op, a, b, rest));
        }
    }
    None
}

/// Splits the predicate into bounds of fused iterators. Bounds of single iterators narrow `ranges`.
///
/// # Errors
/// [`IterMapError`] if the predicate is not a conjunction of comparisons.
pub(super) fn constraints(
    mut predicate: &Expr,
    ranges: &mut [VarRange],
    analyzer: &mut Analyzer,
) -> std::result::Result<Vec<IterConstraint>, IterMapError> {
    let mut iterators = VarMap::default();
    for (i, range) in ranges.iter().enumerate() {
        iterators.insert(range.var.upcast_ref(), i);
    }
    let mut constraints = Vec::new();
    loop {
        analyzer.spend_many(1)?;
        let (op, left, right, rest) = comparison(predicate)
            .filter(|(_, a, b, _)| is_integer(a) && is_integer(b))
            .ok_or_else(|| IterMapError::Predicate(predicate.clone()))?;
        if let Some(constraint) = constraint(op, left, right, &iterators, analyzer)? {
            let range = match iterators.get(&constraint.iterator) {
                Some(at) => ranges.get_mut(*at),
                None => None,
            };
            match range {
                Some(range) => narrow(range, constraint)?,
                None => constraints.push(constraint),
            }
        }
        match rest {
            Some(rest) => predicate = rest,
            None => return Ok(constraints),
        }
    }
}

fn is_integer(e: &Expr) -> bool {
    let dtype = expr::dtype(e);
    dtype.is_int() || dtype.is_uint()
}

/// The bound that a comparison gives; `None` if it mentions no iterator.
fn constraint(
    op: BinOp,
    left: &Expr,
    right: &Expr,
    iterators: &VarMap<usize>,
    analyzer: &mut Analyzer,
) -> Result<Option<IterConstraint>> {
    let (in_left, in_right) = (expr::mentions(left, iterators), expr::mentions(right, iterators));
    let (op, iterator, bound) = match (in_left, in_right) {
        (false, false) => return Ok(None),
        (false, true) => (expr::mirrored(op), right.clone(), left.clone()),
        (true, false) => (op, left.clone(), right.clone()),
        (true, true) => {
            let (iterator, bound) = separated(left, right, iterators, analyzer)?;
            (op, iterator, bound)
        }
    };
    let next = |e: &Expr| expr::plus(e, 1);
    let (lower, upper) = match op {
        BinOp::Lt => (None, Some(bound)),
        BinOp::Le => (None, Some(next(&bound)?)),
        BinOp::Gt => (Some(next(&bound)?), None),
        _ => (Some(bound), None),
    };
    Ok(Some(IterConstraint { iterator, lower, upper }))
}

/// Moves the terms of `left - right` with iterators to the left and the others to the right.
fn separated(
    left: &Expr,
    right: &Expr,
    iterators: &VarMap<usize>,
    analyzer: &mut Analyzer,
) -> Result<(Expr, Expr)> {
    let difference = expr::folded(BinOp::Sub, left, right)?;
    let (mut iterator, mut bound) = (expr::like(&difference, 0)?, expr::like(&difference, 0)?);
    let mut pending = vec![(&difference, true)];
    while let Some((part, is_added)) = pending.pop() {
        analyzer.spend_many(1)?;
        match expr::view(part) {
            View::Bin(BinOp::Add, a, b) => pending.extend([(b, is_added), (a, is_added)]),
            View::Bin(BinOp::Sub, a, b) => pending.extend([(b, !is_added), (a, is_added)]),
            _ => {
                let has_iterator = expr::mentions(part, iterators);
                let op = if is_added == has_iterator { BinOp::Add } else { BinOp::Sub };
                let side = if has_iterator { &mut iterator } else { &mut bound };
                *side = expr::folded(op, side, part)?;
            }
        }
    }
    let mut analyzer = Analyzer::new();
    Ok((analyzer.simplify(&iterator), analyzer.simplify(&bound)))
}

fn narrow(range: &mut VarRange, constraint: IterConstraint) -> Result<()> {
    let mut min = range.min.clone();
    let mut end = expr::folded(BinOp::Add, &range.min, &range.extent)?;
    if let Some(lower) = constraint.lower {
        min = expr::fold(BinOp::Max, min, lower)?;
    }
    if let Some(upper) = constraint.upper {
        end = expr::fold(BinOp::Min, end, upper)?;
    }
    range.extent = if is_zero(&min) { end } else { expr::folded(BinOp::Sub, &end, &min)? };
    range.min = min;
    Ok(())
}
