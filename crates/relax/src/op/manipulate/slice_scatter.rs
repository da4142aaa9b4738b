//! `R.slice_scatter`: a slice of a tensor, written.

use tvmscript_ir_core::Ref;
use tvmscript_ir_macros::operators;
use tvmscript_prim::{self as prim, IntImm, PrimExprExt, ops};

use super::Inferred;
use super::scatter::expect_dtype_of;
#[cfg(feature = "build")]
use crate::build::args::{ExprArg, IntArg, PrimValueArg};
use crate::node::attrs::SliceScatterAttrs;
use crate::node::*;
use crate::op::{Infer, InferError, Operator};

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// The tensor with another one in place of a slice along an axis.
    slice_scatter(
        input_tensor: ExprArg, src: ExprArg, start: PrimValueArg, end: PrimValueArg, step: PrimValueArg,
        axis: IntArg = 0
    ) -> infer(with_slice) {
        let attrs = Ref::new(SliceScatterAttrs { axis: axis.0 }).upcast();
        let args = [input_tensor.0, src.0, start.0.upcast(), end.0.upcast(), step.0.upcast()];
        Ok(Call::of_op("relax.slice_scatter", args, Some(attrs)))
    }
}

fn integer<'a>(cx: &Infer<'a>, index: usize) -> std::result::Result<&'a prim::Expr, InferError> {
    let value = cx.prim_value(index)?;
    match value.dtype() {
        dtype if dtype.is_int() || dtype.is_uint() => Ok(value),
        dtype => Err(cx.wrong_dtype(index, "an integer", dtype)),
    }
}

fn with_slice(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(5)?;
    let (data, src) = (cx.tensor(0)?, cx.tensor(1)?);
    if data.is_unknown_ndim() {
        return Ok(data.reranked(UNKNOWN_NDIM));
    }
    let axis = cx.axis(cx.attrs::<SliceScatterAttrs>()?.axis, data.ndim)?;
    cx.expect_rank(1, &src, data.ndim)?;
    expect_dtype_of(cx, 1, &src, &data)?;
    let (start, end, step) = (integer(cx, 2)?, integer(cx, 3)?, integer(cx, 4)?);
    if cx.analyzer.can_prove(&ops::lt(step.clone(), IntImm::int32(1))?) {
        return Err(cx.wrong_shape_at(4, "the step is at least 1"));
    }
    if cx.analyzer.can_prove(&ops::lt(end.clone(), start.clone())?) {
        return Err(cx.wrong_shape_at(3, "the slice ends before it starts"));
    }
    if let (Some(a), Some(b)) = (data.dims(), src.dims()) {
        let length = ops::add(ops::sub(end.clone(), start.clone())?, step.clone())?;
        let length = ops::floordiv(ops::sub(length, IntImm::int32(1))?, step.clone())?;
        for (i, (a, b)) in a.iter().zip(b.iter()).enumerate() {
            let expected = if i == axis { &length } else { a };
            if cx.differ(expected, b)? {
                let (expected, b) = (crate::describe::scalar(expected), crate::describe::scalar(b));
                return Err(cx.wrong_shape_at(1, format!("axis {i} is of length {expected}, not {b}")));
            }
        }
    }
    Ok(data.upcast())
}
