//! Tensors made from numbers, and operators on their elements as sets.

use tvmscript_ir_core::arithmetic::is_float;
use tvmscript_ir_core::{DataType, Ref, Span};
use tvmscript_prim::{self as prim, FloatImm, IntImm, PrimExprExt};
use tvmscript_relax::evaluate::Tensor;
use tvmscript_relax::op::create::arange;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::{
    add, ceil, divide, floor_divide, maximum, multiply, negative, subtract,
};
use tvmscript_relax::op::join::one_hot;
use tvmscript_relax::op::search::unique;
use tvmscript_relax::op::shape::{broadcast_to, shape_to_tensor};
use tvmscript_relax::{Constant, Expr, PrimValue, ShapeExpr};

use super::super::node::{Converted, Node};
use super::index::from_front;
use super::rows;
use super::runtime::{is_shape, length};
use super::shape::scalar;
use crate::error::Reason;
use crate::ops::{self, axis, dims, dtype_of, field, int_operand, number, reshape, tensor_of};

rows! {
    "Constant" { 1: constant } => "a constant", "texts and sparse tensors";
    "ConstantOfShape" { 9: constant_of_shape } => "broadcast_to; a constant";
    "OneHot" { 9: one_hot_ } => "one_hot", "a depth or values known at run time";
    "Range" { 11: range } => "arange, multiply, add; a constant";
    "Unique" { 11: unique_ } => "unique";
}

fn constant(cx: &mut Node<'_, '_>) -> Converted {
    if let Some(constant) = cx.constant_attribute("value")? {
        return Ok(cx.named(constant).into());
    }
    let floats = |shape, values: Vec<f64>| Tensor::of_floats(DataType::FLOAT32, shape, values);
    let ints =
        |shape, values: Vec<i64>| Tensor::of_ints(DataType::INT64, shape, values.into_iter().map(i128::from));
    let tensor = if let Some(value) = cx.float("value_float") {
        floats(Vec::new(), vec![value])
    } else if let Some(values) = cx.floats("value_floats") {
        floats(vec![values.len()], values)
    } else if let Some(value) = cx.int("value_int") {
        ints(Vec::new(), vec![value])
    } else if let Some(values) = cx.ints("value_ints") {
        ints(vec![values.len()], values)
    } else {
        let has = |name| cx.has_attribute(name);
        return Err(match () {
            () if has("sparse_value") => "is a sparse tensor, which is not supported".into(),
            () if has("value_string") || has("value_strings") => {
                "holds texts, which are not supported".into()
            }
            () => "has no value".into(),
        });
    };
    Ok(cx.named(Constant::new(tensor.encode())).into())
}

fn constant_of_shape(cx: &mut Node<'_, '_>) -> Converted {
    let value = match cx.constant_attribute("value")? {
        Some(value) => value,
        None => Constant::new(Tensor::of_floats(DataType::FLOAT32, Vec::new(), [0.0]).encode()),
    };
    let shape = cx.constant_or_value(0).ok_or("the shape is missing")?;
    let shape = match ops::integers(&shape) {
        Some(dims) => {
            if let Some(dim) = dims.iter().find(|dim| **dim < 0) {
                return Err(Reason(format!("cannot make a tensor with a length of {dim}")));
            }
            ops::shape(&dims)
        }
        None => shape,
    };
    let element = ops::elements(&value.clone().upcast()).filter(|element| element.len() == 1);
    let element = element.ok_or("the value must be one number")?;
    // A vector becomes a constant, others are broadcast where they are used; a vector cannot be broadcast to a point.
    let dims = match ops::integers(&shape).as_deref() {
        Some([]) if !element.shape.is_empty() => Some(Vec::new()),
        Some([length]) => Some(vec![usize::try_from(*length).unwrap_or(usize::MAX)]),
        _ => None,
    };
    if let Some(dims) = dims {
        let count = dims.iter().product::<usize>();
        let fits = cx.graph().affords(count.saturating_mul(8));
        let filled = fits.then(|| element.gather(&dims, std::iter::repeat_n(0, count))).flatten();
        if let Some(filled) = filled {
            return Ok(cx.named(Constant::new(filled.encode())).into());
        }
    }
    let shape = match is_shape(&shape) {
        true => shape,
        false => {
            let rank = length(&shape, "the shape")?;
            let vector = cx.int64_tensor(shape)?;
            ops::shape_of(cx.tensor_to_shape(vector, rank, "constant_dim")?)
        }
    };
    let value = cx.named(value);
    Ok(broadcast_to(value, shape).into())
}

fn one_hot_(cx: &mut Node<'_, '_>) -> Converted {
    let depth = cx.constant_number(1, "the depth")?.ok_or("the depth is missing")? as i64;
    if depth < 1 {
        return Err(Reason(format!("the depth must be positive, found {depth}")));
    }
    let values = cx.constant(2).ok_or("the values must be constant")?;
    let dtype = dtype_of(&values);
    let (off, on) = match ops::numbers(&values).as_deref() {
        Some([off, on]) => (*off, *on),
        _ => return Err("the values must be a constant of two numbers".into()),
    };
    let value = |value: f64| -> Expr {
        scalar(match is_float(dtype) {
            true => Ref::new(FloatImm { span: Span::current(), dtype, value }).upcast(),
            false => Ref::new(IntImm { span: Span::current(), dtype, value: value as i64 }).upcast(),
        })
    };
    let mut indices = cx.tensor(0)?;
    if is_float(dtype_of(&indices)) {
        indices = astype(indices, DataType::INT64).upcast();
        indices = cx.normalize(indices)?;
    }
    let indices = from_front(cx, indices, |_, dtype| Ok(number(dtype, depth as f64)))?;
    Ok(one_hot(indices, value(on), value(off), depth, cx.int("axis").unwrap_or(-1)).into())
}

fn unique_(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let stated = cx.int("axis");
    let count = cx.output_count();
    let flag = |flag: bool| scalar(IntImm::bool(flag));
    let sorted = cx.int("sorted").unwrap_or(1) != 0;
    let found = unique(
        x.clone(),
        flag(sorted),
        flag(count > 1),
        flag(count > 2),
        flag(count > 3),
        stated.map(int_operand),
    )
    .upcast();
    let number: prim::Expr = prim::Var::new("unique_numbers", DataType::INT64).upcast();
    let shape = match stated {
        None => vec![number.clone()],
        Some(stated) => {
            let mut shape = dims(&x)?;
            let at = axis(stated, shape.len())?;
            if let Some(dim) = shape.get_mut(at) {
                *dim = number.clone();
            }
            shape
        }
    };
    let values = tensor_of(shape, dtype_of(&x));
    if count <= 1 {
        return Ok(cx.graph().match_cast(found, values)?.into());
    }
    let inverse = prim::Var::new("inverse_numbers", DataType::INT64).upcast();
    let mut results = vec![cx.graph().match_cast(field(&found, 0), values)?];
    for (index, length) in [(1, number.clone()), (2, inverse), (3, number)] {
        if index < count {
            let info = tensor_of([length], DataType::INT64);
            results.push(cx.graph().match_cast(field(&found, index), info)?);
        }
    }
    Ok(results.into())
}

// --- Range -------------------------------------------------------------------------------------------------------

/// The element type of a number, which may be a scalar.
fn scalar_dtype(value: &Expr) -> DataType {
    match value.as_node::<PrimValue>() {
        Some(scalar) => scalar.value.dtype(),
        None => dtype_of(value),
    }
}

fn range(cx: &mut Node<'_, '_>) -> Converted {
    let mut bounds = Vec::new();
    for index in 0..3 {
        let bound = cx.constant_or_value(index).ok_or("needs a start, a limit and a step")?;
        bounds.push(match bound.as_node::<ShapeExpr>() {
            Some(shape) if shape.values.len() == 1 => {
                shape.values.iter().next().cloned().map_or(bound.clone(), scalar)
            }
            _ => bound,
        });
    }
    let [start, limit, delta] = bounds.as_slice() else { return Err("needs three operands".into()) };
    let dtype = scalar_dtype(start);
    let is_float = is_float(dtype);
    let known = |bound: &Expr| match bound.is::<Constant>() {
        true => ops::elements(bound).filter(|tensor| tensor.len() == 1),
        false => None,
    };
    if let (Some(start), Some(limit), Some(delta)) = (known(start), known(limit), known(delta)) {
        return constant_range(cx, dtype, &start, &limit, &delta);
    }
    let count_dtype = if is_float { DataType::float(64) } else { DataType::INT64 };
    let (count, first, step) = if is_float {
        let first = scalar_tensor(cx, start, dtype)?;
        let limit = scalar_tensor(cx, limit, dtype)?;
        let step = scalar_tensor(cx, delta, dtype)?;
        let difference = cx.normalize(subtract(limit, first.clone()))?;
        let difference = cx.normalize(astype(difference, count_dtype))?;
        let wide_step = cx.normalize(astype(step.clone(), count_dtype))?;
        (ceil(divide(difference, wide_step).upcast()), first, step)
    } else {
        let first = scalar_tensor(cx, start, count_dtype)?;
        let limit = scalar_tensor(cx, limit, count_dtype)?;
        let step = scalar_tensor(cx, delta, count_dtype)?;
        let count = negative(floor_divide(subtract(first, limit).upcast(), step).upcast());
        (count, scalar_tensor(cx, start, dtype)?, scalar_tensor(cx, delta, dtype)?)
    };
    let count = cx.normalize(maximum(count.upcast(), number(count_dtype, 0.0)))?;
    let count = cx.normalize(astype(count, DataType::INT64))?;
    let count = reshape(count, ops::shape(&[1]))?;
    let count = cx.normalize(count)?;
    let length = cx.tensor_to_shape(count, 1, "range_len")?.pop().ok_or("has no length")?;
    let positions = arange(int_operand(0), Some(scalar(length)), int_operand(1), Some(DataType::INT64));
    let positions = cx.normalize(astype(positions.upcast(), dtype))?;
    Ok(add(multiply(positions, step).upcast(), first).into())
}

/// A number as a tensor of rank 0 and a type.
fn scalar_tensor(cx: &mut Node<'_, '_>, value: &Expr, dtype: DataType) -> Result<Expr, Reason> {
    if let Some(scalar) = value.as_node::<PrimValue>() {
        let wide = prim::ops::cast(DataType::INT64, scalar.value.clone())?;
        let vector = cx.normalize(shape_to_tensor(ops::shape_of([wide])))?;
        let one = reshape(vector, ops::shape(&[]))?;
        let one = cx.normalize(one)?;
        return if dtype == DataType::INT64 { Ok(one) } else { cx.normalize(astype(one, dtype)) };
    }
    if value.is::<Constant>() {
        let known = ops::numbers(value);
        return match known.as_deref() {
            Some([known]) => Ok(number(dtype, *known)),
            _ => Err("needs numbers".into()),
        };
    }
    let value = value.clone();
    if dtype_of(&value) == dtype { Ok(value) } else { cx.normalize(astype(value, dtype)) }
}

fn constant_range(
    cx: &mut Node<'_, '_>,
    dtype: DataType,
    start: &Tensor,
    limit: &Tensor,
    delta: &Tensor,
) -> Converted {
    let float = |tensor: &Tensor| tensor.floats().and_then(|values| values.first().copied());
    let int = |tensor: &Tensor| tensor.ints().and_then(|values| values.first().copied());
    let mut fits = |count: i128| match usize::try_from(count.max(0)) {
        Ok(count) if cx.graph().affords(count.saturating_mul(8)) => Ok(count),
        _ => Err(Reason(format!("the constant of {count} numbers would be too large"))),
    };
    let tensor = match (float(start), float(limit), float(delta), int(start), int(limit), int(delta)) {
        (Some(start), Some(limit), Some(delta), ..) => {
            let difference = Tensor::of_floats(dtype, Vec::new(), [limit - start]);
            let count = (float(&difference).unwrap_or(0.0) / delta).ceil();
            if !count.is_finite() {
                return Err("the number of its elements is not finite".into());
            }
            let count = fits(count as i128)?;
            let steps = Tensor::of_floats(dtype, vec![count], (0..count).map(|at| at as f64));
            let steps = steps.floats().unwrap_or_default().iter().map(|at| at * delta);
            let steps = Tensor::of_floats(dtype, vec![count], steps.collect::<Vec<_>>());
            let values = steps.floats().unwrap_or_default().iter().map(|step| step + start);
            Tensor::of_floats(dtype, vec![count], values.collect::<Vec<_>>())
        }
        (_, _, _, Some(start), Some(limit), Some(delta)) => {
            if delta == 0 {
                return Err("the step is 0".into());
            }
            // Rounded up towards the limit.
            let steps = (start - limit) * delta.signum();
            let count = fits(-steps.div_euclid(delta.abs()))?;
            Tensor::of_ints(dtype, vec![count], (0..count).map(|at| start + at as i128 * delta))
        }
        _ => return Err("needs operands of one type".into()),
    };
    Ok(cx.named(Constant::new(tensor.encode())).into())
}
