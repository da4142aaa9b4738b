//! Activations, also those that are fused into other operators.

use tvmscript_relax::Expr;
use tvmscript_relax::op::elementwise::{add, clip, divide, erf, exp, multiply, sigmoid, subtract, tanh};
use tvmscript_relax::op::nn::activation::{leakyrelu, log_softmax, prelu, relu, softmax};
use tvmscript_relax::op::shape::broadcast_to;

use super::super::node::{Converted, Node, dtype_of, quantization};
use super::super::schema::{Gelu, LeakyRelu, Softmax};
use super::elementwise::unary;
use super::rows;
use crate::error::Reason;
use crate::ops::{float_operand, int_operand, number, reshape, shape};

rows! {
    "ELU": Real elu => "exp, subtract, nn.relu, multiply, add";
    "GELU": Real gelu => "erf, multiply, add";
    "HARD_SWISH": Real hard_swish => "add, clip, multiply, divide";
    "LEAKY_RELU": Real |cx| {
        let alpha = cx.float(LeakyRelu::Alpha, 0.0)?;
        Ok(leakyrelu(cx.input(0)?, alpha).into())
    } => "nn.leakyrelu";
    "LOGISTIC": Real |cx| unary(cx, sigmoid) => "sigmoid";
    "LOG_SOFTMAX": Real |cx| Ok(log_softmax(cx.input(0)?, -1).into()) => "nn.log_softmax";
    "PRELU": Real prelu_of_each => "broadcast_to, reshape, nn.prelu";
    "RELU": Real |cx| unary(cx, relu) => "nn.relu";
    "RELU6": Real |cx| clipped(cx, 0, 6) => "clip";
    "RELU_0_TO_1": Real |cx| clipped(cx, 0, 1) => "clip";
    "RELU_N1_TO_1": Real |cx| clipped(cx, -1, 1) => "clip";
    "SOFTMAX": Real scaled_softmax => "nn.softmax";
}

/// The activations that other operators name.
const NONE: i8 = 0;
const RELU: i8 = 1;
const RELU_N1_TO_1: i8 = 2;
const RELU6: i8 = 3;
const TANH: i8 = 4;

/// A value after a fused activation.
pub(super) fn fused(x: Expr, activation: i8) -> Result<Expr, Reason> {
    let clipped = |x, low, high| clip(x, int_operand(low), int_operand(high)).upcast();
    Ok(match activation {
        NONE => x,
        RELU => relu(x).upcast(),
        RELU_N1_TO_1 => clipped(x, -1, 1),
        RELU6 => clipped(x, 0, 6),
        TANH => tanh(x).upcast(),
        number => return Err(Reason(format!("the fused activation number {number} is not supported"))),
    })
}

/// The result of an operator on stored elements: real elements are quantized if the result is, then comes the activation,
/// on stored elements.
pub(super) fn fused_after(cx: &mut Node<'_, '_>, real: Expr, activation: i8) -> Result<Expr, Reason> {
    let stored = cx.quantized(0, real)?;
    fused_stored(cx, stored, activation)
}

/// A stored result after a fused activation.
pub(super) fn fused_stored(cx: &mut Node<'_, '_>, stored: Expr, activation: i8) -> Result<Expr, Reason> {
    let tensor = cx.output(0)?;
    let Some(quantization) = quantization(tensor) else { return fused(stored, activation) };
    let (Some(scale), Some(zero_point)) = (quantization.scales.first(), quantization.zero_points.first())
    else {
        return fused(stored, activation);
    };
    let (scale, zero_point) = (f64::from(*scale), *zero_point as f64);
    let dtype = dtype_of(tensor)?;
    let bits = i32::from(dtype.bits);
    let (low, high) = match dtype.is_int() {
        true => (-(2f64.powi(bits - 1)), 2f64.powi(bits - 1) - 1.0),
        false => (0.0, 2f64.powi(bits) - 1.0),
    };
    let place = |value: f64| (value / scale).round_ties_even() + zero_point;
    let clipped = |bounds: (f64, f64)| {
        Ok(clip(stored.clone(), float_operand(bounds.0), float_operand(bounds.1)).upcast())
    };
    match activation {
        NONE => Ok(stored),
        RELU => clipped((low.max(place(0.0)), high)),
        RELU_N1_TO_1 => clipped((low.max(place(-1.0)), high.min(place(1.0)))),
        RELU6 => clipped((low.max(place(0.0)), high.min(place(6.0)))),
        number => Err(Reason(format!(
            "the fused activation number {number} of quantized elements is not supported"
        ))),
    }
}

fn clipped(cx: &mut Node<'_, '_>, low: i64, high: i64) -> Converted {
    Ok(clip(cx.input(0)?, int_operand(low), int_operand(high)).into())
}

fn elu(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let dtype = real_dtype(cx)?;
    let below = relu(subtract(number(dtype, 1.0), exp(x.clone()).upcast()).upcast());
    let below = multiply(number(dtype, -1.0), below.upcast());
    Ok(add(below.upcast(), relu(x).upcast()).into())
}

/// The element type of the first operand as a converter sees it.
pub(super) fn real_dtype(cx: &Node<'_, '_>) -> Result<tvmscript_ir_core::DataType, Reason> {
    let tensor = cx.tensor(0)?;
    match quantization(tensor) {
        Some(_) => Ok(tvmscript_ir_core::DataType::FLOAT32),
        None => dtype_of(tensor),
    }
}

fn gelu(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    if cx.flag(Gelu::Approximate)? {
        cx.warn(
            "is computed with the error function, as TVM's importer does; TFLite approximates it with `tanh`",
        );
    }
    let dtype = real_dtype(cx)?;
    let root = number(dtype, 0.5f64.sqrt());
    let erf = erf(multiply(x.clone(), root).upcast());
    let half = multiply(erf.upcast(), number(dtype, 0.5));
    Ok(multiply(x, add(number(dtype, 0.5), half.upcast()).upcast()).into())
}

fn hard_swish(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let dtype = real_dtype(cx)?;
    let gate = clip(add(x.clone(), number(dtype, 3.0)).upcast(), float_operand(0.0), float_operand(6.0));
    Ok(divide(multiply(x, gate.upcast()).upcast(), number(dtype, 6.0)).into())
}

/// Number of elements of a shape.
pub(super) fn count_of(lengths: &[i64]) -> Result<i64, Reason> {
    let count = lengths.iter().try_fold(1i64, |count, length| count.checked_mul(*length));
    count.ok_or_else(|| Reason::from("has more elements than can be counted"))
}

/// A slope for each element: TVM's operator has slopes along one axis, so the tensors are flattened.
fn prelu_of_each(cx: &mut Node<'_, '_>) -> Converted {
    let (x, slope) = (cx.input(0)?, cx.input(1)?);
    let lengths = cx.shape(0)?;
    let slope = cx.normalize(broadcast_to(slope, shape(&lengths)))?;
    let count = shape(&[count_of(&lengths)?]);
    let slope = reshape(slope, count.clone())?;
    let slope = cx.normalize(slope)?;
    let flat = prelu(reshape(x, count)?.upcast(), slope, 0);
    Ok(reshape(flat.upcast(), shape(&lengths))?.into())
}

fn scaled_softmax(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let beta = cx.float(Softmax::Beta, 0.0)?;
    let x = match beta == 1.0 || beta == 0.0 {
        true => x,
        false => multiply(x, number(real_dtype(cx)?, beta)).upcast(),
    };
    Ok(softmax(x, -1).into())
}
