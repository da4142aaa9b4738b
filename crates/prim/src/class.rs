//! The class of scalar and vector expressions.

use crate::BaseExpr;
use tvmscript_ir_core::{Class, DataType, Ref, SubclassOf};

/// A scalar or vector expression (`ir.PrimExpr`). Abstract: see [`crate::ExprKind`] for the known nodes.
#[derive(Class)]
#[class(key = "ir.PrimExpr", parent = BaseExpr)]
pub struct PrimExpr(());

/// A handle to an expression.
pub type Expr = Ref<PrimExpr>;

/// Properties common to all expressions.
pub trait PrimExprExt {
    /// The data type of the value.
    fn dtype(&self) -> DataType;
}

impl<T: Class> PrimExprExt for Ref<T>
where
    T: IsPrim,
{
    #[inline]
    fn dtype(&self) -> DataType {
        self.object().dtype()
    }
}

/// Classes of expressions. Open: third-party nodes implement it through their parent class.
pub trait IsPrim: Class {}
impl IsPrim for PrimExpr {}
impl<T: SubclassOf<PrimExpr>> IsPrim for T {}
