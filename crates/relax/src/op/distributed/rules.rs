//! Sharding of results: first infers the whole tensor, then the division of its axes.
//!
//! Upstream counterpart: `src/relax/op/distributed/{binary,unary,manipulate,linear_algebra,statistical,nn,ccl}.cc` and
//! `src/relax/distributed/axis_group_graph.cc`.

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::structural_equal;
use tvmscript_prim::ops::is_one;

use super::axis_graph::{Axis, AxisGraph};
use crate::node::attrs::{
    DistributionAttrs, PermuteDimsAttrs, ScatterCollectiveAttrs, SoftmaxAttrs, StatisticalAttrs,
};
use crate::op::prelude::*;

/// Division of the axes of the result over the mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sharding {
    /// Like those of the only operand.
    SameAsOperand,
    /// Like those of two operands that are broadcast.
    Broadcast,
    /// Like those axes of the factors that are not contracted.
    Product,
    /// Like those axes of the operand that are not reduced.
    Reduced,
    /// Like those of the operand, permuted.
    Permuted,
    /// Like those axes of the operand that the new shape keeps.
    Reshaped,
    /// Not at all: every device holds the whole result.
    Replicated,
    /// One axis of a replicated tensor.
    Scattered,
    /// As the attributes state.
    Stated,
    /// As the inferred struct info states.
    Unchanged,
}

/// Returns `true` if an operand is a distributed variable or constant.
pub(in crate::op) fn is_distributed_call(call: &Call) -> bool {
    call.args.iter().any(|arg| {
        arg.as_node::<Var>()
            .and_then(|var| var.struct_info_.as_ref())
            .or_else(|| arg.as_node::<Constant>()?.struct_info_.as_ref())
            .is_some_and(|info| info.is::<DTensorStructInfo>())
    })
}

/// The distributed operands.
struct Operands {
    /// Each with its index among the arguments.
    all: Vec<(usize, Ref<DTensorStructInfo>)>,
    first: (usize, Ref<DTensorStructInfo>),
    mesh: Ref<DeviceMesh>,
}

fn operands(cx: &Infer<'_>) -> Checked<Operands> {
    let mut all: Vec<(usize, Ref<DTensorStructInfo>)> = Vec::new();
    for (index, arg) in cx.call.args.iter().enumerate() {
        let Some(info) = struct_info_of(arg) else { continue };
        if info.is::<TensorStructInfo>() {
            return Err(cx.wrong_kind(index, "a tensor distributed over the mesh of the other operands"));
        }
        let Ok(spread) = info.downcast::<DTensorStructInfo>() else { continue };
        if all.first().is_some_and(|(_, first)| {
            !structural_equal(first.device_mesh.object(), spread.device_mesh.object())
        }) {
            return Err(cx.wrong_shape_at(index, "the operands are distributed over different meshes"));
        }
        all.push((index, spread));
    }
    match all.first().cloned() {
        Some(first) => Ok(Operands { all, mesh: first.1.device_mesh.clone(), first }),
        None => Err(cx.wrong_kind(0, "a distributed tensor")),
    }
}

/// Infers the result of a call with distributed operands.
pub(in crate::op) fn result(operator: &Operator, cx: Infer<'_>) -> Inferred {
    let mut cx = cx.of_whole_tensors();
    let operands = operands(&cx)?;
    let (index, first) = &operands.first;
    let Some(rule) = operator.sharding else {
        return Err(cx.wrong_shape_at(*index, "distributed tensors are not supported"));
    };
    let replicas = |mesh: &DeviceMesh| (0..mesh.ndim()).map(|_| PlacementSpec::replica()).collect();
    let placement = match rule {
        Sharding::Unchanged => return cx.unchanged(operator),
        Sharding::Stated => {
            cx.expect_args(1)?;
            let DistributionAttrs { device_mesh, placement } = cx.attrs()?;
            return placed(first.tensor_sinfo.clone(), device_mesh.clone(), placement.clone());
        }
        Sharding::Scattered => {
            (operator.infer)(&mut cx)?;
            let is_whole =
                first.placement.dim_specs.iter().all(|spec| spec.kind == PlacementSpecKind::Replica);
            if operands.mesh.ndim() != 1 || !is_whole {
                return Err(cx.wrong_shape_at(0, "expected a tensor replicated over a mesh of one axis"));
            }
            let axis = cx.attrs::<ScatterCollectiveAttrs>()?.axis;
            let placement = Placement { dim_specs: [PlacementSpec::sharding(axis)].into_iter().collect() };
            return placed(first.tensor_sinfo.clone(), operands.mesh, Ref::new(placement));
        }
        Sharding::SameAsOperand => first.placement.clone(),
        Sharding::Replicated => Ref::new(Placement { dim_specs: replicas(&operands.mesh) }),
        Sharding::Broadcast
        | Sharding::Product
        | Sharding::Reduced
        | Sharding::Permuted
        | Sharding::Reshaped => {
            let whole = whole_result(operator, &mut cx)?;
            let placement = propagated(rule, &mut cx, &operands, &whole)?;
            return placed(whole, operands.mesh, placement);
        }
    };
    let whole = whole_result(operator, &mut cx)?;
    placed(whole, operands.mesh, placement)
}

fn placed(whole: Ref<TensorStructInfo>, mesh: Ref<DeviceMesh>, placement: Ref<Placement>) -> Inferred {
    match DTensorStructInfo::try_new(whole, mesh, placement) {
        Ok(info) => Ok(info.upcast()),
        Err(error) => Err(InferErrorKind::Mesh { error }.at(0)),
    }
}

fn whole_result(operator: &Operator, cx: &mut Infer<'_>) -> Checked<Ref<TensorStructInfo>> {
    let whole = (operator.infer)(cx)?;
    whole.downcast().map_err(|_| cx.wrong_kind(0, "tensors"))
}

/// The dimensions of a distributed tensor, which must be known.
fn known<'a>(cx: &Infer<'_>, index: usize, info: &'a TensorStructInfo) -> Checked<&'a Array<prim::Expr>> {
    info.dims().ok_or_else(|| cx.wrong_kind(index, "a tensor of known shape"))
}

/// The placement of the result, propagated through related axes.
fn propagated(
    rule: Sharding,
    cx: &mut Infer<'_>,
    operands: &Operands,
    whole: &TensorStructInfo,
) -> Checked<Ref<Placement>> {
    // A tensor that is used twice has one set of axes.
    let tensor_at = |index: usize| {
        let arg = cx.call.args.get(index);
        let is_same = |other: &Expr| arg.is_some_and(|arg| arg.ptr_eq(other));
        cx.call.args.iter().position(is_same).unwrap_or(index)
    };
    let result = cx.arg_count();
    let shapes = operands.all.iter().map(|(index, info)| {
        known(cx, *index, &info.tensor_sinfo).map(|dims| (tensor_at(*index), dims.clone()))
    });
    let shapes: Vec<(usize, Array<prim::Expr>)> = shapes.collect::<Result<_, _>>()?;
    if whole.dims().is_none() {
        return Err(cx.wrong_shape("the shape of the result is unknown"));
    }
    let mut graph = AxisGraph::default();
    match (rule, shapes.as_slice()) {
        (Sharding::Broadcast, [a, b]) => {
            broadcast(&mut graph, cx.analyzer, a, b, result);
            let (longer, shorter) = if a.1.len() > b.1.len() { (a, b) } else { (b, a) };
            for i in 0..longer.1.len() - shorter.1.len() {
                graph.join_result((longer.0, i), (result, i));
            }
        }
        (Sharding::Product, [a, b]) => product(&mut graph, cx.analyzer, a, b, result),
        (Sharding::Reduced, [(tensor, dims)]) => reduced(&mut graph, cx, (*tensor, dims.len()), result)?,
        (Sharding::Permuted, [(tensor, dims)]) => {
            let ndim = dims.len();
            let axes = match &cx.attrs::<PermuteDimsAttrs>()?.axes {
                Some(axes) => cx.axes(axes, ndim as i64)?,
                None => (0..ndim).rev().collect(),
            };
            for (i, axis) in axes.into_iter().enumerate() {
                graph.join_result((*tensor, axis), (result, i));
            }
        }
        (Sharding::Reshaped, [(tensor, dims)]) => {
            let new = whole.dims().cloned().unwrap_or_default();
            reshaped(&mut graph, cx.analyzer, (*tensor, dims), (result, &new))?;
        }
        _ => return Err(cx.wrong_shape("all operands must be distributed tensors")),
    }
    for ((_, info), (tensor, _)) in operands.all.iter().zip(&shapes) {
        for (mesh_axis, spec) in info.placement.dim_specs.iter().enumerate() {
            if let (PlacementSpecKind::Sharding, Ok(axis)) = (spec.kind, usize::try_from(spec.axis)) {
                graph.divide((*tensor, axis), mesh_axis);
            }
        }
    }
    let divided = graph.propagate().map_err(|(tensor, axis)| {
        let what = format!("axis {axis} would be sharded along two axes of the mesh");
        if tensor < result { cx.wrong_shape_at(tensor, what) } else { cx.wrong_shape(what) }
    })?;
    let mut specs: Vec<_> = (0..operands.mesh.ndim()).map(|_| PlacementSpec::replica()).collect();
    for axis in 0..usize::try_from(whole.ndim).unwrap_or(0) {
        if let Some(spec) = divided.get(&(result, axis)).and_then(|mesh_axis| specs.get_mut(*mesh_axis)) {
            *spec = PlacementSpec::sharding(axis as i64);
        }
    }
    Ok(Ref::new(Placement { dim_specs: specs.into_iter().collect() }))
}

/// Relates the trailing dimensions of two shapes; broadcast dimensions have no counterpart in the result.
fn broadcast(
    graph: &mut AxisGraph,
    analyzer: &mut Analyzer,
    (x, a): &(usize, Array<prim::Expr>),
    (y, b): &(usize, Array<prim::Expr>),
    result: usize,
) {
    let ndim = a.len().max(b.len());
    for i in 1..=a.len().min(b.len()) {
        let (dim, other) = (&a[a.len() - i], &b[b.len() - i]);
        let (of_x, of_y): (Axis, Axis) = ((*x, a.len() - i), (*y, b.len() - i));
        let is_same = crate::analysis::same_dim(dim, other, analyzer);
        if is_same || is_one(other) {
            graph.join_result(of_x, (result, ndim - i));
        }
        if is_same || (is_one(dim) && !is_one(other)) {
            graph.join_result(of_y, (result, ndim - i));
        }
    }
}

/// Relates the axes of a matrix product: broadcast batches, contracted axes, rows and columns.
fn product(
    graph: &mut AxisGraph,
    analyzer: &mut Analyzer,
    (x, a): &(usize, Array<prim::Expr>),
    (y, b): &(usize, Array<prim::Expr>),
    result: usize,
) {
    let (Some(last_a), Some(last_b)) = (a.len().checked_sub(1), b.len().checked_sub(1)) else { return };
    let batch = |dims: &Array<prim::Expr>| -> Array<prim::Expr> {
        dims.iter().take(dims.len().saturating_sub(2)).cloned().collect()
    };
    let (batch_a, batch_b) = (batch(a), batch(b));
    let batches = batch_a.len().max(batch_b.len());
    broadcast(graph, analyzer, &(*x, batch_a), &(*y, batch_b), result);
    graph.join_operands((*x, last_a), (*y, last_b.saturating_sub(1)));
    let is_row = last_a == 0;
    if !is_row {
        graph.join_result((*x, last_a - 1), (result, batches));
    }
    if last_b > 0 {
        graph.join_result((*y, last_b), (result, batches + usize::from(!is_row)));
    }
}

/// Relates the axes that are not reduced.
fn reduced(
    graph: &mut AxisGraph,
    cx: &Infer<'_>,
    (tensor, ndim): (usize, usize),
    result: usize,
) -> Checked<()> {
    let (axes, keeps) = match cx.attrs::<StatisticalAttrs>() {
        Ok(StatisticalAttrs { axis, keepdims }) => match axis {
            Some(axes) => (cx.axes(axes, ndim as i64)?, *keepdims),
            None => (Vec::new(), *keepdims),
        },
        Err(_) => (vec![cx.axis(cx.attrs::<SoftmaxAttrs>()?.axis, ndim as i64)?], true),
    };
    let kept = (0..ndim).filter(|axis| !axes.contains(axis));
    for (next, axis) in kept.enumerate() {
        graph.join_result((tensor, axis), (result, if keeps { axis } else { next }));
    }
    Ok(())
}

/// Relates axes with the same number of elements behind them, from the last axis on.
fn reshaped(
    graph: &mut AxisGraph,
    analyzer: &mut Analyzer,
    (tensor, old): (usize, &Array<prim::Expr>),
    (result, new): (usize, &Array<prim::Expr>),
) -> Checked<()> {
    let (mut i, mut j) = (old.len(), new.len());
    let one = IntImm::int64(1);
    let (mut behind_old, mut behind_new) = (one.clone(), one);
    while i > 0 && j > 0 {
        if analyzer.can_prove(&ops::gt(behind_new.clone(), behind_old.clone())?) {
            i -= 1;
            behind_old = ops::mul(behind_old, old[i].clone())?;
        } else if analyzer.can_prove(&ops::lt(behind_new.clone(), behind_old.clone())?) {
            j -= 1;
            behind_new = ops::mul(behind_new, new[j].clone())?;
        } else {
            if i != old.len() {
                graph.join_result((tensor, i), (result, j));
            }
            i -= 1;
            j -= 1;
            behind_old = ops::mul(behind_old, old[i].clone())?;
            behind_new = ops::mul(behind_new, new[j].clone())?;
        }
    }
    Ok(())
}
