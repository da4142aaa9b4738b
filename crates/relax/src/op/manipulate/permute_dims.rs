//! `R.permute_dims`: axes in another order.

use tvmscript_ir_core::{Array, Ref};
use tvmscript_ir_macros::operators;
use tvmscript_prim::IntImm;

use super::Inferred;
#[cfg(feature = "build")]
use crate::build::args::{ExprArg, IntListArg};
use crate::node::attrs::PermuteDimsAttrs;
use crate::node::*;
use crate::op::{Infer, InferErrorKind, Operator};

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// The tensor with its axes in this order; reversed where none is given.
    permute_dims(x: ExprArg, axes: Option<IntListArg> = None) -> infer(reordered) {
        Ok(permuted(x.0, axes.map(|axes| axes.0)))
    }
}

/// The call.
pub(in crate::op) fn permuted(x: Expr, axes: Option<Array<Ref<IntImm>>>) -> Ref<Call> {
    let attrs = Ref::new(PermuteDimsAttrs { axes }).upcast();
    Call::of_op("relax.permute_dims", [x], Some(attrs))
}

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
