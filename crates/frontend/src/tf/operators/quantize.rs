//! Numbers rounded to those of a quantized type.

use tvmscript_relax::Expr;
use tvmscript_relax::op::elementwise as op;
use tvmscript_relax::op::reduce::{max, min};

use super::super::node::{Converted, Node};
use super::{only, rows};
use crate::error::Reason;
use crate::ops::{self, dtype_of, number};

rows! {
    "FakeQuantWithMinMaxArgs" => |cx| {
        let bound = |name, default| cx.float_attr(name).unwrap_or(default);
        let (low, high) = (bound("min", -6.0), bound("max", 6.0));
        let dtype = dtype_of(&cx.input(0)?);
        fake_quantized(cx, number(dtype, low), number(dtype, high))
    }, "maximum, minimum, subtract, multiply, add, floor";
    "FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel" => |cx| {
        let [low, high] = [cx.input(1)?, cx.input(2)?];
        fake_quantized(cx, low, high)
    }, "maximum, minimum, subtract, divide, multiply, add, floor";
    "QuantizeAndDequantize", "QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3", "QuantizeAndDequantizeV4" => rounded,
        "where, minimum, maximum, multiply, round, divide", "a number of bits that is not constant";
}

/// The nearest of the numbers at equal distances between two bounds, which are moved so that 0 is one of the numbers.
fn fake_quantized(cx: &mut Node<'_, '_>, low: Expr, high: Expr) -> Converted {
    let x = cx.input(0)?;
    let of = |value| number(dtype_of(&x), value);
    let half = |x: Expr| op::floor(op::add(x, of(0.5)).upcast());
    let first = if cx.flag("narrow_range") { 1.0 } else { 0.0 };
    let bits = cx.int_attr("num_bits").unwrap_or(8).clamp(2, 16);
    let last = ((1i64 << bits) - 1) as f64;
    let range = op::subtract(high, low.clone()).upcast();
    let scale = cx.step(op::divide(range, of(last - first)))?;
    let zero = op::subtract(of(first), op::divide(low, scale.clone()).upcast()).upcast();
    let zero = cx.step(half(zero))?;
    let zero = cx.step(op::minimum(op::maximum(zero, of(first)).upcast(), of(last)))?;
    let low = cx.step(op::multiply(op::subtract(of(first), zero.clone()).upcast(), scale.clone()))?;
    let high = cx.step(op::multiply(op::subtract(of(last), zero).upcast(), scale.clone()))?;
    let within = op::minimum(op::maximum(x.clone(), low.clone()).upcast(), high);
    let steps = op::divide(op::subtract(within.upcast(), low.clone()).upcast(), scale.clone());
    Ok(op::add(op::multiply(half(steps.upcast()).upcast(), scale).upcast(), low).into())
}

/// The operand rounded to multiples of a number, with a range that is stated or that of the operand.
fn rounded(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let dtype = dtype_of(&x);
    let of = |value| number(dtype, value);
    let (is_signed, is_stated, is_narrow) =
        (cx.flag_or("signed_input", true), cx.flag("range_given"), cx.flag("narrow_range"));
    let bits = match cx.count() > 3 {
        true => cx.int(3, "the number of bits")?,
        false => cx.int_attr("num_bits").unwrap_or(8),
    };
    let bits = bits.clamp(2, 31);
    let axis = cx.int_attr("axis").filter(|axis| *axis >= 0);
    let rank = ops::rank(&x)?;
    // Bounds of slices along an axis are broadcast.
    let spread = |cx: &mut Node<'_, '_>, bound: Expr| -> Result<Expr, Reason> {
        let Some(axis) = axis else { return Ok(bound) };
        let mut shape = vec![1; rank];
        if let Some(length) = shape.get_mut(ops::axis(axis, rank)?) {
            *length = -1;
        }
        cx.step(ops::reshape(bound, ops::shape(&shape))?)
    };
    let (low, high) = match is_stated {
        true => {
            let (low, high) = (cx.input(1)?, cx.input(2)?);
            (spread(cx, low)?, spread(cx, high)?)
        }
        false => {
            let others: Vec<i64> = (0..rank as i64).filter(|at| Some(*at) != axis).collect();
            let axes = || Some(ops::ints(&others));
            (
                cx.step(min(x.clone(), axes(), axis.is_some()))?,
                cx.step(max(x.clone(), axes(), axis.is_some()))?,
            )
        }
    };
    let (least, most) = match is_signed {
        true => (-((1i64 << (bits - 1)) - i64::from(is_narrow)), (1i64 << (bits - 1)) - 1),
        false => (0, (1i64 << bits) - 1),
    };
    let (least, most) = (least as f64, most as f64);
    // The scale with which both bounds fit.
    let mut scale_of = |bound: &Expr, limit: f64| -> Result<Expr, Reason> {
        let greatest = of(f64::from(f32::MAX));
        if limit == 0.0 {
            return Ok(greatest);
        }
        let fits = cx.step(op::greater(op::multiply(bound.clone(), of(limit)).upcast(), of(0.0)))?;
        let divisor = cx.step(op::where_(fits.clone(), bound.clone(), of(1.0)))?;
        cx.step(op::where_(fits, op::divide(of(limit), divisor).upcast(), greatest))
    };
    let (of_low, of_high) = (scale_of(&low, least)?, scale_of(&high, most)?);
    let scale = cx.step(op::minimum(of_low, of_high))?;
    let x = match is_stated {
        true => {
            let low = cx.step(op::divide(of(least), scale.clone()))?;
            let high = cx.step(op::divide(of(most), scale.clone()))?;
            cx.step(op::minimum(op::maximum(x, low).upcast(), high))?
        }
        false => x,
    };
    let steps = cx.step(op::multiply(x, scale.clone()))?;
    let mode = only("round_mode", cx.text_attr("round_mode"), &["HALF_TO_EVEN", "HALF_UP"])?;
    let steps = match mode.as_str() {
        "HALF_UP" => op::floor(op::add(steps, of(0.5)).upcast()),
        _ => op::round(steps),
    };
    Ok(op::divide(steps.upcast(), scale).into())
}
