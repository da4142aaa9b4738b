//! How results lie on a mesh whose operands do: first the whole tensor, by the rule that the operator has for any, then the division.
//!
//! Upstream counterpart: `src/relax/op/distributed/{binary,unary,manipulate,linear_algebra,statistical,nn,ccl}.cc` and
//! `src/relax/distributed/axis_group_graph.cc`.

use std::collections::HashMap;
use std::sync::LazyLock;

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::{Array, Ref, structural_equal};
use tvmscript_prim::ops::is_one;
use tvmscript_prim::{self as prim, IntImm, ops};

use super::axis_graph::{Axis, AxisGraph};
use super::{Infer, InferError, InferErrorKind, Inferred, Operator};
use crate::node::attrs::{
    DistributionAttrs, PermuteDimsAttrs, ScatterCollectiveAttrs, SoftmaxAttrs, StatisticalAttrs,
};
use crate::node::*;

/// How the axes of the result are divided.
#[derive(Debug, Clone, Copy)]
enum Rule {
    /// As the only operand's.
    SameAsOperand,
    /// As those of two operands that are broadcast.
    Broadcast,
    /// As those of the factors that are not summed up.
    Product,
    /// As those of the operand that are not reduced.
    Reduced,
    /// As those of the operand, in another order.
    Permuted,
    /// As those of the operand that stay whole.
    Reshaped,
    /// Every device has all of it.
    Whole,
    /// One axis, of a tensor that every device had all of.
    Divided,
    /// As the attributes say.
    Stated,
    /// As the whole call says.
    Unchanged,
}

/// The operators that take tensors on a mesh.
static RULES: LazyLock<HashMap<&'static str, Rule>> = LazyLock::new(|| {
    let families: [(Rule, &[&str]); 10] = [
        (
            Rule::SameAsOperand,
            &[
                "abs",
                "acos",
                "acosh",
                "asin",
                "asinh",
                "atan",
                "atanh",
                "bitwise_not",
                "builtin.stop_lift_params",
                "ceil",
                "cos",
                "cosh",
                "erf",
                "exp",
                "floor",
                "isfinite",
                "isinf",
                "isnan",
                "log",
                "logical_not",
                "negative",
                "nn.gelu",
                "nn.gelu_tanh",
                "nn.relu",
                "nn.silu",
                "round",
                "rsqrt",
                "sigmoid",
                "sign",
                "sin",
                "sinh",
                "sqrt",
                "square",
                "tan",
                "tanh",
            ],
        ),
        (
            Rule::Broadcast,
            &[
                "add",
                "bitwise_and",
                "bitwise_or",
                "bitwise_xor",
                "divide",
                "equal",
                "floor_divide",
                "floor_mod",
                "greater",
                "greater_equal",
                "left_shift",
                "less",
                "less_equal",
                "logical_and",
                "logical_or",
                "logical_xor",
                "maximum",
                "minimum",
                "mod",
                "multiply",
                "not_equal",
                "power",
                "right_shift",
                "subtract",
            ],
        ),
        (Rule::Product, &["matmul"]),
        (Rule::Reduced, &["max", "mean", "min", "nn.softmax", "prod", "std", "sum", "variance"]),
        (Rule::Permuted, &["permute_dims"]),
        (Rule::Reshaped, &["reshape"]),
        (Rule::Whole, &["ccl.allreduce"]),
        (Rule::Divided, &["dist.redistribute_replica_to_shard"]),
        (Rule::Stated, &["dist.redistribute"]),
        (Rule::Unchanged, &["call_tir", "dist.annotate_sharding"]),
    ];
    families.into_iter().flat_map(|(rule, names)| names.iter().map(move |name| (*name, rule))).collect()
});

/// Whether an operand is spread over a mesh.
pub(in crate::op) fn is_spread(call: &Call) -> bool {
    call.args.iter().any(|arg| {
        arg.as_node::<Var>()
            .and_then(|var| var.struct_info_.as_ref())
            .or_else(|| arg.as_node::<Constant>()?.struct_info_.as_ref())
            .is_some_and(|info| info.is::<DTensorStructInfo>())
    })
}

/// The operands on the mesh.
struct Operands {
    /// Each with its index among the arguments.
    all: Vec<(usize, Ref<DTensorStructInfo>)>,
    mesh: Ref<DeviceMesh>,
}

fn operands(cx: &Infer<'_>) -> Result<Operands, InferError> {
    let mut all: Vec<(usize, Ref<DTensorStructInfo>)> = Vec::new();
    for (index, arg) in cx.call.args.iter().enumerate() {
        let Some(info) = struct_info_of(arg) else { continue };
        if info.is::<TensorStructInfo>() {
            return Err(cx.wrong_kind(index, "a tensor on the mesh of the other operands"));
        }
        let Ok(spread) = info.downcast::<DTensorStructInfo>() else { continue };
        if all.first().is_some_and(|(_, first)| {
            !structural_equal(first.device_mesh.object(), spread.device_mesh.object())
        }) {
            return Err(cx.wrong_shape_at(index, "the operands are spread over different meshes"));
        }
        all.push((index, spread));
    }
    match all.first().map(|(_, first)| first.device_mesh.clone()) {
        Some(mesh) => Ok(Operands { all, mesh }),
        None => Err(cx.wrong_kind(0, "a tensor that is spread over a mesh")),
    }
}

/// The struct info of a call of which an operand is spread over a mesh.
pub(in crate::op) fn result(operator: &Operator, cx: Infer<'_>) -> Inferred {
    let mut cx = cx.of_whole_tensors();
    let operands = operands(&cx)?;
    let name = operator.name.strip_prefix("relax.").unwrap_or(operator.name);
    let Some(rule) = RULES.get(name) else {
        let (index, _) = operands.all[0];
        return Err(cx.wrong_shape_at(index, "it takes no tensors that are spread over a mesh"));
    };
    let first = &operands.all[0].1;
    let replicas = |mesh: &DeviceMesh| (0..mesh.ndim()).map(|_| PlacementSpec::replica()).collect();
    let placement = match rule {
        Rule::Unchanged => return cx.unchanged(operator),
        Rule::Stated => {
            cx.expect_args(1)?;
            let DistributionAttrs { device_mesh, placement } = cx.attrs()?;
            return lying(&cx, first.tensor_sinfo.clone(), device_mesh.clone(), placement.clone());
        }
        Rule::Divided => {
            (operator.infer)(&mut cx)?;
            let is_whole =
                first.placement.dim_specs.iter().all(|spec| spec.kind == PlacementSpecKind::Replica);
            if operands.mesh.ndim() != 1 || !is_whole {
                return Err(cx.wrong_shape_at(0, "every device of a mesh of one axis has all of the tensor"));
            }
            let axis = cx.attrs::<ScatterCollectiveAttrs>()?.axis;
            let placement = Placement { dim_specs: [PlacementSpec::sharding(axis)].into_iter().collect() };
            return lying(&cx, first.tensor_sinfo.clone(), operands.mesh, Ref::new(placement));
        }
        Rule::SameAsOperand => first.placement.clone(),
        Rule::Whole => Ref::new(Placement { dim_specs: replicas(&operands.mesh) }),
        Rule::Broadcast | Rule::Product | Rule::Reduced | Rule::Permuted | Rule::Reshaped => {
            let whole = whole_result(operator, &mut cx)?;
            let placement = carried(*rule, &mut cx, &operands, &whole)?;
            return lying(&cx, whole, operands.mesh, placement);
        }
    };
    let whole = whole_result(operator, &mut cx)?;
    lying(&cx, whole, operands.mesh, placement)
}

fn lying(
    cx: &Infer<'_>,
    whole: Ref<TensorStructInfo>,
    mesh: Ref<DeviceMesh>,
    placement: Ref<Placement>,
) -> Inferred {
    match DTensorStructInfo::try_new(whole, mesh, placement) {
        Ok(info) => Ok(info.upcast()),
        Err(error) => Err(InferErrorKind::Mesh { op: cx.op(), error }.at(0)),
    }
}

fn whole_result(operator: &Operator, cx: &mut Infer<'_>) -> Result<Ref<TensorStructInfo>, InferError> {
    let whole = (operator.infer)(cx)?;
    whole.downcast().map_err(|_| cx.wrong_kind(0, "tensors"))
}

/// The dimensions of a tensor on a mesh, which have to be known.
fn known<'a>(
    cx: &Infer<'_>,
    index: usize,
    info: &'a TensorStructInfo,
) -> Result<&'a Array<prim::Expr>, InferError> {
    info.dims().ok_or_else(|| cx.wrong_kind(index, "a tensor of known shape"))
}

/// The placement of the result as it follows from axes that belong together.
fn carried(
    rule: Rule,
    cx: &mut Infer<'_>,
    operands: &Operands,
    whole: &TensorStructInfo,
) -> Result<Ref<Placement>, InferError> {
    // One tensor that stands twice has one set of axes.
    let tensor_at =
        |index: usize| cx.call.args.iter().position(|arg| arg.ptr_eq(&cx.call.args[index])).unwrap_or(index);
    let result = cx.arg_count();
    let shapes = operands.all.iter().map(|(index, info)| {
        known(cx, *index, &info.tensor_sinfo).map(|dims| (tensor_at(*index), dims.clone()))
    });
    let shapes: Vec<(usize, Array<prim::Expr>)> = shapes.collect::<Result<_, _>>()?;
    if whole.dims().is_none() {
        return Err(cx.wrong_shape("the shape of the result is not known"));
    }
    let mut graph = AxisGraph::default();
    match (rule, shapes.as_slice()) {
        (Rule::Broadcast, [a, b]) => {
            broadcast(&mut graph, cx.analyzer, a, b, result);
            let (longer, shorter) = if a.1.len() > b.1.len() { (a, b) } else { (b, a) };
            for i in 0..longer.1.len() - shorter.1.len() {
                graph.join_result((longer.0, i), (result, i));
            }
        }
        (Rule::Product, [a, b]) => product(&mut graph, cx.analyzer, a, b, result),
        (Rule::Reduced, [(tensor, dims)]) => reduced(&mut graph, cx, (*tensor, dims.len()), result)?,
        (Rule::Permuted, [(tensor, dims)]) => {
            let ndim = dims.len();
            let axes = match &cx.attrs::<PermuteDimsAttrs>()?.axes {
                Some(axes) => cx.axes(axes, ndim as i64)?,
                None => (0..ndim).rev().collect(),
            };
            for (i, axis) in axes.into_iter().enumerate() {
                graph.join_result((*tensor, axis), (result, i));
            }
        }
        (Rule::Reshaped, [(tensor, dims)]) => {
            let new = whole.dims().cloned().unwrap_or_default();
            reshaped(&mut graph, cx.analyzer, (*tensor, dims), (result, &new))?;
        }
        _ => return Err(cx.wrong_shape("not all operands are tensors that are spread over the mesh")),
    }
    for ((_, info), (tensor, _)) in operands.all.iter().zip(&shapes) {
        for (mesh_axis, spec) in info.placement.dim_specs.iter().enumerate() {
            if let (PlacementSpecKind::Sharding, Ok(axis)) = (spec.kind, usize::try_from(spec.axis)) {
                graph.divide((*tensor, axis), mesh_axis);
            }
        }
    }
    let divided = graph.propagate().map_err(|(tensor, axis)| {
        let what = format!("axis {axis} would be divided along two axes of the mesh");
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

/// The last dimensions of two shapes, one by one: those that are not stretched are the result's.
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

/// A matrix product: batches are broadcast, the axes that are summed up run together, rows and columns are the result's.
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

/// What is left of the axes after some are reduced.
fn reduced(
    graph: &mut AxisGraph,
    cx: &Infer<'_>,
    (tensor, ndim): (usize, usize),
    result: usize,
) -> Result<(), InferError> {
    let (axes, keeps) = match cx.attrs::<StatisticalAttrs>() {
        Ok(StatisticalAttrs { axis, keepdims }) => match axis {
            Some(axes) => (cx.axes(axes, ndim as i64)?, *keepdims),
            None => (Vec::new(), *keepdims),
        },
        Err(_) => (vec![cx.axis(cx.attrs::<SoftmaxAttrs>()?.axis, ndim as i64)?], true),
    };
    let mut is_reduced = vec![false; ndim];
    axes.into_iter().for_each(|axis| is_reduced[axis] = true);
    let mut next = 0;
    for (axis, is_reduced) in is_reduced.into_iter().enumerate() {
        if !is_reduced {
            graph.join_result((tensor, axis), (result, if keeps { axis } else { next }));
            next += 1;
        }
    }
    Ok(())
}

/// From the last axes on: where as many elements lie behind an axis of one shape as behind one of the other, they are one.
fn reshaped(
    graph: &mut AxisGraph,
    analyzer: &mut Analyzer,
    (tensor, old): (usize, &Array<prim::Expr>),
    (result, new): (usize, &Array<prim::Expr>),
) -> Result<(), InferError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_of_an_operator() {
        let unknown: Vec<_> =
            RULES.keys().filter(|name| crate::op::operator(&format!("relax.{name}")).is_none()).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
