//! Functions applied element by element, or along one axis, that keep the shape.
//!
//! Upstream counterpart: `src/relax/op/nn/nn.cc`.

use tvmscript_ir_core::Ref;
use tvmscript_ir_macros::operators;
use tvmscript_prim::IntImm;

use super::super::elementwise::{check_float, same_as_float, same_as_operand};
use super::super::{Infer, Operator};
use super::{Inferred, check_ieee_float};
#[cfg(feature = "build")]
use crate::build::args::ExprArg;
use crate::node::attrs::{DropoutAttrs, LeakyReluAttrs, PReluAttrs, SoftmaxAttrs, SoftplusAttrs};
use crate::node::*;

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// The Gaussian error linear unit.
    gelu(data: Expr) -> infer(same_as_float), text = "nn.gelu";
    /// The Gaussian error linear unit, approximated by the hyperbolic tangent.
    gelu_tanh(data: Expr) -> infer(same_as_float), text = "nn.gelu_tanh";
    /// The rectified linear unit: negative values become zero.
    relu(data: Expr) -> infer(same_as_operand), text = "nn.relu";
    /// The scaled exponential linear unit.
    selu(data: Expr) -> infer(same_as_float), text = "nn.selu";
    /// The sigmoid linear unit: the value times its logistic function.
    silu(data: Expr) -> infer(same_as_float), text = "nn.silu";
    /// The rectified linear unit, at most 6.
    fn relu6(data: ExprArg), text = "nn.relu6" {
        let bound = |value| PrimValue::new(IntImm::int64(value)).upcast();
        Ok(Call::of_op("relax.clip", [data.0, bound(0), bound(6)], None))
    }
    /// The rectified linear unit that keeps a part of negative values.
    leakyrelu(data: Expr; alpha: f64 = 0.01)
        -> infer(same_as_float), text = "nn.leakyrelu", attrs = LeakyReluAttrs;
    /// The rectified linear unit that keeps a part of negative values, which part depends on the channel.
    prelu(data: Expr, alpha: Expr; axis: i64 = 1)
        -> infer(along_channels), text = "nn.prelu", attrs = PReluAttrs;
    /// A smooth form of the rectified linear unit.
    softplus(data: Expr; beta: f64 = 1.0, threshold: f64 = 20.0)
        -> infer(same_as_float), text = "nn.softplus", attrs = SoftplusAttrs;
    /// The exponentials, divided by their sum along an axis.
    softmax(data: Expr; axis: i64 = -1) -> infer(along_axis), text = "nn.softmax", attrs = SoftmaxAttrs;
    /// The logarithm of the softmax.
    log_softmax(data: Expr; axis: i64 = -1)
        -> infer(along_axis), text = "nn.log_softmax", attrs = SoftmaxAttrs;
    /// The tensor with some elements set to zero by chance, and the mask of those that are not.
    dropout(data: Expr; rate: f64 = 0.5) -> infer(twice), text = "nn.dropout", attrs = DropoutAttrs;
}

fn along_axis(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    if !x.is_unknown_ndim() {
        check_float(cx, 0, &x)?;
        cx.axis(cx.attrs::<SoftmaxAttrs>()?.axis, x.ndim)?;
    }
    Ok(x.upcast())
}

fn along_channels(cx: &mut Infer<'_>) -> Inferred {
    let [x, _] = cx.tensors()?;
    if !x.is_unknown_ndim() {
        check_ieee_float(cx, 0, &x)?;
        cx.axis(cx.attrs::<PReluAttrs>()?.axis, x.ndim)?;
    }
    Ok(x.upcast())
}

fn twice(cx: &mut Infer<'_>) -> Inferred {
    let x = same_as_operand(cx)?;
    Ok(TupleStructInfo::new([x.clone(), x]))
}
