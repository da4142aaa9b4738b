//! Operators about tensors that are spread over a mesh of devices.
//!
//! Upstream counterpart: `src/relax/op/distributed/distributed.cc`.

mod axis_graph;
mod rules;

pub(super) use rules::{is_spread, result};

use tvmscript_ir_core::Ref;
use tvmscript_ir_macros::operators;

use super::ccl::scattered;
use super::{Infer, InferError, InferErrorKind, Operator};
#[cfg(feature = "build")]
use crate::build::args::{ExprArg, InfosArg, ShapeArg};
#[cfg(feature = "build")]
use crate::build::call_args::CallArgsArg;
#[cfg(feature = "build")]
use crate::build::distributed::{DeviceMeshArg, PlacementArg};
use crate::node::attrs::{DistributionAttrs, ScatterCollectiveAttrs};
use crate::node::*;
use crate::op::kind::Int;

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// The tensor itself, with how it should lie on a mesh.
    annotate_sharding(
        value: ExprArg, device_mesh: DeviceMeshArg, placement: PlacementArg
    ) -> infer(same_value), text = "dist.annotate_sharding" {
        Ok(placed("relax.dist.annotate_sharding", value, device_mesh, placement))
    }
    /// The tensor, moved so that it lies in another way.
    redistribute(
        value: ExprArg, device_mesh: DeviceMeshArg, placement: PlacementArg
    ) -> infer(moved), text = "dist.redistribute" {
        Ok(placed("relax.dist.redistribute", value, device_mesh, placement))
    }
    /// Of a tensor that every worker has all of, the part of each along an axis.
    redistribute_replica_to_shard(input: Expr; num_workers: Int, axis: Int)
        -> infer(scattered), text = "dist.redistribute_replica_to_shard", attrs = ScatterCollectiveAttrs;
    /// As `R.call_tir`, of tensors that are spread over a mesh: the function sees whole ones.
    fn dist_call_tir(
        func: ExprArg, args: CallArgsArg, out_sinfo: InfosArg, tir_vars: Option<ShapeArg> = None
    ), text = "dist.call_tir" {
        Ok(call_of("relax.call_tir", func, args, out_sinfo, tir_vars))
    }
    /// As `R.dist.call_tir`, of a function that sees what one worker has.
    call_tir_local_view(
        gvar: ExprArg, args: CallArgsArg, out_sinfo: InfosArg, tir_vars: Option<ShapeArg> = None
    ) -> infer(super::call::stated_by_module), text = "dist.call_tir_local_view" {
        Ok(call_of("relax.dist.call_tir_local_view", gvar, args, out_sinfo, tir_vars))
    }
}

#[cfg(feature = "build")]
fn placed(op: &str, data: ExprArg, mesh: DeviceMeshArg, placement: PlacementArg) -> Ref<Call> {
    let attrs = DistributionAttrs { device_mesh: mesh.0, placement: placement.0 };
    Call::of_op(op, [data.0], Some(Ref::new(attrs).upcast()))
}

#[cfg(feature = "build")]
fn call_of(op: &str, func: ExprArg, args: CallArgsArg, out: InfosArg, vars: Option<ShapeArg>) -> Ref<Call> {
    let args = [Some(func.0), Some(args.0), vars.map(|vars| vars.0)];
    let op = tvmscript_prim::Op::get(op).upcast();
    Call::new(op, args.into_iter().flatten(), None, [out.into_one()])
}

fn same_value(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(1)?;
    cx.info(0)
}

/// Only what lies on a mesh is moved.
fn moved(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(1)?;
    Err(cx.wrong_kind(0, "a tensor that is spread over a mesh"))
}
