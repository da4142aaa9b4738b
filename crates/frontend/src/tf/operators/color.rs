//! Colors of images.

use tvmscript_relax::op::elementwise as op;
use tvmscript_relax::op::join::concat;
use tvmscript_relax::op::reduce::mean;
use tvmscript_relax::{Expr, Tuple};

use super::super::node::{Converted, Node};
use super::rows;
use super::slice::{Range, slice};
use crate::error::Reason;
use crate::ops::{self, dtype_of, int_operand, ints, number};

rows! {
    "AdjustContrastv2" => |cx| {
        let [x, factor] = [cx.input(0)?, cx.input(1)?];
        let middle = cx.step(mean(x.clone(), Some(ints(&[-3, -2])), true))?;
        let moved = op::multiply(op::subtract(x, middle.clone()).upcast(), factor);
        Ok(op::add(moved.upcast(), middle).into())
    }, "mean, subtract, multiply, add";
    "AdjustHue" => |cx| {
        let [x, delta] = [cx.input(0)?, cx.input(1)?];
        let [hue, saturation, value] = to_hsv(cx, x)?;
        let moved = cx.step(op::add(hue, delta))?;
        let hue = cx.step(op::subtract(moved.clone(), op::floor(moved).upcast()))?;
        to_rgb(cx, [hue, saturation, value])
    }, "as RGBToHSV, add, floor, subtract, as HSVToRGB";
    "AdjustSaturation" => |cx| {
        let [x, factor] = [cx.input(0)?, cx.input(1)?];
        let [hue, saturation, value] = to_hsv(cx, x)?;
        let saturation = op::clip(op::multiply(saturation, factor).upcast(), int_operand(0), int_operand(1));
        let saturation = cx.step(saturation)?;
        to_rgb(cx, [hue, saturation, value])
    }, "as RGBToHSV, multiply, clip, as HSVToRGB";
    "HSVToRGB" => |cx| {
        let x = cx.input(0)?;
        let channels = channels(cx, x)?;
        to_rgb(cx, channels)
    }, "strided_slice, multiply, abs, subtract, clip, add, concat";
    "RGBToHSV" => |cx| {
        let x = cx.input(0)?;
        let [hue, saturation, value] = to_hsv(cx, x)?;
        Ok(concat(Tuple::new([hue, saturation, value]).upcast(), Some(-1)).into())
    }, "strided_slice, maximum, minimum, subtract, divide, where, concat";
}

/// The three channels of an image.
fn channels(cx: &mut Node<'_, '_>, x: Expr) -> Result<[Expr; 3], Reason> {
    let last = ops::rank(&x)?.checked_sub(1).ok_or_else(|| Reason::from("needs an image"))?;
    let mut channel = |at: i64| cx.step(slice(x.clone(), &[Range::of(last, at, at + 1)]));
    Ok([channel(0)?, channel(1)?, channel(2)?])
}

/// Hue, saturation and value of colors.
fn to_hsv(cx: &mut Node<'_, '_>, x: Expr) -> Result<[Expr; 3], Reason> {
    let of = |number_of: f64| number(dtype_of(&x), number_of);
    let [red, green, blue] = channels(cx, x.clone())?;
    let value = cx.step(op::maximum(op::maximum(red.clone(), green.clone()).upcast(), blue.clone()))?;
    let least = cx.step(op::minimum(op::minimum(red.clone(), green.clone()).upcast(), blue.clone()))?;
    let range = cx.step(op::subtract(value.clone(), least))?;
    let is_colored = cx.step(op::greater(range.clone(), of(0.0)))?;
    let is_lit = op::greater(value.clone(), of(0.0)).upcast();
    let saturation = op::where_(is_lit, op::divide(range.clone(), value.clone()).upcast(), of(0.0));
    let saturation = cx.step(saturation)?;
    let scale = cx.step(op::divide(of(1.0 / 6.0), range))?;
    let part = |a: &Expr, b: &Expr, start: f64| -> Expr {
        let difference = op::multiply(op::subtract(a.clone(), b.clone()).upcast(), scale.clone());
        op::add(difference.upcast(), of(start)).upcast()
    };
    let is = |channel: &Expr| -> Expr { op::equal(channel.clone(), value.clone()).upcast() };
    let of_others = op::where_(is(&green), part(&blue, &red, 2.0 / 6.0), part(&red, &green, 4.0 / 6.0));
    let hue = op::where_(is(&red), part(&green, &blue, 0.0), of_others.upcast());
    let hue = cx.step(op::where_(is_colored, hue.upcast(), of(0.0)))?;
    let is_negative = op::less(hue.clone(), of(0.0)).upcast();
    let hue = cx.step(op::where_(is_negative, op::add(hue.clone(), of(1.0)).upcast(), hue))?;
    Ok([hue, saturation, value])
}

/// Colors of hue, saturation and value.
fn to_rgb(cx: &mut Node<'_, '_>, [hue, saturation, value]: [Expr; 3]) -> Converted {
    let of = |number_of: f64| number(dtype_of(&value), number_of);
    let hue = cx.step(op::multiply(hue, of(6.0)))?;
    let grey = cx.step(op::subtract(of(1.0), saturation.clone()))?;
    let distance = |center: f64| -> Expr { op::abs(op::subtract(hue.clone(), of(center)).upcast()).upcast() };
    let shares: [Expr; 3] = [
        op::subtract(distance(3.0), of(1.0)).upcast(),
        op::subtract(of(2.0), distance(2.0)).upcast(),
        op::subtract(of(2.0), distance(4.0)).upcast(),
    ];
    let mut colors = Vec::new();
    for share in shares {
        let share = op::clip(share, int_operand(0), int_operand(1)).upcast();
        let color = op::add(op::multiply(saturation.clone(), share).upcast(), grey.clone()).upcast();
        colors.push(cx.step(op::multiply(color, value.clone()))?);
    }
    Ok(concat(Tuple::new(colors).upcast(), Some(-1)).into())
}
