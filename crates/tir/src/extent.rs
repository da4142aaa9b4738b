//! Extents of slices and loops, as the parser derives them from two bounds.
//!
//! The printer uses the same rules, so that it prints bounds only where they parse back to the extent of the node.

use tvmscript_arith::Analyzer;
#[cfg(feature = "print")]
use tvmscript_ir_core::structural_equal;
#[cfg(feature = "print")]
use tvmscript_prim::PrimExprExt;
use tvmscript_prim::{Expr, IntImm, PrimError, Var, ops};

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
