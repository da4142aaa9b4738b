//! Quantization.
//!
//! Upstream counterpart: `src/relax/op/tensor/qdq.cc`.

use tvmscript_ir_core::TypeCode;
use tvmscript_prim::ops::int_value;

use super::prelude::*;
use crate::analysis::same_dim;
use crate::describe;
use crate::node::attrs::QuantizeAttrs;

operators! {
    /// Quantizes floating-point numbers: divides by a scale, adds a zero point, rounds.
    quantize(
        data: Expr, scale: Expr, zero_point: Expr; axis: Int = -1, out_dtype: DataType = DataType::int(8)
    ) -> infer(quantized), attrs = QuantizeAttrs;
    /// The floating-point numbers that quantized ones represent.
    dequantize(
        data: Expr, scale: Expr, zero_point: Expr; axis: Int = -1, out_dtype: DataType = DataType::FLOAT32
    ) -> infer(dequantized), attrs = QuantizeAttrs;
}

const INT8: DataType = DataType::int(8);
const FLOAT16: DataType = DataType::float(16);
const FLOAT8_E4M3FN: DataType = DataType { code: TypeCode::Float8E4M3Fn, bits: 8, lanes: 1 };
const FLOAT8_E5M2: DataType = DataType { code: TypeCode::Float8E5M2, bits: 8, lanes: 1 };
/// Types of quantized numbers.
const QUANTIZED: [DataType; 6] =
    [INT8, DataType::uint(8), DataType::int(16), DataType::uint(16), FLOAT8_E4M3FN, FLOAT8_E5M2];
const FLOATS: [DataType; 2] = [FLOAT16, DataType::FLOAT32];
/// Types of zero points, as TVM 0.25 and newer accept them.
const ZERO_POINTS: [DataType; 7] = [
    INT8,
    DataType::uint(8),
    DataType::int(16),
    DataType::uint(16),
    DataType::INT32,
    DataType::uint(32),
    FLOAT16,
];
/// Further types that `R.dequantize` accepts.
const ACCUMULATED: [DataType; 3] = [DataType::INT32, FLOAT16, DataType::FLOAT32];

fn quantized(cx: &mut Infer<'_>) -> Inferred {
    converted(cx, &FLOATS, &QUANTIZED)
}

fn dequantized(cx: &mut Infer<'_>) -> Inferred {
    converted(cx, &[&QUANTIZED[..], &ACCUMULATED].concat(), &FLOATS)
}

fn listed(dtypes: &[DataType]) -> String {
    let names: Vec<String> = dtypes.iter().map(|dtype| format!("`{dtype}`")).collect();
    names.join(", ")
}

/// Returns `true` for tensors of one element.
fn is_single(param: &TensorStructInfo) -> bool {
    param.dims().is_some_and(|dims| dims.iter().all(|dim| int_value(dim) == Some(1)))
}

/// The operand with the stated element type. Scale and zero point have one element, or one per index of the axis.
/// Operands of rank 0 have no axis.
fn converted(cx: &mut Infer<'_>, takes: &[DataType], gives: &[DataType]) -> Inferred {
    let QuantizeAttrs { out_dtype, axis } = *cx.attrs()?;
    if !gives.contains(&out_dtype) {
        return Err(
            cx.wrong_attribute("out_dtype", format!("must be one of {}, found `{out_dtype}`", listed(gives)))
        );
    }
    let [data, scale, zero_point] = cx.tensors()?;
    let is_one_of = |index: usize, found: DataType, dtypes: &[DataType]| match dtypes.contains(&found) {
        true => Ok(()),
        false => {
            let expected = format!("a tensor of one of the types {}", listed(dtypes));
            Err(cx.wrong_dtype(index, expected, found))
        }
    };
    is_one_of(0, data.dtype, takes)?;
    is_one_of(1, scale.dtype, &FLOATS)?;
    is_one_of(2, zero_point.dtype, &ZERO_POINTS)?;
    // The axis must be known, so the rank must be.
    let axis = if data.ndim == 0 { None } else { Some(cx.axis(axis, data.ndim.max(0))?) };
    for (index, param) in [&scale, &zero_point].into_iter().enumerate() {
        if is_single(param) {
            continue;
        }
        let Some(axis) = axis else {
            return Err(cx.wrong_kind(index + 1, "a tensor of one element, for an operand of rank 0"));
        };
        let dim = |tensor: &TensorStructInfo, axis: usize| tensor.known_dims()?.get(axis).cloned();
        let (Some(size), Some(length)) = (dim(param, 0), dim(&data, axis)) else {
            return Err(cx.wrong_kind(index + 1, "a scalar, or a tensor of known length"));
        };
        if !same_dim(&size, &length, cx.analyzer) {
            let (size, length) = (describe::scalar(&size), describe::scalar(&length));
            let what = format!("expected one element per index of axis {axis}, {length}, found {size}");
            return Err(cx.wrong_shape_at(index + 1, what));
        }
    }
    Ok(super::elementwise::with_dtype(&data, out_dtype))
}
