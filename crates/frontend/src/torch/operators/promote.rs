//! Operands of different element types: tensors, numbers and lengths as tensors of one type.

use tvmscript_ir_core::{DataType, arithmetic::is_float};
use tvmscript_prim as prim;
use tvmscript_relax::{Expr, PrimValue};

use super::super::node::{DEFAULT_FLOAT, Node};
use super::super::value::{Number, Value};
use crate::error::Reason;
use crate::ops::{dtype_of, rank_of};

/// The common type of two element types; `None` if they are equal or have none.
pub(super) fn common_dtype(a: DataType, b: DataType) -> Option<DataType> {
    let is_void = a.is_void() || b.is_void();
    Some(match (is_float(a), is_float(b)) {
        _ if a == b || is_void => return None,
        (true, false) => a,
        (false, true) => b,
        (true, true) if a.bits == b.bits => DEFAULT_FLOAT,
        (true, true) => {
            if a.bits > b.bits {
                a
            } else {
                b
            }
        }
        _ if a == DataType::BOOL => b,
        _ if b == DataType::BOOL => a,
        _ if a.is_int() == b.is_int() => {
            if a.bits > b.bits {
                a
            } else {
                b
            }
        }
        _ => {
            let (signed, unsigned) = if a.is_int() { (a, b) } else { (b, a) };
            match signed.bits > unsigned.bits {
                true => signed,
                false => DataType::int(unsigned.bits.saturating_mul(2).min(64)),
            }
        }
    })
}

/// The kind of an element type: bool, integer, floating-point.
fn kind(dtype: DataType) -> u8 {
    match dtype {
        DataType::BOOL => 0,
        dtype if is_float(dtype) => 2,
        _ => 1,
    }
}

/// Two tensors with their common element type. Among types of a kind, that of a tensor of rank 0 does not count.
pub(super) fn promoted(cx: &mut Node<'_, '_>, a: Expr, b: Expr) -> Result<(Expr, Expr), Reason> {
    let (of_a, of_b) = (dtype_of(&a), dtype_of(&b));
    let Some(mut common) = common_dtype(of_a, of_b) else { return Ok((a, b)) };
    if kind(of_a) == kind(of_b) {
        match (rank_of(&a), rank_of(&b)) {
            (Some(0), Some(1..)) => common = of_b,
            (Some(1..), Some(0)) => common = of_a,
            _ => {}
        }
    }
    let a = cx.cast(a, common)?;
    let b = cx.cast(b, common)?;
    Ok((a, b))
}

/// A tensor and a number as tensors of one type, which is that of the tensor unless the number is of a wider kind.
fn with_number(
    cx: &mut Node<'_, '_>,
    x: Expr,
    number: Number,
    keeps_integers: bool,
) -> Result<(Expr, Expr), Reason> {
    let dtype = dtype_of(&x);
    let wider = match number {
        Number::Int(_) if dtype == DataType::BOOL => DataType::INT64,
        Number::Float(_) if keeps_integers && number.is_integral() || is_float(dtype) => dtype,
        Number::Float(_) => DEFAULT_FLOAT,
        _ => dtype,
    };
    let x = if dtype.is_void() { x } else { cx.cast(x, wider)? };
    let number = number.constant(dtype_of(&x));
    Ok((x, number))
}

/// A length beside a tensor: a scalar if its type is that of the tensor, else a tensor of rank 0.
fn length_operand(cx: &mut Node<'_, '_>, length: prim::Expr, beside: &Expr) -> Result<Expr, Reason> {
    match dtype_of(beside) == DataType::INT64 && rank_of(beside) != Some(0) {
        true => Ok(PrimValue::new(length).upcast()),
        false => cx.length_tensor(length, DataType::INT64),
    }
}

/// Two operands, not both numbers, as tensors of one type.
pub(super) fn as_tensors(
    cx: &mut Node<'_, '_>,
    a: Value,
    b: Value,
    keeps_integers: bool,
) -> Result<(Expr, Expr), Reason> {
    match (a, b) {
        (Value::Known(a), Value::Known(b)) => promoted(cx, a, b),
        (Value::Known(a), Value::Number(b)) => with_number(cx, a, b, keeps_integers),
        (Value::Number(a), Value::Known(b)) => with_number(cx, b, a, keeps_integers).map(|(b, a)| (a, b)),
        (Value::Known(a), Value::Dim(b)) => {
            let b = length_operand(cx, b, &a)?;
            promoted(cx, a, b)
        }
        (Value::Dim(a), Value::Known(b)) => {
            let a = length_operand(cx, a, &b)?;
            promoted(cx, a, b)
        }
        _ => Err("the operands must be tensors or numbers".into()),
    }
}
