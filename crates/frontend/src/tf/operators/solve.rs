//! Linear systems of small, known size: elimination with pivots, written out step by step.

use tvmscript_ir_core::DataType;
use tvmscript_prim::{IntImm, ops::int_value};
use tvmscript_relax::evaluate::Tensor;
use tvmscript_relax::op::elementwise as op;
use tvmscript_relax::op::index::gather_elements;
use tvmscript_relax::op::join::concat;
use tvmscript_relax::op::linear_algebra::matmul;
use tvmscript_relax::op::reduce::argmax;
use tvmscript_relax::op::shape::broadcast_to;
use tvmscript_relax::{Constant, Expr, Tuple};

use super::super::node::{Converted, Node};
use super::linear::transpose;
use super::rows;
use super::slice::{Range, slice};
use crate::error::Reason;
use crate::ops::{self, dtype_of, number};

rows! {
    "Cholesky" => cholesky, "strided_slice, matmul, sqrt, divide, multiply, concat", "matrices of unknown size, or larger than 32";
    "MatrixInverse" => |cx| {
        let a = cx.input(0)?;
        let a = if cx.flag("adjoint") { transpose(cx, a)? } else { a };
        let size = size(&a)?;
        let identity = (0..size * size).map(|at| f64::from(u8::from(at % (size + 1) == 0)));
        let identity = Tensor::of_floats(dtype_of(&a), vec![size as usize; 2], identity);
        let identity = Constant::new(identity.encode()).upcast();
        let dims = ops::shape_of(ops::dims(&a)?);
        let identity = cx.step(broadcast_to(identity, dims))?;
        eliminated(cx, a, identity, size)
    }, "concat, argmax, gather_elements, where, divide, multiply, subtract", "matrices of unknown size, or larger than 32";
    "MatrixSolve" => |cx| {
        let [a, b] = [cx.input(0)?, cx.input(1)?];
        let a = if cx.flag("adjoint") { transpose(cx, a)? } else { a };
        let size = size(&a)?;
        let b = cx.agree_first(&a, b, ops::rank(&a)? - 1)?;
        eliminated(cx, a, b, size)
    }, "concat, argmax, gather_elements, where, divide, multiply, subtract", "matrices of unknown size, or larger than 32";
    "MatrixTriangularSolve" => |cx| {
        let [a, b] = [cx.input(0)?, cx.input(1)?];
        let size = size(&a)?;
        // The other half of the matrix does not count.
        let is_lower = cx.flag_or("lower", true);
        let half = match is_lower {
            true => tvmscript_relax::op::create::tril(a, ops::int_operand(0)),
            false => tvmscript_relax::op::create::triu(a, ops::int_operand(0)),
        };
        let a = cx.step(half)?;
        let a = if cx.flag("adjoint") { transpose(cx, a)? } else { a };
        let b = cx.agree_first(&a, b, ops::rank(&a)? - 1)?;
        eliminated(cx, a, b, size)
    }, "tril, triu, and as MatrixSolve", "matrices of unknown size, or larger than 32";
}

/// Maximum number of rows of a matrix, each of which is a step.
const MAX_ROWS: i64 = 32;

/// The number of rows of square matrices.
fn size(a: &Expr) -> Result<i64, Reason> {
    let size = match ops::dims(a)?.as_slice() {
        [.., rows, columns] => int_value(rows).filter(|rows| int_value(columns) == Some(*rows)),
        _ => None,
    };
    let size = size.ok_or_else(|| Reason::from("needs square matrices of known size"))?;
    match (1..=MAX_ROWS).contains(&size) {
        true => Ok(size),
        false => Err(Reason(format!("matrices of {size} rows are not supported; the limit is {MAX_ROWS}"))),
    }
}

/// A column of numbers for the rows of matrices.
fn column(dtype: DataType, size: i64, value: impl Fn(i64) -> bool) -> Expr {
    let values = (0..size).map(|at| i128::from(value(at)));
    Constant::new(Tensor::of_ints(dtype, vec![size as usize, 1], values).encode()).upcast()
}

/// The solutions of systems: the matrices become those of identity, by the same steps on both sides.
fn eliminated(cx: &mut Node<'_, '_>, a: Expr, b: Expr, size: i64) -> Converted {
    let (rank, dtype) = (ops::rank(&a)?, dtype_of(&a));
    if ops::rank(&b)? != rank {
        return Err("needs operands of the same rank".into());
    }
    let [rows, columns] = [rank - 2, rank - 1];
    let width = ops::dims(&b)?.last().and_then(int_value);
    let width = width.ok_or_else(|| Reason::from("needs a known number of right sides"))?;
    let mut all = cx.step(concat(Tuple::new([a, b]).upcast(), Some(columns as i64)))?;
    let mut dims = ops::dims(&all)?;
    if let Some(length) = dims.get_mut(rows) {
        *length = IntImm::int64(1);
    }
    for step in 0..size {
        let pivots = cx.step(slice(all.clone(), &[Range::of(columns, step, step + 1)]))?;
        // The largest number of the rows that are left.
        let is_left = column(DataType::BOOL, size, |row| row >= step);
        let sizes = cx.step(op::where_(is_left, op::abs(pivots).upcast(), number(dtype, -1.0)))?;
        let place = cx.step(argmax(sizes, Some(rows as i64), true))?;
        let spread = cx.step(broadcast_to(place.clone(), ops::shape_of(dims.iter().cloned())))?;
        let chosen = cx.step(gather_elements(all.clone(), spread, rows as i64))?;
        let own = cx.step(slice(all.clone(), &[Range::of(rows, step, step + 1)]))?;
        let numbers = Tensor::of_ints(DataType::INT64, vec![size as usize, 1], (0..size).map(i128::from));
        let numbers = Constant::new(numbers.encode()).upcast();
        let is_place = cx.step(op::equal(numbers, place))?;
        let moved = cx.step(op::where_(is_place, own, all))?;
        let pivot = cx.step(slice(chosen.clone(), &[Range::of(columns, step, step + 1)]))?;
        let row = cx.step(op::divide(chosen, pivot))?;
        let factors = cx.step(slice(moved.clone(), &[Range::of(columns, step, step + 1)]))?;
        let rest = cx.step(op::subtract(moved, op::multiply(factors, row.clone()).upcast()))?;
        let is_own = column(DataType::BOOL, size, |at| at == step);
        all = cx.step(op::where_(is_own, row, rest))?;
    }
    Ok(slice(all, &[Range::of(columns, size, size + width)]).into())
}

/// The lower triangular factor of positive definite matrices, column by column.
fn cholesky(cx: &mut Node<'_, '_>) -> Converted {
    let a = cx.input(0)?;
    let (size, dtype) = (size(&a)?, dtype_of(&a));
    let columns = ops::rank(&a)? - 1;
    let mut found: Vec<Expr> = Vec::new();
    for step in 0..size {
        let mut rest = cx.step(slice(a.clone(), &[Range::of(columns, step, step + 1)]))?;
        if !found.is_empty() {
            let before = cx.step(concat(Tuple::new(found.iter().cloned()).upcast(), Some(columns as i64)))?;
            let row = cx.step(slice(before.clone(), &[Range::of(columns - 1, step, step + 1)]))?;
            let row = transpose(cx, row)?;
            rest = cx.step(op::subtract(rest, matmul(before, row, None).upcast()))?;
        }
        let pivot = cx.step(slice(rest.clone(), &[Range::of(columns - 1, step, step + 1)]))?;
        let scaled = op::divide(rest, op::sqrt(pivot).upcast()).upcast();
        let is_below = column(DataType::BOOL, size, |row| row >= step);
        found.push(cx.step(op::where_(is_below, scaled, number(dtype, 0.0)))?);
    }
    match <[Expr; 1]>::try_from(found) {
        Ok([only]) => Ok(only.into()),
        Err(found) => Ok(concat(Tuple::new(found).upcast(), Some(columns as i64)).into()),
    }
}
