//! Operators on tensors that are distributed over a mesh of devices, and the sharding of their results.
//!
//! Upstream counterpart: `src/relax/op/distributed/distributed.cc`.

mod axis_graph;
mod rules;

pub use rules::Sharding;
pub(super) use rules::{is_distributed_call, result};

use super::call::{CALL_TIR, stated_by_module};
use super::ccl::scattered;
use super::prelude::*;
use super::{CallForm, DestinationForm};
use crate::node::attrs::{DistributionAttrs, ScatterCollectiveAttrs};

operators! {
    params placed = (value: Expr; device_mesh: Mesh, placement: MeshPlacement);

    /// The tensor, annotated with the sharding that it should have.
    annotate_sharding(..placed)
        -> infer(same_value), text = "dist.annotate_sharding", attrs = DistributionAttrs, sharding = Sharding::Unchanged;
    /// The tensor with another sharding.
    redistribute(..placed)
        -> infer(moved), text = "dist.redistribute", attrs = DistributionAttrs, sharding = Sharding::Stated;
    /// The part that each worker keeps of a tensor that all workers hold.
    redistribute_replica_to_shard(input: Expr; num_workers: Int, axis: Int)
        -> infer(scattered), text = "dist.redistribute_replica_to_shard", attrs = ScatterCollectiveAttrs,
        sharding = Sharding::Scattered;
    /// Like `R.call_tir`, on distributed tensors: the function sees whole tensors.
    fn dist_call_tir(func: Expr, args: CallArgs, out_sinfo: ResultInfo, tir_vars: Option<Shape> = None)
        = |func, args, info, vars: Option<_>| CALL_TIR.call_stated(None, [func, args].into_iter().chain(vars), info),
        text = "dist.call_tir";
    /// Like `R.dist.call_tir`, for a function that sees the part of one worker.
    call_tir_local_view(gvar: Expr, args: CallArgs, out_sinfo: ResultInfo, tir_vars: Option<Shape> = None)
        -> infer(stated_by_module), text = "dist.call_tir_local_view", stated = out_sinfo,
        form = CallForm::DestinationPassing(DestinationForm::LOCAL_VIEW);
}

fn same_value(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(1)?;
    cx.info(0)
}

/// Only distributed tensors can be redistributed.
fn moved(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(1)?;
    Err(cx.wrong_kind(0, "a distributed tensor"))
}
