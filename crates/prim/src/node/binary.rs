//! Arithmetic and comparisons of two operands with the same type.

use tvmscript_ir_core::invariants::{Checked, Invalid};
use tvmscript_ir_core::{DataType, Node, Ref, Span};

use super::leaf::has_dtype;
use crate::class::{Expr, PrimExpr, PrimExprExt};
use crate::error::{PrimError, PrimResult};

fn same_type(a: &Expr, b: &Expr) -> PrimResult<DataType> {
    let (left, right) = (a.dtype(), b.dtype());
    if left == right { Ok(left) } else { Err(PrimError::MismatchedTypes { left, right }) }
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident = $key:literal $(=> $bool:ident)?;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Node)]
        #[node(key = $key, parent = PrimExpr, check = $name::check)]
        pub struct $name {
            /// Source span.
            pub span: Span,
            /// The type of the value.
            pub dtype: DataType,
            /// The left operand.
            pub a: Expr,
            /// The right operand.
            pub b: Expr,
        }

        impl $name {
            fn check(&self) -> Checked {
                let dtype = same_type(&self.a, &self.b).map_err(|error| Invalid::at("b", error))?;
                $(let dtype = DataType::$bool.with_lanes(dtype.lanes);)?
                has_dtype(self.dtype, dtype)
            }

            /// Constructs the node; both operands must have the same type. Never folds.
            /// # Errors
            /// [`PrimError::MismatchedTypes`].
            pub fn try_new(a: Expr, b: Expr) -> PrimResult<Expr> {
                let dtype = same_type(&a, &b)?;
                $(let dtype = DataType::$bool.with_lanes(dtype.lanes);)?
                Ok(Ref::new($name { span: Span::current(), dtype, a, b }).upcast())
            }
        }
    )*};
}

binary! {
    /// `a + b`.
    Add = "tir.Add";
    /// `a - b`.
    Sub = "tir.Sub";
    /// `a * b`.
    Mul = "tir.Mul";
    /// `a / b`; truncates integers toward zero, as in C.
    Div = "tir.Div";
    /// The remainder of [`Div`], as in C.
    Mod = "tir.Mod";
    /// `a // b`; rounds toward negative infinity.
    FloorDiv = "tir.FloorDiv";
    /// `a % b`: the remainder of [`FloorDiv`].
    FloorMod = "tir.FloorMod";
    /// The minimum.
    Min = "tir.Min";
    /// The maximum.
    Max = "tir.Max";
    /// `a == b`.
    EQ = "tir.EQ" => BOOL;
    /// `a != b`.
    NE = "tir.NE" => BOOL;
    /// `a < b`.
    LT = "tir.LT" => BOOL;
    /// `a <= b`.
    LE = "tir.LE" => BOOL;
    /// `a > b`.
    GT = "tir.GT" => BOOL;
    /// `a >= b`.
    GE = "tir.GE" => BOOL;
}
