//! Expressions.

use tvmscript_ir::RelaxExpr;
use tvmscript_ir_core::{Array, Node, Object, Span};
use tvmscript_prim::Expr;

/// A shape as a value.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.expr.ShapeExpr", parent = RelaxExpr)]
pub struct ShapeExpr {
    /// Where it was written.
    pub span: Span,
    /// The struct info.
    #[node(skip_eq)]
    pub struct_info_: Option<Object>,
    /// The dimensions, `int64` each.
    pub values: Array<Expr>,
}
