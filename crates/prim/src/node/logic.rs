//! Boolean logic and selection.

use tvmscript_ir_core::invariants::{Checked, Invalid};
use tvmscript_ir_core::{DataType, Node, Ref, Span};

use super::leaf::has_dtype;
use crate::class::{Expr, PrimExpr, PrimExprExt};
use crate::error::{PrimError, PrimResult};

fn bool_type(op: &'static str, e: &Expr) -> PrimResult<DataType> {
    let found = e.dtype();
    if found.is_bool() {
        Ok(found)
    } else {
        Err(PrimError::OperandType { op, expected: "bool operands", found })
    }
}

macro_rules! logic {
    ($($(#[$doc:meta])* $name:ident = $key:literal, $op:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Node)]
        #[node(key = $key, parent = PrimExpr, check = $name::check)]
        pub struct $name {
            /// Source span.
            pub span: Span,
            /// `bool`, with the operands' lanes.
            pub dtype: DataType,
            /// The left operand.
            pub a: Expr,
            /// The right operand.
            pub b: Expr,
        }

        impl $name {
            /// Constructs the node. Never folds.
            /// # Errors
            /// If an operand is not bool, or the lanes differ.
            pub fn try_new(a: Expr, b: Expr) -> PrimResult<Expr> {
                let dtype = $name::dtype_of(&a, &b)?;
                Ok(Ref::new($name { span: Span::current(), dtype, a, b }).upcast())
            }

            fn dtype_of(a: &Expr, b: &Expr) -> PrimResult<DataType> {
                let (left, right) = (bool_type($op, a)?, bool_type($op, b)?);
                match left == right {
                    true => Ok(left),
                    false => Err(PrimError::Lanes { op: $op, left, right }),
                }
            }

            fn check(&self) -> Checked {
                let dtype = $name::dtype_of(&self.a, &self.b).map_err(|error| Invalid::at("b", error))?;
                has_dtype(self.dtype, dtype)
            }
        }
    )*};
}

logic! {
    /// `a and b`.
    And = "tir.And", "and";
    /// `a or b`.
    Or = "tir.Or", "or";
}

/// `not a`.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.Not", parent = PrimExpr, check = Not::check)]
pub struct Not {
    /// Source span.
    pub span: Span,
    /// `bool`, with the operand's lanes.
    pub dtype: DataType,
    /// The operand.
    pub a: Expr,
}

impl Not {
    fn check(&self) -> Checked {
        let dtype = bool_type("not", &self.a).map_err(|error| Invalid::at("a", error))?;
        has_dtype(self.dtype, dtype)
    }

    /// Constructs the node. Never folds.
    /// # Errors
    /// If the operand is not bool.
    pub fn try_new(a: Expr) -> PrimResult<Expr> {
        let dtype = bool_type("not", &a)?;
        Ok(Ref::new(Not { span: Span::current(), dtype, a }).upcast())
    }
}

/// One of two values, both of which are evaluated.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.Select", parent = PrimExpr, check = Select::check)]
pub struct Select {
    /// Source span.
    pub span: Span,
    /// The values' type.
    pub dtype: DataType,
    /// The condition, per lane or for all lanes.
    pub condition: Expr,
    /// The value if the condition holds.
    pub true_value: Expr,
    /// The value if it does not hold.
    pub false_value: Expr,
}

impl Select {
    /// Constructs the node. Never folds.
    /// # Errors
    /// If the condition is not bool with one lane or the values' lanes, or the values' types differ.
    pub fn try_new(condition: Expr, true_value: Expr, false_value: Expr) -> PrimResult<Expr> {
        let dtype = Select::dtype_of(&condition, &true_value, &false_value)?;
        Ok(Ref::new(Select { span: Span::current(), dtype, condition, true_value, false_value }).upcast())
    }

    fn check(&self) -> Checked {
        let dtype = Select::dtype_of(&self.condition, &self.true_value, &self.false_value);
        has_dtype(self.dtype, dtype.map_err(|error| Invalid::at("condition", error))?)
    }

    fn dtype_of(condition: &Expr, true_value: &Expr, false_value: &Expr) -> PrimResult<DataType> {
        let cond = bool_type("Select", condition)?;
        let (dtype, right) = (true_value.dtype(), false_value.dtype());
        if cond.lanes != dtype.lanes && cond.lanes != 1 {
            return Err(PrimError::Lanes { op: "Select", left: cond, right: dtype });
        }
        if dtype != right {
            return Err(PrimError::MismatchedTypes { left: dtype, right });
        }
        Ok(dtype)
    }
}
