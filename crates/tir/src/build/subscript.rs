//! `A[i, j]`, `A[0:4]`, `A[0:8:2]`: loads, regions, vector loads.

use tvmscript_ir_core::operators::is_poison;
use tvmscript_ir_core::{Array, DataType, Ref};
use tvmscript_irbuilder::{BuildError, FromScript, Result, ScriptValue};
use tvmscript_prim::{Expr, IntImm, PrimExprExt, Ramp, Range, ops};

use super::args::ExprArg;
use crate::node::{Buffer, BufferLoad, BufferRegion};
use crate::{TirError, extent};

/// What stands for one dimension between the brackets of a buffer.
#[derive(Debug, Clone)]
pub enum Index {
    /// One element.
    Point(Expr),
    /// `start:stop:step`, each perhaps left out.
    Slice {
        /// The first element; the first of the dimension when left out.
        start: Option<Expr>,
        /// Before which element it ends; the end of the dimension when left out.
        stop: Option<Expr>,
        /// From one element to the next; one when left out.
        step: Option<Expr>,
    },
}

impl FromScript for Index {
    const TYPE: &'static str = "PrimExpr | slice";
    fn from_script(value: ScriptValue) -> Result<Self> {
        let ScriptValue::Slice(slice) = value else { return ExprArg::convert(value).map(Index::Point) };
        let bound = |value: &ScriptValue| match value {
            ScriptValue::None => Ok(None),
            other => ExprArg::convert(other.clone()).map(Some),
        };
        let step = match &slice.step {
            // The evaluator's, where the text has none.
            ScriptValue::Int(1) => Some(IntImm::int32(1)),
            step => bound(step)?,
        };
        Ok(Index::Slice { start: bound(&slice.start)?, stop: bound(&slice.stop)?, step })
    }
    fn is_poison(&self) -> bool {
        let parts = match self {
            Index::Point(expr) => return is_poison(expr.object()),
            Index::Slice { start, stop, step } => [start, stop, step],
        };
        parts.into_iter().flatten().any(|e| is_poison(e.object()))
    }
}

/// What a subscripted buffer stands for.
#[derive(Debug, Clone)]
pub enum Subscript {
    /// A load: all are points, or some slice has a step.
    Load(Expr),
    /// A region: some slice, and none with a step.
    Region(Ref<BufferRegion>),
}

/// The buffer with indices behind it.
///
/// # Shapes
/// An index for each dimension.
/// # Errors
/// When their number is wrong, a bound is no integer, or the length of a slice with a step is not constant.
pub fn subscript(buffer: &Ref<Buffer>, indices: &[Index]) -> Result<Subscript> {
    check_rank(buffer, indices)?;
    let is_slice = |index: &Index| matches!(index, Index::Slice { .. });
    let has_step = |index: &Index| matches!(index, Index::Slice { step: Some(_), .. });
    if indices.iter().any(is_slice) && !indices.iter().any(has_step) {
        return region(buffer, indices).map(Subscript::Region);
    }
    let exprs = indices.iter().enumerate().map(|(dim, index)| lanes(buffer, dim, index));
    let load = BufferLoad::try_new(buffer.clone(), exprs.collect::<Result<_>>()?, None)?;
    Ok(Subscript::Load(load))
}

fn check_rank(buffer: &Buffer, indices: &[Index]) -> Result<()> {
    let (rank, found) = (buffer.shape.len(), indices.len());
    match rank == found {
        true => Ok(()),
        false => Err(TirError::Rank { buffer: buffer.name.get().to_string(), rank, found }.into()),
    }
}

fn bounds(buffer: &Buffer, dim: usize, start: Option<&Expr>, stop: Option<&Expr>) -> Result<(Expr, Expr)> {
    let extent = &buffer.shape[dim];
    let start = match start {
        None => IntImm::try_new(extent.dtype(), 0)?,
        Some(start) => start.clone(),
    };
    Ok((start, stop.unwrap_or(extent).clone()))
}

/// The region that the indices name; a point is one element.
///
/// # Errors
/// As [`subscript`].
pub fn region(buffer: &Ref<Buffer>, indices: &[Index]) -> Result<Ref<BufferRegion>> {
    check_rank(buffer, indices)?;
    let range = |(dim, index): (usize, &Index)| {
        let (min, extent) = match index {
            Index::Slice { start, stop, .. } => {
                let (start, stop) = bounds(buffer, dim, start.as_ref(), stop.as_ref())?;
                let extent = extent::length(&start, stop)?;
                (start, extent)
            }
            Index::Point(min) => (min.clone(), IntImm::try_new(min.dtype().element(), 1)?),
        };
        Ok(Range::from_min_extent(min, extent))
    };
    let ranges = indices.iter().enumerate().map(|at| range(at).map_err(|e: BuildError| e.at_position(at.0)));
    let ranges: Array<Ref<Range>> = ranges.collect::<Result<_>>()?;
    Ok(BufferRegion::try_new(buffer.clone(), ranges)?)
}

/// The expression that loads or stores what an index names: a point, the start of a slice of one element, else a ramp.
///
/// # Errors
/// When the buffer has no such dimension, or the length of a slice is not constant or below one.
pub fn lanes(buffer: &Buffer, dim: usize, index: &Index) -> Result<Expr> {
    if dim >= buffer.shape.len() {
        let (rank, found) = (buffer.shape.len(), dim + 1);
        return Err(TirError::Rank { buffer: buffer.name.get().to_string(), rank, found }.into());
    }
    let (start, stop, step) = match index {
        Index::Point(expr) => return Ok(expr.clone()),
        Index::Slice { start, stop, step } => (start, stop, step),
    };
    ramp(buffer, dim, start.as_ref(), stop.as_ref(), step.as_ref()).map_err(|e| e.at_position(dim))
}

fn ramp(
    buffer: &Buffer,
    dim: usize,
    start: Option<&Expr>,
    stop: Option<&Expr>,
    step: Option<&Expr>,
) -> Result<Expr> {
    let (start, stop) = bounds(buffer, dim, start, stop)?;
    let step = match step {
        // Truth values are counted as numbers are.
        None if start.dtype().is_bool() => IntImm::try_new(DataType::INT32, 1)?,
        None => IntImm::try_new(start.dtype(), 1)?,
        Some(step) => step.clone(),
    };
    if ops::is_zero(&step) {
        return Err(BuildError::message("the step of a slice is zero"));
    }
    let length = ops::sub(stop, start.clone())?;
    // Simplified in the end only: the terms cancel there.
    let one = IntImm::try_new(step.dtype(), 1)?;
    let rounded = ops::sub(ops::add(length, step.clone())?, one)?;
    let lanes = extent::simplify(&ops::floordiv(rounded, step.clone())?);
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
