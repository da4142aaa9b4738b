//! Convolution.
//!
//! Upstream counterpart: `src/relax/op/nn/convolution.cc`.

use tvmscript_ir_core::{Array, DataType, Ref, Str};
use tvmscript_ir_macros::operators;
#[cfg(feature = "build")]
use tvmscript_irbuilder::BuildError;
use tvmscript_prim::{self as prim, IntImm, ops};

use super::super::elementwise::{common_device, common_dtype};
use super::super::{Infer, InferError, InferErrorKind, Operator, tensor_of, tensor_of_rank};
use super::Inferred;
use super::window::{Window, canonical_dims, layout};
#[cfg(feature = "build")]
use super::window::{padding, per_axis};
#[cfg(feature = "build")]
use crate::build::args::{ExprArg, IntsArg};
use crate::describe;
use crate::node::attrs::{Conv1DAttrs, Conv1DTransposeAttrs, Conv2DAttrs, Conv2DTransposeAttrs, Conv3DAttrs};
use crate::node::*;

#[cfg(feature = "build")]
fn check_groups(groups: i64) -> tvmscript_irbuilder::Result<()> {
    match groups {
        1.. => Ok(()),
        _ => {
            let message = format!("`groups` is {groups}: it must be positive");
            Err(BuildError::message(message).at_parameter("groups"))
        }
    }
}

/// Declares convolutions by their attributes, the number of spatial axes with the defaults for it, and the layouts; those with
/// `output_padding` are transposed.
macro_rules! convolutions {
    ($($(#[$doc:meta])* $function:ident $text:literal $attrs:ident $rank:literal $spatial:literal
       strides = $stride:tt, padding = $padding:tt, $(output_padding = $output:tt,)? $data:literal $kernel:literal;)*) => {
        operators! {
            prefix = "relax.";
            result = Ref<Call>;
            script = crate::build::operator;

            $(
                $(#[$doc])*
                $function(
                    data: ExprArg, weight: ExprArg, strides: IntsArg = $stride, padding: IntsArg = $padding,
                    $(output_padding: IntsArg = $output,)? dilation: IntsArg = $stride, groups: i64 = 1,
                    data_layout: Str = $data, kernel_layout: Str = $kernel, out_layout: Option<Str> = None,
                    out_dtype: Option<DataType> = None
                ) -> infer(|cx| convolved(cx, cx.attrs::<$attrs>()?.into(), $spatial)),
                    text = $text {
                    check_groups(groups)?;
                    let attrs = $attrs {
                        strides: per_axis("strides", &strides.into_int64(), $rank)?,
                        padding: super::padding(&padding.into_int64(), $rank)?,
                        $(output_padding: convolutions!(@per_axis output_padding $output $rank),)?
                        dilation: per_axis("dilation", &dilation.into_int64(), $rank)?,
                        groups,
                        out_layout: out_layout.unwrap_or_else(|| data_layout.clone()),
                        data_layout,
                        kernel_layout,
                        out_dtype: out_dtype.unwrap_or(DataType::VOID),
                    };
                    Ok(Call::of_op(concat!("relax.", $text), [data.0, weight.0], Some(Ref::new(attrs).upcast())))
                }
            )*
        }
    };
    (@per_axis $value:ident $default:tt $rank:literal) => {
        per_axis(stringify!($value), &$value.into_int64(), $rank)?
    };
}

convolutions! {
    /// The convolution along one spatial axis.
    conv1d "nn.conv1d" Conv1DAttrs 1 "W" strides = 1, padding = 0, "NCW" "OIW";
    /// The transposed convolution along one spatial axis.
    conv1d_transpose "nn.conv1d_transpose" Conv1DTransposeAttrs 1 "W" strides = 1, padding = 0, output_padding = 0, "NCW" "IOW";
    /// The convolution along two spatial axes.
    conv2d "nn.conv2d" Conv2DAttrs 2 "HW" strides = [1, 1], padding = [0, 0], "NCHW" "OIHW";
    /// The transposed convolution along two spatial axes.
    conv2d_transpose "nn.conv2d_transpose" Conv2DTransposeAttrs 2 "HW"
        strides = [1, 1], padding = [0, 0], output_padding = [0, 0], "NCHW" "IOHW";
    /// The convolution along three spatial axes.
    conv3d "nn.conv3d" Conv3DAttrs 3 "DHW" strides = [1, 1, 1], padding = [0, 0, 0], "NCDHW" "OIDHW";
}

type Ints = Array<Ref<IntImm>>;

/// What a rule reads of the attributes of any convolution.
struct Convolution<'a> {
    window: Window<'a>,
    /// Where it is transposed: the elements added to one side of the result.
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
}

/// The result of a convolution along the spatial axes of these letters. The operator's own order of axes is samples, channels,
/// spatial axes for data and result; output channels, input channels (the other way round where it is transposed), spatial axes
/// for the weight.
fn convolved(cx: &mut Infer<'_>, conv: Convolution<'_>, spatial: &str) -> Inferred {
    let [data, weight] = cx.tensors()?;
    let [data_layout, kernel_layout, out_layout] = conv.layouts;
    let channels = if conv.output_padding.is_some() { "IO" } else { "OI" };
    let data_layout = layout(cx, "data_layout", data_layout, &format!("NC{spatial}"))?;
    let kernel_layout = layout(cx, "kernel_layout", kernel_layout, &format!("{channels}{spatial}"))?;
    let out_layout = layout(cx, "out_layout", out_layout, &format!("NC{spatial}"))?;
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
    let mut dims = vec![data_dims[0].clone(), out_channels(cx, &conv, &data_dims[1], &weight_dims)?];
    let rank = spatial.len();
    for axis in 0..rank {
        let lengths = [&data_dims[axis + 2], &weight_dims[axis + 2]];
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

/// Checks the channels against each other and the groups; the channels of the result.
fn out_channels(
    cx: &mut Infer<'_>,
    conv: &Convolution<'_>,
    of_data: &prim::Expr,
    weight: &[prim::Expr],
) -> std::result::Result<prim::Expr, InferError> {
    let groups = IntImm::int64(conv.groups);
    let per_group = |dim: &prim::Expr| ops::mul(dim.clone(), groups.clone());
    // Of the weight, one axis counts channels of one group only, the other those of all.
    let (input, output) = match conv.output_padding {
        None => (per_group(&weight[1])?, weight[0].clone()),
        Some(_) => (weight[0].clone(), per_group(&weight[1])?),
    };
    if cx.differ(of_data, &input)? {
        let (found, expected) = (describe::scalar(&input), describe::scalar(of_data));
        let what = match conv.groups {
            1 => format!("the weight takes {found} input channels, and the data has {expected}"),
            groups => {
                format!(
                    "the weight takes {found} input channels in {groups} groups, and the data has {expected}"
                )
            }
        };
        return Err(InferErrorKind::Shape { op: cx.op(), what }.at(1));
    }
    if cx.is_no_multiple(&weight[0], &groups)? {
        return Err(cx.wrong_attribute("groups", "does not divide the number of channels"));
    }
    Ok(output)
}

fn check_output_padding(
    cx: &Infer<'_>,
    added: &Ints,
    strides: &Ints,
    axis: usize,
) -> std::result::Result<(), InferError> {
    match (added.get(axis), strides.get(axis)) {
        (Some(added), Some(stride)) if added.value >= stride.value => {
            let what = format!("is {}, not less than the stride {}", added.value, stride.value);
            Err(cx.wrong_attribute("output_padding", what))
        }
        _ => Ok(()),
    }
}
