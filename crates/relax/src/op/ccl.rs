//! What workers do together: sums over all of them, tensors of all, parts for each.
//!
//! Upstream counterpart: `src/relax/op/ccl/ccl.cc`.

use tvmscript_ir_core::{Array, Ref};
use tvmscript_ir_macros::operators;
use tvmscript_prim::{self as prim, IntImm, ops};

use super::{Infer, InferError, InferErrorKind, Operator, tensor_of};
use crate::node::attrs::{AllGatherAttrs, AllReduceAttrs, ScatterCollectiveAttrs};
use crate::node::*;
use crate::op::kind::{Combine, Flag, Int};

use super::elementwise::same_as_operand;

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// The first worker's tensor, for all workers.
    broadcast_from_worker0(x: Expr) -> infer(same_as_operand), text = "ccl.broadcast_from_worker0";
    /// The tensors of all workers, combined element by element.
    allreduce(x: Expr; op_type: Combine = "sum", in_group: Flag = true)
        -> infer(same_as_operand), text = "ccl.allreduce", attrs = AllReduceAttrs;
    /// The tensors of all workers, joined along the first axis.
    allgather(x: Expr; num_workers: Int, in_group: Flag = true)
        -> infer(gathered), text = "ccl.allgather", attrs = AllGatherAttrs;
    /// The first worker's tensor, cut along an axis into one part for each worker.
    scatter_from_worker0(x: Expr; num_workers: Int, axis: Int = 0)
        -> infer(scattered), text = "ccl.scatter_from_worker0", attrs = ScatterCollectiveAttrs;
}

/// The number of workers as a scalar of a plain integer's type.
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

/// The axis is counted from the first; the number of workers divides its length, as far as can be told.
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
        return Err(
            cx.wrong_shape_at(0, format!("axis {axis} cannot be divided among {num_workers} workers"))
        );
    }
    Ok(with_dim(&dims, at, ops::div(length.clone(), workers(num_workers))?, &x))
}
