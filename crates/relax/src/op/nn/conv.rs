//! Convolution.
//!
//! Upstream counterpart: `src/relax/op/nn/convolution.cc`.

use super::window::{Window, canonical_dims, layout};
use crate::describe;
use crate::node::attrs::{
    Conv1DAttrs, Conv1DTransposeAttrs, Conv2DAttrs, Conv2DTransposeAttrs, Conv3DAttrs, Conv3DTransposeAttrs,
};
use crate::op::elementwise::{common_device, common_dtype};
use crate::op::prelude::*;

operators! {
    /// Convolution along one spatial axis.
    conv1d(
        data: Expr, weight: Expr; strides: PerAxis<1> = 1, padding: Padding<1> = 0,
        dilation: PerAxis<1> = 1, groups: Positive = 1, data_layout: Str = "NCW",
        kernel_layout: Str = "OIW", out_layout: Option<Str> = None, out_dtype: Option<DataType> = None
    ) -> infer(|cx| convolved(cx, cx.attrs::<Conv1DAttrs>()?.into(), "W")), text = "nn.conv1d",
        attrs = Conv1DAttrs {
            out_layout: out_layout.unwrap_or_else(|| data_layout.clone()), out_dtype: or_void(out_dtype), ..
        };
    /// Transposed convolution along one spatial axis.
    conv1d_transpose(
        data: Expr, weight: Expr; strides: PerAxis<1> = 1, padding: Padding<1> = 0, output_padding: PerAxis<1> = 0,
        dilation: PerAxis<1> = 1, groups: Positive = 1, data_layout: Str = "NCW",
        kernel_layout: Str = "IOW", out_layout: Option<Str> = None, out_dtype: Option<DataType> = None
    ) -> infer(|cx| convolved(cx, cx.attrs::<Conv1DTransposeAttrs>()?.into(), "W")), text = "nn.conv1d_transpose",
        attrs = Conv1DTransposeAttrs {
            out_layout: out_layout.unwrap_or_else(|| data_layout.clone()), out_dtype: or_void(out_dtype), ..
        };
    /// Convolution along two spatial axes.
    conv2d(
        data: Expr, weight: Expr; strides: PerAxis<2> = [1, 1], padding: Padding<2> = [0, 0],
        dilation: PerAxis<2> = [1, 1], groups: Positive = 1, data_layout: Str = "NCHW",
        kernel_layout: Str = "OIHW", out_layout: Option<Str> = None, out_dtype: Option<DataType> = None
    ) -> infer(|cx| convolved(cx, cx.attrs::<Conv2DAttrs>()?.into(), "HW")), text = "nn.conv2d",
        attrs = Conv2DAttrs {
            out_layout: out_layout.unwrap_or_else(|| data_layout.clone()), out_dtype: or_void(out_dtype), ..
        };
    /// Transposed convolution along two spatial axes.
    conv2d_transpose(
        data: Expr, weight: Expr; strides: PerAxis<2> = [1, 1], padding: Padding<2> = [0, 0],
        output_padding: PerAxis<2> = [0, 0],
        dilation: PerAxis<2> = [1, 1], groups: Positive = 1, data_layout: Str = "NCHW",
        kernel_layout: Str = "IOHW", out_layout: Option<Str> = None, out_dtype: Option<DataType> = None
    ) -> infer(|cx| convolved(cx, cx.attrs::<Conv2DTransposeAttrs>()?.into(), "HW")), text = "nn.conv2d_transpose",
        attrs = Conv2DTransposeAttrs {
            out_layout: out_layout.unwrap_or_else(|| data_layout.clone()), out_dtype: or_void(out_dtype), ..
        };
    /// Convolution along three spatial axes.
    conv3d(
        data: Expr, weight: Expr; strides: PerAxis<3> = [1, 1, 1], padding: Padding<3> = [0, 0, 0],
        dilation: PerAxis<3> = [1, 1, 1], groups: Positive = 1, data_layout: Str = "NCDHW",
        kernel_layout: Str = "OIDHW", out_layout: Option<Str> = None, out_dtype: Option<DataType> = None
    ) -> infer(|cx| convolved(cx, cx.attrs::<Conv3DAttrs>()?.into(), "DHW")), text = "nn.conv3d",
        attrs = Conv3DAttrs {
            out_layout: out_layout.unwrap_or_else(|| data_layout.clone()), out_dtype: or_void(out_dtype), ..
        };
}

/// The attributes that all convolutions have.
pub(in crate::op) struct Convolution<'a> {
    window: Window<'a>,
    /// Elements added to one side of the result, if transposed.
    output_padding: Option<&'a Ints>,
    groups: i64,
    layouts: [&'a Str; 3],
    out_dtype: DataType,
}

macro_rules! convolution_of {
    ($($attrs:ident $output_padding:expr;)*) => {$(
        impl<'a> From<&'a $attrs> for Convolution<'a> {
            fn from(attrs: &'a $attrs) -> Self {
                let output_padding: fn(&'a $attrs) -> Option<&'a Ints> = $output_padding;
                Convolution {
                    window: Window {
                        strides: &attrs.strides,
                        padding: &attrs.padding,
                        dilation: &attrs.dilation,
                    },
                    output_padding: output_padding(attrs),
                    groups: attrs.groups,
                    layouts: [&attrs.data_layout, &attrs.kernel_layout, &attrs.out_layout],
                    out_dtype: attrs.out_dtype,
                }
            }
        }
    )*};
}
convolution_of! {
    Conv1DAttrs |_| None;
    Conv2DAttrs |_| None;
    Conv3DAttrs |_| None;
    Conv1DTransposeAttrs |attrs| Some(&attrs.output_padding);
    Conv2DTransposeAttrs |attrs| Some(&attrs.output_padding);
    Conv3DTransposeAttrs |attrs| Some(&attrs.output_padding);
}

/// Infers a convolution along the spatial axes with these letters. The canonical layout of data and result is `NC`
/// followed by the spatial axes, that of the weight `OI` (`IO` if transposed) followed by them.
pub(in crate::op) fn convolved(cx: &mut Infer<'_>, conv: Convolution<'_>, spatial: &str) -> Inferred {
    let [data, weight] = cx.tensors()?;
    cx.expect_positive("groups", conv.groups)?;
    let [data_layout, kernel_layout, out_layout] = conv.layouts;
    let channels = if conv.output_padding.is_some() { "IO" } else { "OI" };
    let data_layout = layout("data_layout", data_layout, &format!("NC{spatial}"))?;
    let kernel_layout = layout("kernel_layout", kernel_layout, &format!("{channels}{spatial}"))?;
    let out_layout = layout("out_layout", out_layout, &format!("NC{spatial}"))?;
    let data_dims = canonical_dims(cx, 0, &data, &data_layout)?;
    let weight_dims = canonical_dims(cx, 1, &weight, &kernel_layout)?;
    let dtype = match conv.out_dtype.is_void() {
        true => common_dtype(cx, data.dtype, weight.dtype)?,
        false => conv.out_dtype,
    };
    let vdevice = common_device(cx, Some(&data), Some(&weight))?;
    let (Some(data_dims), Some(weight_dims)) = (data_dims, weight_dims) else {
        return Ok(tensor_of_rank(out_layout.rank(), dtype, vdevice));
    };
    let ([batch, of_data, ..], [outer, inner, ..]) = (&data_dims[..], &weight_dims[..]) else {
        unreachable!("canonical layouts have two axes before the spatial ones");
    };
    let mut dims = vec![batch.clone(), out_channels(cx, &conv, of_data, [outer, inner])?];
    let rank = spatial.len();
    for (axis, (length, kernel)) in data_dims.iter().zip(&weight_dims).skip(2).enumerate() {
        let lengths = [length, kernel];
        dims.push(match conv.output_padding {
            None => conv.window.places(cx, axis, rank, lengths, false)?,
            Some(added) => {
                check_output_padding(cx, added, conv.window.strides, axis)?;
                conv.window.length(cx, axis, rank, lengths, added)?
            }
        });
    }
    let dims = out_layout.dims_of_canonical(&dims).map_err(|error| cx.wrong_shape(error.to_string()))?;
    Ok(tensor_of(dims, dtype, vdevice))
}

/// Checks the channels, and returns those of the result. The weight has `outer` and `inner` ones.
fn out_channels(
    cx: &mut Infer<'_>,
    conv: &Convolution<'_>,
    of_data: &prim::Expr,
    [outer, inner]: [&prim::Expr; 2],
) -> Checked<prim::Expr> {
    let groups = IntImm::int64(conv.groups);
    let per_group = |dim: &prim::Expr| ops::mul(dim.clone(), groups.clone());
    // One axis of the weight counts the channels of one group, the other those of all groups.
    let (input, output) = match conv.output_padding {
        None => (per_group(inner)?, outer.clone()),
        Some(_) => (outer.clone(), per_group(inner)?),
    };
    if cx.differ(of_data, &input)? {
        let (found, expected) = (describe::scalar(&input), describe::scalar(of_data));
        let what = match conv.groups {
            1 => format!("input channels differ: the weight has {found}, the data {expected}"),
            groups => {
                format!(
                    "input channels differ: the weight has {found} in {groups} groups, the data {expected}"
                )
            }
        };
        return Err(cx.wrong_shape_at(1, what));
    }
    if cx.is_no_multiple(outer, &groups)? {
        return Err(cx.wrong_attribute("groups", "must divide the number of channels"));
    }
    Ok(output)
}

fn check_output_padding(cx: &Infer<'_>, added: &Ints, strides: &Ints, axis: usize) -> Checked<()> {
    match (added.get(axis), strides.get(axis)) {
        (Some(added), Some(stride)) if added.value >= stride.value => {
            let what = format!("must be less than the stride {}, found {}", stride.value, added.value);
            Err(cx.wrong_attribute("output_padding", what))
        }
        _ => Ok(()),
    }
}
