//! Products of matrices, triangles and identities.

use tvmscript_ir_core::DataType;
use tvmscript_prim::{self as prim, IntImm};
use tvmscript_relax::op::create::{arange, eye_like, tril, triu};
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::einsum::einsum;
use tvmscript_relax::op::elementwise::{add, greater_equal, less_equal, multiply, subtract, where_};
use tvmscript_relax::op::linear_algebra::matmul;
use tvmscript_relax::op::shape::{broadcast_to, permute_dims};
use tvmscript_relax::{Expr, PrimValue, Tuple};

use super::super::node::{Converted, Node, Output, str};
use super::rows;
use super::scalar::{constant_int, like};
use crate::error::Reason;
use crate::ops::{dims, dtype_of, int_operand, ints, number, reshape, shape_of};

rows! {
    "Einsum" { 12: |cx| {
        let equation = cx.text("equation").ok_or_else(|| Reason::from("`equation` is missing"))?;
        let operands = Tuple::new(cx.all()).upcast();
        Ok(Output::One(cx.emit(einsum(operands, str(&equation)))?))
    } } => "einsum";
    "EyeLike" { 9: |cx| {
        let x = cx.input(0)?;
        let dtype = cx.dtype("dtype")?.unwrap_or(dtype_of(&x));
        Ok(eye_like(x, int_operand(cx.int("k").unwrap_or(0)), Some(dtype)).into())
    } } => "eye_like";
    "Gemm" { 13: gemm } => "multiply, permute_dims, matmul, add";
    "MatMul" { 13: |cx| Ok(matmul(cx.tensor(0)?, cx.tensor(1)?, None).into()) } => "matmul";
    "Trilu" { 14: triangle } => "triu or tril; arange, where for a diagonal that is not constant";
}

fn gemm(cx: &mut Node<'_, '_>) -> Converted {
    let (mut a, mut b) = (cx.input(0)?, cx.input(1)?);
    let dtype = dtype_of(&a);
    let factor = |name| cx.float(name).filter(|factor| *factor != 1.0);
    if let Some(alpha) = factor("alpha") {
        a = multiply(a, number(dtype, alpha)).upcast();
    }
    if cx.flag("transA") {
        a = permute_dims(a, Some(ints(&[1, 0]))).upcast();
    }
    if cx.flag("transB") {
        b = permute_dims(b, Some(ints(&[1, 0]))).upcast();
    }
    let product = matmul(a, b, None);
    Ok(match cx.optional(2) {
        None => product.into(),
        Some(c) => {
            let c = match factor("beta") {
                Some(beta) => multiply(c, number(dtype, beta)).upcast(),
                None => c,
            };
            add(product.upcast(), c).into()
        }
    })
}

/// The upper or lower triangle of matrices.
fn triangle(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let is_upper = cx.int("upper").unwrap_or(1) != 0;
    let diagonal = match cx.optional(1) {
        None => Some(0),
        Some(_) => constant_int(cx, 1),
    };
    if let Some(diagonal) = diagonal {
        let op = if is_upper { triu } else { tril };
        return Ok(op(x, int_operand(diagonal)).into());
    }
    let lengths = dims(&x)?;
    let [.., rows, columns] = lengths.as_slice() else { return Err("needs a matrix".into()) };
    let distance = distances(rows, columns)?;
    let diagonal = astype(cx.tensor(1)?, DataType::INT64).upcast();
    let mask = if is_upper { greater_equal(distance, diagonal) } else { less_equal(distance, diagonal) };
    let mask = broadcast_to(mask.upcast(), shape_of(lengths.iter().cloned())).upcast();
    Ok(where_(mask, x.clone(), like(&x, 0.0)).into())
}

/// The numbers from 0 up to a length, in a shape.
pub(super) fn counted(
    length: &prim::Expr,
    target: impl IntoIterator<Item = prim::Expr>,
) -> Result<Expr, Reason> {
    let end = PrimValue::new(length.clone()).upcast();
    let numbers = arange(int_operand(0), Some(end), int_operand(1), Some(DataType::INT64));
    Ok(reshape(numbers.upcast(), shape_of(target))?.upcast())
}

/// A matrix of the column less the row, as `int64`.
pub(super) fn distances(rows: &prim::Expr, columns: &prim::Expr) -> Result<Expr, Reason> {
    let one = || IntImm::int64(1);
    let row = counted(rows, [rows.clone(), one()])?;
    let column = counted(columns, [one(), columns.clone()])?;
    Ok(subtract(column, row).upcast())
}
