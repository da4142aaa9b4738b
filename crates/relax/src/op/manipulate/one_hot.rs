//! `R.one_hot`: indices as vectors of two values.
//!
//! Upstream counterpart: `src/relax/op/tensor/manipulate.cc`.

use tvmscript_ir_core::Ref;
use tvmscript_ir_macros::operators;
#[cfg(feature = "build")]
use tvmscript_irbuilder::{BuildError, Result};
use tvmscript_prim::{IntImm, PrimExprExt};

use super::Inferred;
#[cfg(feature = "build")]
use crate::build::args::{ExprArg, IntArg};
use crate::node::attrs::OneHotAttrs;
use crate::node::*;
use crate::op::{Infer, InferErrorKind, Operator, tensor_of, tensor_of_rank};

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// For every index a vector that has `on_value` there and `off_value` elsewhere.
    one_hot(
        indices: ExprArg, on_value: ExprArg, off_value: ExprArg, depth: IntArg, axis: IntArg = -1
    ) -> infer(with_classes) {
        let (on, off) = (value_of(&on_value.0, 1)?.dtype(), value_of(&off_value.0, 2)?.dtype());
        if on != off {
            return Err(BuildError::message(format!(
                "`R.one_hot` takes two values of one type, not `{on}` and `{off}`"
            ))
            .at_position(2));
        }
        if depth.0 <= 0 {
            return Err(BuildError::message(format!(
                "there are {} classes, but at least one is needed",
                depth.0
            ))
            .at_position(3));
        }
        let attrs = Ref::new(OneHotAttrs { depth: depth.0, axis: axis.0 }).upcast();
        Ok(Call::of_op("relax.one_hot", [indices.0, on_value.0, off_value.0], Some(attrs)))
    }
}

#[cfg(feature = "build")]
fn value_of(value: &Expr, index: usize) -> Result<&tvmscript_prim::Expr> {
    match value.as_node::<PrimValue>() {
        Some(prim) => Ok(&prim.value),
        None => {
            Err(BuildError::expected("`R.prim_value(..)`", value.object().info().key()).at_position(index))
        }
    }
}

fn with_classes(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(3)?;
    let indices = cx.tensor(0)?;
    let (dtype, off) = (cx.prim_value(1)?.dtype(), cx.prim_value(2)?.dtype());
    if dtype != off {
        let expected = format!("two values of one type, so `{dtype}`");
        return Err(InferErrorKind::Dtype { op: cx.op(), expected, found: off }.at(2));
    }
    cx.expect_integers(0, &indices)?;
    let vdevice = indices.vdevice.clone();
    if indices.is_unknown_ndim() {
        return Ok(tensor_of_rank(UNKNOWN_NDIM, dtype, vdevice));
    }
    let Some(dims) = indices.dims() else {
        return Ok(tensor_of_rank(indices.ndim + 1, dtype, vdevice));
    };
    let attrs = cx.attrs::<OneHotAttrs>()?;
    let axis = cx.axis(attrs.axis, indices.ndim + 1)?;
    let mut dims: Vec<_> = dims.iter().cloned().collect();
    dims.insert(axis, IntImm::int64(attrs.depth));
    Ok(tensor_of(dims, dtype, vdevice))
}
