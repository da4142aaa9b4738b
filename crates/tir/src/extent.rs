//! Extents of slices and loops, as the parser derives them from two bounds.
//!
//! The printer uses the same rules, so that it prints bounds only where they parse back to the extent of the node.

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::structural_equal;
#[cfg(feature = "print")]
use tvmscript_prim::Sub;
use tvmscript_prim::{Add, Expr, IntImm, PrimError, PrimExprExt, Var, ops};

/// Simplifies an expression; returns literals and variables as they are.
pub(crate) fn simplify(expr: &Expr) -> Expr {
    if is_leaf(expr) {
        return expr.clone();
    }
    Analyzer::new().simplify(expr)
}

fn is_leaf(expr: &Expr) -> bool {
    expr.is::<IntImm>() || expr.is::<Var>()
}

/// The length of `start:stop`.
///
/// # Errors
/// If the bounds have no common type.
pub(crate) fn length(start: &Expr, stop: Expr) -> Result<Expr, PrimError> {
    Ok(simplify(&ops::sub(stop, start.clone())?))
}

/// The length of the loop `start..stop` in releases whose loops have an end instead of an extent: nothing is simplified.
/// An end `start + n` stands for the extent `n`.
///
/// # Errors
/// If the bounds have no common type.
pub(crate) fn length_as_written(start: &Expr, stop: Expr) -> Result<Expr, PrimError> {
    match stop.as_node::<Add>() {
        Some(sum) if structural_equal(sum.a.object(), start.object()) => Ok(sum.b.clone()),
        _ if ops::is_zero(start) && start.dtype() == stop.dtype() => Ok(stop),
        _ => ops::sub(stop, start.clone()),
    }
}

/// The end of a loop that [`length_as_written`] reads as `extent`, if there is one.
#[cfg(feature = "print")]
pub(crate) fn stop_as_written(min: &Expr, extent: &Expr) -> Option<Expr> {
    let stop = match extent.as_node::<Sub>() {
        Some(length) if structural_equal(length.b.object(), min.object()) => length.a.clone(),
        _ => sum(min, extent),
    };
    let length = length_as_written(min, stop.clone()).ok()?;
    structural_equal(length.object(), extent.object()).then_some(stop)
}

/// The end that, together with `min`, parses back to `extent`, if there is one.
#[cfg(feature = "print")]
pub(crate) fn stop_of(min: &Expr, extent: &Expr) -> Option<Expr> {
    let stop = sum(min, extent);
    let is_plain = is_leaf(min) && is_leaf(extent) && min.dtype() == extent.dtype();
    if is_plain || is_read_as(extent, min, &stop) {
        return Some(stop);
    }
    // Simplification may not be idempotent, so the simplified extent is tried as well.
    let stop = sum(min, &simplify(extent));
    is_read_as(extent, min, &stop).then_some(stop)
}

#[cfg(feature = "print")]
fn is_read_as(extent: &Expr, min: &Expr, stop: &Expr) -> bool {
    length(min, stop.clone()).is_ok_and(|length| structural_equal(length.object(), extent.object()))
}

/// The folded but not simplified sum, as TVM's printer computes it; `a` if the sum does not exist.
#[cfg(feature = "print")]
pub(crate) fn sum(a: &Expr, b: &Expr) -> Expr {
    match ops::add(a.clone(), b.clone()) {
        Ok(sum) => sum,
        Err(_) => a.clone(),
    }
}
