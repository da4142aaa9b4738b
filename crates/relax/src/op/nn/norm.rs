//! Normalisation.
//!
//! Upstream counterpart: `src/relax/op/nn/nn.cc`.

use tvmscript_ir_core::{Array, DataType, Ref, Span};
use tvmscript_ir_macros::operators;
use tvmscript_prim::{self as prim, IntImm};

use super::super::elementwise::check_float;
use super::super::{Infer, InferError, InferErrorKind, Operator, tensor_of_rank};
use super::{Inferred, check_ieee_float};
use crate::analysis::same_dim;
use crate::describe;
use crate::node::attrs::{BatchNormAttrs, GroupNormAttrs, InstanceNormAttrs, LayerNormAttrs, RMSNormAttrs};
use crate::node::*;
use crate::op::kind::Ints;

type Checked<T> = std::result::Result<T, InferError>;

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// Normalises each channel by the statistics of the batch; gives the tensor and both running statistics.
    batch_norm(
        data: Expr, gamma: Expr, beta: Expr, moving_mean: Expr, moving_var: Expr;
        axis: i64, epsilon: f64 = 1e-5, center: bool = true, scale: bool = true, momentum: f64 = 0.1, training: bool = true
    ) -> infer(batch_normed), text = "nn.batch_norm", attrs = BatchNormAttrs;
    /// Normalises over the given axes of each sample.
    layer_norm(
        data: Expr, gamma: Expr, beta: Expr;
        axes: Ints, epsilon: f64 = 1e-5, center: bool = true, scale: bool = true
    ) -> infer(layer_normed), text = "nn.layer_norm", attrs = LayerNormAttrs;
    /// Normalises over the given axes and groups of channels.
    group_norm(
        data: Expr, gamma: Expr, beta: Expr;
        num_groups: i64, channel_axis: i64, axes: Ints, epsilon: f64 = 1e-5, center: bool = true, scale: bool = true
    ) -> infer(group_normed), text = "nn.group_norm", attrs = GroupNormAttrs;
    /// Normalises over the given axes of each sample and channel.
    instance_norm(
        data: Expr, gamma: Expr, beta: Expr;
        channel_axis: i64, axes: Ints, epsilon: f64 = 1e-5, center: bool = true, scale: bool = true
    ) -> infer(instance_normed), text = "nn.instance_norm", attrs = InstanceNormAttrs;
    /// Divides by the root of the mean square over the given axes.
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
    let expected = format!("a tensor of the type of the data, `{}`,", data.dtype);
    Err(InferErrorKind::Dtype { op: cx.op(), expected, found: x.dtype }.at(index))
}

fn check_rank(cx: &Infer<'_>, index: usize, x: &TensorStructInfo, rank: usize) -> Checked<()> {
    if usize::try_from(x.ndim) == Ok(rank) {
        return Ok(());
    }
    Err(InferErrorKind::Rank { op: cx.op(), expected: format!("rank {rank}"), found: x.ndim }.at(index))
}

/// Checks the parameters of a normalisation (all operands but the first) against the axes of the data that they belong to.
/// Whether they agree for certain; where not, it is not looked further.
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
    // Without the lengths of the data, those of the first parameter that has any are what the others are held against.
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
                let what = format!("this has the length {found}, and the axis that it belongs to {expected}");
                return Err(InferErrorKind::Shape { op: cx.op(), what }.at(index));
            }
            if !same_dim(a, b, cx.analyzer) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The data's struct info without the shape.
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
    normed(cx, &tensors, &cx.attrs::<LayerNormAttrs>()?.axes)
}

fn rms_normed(cx: &mut Infer<'_>) -> Inferred {
    let tensors: [_; 2] = cx.tensors()?;
    normed(cx, &tensors, &cx.attrs::<RMSNormAttrs>()?.axes)
}

fn normed(cx: &mut Infer<'_>, tensors: &[Ref<TensorStructInfo>], axes: &Array<Ref<IntImm>>) -> Inferred {
    Ok(match parameters_agree(cx, tensors, axes)? {
        true => tensors[0].clone().upcast(),
        false => without_shape(&tensors[0]),
    })
}

/// The axis of channels, which is none of those that are normalised over; none where the rank is not known.
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
        true => {
            Err(cx.wrong_attribute("axes", format!("have the axis of channels {channel_axis} among them")))
        }
        false => Ok(Some(channels)),
    }
}

/// Checks the parameters of a normalisation: one value a channel each.
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
            let what = "the parameter does not have one value a channel".to_owned();
            return Err(InferErrorKind::Shape { op: cx.op(), what }.at(i + 1));
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
        return Err(cx.wrong_attribute("num_groups", "does not divide the number of channels"));
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
