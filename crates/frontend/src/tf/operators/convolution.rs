//! Convolutions and pooling. Data stay in the layout that they have; kernels are HWIO.

use tvmscript_ir_core::Str;
use tvmscript_prim::{self as prim, ops::int_value};
use tvmscript_relax::Expr;
use tvmscript_relax::op::nn::conv::{conv2d, conv2d_transpose, conv3d};
use tvmscript_relax::op::nn::pool::{avg_pool2d, avg_pool3d, max_pool2d, max_pool3d};
use tvmscript_relax::op::nn::resample::pad;
use tvmscript_relax::op::shape::permute_dims;
use tvmscript_relax::op::tvm_0_27::nn::conv3d_transpose;

use super::super::node::{Converted, Node};
use super::nn::fused;
use super::slice::{Range, slice};
use super::{only, rows};
use crate::error::Reason;
use crate::ops::{self, int64s, ints, lengths};

rows! {
    "AvgPool", "AvgPool3D" => |cx| pool(cx, false), "nn.avg_pool2d, nn.avg_pool3d",
        "padding `SAME` with a stride along an axis of unknown length";
    "Conv2D" => |cx| Ok(convolution(cx)?.into()), "nn.conv2d",
        "kernels of unknown shape; padding `SAME` with a stride along an axis of unknown length";
    "Conv2DBackpropInput" => |cx| transposed(cx, false), "permute_dims, nn.conv2d_transpose",
        "an output whose height and width are not constant";
    "Conv3D" => |cx| Ok(convolution(cx)?.into()), "nn.conv3d",
        "kernels of unknown shape; padding `SAME` with a stride along an axis of unknown length";
    "Conv3DBackpropInputV2" => |cx| transposed(cx, false), "permute_dims, nn.conv3d_transpose",
        "an output whose spatial axes are not constant";
    "DepthwiseConv2dNative" => |cx| Ok(depthwise(cx)?.into()), "reshape of the kernel, nn.conv2d",
        "kernels of unknown shape; padding `SAME` with a stride along an axis of unknown length";
    "DepthwiseConv2dNativeBackpropInput" => |cx| transposed(cx, true), "reshape, permute_dims, nn.conv2d_transpose",
        "an output whose height and width are not constant";
    "MaxPool", "MaxPool3D", "MaxPoolV2" => |cx| pool(cx, true), "nn.max_pool2d, nn.max_pool3d",
        "padding `SAME` with a stride along an axis of unknown length";
    "_FusedConv2D" => |cx| {
        let convolved = convolution(cx)?;
        fused(cx, convolved, 2)
    }, "nn.conv2d, and the fused operators", "fused operators other than BiasAdd, Add and activations";
    "_FusedDepthwiseConv2dNative" => |cx| {
        let convolved = depthwise(cx)?;
        fused(cx, convolved, 2)
    }, "nn.conv2d, and the fused operators", "fused operators other than BiasAdd, Add and activations";
}

/// Windows that move over spatial axes.
pub(super) struct Windows {
    layout: String,
    pub(super) strides: Vec<i64>,
    pub(super) dilations: Vec<i64>,
    /// Elements added before each spatial axis, then those added after each.
    pub(super) padding: Vec<i64>,
}

/// The positions of the spatial axes in a layout.
fn spatial(layout: &str) -> Vec<usize> {
    layout.char_indices().filter(|(_, axis)| !matches!(axis, 'N' | 'C')).map(|(at, _)| at).collect()
}

/// The numbers of spatial axes; those of the others must be 1.
pub(super) fn of_spatial(what: &str, all: &[i64], layout: &str) -> Result<Vec<i64>, Reason> {
    let positions = spatial(layout);
    if all.len() != layout.len() {
        return Err(Reason(format!("`{what}` needs {} numbers, found {}", layout.len(), all.len())));
    }
    let others = all.iter().enumerate().filter(|(at, _)| !positions.contains(at));
    if others.clone().any(|(_, number)| *number != 1) {
        return Err(Reason(format!("`{what}` must be 1 along batches and channels")));
    }
    let found: Vec<i64> = positions.iter().filter_map(|at| all.get(*at).copied()).collect();
    match found.iter().all(|number| (1..=1 << 24).contains(number)) {
        true => Ok(found),
        false => Err(Reason(format!("`{what}` must be positive"))),
    }
}

fn layout(cx: &Node<'_, '_>, rank: usize) -> Result<String, Reason> {
    let supported: &[&str] = if rank == 5 { &["NDHWC", "NCDHW"] } else { &["NHWC", "NCHW"] };
    only("data_format", cx.text_attr("data_format"), supported)
}

/// The padding of an axis that makes as many windows as there are strides in it.
fn same(length: Option<i64>, reach: i64, stride: i64) -> Result<[i64; 2], Reason> {
    let total = match length {
        Some(length) => {
            let places = length.div_euclid(stride) + i64::from(length % stride != 0);
            ((places - 1) * stride + reach - length).max(0)
        }
        None if stride == 1 => reach - 1,
        None => return Err("padding `SAME` with a stride needs an axis of known length".into()),
    };
    Ok([total / 2, total - total / 2])
}

/// The windows of a node over the axes of `data`, with these lengths.
pub(super) fn windows(
    cx: &Node<'_, '_>,
    data: &[prim::Expr],
    kernel: &[i64],
    layout: String,
    strides: &[i64],
) -> Result<Windows, Reason> {
    let strides = of_spatial("strides", strides, &layout)?;
    let dilations = match cx.ints_attr("dilations").or_else(|| cx.ints_attr("rates")) {
        Some(dilations) => of_spatial("dilations", &dilations, &layout)?,
        None => vec![1; strides.len()],
    };
    let positions = spatial(&layout);
    let mut before = Vec::new();
    let mut after = Vec::new();
    let padding = only("padding", cx.text_attr("padding"), &["VALID", "SAME", "EXPLICIT"])?;
    let explicit = cx.ints_attr("explicit_paddings").unwrap_or_default();
    for (i, at) in positions.iter().enumerate() {
        let number = |numbers: &[i64]| numbers.get(i).copied().unwrap_or(1);
        let reach = (number(kernel).clamp(1, 1 << 24) - 1) * number(&dilations) + 1;
        let [first, last] = match padding.as_str() {
            "SAME" => same(data.get(*at).and_then(int_value), reach, number(&strides))?,
            "EXPLICIT" => match explicit.get(2 * at..2 * at + 2) {
                Some([first @ 0..=0xff_ffff, last @ 0..=0xff_ffff]) => [*first, *last],
                _ => return Err("`explicit_paddings` needs two numbers per axis, from 0".into()),
            },
            _ => [0, 0],
        };
        before.push(first);
        after.push(last);
    }
    before.extend(after);
    Ok(Windows { layout, strides, dilations, padding: before })
}

/// The dimensions of an operand, and its layout.
fn data_of(cx: &Node<'_, '_>, x: &Expr) -> Result<(Vec<prim::Expr>, String), Reason> {
    let dims = ops::dims(x)?;
    if !matches!(dims.len(), 4 | 5) {
        return Err(Reason(format!("needs data of rank 4 or 5, found {}", dims.len())));
    }
    let layout = layout(cx, dims.len())?;
    Ok((dims, layout))
}

fn convolution(cx: &mut Node<'_, '_>) -> Result<Expr, Reason> {
    let (x, weight) = (cx.input(0)?, cx.input(1)?);
    let (dims, layout) = data_of(cx, &x)?;
    let kernel = lengths(&weight)?;
    let strides = cx.ints_attr("strides").unwrap_or_default();
    let Windows { layout, strides, dilations, padding } = windows(cx, &dims, &kernel, layout, &strides)?;
    let channels = layout.find('C').and_then(|at| dims.get(at)).and_then(int_value);
    let per_group = kernel.len().checked_sub(2).and_then(|at| kernel.get(at)).copied().unwrap_or(1);
    let groups = match channels {
        Some(channels) if per_group > 0 && channels % per_group == 0 => (channels / per_group).max(1),
        Some(channels) => {
            return Err(Reason(format!("the kernel has {per_group} input channels, the data {channels}")));
        }
        None => 1,
    };
    let (strides, padding, dilations) = (int64s(&strides), int64s(&padding), int64s(&dilations));
    let (is_2d, layout) = (layout.len() == 4, Str::from(layout));
    let kernel_layout = Str::from(if is_2d { "HWIO" } else { "DHWIO" });
    let call = match is_2d {
        true => conv2d(x, weight, strides, padding, dilations, groups, layout, kernel_layout, None, None),
        false => conv3d(x, weight, strides, padding, dilations, groups, layout, kernel_layout, None, None),
    };
    Ok(call.upcast())
}

fn depthwise(cx: &mut Node<'_, '_>) -> Result<Expr, Reason> {
    let (x, weight) = (cx.input(0)?, cx.input(1)?);
    let (dims, layout) = data_of(cx, &x)?;
    let kernel = lengths(&weight)?;
    let [height, width, channels, multiplier] = kernel.as_slice() else {
        return Err("needs a kernel of rank 4".into());
    };
    let strides = cx.ints_attr("strides").unwrap_or_default();
    let Windows { layout, strides, dilations, padding } = windows(cx, &dims, &kernel, layout, &strides)?;
    let outputs = channels.checked_mul(*multiplier).ok_or_else(|| Reason::from("the kernel is too large"))?;
    let weight = cx.step(ops::reshape(weight, ops::shape(&[*height, *width, outputs, 1]))?)?;
    let (strides, padding, dilations) = (int64s(&strides), int64s(&padding), int64s(&dilations));
    let layout = Str::from(layout);
    let (groups, kernel_layout) = ((*channels).max(1), Str::from("HWOI"));
    Ok(conv2d(x, weight, strides, padding, dilations, groups, layout, kernel_layout, None, None).upcast())
}

/// A kernel with zeros between its elements, which are `dilations` apart. The spatial axes come first.
fn dilated(cx: &mut Node<'_, '_>, weight: Expr, dilations: &[i64]) -> Result<Expr, Reason> {
    if dilations.iter().all(|dilation| *dilation == 1) {
        return Ok(weight);
    }
    let lengths = lengths(&weight)?;
    let (mut split, mut widths, mut joined, mut ranges) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (axis, length) in lengths.iter().enumerate() {
        let dilation = dilations.get(axis).copied().unwrap_or(1);
        split.extend([*length, 1]);
        widths.extend([0, 0, 0, dilation - 1]);
        let all = length.checked_mul(dilation).ok_or_else(|| Reason::from("the dilations are too large"))?;
        joined.push(all);
        if dilation > 1 {
            ranges.push(Range::of(axis, 0, all - dilation + 1));
        }
    }
    let split = cx.step(ops::reshape(weight, ops::shape(&split))?)?;
    let spread = cx.step(pad(split, ints(&widths), Str::from("constant"), 0.0))?;
    let joined = cx.step(ops::reshape(spread, ops::shape(&joined))?)?;
    cx.step(slice(joined, &ranges))
}

/// The gradient of a convolution for its data, which is a transposed convolution. TVM compiles it with channels first and
/// without dilations only. A kernel of `is_depthwise` belongs to one channel.
fn transposed(cx: &mut Node<'_, '_>, is_depthwise: bool) -> Converted {
    let sizes = cx.dims(0, "the shape of the output")?;
    let (mut weight, mut x) = (cx.input(1)?, cx.input(2)?);
    let (dims, layout) = data_of(cx, &x)?;
    let strides = cx.ints_attr("strides").unwrap_or_default();
    let mut kernel = lengths(&weight)?;
    let windows = windows(cx, &sizes.values, &kernel, layout, &strides)?;
    let Windows { layout, strides, dilations, padding } = windows;
    weight = dilated(cx, weight, &dilations)?;
    let mut groups = 1;
    kernel = lengths(&weight)?;
    if let (true, [height, width, channels, multiplier]) = (is_depthwise, kernel.as_slice()) {
        groups = (*channels).max(1);
        let outputs =
            channels.checked_mul(*multiplier).ok_or_else(|| Reason::from("the kernel is too large"))?;
        weight = cx.step(ops::reshape(weight, ops::shape(&[*height, *width, 1, outputs]))?)?;
    }
    let count = strides.len();
    let (before, after) = padding.split_at(count.min(padding.len()));
    let mut added = Vec::new();
    let steps = strides.iter().zip(&kernel).zip(before.iter().zip(after));
    for (at, ((stride, size), (first, last))) in spatial(&layout).into_iter().zip(steps) {
        let length = |dims: &[prim::Expr]| dims.get(at).and_then(int_value);
        let (Some(input), Some(output)) = (length(&dims), length(&sizes.values)) else {
            return Err("needs spatial axes of constant lengths".into());
        };
        let covered = (input - 1).checked_mul(*stride).and_then(|moved| moved.checked_add(*size));
        let rest = covered.and_then(|covered| output.checked_sub(covered - first - last));
        added.push(rest.filter(|rest| *rest >= 0).ok_or_else(|| Reason::from("the sizes do not fit"))?);
    }
    let is_last = layout.ends_with('C');
    let rank = count as i64 + 2;
    let to_first: Vec<i64> = [0, rank - 1].into_iter().chain(1..rank - 1).collect();
    if is_last {
        x = permute_dims(x, Some(ints(&to_first))).upcast();
    }
    let order: Vec<i64> = [rank - 1, rank - 2].into_iter().chain(0..rank - 2).collect();
    let weight = cx.step(permute_dims(weight, Some(ints(&order))))?;
    let [strides, padding, added, ones] =
        [&strides, &padding, &added, &vec![1; count]].map(|all| int64s(all));
    let call = match count {
        2 => {
            let [data, kernel] = ["NCHW", "IOHW"].map(Str::from);
            conv2d_transpose(x, weight, strides, padding, added, ones, groups, data, kernel, None, None)
        }
        _ => {
            let [data, kernel] = ["NCDHW", "IODHW"].map(Str::from);
            conv3d_transpose(x, weight, strides, padding, added, ones, groups, data, kernel, None, None)
        }
    };
    let to_last: Vec<i64> = std::iter::once(0).chain(2..rank).chain([1]).collect();
    Ok(match is_last {
        true => permute_dims(call.upcast(), Some(ints(&to_last))).into(),
        false => call.into(),
    })
}

fn pool(cx: &mut Node<'_, '_>, takes_max: bool) -> Converted {
    let x = cx.input(0)?;
    let (dims, layout) = data_of(cx, &x)?;
    let numbers = |cx: &Node<'_, '_>, index: usize, attr: &str| match cx.count() > index {
        true => cx.ints(index, attr),
        false => Ok(cx.ints_attr(attr).unwrap_or_default()),
    };
    let kernel = of_spatial("ksize", &numbers(cx, 1, "ksize")?, &layout)?;
    let strides = numbers(cx, 2, "strides")?;
    let Windows { layout, strides, dilations, padding } = windows(cx, &dims, &kernel, layout, &strides)?;
    let is_2d = layout.len() == 4;
    let (size, strides) = (int64s(&kernel), int64s(&strides));
    let (padding, dilation, layout) = (int64s(&padding), int64s(&dilations), Str::from(layout));
    let op = match (is_2d, takes_max) {
        (true, true) => max_pool2d,
        (true, false) => avg_pool2d,
        (false, true) => max_pool3d,
        (false, false) => avg_pool3d,
    };
    Ok(op(x, size, strides, padding, dilation, false, false, layout, None).into())
}
