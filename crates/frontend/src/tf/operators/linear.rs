//! Products of matrices.

use tvmscript_ir_core::Str;
use tvmscript_relax::op::einsum::einsum;
use tvmscript_relax::op::elementwise::{multiply, subtract};
use tvmscript_relax::op::index::take;
use tvmscript_relax::op::linear_algebra::matmul;
use tvmscript_relax::op::shape::permute_dims;
use tvmscript_relax::{Expr, Tuple};

use super::super::node::Node;
use super::nn::fused;
use super::rows;
use crate::error::Reason;
use crate::ops::{self, ints};

rows! {
    "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3" => |cx| {
        Ok(product(cx, ["adj_x", "adj_y"])?.into())
    }, "permute_dims, matmul";
    "Cross" => |cx| {
        let [a, b] = cx.pair()?;
        let turned = |x: &Expr, order: [i64; 3]| -> Expr {
            take(x.clone(), ops::int64_vector(&order), Some(-1), "fast".into()).upcast()
        };
        let (next, last) = ([1, 2, 0], [2, 0, 1]);
        let first = multiply(turned(&a, next), turned(&b, last));
        Ok(subtract(first.upcast(), multiply(turned(&a, last), turned(&b, next)).upcast()).into())
    }, "take, multiply, subtract";
    "Einsum" => |cx| {
        let equation = cx.text_attr("equation").ok_or_else(|| Reason::from("the attribute `equation` is missing"))?;
        let operands = cx.inputs(0..cx.count())?;
        Ok(einsum(Tuple::new(operands).upcast(), Str::from(equation)).into())
    }, "einsum";
    "MatMul", "SparseMatMul" => |cx| Ok(product(cx, ["transpose_a", "transpose_b"])?.into()), "permute_dims, matmul";
    "_FusedMatMul" => |cx| {
        let product = product(cx, ["transpose_a", "transpose_b"])?;
        fused(cx, product, 2)
    }, "permute_dims, matmul, and the fused operators", "fused operators other than BiasAdd, Add and activations";
}

/// The product of two matrices, or of batches of them, each of which may be transposed.
fn product(cx: &mut Node<'_, '_>, transposed: [&str; 2]) -> Result<Expr, Reason> {
    let [mut a, mut b] = [cx.input(0)?, cx.input(1)?];
    let [transposes_a, transposes_b] = transposed.map(|name| cx.flag(name));
    if transposes_a {
        a = transpose(cx, a)?;
    }
    if transposes_b {
        b = transpose(cx, b)?;
    }
    // Batches and the axis that is summed have the same lengths.
    if let (Some(rank), Some(other)) = (ops::rank_of(&a), ops::rank_of(&b)) {
        b = cx.agree(&a, b, |axis| summed_with(axis, other, rank, 2))?;
        a = cx.agree(&b, a, |axis| summed_with(axis, rank, other, 1))?;
    }
    Ok(matmul(a, b, None).upcast())
}

/// The axis of one factor that has the length of an axis of the other, whose axis `summed` from the end is summed.
fn summed_with(axis: usize, rank: usize, other: usize, summed: usize) -> Option<usize> {
    match rank.checked_sub(axis)? {
        from_end if from_end == summed => other.checked_sub(3 - summed),
        1 | 2 => None,
        from_end => other.checked_sub(from_end),
    }
}

/// The last two axes, exchanged.
pub(super) fn transpose(cx: &mut Node<'_, '_>, x: Expr) -> Result<Expr, Reason> {
    let mut axes: Vec<i64> = (0..ops::rank(&x)? as i64).collect();
    match axes.as_mut_slice() {
        [.., a, b] => std::mem::swap(a, b),
        _ => return Err("needs operands of rank 2 or more".into()),
    }
    cx.step(permute_dims(x, Some(ints(&axes))))
}
