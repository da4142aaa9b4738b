//! Elements at indices: slices, gathering and scattering.

use tvmscript_ir_core::{DataType, TypeCode};
use tvmscript_prim::{self as prim, IntImm, ops::int_value};
use tvmscript_relax::evaluate::Tensor;
use tvmscript_relax::op::create::arange;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::{add, less, where_};
use tvmscript_relax::op::index::{dynamic_strided_slice, gather_elements, gather_nd, strided_slice, take};
use tvmscript_relax::op::scatter::{scatter_elements, scatter_nd};
use tvmscript_relax::op::shape::nonzero;
use tvmscript_relax::{Constant, Expr, PrimValue, ShapeExpr, Tuple};

use super::super::node::{Converted, Node};
use super::rows;
use super::runtime::{known_rank, length, scalars};
use super::scalar::as_tensor;
use super::shape::scalar;
use crate::error::Reason;
use crate::ops::{
    self, axis, dims, dtype_of, int_operand, int64_number, int64_vector, lengths_of, number, rank, reshape,
    tensor_of,
};

rows! {
    "Compress" { 11: compress } => "nonzero, reshape, take";
    "Gather" { 13: gather } => "take; a scalar";
    "GatherElements" { 13: gather_elements_ } => "gather_elements";
    "GatherND" { 13: gather_nd_ } => "gather_nd";
    "NonZero" { 9: non_zero } => "nonzero";
    "Scatter" { 9: scatter, 11: |_| Err("is replaced by `ScatterElements` from version 11 on".into()) } => "scatter_elements; scatter_nd";
    "ScatterElements" {
        11: |cx| scatter_elements_(cx, &[]), 16: |cx| scatter_elements_(cx, &["add", "mul"]),
        18: |cx| scatter_elements_(cx, &["add", "mul", "min", "max"])
    } => "scatter_elements";
    "ScatterND" {
        11: |cx| scatter_nd_(cx, &[]), 16: |cx| scatter_nd_(cx, &["add", "mul"]),
        18: |cx| scatter_nd_(cx, &["add", "mul", "min", "max"])
    } => "scatter_nd";
    "Slice" { 1: slice_1, 10: slice } => "strided_slice; dynamic_strided_slice; a shape";
}

// --- Slice -------------------------------------------------------------------------------------------------------

/// Start, end, axis and step of a slice, for each of its axes.
struct Bounds {
    starts: Vec<prim::Expr>,
    ends: Vec<prim::Expr>,
    axes: Option<Vec<prim::Expr>>,
    steps: Option<Vec<prim::Expr>>,
}

fn slice_1(cx: &mut Node<'_, '_>) -> Converted {
    let list = |name| cx.ints(name).map(|ints| ints.into_iter().map(IntImm::int64).collect());
    match (list("starts"), list("ends")) {
        (Some(starts), Some(ends)) => {
            let axes = list("axes");
            sliced(cx, Bounds { starts, ends, axes, steps: None })
        }
        _ => slice(cx),
    }
}

fn slice(cx: &mut Node<'_, '_>) -> Converted {
    let mut found = Vec::new();
    let mut is_known = true;
    for index in 1..5 {
        let value = if cx.optional(index).is_some() { cx.constant_or_value(index) } else { None };
        let numbers = value.as_ref().and_then(scalars);
        is_known &= value.is_none() || numbers.is_some();
        found.push((value, numbers));
    }
    if !is_known {
        let [starts, ends, axes, steps] = [0, 1, 2, 3].map(|at| found.get(at).and_then(|(v, _)| v.clone()));
        return sliced_at_run_time(cx, starts, ends, axes, steps);
    }
    let mut numbers = found.into_iter().map(|(_, numbers)| numbers);
    let (starts, ends) = (numbers.next().flatten(), numbers.next().flatten());
    let (axes, steps) = (numbers.next().flatten(), numbers.next().flatten());
    let (Some(starts), Some(ends)) = (starts, ends) else { return Err("needs starts and ends".into()) };
    sliced(cx, Bounds { starts, ends, axes, steps })
}

fn sliced(cx: &mut Node<'_, '_>, bounds: Bounds) -> Converted {
    let x = cx.input(0)?;
    let count = bounds.starts.len();
    let Bounds { starts, ends, axes, steps } = bounds;
    let axes = match axes {
        Some(axes) => axes.iter().map(int_value).collect::<Option<Vec<_>>>().ok_or("needs constant axes")?,
        None => (0..count as i64).collect(),
    };
    let steps = steps.unwrap_or_else(|| vec![IntImm::int64(1); count]);
    if ends.len() != count || axes.len() != count || steps.len() != count {
        let (ends, axes, steps) = (ends.len(), axes.len(), steps.len());
        return Err(Reason(format!("has {count} starts, {ends} ends, {axes} axes and {steps} steps")));
    }
    if steps.iter().any(|step| int_value(step) == Some(0)) {
        return Err("a step is 0".into());
    }
    let rank = known_rank(&x).ok_or("needs an operand of known rank")?;
    let axes = axes.iter().map(|at| axis(*at, rank).map(|at| at as i64)).collect::<Result<Vec<_>, _>>()?;
    if let Some(shape) = x.as_node::<ShapeExpr>() {
        return slice_of_shape(&shape.values.iter().cloned().collect::<Vec<_>>(), &starts, &ends, &steps);
    }
    let is_known = starts.iter().chain(&ends).chain(&steps).all(|bound| int_value(bound).is_some());
    let list = |values: Vec<prim::Expr>| -> Expr { Tuple::new(values.into_iter().map(scalar)).upcast() };
    let axes: Expr = Tuple::new(axes.into_iter().map(int_operand)).upcast();
    let x = as_tensor(x)?;
    Ok(strided_slice(x, axes, list(starts), list(ends), Some(list(steps)), !is_known).into())
}

/// The slice of a shape: a shape, or a constant if all its lengths are numbers.
fn slice_of_shape(
    dims: &[prim::Expr],
    starts: &[prim::Expr],
    ends: &[prim::Expr],
    steps: &[prim::Expr],
) -> Converted {
    let one = |list: &[prim::Expr]| match list {
        [bound] => int_value(bound),
        _ => None,
    };
    let (Some(start), Some(end), Some(step)) = (one(starts), one(ends), one(steps)) else {
        return Err("a shape can only be sliced between constant bounds".into());
    };
    let length = dims.len() as i64;
    let (low, high) = if step > 0 { (0, length) } else { (-1, length - 1) };
    let bound = |at: i64| (if at < 0 { at.saturating_add(length) } else { at }).clamp(low, high);
    let (mut at, end) = (bound(start), bound(end));
    let mut chosen = Vec::new();
    while if step > 0 { at < end } else { at > end } {
        chosen.extend(usize::try_from(at).ok().and_then(|at| dims.get(at)).cloned());
        at = at.saturating_add(step);
    }
    Ok(match chosen.iter().map(int_value).collect::<Option<Vec<i64>>>() {
        Some(numbers) => int64_vector(&numbers).into(),
        None => ops::shape_of(chosen).into(),
    })
}

fn sliced_at_run_time(
    cx: &mut Node<'_, '_>,
    starts: Option<Expr>,
    ends: Option<Expr>,
    axes: Option<Expr>,
    steps: Option<Expr>,
) -> Converted {
    let x = cx.tensor(0)?;
    let rank = rank(&x)?;
    let starts = cx.int64_tensor(starts.ok_or("the starts are missing")?)?;
    let ends = cx.int64_tensor(ends.ok_or("the ends are missing")?)?;
    let count = length(&starts, "the list of starts")?;
    let check = |list: &Expr, what: &str| match length(list, &format!("the list of {what}"))? {
        found if found == count => Ok(()),
        found => Err(Reason(format!("has {count} starts and {found} {what}"))),
    };
    check(&ends, "ends")?;
    let axes = match axes {
        Some(axes) => cx.int64_tensor(axes)?,
        None => {
            let end = Some(int_operand(count as i64));
            arange(int_operand(0), end, int_operand(1), Some(DataType::INT64)).upcast()
        }
    };
    let steps = match steps {
        Some(steps) => cx.int64_tensor(steps)?,
        None => int64_vector(&vec![1; count]),
    };
    check(&steps, "steps")?;
    if ops::integers(&steps).is_some_and(|steps| steps.contains(&0)) {
        return Err("a step is 0".into());
    }
    let axes = cx.axes_from_front(axes, rank)?;
    let lengths = cx.shape_tensor(x.clone())?;
    let mut placed =
        |all: Expr, part: Expr| cx.normalize(scatter_elements(all, axes.clone(), part, 0, "update".into()));
    let starts = placed(int64_vector(&vec![0; rank]), starts)?;
    let ends = placed(lengths, ends)?;
    let steps = placed(int64_vector(&vec![1; rank]), steps)?;
    Ok(dynamic_strided_slice(x, starts, ends, steps).into())
}

// --- Gather ------------------------------------------------------------------------------------------------------

/// Indices that may count from the end, counted from the front. `extent` computes the lengths of the indexed axes in the
/// type of the indices.
pub(super) fn from_front(
    cx: &mut Node<'_, '_>,
    indices: Expr,
    extent: impl FnOnce(&mut Node<'_, '_>, DataType) -> Result<Expr, Reason>,
) -> Result<Expr, Reason> {
    let dtype = dtype_of(&indices);
    let extent = extent(cx, dtype)?;
    if dtype.code == TypeCode::UInt {
        return Ok(indices);
    }
    let is_negative = less(indices.clone(), number(dtype, 0.0)).upcast();
    cx.normalize(where_(is_negative, add(indices.clone(), extent).upcast(), indices))
}

fn typed(cx: &mut Node<'_, '_>, extent: Expr, dtype: DataType) -> Result<Expr, Reason> {
    if dtype == DataType::INT64 { Ok(extent) } else { cx.normalize(astype(extent, dtype)) }
}

/// The length of an axis, as a tensor.
fn axis_extent(cx: &mut Node<'_, '_>, x: Expr, axis: i64, dtype: DataType) -> Result<Expr, Reason> {
    let lengths = cx.normalize(tvmscript_relax::op::shape::shape_to_tensor(
        tvmscript_relax::op::shape::shape_of(x).upcast(),
    ))?;
    let extent = cx.normalize(take(lengths, int64_number(axis), Some(0), "wrap".into()))?;
    typed(cx, extent, dtype)
}

/// The lengths of the axes that the last axis of the indices refers to, as a tensor.
fn coordinate_extents(
    cx: &mut Node<'_, '_>,
    x: Expr,
    indices: &Expr,
    first: i64,
    dtype: DataType,
) -> Result<Expr, Reason> {
    let count = dims(indices)?.pop().ok_or("needs indices with an axis")?;
    let lengths = cx.normalize(tvmscript_relax::op::shape::shape_to_tensor(
        tvmscript_relax::op::shape::shape_of(x).upcast(),
    ))?;
    let end = prim::ops::add(IntImm::int64(first), count)?;
    let tuple = |value: Expr| Tuple::new([value]).upcast();
    let (axes, begin, end) = (tuple(int_operand(0)), tuple(int_operand(first)), tuple(scalar(end)));
    let extents = cx.normalize(strided_slice(lengths, axes, begin, end, None, false))?;
    typed(cx, extents, dtype)
}

fn gather(cx: &mut Node<'_, '_>) -> Converted {
    let (x, indices) = (cx.input(0)?, cx.input(1)?);
    let at = cx.int("axis").unwrap_or(0);
    if let (Some(shape), Some([index]), Some(0)) =
        (x.as_node::<ShapeExpr>(), index_of(&indices).as_deref(), ops::rank_of(&indices))
    {
        let position = axis(*index, shape.values.len())?;
        let dim = shape.values.get(position).ok_or("needs an index inside the shape")?;
        return Ok(scalar(dim.clone()).into());
    }
    if x.is::<Constant>() && indices.is::<Constant>() {
        let rank = rank(&x)?;
        let own = lengths_of(&x).unwrap_or_default();
        let extent = own.get(axis(at, rank)?).copied().unwrap_or(0);
        let call = take(x, wrapped(&indices, extent)?, Some(at), "fast".into());
        return cx.fold(call);
    }
    let x = match x.is::<ShapeExpr>() {
        true => cx.normalize(tvmscript_relax::op::shape::shape_to_tensor(x))?,
        false => as_tensor(x)?,
    };
    let indices = match indices.is::<PrimValue>() {
        false if super::runtime::is_shape(&indices) => {
            cx.normalize(tvmscript_relax::op::shape::shape_to_tensor(indices))?
        }
        _ => as_tensor(indices)?,
    };
    let of = x.clone();
    let indices = from_front(cx, indices, |cx, dtype| axis_extent(cx, of, at, dtype))?;
    Ok(take(x, indices, Some(at), "fast".into()).into())
}

/// The integers of a constant that is no shape.
fn index_of(indices: &Expr) -> Option<Vec<i64>> {
    ops::integers(indices).filter(|_| indices.is::<Constant>())
}

/// Constant indices counted from the front.
fn wrapped(indices: &Expr, extent: i64) -> Result<Expr, Reason> {
    let tensor = ops::elements(indices).ok_or("needs indices that are integers")?;
    let extent = i128::from(extent);
    let found = tensor.ints().ok_or("needs indices that are integers")?;
    if let Some(index) = found.iter().find(|index| !(-extent..extent).contains(*index)) {
        return Err(Reason(format!("the index {index} is out of range for length {extent}")));
    }
    let front =
        found.iter().map(|index| if *index < 0 { index + extent } else { *index }).collect::<Vec<_>>();
    Ok(Constant::new(Tensor::of_ints(tensor.dtype, tensor.shape.clone(), front).encode()).upcast())
}

fn gather_elements_(cx: &mut Node<'_, '_>) -> Converted {
    let (x, indices) = (cx.tensor(0)?, cx.tensor(1)?);
    let at = cx.int("axis").unwrap_or(0);
    let of = x.clone();
    let indices = from_front(cx, indices, |cx, dtype| axis_extent(cx, of, at, dtype))?;
    Ok(gather_elements(x, indices, at).into())
}

fn gather_nd_(cx: &mut Node<'_, '_>) -> Converted {
    let (x, indices) = (cx.tensor(0)?, cx.tensor(1)?);
    let batches = cx.int("batch_dims").unwrap_or(0);
    let (of, at) = (x.clone(), indices.clone());
    let indices = from_front(cx, indices, |cx, dtype| coordinate_extents(cx, of, &at, batches, dtype))?;
    Ok(gather_nd(x, indices, batches).into())
}

fn compress(cx: &mut Node<'_, '_>) -> Converted {
    let (x, condition) = (cx.tensor(0)?, cx.tensor(1)?);
    if dtype_of(&condition) != DataType::BOOL || ops::rank_of(&condition) != Some(1) {
        return Err("the condition must be a vector of bools".into());
    }
    let indices = cx.flat_indices(nonzero(condition).upcast(), "num_nonzero")?;
    Ok(match cx.int("axis") {
        Some(axis) => take(x, indices, Some(axis), "fast".into()).into(),
        None => {
            let flat = reshape(x, ops::shape(&[-1]))?.upcast();
            take(flat, indices, Some(0), "fast".into()).into()
        }
    })
}

fn non_zero(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let rank = rank(&x)?.max(1) as i64;
    let count = prim::Var::new("nonzero_numbers", DataType::INT64).upcast();
    let info = tensor_of([IntImm::int64(rank), count], DataType::INT64);
    Ok(cx.graph().match_cast(nonzero(x), info)?.into())
}

// --- Scatter -----------------------------------------------------------------------------------------------------

/// The reduction of a scatter: one of those that the version has, or none.
fn reduction(cx: &Node<'_, '_>, allowed: &[&str]) -> Result<tvmscript_ir_core::Str, Reason> {
    match cx.text("reduction").as_deref() {
        None | Some("none" | "") => Ok("update".into()),
        Some(_) if allowed.is_empty() => Ok("update".into()),
        Some(name) if allowed.contains(&name) => Ok(name.into()),
        Some(name) => Err(Reason(format!("the reduction `{name}` is unknown in this version"))),
    }
}

fn scatter_elements_(cx: &mut Node<'_, '_>, reductions: &[&str]) -> Converted {
    let (x, indices, updates) = (cx.tensor(0)?, cx.tensor(1)?, cx.tensor(2)?);
    let reduction = reduction(cx, reductions)?;
    Ok(scatter_elements(x, indices, updates, cx.int("axis").unwrap_or(0), reduction).into())
}

fn scatter_nd_(cx: &mut Node<'_, '_>, reductions: &[&str]) -> Converted {
    let (x, indices, updates) = (cx.tensor(0)?, cx.tensor(1)?, cx.tensor(2)?);
    let reduction = reduction(cx, reductions)?;
    let (of, at) = (x.clone(), indices.clone());
    let indices = from_front(cx, indices, |cx, dtype| coordinate_extents(cx, of, &at, 0, dtype))?;
    Ok(scatter_nd(x, indices, updates, reduction).into())
}

fn scatter(cx: &mut Node<'_, '_>) -> Converted {
    let (x, indices, updates) = (cx.tensor(0)?, cx.tensor(1)?, cx.tensor(2)?);
    let at = cx.int("axis").unwrap_or(0);
    let (own, other) = (dims(&x)?, dims(&indices)?);
    let is_same = |(a, b): (&prim::Expr, &prim::Expr)| match (int_value(a), int_value(b)) {
        (Some(a), Some(b)) => a == b,
        (None, None) => a.object().address() == b.object().address(),
        _ => false,
    };
    if own.len() == other.len() && own.iter().zip(&other).all(is_same) {
        return Ok(scatter_elements(x, indices, updates, at, "update".into()).into());
    }
    let shape = lengths_of(&indices).ok_or("needs indices whose dimensions are numbers")?;
    if own.len() != other.len() {
        return Err(Reason(format!("has indices of {} dimensions, and data of {}", other.len(), own.len())));
    }
    let (rank, at) = (own.len(), axis(at, own.len())?);
    let shape: Vec<usize> = shape.iter().map(|dim| usize::try_from(*dim).unwrap_or(0)).collect();
    let entries = shape.iter().try_fold(1usize, |count, dim| count.checked_mul(*dim));
    let entries = entries
        .filter(|entries| cx.graph().affords(entries.saturating_mul(rank).saturating_mul(8)))
        .ok_or("the table of the positions of its elements would be too large")?;
    // The position of each element, with the index itself in the column of the axis.
    let mut grid = Vec::with_capacity(entries * rank);
    for entry in 0..entries {
        let mut rest = entry;
        let mut position: Vec<i128> = Vec::with_capacity(rank);
        for dim in shape.iter().rev() {
            position.push((rest % dim.max(&1)) as i128);
            rest /= dim.max(&1);
        }
        grid.extend(position.into_iter().rev());
    }
    let table = |dtype, values: Vec<i128>| -> Expr {
        Constant::new(Tensor::of_ints(dtype, vec![entries, rank], values).encode()).upcast()
    };
    let is_index = (0..entries).flat_map(|_| (0..rank).map(|column| i128::from(column == at)));
    let is_index = table(DataType::BOOL, is_index.collect());
    let column = reshape(indices.clone(), ops::shape(&[entries as i64, 1]))?.upcast();
    let target = where_(is_index, column, table(dtype_of(&indices), grid)).upcast();
    let updates = reshape(updates, ops::shape(&[entries as i64]))?.upcast();
    Ok(scatter_nd(x, target, updates, "update".into()).into())
}
