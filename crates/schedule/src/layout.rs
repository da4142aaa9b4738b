//! Index maps applied to indices and shapes.

use tvmscript_arith::{Analyzer, map_ranges};
use tvmscript_ir_core::{PtrMap, Ref, substitute, with_stack};
use tvmscript_prim::ops::BinaryOp;
use tvmscript_prim::{Expr, ExprKind, ExprView as _, IndexMap, PrimExprExt as _, Var, ops};

use crate::error::{Result, ScheduleError};

/// The results of a map for indices, which may be of another integer type than its variables.
pub(crate) fn map_indices(map: &IndexMap, indices: &[Expr], analyzer: &mut Analyzer) -> Result<Vec<Expr>> {
    check_rank(map, indices.len())?;
    let values: PtrMap<Expr> =
        map.initial_indices.iter().zip(indices).map(|(var, e)| (var.object().clone(), e.clone())).collect();
    let results = map.final_indices.iter().map(|result| Ok(analyzer.simplify(&replaced(result, &values)?)));
    results.collect()
}

/// The shape of what a map makes of a shape.
pub(crate) fn map_shape(map: &IndexMap, shape: &[Expr], analyzer: &mut Analyzer) -> Result<Vec<Expr>> {
    check_rank(map, shape.len())?;
    let mut variables: Vec<(Ref<Var>, Expr, Expr)> = Vec::new();
    for (var, extent) in map.initial_indices.iter().zip(shape) {
        variables.push((var.clone(), ops::make_const(extent.dtype(), 0)?, extent.clone()));
    }
    let indices: Vec<Expr> = map.final_indices.iter().cloned().collect();
    let ranges = map_ranges(&variables, &indices, analyzer)
        .ok_or_else(|| ScheduleError::plain("the results of the index map have no bounds"))?;
    let extents = ranges.into_iter().map(|(min, extent)| match ops::is_zero(&min) {
        true => Ok(extent),
        false => Err(ScheduleError::plain("the results of the index map do not start at 0")),
    });
    extents.collect()
}

fn check_rank(map: &IndexMap, rank: usize) -> Result<()> {
    let expected = map.initial_indices.len();
    match expected == rank {
        true => Ok(()),
        false => {
            let message = format!("the index map takes {expected} indices, and there are {rank}");
            Err(ScheduleError::plain(message))
        }
    }
}

/// An expression with values for variables. Where operands become of different types, the narrower one is converted.
fn replaced(e: &Expr, values: &PtrMap<Expr>) -> Result<Expr> {
    if let Some(value) = values.get(e.object()) {
        return Ok(value.clone());
    }
    let (op, a, b) = match e.kind() {
        ExprKind::Add(n) => (BinaryOp::Add, &n.a, &n.b),
        ExprKind::Sub(n) => (BinaryOp::Sub, &n.a, &n.b),
        ExprKind::Mul(n) => (BinaryOp::Mul, &n.a, &n.b),
        ExprKind::Div(n) => (BinaryOp::Div, &n.a, &n.b),
        ExprKind::Mod(n) => (BinaryOp::Mod, &n.a, &n.b),
        ExprKind::FloorDiv(n) => (BinaryOp::FloorDiv, &n.a, &n.b),
        ExprKind::FloorMod(n) => (BinaryOp::FloorMod, &n.a, &n.b),
        ExprKind::Min(n) => (BinaryOp::Min, &n.a, &n.b),
        ExprKind::Max(n) => (BinaryOp::Max, &n.a, &n.b),
        _ => {
            let values = values.iter().map(|(var, value)| (var.clone(), value.object().clone())).collect();
            return Ok(substitute(e.clone(), &values)?);
        }
    };
    let (new_a, new_b) = with_stack(|| Ok::<_, ScheduleError>((replaced(a, values)?, replaced(b, values)?)))?;
    match new_a.ptr_eq(a) && new_b.ptr_eq(b) {
        true => Ok(e.clone()),
        false => Ok(ops::binary(op, new_a, new_b)?),
    }
}
