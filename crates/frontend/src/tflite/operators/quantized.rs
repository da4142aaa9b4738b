//! Conversions between real and quantized elements.

use tvmscript_ir_core::DataType;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::{add, clip, divide, floor, multiply, subtract};

use super::super::node::{Converted, Node, dtype_of};
use super::super::schema::FakeQuant;
use super::rows;
use crate::ops::{float_operand, number};

rows! {
    "DEQUANTIZE": Stored |cx| {
        if dtype_of(cx.tensor(0)?)? == DataType::float(16) {
            return Ok(astype(cx.input(0)?, DataType::FLOAT32).into());
        }
        Ok(cx.real(0)?.into())
    } => "dequantize; astype of float16";
    "FAKE_QUANT": Stored fake_quant => "clip, subtract, divide, multiply, add, floor";
    "QUANTIZE": Stored |cx| {
        let x = cx.real(0)?;
        Ok(cx.quantized(0, x)?.into())
    } => "quantize, dequantize";
}

/// Rounds to the numbers that a quantized tensor can hold.
fn fake_quant(cx: &mut Node<'_, '_>) -> Converted {
    use FakeQuant as Field;
    let (low, high) = (cx.float(Field::Min, 0.0)?, cx.float(Field::Max, 0.0)?);
    let bits = cx.int(Field::NumBits, 0)?;
    if !(2..=16).contains(&bits) || high <= low {
        return Err("needs 2 to 16 bits and a range".into());
    }
    let first = if cx.flag(Field::NarrowRange)? { 1.0 } else { 0.0 };
    let last = ((1i64 << bits) - 1) as f64;
    let scale = (high - low) / (last - first);
    // Zero is one of the numbers.
    let zero = (first - low / scale).clamp(first, last).round_ties_even();
    let (low, high) = ((first - zero) * scale, (last - zero) * scale);
    let constant = |value| number(DataType::FLOAT32, value);
    let clamped = clip(cx.input(0)?, float_operand(low), float_operand(high));
    let shifted = subtract(clamped.upcast(), constant(low));
    let inverse = divide(constant(1.0), constant(scale));
    let steps = floor(add(multiply(shifted.upcast(), inverse.upcast()).upcast(), constant(0.5)).upcast());
    Ok(add(multiply(steps.upcast(), constant(scale)).upcast(), constant(low)).into())
}
