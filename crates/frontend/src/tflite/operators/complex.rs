//! Complex numbers, which are pairs along a last axis, and bits of other types.

use tvmscript_relax::DataTypeImm;
use tvmscript_relax::Expr;
use tvmscript_relax::op::elementwise::{add, multiply, sqrt};
use tvmscript_relax::op::memory::view;
use tvmscript_relax::op::shape::squeeze;

use super::super::node::{Converted, Node};
use super::rows;
use super::slice::sliced;
use crate::error::Reason;
use crate::ops::{ints, shape};

rows! {
    "BITCAST": Stored |cx| {
        let dims = cx.output(0)?.dims();
        let dtype = DataTypeImm::new(cx.output_dtype(0)?).upcast();
        Ok(view(cx.input(0)?, Some(shape(&dims)), Some(dtype), None).into())
    } => "memory.view";
    "COMPLEX_ABS": Stored magnitude => "strided_slice, squeeze, multiply, add, sqrt";
    "IMAG": Stored |cx| Ok(squeezed(part(cx.input(0)?, 1)).into()) => "strided_slice, squeeze";
    "REAL": Stored |cx| Ok(squeezed(part(cx.input(0)?, 0)).into()) => "strided_slice, squeeze";
}

/// One number of each pair.
fn part(x: Expr, at: i64) -> Expr {
    sliced(x, &[-1], &[at], &[at + 1], Some(&[1]))
}

fn squeezed(part: Expr) -> Expr {
    squeeze(part, Some(ints(&[-1]))).upcast()
}

fn magnitude(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let mut parts = Vec::new();
    for at in 0..2 {
        let part = cx.emit(part(x.clone(), at))?;
        parts.push(cx.emit(squeezed(part))?);
    }
    let squares = parts.into_iter().map(|part| cx.emit(multiply(part.clone(), part)));
    let [a, b] =
        squares.collect::<Result<Vec<_>, Reason>>()?.try_into().map_err(|_| Reason::from("has two parts"))?;
    let sums = cx.emit(add(a, b))?;
    Ok(sqrt(sums).into())
}
