//! Tensors taken apart along an axis.

use tvmscript_ir_core::{DataType, Object, Ref, Span};
use tvmscript_prim::{IntImm, ops as dim};
use tvmscript_relax::op::join::split;
use tvmscript_relax::op::shape::squeeze;
use tvmscript_relax::{Constant, Expr};

use super::super::dims::Dims;
use super::super::importer::Value;
use super::super::node::{Converted, Node, Output};
use super::rows;
use super::slice::{Range, picked, slice};
use crate::error::Reason;
use crate::ops::{self, field, int64s, ints};

rows! {
    "Split" => |cx| {
        let axis = cx.int(0, "the axis")?;
        let count = cx.int_attr("num_split").unwrap_or(1);
        let x = cx.input(1)?;
        parts(cx, x, axis, usize::try_from(count).unwrap_or(0), None)
    }, "split and its results", "an axis that is not constant";
    "SplitV" => split_v, "split and its results", "an axis or sizes that are not constant";
    "Unpack" => unpack, "split, squeeze of each result";
}

/// Maximum number of parts.
const MAX_PARTS: usize = 1 << 16;

/// The parts of a tensor along an axis: equal ones, or those that begin at positions.
fn parts(cx: &mut Node<'_, '_>, x: Expr, axis: i64, count: usize, starts: Option<Vec<i64>>) -> Converted {
    if !(1..=MAX_PARTS).contains(&count) {
        return Err(Reason(format!("must have from 1 to {MAX_PARTS} parts, found {count}")));
    }
    if count == 1 {
        return Ok(x.into());
    }
    let axis = ops::axis(axis, ops::rank(&x)?)?;
    if x.is::<Constant>() {
        return parts_of_constant(cx, &x, axis, count, starts);
    }
    let sections: Object = match starts {
        Some(starts) => int64s(&starts).into(),
        None => {
            Ref::new(IntImm { span: Span::current(), dtype: DataType::INT64, value: count as i64 }).into()
        }
    };
    let all = cx.normalize(split(x, sections, axis as i64))?;
    Ok(Output::Many((0..count).map(|index| field(&all, index)).collect()))
}

/// The parts of a constant, as constants.
fn parts_of_constant(
    cx: &mut Node<'_, '_>,
    x: &Expr,
    axis: usize,
    count: usize,
    starts: Option<Vec<i64>>,
) -> Converted {
    let length = ops::lengths(x)?.get(axis).copied().unwrap_or(0);
    let equal = length / count as i64;
    let mut bounds = starts.unwrap_or_else(|| (1..count as i64).map(|part| part * equal).collect());
    bounds.insert(0, 0);
    bounds.push(length);
    let parts = bounds
        .iter()
        .zip(bounds.iter().skip(1))
        .map(|(begin, end)| cx.step(slice(x.clone(), &[Range::of(axis, *begin, *end)])));
    Ok(Output::Many(parts.collect::<Result<_, _>>()?))
}

fn split_v(cx: &mut Node<'_, '_>) -> Converted {
    let axis = cx.int(2, "the axis")?;
    let mut sizes = cx.ints(1, "the sizes")?;
    let x = cx.input(0)?;
    if let Some(unknown) = sizes.iter().position(|size| *size == -1) {
        let dims = ops::dims(&x)?;
        let length = dims.get(ops::axis(axis, dims.len())?).and_then(dim::int_value);
        let length = length.ok_or_else(|| Reason::from("a size of -1 needs an axis of known length"))?;
        let others: i64 =
            sizes.iter().filter(|size| **size != -1).fold(0, |all, size| all.saturating_add(*size));
        if let Some(size) = sizes.get_mut(unknown) {
            *size = length.saturating_sub(others);
        }
    }
    if let (true, Some(dims)) = (cx.is_symbolic(0), cx.known_dims(0)) {
        return parts_of_dims(&dims, &sizes);
    }
    let mut starts = Vec::new();
    let mut at: i64 = 0;
    for size in &sizes {
        at = at.saturating_add(*size);
        starts.push(at);
    }
    starts.pop();
    parts(cx, x, axis, sizes.len(), Some(starts))
}

/// Parts of integers that come from shapes.
fn parts_of_dims(dims: &Dims, sizes: &[i64]) -> Converted {
    let mut begin = 0i64;
    let mut parts = Vec::new();
    for size in sizes {
        let end = begin.saturating_add(*size);
        parts.push(dims.with(picked(&dims.values, begin, end, 1)?).into());
        begin = end;
    }
    Ok(Output::Values(parts))
}

fn unpack(cx: &mut Node<'_, '_>) -> Converted {
    let axis = cx.int_attr("axis").unwrap_or(0);
    if let (true, Some(dims)) = (cx.is_symbolic(0), cx.known_dims(0)) {
        let scalars = dims.values.iter().map(|value| Dims::scalar(value.clone(), dims.dtype));
        return Ok(Output::Values(scalars.map(Value::from).collect()));
    }
    let x = cx.input(0)?;
    let count = usize::try_from(cx.int_attr("num").unwrap_or(0)).unwrap_or(0);
    if count == 0 {
        return Ok(Output::Values(Vec::new()));
    }
    let Output::Many(all) = parts(cx, x.clone(), axis, count, None)? else {
        return Ok(squeeze(x, Some(ints(&[axis]))).into());
    };
    let all = all.into_iter().map(|part| squeeze(part, Some(ints(&[axis]))).upcast());
    Ok(Output::Many(all.collect()))
}
