//! Convolutions. Images stay in the order `NHWC`; kernels are brought into TVM's order at import.

use tvmscript_ir_core::{DataType, Str};
use tvmscript_relax::Expr;
use tvmscript_relax::op::elementwise::{add, multiply};
use tvmscript_relax::op::nn::conv as op;
use tvmscript_relax::op::quantize::dequantize;
use tvmscript_relax::op::shape::permute_dims;
use tvmscript_relax::op::tvm_0_27::nn::conv3d_transpose;

use super::super::importer::Form;
use super::super::model::Quantization;
use super::super::node::{Converted, Node, dtype_of, quantization};
use super::super::schema::{Conv2D, Conv3D, DepthwiseConv2D, TransposeConv};
use super::activation::{fused, fused_after};
use super::rows;
use crate::error::Reason;
use crate::ops::{int64s, ints, number, reshape, shape};

rows! {
    "CONV_2D": Stored conv_2d => "nn.conv2d, add";
    "CONV_3D": Real conv_3d => "nn.conv3d, add";
    "CONV_3D_TRANSPOSE": Real conv_3d_transpose => "permute_dims, nn.conv3d_transpose, add";
    "DEPTHWISE_CONV_2D": Stored depthwise_conv_2d => "nn.conv2d, add";
    "TRANSPOSE_CONV": Stored transpose_conv => "permute_dims, nn.conv2d_transpose, add";
}

/// The paddings: with `SAME` the result has as many elements as steps begin in the operand.
const SAME: i8 = 0;
const VALID: i8 = 1;

/// Elements added before and after the data along each axis, all before first. Each window is a length of data, a length
/// of the kernel with its gaps, and a stride.
pub(super) fn padding(kind: i8, windows: &[[i64; 3]]) -> Result<Vec<i64>, Reason> {
    if windows.iter().any(|[_, kernel, stride]| *stride < 1 || *kernel < 1) {
        return Err("has a stride or a kernel without elements".into());
    }
    let total = |[data, kernel, stride]: &[i64; 3]| match kind {
        SAME => {
            let steps = data.saturating_add(stride - 1) / stride;
            let covered = (steps - 1).saturating_mul(*stride).saturating_add(*kernel);
            Ok(covered.saturating_sub(*data).max(0))
        }
        VALID => Ok(0),
        number => Err(Reason(format!("the padding number {number} is not supported"))),
    };
    let totals = windows.iter().map(total).collect::<Result<Vec<_>, _>>()?;
    let before = totals.iter().map(|total| total / 2);
    Ok(before.chain(totals.iter().map(|total| total - total / 2)).collect())
}

/// The length of a kernel with the gaps between its elements.
fn dilated(kernel: i64, dilation: i64) -> i64 {
    (kernel - 1).saturating_mul(dilation).saturating_add(1)
}

/// The number of groups that divide the channels.
fn groups(channels: i64, per_group: i64) -> Result<i64, Reason> {
    match channels.checked_div(per_group) {
        Some(groups @ 1..) => Ok(groups),
        _ => Err(Reason(format!("{channels} channels cannot be divided into groups of {per_group}"))),
    }
}

/// Real elements of a kernel; its scales lie along `axis`.
fn real_kernel(cx: &mut Node<'_, '_>, kernel: Expr, axis: i64) -> Result<Expr, Reason> {
    match quantization(cx.tensor(1)?) {
        None => Ok(kernel),
        Some(scales) => {
            if quantization(cx.tensor(0)?).is_none() {
                cx.warn(
                    "TFLite quantizes the operand, too, while it runs; here only the kernel is quantized",
                );
            }
            cx.dequantized(kernel, scales, axis)
        }
    }
}

/// Adds the bias at a position, if there is one. A quantized bias without scales of its own has the product of those of
/// data and kernel.
pub(super) fn biased(cx: &mut Node<'_, '_>, value: Expr, at: usize, data: usize) -> Result<Expr, Reason> {
    if !cx.has(at) {
        return Ok(value);
    }
    let mut bias = cx.stored(at)?;
    let tensor = cx.tensor(at)?;
    let scales: [Option<&Quantization>; 2] = [quantization(cx.tensor(data)?), quantization(cx.tensor(1)?)];
    if let Some(own) = quantization(tensor) {
        bias = cx.dequantized(bias, own, own.axis)?;
    } else if let [Some(data), Some(kernel)] = scales
        && matches!(dtype_of(tensor)?, DataType::INT32 | DataType::INT64)
    {
        let ((data, _), (kernel, _)) = (cx.parameters(data), cx.parameters(kernel));
        let scale = multiply(data, kernel).upcast();
        bias = dequantize(bias, scale, number(DataType::INT32, 0.0), 0, DataType::FLOAT32).upcast();
    }
    Ok(add(value, bias).upcast())
}

fn conv_2d(cx: &mut Node<'_, '_>) -> Converted {
    use Conv2D as Field;
    let strides = [cx.int(Field::StrideH, 0)?, cx.int(Field::StrideW, 0)?];
    let dilation = [cx.int(Field::DilationHFactor, 1)?, cx.int(Field::DilationWFactor, 1)?];
    let [_, height, width, channels] = cx.lengths(0)?;
    let [_, kernel_h, kernel_w, per_group] = cx.lengths(1)?;
    let windows = [
        [height, dilated(kernel_h, dilation[0]), strides[0]],
        [width, dilated(kernel_w, dilation[1]), strides[1]],
    ];
    let padding = padding(cx.choice(Field::Padding)?, &windows)?;
    let groups = groups(channels, per_group)?;
    let x = cx.stored(0)?;
    let kernel = cx.formed(1, Form::Permuted(vec![1, 2, 3, 0]), |kernel| {
        Ok(permute_dims(kernel, Some(ints(&[1, 2, 3, 0]))))
    })?;
    let x = real_operand(cx, 0, x)?;
    let kernel = real_kernel(cx, kernel, 3)?;
    let out = convolved(x, kernel, strides, &padding, dilation, groups, "HWIO");
    let out = biased(cx, out, 2, 0)?;
    let activation = cx.choice(Field::FusedActivationFunction)?;
    Ok(fused_after(cx, out, activation)?.into())
}

/// Real elements of an operand.
fn real_operand(cx: &mut Node<'_, '_>, at: usize, x: Expr) -> Result<Expr, Reason> {
    match quantization(cx.tensor(at)?) {
        Some(scales) => cx.dequantized(x, scales, scales.axis),
        None => Ok(x),
    }
}

fn convolved(
    x: Expr,
    kernel: Expr,
    strides: [i64; 2],
    padding: &[i64],
    dilation: [i64; 2],
    groups: i64,
    kernel_layout: &str,
) -> Expr {
    let (strides, padding, dilation) = (int64s(&strides), int64s(padding), int64s(&dilation));
    let layout = Str::from("NHWC");
    op::conv2d(x, kernel, strides, padding, dilation, groups, layout, kernel_layout.into(), None, None)
        .upcast()
}

fn depthwise_conv_2d(cx: &mut Node<'_, '_>) -> Converted {
    use DepthwiseConv2D as Field;
    let strides = [cx.int(Field::StrideH, 0)?, cx.int(Field::StrideW, 0)?];
    let dilation = [cx.int(Field::DilationHFactor, 1)?, cx.int(Field::DilationWFactor, 1)?];
    let [_, height, width, channels] = cx.lengths(0)?;
    let [_, kernel_h, kernel_w, results] = cx.lengths(1)?;
    let windows = [
        [height, dilated(kernel_h, dilation[0]), strides[0]],
        [width, dilated(kernel_w, dilation[1]), strides[1]],
    ];
    let padding = padding(cx.choice(Field::Padding)?, &windows)?;
    let groups = groups(channels, 1)?;
    let (layout, lengths) = match channels {
        1 => ("HWIO", [kernel_h, kernel_w, 1, results]),
        _ => ("HWOI", [kernel_h, kernel_w, results, 1]),
    };
    let x = cx.stored(0)?;
    let scales = quantization(cx.tensor(1)?).map_or(0, |scales| scales.scales.len());
    let x_and_kernel = if scales > 1 {
        // The scales lie along the channels of the stored kernel.
        let kernel = cx.stored(1)?;
        let x = real_operand(cx, 0, x)?;
        let kernel = real_kernel(cx, kernel, 3)?;
        (x, reshape(kernel, shape(&lengths))?.upcast())
    } else {
        let kernel =
            cx.formed(1, Form::Shaped(lengths.to_vec()), |kernel| reshape(kernel, shape(&lengths)))?;
        let x = real_operand(cx, 0, x)?;
        (x, real_kernel(cx, kernel, 0)?)
    };
    let (x, kernel) = x_and_kernel;
    let out = convolved(x, kernel, strides, &padding, dilation, groups, layout);
    let out = biased(cx, out, 2, 0)?;
    let activation = cx.choice(Field::FusedActivationFunction)?;
    Ok(fused_after(cx, out, activation)?.into())
}

/// The operands are the shape of the result, the kernel, the data and the bias.
fn transpose_conv(cx: &mut Node<'_, '_>) -> Converted {
    use TransposeConv as Field;
    let strides = [cx.int(Field::StrideH, 0)?, cx.int(Field::StrideW, 0)?];
    let [_, height, width, _] = cx.lengths(2)?;
    let [_, kernel_h, kernel_w, _] = cx.lengths(1)?;
    let stated = cx.ints(0, "the shape of the result")?;
    let [_, out_h, out_w, _] = stated[..] else {
        return Err("the shape of the result must have 4 axes".into());
    };
    let windows = [[out_h, kernel_h, strides[0]], [out_w, kernel_w, strides[1]]];
    let padding = padding(cx.choice(Field::Padding)?, &windows)?;
    // The elements of the stated result after those that the data reaches.
    let rest = |axis: usize, length: i64, [out, kernel, stride]: [i64; 3]| {
        let padded = padding.get(axis).zip(padding.get(axis + 2)).map_or(0, |(before, after)| before + after);
        let reached = (length - 1).saturating_mul(stride).saturating_add(kernel).saturating_sub(padded);
        out.saturating_sub(reached).max(0)
    };
    let rest = [rest(0, height, windows[0]), rest(1, width, windows[1])];
    let x = cx.stored(2)?;
    let kernel = cx.formed(1, Form::Permuted(vec![3, 0, 1, 2]), |kernel| {
        Ok(permute_dims(kernel, Some(ints(&[3, 0, 1, 2]))))
    })?;
    // TVM runs transposed convolutions only with the channels before the image.
    let x = permute_dims(real_operand(cx, 2, x)?, Some(ints(&[0, 3, 1, 2]))).upcast();
    let kernel = real_kernel(cx, kernel, 1)?;
    let dtype = match quantization(cx.tensor(2)?) {
        Some(_) => DataType::FLOAT32,
        None => cx.output_dtype(0)?,
    };
    let (strides, padding, rest) = (int64s(&strides), int64s(&padding), int64s(&rest));
    let (layout, kernel_layout) = (Str::from("NCHW"), Str::from("IOHW"));
    let dilation = int64s(&[1, 1]);
    let out = op::conv2d_transpose(
        x,
        kernel,
        strides,
        padding,
        rest,
        dilation,
        1,
        layout,
        kernel_layout,
        None,
        Some(dtype),
    );
    let out = permute_dims(out.upcast(), Some(ints(&[0, 2, 3, 1]))).upcast();
    let out = biased(cx, out, 3, 2)?;
    let activation = cx.choice(Field::FusedActivationFunction)?;
    Ok(fused_after(cx, out, activation)?.into())
}

/// The options of a convolution along three axes.
struct Window3D {
    strides: [i64; 3],
    dilation: [i64; 3],
    /// Lengths of the data, of the kernel with its gaps, and strides.
    windows: [[i64; 3]; 3],
}

fn window_3d(cx: &Node<'_, '_>, data: [i64; 3], kernel: [i64; 3]) -> Result<Window3D, Reason> {
    use Conv3D as Field;
    let strides = [cx.int(Field::StrideD, 0)?, cx.int(Field::StrideH, 0)?, cx.int(Field::StrideW, 0)?];
    let dilation = [
        cx.int(Field::DilationDFactor, 1)?,
        cx.int(Field::DilationHFactor, 1)?,
        cx.int(Field::DilationWFactor, 1)?,
    ];
    let mut windows = [[0; 3]; 3];
    for (axis, window) in windows.iter_mut().enumerate() {
        let at = |values: &[i64; 3]| values.get(axis).copied().unwrap_or(0);
        *window = [at(&data), dilated(at(&kernel), at(&dilation)), at(&strides)];
    }
    Ok(Window3D { strides, dilation, windows })
}

fn conv_3d(cx: &mut Node<'_, '_>) -> Converted {
    let [_, d, h, w, channels] = cx.lengths(0)?;
    let [kernel_d, kernel_h, kernel_w, per_group, _] = cx.lengths(1)?;
    let window = window_3d(cx, [d, h, w], [kernel_d, kernel_h, kernel_w])?;
    let padding = int64s(&padding(cx.choice(Conv3D::Padding)?, &window.windows)?);
    let groups = groups(channels, per_group)?;
    let (x, kernel) = (cx.input(0)?, cx.input(1)?);
    let (strides, dilation) = (int64s(&window.strides), int64s(&window.dilation));
    let (layout, kernel_layout) = (Str::from("NDHWC"), Str::from("DHWIO"));
    let mut out: Expr =
        op::conv3d(x, kernel, strides, padding, dilation, groups, layout, kernel_layout, None, None).upcast();
    if cx.has(2) {
        out = add(out, cx.input(2)?).upcast();
    }
    Ok(fused(out, cx.choice(Conv3D::FusedActivationFunction)?)?.into())
}

/// The operands are the shape of the result, the kernel, the data and the bias.
fn conv_3d_transpose(cx: &mut Node<'_, '_>) -> Converted {
    let [_, d, h, w, channels] = cx.lengths(2)?;
    let [kernel_d, kernel_h, kernel_w, _, per_group] = cx.lengths(1)?;
    let window = window_3d(cx, [d, h, w], [kernel_d, kernel_h, kernel_w])?;
    let is_same = match cx.choice(Conv3D::Padding)? {
        SAME => true,
        VALID => false,
        number => return Err(Reason(format!("the padding number {number} is not supported"))),
    };
    let over = |[_, kernel, stride]: &[i64; 3]| if is_same { (kernel - stride).max(0) } else { 0 };
    let under = |[_, kernel, stride]: &[i64; 3]| if is_same { (stride - kernel).max(0) } else { 0 };
    let totals: Vec<i64> = window.windows.iter().map(over).collect();
    let before = totals.iter().map(|total| total / 2);
    let padding: Vec<i64> = before.chain(totals.iter().map(|total| total - total / 2)).collect();
    let rest: Vec<i64> = window.windows.iter().map(under).collect();
    let groups = groups(channels, per_group)?;
    let (x, kernel) = (cx.input(2)?, cx.input(1)?);
    let x = permute_dims(x, Some(ints(&[0, 4, 1, 2, 3]))).upcast();
    let kernel = permute_dims(kernel, Some(ints(&[4, 3, 0, 1, 2]))).upcast();
    let (strides, dilation) = (int64s(&window.strides), int64s(&window.dilation));
    let (padding, rest) = (int64s(&padding), int64s(&rest));
    let (layout, kernel_layout) = (Str::from("NCDHW"), Str::from("IODHW"));
    let out = conv3d_transpose(
        x,
        kernel,
        strides,
        padding,
        rest,
        dilation,
        groups,
        layout,
        kernel_layout,
        None,
        None,
    );
    let mut out: Expr = permute_dims(out.upcast(), Some(ints(&[0, 2, 3, 4, 1]))).upcast();
    if cx.has(3) {
        out = add(out, cx.input(3)?).upcast();
    }
    Ok(fused(out, cx.choice(Conv3D::FusedActivationFunction)?)?.into())
}
