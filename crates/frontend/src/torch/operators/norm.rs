//! Normalization.

use tvmscript_ir_core::DataType;
use tvmscript_relax::evaluate::Tensor;
use tvmscript_relax::op::create::zeros;
use tvmscript_relax::op::elementwise::{add, multiply, rsqrt, square};
use tvmscript_relax::op::nn::norm;
use tvmscript_relax::op::reduce::mean;
use tvmscript_relax::{Constant, Expr};

use super::super::node::Node;
use super::super::value::{Converted, Value};
use super::elementwise::like;
use super::rows;
use crate::error::Reason;
use crate::ops::{dtype_of, field, ints, rank, shape};

rows! { "aten.":
    "batch_norm.default" => "nn.batch_norm", |cx| {
        let training = cx.flag(5, "training", false)?;
        let normed = batch_norm(cx, 6, training)?;
        cx.result(field(&normed, 0))
    };
    "_native_batch_norm_legit_no_training.default" => "nn.batch_norm" ("statistics of the batch"), |cx| {
        let normed = batch_norm(cx, 5, false)?;
        cx.result(field(&normed, 0))
    };
    "_native_batch_norm_legit_functional.default"
        => "nn.batch_norm, zeros" ("statistics of the batch"), batch_norm_with_statistics;
    "_native_batch_norm_legit.no_stats" => "nn.instance_norm", |cx| {
        let axes = |rank: i64| [0].into_iter().chain(2..rank).collect();
        instance_norm(cx, 5, axes)
    };
    "instance_norm.default" => "nn.instance_norm", |cx| instance_norm(cx, 7, |rank| (2..rank).collect());
    "group_norm.default" => "nn.group_norm", |cx| {
        let groups = cx.needed_int(1, "num_groups")?;
        let eps = cx.float(4, "eps", 1e-5)?;
        group_norm(cx, [2, 3], groups, eps)
    };
    "native_group_norm.default" => "nn.group_norm", |cx| {
        let groups = cx.needed_int(6, "group")?;
        let eps = cx.float(7, "eps", 1e-5)?;
        group_norm(cx, [1, 2], groups, eps)
    };
    "layer_norm.default", "native_layer_norm.default" => "nn.layer_norm", layer_norm;
    "rms_norm.default" => "square, mean, add, rsqrt, multiply", rms_norm;
}

/// A constant tensor of one value.
fn filled(cx: &mut Node<'_, '_>, dims: &[i64], dtype: DataType, value: f64) -> Result<Expr, Reason> {
    let shape: Vec<usize> = dims
        .iter()
        .map(|dim| usize::try_from(*dim))
        .collect::<Result<_, _>>()
        .map_err(|_| "has a negative length")?;
    let limit = cx.graph().max_folded_bytes() / 8;
    let count = shape.iter().try_fold(1usize, |count, dim| count.checked_mul(*dim));
    let count = count.filter(|count| *count <= limit).ok_or("a weight that is left out is too large")?;
    let tensor = Tensor::of_floats(dtype, shape, std::iter::repeat_n(value, count));
    Ok(Constant::new(tensor.encode()).upcast())
}

/// The number of channels, which are axis 1.
fn channels(x: &Expr) -> Result<i64, Reason> {
    let dims = crate::ops::dims(x)?;
    dims.get(1)
        .and_then(tvmscript_prim::ops::int_value)
        .ok_or_else(|| "the number of channels must be known".into())
}

/// A tensor, or one of the same value per channel in its place.
fn per_channel(cx: &mut Node<'_, '_>, index: usize, x: &Expr, value: f64) -> Result<Expr, Reason> {
    match cx.optional(index, "")? {
        Some(stated) => Ok(stated),
        None => {
            let channels = channels(x)?;
            filled(cx, &[channels], dtype_of(x), value)
        }
    }
}

/// A batch normalization, bound. `momentum` and the constant after it are at a position.
fn batch_norm(cx: &mut Node<'_, '_>, at: usize, training: bool) -> Result<Expr, Reason> {
    let x = cx.tensor(0)?;
    let (scale, center) = (cx.has(1, ""), cx.has(2, ""));
    let gamma = per_channel(cx, 1, &x, 1.0)?;
    let beta = per_channel(cx, 2, &x, 0.0)?;
    let mean = per_channel(cx, 3, &x, 0.0)?;
    let variance = per_channel(cx, 4, &x, 1.0)?;
    let momentum = cx.float(at, "momentum", 0.1)?;
    let eps = cx.float(at + 1, "eps", 1e-5)?;
    cx.emit(norm::batch_norm(x, gamma, beta, mean, variance, 1, eps, center, scale, momentum, training))
}

/// In training, with the running mean; the other statistics are zeros, like TVM's.
fn batch_norm_with_statistics(cx: &mut Node<'_, '_>) -> Converted {
    if (2..5).any(|index| cx.uses_result(index)) {
        cx.warn("statistics of the batch are zeros");
    }
    let normed = batch_norm(cx, 6, true)?;
    let x = cx.tensor(0)?;
    let (result, mean) = (cx.emit(field(&normed, 0))?, cx.emit(field(&normed, 1))?);
    let channels = channels(&x)?;
    let rest = cx.emit(zeros(shape(&[channels]), dtype_of(&x)))?;
    cx.tuple(vec![result, mean, rest.clone(), rest.clone(), rest])
}

fn instance_norm(cx: &mut Node<'_, '_>, eps_at: usize, axes: fn(i64) -> Vec<i64>) -> Converted {
    let x = cx.tensor(0)?;
    let gamma = per_channel(cx, 1, &x, 1.0)?;
    let beta = per_channel(cx, 2, &x, 0.0)?;
    let eps = cx.float(eps_at, "eps", 1e-5)?;
    let axes = axes(rank(&x)? as i64);
    cx.result(norm::instance_norm(x, gamma, beta, 1, ints(&axes), eps, true, true))
}

fn group_norm(cx: &mut Node<'_, '_>, at: [usize; 2], groups: i64, eps: f64) -> Converted {
    let x = cx.tensor(0)?;
    let [gamma, beta] = at;
    let gamma = per_channel(cx, gamma, &x, 1.0)?;
    let beta = per_channel(cx, beta, &x, 0.0)?;
    let axes: Vec<i64> = (2..rank(&x)? as i64).collect();
    cx.result(norm::group_norm(x, gamma, beta, groups, 1, ints(&axes), eps, true, true))
}

/// The last axes, as many as the shape at position 1 has.
fn last_axes(shape: &[i64]) -> Vec<i64> {
    (-(shape.len() as i64)..0).collect()
}

fn layer_norm(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let shape = cx.needed_ints(1, "normalized_shape")?;
    let dtype = dtype_of(&x);
    let mut weights = Vec::new();
    for (index, name, value) in [(2, "weight", 1.0), (3, "bias", 0.0)] {
        weights.push(match cx.optional(index, name)? {
            Some(weight) => weight,
            None => filled(cx, &shape, dtype, value)?,
        });
    }
    let [gamma, beta] = <[Expr; 2]>::try_from(weights).map_err(|_| "has no weights")?;
    let eps = cx.float(4, "eps", 1e-5)?;
    cx.result(norm::layer_norm(x, gamma, beta, ints(&last_axes(&shape)), eps, true, true))
}

fn rms_norm(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let axes = last_axes(&cx.needed_ints(1, "normalized_shape")?);
    let eps = cx.float(3, "eps", f64::from(f32::EPSILON))?;
    let squares = cx.emit(square(x.clone()))?;
    let power = cx.emit(mean(squares, Some(ints(&axes)), true))?;
    let power = cx.emit(add(power.clone(), like(&power, eps)))?;
    let factor = cx.emit(rsqrt(power))?;
    let value = cx.emit(multiply(x, factor))?;
    match cx.optional(2, "weight")? {
        Some(weight) => cx.result(multiply(value, weight)),
        None => Ok(Value::Known(value)),
    }
}
