//! Writes at indices and slices, and filling.

use tvmscript_ir_core::{DataType, arithmetic::is_float};
use tvmscript_prim::{self as prim, IntImm, ops as scalar, ops::int_value};
use tvmscript_relax::op::create::{arange, full, full_like};
use tvmscript_relax::op::elementwise::where_;
use tvmscript_relax::op::scatter as op;
use tvmscript_relax::op::shape::{broadcast_to, expand_dims};
use tvmscript_relax::{Expr, Tuple};

use super::super::node::{DEFAULT_FLOAT, Node, scalar_of};
use super::super::value::{Converted, Number, Value};
use super::rows;
use super::shape::shape_expr;
use crate::error::Reason;
use crate::ops::{self, dims, dtype_of, ints, rank, shape_of};

rows! { "aten.":
    "scatter.src" => "scatter_elements", |cx| scatter(cx, "update");
    "scatter_add.default" => "scatter_elements", |cx| scatter(cx, "add");
    "scatter.value" => "broadcast_to, scatter_elements", |cx| {
        let (x, axis, index) = (cx.tensor(0)?, cx.needed_int(1, "dim")?, cx.tensor(2)?);
        let value = cx.needed(3, "value")?;
        let value = cx.point(value, dtype_of(&x))?;
        let shape = shape_expr(&index)?;
        let values = cx.emit(broadcast_to(value, shape))?;
        cx.result(op::scatter_elements(x, index, values, axis, "update".into()))
    };
    "scatter_reduce.two", "scatter.reduce" => "scatter_elements" ("results without the operand"), |cx| {
        let reduction = match cx.text(4, "reduce", "")?.as_str() {
            "sum" | "add" => "add",
            "prod" | "multiply" => "mul",
            "amax" => "max",
            "amin" => "min",
            "mean" => "mean",
            other => return Err(Reason(format!("the reduction `{other}` is not supported"))),
        };
        if !cx.flag(5, "include_self", true)? {
            return Err("results without the elements of the operand are not supported".into());
        }
        scatter(cx, reduction)
    };
    "slice_scatter.default" => "slice_scatter", |cx| {
        let (x, source) = (cx.tensor(0)?, cx.tensor(1)?);
        let axis = cx.int(2, "dim", 0)?;
        let begin = bound(cx, 3, "start")?.unwrap_or_else(|| IntImm::int64(0));
        let end = bound(cx, 4, "end")?.unwrap_or_else(|| IntImm::int64(i64::MAX));
        let step = bound(cx, 5, "step")?.unwrap_or_else(|| IntImm::int64(1));
        let (begin, end) = (within(&x, axis, begin)?, within(&x, axis, end)?);
        cx.result(op::slice_scatter(x, source, scalar_of(begin), scalar_of(end), scalar_of(step), axis))
    };
    "select_scatter.default" => "expand_dims, slice_scatter", |cx| {
        let (x, source) = (cx.tensor(0)?, cx.tensor(1)?);
        let axis = cx.needed_int(2, "dim")?;
        let begin = bound(cx, 3, "index")?.ok_or("the index must be stated")?;
        let begin = within(&x, axis, begin)?;
        let end = scalar::add(begin.clone(), IntImm::int64(1))?;
        let source = cx.emit(expand_dims(source, ints(&[axis])))?;
        let step = IntImm::int64(1);
        cx.result(op::slice_scatter(x, source, scalar_of(begin), scalar_of(end), scalar_of(step), axis))
    };
    "index_put.default", "_unsafe_index_put.default"
        => "arange, reshape, index_put, where" ("indices of some axes but the last ones"), index_put;
    "masked_fill.Scalar", "masked_fill.Tensor" => "full_like, astype, where", masked_fill;
    "fill.Scalar", "fill.Tensor" => "full", |cx| {
        let (x, value) = (cx.tensor(0)?, cx.needed(1, "value")?);
        let dtype = dtype_of(&x);
        let value = cx.point(value, dtype)?;
        let shape = shape_expr(&x)?;
        cx.result(full(shape, value, Some(dtype)))
    };
    "zero.default" => "zeros_like", |cx| {
        let x = cx.tensor(0)?;
        cx.result(tvmscript_relax::op::create::zeros_like(x, None))
    };
}

fn scatter(cx: &mut Node<'_, '_>, reduction: &str) -> Converted {
    let (x, axis) = (cx.tensor(0)?, cx.needed_int(1, "dim")?);
    let (index, source) = (cx.tensor(2)?, cx.tensor(3)?);
    cx.result(op::scatter_elements(x, index, source, axis, reduction.into()))
}

fn bound(cx: &mut Node<'_, '_>, at: usize, name: &str) -> Result<Option<prim::Expr>, Reason> {
    Ok(cx.dims(at, name)?.and_then(|mut dims| dims.pop()))
}

/// A bound of a slice, counted from the front and not beyond the end.
fn within(x: &Expr, axis: i64, bound: prim::Expr) -> Result<prim::Expr, Reason> {
    let dims = dims(x)?;
    let length = dims.get(ops::axis(axis, dims.len())?).cloned().ok_or("has no such axis")?;
    let Some(value) = int_value(&bound) else { return Ok(bound) };
    Ok(match int_value(&length) {
        _ if value < 0 => scalar::add(length, bound)?,
        _ if value == i64::MAX => length,
        Some(known) if value > known => length,
        _ => bound,
    })
}

/// Values at indices. An axis without indices counts up.
fn index_put(cx: &mut Node<'_, '_>) -> Converted {
    let (x, values) = (cx.tensor(0)?, cx.tensor(2)?);
    let mut indices = cx.optional_tensors(1, "indices")?;
    let accumulates = cx.flag(3, "accumulate", false)?;
    if let [Some(mask)] = indices.as_slice()
        && dtype_of(mask) == DataType::BOOL
    {
        let is_point = dims(&values)?.iter().all(|dim| int_value(dim) == Some(1));
        if accumulates || !is_point || rank(mask)? != rank(&x)? {
            return Err("a mask needs the rank of the operand and one value".into());
        }
        let value = where_(mask.clone(), values, x);
        return cx.result(value);
    }
    let all = dims(&x)?;
    indices.resize(all.len().max(indices.len()), None);
    let rank_of_indices =
        indices.iter().flatten().map(rank).collect::<Result<Vec<_>, _>>()?.into_iter().max().unwrap_or(1);
    let open = indices.iter().filter(|index| index.is_none()).count();
    let is_first_open = indices.first().is_some_and(Option::is_none);
    if open > 1 || open == 1 && !is_first_open {
        return Err("indices of some axes but the last ones are not supported".into());
    }
    let mut stated = Vec::new();
    for (index, dim) in indices.into_iter().zip(all) {
        stated.push(match index {
            Some(index) => index,
            None => {
                let [zero, step] = [Number::Int(0), Number::Int(1)].map(Number::scalar);
                let count =
                    cx.emit(arange(zero, Some(scalar_of(dim.clone())), step, Some(DataType::INT64)))?;
                let shape = std::iter::once(dim).chain((0..rank_of_indices).map(|_| IntImm::int64(1)));
                cx.emit(ops::reshape(count, shape_of(shape))?)?
            }
        });
    }
    cx.result(op::index_put(x, Tuple::new(stated).upcast(), values, accumulates))
}

/// An infinite value turns integers into floating-point numbers.
fn masked_fill(cx: &mut Node<'_, '_>) -> Converted {
    let (mut x, mask, value) = (cx.tensor(0)?, cx.tensor(1)?, cx.needed(2, "value")?);
    let is_special = matches!(value, Value::Number(Number::Float(value)) if !value.is_finite());
    let dtype = (is_special && !is_float(dtype_of(&x))).then_some(DEFAULT_FLOAT);
    let value = cx.point(value, dtype.unwrap_or_else(|| dtype_of(&x)))?;
    let values = cx.emit(full_like(x.clone(), value, dtype))?;
    if let Some(dtype) = dtype {
        x = cx.emit(tvmscript_relax::op::datatype::astype(x, dtype))?;
    }
    cx.result(where_(mask, values, x))
}
