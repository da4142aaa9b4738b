//! `R.layout_transform`: elements at other indices, by a map of indices.

use tvmscript_arith::map_ranges;
use tvmscript_ir_core::Ref;
use tvmscript_ir_macros::operators;
#[cfg(feature = "build")]
use tvmscript_irbuilder::{FromScript, Result, ScriptValue};
use tvmscript_prim::{FloatImm, IndexMap, IntImm, PrimExprExt};

use super::super::{Infer, InferErrorKind, Operator};
use super::Inferred;
#[cfg(feature = "build")]
use crate::build::args::{ExprArg, IntListArg, PrimValueArg};
#[cfg(feature = "build")]
use crate::build::operator_args::IndexMapArg;
use crate::node::attrs::LayoutTransformAttrs;
use crate::node::*;

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// The tensor with each element at the indices to which a map takes its own. Gaps are filled.
    layout_transform(
        x: ExprArg, index_map: IndexMapArg, pad_value: Option<ScriptValue> = None,
        axis_separators: Option<IntListArg> = None, input_axis_separators: Option<IntListArg> = None
    ) -> infer(transformed) {
        let pad_value = pad_value.filter(|value| !matches!(value, ScriptValue::None));
        let pad_value = pad_value.map(|value| pad_of(value, &x.0)).transpose().map_err(|e| e.at_position(2))?;
        let attrs = LayoutTransformAttrs {
            index_map: index_map.0,
            pad_value,
            axis_separators: Some(axis_separators.map(|list| list.0).unwrap_or_default()),
            input_axis_separators: Some(input_axis_separators.map(|list| list.0).unwrap_or_default()),
        };
        Ok(Call::of_op("relax.layout_transform", [x.0], Some(Ref::new(attrs).upcast())))
    }
}

/// The value that fills gaps: a plain number has the type of the tensor, if both are whole or the tensor is not.
#[cfg(feature = "build")]
fn pad_of(value: ScriptValue, x: &Expr) -> Result<Ref<PrimValue>> {
    let info = struct_info_of(x);
    let dtype = info.as_ref().and_then(|info| info.as_node::<TensorStructInfo>()).map(|tensor| tensor.dtype);
    let typed = match (&value, dtype) {
        (ScriptValue::Int(number), Some(dtype)) if dtype.is_int() || dtype.is_uint() => {
            IntImm::try_new(dtype, *number)?
        }
        (ScriptValue::Int(number), Some(dtype)) if dtype.is_any_float() => {
            FloatImm::try_new(dtype, *number as f64)?
        }
        (ScriptValue::Float(number), Some(dtype)) if dtype.is_any_float() => {
            FloatImm::try_new(dtype, *number)?
        }
        _ => return PrimValueArg::from_script(value).map(|value| value.0),
    };
    Ok(PrimValue::new(typed))
}

fn transformed(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let LayoutTransformAttrs { index_map, pad_value, .. } = cx.attrs()?;
    if let Some(found) = pad_value.as_ref().map(|pad| pad.value.dtype()).filter(|dtype| *dtype != x.dtype) {
        let what = match x.dtype.is_void() {
            true => format!("is of type `{found}`, and the type of the tensor is not known"),
            false => format!("is of type `{found}`, the tensor of `{}`", x.dtype),
        };
        return Err(cx.wrong_attribute("pad_value", what));
    }
    let IndexMap { initial_indices, final_indices, inverse_index_map: _ } = &**index_map;
    let ndim = final_indices.len() as i64;
    if x.is_unknown_ndim() {
        return Ok(x.reranked(ndim));
    }
    if x.ndim != initial_indices.len() as i64 {
        let expected = format!("rank {}", initial_indices.len());
        return Err(InferErrorKind::Rank { op: cx.op(), expected, found: x.ndim }.at(0));
    }
    let Some(dims) = x.known_dims() else { return Ok(x.reranked(ndim)) };
    let variables = initial_indices.iter().zip(dims.iter());
    let variables: Vec<_> =
        variables.map(|(var, dim)| (var.clone(), IntImm::int64(0), dim.clone())).collect();
    let indices: Vec<_> = final_indices.iter().cloned().collect();
    let no_shape = || InferErrorKind::Attribute {
        op: cx.op(),
        attribute: "index_map",
        what: "does not take the shape of the tensor to one that begins at zero".to_owned(),
    };
    // The dimensions say nothing about each other here.
    let ranges = map_ranges(&variables, &indices, &mut tvmscript_arith::Analyzer::new());
    let ranges = ranges.ok_or_else(no_shape)?;
    if ranges.iter().any(|(min, _)| min.as_node::<IntImm>().is_none_or(|min| min.value != 0)) {
        return Err(no_shape().into());
    }
    Ok(x.reshaped(ranges.into_iter().map(|(_, extent)| extent)))
}
