//! Masked accesses: `T.masked_load("float32x4", A, T.Ramp(0, 1, 4), mask)`, where older releases have `predicate=`.

use tvmscript_ir_core::{Array, DataType};
use tvmscript_irbuilder::{BuildError, BuildResult, ScriptValue, script_fn};
use tvmscript_prim::{Expr, PrimExprExt as _};
use tvmscript_tir::build::args::{ExprArg, NodeArg};
use tvmscript_tir::build::stmt;
use tvmscript_tir::{Buffer, BufferLoad};

/// Loads the elements for which a mask holds. The mask follows the indices.
#[script_fn]
pub fn masked_load(
    dtype: DataType,
    buffer: NodeArg<Buffer>,
    #[args] indices_and_mask: Vec<ExprArg>,
) -> BuildResult<ScriptValue> {
    let (indices, mask) = split(indices_and_mask)?;
    let load = BufferLoad::try_new(buffer.0, indices, Some(mask))?;
    let found = load.dtype();
    match found == dtype {
        true => Ok(load.into()),
        false => {
            let found = format!("elements of type `{found}`");
            Err(BuildError::expected(format!("a load of type `{dtype}`"), found).at_position(0))
        }
    }
}

/// Stores the elements for which a mask holds. The mask follows the indices.
#[script_fn]
pub fn masked_store(
    buffer: NodeArg<Buffer>,
    value: ExprArg,
    #[args] indices_and_mask: Vec<ExprArg>,
) -> BuildResult<()> {
    let (indices, mask) = split(indices_and_mask)?;
    stmt::store(&buffer.0, value.0, indices, Some(mask))?;
    Ok(())
}

fn split(indices_and_mask: Vec<ExprArg>) -> BuildResult<(Array<Expr>, Expr)> {
    let mut exprs: Vec<Expr> = indices_and_mask.into_iter().map(|arg| arg.0).collect();
    let mask = exprs.pop().ok_or_else(|| BuildError::expected("a mask", "no further argument"))?;
    Ok((Array::new(exprs), mask))
}
