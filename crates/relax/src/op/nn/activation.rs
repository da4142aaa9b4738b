//! Functions applied element by element, or along one axis, that keep the shape.
//!
//! Upstream counterpart: `src/relax/op/nn/nn.cc`.

use tvmscript_ir_core::Ref;
use tvmscript_irbuilder::{Result, script_fn};
use tvmscript_prim::IntImm;

use super::super::elementwise::{check_float, same_as_float, same_as_operand};
use super::super::{Infer, Operator, plain_operators};
use super::{Inferred, check_ieee_float};
use crate::build::args::ExprArg;
use crate::node::attrs::{DropoutAttrs, LeakyReluAttrs, PReluAttrs, SoftmaxAttrs, SoftplusAttrs};
use crate::node::*;

plain_operators! { PLAIN;
    /// The Gaussian error linear unit.
    gelu GELU "nn.gelu" (data) same_as_float;
    /// The Gaussian error linear unit, approximated by the hyperbolic tangent.
    gelu_tanh GELU_TANH "nn.gelu_tanh" (data) same_as_float;
    /// The rectified linear unit: negative values become zero.
    relu RELU "nn.relu" (data) same_as_operand;
    /// The scaled exponential linear unit.
    selu SELU "nn.selu" (data) same_as_float;
    /// The sigmoid linear unit: the value times its logistic function.
    silu SILU "nn.silu" (data) same_as_float;
}

/// The rectified linear unit, at most 6.
#[script_fn(name = "nn.relu6")]
pub fn relu6(data: ExprArg) -> Result<Ref<Call>> {
    let bound = |value| PrimValue::new(IntImm::int64(value)).upcast();
    Ok(Call::of_op("relax.clip", [data.0, bound(0), bound(6)], None))
}

/// The rectified linear unit that keeps a part of negative values.
#[script_fn(name = "nn.leakyrelu")]
pub fn leakyrelu(data: ExprArg, #[default = 0.01] alpha: f64) -> Result<Ref<Call>> {
    let attrs = Ref::new(LeakyReluAttrs { alpha }).upcast();
    Ok(Call::of_op("relax.nn.leakyrelu", [data.0], Some(attrs)))
}

/// The rectified linear unit that keeps a part of negative values, which part depends on the channel.
#[script_fn(name = "nn.prelu")]
pub fn prelu(data: ExprArg, alpha: ExprArg, #[default = 1] axis: i64) -> Result<Ref<Call>> {
    let attrs = Ref::new(PReluAttrs { axis }).upcast();
    Ok(Call::of_op("relax.nn.prelu", [data.0, alpha.0], Some(attrs)))
}

/// A smooth form of the rectified linear unit.
#[script_fn(name = "nn.softplus")]
pub fn softplus(
    data: ExprArg,
    #[default = 1.0] beta: f64,
    #[default = 20.0] threshold: f64,
) -> Result<Ref<Call>> {
    let attrs = Ref::new(SoftplusAttrs { beta, threshold }).upcast();
    Ok(Call::of_op("relax.nn.softplus", [data.0], Some(attrs)))
}

/// The exponentials, divided by their sum along an axis.
#[script_fn(name = "nn.softmax")]
pub fn softmax(data: ExprArg, #[default = -1] axis: i64) -> Result<Ref<Call>> {
    let attrs = Ref::new(SoftmaxAttrs { axis }).upcast();
    Ok(Call::of_op("relax.nn.softmax", [data.0], Some(attrs)))
}

/// The logarithm of the softmax.
#[script_fn(name = "nn.log_softmax")]
pub fn log_softmax(data: ExprArg, #[default = -1] axis: i64) -> Result<Ref<Call>> {
    let attrs = Ref::new(SoftmaxAttrs { axis }).upcast();
    Ok(Call::of_op("relax.nn.log_softmax", [data.0], Some(attrs)))
}

/// The tensor with some elements set to zero by chance, and the mask of those that are not.
#[script_fn(name = "nn.dropout")]
pub fn dropout(data: ExprArg, #[default = 0.5] rate: f64) -> Result<Ref<Call>> {
    let attrs = Ref::new(DropoutAttrs { rate }).upcast();
    Ok(Call::of_op("relax.nn.dropout", [data.0], Some(attrs)))
}

/// Operators with attributes.
pub static OPERATORS: &[Operator] = &[
    Operator::new("relax.nn.dropout", &DROPOUT, twice),
    Operator::new("relax.nn.leakyrelu", &LEAKYRELU, same_as_float),
    Operator::new("relax.nn.log_softmax", &LOG_SOFTMAX, along_axis),
    Operator::new("relax.nn.prelu", &PRELU, along_channels),
    Operator::new("relax.nn.softmax", &SOFTMAX, along_axis),
    Operator::new("relax.nn.softplus", &SOFTPLUS, same_as_float),
];

/// Functions that stand for a call of another operator.
pub static FUNCTIONS: &[&tvmscript_irbuilder::ScriptFn] = &[&RELU6];

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
