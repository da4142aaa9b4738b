//! Operators about tensors that are spread over a mesh of devices.
//!
//! Upstream counterpart: `src/relax/op/distributed/distributed.cc`.

mod axis_graph;
mod rules;

pub(super) use rules::{is_spread, result};

use tvmscript_ir_core::Ref;
use tvmscript_irbuilder::{Result, script_fn};

use super::ccl::scattered;
use super::{Infer, InferError, InferErrorKind, Operator};
use crate::build::args::{ExprArg, InfosArg, IntArg, ShapeArg};
use crate::build::call_args::CallArgsArg;
use crate::build::distributed::{DeviceMeshArg, PlacementArg};
use crate::node::attrs::{DistributionAttrs, ScatterCollectiveAttrs};
use crate::node::*;

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

fn placed(op: &str, data: ExprArg, mesh: DeviceMeshArg, placement: PlacementArg) -> Ref<Call> {
    let attrs = DistributionAttrs { device_mesh: mesh.0, placement: placement.0 };
    Call::of_op(op, [data.0], Some(Ref::new(attrs).upcast()))
}

/// The tensor itself, with how it should lie on a mesh.
#[script_fn(name = "dist.annotate_sharding")]
pub fn annotate_sharding(
    value: ExprArg,
    device_mesh: DeviceMeshArg,
    placement: PlacementArg,
) -> Result<Ref<Call>> {
    Ok(placed("relax.dist.annotate_sharding", value, device_mesh, placement))
}

/// The tensor, moved so that it lies in another way.
#[script_fn(name = "dist.redistribute")]
pub fn redistribute(
    value: ExprArg,
    device_mesh: DeviceMeshArg,
    placement: PlacementArg,
) -> Result<Ref<Call>> {
    Ok(placed("relax.dist.redistribute", value, device_mesh, placement))
}

/// Of a tensor that every worker has all of, the part of each along an axis.
#[script_fn(name = "dist.redistribute_replica_to_shard")]
pub fn redistribute_replica_to_shard(input: ExprArg, num_workers: IntArg, axis: IntArg) -> Result<Ref<Call>> {
    let attrs = ScatterCollectiveAttrs { num_workers: num_workers.0, axis: axis.0 };
    Ok(Call::of_op("relax.dist.redistribute_replica_to_shard", [input.0], Some(Ref::new(attrs).upcast())))
}

fn call_of(op: &str, func: ExprArg, args: CallArgsArg, out: InfosArg, vars: Option<ShapeArg>) -> Ref<Call> {
    let args = [Some(func.0), Some(args.0), vars.map(|vars| vars.0)];
    let op = tvmscript_prim::Op::get(op).upcast();
    Call::new(op, args.into_iter().flatten(), None, [out.into_one()])
}

/// As `R.call_tir`, of tensors that are spread over a mesh: the function sees whole ones.
#[script_fn(name = "dist.call_tir")]
pub fn dist_call_tir(
    func: ExprArg,
    args: CallArgsArg,
    out_sinfo: InfosArg,
    #[default = None] tir_vars: Option<ShapeArg>,
) -> Result<Ref<Call>> {
    Ok(call_of("relax.call_tir", func, args, out_sinfo, tir_vars))
}

/// As `R.dist.call_tir`, of a function that sees what one worker has.
#[script_fn(name = "dist.call_tir_local_view")]
pub fn call_tir_local_view(
    gvar: ExprArg,
    args: CallArgsArg,
    out_sinfo: InfosArg,
    #[default = None] tir_vars: Option<ShapeArg>,
) -> Result<Ref<Call>> {
    Ok(call_of("relax.dist.call_tir_local_view", gvar, args, out_sinfo, tir_vars))
}

/// The operators of this family.
pub static OPERATORS: &[Operator] = &[
    Operator::new("relax.dist.annotate_sharding", &ANNOTATE_SHARDING, same_value),
    Operator::new("relax.dist.call_tir_local_view", &CALL_TIR_LOCAL_VIEW, super::call::stated_by_module),
    Operator::new("relax.dist.redistribute", &REDISTRIBUTE, moved),
    Operator::new("relax.dist.redistribute_replica_to_shard", &REDISTRIBUTE_REPLICA_TO_SHARD, scattered),
];

/// Functions that make calls of operators of other families.
pub static FUNCTIONS: &[&tvmscript_irbuilder::ScriptFn] = &[&DIST_CALL_TIR];

fn same_value(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(1)?;
    cx.info(0)
}

/// Only what lies on a mesh is moved.
fn moved(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(1)?;
    Err(cx.wrong_kind(0, "a tensor that is spread over a mesh"))
}
