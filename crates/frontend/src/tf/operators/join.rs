//! Tensors joined to one.

use tvmscript_prim::IntImm;
use tvmscript_relax::op::index::take;
use tvmscript_relax::op::join::{concat, stack};
use tvmscript_relax::{Expr, Tuple};

use super::super::dims::Dims;
use super::super::node::{Converted, Node, Output};
use super::rows;
use super::slice::{Range, slice};
use crate::error::Reason;
use crate::ops::{self, int};

rows! {
    "Concat" => |cx| join(cx, 1, 0), "concat", "an axis that is not constant";
    "ConcatOffset" => offsets, "constants, or integers that other operators use", "shapes at run time";
    "ConcatV2" => |cx| {
        let last = cx.count().saturating_sub(1);
        join(cx, 0, last)
    }, "concat", "an axis that is not constant";
    "DynamicStitch", "ParallelDynamicStitch" => stitch, "reshape, concat, take", "indices that are not constant";
    "Pack" => pack, "stack";
    "ParallelConcat" => |cx| {
        let tensors = alike(cx, 0..cx.count(), Some(0))?;
        Ok(concat(Tuple::new(tensors).upcast(), Some(0)).into())
    }, "concat";
    "Roll" => roll, "strided_slice, concat of each axis", "shifts or axes that are not constant; axes of unknown length";
}

/// The operands from `first`, without the axis, one after another.
fn join(cx: &mut Node<'_, '_>, first: usize, axis: usize) -> Converted {
    let count = cx.count() - usize::from(first == 0);
    let axis = cx.int(axis, "the axis")?;
    if (first..count).any(|index| cx.is_symbolic(index)) {
        let all: Option<Vec<Dims>> = (first..count).map(|index| cx.known_dims(index)).collect();
        if let Some(all) = all
            && let Some(dtype) = all.first().map(|dims| dims.dtype)
        {
            return Ok(Dims::vector(all.into_iter().flat_map(|dims| dims.values).collect(), dtype).into());
        }
    }
    let tensors = alike(cx, first..count, Some(axis))?;
    match <[_; 1]>::try_from(tensors) {
        Ok([only]) => Ok(only.into()),
        Err(tensors) => Ok(concat(Tuple::new(tensors).upcast(), Some(axis)).into()),
    }
}

/// Operands whose unknown dimensions are the same, except along an axis.
fn alike(
    cx: &mut Node<'_, '_>,
    operands: std::ops::Range<usize>,
    axis: Option<i64>,
) -> Result<Vec<Expr>, Reason> {
    let mut tensors = cx.inputs(operands)?.into_iter();
    let Some(first) = tensors.next() else { return Ok(Vec::new()) };
    let skipped = axis.and_then(|axis| ops::axis(axis, ops::rank_of(&first)?).ok());
    let mut all = vec![first.clone()];
    for tensor in tensors {
        all.push(cx.agree(&first, tensor, |axis| (Some(axis) != skipped).then_some(axis))?);
    }
    Ok(all)
}

/// The starts of tensors in their concatenation.
fn offsets(cx: &mut Node<'_, '_>) -> Converted {
    let axis = cx.int(0, "the axis")?;
    let mut found = Vec::new();
    let mut start = IntImm::int64(0);
    for index in 1..cx.count() {
        let dims = cx.dims(index, "the shapes")?;
        let axis = ops::axis(axis, dims.values.len())?;
        let mut values = vec![IntImm::int64(0); dims.values.len()];
        if let (Some(value), Some(length)) = (values.get_mut(axis), dims.values.get(axis)) {
            *value = start.clone();
            start = tvmscript_arith::simplify(&tvmscript_prim::ops::add(start, length.clone())?);
        }
        found.push(dims.with(values).into());
    }
    Ok(Output::Values(found))
}

/// Rows of several tensors at constant places.
fn stitch(cx: &mut Node<'_, '_>) -> Converted {
    let count = cx.count() / 2;
    let (mut places, mut parts) = (Vec::new(), Vec::new());
    for index in 0..count {
        let indices = cx.ints(index, "the indices")?;
        let rank = ops::rank(&cx.input(index)?)?;
        let rows = cx.input(index + count)?;
        let rest = ops::dims(&rows)?.get(rank..).unwrap_or_default().to_vec();
        let shape = std::iter::once(IntImm::int64(indices.len() as i64)).chain(rest);
        parts.push(cx.step(ops::reshape(rows, ops::shape_of(shape))?)?);
        places.extend(indices);
    }
    let last = places.iter().copied().max().unwrap_or(-1);
    // The last row for a place counts.
    let mut order =
        vec![None; usize::try_from(last + 1).ok().filter(|count| *count <= places.len()).unwrap_or(0)];
    for (row, place) in places.iter().enumerate() {
        if let Some(entry) = usize::try_from(*place).ok().and_then(|place| order.get_mut(place)) {
            *entry = Some(row as i64);
        }
    }
    let order: Option<Vec<i64>> = order.into_iter().collect();
    let order = order.filter(|order| !order.is_empty());
    let order =
        order.ok_or_else(|| Reason::from("the indices must be all numbers below the greatest one"))?;
    let all = cx.step(concat(Tuple::new(parts).upcast(), Some(0)))?;
    Ok(take(all, ops::int64_vector(&order), Some(0), "fast".into()).into())
}

/// Elements moved along axes; those that leave at the end come in at the start.
fn roll(cx: &mut Node<'_, '_>) -> Converted {
    let mut x = cx.input(0)?;
    let dims = ops::dims(&x)?;
    for (shift, axis) in cx.ints(1, "the shifts")?.into_iter().zip(cx.ints(2, "the axes")?) {
        let axis = ops::axis(axis, dims.len())?;
        let length = dims.get(axis).and_then(tvmscript_prim::ops::int_value);
        let length = length.ok_or_else(|| Reason::from("needs axes of known length"))?;
        let shift = shift.checked_rem_euclid(length).unwrap_or(0);
        if shift > 0 {
            let cut = length - shift;
            let [first, last] = [(cut, length), (0, cut)];
            let part = |(begin, end)| slice(x.clone(), &[Range::of(axis, begin, end)]).upcast();
            x = cx.step(concat(Tuple::new([part(first), part(last)]).upcast(), Some(axis as i64)))?;
        }
    }
    Ok(x.into())
}

fn pack(cx: &mut Node<'_, '_>) -> Converted {
    let count = cx.count();
    if (0..count).any(|index| cx.is_symbolic(index)) {
        let all: Option<Vec<Dims>> = (0..count).map(|index| cx.known_dims(index)).collect();
        if let Some(all) = all.filter(|all| all.iter().all(|dims| dims.is_scalar))
            && let Some(dtype) = all.first().map(|dims| dims.dtype)
        {
            return Ok(Dims::vector(all.into_iter().flat_map(|dims| dims.values).collect(), dtype).into());
        }
    }
    let tensors = alike(cx, 0..count, None)?;
    let is_of_scalars = tensors.iter().all(|tensor| ops::rank_of(tensor) == Some(0));
    let axis = cx.int_attr("axis").unwrap_or(0);
    let value = cx.step(stack(Tuple::new(tensors).upcast(), Some(int(axis))))?;
    if is_of_scalars {
        let scalars = cx.operands.clone();
        cx.importer.packs.insert(value.object().clone(), scalars);
    }
    Ok(value.into())
}
