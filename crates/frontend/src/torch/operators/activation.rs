//! Activation functions.

use tvmscript_ir_core::DataType;
use tvmscript_relax::Expr;
use tvmscript_relax::op::create::full_like;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise as op;
use tvmscript_relax::op::nn::activation as nn;

use super::super::node::Node;
use super::super::value::{Converted, Number};
use super::elementwise::like;
use super::rows;
use crate::error::Reason;
use crate::ops::{dtype_of, rank};

rows! { "aten.":
    "celu.default" => "exp, divide, subtract, minimum, multiply, nn.relu, add", celu;
    "elu.default" => "exp, subtract, nn.relu, multiply, add", |cx| {
        let alpha = cx.float(1, "alpha", 1.0)?;
        let scale = cx.float(2, "scale", 1.0)?;
        let input_scale = cx.float(3, "input_scale", 1.0)?;
        elu(cx, alpha, scale, input_scale)
    };
    "selu.default" => "nn.selu", |cx| {
        let x = cx.tensor(0)?;
        cx.result(nn::selu(x))
    };
    "gelu.default" => "nn.gelu, nn.gelu_tanh", gelu;
    "hardsigmoid.default" => "add, clip, divide", |cx| {
        let x = cx.tensor(0)?;
        let value = hard_sigmoid(&x);
        cx.result(value)
    };
    "hardswish.default" => "add, clip, divide, multiply", |cx| {
        let x = cx.tensor(0)?;
        let value = hard_sigmoid(&x);
        cx.result(op::multiply(x, value))
    };
    "hardtanh.default" => "clip", |cx| {
        let x = cx.tensor(0)?;
        let least = cx.number_or(1, "min_val", Number::Float(-1.0))?;
        let most = cx.number_or(2, "max_val", Number::Float(1.0))?;
        cx.result(op::clip(x, least.scalar(), most.scalar()))
    };
    "leaky_relu.default" => "nn.leakyrelu", |cx| {
        let (x, slope) = (cx.tensor(0)?, cx.float(1, "negative_slope", 0.01)?);
        cx.result(nn::leakyrelu(x, slope))
    };
    "log_softmax.int", "_log_softmax.default" => "nn.log_softmax", |cx| {
        let (x, axis) = (softmax_operand(cx)?, cx.int(1, "dim", -1)?);
        cx.result(nn::log_softmax(x, axis))
    };
    "mish.default" => "nn.softplus, tanh, multiply", |cx| {
        let x = cx.tensor(0)?;
        let smooth = op::tanh(nn::softplus(x.clone(), 1.0, 20.0).upcast());
        cx.result(op::multiply(x, smooth.upcast()))
    };
    "prelu.default", "_prelu_kernel.default" => "nn.prelu", |cx| {
        let (x, slope) = (cx.tensor(0)?, cx.tensor(1)?);
        let axis = if rank(&x)? == 1 { 0 } else { 1 };
        cx.result(nn::prelu(x, slope, axis))
    };
    "relu.default" => "nn.relu", |cx| {
        let x = cx.tensor(0)?;
        cx.result(nn::relu(x))
    };
    "relu6.default" => "clip", |cx| {
        let x = cx.tensor(0)?;
        cx.result(op::clip(x, Number::Int(0).scalar(), Number::Int(6).scalar()))
    };
    "silu.default" => "nn.silu", |cx| {
        let x = cx.tensor(0)?;
        cx.result(nn::silu(x))
    };
    "softmax.int", "_softmax.default", "_safe_softmax.default" => "nn.softmax", |cx| {
        let (x, axis) = (softmax_operand(cx)?, cx.int(1, "dim", -1)?);
        cx.result(nn::softmax(x, axis))
    };
    "softplus.default" => "nn.softplus", |cx| {
        let x = cx.tensor(0)?;
        let (beta, threshold) = (cx.float(1, "beta", 1.0)?, cx.float(2, "threshold", 20.0)?);
        cx.result(nn::softplus(x, beta, threshold))
    };
    "softshrink.default" => "subtract, greater, astype, multiply, add, negative, less", softshrink;
    "softsign.default" => "abs, add, divide", |cx| {
        let x = cx.tensor(0)?;
        let magnitude = cx.emit(op::abs(x.clone()))?;
        let one = like(&x, 1.0);
        let sum = cx.emit(op::add(magnitude, one))?;
        cx.result(op::divide(x, sum))
    };
    "threshold.default" => "greater, full_like, where", |cx| {
        let x = cx.tensor(0)?;
        let bound = cx.number_or(1, "threshold", Number::Int(0))?.constant(dtype_of(&x));
        let value = cx.number_or(2, "value", Number::Int(0))?.constant(dtype_of(&x));
        let is_kept = cx.emit(op::greater(x.clone(), bound))?;
        let other = cx.emit(full_like(x.clone(), value, None))?;
        cx.result(op::where_(is_kept, x, other))
    };
    "hardshrink.default" => "abs, greater, zeros_like, where", |cx| {
        let x = cx.tensor(0)?;
        let bound = cx.number_or(1, "lambd", Number::Float(0.5))?.constant(dtype_of(&x));
        let is_kept = cx.emit(op::greater(op::abs(x.clone()).upcast(), bound))?;
        let zeros = cx.emit(tvmscript_relax::op::create::zeros_like(x.clone(), None))?;
        cx.result(op::where_(is_kept, x, zeros))
    };
}

/// The operand of a softmax, of the stated type.
fn softmax_operand(cx: &mut Node<'_, '_>) -> Result<Expr, Reason> {
    let x = cx.tensor(0)?;
    // The third argument of the operators with `_` is a flag.
    if cx.proto.kind().starts_with('_') {
        return Ok(x);
    }
    match cx.dtype(2, "dtype")? {
        Some(dtype) => cx.cast(x, dtype),
        None => Ok(x),
    }
}

/// `alpha * min(0, exp(x / alpha) - 1) + relu(x)`. TVM divides after the exponential, which is the same for 1 alone.
fn celu(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let number = cx.number_or(1, "alpha", Number::Float(1.0))?;
    let alpha = number.constant(dtype_of(&x));
    let exponential: Expr = match number.as_f64() == 1.0 {
        true => op::divide(op::exp(x.clone()).upcast(), alpha.clone()).upcast(),
        false => op::exp(op::divide(x.clone(), alpha.clone()).upcast()).upcast(),
    };
    let below = op::minimum(like(&x, 0.0), op::subtract(exponential, like(&x, 1.0)).upcast());
    cx.result(op::add(op::multiply(alpha, below.upcast()).upcast(), nn::relu(x).upcast()))
}

/// `-alpha * relu(1 - exp(input_scale * x)) + relu(x)`, scaled.
fn elu(cx: &mut Node<'_, '_>, alpha: f64, scale: f64, input_scale: f64) -> Converted {
    let x = cx.tensor(0)?;
    let inner = match input_scale == 1.0 {
        true => x.clone(),
        false => op::multiply(x.clone(), like(&x, input_scale)).upcast(),
    };
    let below = nn::relu(op::subtract(like(&x, 1.0), op::exp(inner).upcast()).upcast());
    let below = op::multiply(like(&x, -alpha), below.upcast());
    let value = op::add(below.upcast(), nn::relu(x.clone()).upcast());
    match scale == 1.0 {
        true => cx.result(value),
        false => cx.result(op::multiply(value.upcast(), like(&x, scale))),
    }
}

fn gelu(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    match cx.text(1, "approximate", "none")?.as_str() {
        "none" => cx.result(nn::gelu(x)),
        "tanh" => cx.result(nn::gelu_tanh(x)),
        other => Err(Reason(format!("the approximation `{other}` is not supported"))),
    }
}

/// `clip(x + 3, 0, 6) / 6`, not bound.
fn hard_sigmoid(x: &Expr) -> Expr {
    let shifted = op::add(x.clone(), like(x, 3.0));
    let clipped = op::clip(shifted.upcast(), Number::Int(0).scalar(), Number::Int(6).scalar());
    op::divide(clipped.upcast(), like(x, 6.0)).upcast()
}

fn softshrink(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let dtype: DataType = dtype_of(&x);
    let lambda = cx.number_or(1, "lambd", Number::Float(0.5))?.constant(dtype);
    let is_above = astype(op::greater(x.clone(), lambda.clone()).upcast(), dtype);
    let above = op::multiply(op::subtract(x.clone(), lambda.clone()).upcast(), is_above.upcast());
    let is_below = astype(op::less(x.clone(), op::negative(lambda.clone()).upcast()).upcast(), dtype);
    let below = op::multiply(op::add(x, lambda).upcast(), is_below.upcast());
    cx.result(op::add(above.upcast(), below.upcast()))
}
