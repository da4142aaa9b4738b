//! Products of matrices.

use tvmscript_relax::op::einsum::einsum;
use tvmscript_relax::op::elementwise::{add, multiply};
use tvmscript_relax::op::index::strided_slice;
use tvmscript_relax::op::linear_algebra::{matmul, outer};
use tvmscript_relax::op::shape::permute_dims;
use tvmscript_relax::{Expr, Tuple};

use super::super::node::{DEFAULT_FLOAT, Node};
use super::super::value::{Converted, Number, Value};
use super::promote::promoted;
use super::{operand, rows};
use crate::error::Reason;
use crate::ops::{self, dtype_of, int_operand, ints, lengths, rank};

rows! { "aten.":
    "linear.default" => "permute_dims, matmul, add", linear;
    "addmm.default", "addmv.default", "_sparse_addmm.default" => "matmul, multiply, add", |cx| {
        let product = matmul(cx.tensor(1)?, cx.tensor(2)?, Some(DEFAULT_FLOAT)).upcast();
        sum_with(cx, product, true)
    };
    "baddbmm.default" => "matmul, multiply, add", |cx| {
        let product = matmul(cx.tensor(1)?, cx.tensor(2)?, None).upcast();
        sum_with(cx, product, false)
    };
    "_sparse_mm.default" => "matmul", |cx| {
        let product = matmul(cx.tensor(0)?, cx.tensor(1)?, Some(DEFAULT_FLOAT));
        cx.result(product)
    };
    "to_sparse.default" => "the operand", operand;
    "outer.default", "ger.default" => "outer", |cx| {
        let product = outer(cx.tensor(0)?, cx.tensor(1)?);
        cx.result(product)
    };
    "einsum.default" => "einsum", |cx| {
        let subscripts = cx.text(0, "equation", "")?;
        let operands = cx.tensors(1, "tensors")?;
        cx.result(einsum(Tuple::new(operands).upcast(), subscripts.into()))
    };
    "diagonal.default" => "permute_dims, strided_slice, einsum", diagonal;
}

/// A sum with a product that may be longer than the operand, which then has its type.
fn sum(cx: &mut Node<'_, '_>, product: Expr, bias: Expr, is_bias_first: bool) -> Converted {
    let product = match dtype_of(&bias) {
        dtype if dtype.is_void() => product,
        dtype => cx.cast(product, dtype)?,
    };
    cx.result(if is_bias_first { add(bias, product) } else { add(product, bias) })
}

fn linear(cx: &mut Node<'_, '_>) -> Converted {
    let (x, weight) = (cx.tensor(0)?, cx.tensor(1)?);
    let (x, weight) = promoted(cx, x, weight)?;
    let product = cx.emit(matmul(x, permute_dims(weight, None).upcast(), Some(DEFAULT_FLOAT)))?;
    match cx.optional(2, "bias")? {
        Some(bias) => sum(cx, product, bias, false),
        None => Ok(product.into()),
    }
}

/// `beta * x + alpha * product`.
fn sum_with(cx: &mut Node<'_, '_>, product: Expr, is_bias_first: bool) -> Converted {
    let mut bias = cx.tensor(0)?;
    // Positions may be used by neither: both factors are named.
    let position = usize::MAX;
    let beta = cx.number_or(position, "beta", Number::Int(1))?;
    let alpha = cx.number_or(position, "alpha", Number::Int(1))?;
    let scaled = |cx: &mut Node<'_, '_>, x: Expr, factor: Number| match factor.as_f64() == 1.0 {
        true => Ok(x),
        false => {
            let factor = factor.constant(dtype_of(&x));
            cx.emit(multiply(x, factor))
        }
    };
    let mut sum_of = None;
    if alpha.as_f64() != 0.0 {
        let product = cx.emit(product)?;
        sum_of = Some(scaled(cx, product, alpha)?);
    }
    if beta.as_f64() == 0.0 {
        return sum_of.map(Value::Known).ok_or_else(|| Reason::from("has the factors 0 and 0"));
    }
    bias = scaled(cx, bias, beta)?;
    match sum_of {
        Some(product) => sum(cx, product, bias, is_bias_first),
        None => Ok(bias.into()),
    }
}

/// The letters of axes; the last one is that of the diagonal.
const LETTERS: &str = "abcdefghijklmnopqrstuvwxy";

fn diagonal(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let offset = cx.int(1, "offset", 0)?;
    let rank = rank(&x)?;
    let first = ops::axis(cx.int(2, "dim1", 0)?, rank)?;
    let second = ops::axis(cx.int(3, "dim2", 1)?, rank)?;
    let all = lengths(&x)?;
    let (Some(n), Some(m)) = (all.get(first).copied(), all.get(second).copied()) else {
        return Err("the axes must differ".into());
    };
    if first == second {
        return Err("the axes must differ".into());
    }
    if offset == 0 && rank - 2 <= LETTERS.len() && n == m {
        let mut letters = LETTERS.chars();
        let mut rest = String::new();
        let mut operand = String::new();
        for axis in 0..rank {
            let letter = match axis == first || axis == second {
                true => 'z',
                false => letters.next().unwrap_or('y'),
            };
            operand.push(letter);
            if letter != 'z' {
                rest.push(letter);
            }
        }
        return cx.result(einsum(Tuple::new([x]).upcast(), format!("{operand}->{rest}z").into()));
    }
    let mut axes: Vec<i64> =
        (0..rank).filter(|axis| *axis != first && *axis != second).map(|axis| axis as i64).collect();
    axes.extend([first as i64, second as i64]);
    let mut value = cx.emit(permute_dims(x, Some(ints(&axes))))?;
    let length = match offset >= 0 {
        true => n.min(m.saturating_sub(offset)),
        false => n.saturating_add(offset).min(m),
    }
    .max(0);
    let begins = [(-offset).max(0), offset.max(0)];
    for (axis, begin) in [rank - 2, rank - 1].into_iter().zip(begins) {
        let one = |value: i64| -> Expr { Tuple::new([int_operand(value)]).upcast() };
        let slice = strided_slice(
            value,
            one(axis as i64),
            one(begin),
            one(begin.saturating_add(length)),
            Some(one(1)),
            false,
        );
        value = cx.emit(slice)?;
    }
    cx.result(einsum(Tuple::new([value]).upcast(), "...zz->...z".into()))
}
