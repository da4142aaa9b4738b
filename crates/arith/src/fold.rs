//! Folding constructors: `prim`'s, with the errors of this crate.

use tvmscript_ir_core::DataType;
use tvmscript_prim::ops;

use crate::error::{Result, Stop};
use crate::expr::{self, BinOp, Expr};

/// `a op b` with constants computed and neutral operands dropped. Operands of different types are matched as the
/// operators of scripts match them.
pub(crate) fn fold(op: BinOp, a: Expr, b: Expr) -> Result<Expr> {
    if expr::dtype(&a) != expr::dtype(&b) {
        return ops::binary(op, a, b).map_err(Stop::Constant);
    }
    match ops::fold::fold(op, &a, &b).map_err(Stop::Constant)? {
        Some(folded) => Ok(folded.pick(a, b)),
        None => expr::strict(op, a, b),
    }
}

/// What `a op b` folds to, for operands of one type.
pub(crate) fn try_fold(op: BinOp, a: &Expr, b: &Expr) -> Result<Option<Expr>> {
    let folded = ops::fold::fold(op, a, b).map_err(Stop::Constant)?;
    Ok(folded.map(|folded| folded.pick(a.clone(), b.clone())))
}

/// `value` converted to `dtype`, where constants convert themselves.
pub(crate) fn cast(dtype: DataType, value: Expr) -> Result<Expr> {
    ops::cast(dtype, value).map_err(Stop::Constant)
}
