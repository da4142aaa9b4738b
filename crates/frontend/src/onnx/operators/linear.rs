//! Products of matrices.

use tvmscript_relax::op::elementwise::{add, multiply};
use tvmscript_relax::op::linear_algebra::matmul;
use tvmscript_relax::op::shape::permute_dims;

use super::super::node::{Converted, Node};
use super::rows;
use crate::ops::{dtype_of, ints, number};

rows! {
    "Gemm" { 13: gemm } => "multiply, permute_dims, matmul, add";
    "MatMul" { 13: |cx| Ok(matmul(cx.input(0)?, cx.input(1)?, None).into()) } => "matmul";
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
