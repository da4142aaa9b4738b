//! Simplification of slice lengths and loop extents.

use tvmscript_arith::Analyzer;
use tvmscript_prim::{Expr, IntImm, Var};

/// The expression as the analyzer leaves it; literals and variables are left as they are.
pub(crate) fn simplify(expr: &Expr) -> Expr {
    if expr.as_node::<IntImm>().is_some() || expr.as_node::<Var>().is_some() {
        return expr.clone();
    }
    Analyzer::new().simplify(expr)
}

/// Whether two expressions are the same after simplification.
pub(crate) fn proves_equal(a: &Expr, b: &Expr) -> bool {
    match (a.as_node::<IntImm>(), b.as_node::<IntImm>()) {
        (Some(x), Some(y)) => x.value == y.value,
        _ => Analyzer::new().can_prove_equal(a, b),
    }
}
