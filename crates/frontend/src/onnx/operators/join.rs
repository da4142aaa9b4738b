//! Tensors joined, divided, repeated and padded.

use tvmscript_ir_core::{DataType, Object, ObjectLike as _};
use tvmscript_prim::{self as prim, IntImm};
use tvmscript_relax::op::elementwise::add;
use tvmscript_relax::op::index::{dynamic_strided_slice, strided_slice};
use tvmscript_relax::op::join;
use tvmscript_relax::op::nn::resample;
use tvmscript_relax::op::reduce::cumsum;
use tvmscript_relax::op::scatter::scatter_elements;
use tvmscript_relax::op::shape::{broadcast_to, tensor_to_shape};
use tvmscript_relax::{Expr, ShapeExpr, Tuple};

use super::super::node::{Converted, Node};
use super::rows;
use super::runtime::{length, scalars};
use crate::error::Reason;
use crate::ops::{
    self, axis, dims, dims_of, dtype_of, int_operand, int64_vector, int64s, ints, rank, reshape, tensor_of,
};

rows! {
    "Concat" { 13: concat } => "concat; a shape";
    "Pad" {
        1: |cx| { let pads = cx.ints("pads").or_else(|| cx.ints("paddings")); padded(cx, pads) }, 11: pad_11
    } => "nn.pad, strided_slice", "pads known at run time";
    "Split" { 1: split_1, 13: split_13 } => "split; dynamic_strided_slice";
    "Tile" { 13: tile } => "tile; broadcast_to, reshape";
}

/// Memory of a dimension of a computed shape, about.
const DIMENSION_BYTES: usize = 64;

/// Shapes and constant vectors of `int64` make a shape; other values a tensor.
fn concat(cx: &mut Node<'_, '_>) -> Converted {
    let count = cx.inputs.len();
    let mut dims = Some(Vec::new());
    for index in 0..count {
        let value = cx.peek_constant(index);
        let is_vector = |value: &Expr| {
            value.is::<ShapeExpr>() || dtype_of(value) == DataType::INT64 && ops::rank_of(value) == Some(1)
        };
        match (&mut dims, value.filter(is_vector).and_then(|value| scalars(&value))) {
            (Some(dims), Some(found)) => dims.extend(found),
            _ => dims = None,
        }
    }
    if let Some(dims) = dims.filter(|_| count > 0) {
        if !cx.graph().affords(dims.len().saturating_mul(DIMENSION_BYTES)) {
            return Err(Reason(format!("the shape of {} lengths would be too large", dims.len())));
        }
        return Ok(ops::shape_of(dims).into());
    }
    let parts = (0..count).map(|index| cx.tensor(index)).collect::<Result<Vec<_>, _>>()?;
    let axis = cx.int("axis").unwrap_or(0);
    let is_constant = (0..count).all(|index| cx.is_constant(index));
    let call = join::concat(Tuple::new(parts).upcast(), Some(axis));
    if is_constant { cx.fold(call) } else { Ok(call.into()) }
}

// --- Split -------------------------------------------------------------------------------------------------------

/// The starts of all parts but the first, as an attribute.
pub(super) fn starts(sizes: &[i64]) -> Object {
    let mut start = 0i64;
    let but_last = sizes.split_last().map_or(&[][..], |(_, rest)| rest);
    let starts: Vec<i64> = but_last
        .iter()
        .map(|size| {
            start = start.saturating_add(*size);
            start
        })
        .collect();
    int64s(&starts).into_object()
}

/// A number of parts, as an attribute.
pub(super) fn parts(count: i64) -> Object {
    IntImm::int64(count).into()
}

fn split_1(cx: &mut Node<'_, '_>) -> Converted {
    let axis = cx.int("axis").unwrap_or(0);
    let sections = match cx.ints("split").filter(|sizes| sizes.len() > 1) {
        Some(sizes) => starts(&sizes),
        None => parts(cx.output_count().max(1) as i64),
    };
    Ok(join::split(cx.tensor(0)?, sections, axis).into())
}

fn split_13(cx: &mut Node<'_, '_>) -> Converted {
    let axis = cx.int("axis").unwrap_or(0);
    let Some(sizes) = cx.optional(1) else {
        return Ok(join::split(cx.tensor(0)?, parts(cx.output_count().max(1) as i64), axis).into());
    };
    match cx.constant(1).and_then(|sizes| ops::integers(&sizes)) {
        Some(sizes) => Ok(join::split(cx.tensor(0)?, starts(&sizes), axis).into()),
        None => split_at_run_time(cx, sizes, axis),
    }
}

/// Parts whose lengths are known at run time, each with a new variable as its length.
fn split_at_run_time(cx: &mut Node<'_, '_>, sizes: Expr, at: i64) -> Converted {
    let x = cx.tensor(0)?;
    let (own, dtype) = (dims(&x)?, dtype_of(&x));
    let at = axis(at, own.len())?;
    let count = length(&sizes, "the list of lengths")?;
    if count != cx.output_count() {
        return Err(Reason(format!("has {count} lengths for {} results", cx.output_count())));
    }
    let sizes = cx.int64_tensor(sizes)?;
    let starts = cx.normalize(cumsum(sizes.clone(), Some(0), None, Some(true)))?;
    let ends = cx.normalize(add(starts.clone(), sizes))?;
    let lengths = cx.shape_tensor(x.clone())?;
    let axis = int64_vector(&[at as i64]);
    let zeros = int64_vector(&vec![0; own.len()]);
    let steps = int64_vector(&vec![1; own.len()]);
    let mut found = Vec::new();
    for index in 0..count {
        let tuple = |value: usize| Tuple::new([int_operand(value as i64)]).upcast();
        let bound = |all: &Expr, of: &Expr| {
            let one = strided_slice(all.clone(), tuple(0), tuple(index), tuple(index + 1), None, false);
            scatter_elements(of.clone(), axis.clone(), one.upcast(), 0, "update".into()).upcast()
        };
        let (begin, end) = (bound(&starts, &zeros), bound(&ends, &lengths));
        let part = dynamic_strided_slice(x.clone(), begin, end, steps.clone());
        let mut dims = own.clone();
        if let Some(dim) = dims.get_mut(at) {
            *dim = prim::Var::new(format!("split_dim_{index}"), DataType::INT64).upcast();
        }
        found.push(cx.graph().match_cast(part, tensor_of(dims, dtype))?);
    }
    Ok(found.into())
}

// --- Pad ---------------------------------------------------------------------------------------------------------

fn pad_11(cx: &mut Node<'_, '_>) -> Converted {
    let mut pads = cx.constant_ints(1, "the pads")?;
    if let (Some(pads), Some(axes)) = (&mut pads, cx.constant_ints(3, "the list of axes")?) {
        let rank = rank(&cx.input(0)?)?;
        if pads.len() != 2 * axes.len() {
            return Err(Reason(format!("has {} pads for {} axes", pads.len(), axes.len())));
        }
        let mut all = vec![0; 2 * rank];
        let (before, after) = pads.split_at(axes.len());
        for ((at, before), after) in axes.iter().zip(before).zip(after) {
            let at = axis(*at, rank)?;
            for (slot, pad) in [(at, before), (at + rank, after)] {
                if let Some(slot) = all.get_mut(slot) {
                    *slot = *pad;
                }
            }
        }
        *pads = all;
    }
    padded(cx, pads)
}

/// Pads all axes; a negative pad removes elements.
fn padded(cx: &mut Node<'_, '_>, pads: Option<Vec<i64>>) -> Converted {
    let mut x = cx.tensor(0)?;
    let pads = pads.ok_or("the pads are missing")?;
    let rank = rank(&x)?;
    if pads.len() != 2 * rank {
        return Err(Reason(format!("has {} pads for an operand of rank {rank}", pads.len())));
    }
    let value = match cx.constant_number(2, "the value")? {
        Some(value) => value,
        None => cx.float("value").unwrap_or(0.0),
    };
    let mode = match cx.text("mode").as_deref() {
        None | Some("constant") => "constant",
        Some("reflect") => "reflect",
        Some("edge") => "replicate",
        Some("wrap") => "circular",
        Some(other) => return Err(Reason(format!("the mode `{other}` is unknown"))),
    };
    let (before, after) = pads.split_at(rank);
    if pads.iter().any(|pad| *pad < 0) {
        let list = |values: Vec<i64>| -> Expr { Tuple::new(values.into_iter().map(int_operand)).upcast() };
        let axes = list((0..rank as i64).collect());
        let begin = list(before.iter().map(|pad| pad.saturating_neg().max(0)).collect());
        // An end of 0 would be the start: axes that keep their last elements end beyond them.
        let end = list(after.iter().map(|pad| if *pad < 0 { *pad } else { i64::from(i32::MAX) }).collect());
        x = strided_slice(x, axes, begin, end, Some(list(vec![1; rank])), false).upcast();
    }
    let widths: Vec<i64> = before.iter().zip(after).flat_map(|(a, b)| [*a.max(&0), *b.max(&0)]).collect();
    Ok(resample::pad(x, ints(&widths), mode.into(), value).into())
}

// --- Tile --------------------------------------------------------------------------------------------------------

fn tile(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    if let Some(repeats) = cx.constant(1).and_then(|repeats| ops::integers(&repeats)) {
        if let Some(repeats) = repeats.iter().find(|repeats| **repeats < 0) {
            return Err(Reason(format!("cannot repeat {repeats} times")));
        }
        return Ok(join::tile(x, ints(&repeats)).into());
    }
    let repeats = cx.input(1)?;
    let count = length(&repeats, "the list of repeats")?;
    let repeats = match super::runtime::is_shape(&repeats) {
        true => super::runtime::scalars(&repeats).ok_or("needs repeats of known number")?,
        false => {
            let repeats = cx.int64_tensor(repeats)?;
            let shape = cx.emit(tensor_to_shape(repeats))?;
            cx.cast_shape(shape, count, "tile_repeat")?
        }
    };
    // Each axis gets one before it along which the tensor is broadcast; then both become one.
    let own = dims_of(&x).ok_or("needs an operand of known shape")?;
    let rank = own.len().max(count);
    let one = || IntImm::int64(1);
    let leading = |dims: Vec<prim::Expr>| -> Vec<prim::Expr> {
        std::iter::repeat_with(one).take(rank - dims.len()).chain(dims).collect()
    };
    let (own, repeats) = (leading(own), leading(repeats));
    let apart = own.iter().flat_map(|dim| [one(), dim.clone()]);
    let wide = own.iter().zip(&repeats).flat_map(|(dim, repeats)| [repeats.clone(), dim.clone()]);
    let joined = own.iter().zip(&repeats).map(|(dim, repeats)| prim::ops::mul(dim.clone(), repeats.clone()));
    let joined = joined.collect::<Result<Vec<_>, _>>()?;
    let x = reshape(x, ops::shape_of(apart))?;
    let x = broadcast_to(x.upcast(), ops::shape_of(wide));
    Ok(reshape(x.upcast(), ops::shape_of(joined))?.into())
}
