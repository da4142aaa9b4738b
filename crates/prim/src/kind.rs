//! A view of an expression as an enum.

use tvmscript_ir_core::class_view;

use crate::class::PrimExpr;
use crate::node::*;

class_view! {
    /// The known expression nodes, with `Other` for nodes of other dialects.
    ExprKind by ExprView of PrimExpr:
    IntImm, FloatImm, StringImm, Var, Cast, Add, Sub, Mul, Div, Mod, FloorDiv, FloorMod, Min, Max, EQ, NE, LT, LE, GT,
    GE, And, Or, Not, Select, Ramp, Broadcast, Shuffle, Let, Call;
    size_var_type() => Var
}
