//! Subscripts of buffers: `A[i, j]`, `A[0:4]`, `A[0:8:2]`.

use smallvec::SmallVec;
use tvmscript_ir_core::operators::is_poison;
use tvmscript_ir_core::{Array, DataType, Ref};
use tvmscript_irbuilder::{BuildError, BuildResult, FromScript, PyType, ScriptValue};
use tvmscript_prim::{Expr, IntImm, PrimExprExt, Ramp, Range, ops};

use super::args::ExprArg;
use crate::TirError;
use crate::extent;
use crate::node::{Buffer, BufferLoad, BufferRegion};

/// The index of one dimension.
#[derive(Debug, Clone)]
pub enum Index {
    /// One element.
    Point(Expr),
    /// `start:stop:step`, each optional.
    Slice {
        /// The first element; that of the dimension if absent.
        start: Option<Expr>,
        /// One past the last element; the end of the dimension if absent.
        stop: Option<Expr>,
        /// Distance between elements; one if absent.
        step: Option<Expr>,
    },
}

impl FromScript for Index {
    const TYPE: PyType = PyType::Union { of: &[ExprArg::TYPE, PyType::Name("slice")] };
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        let ScriptValue::Slice(slice) = value else { return ExprArg::index(value).map(Index::Point) };
        let bound = |value: &ScriptValue| match value {
            ScriptValue::None => Ok(None),
            other => ExprArg::index(other.clone()).map(Some),
        };
        let step = match &slice.step {
            // The evaluator's default step.
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

/// The meaning of a subscripted buffer.
#[derive(Debug, Clone)]
pub enum Subscript {
    /// A load: all indices are points, or a slice has a step.
    Load(Expr),
    /// A region: there is a slice, and none has a step.
    Region(Ref<BufferRegion>),
}

/// Applies indices to a buffer.
///
/// # Shapes
/// One index per dimension.
///
/// # Errors
/// If the number of indices is wrong, a bound is not an integer, or the length of a slice with a step is not
/// constant.
pub fn subscript(buffer: &Ref<Buffer>, indices: &[Index]) -> BuildResult<Subscript> {
    buffer.check_rank(indices.len())?;
    let is_slice = |index: &Index| matches!(index, Index::Slice { .. });
    let has_step = |index: &Index| matches!(index, Index::Slice { step: Some(_), .. });
    if indices.iter().any(is_slice) && !indices.iter().any(has_step) {
        return region(buffer, indices).map(Subscript::Region);
    }
    let load = BufferLoad::try_new(buffer.clone(), all_lanes(buffer, indices)?, None)?;
    Ok(Subscript::Load(load))
}

fn bounds(
    buffer: &Buffer,
    dim: usize,
    start: Option<&Expr>,
    stop: Option<&Expr>,
) -> BuildResult<(Expr, Expr)> {
    let rank = buffer.shape.len();
    let extent = buffer.shape.get(dim).ok_or(TirError::Count {
        what: "indices and dimensions",
        left: dim + 1,
        right: rank,
    })?;
    let start = match start {
        None => IntImm::try_new(extent.dtype(), 0)?,
        Some(start) => start.clone(),
    };
    Ok((start, stop.unwrap_or(extent).clone()))
}

/// The indexed region; a point is a range of one element.
///
/// # Errors
/// As [`subscript`].
pub fn region(buffer: &Ref<Buffer>, indices: &[Index]) -> BuildResult<Ref<BufferRegion>> {
    buffer.check_rank(indices.len())?;
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
    let ranges: Array<Ref<Range>> = ranges.collect::<BuildResult<_>>()?;
    Ok(BufferRegion::try_new(buffer.clone(), ranges)?)
}

/// The indices of a load or store.
///
/// # Errors
/// As [`lanes`].
pub fn all_lanes(buffer: &Buffer, indices: &[Index]) -> BuildResult<Array<Expr>> {
    let mut exprs: SmallVec<[Expr; 4]> = SmallVec::with_capacity(indices.len());
    for (dim, index) in indices.iter().enumerate() {
        exprs.push(lanes(buffer, dim, index)?);
    }
    Ok(Array::new(exprs))
}

/// The index of a load or store: a point, the start of a slice of one element, otherwise a ramp.
///
/// # Errors
/// If the buffer has no such dimension, or the length of a slice is not constant or less than one.
pub fn lanes(buffer: &Buffer, dim: usize, index: &Index) -> BuildResult<Expr> {
    if dim >= buffer.shape.len() {
        buffer.check_rank(dim + 1)?;
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
) -> BuildResult<Expr> {
    let (start, stop) = bounds(buffer, dim, start, stop)?;
    let step = match step {
        // A `bool` index counts in `int32`.
        None if start.dtype().is_bool() => IntImm::try_new(DataType::INT32, 1)?,
        None => IntImm::try_new(start.dtype(), 1)?,
        Some(step) => step.clone(),
    };
    if ops::is_zero(&step) {
        return Err(BuildError::message("the step of a slice is zero"));
    }
    let length = ops::sub(stop, start.clone())?;
    // Simplified only at the end, where the terms cancel.
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
