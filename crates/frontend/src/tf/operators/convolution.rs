//! Convolutions and pooling. Data stay in the layout that they have; kernels are HWIO.

use tvmscript_ir_core::Str;
use tvmscript_prim::{self as prim, ops::int_value};
use tvmscript_relax::Expr;
use tvmscript_relax::op::nn::conv::{conv2d, conv2d_transpose, conv3d};
use tvmscript_relax::op::nn::pool::{avg_pool2d, avg_pool3d, max_pool2d, max_pool3d};
use tvmscript_relax::op::shape::permute_dims;

use super::super::node::{Converted, Node};
use super::nn::fused;
use super::{only, rows};
use crate::error::Reason;
use crate::ops::{self, int64s, ints, lengths};

rows! {
    "AvgPool", "AvgPool3D" => |cx| pool(cx, false), "nn.avg_pool2d, nn.avg_pool3d",
        "padding `SAME` with a stride along an axis of unknown length";
    "Conv2D" => |cx| Ok(convolution(cx)?.into()), "nn.conv2d",
        "kernels of unknown shape; padding `SAME` with a stride along an axis of unknown length";
    "Conv2DBackpropInput" => transposed, "permute_dims, nn.conv2d_transpose",
        "an output whose height and width are not constant; dilations";
    "Conv3D" => |cx| Ok(convolution(cx)?.into()), "nn.conv3d",
        "kernels of unknown shape; padding `SAME` with a stride along an axis of unknown length";
    "DepthwiseConv2dNative" => |cx| Ok(depthwise(cx)?.into()), "reshape of the kernel, nn.conv2d",
        "kernels of unknown shape; padding `SAME` with a stride along an axis of unknown length";
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
struct Windows {
    layout: String,
    strides: Vec<i64>,
    dilations: Vec<i64>,
    /// Elements added before each spatial axis, then those added after each.
    padding: Vec<i64>,
}

/// The positions of the spatial axes in a layout.
fn spatial(layout: &str) -> Vec<usize> {
    layout.char_indices().filter(|(_, axis)| !matches!(axis, 'N' | 'C')).map(|(at, _)| at).collect()
}

/// The numbers of spatial axes; those of the others must be 1.
fn of_spatial(what: &str, all: &[i64], layout: &str) -> Result<Vec<i64>, Reason> {
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
fn windows(
    cx: &Node<'_, '_>,
    data: &[prim::Expr],
    kernel: &[i64],
    layout: String,
    strides: &[i64],
) -> Result<Windows, Reason> {
    let strides = of_spatial("strides", strides, &layout)?;
    let dilations = match cx.ints_attr("dilations") {
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

/// The gradient of a convolution for its data, which is a transposed convolution. TVM compiles it with channels first only.
fn transposed(cx: &mut Node<'_, '_>) -> Converted {
    let sizes = cx.dims(0, "the shape of the output")?;
    let (weight, mut x) = (cx.input(1)?, cx.input(2)?);
    let (dims, layout) = data_of(cx, &x)?;
    let kernel = lengths(&weight)?;
    let strides = cx.ints_attr("strides").unwrap_or_default();
    let Windows { layout, strides, dilations, padding } =
        windows(cx, &sizes.values, &kernel, layout, &strides)?;
    if dilations.iter().any(|dilation| *dilation != 1) {
        return Err("dilations of transposed convolutions are not supported".into());
    }
    let [top, left, bottom, right] = *padding.as_slice() else { return Err("needs two spatial axes".into()) };
    let taken = [top + bottom, left + right];
    let mut added = Vec::new();
    let steps = strides.iter().zip(&kernel);
    for ((at, taken), (stride, size)) in spatial(&layout).into_iter().zip(taken).zip(steps) {
        let length = |dims: &[prim::Expr]| dims.get(at).and_then(int_value);
        let (Some(input), Some(output)) = (length(&dims), length(&sizes.values)) else {
            return Err("needs heights and widths that are constant".into());
        };
        let covered = (input - 1).checked_mul(*stride).and_then(|moved| moved.checked_add(*size));
        let rest = covered.and_then(|covered| output.checked_sub(covered - taken));
        added.push(rest.filter(|rest| *rest >= 0).ok_or_else(|| Reason::from("the sizes do not fit"))?);
    }
    let is_last = layout == "NHWC";
    if is_last {
        x = permute_dims(x, Some(ints(&[0, 3, 1, 2]))).upcast();
    }
    let weight = cx.step(permute_dims(weight, Some(ints(&[3, 2, 0, 1]))))?;
    let call = conv2d_transpose(
        x,
        weight,
        int64s(&strides),
        int64s(&padding),
        int64s(&added),
        int64s(&[1, 1]),
        1,
        Str::from("NCHW"),
        Str::from("IOHW"),
        None,
        None,
    );
    Ok(match is_last {
        true => permute_dims(call.upcast(), Some(ints(&[0, 2, 3, 1]))).into(),
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
