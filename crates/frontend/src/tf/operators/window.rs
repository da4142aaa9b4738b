//! Operators on all windows of an image.

use tvmscript_ir_core::Str;
use tvmscript_prim::{IntImm, ops::int_value};
use tvmscript_relax::op::elementwise as op;
use tvmscript_relax::op::index::take;
use tvmscript_relax::op::join::concat;
use tvmscript_relax::op::nn::resample::pad;
use tvmscript_relax::{Expr, Tuple};

use super::super::node::{Converted, Node};
use super::convolution::{Windows, of_spatial, windows};
use super::rows;
use super::slice::{Range, slice};
use crate::error::Reason;
use crate::ops::{self, dtype_of, int64_number, ints};

rows! {
    "Dilation2D" => dilation, "nn.pad, strided_slice, add, maximum", "images and filters of unknown size";
    "ExtractImagePatches" => |cx| {
        let kernel = cx.ints_attr("ksizes").unwrap_or_default();
        let kernel = of_spatial("ksizes", &kernel, "NHWC")?;
        let parts = pixels(cx, &kernel, 0.0)?;
        Ok(concat(Tuple::new(parts).upcast(), Some(-1)).into())
    }, "nn.pad, strided_slice, concat", "images of unknown size";
}

/// Maximum number of pixels of a window.
const MAX_PIXELS: i64 = 4096;

/// For each pixel of a window, the image of that pixel in all windows.
fn pixels(cx: &mut Node<'_, '_>, kernel: &[i64], outside: f64) -> Result<Vec<Expr>, Reason> {
    let x = cx.input(0)?;
    let dims = ops::dims(&x)?;
    let [_, height, width, _] = dims.as_slice() else { return Err("needs images of rank 4".into()) };
    let (Some(height), Some(width), [tall, wide]) = (int_value(height), int_value(width), kernel) else {
        return Err("needs images of known size".into());
    };
    if tall.checked_mul(*wide).is_none_or(|count| count > MAX_PIXELS) {
        return Err(Reason(format!("windows have more than {MAX_PIXELS} pixels")));
    }
    let strides = cx.ints_attr("strides").unwrap_or_default();
    let Windows { strides, dilations, padding, .. } =
        windows(cx, &dims, kernel, "NHWC".to_owned(), &strides)?;
    let [top, left, bottom, right] = *padding.as_slice() else { return Err("needs two spatial axes".into()) };
    let x = match padding.iter().any(|count| *count > 0) {
        true => {
            cx.step(pad(x, ints(&[0, 0, top, bottom, left, right, 0, 0]), Str::from("constant"), outside))?
        }
        false => x,
    };
    let axis = |at: usize| [strides.get(at), dilations.get(at)].map(|number| number.copied().unwrap_or(1));
    let ([down, tall_rate], [across, wide_rate]) = (axis(0), axis(1));
    let windows =
        |length: i64, size: i64, stride: i64, rate: i64| (length - (size - 1) * rate - 1).div_euclid(stride);
    let (rows, columns) = (
        windows(height + top + bottom, *tall, down, tall_rate),
        windows(width + left + right, *wide, across, wide_rate),
    );
    if rows < 0 || columns < 0 {
        return Err("the windows are larger than the image".into());
    }
    let mut parts = Vec::new();
    for i in 0..*tall {
        for j in 0..*wide {
            let range = |axis: usize, begin: i64, count: i64, stride: i64| {
                Range::strided(axis, begin, IntImm::int64(begin + count * stride + 1), stride)
            };
            let ranges = [range(1, i * tall_rate, rows, down), range(2, j * wide_rate, columns, across)];
            parts.push(cx.step(slice(x.clone(), &ranges))?);
        }
    }
    Ok(parts)
}

/// The greatest sum of a pixel of a window and the filter.
fn dilation(cx: &mut Node<'_, '_>) -> Converted {
    let filter = cx.input(1)?;
    let lengths = ops::lengths(&filter)?;
    let [tall, wide, channels] = *lengths.as_slice() else { return Err("needs a filter of rank 3".into()) };
    let lowest = match dtype_of(&filter).is_any_float() {
        true => f64::from(f32::MIN),
        false => return Err("needs images of floating-point numbers".into()),
    };
    let parts = pixels(cx, &[tall, wide], lowest)?;
    let filter = cx.step(ops::reshape(filter, ops::shape(&[tall * wide, channels]))?)?;
    let mut greatest: Option<Expr> = None;
    for (at, part) in parts.into_iter().enumerate() {
        let weights = cx.step(take(filter.clone(), int64_number(at as i64), Some(0), "fast".into()))?;
        let sum = op::add(part, weights).upcast();
        greatest = Some(match greatest {
            Some(greatest) => cx.step(op::maximum(greatest, sum))?,
            None => sum,
        });
    }
    greatest.map(Into::into).ok_or_else(|| "the filter is empty".into())
}
