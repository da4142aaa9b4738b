//! `R.permute_dims`: axes in another order.

use tvmscript_ir_core::{Array, Ref};
use tvmscript_irbuilder::{Result, script_fn};
use tvmscript_prim::IntImm;

use super::Inferred;
use crate::build::args::{ExprArg, IntListArg};
use crate::node::attrs::PermuteDimsAttrs;
use crate::node::*;
use crate::op::{Infer, InferErrorKind, Operator};

/// The tensor with its axes in this order; reversed where none is given.
#[script_fn]
pub fn permute_dims(x: ExprArg, #[default = None] axes: Option<IntListArg>) -> Result<Ref<Call>> {
    Ok(permuted(x.0, axes.map(|axes| axes.0)))
}

/// The call.
pub(in crate::op) fn permuted(x: Expr, axes: Option<Array<Ref<IntImm>>>) -> Ref<Call> {
    let attrs = Ref::new(PermuteDimsAttrs { axes }).upcast();
    Call::of_op("relax.permute_dims", [x], Some(attrs))
}

/// The operator.
pub static OPERATORS: &[Operator] = &[Operator::new("relax.permute_dims", &PERMUTE_DIMS, reordered)];

fn reordered(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let axes = match &cx.attrs::<PermuteDimsAttrs>()?.axes {
        None if x.is_unknown_ndim() => return Ok(x.reranked(UNKNOWN_NDIM)),
        None => (0..x.ndim as usize).rev().collect(),
        Some(axes) => {
            if x.ndim != axes.len() as i64 {
                let expected = format!("rank {}", axes.len());
                return Err(InferErrorKind::Rank { op: cx.op(), expected, found: x.ndim }.at(0));
            }
            cx.axes(axes, x.ndim)?
        }
    };
    if axes.iter().enumerate().all(|(i, axis)| i == *axis) {
        return Ok(x.upcast());
    }
    Ok(match x.dims() {
        Some(dims) => x.reshaped(axes.into_iter().map(|axis| dims[axis].clone())),
        None => x.reranked(x.ndim),
    })
}
