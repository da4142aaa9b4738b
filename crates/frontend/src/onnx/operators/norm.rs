//! Normalizations.

use tvmscript_ir_core::DataType;
use tvmscript_prim::ops::int_value;
use tvmscript_relax::evaluate::Tensor;
use tvmscript_relax::op::create::{ones_like, zeros_like};
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::{add, divide, multiply, power, rsqrt, sqrt, subtract};
use tvmscript_relax::op::index::take;
use tvmscript_relax::op::nn::norm as nn;
use tvmscript_relax::op::nn::pool::{avg_pool2d, avg_pool3d};
use tvmscript_relax::op::reduce::{mean, sum, variance};
use tvmscript_relax::op::shape::{broadcast_to, expand_dims, squeeze};
use tvmscript_relax::{Constant, Expr};

use super::super::node::{Converted, Node, Output, str};
use super::rows;
use super::scalar::like;
use crate::error::Reason;
use crate::ops::{
    axis as axis_in, dims, dtype_of, field, int64s, ints, lengths, number, rank, reshape, shape, shape_of,
};

rows! {
    "BatchNormalization" { 15: batch_norm } => "nn.batch_norm; astype for mixed types";
    "EmbedLayerNormalization" in "com.microsoft" { 1: embed_layer_norm } => "take, add, nn.layer_norm, sum";
    "GroupNormalization" { 18: group_norm_by_group, 21: group_norm }
        => "nn.group_norm, reshape, broadcast_to, multiply, add";
    "InstanceNormalization" { 6: instance_norm } => "mean, variance, sqrt, subtract, divide, multiply, add";
    "LRN" { 13: local_response_norm } => "multiply, nn.avg_pool2d or nn.avg_pool3d, power, divide";
    "LayerNormalization" { 17: layer_norm } => "nn.layer_norm; mean, variance, rsqrt for further results";
    "MeanVarianceNormalization" { 9: mean_variance_norm } => "mean, power, subtract, sqrt, divide";
    "RMSNormalization" { 23: rms_norm } => "nn.rms_norm; astype for other types than float32";
    "SkipLayerNormalization" in "com.microsoft" { 1: skip_layer_norm } => "add, nn.layer_norm";
}

const FLOAT16: DataType = DataType::float(16);
const FLOAT32: DataType = DataType::FLOAT32;

fn epsilon(cx: &Node<'_, '_>, default: f64) -> f64 {
    cx.float("epsilon").unwrap_or(default)
}

/// A tensor in another element type; itself if it has that.
fn in_type(x: Expr, dtype: DataType) -> Expr {
    if dtype_of(&x) == dtype { x } else { astype(x, dtype).upcast() }
}

/// A constant of zeros that is shaped like a tensor.
fn zeros_of(x: &Expr) -> Result<Expr, Reason> {
    let shape: Option<Vec<usize>> = lengths(x)?.iter().map(|length| usize::try_from(*length).ok()).collect();
    let shape = shape.ok_or_else(|| Reason::from("a length is negative"))?;
    let count = shape.iter().try_fold(1usize, |count, length| count.checked_mul(*length));
    let count = count
        .filter(|count| *count <= tvmscript_relax::evaluate::MAX_ELEMENTS)
        .ok_or_else(|| Reason::from("the scale is too large"))?;
    Ok(Constant::new(Tensor::of_floats(dtype_of(x), shape, vec![0.0; count]).encode()).upcast())
}

fn batch_norm(cx: &mut Node<'_, '_>) -> Converted {
    let inputs = [cx.input(0)?, cx.input(1)?, cx.input(2)?, cx.input(3)?, cx.input(4)?];
    let [data, scale, bias, running_mean, running_var] = &inputs;
    let (dtype, scale_dtype, stats_dtype) = (dtype_of(data), dtype_of(scale), dtype_of(running_mean));
    if scale_dtype != dtype_of(bias) || stats_dtype != dtype_of(running_var) {
        return Err("scale and bias, and mean and variance must each have one element type".into());
    }
    let is_training = cx.flag("training_mode");
    let is_half =
        dtype == FLOAT16 && [scale_dtype, stats_dtype].iter().all(|dtype| [FLOAT16, FLOAT32].contains(dtype));
    let is_uniform = dtype == scale_dtype && dtype == stats_dtype;
    let compute = match (is_uniform, is_half) {
        (true, half) if !(half && is_training) => dtype,
        (_, true) => FLOAT32,
        _ => {
            return Err("mixed element types are supported for float16 with float32 parameters only".into());
        }
    };
    let [x, scale, bias, old_mean, old_var] = inputs.clone().map(|input| in_type(input, compute));
    let momentum = cx.float("momentum").unwrap_or(0.9);
    let epsilon = epsilon(cx, 1e-5);
    let part =
        |value: Expr, dtype: DataType| if compute == dtype { value } else { astype(value, dtype).upcast() };
    if is_training {
        let [result, new_mean, new_var] =
            by_batch(cx, &x, [scale, bias, old_mean, old_var], momentum, epsilon)?;
        return Ok(vec![part(result, dtype), part(new_mean, stats_dtype), part(new_var, stats_dtype)].into());
    }
    let call =
        nn::batch_norm(x, scale, bias, old_mean, old_var, 1, epsilon, true, true, momentum, false).upcast();
    let [result, new_mean, new_var] = [0, 1, 2].map(|index| field(&call, index));
    Ok(vec![part(result, dtype), part(new_mean, stats_dtype), part(new_var, stats_dtype)].into())
}

/// Normalizes by the statistics of the batch and updates those of the past, as ONNX means it: TVM's operator weighs old
/// and new ones the other way round, and its passes replace it by the form for inference.
fn by_batch(
    cx: &mut Node<'_, '_>,
    x: &Expr,
    params: [Expr; 4],
    momentum: f64,
    epsilon: f64,
) -> Result<[Expr; 3], Reason> {
    let [scale, bias, old_mean, old_var] = params;
    let rank = rank(x)? as i64;
    let axes: Vec<i64> = (0..rank).filter(|axis| *axis != 1).collect();
    let target: Vec<i64> = (0..rank).map(|axis| if axis == 1 { -1 } else { 1 }).collect();
    let along = |value: Expr| Ok::<Expr, Reason>(reshape(value, shape(&target))?.upcast());
    let means = cx.normalize(mean(x.clone(), Some(ints(&axes)), false))?;
    let variances = cx.normalize(variance(x.clone(), Some(ints(&axes)), false))?;
    let deviation = sqrt(add(along(variances.clone())?, like(x, epsilon)).upcast()).upcast();
    let normal = divide(subtract(x.clone(), along(means.clone())?).upcast(), deviation).upcast();
    let result = add(multiply(normal, along(scale)?).upcast(), along(bias)?).upcast();
    let updated = |old: Expr, new: Expr| -> Expr {
        let old = multiply(old, like(x, momentum)).upcast();
        add(old, multiply(new, like(x, 1.0 - momentum)).upcast()).upcast()
    };
    Ok([result, updated(old_mean, means), updated(old_var, variances)])
}

fn layer_norm(cx: &mut Node<'_, '_>) -> Converted {
    let (x, scale) = (cx.input(0)?, cx.input(1)?);
    let scale_dims = dims(&scale)?;
    let bias = match cx.optional(2) {
        Some(bias) => bias,
        None => zeros_of(&scale)?,
    };
    let axis = cx.int("axis").unwrap_or(-1);
    let epsilon = epsilon(cx, 1e-5);
    axis_in(axis, rank(&x)?)?;
    // Counted as the model counts the first one.
    let axes: Vec<i64> = (axis..).take(scale_dims.len().max(1)).collect();
    let result: Expr = nn::layer_norm(x.clone(), scale, bias, ints(&axes), epsilon, true, true).upcast();
    if cx.output_count() < 2 {
        return Ok(vec![result].into());
    }
    let wide = in_type(x, FLOAT32);
    let means = mean(wide.clone(), Some(ints(&axes)), true).upcast();
    let variances = variance(wide.clone(), Some(ints(&axes)), true).upcast();
    let deviations = rsqrt(add(variances, like(&wide, epsilon)).upcast()).upcast();
    Ok(vec![result, means, deviations].into())
}

fn rms_norm(cx: &mut Node<'_, '_>) -> Converted {
    let (x, scale) = (cx.input(0)?, cx.input(1)?);
    let rank = rank(&x)?;
    let axis = axis_in(cx.int("axis").unwrap_or(-1), rank)?;
    let axes: Vec<i64> = (axis as i64..rank as i64).collect();
    let (dtype, epsilon) = (dtype_of(&x), epsilon(cx, 1e-5));
    let compute = if cx.int("stash_type").unwrap_or(1) == 1 { FLOAT32 } else { dtype };
    let is_other = compute != dtype;
    let cast = |x: Expr| if is_other { astype(x, compute).upcast() } else { x };
    let (x, scale) = (cast(x), cast(scale));
    let result = if axis == 0 {
        // TVM does not compile its operator along all axes.
        let squares = mean(multiply(x.clone(), x.clone()).upcast(), Some(ints(&axes)), true).upcast();
        let deviation = sqrt(add(squares, number(compute, epsilon)).upcast()).upcast();
        multiply(divide(x, deviation).upcast(), scale).upcast()
    } else {
        nn::rms_norm(x, scale, ints(&axes), epsilon).upcast()
    };
    Ok(if is_other { astype(result, dtype).into() } else { Output::One(result) })
}

/// Scale and bias have one element per group.
fn group_norm_by_group(cx: &mut Node<'_, '_>) -> Converted {
    let (x, groups) = (cx.input(0)?, group_count(cx)?);
    let rank = rank(&x)? as i64;
    let channels = dims(&x)?.get(1).and_then(int_value);
    let channels = channels.ok_or_else(|| Reason::from("the number of channels must be known"))?;
    if channels % groups != 0 {
        return Err(Reason(format!("{channels} channels cannot be split into {groups} groups")));
    }
    let per_channel = |x: Expr| -> Result<Expr, Reason> {
        let column = reshape(x, shape(&[groups, 1]))?.upcast();
        let grid = broadcast_to(column, shape(&[groups, channels / groups])).upcast();
        Ok(reshape(grid, shape(&[channels]))?.upcast())
    };
    let (scale, bias) = (per_channel(cx.input(1)?)?, per_channel(cx.input(2)?)?);
    let axes: Vec<i64> = (2..rank).collect();
    let epsilon = epsilon(cx, 1e-5);
    Ok(nn::group_norm(x, scale, bias, groups, 1, ints(&axes), epsilon, true, true).into())
}

fn group_count(cx: &Node<'_, '_>) -> Result<i64, Reason> {
    let groups = cx.int("num_groups").ok_or_else(|| Reason::from("`num_groups` is missing"))?;
    if groups < 1 { Err(Reason(format!("`num_groups` is {groups}"))) } else { Ok(groups) }
}

/// Scale and bias have one element per channel.
fn group_norm(cx: &mut Node<'_, '_>) -> Converted {
    let (x, scale, bias) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
    let groups = group_count(cx)?;
    let (dtype, dims) = (dtype_of(&x), dims(&x)?);
    let channels = dims.get(1).cloned().ok_or_else(|| Reason::from("needs an operand with channels"))?;
    if let Some(channels) = int_value(&channels).filter(|channels| channels % groups != 0) {
        return Err(Reason(format!("{channels} channels cannot be split into {groups} groups")));
    }
    let is_other = dtype != FLOAT32;
    let cast = |x: Expr| if is_other { astype(x, FLOAT32).upcast() } else { x };
    let ones = ones_like(cast(scale.clone()), None).upcast();
    let zeros = zeros_like(cast(bias.clone()), None).upcast();
    let axes: Vec<i64> = (2..dims.len() as i64).collect();
    let epsilon = epsilon(cx, 1e-5);
    let mut result: Expr =
        nn::group_norm(cast(x), ones, zeros, groups, 1, ints(&axes), epsilon, false, false).upcast();
    if is_other {
        result = astype(result, dtype).upcast();
    }
    let one = tvmscript_prim::IntImm::int64(1);
    let target: Vec<_> = std::iter::once(channels).chain(axes.iter().map(|_| one.clone())).collect();
    let along = |x: Expr| Ok::<Expr, Reason>(reshape(x, shape_of(target.clone()))?.upcast());
    let scaled = multiply(result, along(scale)?).upcast();
    Ok(add(scaled, along(bias)?).into())
}

fn instance_norm(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let rank = rank(&x)? as i64;
    let axes: Vec<i64> = (2..rank).collect();
    let means = mean(x.clone(), Some(ints(&axes)), true).upcast();
    let variances = variance(x.clone(), Some(ints(&axes)), true).upcast();
    let deviation = sqrt(add(variances, like(&x, epsilon(cx, 1e-5))).upcast()).upcast();
    let mut result: Expr = divide(subtract(x, means).upcast(), deviation).upcast();
    let target: Vec<i64> = std::iter::once(-1).chain(axes.iter().map(|_| 1)).collect();
    if let Some(scale) = cx.optional(1) {
        result = multiply(result, reshape(scale, shape(&target))?.upcast()).upcast();
    }
    if let Some(bias) = cx.optional(2) {
        result = add(result, reshape(bias, shape(&target))?.upcast()).upcast();
    }
    Ok(result.into())
}

fn mean_variance_norm(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let axes = cx.ints("axes").unwrap_or_else(|| vec![0, 2, 3]);
    let two = || like(&x, 2.0);
    let means: Expr = mean(x.clone(), Some(ints(&axes)), true).upcast();
    let square_of_mean = power(means.clone(), two()).upcast();
    let mean_of_square = mean(power(x.clone(), two()).upcast(), Some(ints(&axes)), true).upcast();
    let deviation = sqrt(subtract(mean_of_square, square_of_mean).upcast()).upcast();
    Ok(divide(subtract(x.clone(), means).upcast(), deviation).into())
}

/// Divides by a power of the mean of squares over neighbouring channels.
fn local_response_norm(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let size = cx.int("size").filter(|size| (1..1 << 31).contains(size));
    let size = size.ok_or_else(|| Reason::from("`size` is missing or out of range"))?;
    let number_of = |name: &str, default: f64| like(&x, cx.float(name).unwrap_or(default));
    let (alpha, beta, bias) = (number_of("alpha", 1e-4), number_of("beta", 0.75), number_of("bias", 1.0));
    let squares = expand_dims(multiply(x.clone(), x.clone()).upcast(), ints(&[1])).upcast();
    let (before, after) = ((size - 1) / 2, size / 2);
    let means = match rank(&x)? {
        3 => avg_pool2d(
            squares,
            int64s(&[size, 1]),
            int64s(&[1, 1]),
            int64s(&[before, 0, after, 0]),
            int64s(&[1, 1]),
            false,
            true,
            str("NCHW"),
            None,
        ),
        4 => avg_pool3d(
            squares,
            int64s(&[size, 1, 1]),
            int64s(&[1, 1, 1]),
            int64s(&[before, 0, 0, after, 0, 0]),
            int64s(&[1, 1, 1]),
            false,
            true,
            str("NCDHW"),
            None,
        ),
        rank => return Err(Reason(format!("needs an operand of rank 3 or 4, not {rank}"))),
    };
    let means = squeeze(means.upcast(), Some(ints(&[1]))).upcast();
    let scale = add(multiply(means, alpha).upcast(), bias).upcast();
    Ok(divide(x.clone(), power(scale, beta).upcast()).into())
}

// --- of Microsoft --------------------------------------------------------------------------------------------

fn placeholder() -> Expr {
    number(FLOAT32, 0.0)
}

fn skip_layer_norm(cx: &mut Node<'_, '_>) -> Converted {
    let gamma = cx.input(2)?;
    let beta = match cx.optional(3) {
        Some(beta) => beta,
        None => zeros_of(&gamma)?,
    };
    let mut total: Expr = add(cx.input(0)?, cx.input(1)?).upcast();
    if let Some(bias) = cx.optional(4) {
        total = add(total, bias).upcast();
    }
    let epsilon = epsilon(cx, 1e-12);
    let result = nn::layer_norm(total.clone(), gamma, beta, ints(&[-1]), epsilon, true, true).upcast();
    Ok(vec![result, placeholder(), placeholder(), total].into())
}

fn embed_layer_norm(cx: &mut Node<'_, '_>) -> Converted {
    let (words, segments) = (cx.input(0)?, cx.optional(1));
    let [batch, length] = <[i64; 2]>::try_from(lengths(&words)?)
        .map_err(|_| Reason::from("the first operand is not a matrix"))?;
    let positions = match cx.optional(8) {
        Some(positions) => positions,
        None => {
            let count = batch.checked_mul(length).and_then(|count| usize::try_from(count).ok());
            if count.is_none_or(|count| count > tvmscript_relax::evaluate::MAX_ELEMENTS) {
                return Err("there are too many positions".into());
            }
            let dims = vec![batch as usize, length as usize];
            let values = (0..batch).flat_map(|_| 0..length).map(i128::from);
            Constant::new(Tensor::of_ints(DataType::INT64, dims, values).encode()).upcast()
        }
    };
    let looked_up = |table: Expr, indices: Expr| take(table, indices, Some(0), str("fast")).upcast();
    let word = looked_up(cx.input(2)?, words);
    let mut total: Expr = add(word, looked_up(cx.input(3)?, positions)).upcast();
    if let Some(segments) = segments {
        total = add(total, looked_up(cx.input(4)?, segments)).upcast();
    }
    let (gamma, beta, epsilon) = (cx.input(5)?, cx.input(6)?, epsilon(cx, 1e-12));
    let result = nn::layer_norm(total.clone(), gamma, beta, ints(&[-1]), epsilon, true, true).upcast();
    let counts = match cx.optional(7) {
        Some(mask) => sum(mask, Some(ints(&[1])), false).upcast(),
        None => {
            let zeros = (0..batch).map(|_| 0i128);
            Constant::new(Tensor::of_ints(DataType::INT32, vec![batch as usize], zeros).encode()).upcast()
        }
    };
    Ok(vec![result, counts, total].into())
}
