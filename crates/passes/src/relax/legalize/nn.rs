//! Activations and normalizations.
//!
//! Upstream counterparts: `python/tvm/relax/transform/legalize_ops/nn.py`, `topi/nn/{elemwise,batch_norm}.py`,
//! `topi/nn/{layer,group,instance,rms}_norm.h`.

use tvmscript_ir_core::{Array, DataType, ObjectLike as _};
use tvmscript_relax::attrs::{
    AttentionAttrs, BatchNormAttrs, GroupNormAttrs, InstanceNormAttrs, LayerNormAttrs, LeakyReluAttrs,
    PReluAttrs, RMSNormAttrs, SoftplusAttrs,
};
use tvmscript_te::TeError;

use super::Outcome;
use super::elementwise::{combine, combine_tensors, erf, map, map_named, with_scalar};
use super::manipulate::{reshaped, transposed, triangle};
use super::reduce::{full_place, is_half, reduce_axes, reduced, softmax_of, total};
use super::scalar::{Scalar, Scalars, constant, int};
use super::site::{Site, Value, reduced_dims};
use super::tensor::{Answer, Combine, ReduceAxis, Stage, Tensor, axis_of, reduce};

pub(super) fn leaky_relu(site: &mut Site<'_>) -> Answer<Outcome> {
    let alpha = site.attrs::<LeakyReluAttrs>()?.alpha;
    let x = site.tensor(0)?;
    Outcome::one(map(&x, |x| x.gt(0).select(x.clone(), &(&x * alpha)))?)
}

pub(super) fn prelu(site: &mut Site<'_>) -> Answer<Outcome> {
    let axis = site.attrs::<PReluAttrs>()?.axis;
    let (x, mut slope) = (site.tensor(0)?, site.tensor(1)?);
    let axis = x.axis(axis)?;
    if slope.rank() != 1 {
        return Err(TeError::Node("the slopes are not a list".to_owned()));
    }
    if slope.dims().pick(0).known() == Some(1) {
        let dims = [x.dims().pick(axis)];
        slope = Stage::python("slope_broadcasted").with_axes(&["c"]).over(&dims, |_| slope.at(&[int(0)]))?;
    }
    let result = Stage::python("compute").over(&x.dims(), |i| {
        let value = x.at(i);
        value.gt(0).select(value.clone(), &(&value * slope.at(&[i.pick(axis)])))
    });
    Outcome::one(result?)
}

pub(super) fn gelu(site: &mut Site<'_>) -> Answer<Outcome> {
    let x = site.tensor(0)?;
    let times = |a: &Tensor, b: &Tensor| combine_tensors(a, b, "multiply", |a, b| a * b);
    let scaled = with_scalar(&x, 0.5f64.sqrt(), "multiply", |a, b| a * b)?;
    let half = with_scalar(&erf(&scaled)?, 0.5, "multiply", |a, b| a * b)?;
    let sum = with_scalar(&half, 0.5, "add", |a, b| b + a)?;
    Outcome::one(times(&x, &sum)?)
}

pub(super) fn gelu_tanh(site: &mut Site<'_>) -> Answer<Outcome> {
    let x = site.tensor(0)?;
    let times = |a: &Tensor, b: &Tensor| combine_tensors(a, b, "multiply", |a, b| a * b);
    let scaled = |factor: f64| with_scalar(&x, factor, "multiply", |a, b| b * a);
    let half = scaled(0.5)?;
    let inner = scaled((2.0 / std::f64::consts::PI).sqrt())?;
    let square = times(&scaled(0.044715)?, &x)?;
    let sum = with_scalar(&square, 1.0, "add", |a, b| b + a)?;
    let tanh = map(&times(&inner, &sum)?, |x| x.call("tanh"))?;
    let sum = with_scalar(&tanh, 1.0, "add", |a, b| b + a)?;
    Outcome::one(times(&half, &sum)?)
}

pub(super) fn silu(site: &mut Site<'_>) -> Answer<Outcome> {
    let x = site.tensor(0)?;
    let sigmoid = map(&x, |x| x.call("sigmoid"))?;
    Outcome::one(combine_tensors(&x, &sigmoid, "multiply", |a, b| a * b)?)
}

pub(super) fn selu(site: &mut Site<'_>) -> Answer<Outcome> {
    let x = site.tensor(0)?;
    let positive = with_scalar(&x, 0.0, "maximum", |a, b| a.max(b))?;
    let exp = map(&x, |x| x.call("exp"))?;
    let less = with_scalar(&exp, 1.0, "subtract", |a, b| a - b)?;
    let scaled = with_scalar(&less, 1.673_263_242_354_377_2, "multiply", |a, b| b * a)?;
    let negative = with_scalar(&scaled, 0.0, "minimum", |a, b| b.min(a))?;
    let sum = combine_tensors(&positive, &negative, "add", |a, b| a + b)?;
    Outcome::one(with_scalar(&sum, 1.050_700_987_355_480_5, "multiply", |a, b| b * a)?)
}

pub(super) fn softplus(site: &mut Site<'_>) -> Answer<Outcome> {
    let SoftplusAttrs { beta, threshold } = *site.attrs::<SoftplusAttrs>()?;
    let x = site.tensor(0)?;
    let result = map(&x, |x| {
        let (beta, one) = (constant(x.dtype(), beta), constant(x.dtype(), 1.0));
        let scaled = &beta * &x;
        let curve = &one / beta * (one + scaled.call("exp")).call("log");
        scaled.gt(threshold).select(x, &curve)
    });
    Outcome::one(result?)
}

pub(super) fn batch_norm(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<BatchNormAttrs>()?;
    let [data, gamma, beta, mean, variance] =
        [site.tensor(0)?, site.tensor(1)?, site.tensor(2)?, site.tensor(3)?, site.tensor(4)?];
    let axis = data.axis(attrs.axis)?;
    let own = data.dims();
    let dims = vec![int(1); own.len()].with_at(axis, own.pick(axis));
    let wide = |x: &Tensor| reshaped(x, &dims);
    let arithmetic = |a: &Tensor, b: &Tensor, name: &str| match name {
        "add" => combine_tensors(a, b, name, |a, b| a + b),
        "subtract" => combine_tensors(a, b, name, |a, b| a - b),
        "divide" => combine_tensors(a, b, name, |a, b| a / b),
        _ => combine_tensors(a, b, "multiply", |a, b| a * b),
    };
    let root = |x: &Tensor| {
        let sum = with_scalar(&wide(x)?, attrs.epsilon, "add", |a, b| a + b)?;
        map(&sum, |x| x.call("sqrt"))
    };
    let mut moved = [mean.clone(), variance.clone()];
    let mut out = if attrs.training {
        let axes: Vec<usize> = (0..own.len()).filter(|other| *other != axis).collect();
        let count = own.without(&[axis]).product();
        let mean_of = |x: &Tensor| {
            let sum = reduced(x, &axes, false, Combine::Sum)?;
            with_scalar(&sum, &count, "divide", |a, b| a / b)
        };
        let batch_mean = mean_of(&data)?;
        let wide_mean = wide(&batch_mean)?;
        let left = arithmetic(&data, &wide_mean, "subtract")?;
        let right = arithmetic(&data, &wide_mean, "subtract")?;
        let batch_variance = mean_of(&arithmetic(&left, &right, "multiply")?)?;
        let momentum = attrs.momentum;
        let mixed = |old: &Tensor, new: &Tensor| {
            let old = with_scalar(old, 1.0 - momentum, "multiply", |a, b| b * a)?;
            let new = with_scalar(new, momentum, "multiply", |a, b| b * a)?;
            combine_tensors(&old, &new, "add", |a, b| a + b)
        };
        moved = [mixed(&mean, &batch_mean)?, mixed(&variance, &batch_variance)?];
        let deviation = arithmetic(&data, &wide_mean, "subtract")?;
        arithmetic(&deviation, &root(&batch_variance)?, "divide")?
    } else {
        let deviation = arithmetic(&data, &wide(&mean)?, "subtract")?;
        moved = {
            let [mean, variance] = &moved;
            let same = |x: &Tensor| with_scalar(x, 1.0, "multiply", |a, b| a * b);
            [same(mean)?, same(variance)?]
        };
        arithmetic(&deviation, &root(&variance)?, "divide")?
    };
    if attrs.scale {
        out = arithmetic(&out, &wide(&gamma)?, "multiply")?;
    }
    if attrs.center {
        out = arithmetic(&out, &wide(&beta)?, "add")?;
    }
    let [mean, variance] = moved;
    Ok(Outcome::Tensors(vec![out, mean, variance]))
}

/// Numbers as `float32` if they are `float16`.
fn widened(value: Scalar) -> Scalar {
    if is_half(value.dtype()) { value.cast(DataType::FLOAT32) } else { value }
}

/// A number in the type of the data.
fn narrowed(value: Scalar, dtype: DataType) -> Scalar {
    if is_half(dtype) { value.cast(dtype) } else { value }
}

fn check_float(x: &Tensor) -> Answer<()> {
    match x.dtype() == DataType::FLOAT32 || is_half(x.dtype()) {
        true => Ok(()),
        false => Err(TeError::Node("the data must be `float32` or `float16`".to_owned())),
    }
}

/// Number of elements that are normalized together.
fn extent(x: &Tensor, axes: &[usize], dtype: DataType) -> Scalar {
    axes.iter().fold(constant(dtype, 1.0), |count, axis| count * x.dims().pick(*axis))
}

/// The indices at some axes.
fn at_axes(indices: &[Scalar], axes: &[usize]) -> Vec<Scalar> {
    axes.iter().map(|axis| indices.pick(*axis)).collect()
}

pub(super) fn layer_norm(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<LayerNormAttrs>()?;
    let (x, gamma, beta) = (site.tensor(0)?, site.tensor(1)?, site.tensor(2)?);
    check_float(&x)?;
    let axes = x.axes(Some(attrs.axes.iter()))?;
    let rest = x.dims().without(&axes);
    let name = x.name();
    let stage = |suffix: &str| Stage::new(format!("{name}_{suffix}"));
    let count = extent(&x, &axes, DataType::FLOAT32);
    let over = reduce_axes(&x, &axes)?;
    let sum = stage("sum").over(&rest, |i| {
        Combine::Sum.over(widened(x.at(&full_place(x.rank(), i, &axes, &over, false))), &over)
    })?;
    let mean = stage("mean").over(&rest, |i| sum.at(i) / &count)?;
    let over = reduce_axes(&x, &axes)?;
    let squares = stage("var_sum").over(&rest, |i| {
        let deviation = widened(x.at(&full_place(x.rank(), i, &axes, &over, false))) - mean.at(i);
        Combine::Sum.over(&deviation * &deviation, &over)
    })?;
    let result = Stage::new("T_layer_norm").over(&x.dims(), |i| {
        let place = i.without(&axes);
        let variance = squares.at(&place) / &count;
        let normal = (widened(x.at(i)) - mean.at(&place)) * (variance + attrs.epsilon).call("rsqrt");
        let own = at_axes(i, &axes);
        narrowed(normal, x.dtype()) * gamma.at(&own) + beta.at(&own)
    });
    Outcome::one(result?)
}

/// The sums of elements and of their squares.
fn sums(x: &Tensor, axes: &[usize], name: &str) -> Answer<[Tensor; 2]> {
    let over = reduce_axes(x, axes)?;
    let both =
        Stage::new(format!("{name}_red_temp")).all_over(&reduced_dims(&x.dims(), axes, false), |i| {
            let value = widened(x.at(&full_place(x.rank(), i, axes, &over, false)));
            let sums = reduce(
                [value.clone(), &value * &value],
                &over,
                |[a, b], [c, d]| [a + c, b + d],
                |dtypes| dtypes.map(|dtype| constant(dtype, 0.0)),
            );
            sums.map_or_else(|error| vec![Scalar(Err(error))], Vec::from)
        })?;
    <[Tensor; 2]>::try_from(both).map_err(|_| TeError::Node("a reduction has no result".to_owned()))
}

/// The element without its mean, divided by its deviation.
fn normalized(value: Scalar, [sum, squares]: [Scalar; 2], count: &Scalar, epsilon: f64) -> Scalar {
    let mean = sum / count;
    let variance = squares / count - &mean * &mean;
    (value - mean) * (variance + epsilon).call("rsqrt")
}

pub(super) fn instance_norm(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<InstanceNormAttrs>()?;
    let (x, gamma, beta) = (site.tensor(0)?, site.tensor(1)?, site.tensor(2)?);
    check_float(&x)?;
    let axes = x.axes(Some(attrs.axes.iter()))?;
    let channel = x.axis(attrs.channel_axis)?;
    let sums = sums(&x, &axes, &x.name())?;
    let count = extent(&x, &axes, DataType::FLOAT32);
    let result = Stage::new("T_instance_norm").over(&x.dims(), |i| {
        let place = i.without(&axes);
        let normal =
            normalized(widened(x.at(i)), sums.each_ref().map(|sum| sum.at(&place)), &count, attrs.epsilon);
        let own = [i.pick(channel)];
        narrowed(normal, x.dtype()) * gamma.at(&own) + beta.at(&own)
    });
    Outcome::one(result?)
}

pub(super) fn group_norm(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<GroupNormAttrs>()?;
    let (x, gamma, beta) = (site.tensor(0)?, site.tensor(1)?, site.tensor(2)?);
    check_float(&x)?;
    if attrs.num_groups < 1 {
        return Err(TeError::Node("the number of groups is not positive".to_owned()));
    }
    let channel = x.axis(attrs.channel_axis)?;
    let own = x.dims();
    let groups = int(attrs.num_groups);
    let size = own.pick(channel).floordiv(&groups);
    let grouped_dims = own.with_at(channel, size.clone()).with_inserted(channel, groups.clone());
    let mut grouped = reshaped(&x, &grouped_dims)?;
    if is_half(x.dtype()) {
        grouped = map_named(&grouped, "T_cast", |x| x.cast(DataType::FLOAT32))?;
    }
    let of_channel = [groups, size];
    let (scale, shift) = (reshaped(&gamma, &of_channel)?, reshaped(&beta, &of_channel)?);
    let mut axes = vec![channel + 1];
    for axis in attrs.axes.iter() {
        let axis = axis_of(axis.value, own.len())?;
        axes.push(if axis < channel { axis } else { axis + 1 });
    }
    axes.sort_unstable();
    let sums = sums(&grouped, &axes, &x.name())?;
    let count = extent(&grouped, &axes, DataType::FLOAT32);
    let result = Stage::new("T_group_norm").over(&grouped_dims, |i| {
        let place = i.without(&axes);
        let normal =
            normalized(grouped.at(i), sums.each_ref().map(|sum| sum.at(&place)), &count, attrs.epsilon);
        let own = [i.pick(channel), i.pick(channel + 1)];
        narrowed(normal, x.dtype()) * scale.at(&own) + shift.at(&own)
    })?;
    Outcome::one(reshaped(&result, &own)?)
}

pub(super) fn rms_norm(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<RMSNormAttrs>()?;
    let (x, weight) = (site.tensor(0)?, site.tensor(1)?);
    let axes = x.axes(Some(attrs.axes.iter()))?;
    let wide = |x: &Tensor| map_named(x, "T_cast", |x| x.cast(DataType::FLOAT32));
    let data = wide(&x)?;
    let weight = wide(&weight)?;
    let square = combine_tensors(&data, &data, "multiply", |a, b| a * b)?;
    let sum = reduced(&square, &axes, false, Combine::Sum)?;
    let count = extent(&x, &axes, DataType::FLOAT32);
    let root = Stage::new("rsqrt").over(&x.dims().without(&axes), |i| {
        (sum.at(i) / &count + constant(x.dtype(), attrs.epsilon)).call("rsqrt")
    })?;
    let result = Stage::new("T_rms_norm")
        .over(&x.dims(), |i| root.at(&i.without(&axes)) * data.at(i) * weight.at(&at_axes(i, &axes)))?;
    Outcome::one(map_named(&result, "T_cast", |value| value.cast(x.dtype()))?)
}

/// A product of matrices, batch by batch.
fn batch_matmul(a: &Tensor, b: &Tensor, dims: &[Scalar], is_transposed: bool) -> Answer<Tensor> {
    let k = ReduceAxis::new(&a.dims().pick(2), "k")?;
    let batch = |x: &Tensor, index: Scalar| if x.dims().pick(0).known() == Some(1) { int(0) } else { index };
    let name = if is_transposed { "T_batch_matmul_NT" } else { "T_batch_matmul_NN" };
    let free = Array::new([b.0.clone()]).into_object();
    let stage = Stage::python(name).with_axes(&["b", "i", "j"]);
    stage.with_attr("layout_free_placeholders", free.into()).over(dims, |i| {
        let right = if is_transposed { [i.pick(2), k.index()] } else { [k.index(), i.pick(2)] };
        let [row, column] = right;
        let value = a.at(&[batch(a, i.pick(0)), i.pick(1), k.index()])
            * b.at(&[batch(b, i.pick(0)), row, column]).cast(a.dtype());
        Combine::Sum.over(value, std::slice::from_ref(&k))
    })
}

pub(super) fn attention(site: &mut Site<'_>, has_bias: bool) -> Answer<Outcome> {
    let attrs = site.attrs::<AttentionAttrs>()?;
    if attrs.window_size.is_some() {
        return Ok(Outcome::Keep);
    }
    let (q, k, v) = (site.tensor(0)?, site.tensor(1)?, site.tensor(2)?);
    let bias = if has_bias { Some(site.tensor(3)?) } else { None };
    let (q_dims, v_dims) = (q.dims(), v.dims());
    let [batch, length, heads, size] = [0, 1, 2, 3].map(|axis| q_dims.pick(axis));
    let (of_keys, of_values) = (v_dims.pick(1), v_dims.pick(3));
    let all = &batch * &heads;
    let flat = |x: &Tensor, length: &Scalar, size: &Scalar| {
        reshaped(&transposed(x, &[0, 2, 1, 3])?, &[all.clone(), length.clone(), size.clone()])
    };
    let (q, k, v) = (flat(&q, &length, &size)?, flat(&k, &of_keys, &size)?, flat(&v, &of_keys, &of_values)?);
    let scores = batch_matmul(&q, &k, &[all.clone(), length.clone(), of_keys.clone()], true)?;
    let mut scores = match &attrs.scale {
        Some(scale) => with_scalar(&scores, scale.value, "multiply", |a, b| a * b)?,
        None => {
            let root = Value::Scalar(size.cast(scores.dtype()).call("sqrt"));
            combine(&Value::Tensor(scores), &root, "divide", |a, b| a / b)?
        }
    };
    if let Some(bias) = bias {
        let wide = reshaped(&scores, &[batch.clone(), heads.clone(), length.clone(), of_keys.clone()])?;
        let sum = combine_tensors(&wide, &bias, "add", |a, b| a + b)?;
        scores = reshaped(&sum, &[all.clone(), length.clone(), of_keys.clone()])?;
    }
    let weights = match attrs.causal_mask.as_ref().map(|mask| mask.as_str()) {
        None => softmax_of(&scores, 2)?,
        Some(mask) => {
            let offset = match mask {
                "BottomRight" => super::elementwise::abs(&(&length - &of_keys)),
                _ => int(0),
            };
            let masked = triangle(&scores, &offset, false)?;
            let greatest = reduced(&masked, &[2], true, Combine::Max)?;
            let exp =
                map(&combine_tensors(&masked, &greatest, "subtract", |a, b| a - b)?, |x| x.call("exp"))?;
            let exp = triangle(&exp, &offset, false)?;
            let sum = reduced(&exp, &[2], true, Combine::Sum)?;
            combine_tensors(&exp, &sum, "divide", |a, b| a / b)?
        }
    };
    let product = batch_matmul(&weights, &v, &[all, length.clone(), of_values.clone()], false)?;
    let wide = reshaped(&product, &[batch, heads, length, of_values])?;
    Outcome::one(transposed(&wide, &[0, 2, 1, 3])?)
}

/// The negative sum of products, divided by the number of rows if there are rows.
pub(super) fn cross_entropy(site: &mut Site<'_>) -> Answer<Outcome> {
    let (x, y) = (site.tensor(0)?, site.tensor(1)?);
    let product = combine_tensors(&x, &y, "multiply", |a, b| a * b)?;
    let loss = with_scalar(&total(&product)?, -1.0, "multiply", |a, b| a * b)?;
    if x.rank() < 2 {
        return Outcome::one(loss);
    }
    let rows = Value::Scalar(x.dims().pick(0));
    Outcome::one(combine(&Value::Tensor(loss), &rows, "divide", |a, b| a / b)?)
}
