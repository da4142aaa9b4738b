//! Index maps applied to indices and shapes.

use tvmscript_arith::{Analyzer, map_ranges};
use tvmscript_ir_core::{Array, DataType, PtrMap, Ref, substitute, with_stack};
use tvmscript_prim::{Expr, IndexMap, IntImm, PrimExprExt as _, Var, ops};

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
    let Some((op, a, b)) = ops::operands(e) else {
        let values = values.iter().map(|(var, value)| (var.clone(), value.object().clone())).collect();
        return Ok(substitute(e.clone(), &values)?);
    };
    let (new_a, new_b) = with_stack(|| Ok::<_, ScheduleError>((replaced(a, values)?, replaced(b, values)?)))?;
    match new_a.ptr_eq(a) && new_b.ptr_eq(b) {
        true => Ok(e.clone()),
        false => Ok(ops::binary(op, new_a, new_b)?),
    }
}

/// A map whose variables and constant results have the type of the indices that it is applied to.
pub(crate) fn of_type(map: &Ref<IndexMap>, indices: &[DataType]) -> Result<Ref<IndexMap>> {
    check_rank(map, indices.len())?;
    let first = indices.first().copied();
    if indices.iter().any(|dtype| Some(*dtype) != first) {
        return Err(ScheduleError::plain("the dimensions of the buffer have different types"));
    }
    let Some(dtype) = first.filter(|dtype| map.initial_indices.iter().any(|var| var.dtype != *dtype)) else {
        return Ok(map.clone());
    };
    let mut values: PtrMap<Expr> = PtrMap::default();
    let mut variables = Vec::new();
    for var in map.initial_indices.iter() {
        let new = if var.dtype == dtype { var.clone() } else { Var::new(var.name.text(), dtype) };
        values.insert(var.object().clone(), new.clone().upcast());
        variables.push(new);
    }
    let mut results: Vec<Expr> = Vec::new();
    for result in map.final_indices.iter() {
        results.push(match result.as_node::<IntImm>() {
            Some(literal) => IntImm::try_new(dtype, literal.value)?,
            None => replaced(result, &values)?,
        });
    }
    let inverse = map.inverse_index_map.as_ref().and_then(|inverse| inverse.downcast_ref::<IndexMap>());
    let inverse = match inverse {
        Some(inverse) => {
            let dtypes: Vec<DataType> = results.iter().map(|result| result.dtype()).collect();
            Some(with_stack(|| of_type(inverse, &dtypes))?.into())
        }
        None => None,
    };
    Ok(Ref::new(IndexMap {
        initial_indices: Array::new(variables),
        final_indices: Array::new(results),
        inverse_index_map: inverse,
    }))
}
