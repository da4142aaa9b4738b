//! Arithmetic, comparisons and functions of single elements.

use tvmscript_ir_core::Ref;
use tvmscript_relax::op::create::zeros_like;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise as op;
use tvmscript_relax::op::tvm_0_27::tensor::atan2;
use tvmscript_relax::{Call, Expr};

use super::super::node::{Converted, Node, quantization};
use super::super::schema::Add;
use super::activation::fused;
use super::rows;
use crate::ops::number;

rows! {
    "ABS": Real |cx| unary(cx, op::abs) => "abs";
    "ADD": Real |cx| arithmetic(cx, op::add) => "add";
    "ADD_N": Real add_n => "add";
    "ATAN2": Real |cx| binary(cx, atan2) => "atan2";
    "BITWISE_XOR": Stored |cx| binary(cx, op::bitwise_xor) => "bitwise_xor";
    "CAST": Real cast => "astype";
    "CEIL": Real |cx| unary(cx, op::ceil) => "ceil";
    "COS": Real |cx| unary(cx, op::cos) => "cos";
    "DIV": Real |cx| arithmetic(cx, op::divide) => "divide";
    "EQUAL": Real |cx| binary(cx, op::equal) => "equal";
    "EXP": Real |cx| unary(cx, op::exp) => "exp";
    "FLOOR": Real |cx| unary(cx, op::floor) => "floor";
    "FLOOR_DIV": Real |cx| binary(cx, op::floor_divide) => "floor_divide";
    "FLOOR_MOD": Real |cx| binary(cx, op::floor_mod) => "floor_mod";
    "GREATER": Real |cx| binary(cx, op::greater) => "greater";
    "GREATER_EQUAL": Real |cx| binary(cx, op::greater_equal) => "greater_equal";
    "LESS": Real |cx| binary(cx, op::less) => "less";
    "LESS_EQUAL": Real |cx| binary(cx, op::less_equal) => "less_equal";
    "LOG": Real |cx| unary(cx, op::log) => "log";
    "LOGICAL_AND": Stored |cx| binary(cx, op::logical_and) => "logical_and";
    "LOGICAL_NOT": Stored |cx| unary(cx, op::logical_not) => "logical_not";
    "LOGICAL_OR": Stored |cx| binary(cx, op::logical_or) => "logical_or";
    "MAXIMUM": Real |cx| binary(cx, op::maximum) => "maximum";
    "MINIMUM": Real |cx| binary(cx, op::minimum) => "minimum";
    "MUL": Real |cx| arithmetic(cx, op::multiply) => "multiply";
    "NEG": Real |cx| unary(cx, op::negative) => "negative";
    "NOT_EQUAL": Real |cx| binary(cx, op::not_equal) => "not_equal";
    "POW": Real |cx| binary(cx, op::power) => "power";
    "RIGHT_SHIFT": Stored |cx| binary(cx, op::right_shift) => "right_shift";
    "ROUND": Real |cx| unary(cx, op::round) => "round";
    "RSQRT": Real |cx| unary(cx, op::rsqrt) => "rsqrt";
    "SELECT": Real select => "where";
    "SELECT_V2": Real select => "where";
    "SIGN": Real |cx| unary(cx, op::sign) => "sign";
    "SIN": Real |cx| unary(cx, op::sin) => "sin";
    "SQRT": Real |cx| unary(cx, op::sqrt) => "sqrt";
    "SQUARE": Real square => "power";
    "SQUARED_DIFFERENCE": Real squared_difference => "subtract, power";
    "SUB": Real |cx| arithmetic(cx, op::subtract) => "subtract";
    "TAN": Real |cx| unary(cx, op::tan) => "tan";
    "TANH": Real |cx| unary(cx, op::tanh) => "tanh";
    "ZEROS_LIKE": Real |cx| Ok(zeros_like(cx.input(0)?, None).into()) => "zeros_like";
}

/// An operator of one tensor.
pub(super) fn unary(cx: &mut Node<'_, '_>, op: fn(Expr) -> Ref<Call>) -> Converted {
    Ok(op(cx.input(0)?).into())
}

/// An operator of two tensors that are broadcast.
pub(super) fn binary(cx: &mut Node<'_, '_>, op: fn(Expr, Expr) -> Ref<Call>) -> Converted {
    let (a, b) = (cx.input(0)?, cx.input(1)?);
    Ok(op(a, b).into())
}

/// An operator of two tensors with a fused activation, which is in the same slot for all of them.
fn arithmetic(cx: &mut Node<'_, '_>, op: fn(Expr, Expr) -> Ref<Call>) -> Converted {
    let (a, b) = (cx.input(0)?, cx.input(1)?);
    let activation = cx.choice(Add::FusedActivationFunction)?;
    Ok(fused(op(a, b).upcast(), activation)?.into())
}

fn add_n(cx: &mut Node<'_, '_>) -> Converted {
    let sum = cx.all()?.into_iter().reduce(|a, b| op::add(a, b).upcast());
    sum.map(Into::into).ok_or_else(|| "has no operands".into())
}

fn cast(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    Ok(astype(x, cx.output_dtype(0)?).into())
}

/// The second operand where the condition holds, else the third.
fn select(cx: &mut Node<'_, '_>) -> Converted {
    let (cond, x, y) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
    Ok(op::where_(cond, x, y).into())
}

fn square(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let two = number(cx.output_dtype(0)?, 2.0);
    Ok(op::power(x, two).into())
}

fn squared_difference(cx: &mut Node<'_, '_>) -> Converted {
    let (a, b) = (cx.input(0)?, cx.input(1)?);
    let difference: Expr = op::subtract(a, b).upcast();
    if quantization(cx.tensor(0)?).is_some() {
        return Ok(op::multiply(difference.clone(), difference).into());
    }
    let two = number(cx.output_dtype(0)?, 2.0);
    Ok(op::power(difference, two).into())
}
