//! The variables of expressions.

use tvmscript_ir_core::{Ref, any_node};
use tvmscript_prim::{Expr, Var};

/// Returns `true` if an expression has a variable.
pub(crate) fn mentions(expr: &Expr, variable: &Ref<Var>) -> bool {
    any_node(expr, |node| node.ptr_eq(variable.object()))
}
