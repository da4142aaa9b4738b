//! Lists of tensors, as tensors with the elements along the first axis, and the arrays of version 1.

use tvmscript_ir_core::{DataType, structural_equal};
use tvmscript_prim::{self as prim, IntImm};
use tvmscript_relax::op::create::{arange, zeros};
use tvmscript_relax::op::elementwise::{equal, where_};
use tvmscript_relax::op::index::take;
use tvmscript_relax::op::join::concat;
use tvmscript_relax::op::shape::expand_dims;
use tvmscript_relax::{Call, PrimValue, Tuple};

use super::super::dims::Dims;
use super::super::importer::Value;
use super::super::list::List;
use super::super::node::{Converted, Node, Output};
use super::rows;
use crate::error::Reason;
use crate::ops::{self, dtype_of, ints};

rows! {
    "EmptyTensorList" => |_| {
        Ok(Value::List(List::Empty { length: Some(IntImm::int64(0)) }).into())
    }, "a list: nothing";
    "TensorArrayGatherV3" => |cx| elements(cx, 2), "take; nothing if all elements are taken in order";
    "TensorArrayReadV3" => |cx| element(cx, 2), "take";
    "TensorArrayScatterV3" => |cx| {
        if !is_in_order(cx, 1) {
            return Err("only lists that are written in order are supported".into());
        }
        let elements = cx.input(2)?;
        Ok(Value::List(List::Written(elements)).into())
    }, "a list: the elements", "indices other than all in order";
    "TensorArraySizeV3" => |cx| length(cx, 1), "a constant, or an integer that other operators use";
    "TensorArrayV3" => |cx| {
        let length = cx.known_dims(0).and_then(|dims| dims.values.into_iter().next());
        let list = Value::List(List::Empty { length });
        Ok(Output::Values(vec![list.clone(), list]))
    }, "a list: nothing";
    "TensorArrayWriteV3" => |cx| write(cx, 3), "zeros before the first element; equal, where", "lists of unknown length";
    "TensorListConcatV2" => |cx| {
        let stacked = list(cx, 0)?.stacked()?;
        let dims = ops::dims(&stacked)?;
        let [count, length, rest @ ..] = dims.as_slice() else { return Err("needs elements that are not scalars".into()) };
        let all = tvmscript_arith::simplify(&prim::ops::mul(count.clone(), length.clone())?);
        let joined = ops::reshape(stacked, ops::shape_of(std::iter::once(all).chain(rest.iter().cloned())))?;
        Ok(joined.into())
    }, "reshape", "the second result";
    "TensorListFromTensor" => |cx| {
        let elements = cx.input(0)?;
        Ok(Value::List(List::Written(elements)).into())
    }, "a list: the operand";
    "TensorListGather" => |cx| elements(cx, 0), "take";
    "TensorListGetItem" => |cx| element(cx, 0), "take";
    "TensorListLength" => |cx| length(cx, 0), "a constant, or an integer that other operators use";
    "TensorListPushBack" => |cx| {
        let item = cx.input(1)?;
        let item = cx.step(expand_dims(item, ints(&[0])))?;
        let stacked = match list(cx, 0)? {
            List::Written(stacked) => cx.step(concat(Tuple::new([stacked, item]).upcast(), Some(0)))?,
            List::Empty { .. } => item,
        };
        Ok(Value::List(List::Written(stacked)).into())
    }, "expand_dims, concat", "loops";
    "TensorListReserve" => reserve, "a list: zeros, if the shape of the elements is known";
    "TensorListSetItem" => |cx| write(cx, 0), "zeros before the first element; equal, where", "lists of unknown length";
    "TensorListStack" => |cx| {
        Ok(list(cx, 0)?.stacked()?.into())
    }, "the elements of the list";
}

fn element_type(cx: &Node<'_, '_>, attribute: &str) -> Result<DataType, Reason> {
    let dtype = cx.dtype_attr(attribute)?;
    dtype.ok_or_else(|| Reason(format!("the attribute `{attribute}` is missing")))
}

/// An operand that is a list.
fn list(cx: &Node<'_, '_>, index: usize) -> Result<List, Reason> {
    match cx.value(index)? {
        Value::List(list) => Ok(list),
        _ => Err("needs a list".into()),
    }
}

/// The number of elements of the list that is operand `at`.
fn length(cx: &mut Node<'_, '_>, at: usize) -> Converted {
    let length = list(cx, at)?.length().ok_or_else(|| Reason::from("needs a list of known length"))?;
    Ok(Dims::scalar(length, DataType::INT32).into())
}

/// A list with a number of elements; they are zeros if the model states their shape.
fn reserve(cx: &mut Node<'_, '_>) -> Converted {
    let dtype = element_type(cx, "element_dtype")?;
    let length = cx.known_dims(1).and_then(|dims| dims.values.into_iter().next());
    let shape = cx.known_dims(0).filter(|dims| !dims.is_scalar).map(|dims| dims.values);
    let shape =
        shape.filter(|dims| dims.iter().all(|dim| prim::ops::int_value(dim).is_none_or(|dim| dim >= 0)));
    Ok(match (shape, length) {
        (Some(shape), Some(length)) => {
            let start = zeros(ops::shape_of(std::iter::once(length).chain(shape)), dtype);
            Value::List(List::Written(cx.normalize(start)?)).into()
        }
        (_, length) => Value::List(List::Empty { length }).into(),
    })
}

/// The element of the list that is operand `at`, or its elements along the axes of several indices. Operand 1 has the
/// indices.
fn element(cx: &mut Node<'_, '_>, at: usize) -> Converted {
    let stacked = list(cx, at)?.stacked()?;
    Ok(take(stacked, cx.input(1)?, Some(0), "fast".into()).into())
}

/// Elements of the list that is operand `at`, along a new first axis.
fn elements(cx: &mut Node<'_, '_>, at: usize) -> Converted {
    let list = list(cx, at)?;
    let count = |dims: Option<Vec<prim::Expr>>| dims.and_then(|dims| dims.into_iter().next());
    let counts = count(ops::dims_of(&cx.input(1)?)).zip(list.length());
    let is_all = counts.is_some_and(|(a, b)| structural_equal(a.object(), b.object()));
    if is_all && is_in_order(cx, 1) {
        return Ok(list.stacked()?.into());
    }
    element(cx, at)
}

/// Returns `true` for indices from 0, each one more than the one before.
fn is_in_order(cx: &Node<'_, '_>, index: usize) -> bool {
    if let Ok(indices) = cx.ints(index, "") {
        return indices.into_iter().zip(0..).all(|(index, at)| index == at);
    }
    let call = cx.operands.get(index).and_then(|value| match value {
        Value::Tensor(value) => value.as_node::<Call>(),
        _ => None,
    });
    let call = call.filter(|call| call.op_name() == Some("relax.arange"));
    let bound = |at: usize| {
        let bound = call?.args.iter().nth(at)?.as_node::<PrimValue>()?;
        prim::ops::int_value(&bound.value)
    };
    bound(0) == Some(0) && bound(2) == Some(1)
}

/// The list that is operand `at` with the element at operand 1 replaced by operand 2.
fn write(cx: &mut Node<'_, '_>, at: usize) -> Converted {
    let list = list(cx, at)?;
    let (index, item) = (cx.input(1)?, cx.input(2)?);
    let length = list.length().ok_or_else(|| Reason::from("needs a list of known length"))?;
    let stacked = match list {
        List::Written(stacked) => stacked,
        List::Empty { .. } => {
            let dims = std::iter::once(length.clone()).chain(ops::dims(&item)?);
            cx.normalize(zeros(ops::shape_of(dims), dtype_of(&item)))?
        }
    };
    let end = PrimValue::new(length.clone()).upcast();
    let positions = arange(ops::int_operand(0), Some(end), ops::int_operand(1), Some(dtype_of(&index)));
    let positions = cx.step(positions)?;
    let is_it = cx.step(equal(positions, index))?;
    let ones = std::iter::repeat_with(|| IntImm::int64(1)).take(ops::rank(&item)?);
    let is_it = ops::reshape(is_it, ops::shape_of(std::iter::once(length).chain(ones)))?;
    let item = expand_dims(item, ints(&[0]));
    let value = cx.step(where_(is_it.upcast(), item.upcast(), stacked))?;
    Ok(Value::List(List::Written(value)).into())
}
