//! New tensors, and triangular parts of matrices.

use tvmscript_ir_core::{DataType, arithmetic::is_float};
use tvmscript_prim::{self as prim, IntImm};
use tvmscript_relax::op::create as op;
use tvmscript_relax::{Call, Expr};

use super::super::node::{DEFAULT_FLOAT, Node, scalar_of};
use super::super::value::{Converted, Number, Value};
use super::rows;
use crate::error::Reason;
use crate::ops::{dtype_of, shape_of};

rows! { "aten.":
    "zeros.default", "empty.default", "empty.memory_format", "empty_permuted.default" => "zeros", |cx| {
        let shape = cx.shape(0, "size")?;
        let dtype = stated_or(cx, DEFAULT_FLOAT)?;
        cx.result(op::zeros(shape_of(shape), dtype))
    };
    "ones.default" => "full", |cx| {
        let shape = cx.shape(0, "size")?;
        let dtype = stated_or(cx, DEFAULT_FLOAT)?;
        cx.result(filled(shape, Number::Int(1), dtype))
    };
    "full.default" => "full", |cx| {
        let (shape, value) = (cx.shape(0, "size")?, cx.needed(1, "fill_value")?);
        let dtype = match cx.dtype(usize::MAX, "dtype")?.or(cx.result_dtype()) {
            Some(dtype) => dtype,
            None => default_dtype(&value),
        };
        let value = cx.point(value, dtype)?;
        cx.result(op::full(shape_of(shape), value, Some(dtype)))
    };
    "new_zeros.default", "new_empty.default" => "full", |cx| new(cx, Number::Int(0));
    "new_ones.default" => "full", |cx| new(cx, Number::Int(1));
    "new_full.default" => "full", |cx| {
        let value = cx.number(2, "fill_value")?.ok_or("the value must be known")?;
        new(cx, value)
    };
    "zeros_like.default" , "empty_like.default" => "zeros_like", |cx| like(cx, op::zeros_like);
    "ones_like.default" => "ones_like", |cx| like(cx, op::ones_like);
    "full_like.default" => "full_like", full_like;
    "scalar_tensor.default" => "a constant", |cx| {
        let value = cx.number(0, "s")?.ok_or("the number must be known")?;
        let dtype = stated_or(cx, DEFAULT_FLOAT)?;
        cx.result(value.constant(dtype))
    };
    "arange.default", "arange.start", "arange.start_step" => "arange", arange;
    "linspace.default" => "arange", linspace;
    "eye.default", "eye.m" => "eye", |cx| {
        let rows = cx.needed(0, "n")?.dim().ok_or("the number of rows must be a length")?;
        let columns = if cx.proto.operator() == "aten.eye.m" { cx.dims(1, "m")? } else { None };
        let columns = columns.and_then(|mut dims| dims.pop()).unwrap_or_else(|| rows.clone());
        let dtype = stated_or(cx, DEFAULT_FLOAT)?;
        cx.result(op::eye(scalar_of(rows), Some(scalar_of(columns)), Number::Int(0).scalar(), dtype))
    };
    "hamming_window.default", "hamming_window.periodic", "hamming_window.periodic_alpha",
    "hamming_window.periodic_alpha_beta" => "hamming_window", |cx| {
        let size = cx.number(0, "window_length")?.ok_or("the length must be known")?;
        let periodic = cx.number_or(1, "periodic", Number::Bool(true))?;
        let alpha = cx.number_or(2, "alpha", Number::Float(0.54))?;
        let beta = cx.number_or(3, "beta", Number::Float(0.46))?;
        let dtype = stated_or(cx, DEFAULT_FLOAT)?;
        cx.result(op::hamming_window(size.scalar(), periodic.scalar(), alpha.scalar(), beta.scalar(), dtype))
    };
    "tril.default" => "tril", |cx| triangle(cx, op::tril);
    "triu.default" => "triu", |cx| triangle(cx, op::triu);
}

/// The stated element type, or another.
fn stated_or(cx: &mut Node<'_, '_>, otherwise: DataType) -> Result<DataType, Reason> {
    Ok(cx.dtype(usize::MAX, "dtype")?.unwrap_or(otherwise))
}

/// The element type of a number that states none.
fn default_dtype(value: &Value) -> DataType {
    match value {
        Value::Number(Number::Bool(_)) => DataType::BOOL,
        Value::Number(Number::Int(_)) | Value::Dim(_) => DataType::INT64,
        _ => DEFAULT_FLOAT,
    }
}

fn filled(shape: Vec<prim::Expr>, value: Number, dtype: DataType) -> tvmscript_ir_core::Ref<Call> {
    op::full(shape_of(shape), value.constant(dtype), Some(dtype))
}

/// A tensor of a value, with the element type of the operand.
fn new(cx: &mut Node<'_, '_>, value: Number) -> Converted {
    let (x, shape) = (cx.tensor(0)?, cx.shape(1, "size")?);
    let dtype = stated_or(cx, dtype_of(&x))?;
    cx.result(filled(shape, value, dtype))
}

fn like(cx: &mut Node<'_, '_>, op: fn(Expr, Option<DataType>) -> tvmscript_ir_core::Ref<Call>) -> Converted {
    let x = cx.tensor(0)?;
    let dtype = cx.dtype(usize::MAX, "dtype")?.filter(|dtype| *dtype != dtype_of(&x));
    cx.result(op(x, dtype))
}

fn full_like(cx: &mut Node<'_, '_>) -> Converted {
    let (x, value) = (cx.tensor(0)?, cx.needed(1, "fill_value")?);
    let own = dtype_of(&x);
    let mut dtype = cx.dtype(usize::MAX, "dtype")?.filter(|dtype| *dtype != own);
    let is_special = matches!(value, Value::Number(Number::Float(value)) if !value.is_finite());
    if dtype.is_none() && is_special && !is_float(own) {
        dtype = Some(DEFAULT_FLOAT);
    }
    let value = cx.point(value, dtype.unwrap_or(own))?;
    cx.result(op::full_like(x, value, dtype))
}

/// A bound of an interval.
fn bound(cx: &mut Node<'_, '_>, at: usize, name: &str) -> Result<Option<(Expr, bool)>, Reason> {
    Ok(match cx.value(at, name)? {
        None | Some(Value::None) => None,
        Some(Value::Number(number)) => Some((number.scalar(), matches!(number, Number::Float(_)))),
        Some(Value::Dim(dim)) => Some((scalar_of(dim), false)),
        Some(_) => return Err("the bounds must be numbers".into()),
    })
}

fn arange(cx: &mut Node<'_, '_>) -> Converted {
    let places = match cx.positional_count() {
        0 | 1 => [usize::MAX, 0, usize::MAX],
        _ => [0, 1, 2],
    };
    let [start, end, step] = places;
    let (start, end, step) = (bound(cx, start, "start")?, bound(cx, end, "end")?, bound(cx, step, "step")?);
    let end = end.ok_or("the end must be stated")?;
    let start = start.unwrap_or_else(|| (Number::Int(0).scalar(), false));
    let step = step.unwrap_or_else(|| (Number::Int(1).scalar(), false));
    let has_float = [&start, &end, &step].iter().any(|bound| bound.1);
    let dtype = stated_or(cx, if has_float { DEFAULT_FLOAT } else { DataType::INT64 })?;
    cx.result(op::arange(start.0, Some(end.0), step.0, Some(dtype)))
}

/// An interval of the stated count of numbers, which ends half a step after the last one.
fn linspace(cx: &mut Node<'_, '_>) -> Converted {
    let needed = "the bounds and the number of steps must be known";
    let start = cx.number(0, "start")?.ok_or(needed)?;
    let stop = cx.number(1, "end")?.ok_or(needed)?.as_f64();
    let count = cx.needed_int(2, "steps")?;
    let (end, step) = match count {
        1 => match start {
            Number::Float(start) => (Number::Float(start + 1.0), Number::Int(1)),
            start => (Number::Int(start.as_i64().saturating_add(1)), Number::Int(1)),
        },
        2.. => {
            let step = (stop - start.as_f64()) / (count - 1) as f64;
            (Number::Float(stop + step / 2.0), Number::Float(step))
        }
        _ => return Err("the number of steps must be positive".into()),
    };
    if step.as_f64() == 0.0 {
        let dtype = stated_or(cx, DEFAULT_FLOAT)?;
        return cx.result(filled(vec![IntImm::int64(count)], start, dtype));
    }
    let dtype = stated_or(cx, DEFAULT_FLOAT)?;
    cx.result(op::arange(start.scalar(), Some(end.scalar()), step.scalar(), Some(dtype)))
}

fn triangle(cx: &mut Node<'_, '_>, op: fn(Expr, Expr) -> tvmscript_ir_core::Ref<Call>) -> Converted {
    let (x, diagonal) = (cx.tensor(0)?, cx.int(1, "diagonal", 0)?);
    cx.result(op(x, Number::Int(diagonal).scalar()))
}
