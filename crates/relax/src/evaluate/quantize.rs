//! Quantization and its reverse, in the types that TVM's loops for them compute in.

use crate::node::attrs::QuantizeAttrs;
use tvmscript_ir_core::DataType;
use tvmscript_ir_core::arithmetic::is_float;

use super::tensor::{Data, Tensor, rounded};
use super::{Operands, axis_of};

/// Largest finite `float16`.
const MAX_FLOAT16: f64 = 65504.0;

/// Computes `quantize` and `dequantize`.
pub(super) fn evaluate(cx: &Operands<'_>) -> Option<Tensor> {
    let run = match cx.name {
        "quantize" => quantize,
        "dequantize" => dequantize,
        _ => return None,
    };
    let (x, axis) = (cx.tensor(0)?, cx.attrs::<QuantizeAttrs>()?.axis);
    let along = |values: Tensor| match values.shape.as_slice() {
        dims if dims.iter().all(|dim| *dim == 1) => values.reshaped(&[])?.broadcast(&x.shape),
        [length] => {
            let mut shape = vec![1; x.shape.len()];
            *shape.get_mut(axis_of(axis, x.shape.len())?)? = *length;
            values.reshaped(&shape)?.broadcast(&x.shape)
        }
        _ => None,
    };
    run(cx, &x, &along(cx.tensor(1)?)?, &along(cx.tensor(2)?)?)
}

/// `clip(round(x / scale) + zero_point)`
fn quantize(cx: &Operands<'_>, x: &Tensor, scale: &Tensor, zero: &Tensor) -> Option<Tensor> {
    if x.dtype != DataType::FLOAT32 || scale.dtype != DataType::FLOAT32 {
        return None;
    }
    let round = |value| rounded(DataType::FLOAT32, value);
    let (low, high) = bounds(cx.dtype)?;
    let values = x.floats()?.iter().zip(scale.floats()?).zip(numbers(zero));
    let value = |((x, scale), zero): ((&f64, &f64), f64)| {
        let scaled = round(x / scale);
        let whole = if is_float(cx.dtype) { scaled } else { scaled.round() };
        let sum = round(whole + round(zero));
        sum.is_finite().then(|| sum.min(round(high)).max(round(low)))
    };
    converted(cx.dtype, x, values.map(value).collect::<Option<Vec<f64>>>()?)
}

/// `(x - zero_point) * scale`
fn dequantize(cx: &Operands<'_>, x: &Tensor, scale: &Tensor, zero: &Tensor) -> Option<Tensor> {
    let round = |value| rounded(DataType::FLOAT32, value);
    let is_whole = matches!((&x.data, &zero.data), (Data::Int(_), Data::Int(_)));
    if !is_whole && !is_float(x.dtype) {
        return None;
    }
    let (low, high) = bounds(cx.dtype)?;
    let values = numbers(x).zip(scale.floats()?).zip(numbers(zero));
    let value = |((x, scale), zero): ((f64, &f64), f64)| {
        let product = round(round(x - zero) * round(*scale));
        if cx.dtype == DataType::FLOAT32 { product } else { product.min(high).max(low) }
    };
    converted(cx.dtype, x, values.map(value).collect())
}

fn numbers(tensor: &Tensor) -> Box<dyn Iterator<Item = f64> + '_> {
    match &tensor.data {
        Data::Float(values) => Box::new(values.iter().copied()),
        Data::Int(values) => Box::new(values.iter().map(|value| *value as f64)),
    }
}

/// The numbers of a type.
fn bounds(dtype: DataType) -> Option<(f64, f64)> {
    let high = match (is_float(dtype), dtype.bits) {
        (true, 32) => f64::from(f32::MAX),
        (true, 16) if dtype == DataType::float(16) => MAX_FLOAT16,
        (true, _) => return None,
        (false, bits @ ..=32) if dtype.is_uint() => return Some((0.0, 2f64.powi(bits.into()) - 1.0)),
        (false, bits @ 2..=32) => 2f64.powi(i32::from(bits) - 1) - 1.0,
        _ => return None,
    };
    Some(if is_float(dtype) { (-high, high) } else { (-high - 1.0, high) })
}

/// Clipped numbers as a tensor.
fn converted(dtype: DataType, like: &Tensor, values: Vec<f64>) -> Option<Tensor> {
    let shape = like.shape.clone();
    match is_float(dtype) {
        true => Some(Tensor::of_floats(dtype, shape, values)),
        // `i32::MAX` is not a `float32`: a number that it is rounded to has no defined value.
        false if dtype.bits > 24 => None,
        false => Some(Tensor::of_ints(dtype, shape, values.iter().map(|value| value.trunc() as i128))),
    }
}
