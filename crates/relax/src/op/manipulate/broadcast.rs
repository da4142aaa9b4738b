//! Operators between a shape and one that is broadcast to it: `R.broadcast_to`, `R.collapse_sum_like`, `R.collapse_sum_to`.

use tvmscript_ir_core::{Array, Ref, Span};
use tvmscript_ir_macros::operators;
use tvmscript_prim::ops::is_one;
use tvmscript_prim::{self as prim, IntImm};

use super::Inferred;
use crate::analysis::same_dim;
use crate::node::*;
use crate::op::Shape;
use crate::op::{Infer, InferError, InferErrorKind, Operator, tensor_of_operand};

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// The tensor with elements repeated so as to fill a shape.
    broadcast_to(x: Expr, shape: Shape) -> infer(filled);
    /// Sums over the axes along which a tensor of the target's shape would be broadcast.
    collapse_sum_like(data: Expr, collapse_target: Expr) -> infer(collapsed_like);
    /// Sums over the axes along which a tensor of this shape would be broadcast.
    collapse_sum_to(data: Expr, shape: Shape) -> infer(collapsed_to);
}

fn filled(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(2)?;
    let (x, shape) = (cx.tensor(0)?, cx.shape(1)?);
    if !x.is_unknown_ndim() && shape.ndim != UNKNOWN_NDIM && shape.ndim < x.ndim {
        let expected = format!("rank {} or less", shape.ndim);
        return Err(InferErrorKind::Rank { op: cx.op(), expected, found: x.ndim }.at(0));
    }
    if let (Some(old), Some(new)) = (x.known_dims(), &shape.values) {
        for (i, (from, to)) in old.iter().rev().zip(new.iter().rev()).enumerate() {
            if !is_one(from) && cx.differ(from, to)? {
                let axis = old.len() - 1 - i;
                let (from, to) = (crate::describe::scalar(from), crate::describe::scalar(to));
                return Err(cx.wrong_shape_at(1, format!("axis {axis} of length {from} does not fill {to}")));
            }
        }
    }
    tensor_of_operand(cx, 1, x.dtype, x.vdevice.clone())
}

/// Checks that dimensions are summed up to those of a target, the last ones first.
fn check_collapse(
    cx: &mut Infer<'_>,
    data: &Array<prim::Expr>,
    target: &Array<prim::Expr>,
) -> std::result::Result<(), InferError> {
    for (from, to) in data.iter().rev().zip(target.iter().rev()) {
        if same_dim(from, to, cx.analyzer) || is_one(to) {
            continue;
        }
        let are_literals = from.is::<IntImm>() && to.is::<IntImm>();
        let (from, to) = (crate::describe::scalar(from), crate::describe::scalar(to));
        let what = match are_literals {
            true => format!("a dimension of {from} is not summed up to one of {to}"),
            false => format!("a dimension of {from} may not be {to}; state the shape by `R.match_cast`"),
        };
        return Err(cx.wrong_shape_at(0, what));
    }
    Ok(())
}

fn collapsed_like(cx: &mut Infer<'_>) -> Inferred {
    let [x, target] = cx.tensors()?;
    if let (Some(data), Some(target)) = (x.known_dims(), target.known_dims()) {
        check_collapse(cx, &data, &target)?;
    }
    let TensorStructInfo { shape, vdevice, ndim, .. } = (*target).clone();
    Ok(Ref::new(TensorStructInfo { span: Span::current(), shape, dtype: x.dtype, vdevice, ndim }).upcast())
}

fn collapsed_to(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(2)?;
    let (x, shape) = (cx.tensor(0)?, cx.shape(1)?);
    if let (Some(data), Some(target)) = (x.known_dims(), &shape.values) {
        check_collapse(cx, &data, target)?;
    }
    tensor_of_operand(cx, 1, x.dtype, x.vdevice.clone())
}
