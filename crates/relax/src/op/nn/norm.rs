//! Normalization.
//!
//! Upstream counterpart: `src/relax/op/nn/nn.cc`.

use super::check_ieee_float;
use crate::analysis::same_dim;
use crate::describe;
use crate::node::attrs::{BatchNormAttrs, GroupNormAttrs, InstanceNormAttrs, LayerNormAttrs, RMSNormAttrs};
use crate::op::elementwise::check_float;
use crate::op::prelude::*;

operators! {
    /// Normalizes each channel by the statistics of the batch; the results are the tensor and both running statistics.
    batch_norm(
        data: Expr, gamma: Expr, beta: Expr, moving_mean: Expr, moving_var: Expr;
        axis: i64, epsilon: f64 = 1e-5, center: bool = true, scale: bool = true, momentum: f64 = 0.1, training: bool = true
    ) -> infer(batch_normed), text = "nn.batch_norm", attrs = BatchNormAttrs;
    /// Normalizes each sample over the given axes.
    layer_norm(
        data: Expr, gamma: Expr, beta: Expr;
        axes: Ints, epsilon: f64 = 1e-5, center: bool = true, scale: bool = true
    ) -> infer(layer_normed), text = "nn.layer_norm", attrs = LayerNormAttrs;
    /// Normalizes over the given axes and groups of channels.
    group_norm(
        data: Expr, gamma: Expr, beta: Expr;
        num_groups: i64, channel_axis: i64, axes: Ints, epsilon: f64 = 1e-5, center: bool = true, scale: bool = true
    ) -> infer(group_normed), text = "nn.group_norm", attrs = GroupNormAttrs;
    /// Normalizes each sample and channel over the given axes.
    instance_norm(
        data: Expr, gamma: Expr, beta: Expr;
        channel_axis: i64, axes: Ints, epsilon: f64 = 1e-5, center: bool = true, scale: bool = true
    ) -> infer(instance_normed), text = "nn.instance_norm", attrs = InstanceNormAttrs;
    /// Divides by the root mean square over the given axes.
    rms_norm(data: Expr, weight: Expr; axes: Ints = [-1], epsilon: f64 = 1e-5)
        -> infer(rms_normed), text = "nn.rms_norm", attrs = RMSNormAttrs;
}

fn check_same_dtype(
    cx: &Infer<'_>,
    index: usize,
    x: &TensorStructInfo,
    data: &TensorStructInfo,
) -> Checked<()> {
    if x.dtype == data.dtype {
        return Ok(());
    }
    let expected = format!("a tensor of the type of the data, `{}`", data.dtype);
    Err(cx.wrong_dtype(index, expected, x.dtype))
}

fn check_rank(cx: &Infer<'_>, index: usize, x: &TensorStructInfo, rank: usize) -> Checked<()> {
    if usize::try_from(x.ndim) == Ok(rank) {
        return Ok(());
    }
    Err(cx.wrong_rank(index, format!("rank {rank}"), x.ndim))
}

/// Checks the parameters of a normalization (all operands but the first) against the axes of the data. Returns `true`
/// if they provably match.
fn parameters_agree(
    cx: &mut Infer<'_>,
    tensors: &[Ref<TensorStructInfo>],
    axes: &Array<Ref<IntImm>>,
) -> Checked<bool> {
    let [data, params @ ..] = tensors else { return Ok(true) };
    let picked = match data.is_unknown_ndim() {
        true => vec![],
        false => cx.axes(axes, data.ndim)?,
    };
    check_float(cx, 0, data)?;
    for (i, param) in params.iter().enumerate() {
        check_same_dtype(cx, i + 1, param, data)?;
        check_rank(cx, i + 1, param, axes.len())?;
    }
    // If the lengths of the data are unknown, the parameters are compared with the first one of known shape.
    let lengths: Option<Vec<prim::Expr>> =
        data.dims().map(|dims| picked.iter().map(|&axis| dims[axis].clone()).collect());
    let lengths = lengths.map(|lengths| (0, lengths)).into_iter();
    let of_params = params
        .iter()
        .enumerate()
        .filter_map(|(i, param)| param.dims().map(|dims| (i + 1, dims.iter().cloned().collect::<Vec<_>>())));
    let mut all = lengths.chain(of_params);
    let Some((_, expected)) = all.next() else { return Ok(true) };
    for (index, found) in all {
        for (a, b) in expected.iter().zip(&found) {
            if cx.differ(a, b)? {
                let (expected, found) = (describe::scalar(a), describe::scalar(b));
                let what = format!("expected length {expected}, as the axis of the data, found {found}");
                return Err(cx.wrong_shape_at(index, what));
            }
            if !same_dim(a, b, cx.analyzer) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn without_shape(data: &TensorStructInfo) -> Ref<StructInfo> {
    tensor_of_rank(data.ndim, data.dtype, data.vdevice.clone())
}

fn batch_normed(cx: &mut Infer<'_>) -> Inferred {
    let tensors: [Ref<TensorStructInfo>; 5] = cx.tensors()?;
    let value = cx.attrs::<BatchNormAttrs>()?.axis;
    let axis = Ref::new(IntImm { span: Span::UNKNOWN, dtype: DataType::INT64, value });
    if parameters_agree(cx, &tensors, &[axis].into_iter().collect())? {
        let [data, _, _, mean, variance] = tensors;
        return Ok(TupleStructInfo::new([data.upcast(), mean.upcast(), variance.upcast()]));
    }
    let data = &tensors[0];
    let statistics = tensor_of_rank(1, data.dtype, data.vdevice.clone());
    Ok(TupleStructInfo::new([without_shape(data), statistics.clone(), statistics]))
}

fn layer_normed(cx: &mut Infer<'_>) -> Inferred {
    let tensors: [_; 3] = cx.tensors()?;
    normed(cx, &tensors, &tensors[0], &cx.attrs::<LayerNormAttrs>()?.axes)
}

fn rms_normed(cx: &mut Infer<'_>) -> Inferred {
    let tensors: [_; 2] = cx.tensors()?;
    normed(cx, &tensors, &tensors[0], &cx.attrs::<RMSNormAttrs>()?.axes)
}

/// The data, if the parameters after it agree with it.
fn normed(
    cx: &mut Infer<'_>,
    tensors: &[Ref<TensorStructInfo>],
    data: &Ref<TensorStructInfo>,
    axes: &Array<Ref<IntImm>>,
) -> Inferred {
    Ok(match parameters_agree(cx, tensors, axes)? {
        true => data.clone().upcast(),
        false => without_shape(data),
    })
}

/// The channel axis, which must not be normalized over; `None` if the rank is unknown.
fn channel_axis(
    cx: &Infer<'_>,
    data: &TensorStructInfo,
    channel_axis: i64,
    axes: &Array<Ref<IntImm>>,
) -> Checked<Option<usize>> {
    if data.is_unknown_ndim() {
        return Ok(None);
    }
    let channels = cx.axis(channel_axis, data.ndim)?;
    match cx.axes(axes, data.ndim)?.contains(&channels) {
        true => Err(cx.wrong_attribute("axes", format!("must not include the channel axis {channel_axis}"))),
        false => Ok(Some(channels)),
    }
}

/// Checks that each parameter has one value per channel.
fn check_parameters(
    cx: &mut Infer<'_>,
    data: &TensorStructInfo,
    params: &[Ref<TensorStructInfo>],
    channels: Option<&prim::Expr>,
) -> Checked<()> {
    for (i, param) in params.iter().enumerate() {
        check_same_dtype(cx, i + 1, param, data)?;
        check_rank(cx, i + 1, param, 1)?;
        if let (Some(channels), Some(dims)) = (channels, param.dims())
            && cx.differ(channels, &dims[0])?
        {
            return Err(cx.wrong_shape_at(i + 1, "expected one value per channel"));
        }
    }
    Ok(())
}

fn group_normed(cx: &mut Infer<'_>) -> Inferred {
    let [data, gamma, beta] = cx.tensors()?;
    let attrs = cx.attrs::<GroupNormAttrs>()?;
    let axis = channel_axis(cx, &data, attrs.channel_axis, &attrs.axes)?;
    check_ieee_float(cx, 0, &data)?;
    let channels = axis.and_then(|axis| data.dims().map(|dims| dims[axis].clone()));
    if let Some(channels) = &channels
        && cx.is_no_multiple(channels, &IntImm::int64(attrs.num_groups))?
    {
        return Err(cx.wrong_attribute("num_groups", "must divide the number of channels"));
    }
    check_parameters(cx, &data, &[gamma, beta], channels.as_ref())?;
    Ok(data.upcast())
}

fn instance_normed(cx: &mut Infer<'_>) -> Inferred {
    let [data, gamma, beta] = cx.tensors()?;
    let attrs = cx.attrs::<InstanceNormAttrs>()?;
    let axis = channel_axis(cx, &data, attrs.channel_axis, &attrs.axes)?;
    let channels = axis.and_then(|axis| data.dims().map(|dims| dims[axis].clone()));
    check_parameters(cx, &data, &[gamma, beta], channels.as_ref())?;
    Ok(data.upcast())
}
