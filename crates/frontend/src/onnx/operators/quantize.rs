//! Quantization, and operators on quantized numbers.

use tvmscript_ir_core::{DataType, TypeCode};
use tvmscript_relax::Expr;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::{add, clip, divide, maximum, minimum, multiply, round, subtract};
use tvmscript_relax::op::linear_algebra::matmul;
use tvmscript_relax::op::quantize::{dequantize, quantize};
use tvmscript_relax::op::reduce::{max, min};
use tvmscript_relax::op::shape::{expand_dims, squeeze};

use super::super::node::{Converted, Node};
use super::conv::{Window, convolved, kernel_of, with_bias};
use super::rows;
use super::scalar::like;
use crate::error::Reason;
use crate::ops::{dtype_of, int_operand, ints, number, rank, rank_of, reshape, shape};

rows! {
    "ConvInteger" { 10: conv_integer } => "astype, subtract, nn.conv2d";
    "DequantizeLinear" {
        10: |cx| dequantized(cx, |_| Ok(DataType::FLOAT32)),
        19: |cx| dequantized(cx, |cx| Ok(dtype_of(&cx.input(1)?))),
        23: |cx| dequantized(cx, |cx| Ok(cx.dtype("output_dtype")?.unwrap_or(dtype_of(&cx.input(1)?))))
    } => "dequantize", "blocks";
    "DynamicQuantizeLinear" { 11: dynamically_quantized }
        => "max, min, maximum, minimum, subtract, divide, clip, round, astype, quantize";
    "MatMulInteger" { 10: matmul_integer } => "astype, subtract, matmul";
    "MatMulInteger16" in "com.microsoft" { 1: matmul_integer_16 } => "astype, matmul";
    "QLinearConv" { 10: q_linear_conv } => "astype, subtract, nn.conv2d, multiply, round, clip";
    "QLinearMatMul" { 10: q_linear_matmul } => "astype, subtract, matmul, multiply, round, clip";
    "QuantizeLinear" { 10: quantized } => "quantize", "blocks";
}

const INT32: DataType = DataType::INT32;
const FLOAT32: DataType = DataType::FLOAT32;
const UINT8: DataType = DataType::uint(8);

/// The axis of the scale. Vectors have one axis only.
fn axis_of(cx: &Node<'_, '_>, x: &Expr) -> Result<i64, Reason> {
    if cx.int("block_size").unwrap_or(0) != 0 {
        return Err("scales of blocks are not supported".into());
    }
    let axis = cx.int("axis").unwrap_or(1);
    Ok(if axis == 1 && rank_of(x).is_some_and(|rank| rank <= 1) { 0 } else { axis })
}

fn zero_point(cx: &Node<'_, '_>, index: usize, dtype: DataType) -> Expr {
    cx.optional(index).unwrap_or_else(|| number(dtype, 0.0))
}

fn quantized(cx: &mut Node<'_, '_>) -> Converted {
    let (x, scale) = (cx.input(0)?, cx.input(1)?);
    let axis = axis_of(cx, &x)?;
    let of_zero = cx.optional(2).map(|zero| dtype_of(&zero));
    let stated = if cx.opset >= 21 { cx.dtype("output_dtype")? } else { None };
    if cx.int("precision").unwrap_or(0) != 0 {
        return Err("the attribute `precision` is not supported".into());
    }
    if let (Some(stated), Some(of_zero)) = (stated, of_zero)
        && stated != of_zero
    {
        return Err(Reason(format!("`output_dtype` is `{stated}`, the zero point is of `{of_zero}`")));
    }
    let dtype = stated.or(of_zero).unwrap_or(UINT8);
    let is_float8 = !dtype.is_int() && !dtype.is_uint() && dtype.code != TypeCode::Float;
    if is_float8 && cx.int("saturate").unwrap_or(1) != 1 {
        return Err("float8 numbers without saturation are not supported".into());
    }
    let zero = zero_point(cx, 2, dtype);
    Ok(quantize(x, scale, zero, axis, dtype).into())
}

fn dequantized(cx: &mut Node<'_, '_>, out_dtype: fn(&Node<'_, '_>) -> Result<DataType, Reason>) -> Converted {
    let (x, scale) = (cx.input(0)?, cx.input(1)?);
    let axis = axis_of(cx, &x)?;
    let dtype = out_dtype(cx)?;
    let zero = zero_point(cx, 2, dtype_of(&x));
    Ok(dequantize(x, scale, zero, axis, dtype).into())
}

fn dynamically_quantized(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let (low, high) = (like(&x, 0.0), like(&x, 255.0));
    let greatest = maximum(low.clone(), max(x.clone(), None, false).upcast()).upcast();
    let least: Expr = minimum(low.clone(), min(x.clone(), None, false).upcast()).upcast();
    let scale: Expr = divide(subtract(greatest, least.clone()).upcast(), high).upcast();
    let zero = subtract(low, divide(least, scale.clone()).upcast()).upcast();
    let zero = round(clip(zero, int_operand(0), int_operand(255)).upcast()).upcast();
    let zero: Expr = astype(zero, UINT8).upcast();
    let result = quantize(x, scale.clone(), zero.clone(), 0, UINT8).upcast();
    Ok(vec![result, scale, zero].into())
}

// --- products of quantized numbers ---------------------------------------------------------------------------

/// Quantized numbers without their zero point, as `int32`; `expand` is the new axis of a vector of zero points.
fn centered(cx: &mut Node<'_, '_>, x: Expr, zero: Option<Expr>, expand: i64) -> Result<Expr, Reason> {
    let wide = astype(x, INT32).upcast();
    let Some(zero) = zero else { return Ok(wide) };
    let mut zero = cx.normalize(astype(zero, INT32))?;
    if rank(&zero)? == 1 {
        zero = expand_dims(zero, ints(&[expand])).upcast();
    }
    Ok(subtract(wide, zero).upcast())
}

fn matmul_integer(cx: &mut Node<'_, '_>) -> Converted {
    let (a, b) = (cx.input(0)?, cx.input(1)?);
    let (zero_a, zero_b) = (cx.optional(2), cx.optional(3));
    let a = centered(cx, a, zero_a, -1)?;
    let b = centered(cx, b, zero_b, 0)?;
    Ok(matmul(a, b, Some(INT32)).into())
}

fn matmul_integer_16(cx: &mut Node<'_, '_>) -> Converted {
    let (a, b) = (cx.input(0)?, cx.input(1)?);
    let types = [dtype_of(&a), dtype_of(&b)];
    let (signed, unsigned) = (DataType::int(16), DataType::uint(16));
    if let Some(other) = types.iter().find(|dtype| ![signed, unsigned].contains(dtype)) {
        return Err(Reason(format!("needs operands of int16 or uint16, not `{other}`")));
    }
    let dtype = if types == [unsigned; 2] { DataType::uint(32) } else { INT32 };
    Ok(matmul(astype(a, dtype).upcast(), astype(b, dtype).upcast(), None).into())
}

/// The zero points of a kernel: one, or one per output channel.
fn along_kernel(zero: Option<Expr>, axes: usize) -> Result<Option<Expr>, Reason> {
    let Some(zero) = zero else { return Ok(None) };
    if rank(&zero)? == 0 {
        return Ok(Some(zero));
    }
    let target: Vec<i64> = std::iter::once(-1).chain(std::iter::repeat_n(1, axes + 1)).collect();
    Ok(Some(reshape(zero, shape(&target))?.upcast()))
}

/// A convolution of quantized numbers, as `int32`; padding stands for the zero point.
fn integer_conv(cx: &mut Node<'_, '_>, at: [usize; 4]) -> Result<(Expr, usize), Reason> {
    let [x_at, zero_at, weight_at, weight_zero_at] = at;
    let (x, weight) = (cx.input(x_at)?, cx.input(weight_at)?);
    let window = Window::of(cx, &x, Some(kernel_of(&weight)))?;
    let pads = window.resolved_pads(&x)?;
    let x_zero = match cx.optional(zero_at) {
        Some(zero) if rank(&zero)? == 1 => Some(squeeze(zero, None).upcast()),
        zero => zero,
    };
    let weight_zero = along_kernel(cx.optional(weight_zero_at), window.axes)?;
    let x = centered(cx, x, x_zero, 0)?;
    let weight = centered(cx, weight, weight_zero, 0)?;
    let groups = cx.int("group").unwrap_or(1);
    Ok((convolved(&window, x, weight, &pads, groups, Some(INT32)).upcast(), window.axes))
}

fn conv_integer(cx: &mut Node<'_, '_>) -> Converted {
    Ok(integer_conv(cx, [0, 2, 1, 3])?.0.into())
}

/// Sums of products in the type of the result: scaled, rounded, with its zero point.
fn requantized(sums: Expr, scale: Expr, zero: Expr) -> Result<Expr, Reason> {
    let dtype = dtype_of(&zero);
    let (low, high) = match (dtype.is_uint(), dtype.bits) {
        (true, bits @ ..=16) => (0, (1i64 << bits) - 1),
        (false, bits @ ..=16) => (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1),
        _ => return Err(Reason(format!("results of `{dtype}` are not supported"))),
    };
    let scaled = multiply(astype(sums, FLOAT32).upcast(), scale).upcast();
    let shifted = add(round(scaled).upcast(), astype(zero, FLOAT32).upcast()).upcast();
    let clipped = clip(shifted, int_operand(low), int_operand(high)).upcast();
    Ok(astype(clipped, dtype).upcast())
}

fn wide(x: Expr) -> Expr {
    if dtype_of(&x) == FLOAT32 { x } else { astype(x, FLOAT32).upcast() }
}

fn q_linear_matmul(cx: &mut Node<'_, '_>) -> Converted {
    let column = |value: Expr, axis: i64| -> Result<Expr, Reason> {
        let is_vector = rank(&value)? == 1;
        Ok(if is_vector { expand_dims(value, ints(&[axis])).upcast() } else { value })
    };
    let (a_scale, b_scale) = (column(cx.input(1)?, -1)?, column(cx.input(4)?, 0)?);
    let (a, b, zero_a, zero_b) = (cx.input(0)?, cx.input(3)?, cx.optional(2), cx.optional(5));
    let a = centered(cx, a, zero_a, -1)?;
    let b = centered(cx, b, zero_b, 0)?;
    let sums = matmul(a, b, Some(INT32)).upcast();
    let scale = divide(multiply(wide(a_scale), wide(b_scale)).upcast(), wide(cx.input(6)?)).upcast();
    Ok(requantized(sums, scale, cx.input(7)?)?.into())
}

fn q_linear_conv(cx: &mut Node<'_, '_>) -> Converted {
    let (sums, axes) = integer_conv(cx, [0, 2, 3, 5])?;
    let sums = with_bias(sums, cx.optional(8), axes)?;
    let mut weight_scale = cx.input(4)?;
    if rank(&weight_scale)? == 1 {
        let target: Vec<i64> = std::iter::once(-1).chain(std::iter::repeat_n(1, axes)).collect();
        weight_scale = reshape(weight_scale, shape(&target))?.upcast();
    }
    let product = multiply(cx.input(1)?, weight_scale).upcast();
    let scale = divide(product, cx.input(6)?).upcast();
    Ok(requantized(sums, scale, cx.input(7)?)?.into())
}
