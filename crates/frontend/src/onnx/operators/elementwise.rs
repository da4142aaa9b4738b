//! Arithmetic, comparisons and functions of single elements.

use tvmscript_ir_core::Ref;
use tvmscript_relax::op::elementwise as op;
use tvmscript_relax::{Call, Expr};

use super::super::node::{Converted, Node};
use super::rows;

rows! {
    "Abs" { 13: |cx| unary(cx, op::abs) } => "abs";
    "Add" { 1: |cx| binary(cx, op::add) } => "add";
    "Cos" { 7: |cx| unary(cx, op::cos) } => "cos";
    "Div" { 7: |cx| binary(cx, op::divide) } => "divide";
    "Exp" { 1: |cx| unary(cx, op::exp) } => "exp";
    "Mul" { 7: |cx| binary(cx, op::multiply) } => "multiply";
    "Neg" { 13: |cx| unary(cx, op::negative) } => "negative";
    "Sigmoid" { 13: |cx| unary(cx, op::sigmoid) } => "sigmoid";
    "Sqrt" { 1: |cx| unary(cx, op::sqrt) } => "sqrt";
    "Sub" { 7: |cx| binary(cx, op::subtract) } => "subtract";
    "Tanh" { 7: |cx| unary(cx, op::tanh) } => "tanh";
}

/// An operator of one tensor.
fn unary(cx: &mut Node<'_, '_>, op: fn(Expr) -> Ref<Call>) -> Converted {
    let x = cx.input(0)?;
    cx.fold(op(x))
}

/// An operator of two tensors that are broadcast.
fn binary(cx: &mut Node<'_, '_>, op: fn(Expr, Expr) -> Ref<Call>) -> Converted {
    let (a, b) = (cx.input(0)?, cx.input(1)?);
    cx.fold(op(a, b))
}
