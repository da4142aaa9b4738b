//! `R.take`: elements at indices along an axis.

use tvmscript_ir_core::{Ref, Str};
use tvmscript_ir_macros::operators;

use super::Inferred;
use crate::node::attrs::TakeAttrs;
use crate::node::*;
use crate::op::Int;
use crate::op::{Infer, InferErrorKind, Operator};

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// The elements at indices along an axis; what indices outside mean is said by the mode: `fast` (nothing), `wrap`, `clip`, `nan`.
    take(x: Expr, indices: Expr; axis: Option<Int> = None, mode: Str = "fast")
        -> infer(taken), attrs = TakeAttrs;
}

fn taken(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(2)?;
    let x = cx.tensor(0)?;
    // A scalar is an index as a tensor of rank 0 is.
    let info = cx.info(1)?;
    let indices = match info.as_node::<PrimStructInfo>() {
        Some(prim) => TensorStructInfo::of_shape(ShapeExpr::of([].into_iter().collect()), prim.dtype, None),
        None => info.downcast().map_err(|_| cx.wrong_kind(1, "a tensor or a scalar"))?,
    };
    cx.expect_integers(1, &indices)?;
    let axis = cx.attrs::<TakeAttrs>()?.axis;
    if axis.is_none() && x.ndim != 1 {
        let expected = "rank 1 (no axis is given)".to_owned();
        return Err(InferErrorKind::Rank { op: cx.op(), expected, found: x.ndim }.at(0));
    }
    if x.is_unknown_ndim() || indices.is_unknown_ndim() {
        return Ok(x.reranked(UNKNOWN_NDIM));
    }
    let axis = cx.axis(axis.unwrap_or(0), x.ndim)?;
    let (Some(dims), Some(places)) = (x.dims(), indices.dims()) else {
        return Ok(x.reranked(indices.ndim + x.ndim - 1));
    };
    let (before, after) = (dims.iter().take(axis), dims.iter().skip(axis + 1));
    Ok(x.reshaped(before.chain(places.iter()).chain(after).cloned()))
}
