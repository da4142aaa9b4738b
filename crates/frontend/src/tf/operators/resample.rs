//! Images in other sizes, by matrices: each pixel is a weighted sum of pixels of its row and column.

use tvmscript_ir_core::DataType;
use tvmscript_prim::{self as prim, IntImm, ops as dim};
use tvmscript_relax::evaluate::{MAX_ELEMENTS, Tensor};
use tvmscript_relax::op::create::arange;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise as op;
use tvmscript_relax::op::index::take;
use tvmscript_relax::op::linear_algebra::matmul;
use tvmscript_relax::op::shape::expand_dims;
use tvmscript_relax::{Constant, Expr};

use super::super::node::{Converted, Node};
use super::slice::{Range, slice};
use super::{only, rows};
use crate::error::Reason;
use crate::ops::{self, dtype_of, int_operand, ints, number};

rows! {
    "CropAndResize" => crop, "floor, abs, subtract, maximum, take, matmul, where",
        "a size that is not constant; images of unknown size";
    "ResizeArea" => |cx| {
        let aligns = cx.flag("align_corners");
        resized(cx, |input, output| area(input, output, aligns))
    }, "matmul with constants", "a size that is not constant; images of unknown size";
    "ResizeBicubic" => |cx| {
        let (aligns, has_halves) = (cx.flag("align_corners"), cx.flag("half_pixel_centers"));
        resized(cx, |input, output| cubic(input, output, aligns, has_halves))
    }, "matmul with constants", "a size that is not constant; images of unknown size";
    "ScaleAndTranslate" => |cx| {
        let number_pair = |cx: &Node<'_, '_>, index: usize, what: &str| -> Result<[f64; 2], Reason> {
            let numbers = cx.constant(index).and_then(|value| ops::numbers(&value));
            let numbers = numbers.and_then(|numbers| <[f64; 2]>::try_from(numbers).ok());
            numbers.ok_or_else(|| Reason(format!("{what} must be constant")))
        };
        let scales = number_pair(cx, 2, "the scales")?;
        let shifts = number_pair(cx, 3, "the translations")?;
        let kernel = Kernel::of(&cx.text_attr("kernel_type").unwrap_or_default())?;
        let smooths = cx.flag_or("antialias", true);
        let mut axes = scales.into_iter().zip(shifts);
        resized(cx, |input, output| {
            let (scale, shift) = axes.next().unwrap_or((1.0, 0.0));
            kernel.weights(input, output, scale, shift, smooths)
        })
    }, "matmul with constants", "sizes, scales and translations that are not constant; images of unknown size";
}

/// The weights of the pixels of a line for each pixel of the result, one row each.
type Weights = Vec<Vec<f64>>;

/// Multiplies columns, then rows, by weights.
fn resized(cx: &mut Node<'_, '_>, mut weights: impl FnMut(usize, usize) -> Weights) -> Converted {
    let size = cx.ints(1, "the size")?;
    let x = cx.input(0)?;
    let x = if dtype_of(&x).is_any_float() { x } else { astype(x, DataType::FLOAT32).upcast() };
    let x = cx.normalize(x)?;
    let dims = ops::dims(&x)?;
    let ([batch, height, width, channels], [down, across]) = (dims.as_slice(), size.as_slice()) else {
        return Err("needs images of rank 4 and two lengths".into());
    };
    let known = |dim: &prim::Expr| dim::int_value(dim).and_then(|length| usize::try_from(length).ok());
    let (Some(rows), Some(columns)) = (known(height), known(width)) else {
        return Err("needs images of known size".into());
    };
    let mut matrix = |input: usize, output: i64| -> Result<Expr, Reason> {
        let output = usize::try_from(output).ok().filter(|output| *output > 0);
        let output = output.ok_or_else(|| Reason::from("the size must be two positive numbers"))?;
        if output.checked_mul(input).is_none_or(|count| count == 0 || count > MAX_ELEMENTS) {
            return Err("the images are too large".into());
        }
        let weights = weights(input, output).into_iter().flatten();
        let tensor = Tensor::of_floats(dtype_of(&x), vec![output, input], weights);
        Ok(Constant::new(tensor.encode()).upcast())
    };
    let (of_rows, of_columns) = (matrix(rows, *down)?, matrix(columns, *across)?);
    let line = tvmscript_arith::simplify(&dim::mul(width.clone(), channels.clone())?);
    let flat = cx.step(ops::reshape(x, ops::shape_of([batch.clone(), height.clone(), line]))?)?;
    let moved = cx.step(matmul(of_rows, flat, None))?;
    let shape = [batch.clone(), IntImm::int64(*down), width.clone(), channels.clone()];
    let moved = cx.step(ops::reshape(moved, ops::shape_of(shape))?)?;
    Ok(matmul(of_columns, moved, None).into())
}

/// The share of each pixel in an interval of the line.
fn area(input: usize, output: usize, aligns: bool) -> Weights {
    let scale = match aligns && output > 1 {
        true => (input.saturating_sub(1)) as f64 / (output - 1) as f64,
        false => input as f64 / output as f64,
    };
    let row = |at: usize| {
        let (begin, end) = (at as f64 * scale, (at + 1) as f64 * scale);
        let mut weights = vec![0.0; input];
        let mut pixel = begin.floor();
        while pixel < end {
            let share = (pixel + 1.0).min(end) - pixel.max(begin);
            if let Some(weight) = weights.get_mut((pixel as usize).min(input - 1)) {
                *weight += share / scale;
            }
            pixel += 1.0;
        }
        weights
    };
    (0..output).map(row).collect()
}

/// Number of steps between two pixels in TensorFlow's table of cubic weights.
const STEPS: f32 = 1024.0;

/// The weights of four pixels, from TensorFlow's table.
fn cubic(input: usize, output: usize, aligns: bool, has_halves: bool) -> Weights {
    let a = if has_halves { -0.5 } else { -0.75 };
    let scale = match aligns && output > 1 {
        true => (input.saturating_sub(1)) as f32 / (output - 1) as f32,
        false => input as f32 / output as f32,
    };
    let near = |x: f64| ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
    let far = |x: f64| ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a;
    let row = |at: usize| {
        let place = if has_halves { (at as f32 + 0.5) * scale - 0.5 } else { at as f32 * scale };
        let step = f64::from(((place - place.floor()) * STEPS).round_ties_even() / STEPS);
        let first = place.floor() as i64 - 1;
        let mut weights = vec![0.0; input];
        let mut sum = 0.0;
        for (at, value) in (first..).zip([far(step + 1.0), near(step), near(1.0 - step), far(2.0 - step)]) {
            let last = input as i64 - 1;
            // With half pixels, the pixels outside do not count.
            if has_halves && !(0..=last).contains(&at) {
                continue;
            }
            sum += value;
            if let Some(weight) = weights.get_mut(at.clamp(0, last) as usize) {
                *weight += value;
            }
        }
        if has_halves && sum.abs() > 1e-30 {
            weights.iter_mut().for_each(|weight| *weight /= sum);
        }
        weights
    };
    (0..output).map(row).collect()
}

/// The kernel of a resampling.
#[derive(Debug, Clone, Copy)]
enum Kernel {
    Lanczos(f64),
    Gaussian,
    Box,
    Triangle,
    KeysCubic,
    MitchellCubic,
}

impl Kernel {
    fn of(name: &str) -> Result<Kernel, Reason> {
        Ok(match name {
            "lanczos1" => Kernel::Lanczos(1.0),
            "" | "lanczos3" => Kernel::Lanczos(3.0),
            "lanczos5" => Kernel::Lanczos(5.0),
            "gaussian" => Kernel::Gaussian,
            "box" => Kernel::Box,
            "triangle" => Kernel::Triangle,
            "keyscubic" => Kernel::KeysCubic,
            "mitchellcubic" => Kernel::MitchellCubic,
            other => return Err(Reason(format!("`kernel_type` is `{other}`, which is not supported"))),
        })
    }

    fn radius(self) -> f64 {
        match self {
            Kernel::Lanczos(radius) => radius,
            Kernel::Gaussian => 1.5,
            Kernel::Box => 0.5,
            Kernel::Triangle => 1.0,
            Kernel::KeysCubic | Kernel::MitchellCubic => 2.0,
        }
    }

    fn at(self, x: f64) -> f64 {
        let x = x.abs();
        match self {
            Kernel::Lanczos(radius) if x > radius => 0.0,
            Kernel::Lanczos(_) if x <= 1e-3 => 1.0,
            Kernel::Lanczos(radius) => {
                let angle = std::f64::consts::PI * x;
                radius * angle.sin() * (angle / radius).sin() / (angle * angle)
            }
            Kernel::Gaussian if x >= 1.5 => 0.0,
            Kernel::Gaussian => (-x * x / (2.0 * 0.5 * 0.5)).exp(),
            Kernel::Box if x == 0.5 => 0.5,
            Kernel::Box => f64::from(x < 0.5),
            Kernel::Triangle => (1.0 - x).max(0.0),
            Kernel::KeysCubic | Kernel::MitchellCubic if x >= 2.0 => 0.0,
            Kernel::KeysCubic if x >= 1.0 => ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0,
            Kernel::KeysCubic => ((1.5 * x - 2.5) * x) * x + 1.0,
            Kernel::MitchellCubic if x >= 1.0 => ((-7.0 / 18.0 * x + 2.0) * x - 10.0 / 3.0) * x + 16.0 / 9.0,
            Kernel::MitchellCubic => ((7.0 / 6.0 * x - 2.0) * x) * x + 8.0 / 9.0,
        }
    }

    /// The weights of pixels around the source of each pixel. Pixels from outside the line are 0.
    fn weights(self, input: usize, output: usize, scale: f64, shift: f64, smooths: bool) -> Weights {
        // TensorFlow computes places in single precision.
        let inverse = 1.0 / scale as f32;
        let start = -inverse * shift as f32;
        let widened = if smooths { inverse.max(1.0) } else { 1.0 };
        let reach = self.radius() as f32 * widened;
        let row = |at: usize| {
            let mut weights = vec![0.0; input];
            let place = (at as f32 + 0.5) * inverse + start;
            if !(0.0..=input as f32).contains(&place) {
                return weights;
            }
            let last = input as i64 - 1;
            let first = ((place - reach - 0.5).ceil() as i64).clamp(0, last);
            let end = ((place + reach - 0.5).floor() as i64).clamp(0, last);
            let mut sum = 0.0;
            for pixel in first..=end {
                let weight = self.at(f64::from((pixel as f32 + 0.5 - place) / widened));
                sum += weight;
                if let Some(place) = weights.get_mut(pixel as usize) {
                    *place = weight;
                }
            }
            if sum.abs() >= 1000.0 * f64::from(f32::MIN_POSITIVE) {
                weights.iter_mut().for_each(|weight| *weight /= sum);
            }
            weights
        };
        (0..output).map(row).collect()
    }
}

/// Regions of images in one size. The weights of the pixels of a line come from the boxes.
fn crop(cx: &mut Node<'_, '_>) -> Converted {
    let size = cx.ints(3, "the size")?;
    let [x, boxes, which] = [cx.input(0)?, cx.input(1)?, cx.input(2)?];
    let is_nearest = only("method", cx.text_attr("method"), &["bilinear", "nearest"])? == "nearest";
    let x = if dtype_of(&x).is_any_float() { x } else { cx.step(astype(x, DataType::FLOAT32))? };
    let dims = ops::dims(&x)?;
    let ([_, height, width, channels], [down, across]) = (dims.as_slice(), size.as_slice()) else {
        return Err("needs images of rank 4 and two lengths".into());
    };
    let (Some(rows), Some(columns)) = (dim::int_value(height), dim::int_value(width)) else {
        return Err("needs images of known size".into());
    };
    if !(1..=1 << 16).contains(down) || !(1..=1 << 16).contains(across) || rows < 1 || columns < 1 {
        return Err("the sizes are out of range".into());
    }
    let which = cx.agree(&boxes, which, Some)?;
    let count = ops::dims(&boxes)?.first().cloned().ok_or_else(|| Reason::from("needs boxes"))?;
    let (of_rows, has_rows) = lines(cx, &boxes, 0, rows, *down, is_nearest)?;
    let (of_columns, has_columns) = lines(cx, &boxes, 1, columns, *across, is_nearest)?;
    let images = cx.step(take(x.clone(), which, Some(0), "fast".into()))?;
    let line = tvmscript_arith::simplify(&dim::mul(width.clone(), channels.clone())?);
    let images = cx.step(ops::reshape(images, ops::shape_of([count.clone(), height.clone(), line]))?)?;
    let moved = cx.step(matmul(of_rows, images, None))?;
    let shape = [count, IntImm::int64(*down), width.clone(), channels.clone()];
    let moved = cx.step(ops::reshape(moved, ops::shape_of(shape))?)?;
    let of_columns = cx.step(expand_dims(of_columns, ints(&[1])))?;
    let found = cx.step(matmul(of_columns, moved, None))?;
    let has_rows = expand_dims(has_rows, ints(&[2, 3])).upcast();
    let has_columns = expand_dims(has_columns, ints(&[1, 3])).upcast();
    let is_inside = cx.step(op::logical_and(has_rows, has_columns))?;
    let outside = number(dtype_of(&x), cx.float_attr("extrapolation_value").unwrap_or(0.0));
    Ok(op::where_(is_inside, found, outside).into())
}

/// For each box and pixel of the result: the weights of the pixels of a line, and `true` if the pixel is inside the image.
fn lines(
    cx: &mut Node<'_, '_>,
    boxes: &Expr,
    axis: i64,
    length: i64,
    count: i64,
    is_nearest: bool,
) -> Result<(Expr, Expr), Reason> {
    let float = dtype_of(boxes);
    let of = |value: f64| number(float, value);
    let last = (length - 1) as f64;
    let mut bound = |at: i64| cx.step(slice(boxes.clone(), &[Range::of(1, at, at + 1)]));
    let (begin, end) = (bound(axis)?, bound(axis + 2)?);
    // The order of the operations is TensorFlow's, whose rounding decides about the nearest pixel.
    let places = match count {
        1 => cx.step(op::multiply(op::add(begin, end).upcast(), of(0.5 * last)))?,
        _ => {
            let steps = Tensor::of_floats(float, vec![1, count as usize], (0..count).map(|at| at as f64));
            let steps = Constant::new(steps.encode()).upcast();
            let width = op::multiply(op::subtract(end, begin.clone()).upcast(), of(last)).upcast();
            let step = cx.step(op::divide(width, of((count - 1) as f64)))?;
            let begin = cx.step(op::multiply(begin, of(last)))?;
            cx.step(op::add(begin, op::multiply(step, steps).upcast()))?
        }
    };
    let from = op::greater_equal(places.clone(), of(0.0)).upcast();
    let is_inside = cx.step(op::logical_and(from, op::less_equal(places.clone(), of(last)).upcast()))?;
    let places = match is_nearest {
        true => cx.step(op::floor(op::add(places, of(0.5)).upcast()))?,
        false => places,
    };
    let places = cx.step(expand_dims(places, ints(&[2])))?;
    let pixels = cx.step(arange(int_operand(0), Some(int_operand(length)), int_operand(1), Some(float)))?;
    let distance = cx.step(op::abs(op::subtract(places, pixels).upcast()))?;
    let weights = cx.step(op::maximum(op::subtract(of(1.0), distance).upcast(), of(0.0)))?;
    Ok((weights, is_inside))
}
