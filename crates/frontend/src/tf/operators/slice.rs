//! Parts of tensors.

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_prim::{self as prim, IntImm, ops as dim};
use tvmscript_relax::op::create::arange;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::add;
use tvmscript_relax::op::index::{dynamic_strided_slice, strided_slice, take};
use tvmscript_relax::op::join::concat;
use tvmscript_relax::op::shape::{expand_dims, squeeze};
use tvmscript_relax::{Call, Expr, PrimValue, Tuple};

use super::super::dims::Dims;
use super::super::importer::Value;
use super::super::node::{Converted, Node};
use super::rows;
use crate::error::Reason;
use crate::ops::{self, int_operand, ints};

rows! {
    "Slice" => slice_, "strided_slice; with starts at run time arange, add, take", "sizes at run time";
    "StridedSlice" => strided, "strided_slice, squeeze, expand_dims; with bounds at run time dynamic_strided_slice, take",
        "strides other than 1 with bounds at run time";
}

/// A part of an axis: first index, index after the last, step.
#[derive(Debug, Clone)]
pub(super) struct Range {
    axis: usize,
    begin: prim::Expr,
    end: prim::Expr,
    stride: i64,
}

impl Range {
    /// Neighbouring elements.
    pub(super) fn of(axis: usize, begin: i64, end: i64) -> Range {
        Range::until(axis, begin, IntImm::int64(end))
    }

    /// Elements at equal distances, before an index.
    pub(super) fn strided(axis: usize, begin: i64, end: prim::Expr, stride: i64) -> Range {
        Range { axis, begin: IntImm::int64(begin), end, stride }
    }

    /// Neighbouring elements up to an index.
    pub(super) fn until(axis: usize, begin: i64, end: prim::Expr) -> Range {
        Range { axis, begin: IntImm::int64(begin), end, stride: 1 }
    }
}

/// The part of a tensor that has all ranges.
pub(super) fn slice(x: Expr, ranges: &[Range]) -> Ref<Call> {
    let tuple = |value: fn(&Range) -> Expr| -> Expr { Tuple::new(ranges.iter().map(value)).upcast() };
    let strides = ranges.iter().any(|range| range.stride != 1);
    strided_slice(
        x,
        tuple(|range| int_operand(range.axis as i64)),
        tuple(|range| PrimValue::new(range.begin.clone()).upcast()),
        tuple(|range| PrimValue::new(range.end.clone()).upcast()),
        strides.then(|| tuple(|range| int_operand(range.stride))),
        false,
    )
}

/// A slice, of which parts of one element have the length 1 even if the axis was of unknown length.
fn with_single(cx: &mut Node<'_, '_>, value: Expr, ranges: &[Range]) -> Result<Expr, Reason> {
    let Some(mut dims) = ops::dims_of(&value) else { return Ok(value) };
    let mut has_changed = false;
    for range in ranges {
        let bounds = dim::int_value(&range.begin).zip(dim::int_value(&range.end));
        let is_single = bounds.is_some_and(|(begin, end)| begin >= 0 && end.checked_sub(begin) == Some(1));
        let length = dims.get_mut(range.axis).filter(|length| is_single && dim::int_value(length).is_none());
        if let Some(length) = length {
            *length = IntImm::int64(1);
            has_changed = true;
        }
    }
    match has_changed {
        true => {
            let info = ops::tensor_of(dims, ops::dtype_of(&value));
            Ok(cx.graph().match_cast(value, info)?)
        }
        false => Ok(value),
    }
}

fn slice_(cx: &mut Node<'_, '_>) -> Converted {
    let sizes = cx.dims(2, "the sizes")?;
    let Some(begins) = cx.known_dims(1) else { return moving_slice(cx, &sizes) };
    if let (true, Some(dims)) = (cx.is_symbolic(0), cx.known_dims(0))
        && let ([begin], [size]) = (begins.values.as_slice(), sizes.values.as_slice())
        && let (Some(begin), Some(size)) = (dim::int_value(begin), dim::int_value(size))
    {
        let count = dims.values.len() as i64;
        let end = if size == -1 { count } else { begin.saturating_add(size) };
        return Ok(dims.with(picked(&dims.values, begin, end, 1)?).into());
    }
    let x = cx.input(0)?;
    let dims = ops::dims_of(&x);
    let mut ranges = Vec::new();
    for (axis, (begin, size)) in begins.values.iter().zip(&sizes.values).enumerate() {
        let length = dims.as_ref().and_then(|dims| dims.get(axis)).cloned();
        let end = match dim::int_value(size) {
            Some(-1) => length.clone().unwrap_or_else(|| IntImm::int64(i64::MAX)),
            _ => tvmscript_arith::simplify(&dim::add(begin.clone(), size.clone())?),
        };
        let is_all = dim::is_zero(begin)
            && length
                .is_some_and(|length| tvmscript_ir_core::structural_equal(length.object(), end.object()));
        if !is_all {
            ranges.push(Range { axis, begin: begin.clone(), end, stride: 1 });
        }
    }
    if ranges.is_empty() {
        return Ok(x.into());
    }
    let value = cx.step(slice(x, &ranges))?;
    Ok(with_single(cx, value, &ranges)?.into())
}

/// A slice of known size whose start is known only at run time: its elements are taken along each axis.
fn moving_slice(cx: &mut Node<'_, '_>, sizes: &Dims) -> Converted {
    let starts = bounds(cx, 1)?;
    let mut x = cx.input(0)?;
    for (axis, (start, size)) in starts.into_iter().zip(&sizes.values).enumerate() {
        let size = dim::int_value(size);
        match (start, size) {
            (Bound::Known(begin), size) => {
                let dims = ops::dims(&x)?;
                let end = match size {
                    Some(-1) => dims.get(axis).cloned().unwrap_or_else(|| IntImm::int64(i64::MAX)),
                    Some(size) => tvmscript_arith::simplify(&dim::add(begin.clone(), IntImm::int64(size))?),
                    None => return Err("sizes must be constant where starts are not".into()),
                };
                x = cx.step(slice(x, &[Range { axis, begin, end, stride: 1 }]))?;
            }
            (Bound::Runtime(begin), Some(size @ 0..)) => {
                let dtype = ops::dtype_of(&begin);
                let places = arange(int_operand(0), Some(int_operand(size)), int_operand(1), Some(dtype));
                let places = cx.step(places)?;
                let places = cx.step(add(begin, places))?;
                x = cx.step(take(x, places, Some(axis as i64), "clip".into()))?;
            }
            (Bound::Runtime(_), _) => return Err("sizes must be constant where starts are not".into()),
        }
    }
    Ok(x.into())
}

/// Integers at the positions of a slice in Python's notation.
pub(super) fn picked(
    values: &[prim::Expr],
    begin: i64,
    end: i64,
    stride: i64,
) -> Result<Vec<prim::Expr>, Reason> {
    let count = values.len() as i64;
    let mut at = begin;
    let mut found = Vec::new();
    while if stride > 0 { at < end } else { at > end } {
        let value = usize::try_from(at).ok().and_then(|at| values.get(at));
        found.push(
            value
                .cloned()
                .ok_or_else(|| Reason(format!("index {at} is out of range for {count} numbers")))?,
        );
        at = at.saturating_add(stride);
    }
    Ok(found)
}

// --- strided slices ----------------------------------------------------------------------------------------------

/// An entry of a strided slice.
enum Entry {
    /// An axis of length 1 in the result.
    New,
    /// An axis of the operand, as a whole.
    All,
    /// A part of an axis; a single index loses the axis.
    Part { at: usize, is_index: bool },
}

/// The entries of a strided slice, one per axis of the operand and new axis.
fn entries(cx: &Node<'_, '_>, count: usize, rank: usize) -> Result<Vec<Entry>, Reason> {
    let mask = |name: &str| cx.int_attr(name).unwrap_or(0);
    let has = |mask: i64, at: usize| at < 63 && mask >> at & 1 == 1;
    let (ellipsis, new, index) = (mask("ellipsis_mask"), mask("new_axis_mask"), mask("shrink_axis_mask"));
    let consumed = (0..count).filter(|at| !has(ellipsis, *at) && !has(new, *at)).count();
    let rest = rank
        .checked_sub(consumed)
        .ok_or_else(|| Reason(format!("has {consumed} indices, but the operand has {rank} axes")))?;
    let mut entries = Vec::new();
    let mut has_ellipsis = false;
    for at in 0..count {
        if has(ellipsis, at) && !has_ellipsis {
            has_ellipsis = true;
            entries.extend(std::iter::repeat_with(|| Entry::All).take(rest));
        } else if has(new, at) {
            entries.push(Entry::New);
        } else {
            entries.push(Entry::Part { at, is_index: has(index, at) });
        }
    }
    if !has_ellipsis {
        entries.extend(std::iter::repeat_with(|| Entry::All).take(rest));
    }
    Ok(entries)
}

fn strided(cx: &mut Node<'_, '_>) -> Converted {
    let strides = cx.ints(3, "the strides")?;
    if let (true, Some(dims)) = (cx.is_symbolic(0), cx.known_dims(0)) {
        return strided_dims(cx, &dims, &strides);
    }
    let x = cx.input(0)?;
    let rank = ops::rank(&x)?;
    let entries = entries(cx, strides.len(), rank)?;
    let begins = bounds(cx, 1)?;
    // Ends are of no interest for indices.
    let ends = bounds(cx, 2);
    let dims = ops::dims_of(&x);
    let mask = |name: &str| cx.int_attr(name).unwrap_or(0);
    let (begin_mask, end_mask) = (mask("begin_mask"), mask("end_mask"));
    let is_masked = |mask: i64, at: usize| at < 63 && mask >> at & 1 == 1;
    let (mut ranges, mut running, mut taken) = (Vec::new(), Vec::new(), Vec::new());
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    let (mut axis, mut position) = (0, 0);
    for entry in &entries {
        match *entry {
            Entry::New => {
                added.push(position);
                position += 1;
            }
            Entry::All => {
                axis += 1;
                position += 1;
            }
            Entry::Part { at, is_index: true } => {
                match begins.get(at) {
                    Some(Bound::Runtime(index)) => taken.push((axis, index.clone())),
                    Some(Bound::Known(index)) => {
                        let length = dims.as_ref().and_then(|dims| dims.get(axis));
                        ranges.push(index_range(axis, length, index)?);
                        // Axes that are taken from before are gone by then.
                        removed.push((axis - taken.len()) as i64);
                    }
                    None => return Err("an index is missing".into()),
                }
                axis += 1;
            }
            Entry::Part { at, is_index: false } => {
                let length = dims.as_ref().and_then(|dims| dims.get(axis)).cloned();
                let begin = begins.get(at).filter(|_| !is_masked(begin_mask, at)).cloned();
                let end = if is_masked(end_mask, at) { None } else { ends.clone()?.get(at).cloned() };
                let stride = strides.get(at).copied().unwrap_or(1);
                match (begin, end) {
                    (begin @ Some(Bound::Runtime(_)), end) | (begin, end @ Some(Bound::Runtime(_))) => {
                        if stride != 1 {
                            return Err("strides need bounds that are constant, or come from shapes".into());
                        }
                        running.push((axis, [begin, end]));
                    }
                    (begin, end) => ranges.extend(range(axis, length, known(begin), known(end), stride)?),
                }
                axis += 1;
                position += 1;
            }
        }
    }
    let mut value = x;
    if !ranges.is_empty() {
        value = cx.step(slice(value, &ranges))?;
        value = with_single(cx, value, &ranges)?;
    }
    if !running.is_empty() {
        value = running_slice(cx, value, running)?;
    }
    for (axis, index) in taken.into_iter().rev() {
        value = cx.step(take(value, index, Some(axis as i64), "wrap".into()))?;
    }
    if !removed.is_empty() {
        value = cx.step(squeeze(value, Some(ints(&removed))))?;
    }
    if !added.is_empty() {
        value = expand_dims(value, ints(&added)).upcast();
    }
    Ok(value.into())
}

/// A bound of a strided slice.
#[derive(Clone)]
enum Bound {
    Known(prim::Expr),
    /// A scalar.
    Runtime(Expr),
}

/// The bounds of a strided slice: known ones, or those that are packed at run time.
fn bounds(cx: &mut Node<'_, '_>, index: usize) -> Result<Vec<Bound>, Reason> {
    if let Some(dims) = cx.known_dims(index) {
        return Ok(dims.values.into_iter().map(Bound::Known).collect());
    }
    let value = cx.input(index)?;
    if let Some(parts) = cx.importer.packs.get(value.object()).cloned() {
        let bound = |part: Value| match cx.importer.known_dims(&part).map(|dims| dims.values) {
            Some(values) => {
                values.into_iter().next().map(Bound::Known).ok_or_else(|| Reason::from("a bound is empty"))
            }
            None => Ok(Bound::Runtime(cx.importer.tensor(&part)?)),
        };
        return parts.into_iter().map(bound).collect();
    }
    match ops::lengths_of(&value).as_deref() {
        Some([1]) => Ok(vec![Bound::Runtime(squeeze(value, Some(ints(&[0]))).upcast())]),
        _ => Err("bounds must be constant, come from shapes, or be packed indices".into()),
    }
}

/// A bound that is known.
fn known(bound: Option<Bound>) -> Option<prim::Expr> {
    match bound {
        Some(Bound::Known(bound)) => Some(bound),
        _ => None,
    }
}

/// The parts of axes whose first index and index after the last are known only at run time.
fn running_slice(
    cx: &mut Node<'_, '_>,
    x: Expr,
    ranges: Vec<(usize, [Option<Bound>; 2])>,
) -> Result<Expr, Reason> {
    let mut dims = ops::dims(&x)?;
    let mut bounds =
        [vec![ops::int64_vector(&[0]); dims.len()], vec![ops::int64_vector(&[i64::MAX]); dims.len()]];
    for (axis, range) in ranges {
        if let Some(length) = dims.get_mut(axis) {
            *length = prim::Var::new(format!("{}_d{axis}", cx.layer), DataType::INT64).upcast();
        }
        for (all, bound) in bounds.iter_mut().zip(range) {
            let bound = match bound {
                None => continue,
                Some(Bound::Known(bound)) => {
                    cx.importer.tensor(&Value::Dims(Dims::vector(vec![bound], DataType::INT64)))?
                }
                Some(Bound::Runtime(bound)) => {
                    let bound = cx.step(astype(bound, DataType::INT64))?;
                    cx.step(ops::reshape(bound, ops::shape(&[1]))?)?
                }
            };
            if let Some(entry) = all.get_mut(axis) {
                *entry = bound;
            }
        }
    }
    let [begins, ends] = bounds.map(|all| concat(Tuple::new(all).upcast(), Some(0)));
    let (begins, ends) = (cx.step(begins)?, cx.step(ends)?);
    let strides = ops::int64_vector(&vec![1; dims.len()]);
    let info = ops::tensor_of(dims, ops::dtype_of(&x));
    Ok(cx.graph().match_cast(dynamic_strided_slice(x, begins, ends, strides), info)?)
}

/// The part of an axis at one index.
fn index_range(axis: usize, length: Option<&prim::Expr>, index: &prim::Expr) -> Result<Range, Reason> {
    let index = match (dim::int_value(index), length) {
        (Some(value), Some(length)) if value < 0 => dim::add(length.clone(), IntImm::int64(value))?,
        (Some(-1), None) => return Ok(Range::until(axis, -1, IntImm::int64(i64::MAX))),
        _ => index.clone(),
    };
    let index = tvmscript_arith::simplify(&index);
    if let (Some(index), Some(length)) = (dim::int_value(&index), length.and_then(dim::int_value))
        && !(0..length).contains(&index)
    {
        return Err(Reason(format!("index {index} is out of range for length {length}")));
    }
    let end = tvmscript_arith::simplify(&dim::add(index.clone(), IntImm::int64(1))?);
    Ok(Range { axis, begin: index, end, stride: 1 })
}

/// A part of an axis; `None` if it is all of it.
fn range(
    axis: usize,
    length: Option<prim::Expr>,
    begin: Option<prim::Expr>,
    end: Option<prim::Expr>,
    stride: i64,
) -> Result<Option<Range>, Reason> {
    if stride == 0 {
        return Err("a stride must not be 0".into());
    }
    let known = length.as_ref().and_then(dim::int_value);
    if begin.is_none() && end.is_none() && stride == 1 {
        return Ok(None);
    }
    // Bounds that are known lie within the axis, as in Python.
    let within = |bound: prim::Expr| match (dim::int_value(&bound), known) {
        (Some(bound), Some(length)) => {
            let bound = if bound < 0 { bound.saturating_add(length) } else { bound };
            let (low, high) = if stride > 0 { (0, length) } else { (-1, length - 1) };
            let bound = bound.clamp(low, high.max(low));
            // Before the first element is the only place that is counted from the end.
            IntImm::int64(if bound == -1 { -1 - length } else { bound })
        }
        _ => bound,
    };
    let begin = begin.map_or_else(|| IntImm::int64(if stride > 0 { 0 } else { -1 }), within);
    let end = match end {
        Some(end) => within(end),
        None if stride < 0 => IntImm::int64(known.map_or(i64::MIN, |length| -1 - length)),
        None => length.clone().unwrap_or_else(|| IntImm::int64(i64::MAX)),
    };
    if stride == 1 && dim::is_zero(&begin) && known.is_some() && dim::int_value(&end) == known {
        return Ok(None);
    }
    Ok(Some(Range { axis, begin, end, stride }))
}

/// A strided slice of integers that come from shapes.
fn strided_dims(cx: &mut Node<'_, '_>, dims: &Dims, strides: &[i64]) -> Converted {
    let entries = entries(cx, strides.len(), 1)?;
    let ([stride], [Entry::Part { is_index, .. }]) = (strides, entries.as_slice()) else {
        return Err("of a shape, only a slice of one range is supported".into());
    };
    let (begins, ends) = (cx.ints(1, "the start")?, cx.ints(2, "the end")?);
    let is_masked = |name: &str| cx.int_attr(name).unwrap_or(0) & 1 == 1 && !is_index;
    let count = dims.values.len() as i64;
    let bound = |bounds: &[i64], name: &str| match bounds {
        [bound] if !is_masked(name) => Some(if *bound < 0 { bound.saturating_add(count) } else { *bound }),
        _ => None,
    };
    let (begin, end) = (bound(&begins, "begin_mask"), bound(&ends, "end_mask"));
    if *is_index {
        let begin = begin.unwrap_or(0);
        let value = picked(&dims.values, begin, begin.saturating_add(1), 1)?;
        return Ok(Dims { is_scalar: true, ..dims.with(value) }.into());
    }
    let (begin, end) = match stride {
        1.. => (begin.unwrap_or(0).clamp(0, count), end.unwrap_or(count).clamp(0, count)),
        0 => return Err("a stride must not be 0".into()),
        _ => (begin.unwrap_or(count - 1).clamp(-1, count - 1), end.unwrap_or(-1).clamp(-1, count - 1)),
    };
    Ok(dims.with(picked(&dims.values, begin, end, *stride)?).into())
}
