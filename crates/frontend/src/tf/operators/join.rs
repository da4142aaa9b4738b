//! Tensors joined to one.

use tvmscript_relax::Tuple;
use tvmscript_relax::op::join::{concat, stack};

use super::super::dims::Dims;
use super::super::node::{Converted, Node};
use super::rows;
use super::slice::{Range, slice};
use crate::ops::{self, int};

rows! {
    "Concat" => |cx| join(cx, 1, 0), "concat", "an axis that is not constant";
    "ConcatV2" => |cx| {
        let last = cx.count().saturating_sub(1);
        join(cx, 0, last)
    }, "concat", "an axis that is not constant";
    "Pack" => pack, "stack";
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
    let tensors = cx.inputs(first..count)?;
    match <[_; 1]>::try_from(tensors) {
        Ok([only]) => Ok(only.into()),
        Err(tensors) => Ok(concat(Tuple::new(tensors).upcast(), Some(axis)).into()),
    }
}

/// Elements moved along axes; those that leave at the end come in at the start.
fn roll(cx: &mut Node<'_, '_>) -> Converted {
    let mut x = cx.input(0)?;
    let lengths = ops::lengths(&x)?;
    for (shift, axis) in cx.ints(1, "the shifts")?.into_iter().zip(cx.ints(2, "the axes")?) {
        let axis = ops::axis(axis, lengths.len())?;
        let length = lengths.get(axis).copied().unwrap_or(0);
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
    let tensors = cx.inputs(0..count)?;
    let is_of_scalars = tensors.iter().all(|tensor| ops::rank_of(tensor) == Some(0));
    let axis = cx.int_attr("axis").unwrap_or(0);
    let value = cx.step(stack(Tuple::new(tensors).upcast(), Some(int(axis))))?;
    if is_of_scalars {
        let scalars = cx.operands.clone();
        cx.importer.packs.insert(value.object().clone(), scalars);
    }
    Ok(value.into())
}
