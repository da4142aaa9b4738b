//! `A[i, j]`, `A[0:4]`, `A[0:8:2]`: loads, regions, vector loads.

use tvmscript_ir_core::equal::structural_equal;
use tvmscript_ir_core::{Array, Object, Ref};
use tvmscript_irbuilder::{BuildError, Result, ScriptValue, Slice};
use tvmscript_prim::{Add, Expr, IntImm, PrimExprExt, Ramp, Range, ops};
use tvmscript_script_parser::table::Indices;

use crate::build::args::ExprArg;
use crate::build::simplify;
use crate::node::{Buffer, BufferLoad, BufferRegion};

/// What stands between the brackets of a buffer: a load when all are points, or some slice has a step; else a region.
pub(super) fn buffer(object: &Object, indices: &Indices) -> Result<ScriptValue> {
    let Some(buffer) = object.downcast_ref::<Buffer>() else {
        return Err(BuildError::expected("a buffer", object.info().key()));
    };
    if indices.items.len() != buffer.shape.len() {
        let (rank, found) = (buffer.shape.len(), indices.items.len());
        let kind = crate::TirError::Rank { buffer: buffer.name.get().to_string(), rank, found };
        return Err(kind.into());
    }
    let slices = || {
        indices.items.iter().filter_map(|i| match i {
            ScriptValue::Slice(slice) => Some(slice),
            _ => None,
        })
    };
    let has_step = slices().any(|s| !matches!(s.step, ScriptValue::None));
    if slices().next().is_some() && !has_step {
        return region(buffer, indices).map(Into::into);
    }
    let exprs = indices.items.iter().enumerate().map(|(i, item)| match item {
        ScriptValue::Slice(slice) => ramp(buffer, i, slice).map_err(|e| e.at_position(i)),
        other => ExprArg::convert(other.clone()).map_err(|e| e.at_position(i)),
    });
    let exprs: Array<Expr> = exprs.collect::<Result<_>>()?;
    Ok(BufferLoad::try_new(buffer.clone(), exprs, None)?.into())
}

fn bounds(buffer: &Buffer, dim: usize, slice: &Slice) -> Result<(Expr, Expr)> {
    let extent = &buffer.shape[dim];
    let start = match &slice.start {
        ScriptValue::None => IntImm::try_new(extent.dtype(), 0)?,
        other => ExprArg::convert(other.clone())?,
    };
    let stop = match &slice.stop {
        ScriptValue::None => extent.clone(),
        other => ExprArg::convert(other.clone())?,
    };
    Ok((start, stop))
}

fn region(buffer: &Ref<Buffer>, indices: &Indices) -> Result<Ref<BufferRegion>> {
    let ranges = indices.items.iter().enumerate().map(|(i, item)| {
        let range = match item {
            ScriptValue::Slice(slice) => bounds(buffer, i, slice).and_then(|(start, stop)| {
                let extent = extent(&start, stop)?;
                Ok(Range::from_min_extent(start, extent))
            }),
            other => ExprArg::convert(other.clone()).and_then(|min| {
                let one = IntImm::try_new(min.dtype().element(), 1)?;
                Ok(Range::from_min_extent(min, one))
            }),
        };
        range.map_err(|e| e.at_position(i))
    });
    let ranges: Array<Ref<Range>> = ranges.collect::<Result<_>>()?;
    Ok(BufferRegion::try_new(buffer.clone(), ranges)?)
}

/// The length of `start:stop`, simplified. Where simplification goes round in circles and the slice is written
/// `start:start + length`, the written length stands: the text would change at each reading otherwise.
fn extent(start: &Expr, stop: Expr) -> Result<Expr> {
    let written = stop.as_node::<Add>().filter(|sum| structural_equal(sum.a.object(), start.object()));
    let written = written.map(|sum| sum.b.clone());
    let length = simplify(&ops::sub(stop, start.clone())?);
    match written {
        Some(written) if !structural_equal(simplify(&length).object(), length.object()) => Ok(written),
        _ => Ok(length),
    }
}

/// The lanes of a slice: the start alone when there is one, else a ramp.
pub(super) fn ramp(buffer: &Buffer, dim: usize, slice: &Slice) -> Result<Expr> {
    let (start, stop) = bounds(buffer, dim, slice)?;
    let step = match &slice.step {
        ScriptValue::None => IntImm::try_new(start.dtype(), 1)?,
        other => ExprArg::convert(other.clone())?,
    };
    if step.as_node::<IntImm>().is_some_and(|s| s.value == 0) {
        return Err(BuildError::message("the step of a slice is zero"));
    }
    let length = ops::sub(stop, start.clone())?;
    // Simplified in the end only: the terms cancel there.
    let one = IntImm::try_new(step.dtype(), 1)?;
    let rounded = ops::sub(ops::add(length, step.clone())?, one)?;
    let lanes = simplify(&ops::floordiv(rounded, step.clone())?);
    match lanes.as_node::<IntImm>() {
        Some(lanes) if lanes.value == 1 => Ok(start),
        Some(literal) if literal.value < 1 => {
            Err(BuildError::message(format!("the slice has {} elements", literal.value.max(0))))
        }
        _ => Ramp::try_new(start, step, &lanes).map_err(|e| {
            let error = BuildError::from(e);
            error.with_help(
                "the length of a slice must be a constant here; load single elements in a loop otherwise",
            )
        }),
    }
}
