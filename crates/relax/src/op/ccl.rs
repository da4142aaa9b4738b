//! Collective operations of several workers.
//!
//! Upstream counterpart: `src/relax/op/ccl/ccl.cc`.

use super::elementwise::same_as_operand;
use super::prelude::*;
use crate::node::attrs::{AllGatherAttrs, AllReduceAttrs, ScatterCollectiveAttrs};

operators! {
    /// The tensor of the first worker, on all workers.
    broadcast_from_worker0(x: Expr) -> infer(same_as_operand), text = "ccl.broadcast_from_worker0";
    /// The elementwise reduction of the tensors of all workers.
    allreduce(x: Expr; op_type: Combine = "sum", in_group: Flag = true)
        -> infer(same_as_operand), text = "ccl.allreduce", attrs = AllReduceAttrs, sharding = Sharding::Replicated;
    /// The tensors of all workers, concatenated along the first axis.
    allgather(x: Expr; num_workers: Int, in_group: Flag = true)
        -> infer(gathered), text = "ccl.allgather", attrs = AllGatherAttrs;
    /// The tensor of the first worker, split along an axis into one part per worker.
    scatter_from_worker0(x: Expr; num_workers: Int, axis: Int = 0)
        -> infer(scattered), text = "ccl.scatter_from_worker0", attrs = ScatterCollectiveAttrs;
}

/// The number of workers, as a plain integer.
fn workers(count: i64) -> prim::Expr {
    ops::python::int_literal(count)
}

fn with_dim(dims: &Array<prim::Expr>, axis: usize, dim: prim::Expr, x: &TensorStructInfo) -> Ref<StructInfo> {
    let dims = dims.iter().enumerate().map(|(i, old)| if i == axis { dim.clone() } else { old.clone() });
    tensor_of(dims, x.dtype, x.vdevice.clone())
}

fn gathered(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let count = cx.attrs::<AllGatherAttrs>()?.num_workers;
    let Some(dims) = x.known_dims() else { return Ok(x.upcast()) };
    let Some(first) = dims.get(0) else {
        return Err(InferErrorKind::Axis { axis: 0, ndim: 0 }.at(0));
    };
    Ok(with_dim(&dims, 0, ops::mul(first.clone(), workers(count))?, &x))
}

/// The axis is not negative. Its length must not be provably indivisible by the number of workers.
pub(super) fn scattered(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let ScatterCollectiveAttrs { num_workers, axis } = *cx.attrs()?;
    let Some(dims) = x.known_dims() else { return Err(cx.wrong_kind(0, "a tensor of known shape")) };
    let length = usize::try_from(axis).ok().and_then(|axis| Some((axis, dims.get(axis)?)));
    let Some((at, length)) = length else {
        return Err(InferErrorKind::Axis { axis, ndim: dims.len() as i64 }.at(0));
    };
    let rest = ops::floormod(length.clone(), workers(num_workers))?;
    let leaves_some = ops::ne(rest, IntImm::int64(0))?;
    if cx.analyzer.can_prove(&leaves_some) {
        return Err(cx.wrong_shape_at(
            0,
            format!("axis {axis} is not divisible by the number of workers, {num_workers}"),
        ));
    }
    Ok(with_dim(&dims, at, ops::div(length.clone(), workers(num_workers))?, &x))
}
