//! Activation functions and dropout.
//!
//! Upstream counterpart: `src/relax/op/nn/nn.cc`.

use super::check_ieee_float;
use crate::node::attrs::{DropoutAttrs, LeakyReluAttrs, PReluAttrs, SoftmaxAttrs, SoftplusAttrs};
use crate::op::elementwise::{CLIP, check_float, same_as_float, same_as_operand};
use crate::op::prelude::*;

operators! {
    /// The Gaussian error linear unit.
    gelu(data: Expr) -> infer(same_as_float), text = "nn.gelu", sharding = Sharding::SameAsOperand;
    /// The Gaussian error linear unit, approximated by the hyperbolic tangent.
    gelu_tanh(data: Expr) -> infer(same_as_float), text = "nn.gelu_tanh", sharding = Sharding::SameAsOperand;
    /// The rectified linear unit: zero for negative values.
    relu(data: Expr) -> infer(same_as_operand), text = "nn.relu", sharding = Sharding::SameAsOperand;
    /// The scaled exponential linear unit.
    selu(data: Expr) -> infer(same_as_float), text = "nn.selu";
    /// The sigmoid linear unit: the value times its logistic function.
    silu(data: Expr) -> infer(same_as_float), text = "nn.silu", sharding = Sharding::SameAsOperand;
    /// The rectified linear unit, at most 6.
    fn relu6(data: Expr) = |data| {
        let bound = |value| PrimValue::new(IntImm::int64(value)).upcast();
        CLIP.call(None, [data, bound(0), bound(6)])
    }, text = "nn.relu6";
    /// The rectified linear unit that scales negative values.
    leakyrelu(data: Expr; alpha: f64 = 0.01)
        -> infer(same_as_float), text = "nn.leakyrelu", attrs = LeakyReluAttrs;
    /// The rectified linear unit that scales negative values by a factor per channel.
    prelu(data: Expr, alpha: Expr; axis: i64 = 1)
        -> infer(along_channels), text = "nn.prelu", attrs = PReluAttrs;
    /// A smooth approximation of the rectified linear unit.
    softplus(data: Expr; beta: f64 = 1.0, threshold: f64 = 20.0)
        -> infer(same_as_float), text = "nn.softplus", attrs = SoftplusAttrs;
    /// The exponentials, divided by their sum along an axis.
    softmax(data: Expr; axis: i64 = -1)
        -> infer(along_axis), text = "nn.softmax", attrs = SoftmaxAttrs, sharding = Sharding::Reduced;
    /// The logarithm of the softmax.
    log_softmax(data: Expr; axis: i64 = -1)
        -> infer(along_axis), text = "nn.log_softmax", attrs = SoftmaxAttrs;
    /// The tensor with random elements set to zero, and the mask of the others.
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
