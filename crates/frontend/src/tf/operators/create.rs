//! Constants, variables, values that are passed on, and other element types.

use tvmscript_ir_core::DataType;
use tvmscript_prim::ops::int_value;
use tvmscript_relax::evaluate::Tensor;
use tvmscript_relax::op::create::{arange, full, ones_like, zeros_like};
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::not_equal;
use tvmscript_relax::op::memory::view;
use tvmscript_relax::op::scatter::scatter_nd;
use tvmscript_relax::{Constant, DataTypeImm, Expr, PrimValue};

use super::super::dims::Dims;
use super::super::importer::Value;
use super::super::node::{Converted, Node, Output};
use super::super::saved_model::variable_name;
use super::super::tensor;
use super::rows;
use super::shape::target;
use crate::error::Reason;
use crate::ops::{self, dtype_of, number};

rows! {
    "Assert", "NoOp", "PrintV2" => |_| Ok(Output::Values(Vec::new())), "nothing";
    "Bitcast" => bitcast, "astype of integers, else memory.view", "types of other sizes";
    "Cast" => cast, "astype; not_equal for `bool`", "texts and complex numbers";
    "CheckNumerics", "DebugIdentityV2", "EnsureShape", "Identity", "PlaceholderWithDefault", "PreventGradient", "Print",
    "ReadVariableOp", "Snapshot", "StopGradient" => |cx| Ok(Output::Values(vec![cx.value(0)?])), "the operand";
    "Const" => constant, "a constant; with parameters kept, a parameter", "texts and complex numbers";
    "Empty" => |cx| {
        let shape = target(cx, 0)?;
        let dtype = cx.dtype_attr("dtype")?.unwrap_or(DataType::FLOAT32);
        Ok(full(shape, number(dtype, 0.0), Some(dtype)).into())
    }, "full";
    "Fill" => |cx| {
        let shape = target(cx, 0)?;
        let value = cx.input(1)?;
        let dtype = dtype_of(&value);
        Ok(full(shape, value, Some(dtype)).into())
    }, "full";
    "IdentityN" => |cx| {
        let values = (0..cx.count()).map(|index| cx.value(index));
        Ok(Output::Values(values.collect::<Result<_, _>>()?))
    }, "the operands";
    "LinSpace" => lin_space, "a constant", "bounds that are not constant";
    "OnesLike" => |cx| Ok(ones_like(cx.input(0)?, None).into()), "ones_like";
    "Placeholder", "PlaceholderV2" => |_| Err("is not an input of the signature".into()), "a parameter",
        "texts and complex numbers";
    "Range" => range, "a constant, or arange", "bounds at run time that do not come from shapes";
    "SparseToDense" => |cx| {
        let shape = target(cx, 1)?;
        let (indices, values, default) = (cx.input(0)?, cx.input(2)?, cx.input(3)?);
        let dtype = dtype_of(&values);
        let start = cx.step(full(shape, default, Some(dtype)))?;
        let rank = ops::rank(&indices)?;
        let indices = if rank < 2 { cx.step(ops::reshape(indices, ops::shape(&[-1, 1]))?)? } else { indices };
        let indices = cx.step(astype(indices, DataType::INT64))?;
        Ok(scatter_nd(start, indices, values, "update".into()).into())
    }, "full, scatter_nd";
    "VarHandleOp" => |cx| {
        Ok(Output::Values(vec![Value::Resource(variable_name(cx.proto))]))
    }, "a variable of a saved model: a constant; with parameters kept, a parameter";
    "Variable", "VariableV2" => |cx| {
        let value = cx.importer.variable(&variable_name(cx.proto))?;
        Ok(Output::Values(vec![Value::Tensor(value)]))
    }, "a variable of a saved model: a constant; with parameters kept, a parameter";
    "ZerosLike" => |cx| Ok(zeros_like(cx.input(0)?, None).into()), "zeros_like";
}

fn constant(cx: &mut Node<'_, '_>) -> Converted {
    let proto = cx.tensor_attr("value").ok_or_else(|| Reason::from("the attribute `value` is missing"))?;
    let layer = cx.layer.clone();
    let tensor = tensor::constant(&layer, proto, cx.importer.options.max_folded_bytes)?;
    let constant = cx.graph().constant(&layer, tensor);
    Ok(Output::Values(vec![Value::Tensor(cx.importer.weight(&layer, constant))]))
}

fn cast(cx: &mut Node<'_, '_>) -> Converted {
    let dtype = cx.dtype_attr("DstT")?.ok_or_else(|| Reason::from("the attribute `DstT` is missing"))?;
    if let (true, Some(dims)) = (cx.is_symbolic(0), cx.known_dims(0))
        && dtype.is_int()
    {
        return Ok(Dims { dtype, ..dims }.into());
    }
    let x = cx.input(0)?;
    let found = dtype_of(&x);
    Ok(match dtype {
        _ if found == dtype => x.into(),
        DataType::BOOL => not_equal(x, number(found, 0.0)).into(),
        _ => astype(x, dtype).into(),
    })
}

/// The bits of numbers as those of another type of the same size.
fn bitcast(cx: &mut Node<'_, '_>) -> Converted {
    let dtype = cx.dtype_attr("type")?.ok_or_else(|| Reason::from("the attribute `type` is missing"))?;
    let x = cx.input(0)?;
    let found = dtype_of(&x);
    if found.bits != dtype.bits || found == DataType::BOOL || dtype == DataType::BOOL {
        return Err(Reason(format!("cannot take the bits of `{found}` as `{dtype}`")));
    }
    Ok(match found.is_integer() && dtype.is_integer() {
        true => astype(x, dtype).into(),
        false => view(x, None, Some(DataTypeImm::new(dtype).upcast()), None).into(),
    })
}

/// A constant vector of numbers at equal distances.
fn sequence(
    cx: &Node<'_, '_>,
    dtype: DataType,
    count: usize,
    at: impl Fn(usize) -> f64,
) -> Result<Expr, Reason> {
    let bytes = count.saturating_mul(usize::from(dtype.bits / 8));
    let limit = cx.importer.options.max_folded_bytes;
    if bytes > limit {
        return Err(Reason(format!("the result has {bytes} bytes, more than the limit of {limit}")));
    }
    let values = (0..count).map(at);
    let tensor = match tvmscript_ir_core::arithmetic::is_float(dtype) {
        true => Tensor::of_floats(dtype, vec![count], values),
        false => Tensor::of_ints(dtype, vec![count], values.map(|value| value as i128)),
    };
    Ok(Constant::new(tensor.encode()).upcast())
}

fn named(cx: &mut Node<'_, '_>, value: Expr) -> Converted {
    let layer = cx.layer.clone();
    Ok(match value.downcast::<Constant>() {
        Ok(constant) => cx.graph().named(&layer, constant).into(),
        Err(value) => value.into(),
    })
}

fn range(cx: &mut Node<'_, '_>) -> Converted {
    let known = (0..3).all(|index| cx.constant(index).is_some());
    if !known {
        let dims: Option<Vec<Dims>> = (0..3).map(|index| cx.known_dims(index)).collect();
        let dims = dims.ok_or_else(|| Reason::from("bounds must be constant, or come from shapes"))?;
        let dtype = dims.first().map_or(DataType::INT32, |dims| dims.dtype);
        let bound =
            |dims: &Dims| dims.values.first().cloned().ok_or_else(|| Reason::from("a bound is empty"));
        let bounds = dims.iter().map(bound).collect::<Result<Vec<_>, _>>()?;
        let [start, end, step] = bounds.as_slice() else { return Err("needs three operands".into()) };
        if int_value(step) == Some(0) {
            return Err("the step must not be 0".into());
        }
        let operand = |value: &tvmscript_prim::Expr| PrimValue::new(value.clone()).upcast();
        return Ok(arange(operand(start), Some(operand(end)), operand(step), Some(dtype)).into());
    }
    let dtype = dtype_of(&cx.input(0)?);
    let (start, end) = (cx.number(0, "the start")?, cx.number(1, "the end")?);
    let step = cx.number(2, "the step")?;
    if step == 0.0 || !(end - start).is_finite() {
        return Err("the step must not be 0, and the bounds must be finite".into());
    }
    let count = ((end - start) / step).ceil().max(0.0);
    let value = sequence(cx, dtype, count as usize, |index| start + index as f64 * step)?;
    named(cx, value)
}

fn lin_space(cx: &mut Node<'_, '_>) -> Converted {
    let (start, end) = (cx.number(0, "the start")?, cx.number(1, "the end")?);
    let count = usize::try_from(cx.int(2, "the number of elements")?).unwrap_or(0);
    let step = (end - start) / count.saturating_sub(1).max(1) as f64;
    let dtype = dtype_of(&cx.input(0)?);
    let last = count.saturating_sub(1);
    let value = sequence(cx, dtype, count, |index| match index {
        0 => start,
        index if index == last => end,
        index => start + index as f64 * step,
    })?;
    named(cx, value)
}
