//! `R.reshape`: the same elements in another shape.

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::Ref;
use tvmscript_ir_macros::operators;
#[cfg(feature = "build")]
use tvmscript_irbuilder::{BuildError, Result};
use tvmscript_prim::{self as prim, IntImm, PrimExprExt, ops};

use super::Inferred;
#[cfg(feature = "build")]
use crate::build::args::ExprArg;
#[cfg(feature = "build")]
use crate::build::operator_args::NewShapeArg;
use crate::node::*;
use crate::op::{Infer, Operator, product, tensor_of_operand};

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// The same elements in another shape.
    reshape(x: ExprArg, shape: NewShapeArg) -> infer(reshaped) {
        let shape = match shape.0.as_node::<ShapeExpr>() {
            Some(stated) => {
                let completed = completed(&x.0, stated).map_err(|e| e.at_position(1))?;
                completed.map_or_else(|| shape.0.clone(), |shape| shape.upcast())
            }
            None => shape.0,
        };
        Ok(Call::of_op("relax.reshape", [x.0, shape], None))
    }
}

/// The shape with lengths in place of 0 and -1. None where it has neither.
///
/// # Source
/// `ConvertNewShapeToExpr`, `src/relax/op/tensor/manipulate.cc`.
#[cfg(feature = "build")]
fn completed(x: &Expr, shape: &ShapeExpr) -> Result<Option<Ref<ShapeExpr>>> {
    let literal = |dim: &prim::Expr| dim.as_node::<IntImm>().map(|dim| dim.value);
    let mut rest = None;
    let mut has_zero = false;
    for (i, dim) in shape.values.iter().enumerate() {
        if !dim.dtype().is_int() {
            return Err(BuildError::expected("integers", format!("`{}`", dim.dtype())));
        }
        match literal(dim) {
            Some(0) => has_zero = true,
            Some(-1) if rest.is_some() => return Err(BuildError::message("a shape has at most one -1")),
            Some(-1) => rest = Some(i),
            Some(length) if length < 0 => {
                return Err(BuildError::message(format!("a dimension is positive, 0 or -1, not {length}")));
            }
            _ => {}
        }
    }
    if rest.is_none() && !has_zero {
        return Ok(None);
    }
    let info = struct_info_of(x);
    let known = info.as_ref().and_then(|info| info.as_node::<TensorStructInfo>()?.known_dims());
    let Some(known) = known else {
        return Err(BuildError::message(
            "the shape of the tensor is not known, so 0 and -1 stand for nothing",
        )
        .with_help("bind the tensor to a variable, or state its shape by `R.match_cast`"));
    };
    let mut dims: Vec<_> = shape.values.iter().cloned().collect();
    for (i, dim) in dims.iter_mut().enumerate().filter(|(_, dim)| literal(dim) == Some(0)) {
        match known.get(i) {
            Some(length) => *dim = length.clone(),
            None => {
                let message = format!("0 stands for the length of axis {i}, but the rank is {}", known.len());
                return Err(BuildError::message(message));
            }
        }
    }
    if let Some(rest) = rest {
        let given = product(dims.iter().filter(|dim| literal(dim).is_none_or(|length| length > 0)))?;
        let all = product(known.iter())?;
        dims[rest] = Analyzer::new().simplify(&ops::floordiv(all, given)?);
    }
    Ok(Some(ShapeExpr::try_new(dims)?))
}

fn reshaped(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(2)?;
    let (x, shape) = (cx.tensor(0)?, cx.shape(1)?);
    if let (Some(new), Some(old)) = (&shape.values, x.known_dims()) {
        let (new, old) = (product(new.iter())?, product(old.iter())?);
        if cx.differ(&old, &new)? {
            let (old, new) = (crate::describe::scalar(&old), crate::describe::scalar(&new));
            return Err(cx.wrong_shape_at(1, format!("{old} elements do not fill a shape of {new}")));
        }
    }
    match &shape.values {
        Some(dims) if cx.arg(1)?.is::<Var>() => Ok(x.reshaped(dims.iter().cloned())),
        _ => tensor_of_operand(cx, 1, x.dtype, x.vdevice.clone()),
    }
}
