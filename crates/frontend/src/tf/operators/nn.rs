//! Activations, biases and normalizations.

use tvmscript_ir_core::{DataType, Str};
use tvmscript_relax::Expr;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise as op;
use tvmscript_relax::op::nn::activation::{leakyrelu, log_softmax, relu, softmax};
use tvmscript_relax::op::nn::norm::batch_norm;
use tvmscript_relax::op::nn::pool::avg_pool2d;
use tvmscript_relax::op::reduce::mean;

use super::super::dims::Dims;
use super::super::importer::Value;
use super::super::names::text;
use super::super::node::{Converted, Node, Output, attribute};
use super::elementwise::{elu_of, relu6};
use super::{only, rows};
use crate::error::Reason;
use crate::ops::{self, dtype_of, field, int64s, ints, number, shape_of};

rows! {
    "BiasAdd" => |cx| {
        let (x, bias) = (cx.input(0)?, cx.input(1)?);
        Ok(add_bias(cx, x, bias)?.into())
    }, "add; with channels first reshape, add";
    "BiasAddV1" => |cx| Ok(op::add(cx.input(0)?, cx.input(1)?).into()), "add";
    "FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3" => batch_norm_,
        "nn.batch_norm and its first result; with `is_training` mean, subtract, square, add, rsqrt, multiply",
        "the reserved results after the statistics";
    "LRN" => local_response, "square, reshape, nn.avg_pool2d, multiply, add, power, divide";
    "LogSoftmax" => |cx| Ok(log_softmax(cx.input(0)?, -1).into()), "nn.log_softmax";
    "Softmax" => |cx| Ok(softmax(cx.input(0)?, -1).into()), "nn.softmax";
}

/// Adds one number per channel.
fn add_bias(cx: &mut Node<'_, '_>, x: Expr, bias: Expr) -> Result<Expr, Reason> {
    if cx.text_attr("data_format").is_none_or(|format| !format.starts_with("NC")) {
        return Ok(op::add(x, bias).upcast());
    }
    let x = cx.normalize(x)?;
    let (rank, channels) = (ops::rank(&x)?, ops::dims(&bias)?);
    let ones = std::iter::repeat_with(|| tvmscript_prim::IntImm::int64(1)).take(rank.saturating_sub(2));
    let bias = cx.step(ops::reshape(bias, shape_of(channels.into_iter().chain(ones)))?)?;
    Ok(op::add(x, bias).upcast())
}

/// Applies the operators that were fused into a node; their operands begin at `next`.
pub(super) fn fused(cx: &mut Node<'_, '_>, mut value: Expr, mut next: usize) -> Converted {
    let names = attribute(cx.proto, "fused_ops").and_then(|value| value.list.as_ref());
    for name in names.iter().flat_map(|list| &list.s) {
        value = match text(name).as_ref() {
            "BiasAdd" => {
                let bias = cx.input(next)?;
                next += 1;
                add_bias(cx, value, bias)?
            }
            "Add" => {
                next += 1;
                op::add(value, cx.input(next - 1)?).upcast()
            }
            "Relu" => relu(value).upcast(),
            "Relu6" => relu6(value).upcast(),
            "LeakyRelu" => leakyrelu(value, cx.float_attr("leakyrelu_alpha").unwrap_or(0.2)).upcast(),
            "Sigmoid" => op::sigmoid(value).upcast(),
            "Tanh" => op::tanh(value).upcast(),
            "Elu" => elu_of(cx.normalize(value)?).upcast(),
            other => return Err(Reason(format!("the fused operator `{other}` is not supported"))),
        };
    }
    Ok(value.into())
}

fn batch_norm_(cx: &mut Node<'_, '_>) -> Converted {
    let inputs = cx.inputs(0..5)?;
    let [x, scale, offset, mean, variance] =
        <[Expr; 5]>::try_from(inputs).map_err(|_| Reason::from("needs five operands"))?;
    let is_training = cx.flag_or("is_training", true);
    let format = only("data_format", cx.text_attr("data_format"), &["NHWC", "NCHW", "NDHWC", "NCDHW"])?;
    let axis = format.find('C').unwrap_or(3) as i64;
    let epsilon = cx.float_attr("epsilon").unwrap_or(1e-4);
    if is_training {
        return normed_by_batch(cx, [x, scale, offset], axis, epsilon);
    }
    let (given_mean, given_variance) = (mean.clone(), variance.clone());
    let normed = batch_norm(x, scale, offset, mean, variance, axis, epsilon, true, true, 0.1, false);
    let normed = cx.normalize(normed)?;
    let normed = cx.normalize(field(&normed, 0))?;
    Ok(with_statistics(normed, [given_mean, given_variance]))
}

/// The normalized tensor and the statistics, which are the reserved results, too.
fn with_statistics(normed: Expr, statistics: [Expr; 2]) -> Output {
    let all = std::iter::once(normed).chain(statistics.iter().chain(&statistics).cloned());
    Output::Values(all.map(Value::Tensor).collect())
}

/// Normalization by the statistics of the batch, which are results, too.
fn normed_by_batch(
    cx: &mut Node<'_, '_>,
    [x, scale, offset]: [Expr; 3],
    axis: i64,
    epsilon: f64,
) -> Converted {
    let (rank, dtype) = (ops::rank(&x)?, dtype_of(&x));
    let others: Vec<i64> = (0..rank as i64).filter(|at| *at != axis).collect();
    let channels = ops::dims(&scale)?.into_iter().next();
    let channels = channels.ok_or_else(|| Reason::from("the scales must be a vector"))?;
    let mut shape = vec![tvmscript_prim::IntImm::int64(1); rank];
    if let Some(length) = shape.get_mut(ops::axis(axis, rank)?) {
        *length = channels.clone();
    }
    let column = |x: Expr| ops::reshape(x, shape_of(shape.iter().cloned()));
    let center = cx.step(mean(x.clone(), Some(ints(&others)), true))?;
    let distances = cx.step(op::subtract(x.clone(), center.clone()))?;
    let spread = cx.step(mean(op::square(distances.clone()).upcast(), Some(ints(&others)), true))?;
    let factor = op::rsqrt(op::add(spread.clone(), number(dtype, epsilon)).upcast()).upcast();
    let factor = cx.step(op::multiply(factor, column(scale)?.upcast()))?;
    let scaled = op::multiply(distances, factor).upcast();
    let normed = cx.step(op::add(scaled, column(offset)?.upcast()))?;
    let vector = || shape_of([channels.clone()]);
    let center = cx.step(ops::reshape(center, vector())?)?;
    let mut spread = cx.step(ops::reshape(spread, vector())?)?;
    // The variance of a sample.
    let dims = ops::dims(&x)?;
    let counted: Vec<_> =
        others.iter().filter_map(|at| dims.get(usize::try_from(*at).ok()?).cloned()).collect();
    let count = Dims::vector(counted, DataType::INT64).fold(1, tvmscript_prim::ops::mul)?;
    let count = cx.importer.tensor(&Value::Dims(Dims::scalar(count, DataType::INT64)))?;
    let count = cx.step(astype(count, dtype))?;
    let fewer =
        cx.step(op::maximum(op::subtract(count.clone(), number(dtype, 1.0)).upcast(), number(dtype, 1.0)))?;
    spread = cx.step(op::multiply(spread, op::divide(count, fewer).upcast()))?;
    Ok(with_statistics(normed, [center, spread]))
}

/// Divides by a power of the sum of squares in neighbouring channels.
fn local_response(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let radius = cx.int_attr("depth_radius").unwrap_or(5);
    let size = radius.checked_mul(2).and_then(|size| size.checked_add(1)).filter(|size| *size > 0);
    let size = size.ok_or_else(|| Reason::from("`depth_radius` is out of range"))?;
    let attr = |name: &str, default| cx.float_attr(name).unwrap_or(default);
    let (bias, alpha, beta) = (attr("bias", 1.0), attr("alpha", 1.0), attr("beta", 0.5));
    let dims = ops::dims(&x)?;
    let dtype = dtype_of(&x);
    let [batch, height, width, channels] = dims.as_slice() else {
        return Err("needs an operand of rank 4".into());
    };
    let places = tvmscript_prim::ops::mul(height.clone(), width.clone())?;
    let one = tvmscript_prim::IntImm::int64(1);
    // The mean of a window along the channels, which are the last axis of an image, times the size of the window.
    let flat = shape_of([batch.clone(), one, places, channels.clone()]);
    let squares = ops::reshape(op::square(x.clone()).upcast(), flat)?;
    let means = avg_pool2d(
        squares.upcast(),
        int64s(&[1, size]),
        int64s(&[1, 1]),
        int64s(&[0, radius, 0, radius]),
        int64s(&[1, 1]),
        false,
        true,
        Str::from("NCHW"),
        None,
    );
    let sums = op::multiply(means.upcast(), number(dtype, alpha * size as f64));
    let sums = ops::reshape(sums.upcast(), shape_of(dims.iter().cloned()))?;
    let scale = op::power(op::add(sums.upcast(), number(dtype, bias)).upcast(), number(dtype, beta));
    Ok(op::divide(x, scale.upcast()).into())
}
