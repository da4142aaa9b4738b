//! Activation functions, softmax and dropout.

use tvmscript_ir_core::Ref;
use tvmscript_prim::{self as prim, IntImm, ops as prim_ops};
use tvmscript_relax::op::create::zeros_like;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise as op;
use tvmscript_relax::op::join::one_hot;
use tvmscript_relax::op::nn::activation as nn;
use tvmscript_relax::op::reduce::argmax;
use tvmscript_relax::{Call, Expr, PrimValue};

use super::super::node::{Converted, Node, Output};
use super::rows;
use super::scalar::{like, same};
use crate::error::Reason;
use crate::ops::{
    axis as axis_in, dims, dims_of, dtype_of, int_operand, numbers, rank, rank_of, reshape, shape_of,
};

rows! {
    "BiasGelu" in "com.microsoft" { 1: |cx| {
        Ok(nn::gelu(op::add(cx.input(0)?, cx.input(1)?).upcast()).into())
    } } => "add, nn.gelu";
    "Celu" { 12: celu } => "maximum, minimum, exp, subtract, multiply, add";
    "Dropout" { 1: |cx| {
        let ratio = cx.float("ratio").unwrap_or(0.5);
        dropout(cx, ratio)
    }, 12: |cx| {
        let ratio = cx.constant_number(1, "the ratio").ok().flatten().unwrap_or(0.5);
        let mode = cx.constant_or_value(2).map(|mode| numbers(&mode));
        if mode.is_some_and(|mode| mode.is_none_or(|mode| mode.iter().any(|flag| *flag != 0.0))) {
            cx.warn("in training mode, ONNX drops elements; here all stay");
        }
        dropout(cx, ratio)
    } } => "nn.dropout";
    "Elu" { 1: elu } => "exp, subtract, nn.relu, multiply, add";
    "FastGelu" in "com.microsoft" { 1: fast_gelu } => "multiply, add, tanh";
    "Gelu" { 1: |cx| Ok(nn::gelu(cx.input(0)?).into()), 20: gelu } => "nn.gelu or nn.gelu_tanh";
    "HardSigmoid" { 1: hard_sigmoid } => "multiply, add, clip";
    "HardSwish" { 14: hard_swish } => "add, clip, divide, multiply";
    "Hardmax" { 1: |cx| flattened(cx, hardmax), 13: |cx| {
        let (x, axis) = (cx.input(0)?, cx.int("axis").unwrap_or(-1));
        Ok(hardmax(cx, x, axis)?.into())
    } } => "argmax, one_hot";
    "LeakyRelu" { 1: |cx| Ok(nn::leakyrelu(cx.input(0)?, cx.float("alpha").unwrap_or(0.01)).into()) }
        => "nn.leakyrelu";
    "LogSoftmax" { 1: |cx| flattened(cx, |_, x, axis| Ok(nn::log_softmax(x, axis))), 13: |cx| {
        Ok(nn::log_softmax(cx.input(0)?, cx.int("axis").unwrap_or(-1)).into())
    } } => "nn.log_softmax; before version 13 between reshapes";
    "Mish" { 18: mish } => "exp, add, log, tanh, multiply";
    "PRelu" { 1: prelu } => "reshape, nn.prelu; for other slopes where, less, multiply";
    "Relu" { 13: |cx| Ok(nn::relu(cx.tensor(0)?).into()) } => "nn.relu";
    "Selu" { 1: selu } => "exp, subtract, nn.relu, multiply, add";
    "Shrink" { 9: shrink } => "greater, less, subtract, add, where";
    "Softmax" { 1: |cx| flattened(cx, |_, x, axis| Ok(nn::softmax(x, axis))), 13: |cx| {
        Ok(nn::softmax(cx.input(0)?, cx.int("axis").unwrap_or(-1)).into())
    } } => "nn.softmax; before version 13 between reshapes";
    "Softplus" { 1: softplus } => "maximum, abs, negative, exp, add, log";
    "Softsign" { 1: softsign } => "abs, add, divide";
    "Swish" { 24: swish } => "multiply, sigmoid";
    "ThresholdedRelu" { 1: thresholded_relu } => "greater, astype, multiply";
}

fn dropout(cx: &mut Node<'_, '_>, ratio: f64) -> Converted {
    if cx.opset >= 10 && cx.has_output(1) {
        cx.warn("the mask has the type of the operand, as in TVM, and not bool");
    }
    Ok(nn::dropout(cx.input(0)?, ratio).into())
}

/// `relu(x) - alpha * relu(1 - exp(x))`
fn exponential(x: &Expr, alpha: f64) -> Ref<Call> {
    let below = nn::relu(op::subtract(like(x, 1.0), op::exp(x.clone()).upcast()).upcast());
    let scaled = op::multiply(like(x, -alpha), below.upcast());
    op::add(scaled.upcast(), nn::relu(x.clone()).upcast())
}

fn elu(cx: &mut Node<'_, '_>) -> Converted {
    Ok(exponential(&cx.input(0)?, cx.float("alpha").unwrap_or(1.0)).into())
}

fn selu(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let alpha = cx.float("alpha").unwrap_or(1.673_263_192_176_818_8);
    let gamma = cx.float("gamma").unwrap_or(1.050_701_022_148_132_3);
    Ok(op::multiply(like(&x, gamma), exponential(&x, alpha).upcast()).into())
}

/// `max(0, x) + min(0, alpha * (exp(x / alpha) - 1))`
fn celu(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let alpha = like(&x, cx.float("alpha").unwrap_or(1.0));
    let power = op::exp(op::divide(x.clone(), alpha.clone()).upcast());
    let below = op::multiply(alpha, op::subtract(power.upcast(), like(&x, 1.0)).upcast());
    let below = op::minimum(like(&x, 0.0), below.upcast());
    Ok(op::add(op::maximum(x.clone(), like(&x, 0.0)).upcast(), below.upcast()).into())
}

fn mish(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let sum = op::add(like(&x, 1.0), op::exp(x.clone()).upcast());
    Ok(op::multiply(x, op::tanh(op::log(sum.upcast()).upcast()).upcast()).into())
}

fn softplus(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let power = op::exp(op::negative(op::abs(x.clone()).upcast()).upcast());
    let log = op::log(op::add(like(&x, 1.0), power.upcast()).upcast());
    Ok(op::add(op::maximum(x.clone(), like(&x, 0.0)).upcast(), log.upcast()).into())
}

fn softsign(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let sum = op::add(op::abs(x.clone()).upcast(), like(&x, 1.0));
    Ok(op::divide(x, sum.upcast()).into())
}

/// `x * sigmoid(alpha * x)`
fn swish(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let scaled = match cx.float("alpha").filter(|alpha| *alpha != 1.0) {
        Some(alpha) => op::multiply(like(&x, alpha), x.clone()).upcast(),
        None => x.clone(),
    };
    Ok(op::multiply(x, op::sigmoid(scaled).upcast()).into())
}

fn hard_sigmoid(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let (alpha, beta) = (cx.float("alpha").unwrap_or(0.2), cx.float("beta").unwrap_or(0.5));
    let line = op::add(op::multiply(like(&x, alpha), x.clone()).upcast(), like(&x, beta));
    Ok(op::clip(line.upcast(), int_operand(0), int_operand(1)).into())
}

fn hard_swish(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let sum = op::add(x.clone(), like(&x, 3.0)).upcast();
    let clipped = op::clip(sum, int_operand(0), int_operand(6)).upcast();
    Ok(op::multiply(x.clone(), op::divide(clipped, like(&x, 6.0)).upcast()).into())
}

fn thresholded_relu(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let is_above = op::greater(x.clone(), like(&x, cx.float("alpha").unwrap_or(1.0)));
    let dtype = dtype_of(&like(&x, 0.0));
    Ok(op::multiply(astype(is_above.upcast(), dtype).upcast(), x).into())
}

fn shrink(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let limit = like(&x, cx.float("lambd").unwrap_or(0.5));
    let bias = like(&x, cx.float("bias").unwrap_or(0.0));
    let zeros: Expr = zeros_like(x.clone(), None).upcast();
    let is_above = op::greater(x.clone(), limit.clone()).upcast();
    let above = op::where_(is_above, op::subtract(x.clone(), bias.clone()).upcast(), zeros.clone());
    let is_below = op::less(x.clone(), op::negative(limit).upcast()).upcast();
    let below = op::where_(is_below, op::add(x, bias).upcast(), zeros);
    Ok(op::add(above.upcast(), below.upcast()).into())
}

/// The slope has at most one axis of a length other than 1, or is broadcast.
fn prelu(cx: &mut Node<'_, '_>) -> Converted {
    let (x, slope) = (cx.input(0)?, cx.input(1)?);
    let (x_rank, slope_dims) = (rank(&x)?, dims(&slope)?);
    let offset = x_rank
        .checked_sub(slope_dims.len())
        .ok_or_else(|| Reason::from("the slope has more axes than the operand"))?;
    let mut others = slope_dims.iter().enumerate().filter(|(_, dim)| !prim_ops::is_one(dim));
    let channels = |slope: Expr, length: prim::Expr, axis: usize| -> Converted {
        let slope = reshape(slope, shape_of([length]))?.upcast();
        Ok(nn::prelu(x.clone(), slope, axis as i64).into())
    };
    // Older exporters give one slope per channel.
    let last = dims_of(&x).and_then(|dims| Some((dims.get(1)?.clone(), dims.last()?.clone())));
    if let ([length], Some((channel_dim, last))) = (slope_dims.as_slice(), last)
        && !prim_ops::is_one(length)
        && same(length, &channel_dim)
        && !same(length, &last)
    {
        return channels(slope, length.clone(), 1);
    }
    match (others.next(), others.next()) {
        (None, _) => channels(slope, IntImm::int64(1), x_rank.saturating_sub(1)),
        (Some((axis, dim)), None) => channels(slope, dim.clone(), offset + axis),
        _ => {
            let is_negative = op::less(x.clone(), like(&x, 0.0)).upcast();
            Ok(op::where_(is_negative, op::multiply(x.clone(), slope).upcast(), x).into())
        }
    }
}

fn gelu(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    match cx.text("approximate").as_deref() {
        Some("tanh") => Ok(nn::gelu_tanh(x).into()),
        None | Some("none") => Ok(nn::gelu(x).into()),
        Some(other) => Err(Reason(format!("the approximation `{other}` is not supported"))),
    }
}

fn fast_gelu(cx: &mut Node<'_, '_>) -> Converted {
    let mut x = cx.input(0)?;
    if let Some(bias) = cx.optional(1) {
        if rank_of(&bias) != Some(1) {
            return Err("the bias is not a vector".into());
        }
        x = cx.emit(op::add(x, bias))?;
    }
    let slope = (2.0 / std::f64::consts::PI).sqrt();
    let half = cx.emit(op::multiply(like(&x, 0.5), x.clone()))?;
    let linear = cx.emit(op::multiply(like(&x, slope), x.clone()))?;
    let cube = cx.emit(op::multiply(op::multiply(x.clone(), x.clone()).upcast(), x.clone()))?;
    let cubic = cx.emit(op::multiply(like(&x, 0.044715 * slope), cube))?;
    let tanh = cx.emit(op::tanh(op::add(linear, cubic).upcast()))?;
    let result = cx.emit(op::multiply(half, op::add(like(&x, 1.0), tanh).upcast()))?;
    Ok(Output::One(result))
}

// --- along an axis -------------------------------------------------------------------------------------------

/// An operator of older sets: the axes from `axis` on count as one.
fn flattened(
    cx: &mut Node<'_, '_>,
    apply: fn(&mut Node<'_, '_>, Expr, i64) -> Result<Ref<Call>, Reason>,
) -> Converted {
    let (x, axis) = (cx.input(0)?, cx.int("axis").unwrap_or(1));
    let Some(dims) = dims_of(&x) else {
        cx.warn("the shape of the operand is unknown, so the axes after the first one do not count as one");
        return Ok(apply(cx, x, axis)?.into());
    };
    let rank = dims.len() as i64;
    let at = if axis < 0 { axis + rank } else { axis };
    let (rows, columns) = usize::try_from(at)
        .ok()
        .and_then(|at| dims.split_at_checked(at))
        .ok_or_else(|| Reason(format!("axis {axis} is out of range for rank {rank}")))?;
    let product = |dims: &[prim::Expr]| {
        dims.iter().try_fold(IntImm::int64(1), |product, dim| prim_ops::mul(product, dim.clone()))
    };
    let flat = reshape(x, shape_of([product(rows)?, product(columns)?]))?.upcast();
    let result = apply(cx, flat, -1)?;
    Ok(reshape(result.upcast(), shape_of(dims.iter().cloned()))?.into())
}

/// One at the greatest element along an axis, 0 elsewhere.
fn hardmax(cx: &mut Node<'_, '_>, x: Expr, axis: i64) -> Result<Ref<Call>, Reason> {
    let x = cx.normalize(x)?;
    let axis = axis_in(axis, rank(&x)?)?;
    let extent = dims(&x)?.get(axis).and_then(prim_ops::int_value);
    let extent = extent.filter(|extent| *extent > 0);
    let extent = extent.ok_or_else(|| Reason::from("needs an axis whose length is a positive number"))?;
    let dtype = dtype_of(&x);
    let value = |value: f64| Ok::<Expr, Reason>(PrimValue::new(prim_ops::make_const(dtype, value)?).upcast());
    let at = argmax(x, Some(axis as i64), false).upcast();
    Ok(one_hot(at, value(1.0)?, value(0.0)?, extent, axis as i64))
}
