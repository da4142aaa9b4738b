//! Lengths of slices and loops, as the reader makes them of the two bounds.
//!
//! The printer asks, too: bounds are written only where they are read as the length that the node has.

use tvmscript_arith::Analyzer;
#[cfg(feature = "print")]
use tvmscript_ir_core::structural_equal;
#[cfg(feature = "print")]
use tvmscript_prim::PrimExprExt;
use tvmscript_prim::{Expr, IntImm, PrimError, Var, ops};

/// The expression as the analyzer leaves it; literals and variables are left as they are.
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
/// When the bounds have no common type.
pub(crate) fn length(start: &Expr, stop: Expr) -> Result<Expr, PrimError> {
    Ok(simplify(&ops::sub(stop, start.clone())?))
}

/// The end that is read as `extent` when it stands after `min`, if any is.
#[cfg(feature = "print")]
pub(crate) fn stop_of(min: &Expr, extent: &Expr) -> Option<Expr> {
    let stop = sum(min, extent);
    let is_plain = is_leaf(min) && is_leaf(extent) && min.dtype() == extent.dtype();
    if is_plain || is_read_as(extent, min, &stop) {
        return Some(stop);
    }
    // Simplification may go round in circles: then what follows on the length is read as the length.
    let stop = sum(min, &simplify(extent));
    is_read_as(extent, min, &stop).then_some(stop)
}

#[cfg(feature = "print")]
fn is_read_as(extent: &Expr, min: &Expr, stop: &Expr) -> bool {
    length(min, stop.clone()).is_ok_and(|length| structural_equal(length.object(), extent.object()))
}

/// A sum that is folded but not simplified, as TVM's printer makes it; where no sum exists, the first term.
#[cfg(feature = "print")]
pub(crate) fn sum(a: &Expr, b: &Expr) -> Expr {
    match ops::add(a.clone(), b.clone()) {
        Ok(sum) => sum,
        Err(_) => a.clone(),
    }
}
