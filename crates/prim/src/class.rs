//! The class of scalar and vector expressions, and what every one of them answers.

use crate::BaseExpr;
use tvmscript_ir_core::{Class, DataType, Ref, SubclassOf};

/// A scalar or vector expression (`ir.PrimExpr`). Abstract: see [`crate::ExprKind`] for the known nodes.
#[derive(Class)]
#[class(key = "ir.PrimExpr", parent = BaseExpr)]
pub struct PrimExpr(());

/// A handle to an expression.
pub type Expr = Ref<PrimExpr>;

/// What every expression answers.
pub trait PrimExprExt {
    /// The type of the value.
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

/// Classes that are expressions. Open: a third-party expression node implements it through its parent class.
pub trait IsPrim: Class {}
impl IsPrim for PrimExpr {}
impl<T: SubclassOf<PrimExpr>> IsPrim for T {}
