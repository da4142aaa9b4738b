//! Pooling, and normalization over neighbours.

use tvmscript_ir_core::{Array, DataType, Ref, Str};
use tvmscript_prim::IntImm;
use tvmscript_relax::Expr;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::{add, divide, multiply, power, sqrt, square};
use tvmscript_relax::op::nn::pool::{avg_pool2d, max_pool2d};
use tvmscript_relax::op::reduce::sum;

use super::super::node::{Converted, Node, quantization};
use super::super::schema::{L2Norm, LocalResponseNormalization, Pool2D};
use super::activation::{fused, fused_stored, real_dtype};
use super::conv::padding;
use super::rows;
use crate::error::Reason;
use crate::ops::{int64s, ints, number, reshape, shape};

rows! {
    "AVERAGE_POOL_2D": Stored average_pool => "nn.avg_pool2d";
    "L2_NORMALIZATION": Real l2_normalization => "square, sum, add, sqrt, divide";
    "L2_POOL_2D": Real l2_pool => "power, nn.avg_pool2d, sqrt";
    "LOCAL_RESPONSE_NORMALIZATION": Real local_response => "square, nn.avg_pool2d, multiply, add, power, divide";
    "MAX_POOL_2D": Stored max_pool => "nn.max_pool2d";
}

/// The window of a pooling: lengths, strides and padding.
struct Window {
    size: Array<Ref<IntImm>>,
    strides: Array<Ref<IntImm>>,
    padding: Array<Ref<IntImm>>,
}

fn window(cx: &mut Node<'_, '_>) -> Result<Window, Reason> {
    use Pool2D as Field;
    let size = [cx.int(Field::FilterHeight, 0)?, cx.int(Field::FilterWidth, 0)?];
    let strides = [cx.int(Field::StrideH, 0)?, cx.int(Field::StrideW, 0)?];
    let [_, height, width, _] = cx.lengths(0)?;
    let windows = [[height, size[0], strides[0]], [width, size[1], strides[1]]];
    let padding = padding(cx.choice(Field::Padding)?, &windows)?;
    Ok(Window { size: int64s(&size), strides: int64s(&strides), padding: int64s(&padding) })
}

/// The layout of images.
fn layout() -> Str {
    Str::from("NHWC")
}

fn averaged(x: Expr, window: Window) -> Expr {
    let Window { size, strides, padding } = window;
    avg_pool2d(x, size, strides, padding, int64s(&[1, 1]), false, false, layout(), None).upcast()
}

fn average_pool(cx: &mut Node<'_, '_>) -> Converted {
    let window = window(cx)?;
    let x = cx.stored(0)?;
    let out = match quantization(cx.tensor(0)?) {
        Some(_) => {
            let sums = averaged(astype(x, DataType::INT32).upcast(), window);
            astype(sums, cx.output_dtype(0)?).upcast()
        }
        None => averaged(x, window),
    };
    let activation = cx.choice(Pool2D::FusedActivationFunction)?;
    Ok(fused_stored(cx, out, activation)?.into())
}

fn max_pool(cx: &mut Node<'_, '_>) -> Converted {
    let Window { size, strides, padding } = window(cx)?;
    let x = cx.stored(0)?;
    let out = max_pool2d(x, size, strides, padding, int64s(&[1, 1]), false, false, layout(), None).upcast();
    let activation = cx.choice(Pool2D::FusedActivationFunction)?;
    Ok(fused_stored(cx, out, activation)?.into())
}

fn l2_pool(cx: &mut Node<'_, '_>) -> Converted {
    let window = window(cx)?;
    let x = cx.input(0)?;
    let squares = power(x, number(real_dtype(cx)?, 2.0)).upcast();
    let out = sqrt(averaged(squares, window)).upcast();
    Ok(fused(out, cx.choice(Pool2D::FusedActivationFunction)?)?.into())
}

fn l2_normalization(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let last = cx.shape(0)?.len() as i64 - 1;
    let sums = sum(square(x.clone()).upcast(), Some(ints(&[last])), true);
    let length = sqrt(add(sums.upcast(), number(real_dtype(cx)?, 1e-12)).upcast());
    let out = divide(x, length.upcast()).upcast();
    Ok(fused(out, cx.choice(L2Norm::FusedActivationFunction)?)?.into())
}

/// The mean of the squares of the channels around each one, by a pooling whose images are the channels.
fn local_response(cx: &mut Node<'_, '_>) -> Converted {
    use LocalResponseNormalization as Field;
    let x = cx.input(0)?;
    let radius = cx.int(Field::Radius, 0)?;
    let (bias, alpha) = (cx.float(Field::Bias, 0.0)?, cx.float(Field::Alpha, 0.0)?);
    let beta = cx.float(Field::Beta, 0.0)?;
    let lengths: [i64; 4] = cx.lengths(0)?;
    let dtype = real_dtype(cx)?;
    let size = radius * 2 + 1;
    let squares = cx.normalize(square(x.clone()))?;
    let [batch, height, width, channels] = lengths;
    let images = batch.saturating_mul(height).saturating_mul(width);
    let rows = reshape(squares, shape(&[images, channels, 1, 1]))?;
    let (size_, padding) = (int64s(&[size, 1]), int64s(&[radius, 0, radius, 0]));
    let ones = || int64s(&[1, 1]);
    let pooled = avg_pool2d(rows.upcast(), size_, ones(), padding, ones(), false, true, layout(), None);
    let pooled = cx.normalize(pooled)?;
    let pooled = reshape(pooled, shape(&lengths))?;
    let pooled = cx.normalize(pooled)?;
    let sums = multiply(number(dtype, alpha * size as f64), pooled);
    let scale = power(add(number(dtype, bias), sums.upcast()).upcast(), number(dtype, beta));
    Ok(divide(x, scale.upcast()).into())
}
