//! Quantised tensors.
//!
//! Upstream counterpart: `src/relax/op/tensor/qdq.cc`.

use tvmscript_ir_core::{DataType, Ref, TypeCode};
use tvmscript_ir_macros::operators;

use super::{Infer, InferError, InferErrorKind, Operator};
use crate::analysis::same_dim;
#[cfg(feature = "build")]
use crate::build::args::{ExprArg, IntArg};
use crate::describe;
use crate::node::attrs::QuantizeAttrs;
use crate::node::*;

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// Floating numbers as small ones: divided by a scale, moved by a zero point, rounded.
    quantize(
        data: ExprArg, scale: ExprArg, zero_point: ExprArg, axis: IntArg = -1,
        out_dtype: DataType = DataType::int(8)
    ) -> infer(quantized) {
        Ok(call("relax.quantize", data, scale, zero_point, axis, out_dtype))
    }
    /// Small numbers as the floating numbers they stand for.
    dequantize(
        data: ExprArg, scale: ExprArg, zero_point: ExprArg, axis: IntArg = -1,
        out_dtype: DataType = DataType::FLOAT32
    ) -> infer(dequantized) {
        Ok(call("relax.dequantize", data, scale, zero_point, axis, out_dtype))
    }
}

const INT8: DataType = DataType::int(8);
const FLOAT16: DataType = DataType::float(16);
const FLOAT8_E4M3FN: DataType = DataType { code: TypeCode::Float8E4M3Fn, bits: 8, lanes: 1 };
const FLOAT8_E5M2: DataType = DataType { code: TypeCode::Float8E5M2, bits: 8, lanes: 1 };
/// Types that numbers are quantised to.
const QUANTIZED: [DataType; 6] =
    [INT8, DataType::uint(8), DataType::int(16), DataType::uint(16), FLOAT8_E4M3FN, FLOAT8_E5M2];
const FLOATS: [DataType; 2] = [FLOAT16, DataType::FLOAT32];
/// Further types that `R.dequantize` takes.
const ACCUMULATED: [DataType; 3] = [DataType::INT32, FLOAT16, DataType::FLOAT32];

#[cfg(feature = "build")]
fn call(
    name: &str,
    data: ExprArg,
    scale: ExprArg,
    zero_point: ExprArg,
    axis: IntArg,
    out_dtype: DataType,
) -> Ref<Call> {
    let attrs = QuantizeAttrs { out_dtype, axis: axis.0 };
    Call::of_op(name, [data.0, scale.0, zero_point.0], Some(Ref::new(attrs).upcast()))
}

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

/// The operand with the type that is asked for. Scale and zero point are scalars, or have one element for each index of the axis.
fn converted(cx: &mut Infer<'_>, takes: &[DataType], gives: &[DataType]) -> Inferred {
    let QuantizeAttrs { out_dtype, axis } = *cx.attrs()?;
    if !gives.contains(&out_dtype) {
        return Err(
            cx.wrong_attribute("out_dtype", format!("is one of {}, not `{out_dtype}`", listed(gives)))
        );
    }
    let [data, scale, zero_point] = cx.tensors()?;
    let is_one_of = |index: usize, found: DataType, dtypes: &[DataType]| match dtypes.contains(&found) {
        true => Ok(()),
        false => {
            let expected = format!("a tensor of one of the types {}", listed(dtypes));
            Err(InferErrorKind::Dtype { op: cx.op(), expected, found }.at(index))
        }
    };
    is_one_of(0, data.dtype, takes)?;
    is_one_of(1, scale.dtype, &FLOATS)?;
    is_one_of(2, zero_point.dtype, &[INT8, FLOAT16])?;
    // The axis has to be known, so the rank has.
    let axis = cx.axis(axis, data.ndim.max(0))?;
    for (index, param) in [&scale, &zero_point].into_iter().enumerate() {
        if param.dims().is_some_and(|dims| dims.is_empty()) {
            continue;
        }
        let dim = |tensor: &TensorStructInfo, axis: usize| tensor.known_dims()?.get(axis).cloned();
        let (Some(size), Some(length)) = (dim(param, 0), dim(&data, axis)) else {
            return Err(cx.wrong_kind(index + 1, "a scalar, or a tensor whose length is known"));
        };
        if !same_dim(&size, &length, cx.analyzer) {
            let (size, length) = (describe::scalar(&size), describe::scalar(&length));
            let what = format!("this has {size} elements, and axis {axis} has the length {length}");
            return Err(cx.wrong_shape_at(index + 1, what));
        }
    }
    Ok(super::elementwise::with_dtype(&data, out_dtype))
}
