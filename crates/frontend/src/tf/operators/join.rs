//! Tensors joined to one.

use tvmscript_relax::Tuple;
use tvmscript_relax::op::join::{concat, stack};

use super::super::dims::Dims;
use super::super::node::{Converted, Node};
use super::rows;
use crate::ops::int;

rows! {
    "Concat" => |cx| join(cx, 1, 0), "concat", "an axis that is not constant";
    "ConcatV2" => |cx| {
        let last = cx.count().saturating_sub(1);
        join(cx, 0, last)
    }, "concat", "an axis that is not constant";
    "Pack" => pack, "stack";
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
    Ok(stack(Tuple::new(tensors).upcast(), Some(int(cx.int_attr("axis").unwrap_or(0)))).into())
}
