//! Tensors joined and taken apart.

use tvmscript_ir_core::{Object, ObjectLike as _};
use tvmscript_prim::{IntImm, ops::int_value};
use tvmscript_relax::op::index::strided_slice;
use tvmscript_relax::op::join::{concat, meshgrid, split, stack};
use tvmscript_relax::op::shape::squeeze;
use tvmscript_relax::{Expr, Tuple};

use super::super::node::Node;
use super::super::value::{Converted, Value};
use super::promote::common_dtype;
use super::rows;
use super::shape::reshaped;
use crate::error::Reason;
use crate::ops::{self, dims, dtype_of, field, int, int_operand, int64s, ints, rank};

rows! { "aten.":
    "cat.default", "concat.default", "concatenate.default" => "concat", |cx| {
        let (tensors, axis) = (same_type(cx)?, cx.int(1, "dim", 0)?);
        cx.result(concat(Tuple::new(tensors).upcast(), Some(axis)))
    };
    "stack.default" => "stack", |cx| {
        let (tensors, axis) = (same_type(cx)?, cx.int(1, "dim", 0)?);
        cx.result(stack(Tuple::new(tensors).upcast(), Some(int(axis))))
    };
    "split.Tensor", "split.default", "unsafe_split.Tensor" => "split", split_in_steps;
    "split_with_sizes.default", "split.sizes" => "split", |cx| {
        let sizes = cx.needed_ints(1, "split_sizes")?;
        split_at_sizes(cx, &sizes)
    };
    "chunk.default" => "split", |cx| {
        let x = cx.tensor(0)?;
        let (count, axis) = (cx.needed_int(1, "chunks")?, cx.int(2, "dim", 0)?);
        let length = length_of(&x, axis)?;
        if count < 1 {
            return Err("the number of parts must be positive".into());
        }
        // All parts but the last one are as long as the first. PyTorch leaves out empty parts. TVM's importer keeps one, and gives
        // the last of several a negative length.
        let part = (length / count + i64::from(length % count != 0)).max(1);
        let filled = (length / part + i64::from(length % part != 0)).max(1);
        let count = if part.saturating_mul(count - 1) <= length { count } else { filled };
        cx.result(split(x, IntImm::int64(count).into(), axis))
    };
    "unbind.int" => "split, squeeze", |cx| {
        let x = cx.tensor(0)?;
        let axis = cx.int(1, "dim", 0)?;
        let count = length_of(&x, axis)?;
        let mut parts = Vec::new();
        if count == 1 {
            parts.push(cx.emit(squeeze(x, Some(ints(&[axis]))))?);
        } else {
            let whole = cx.emit(split(x, IntImm::int64(count).into(), axis))?;
            for at in 0..usize::try_from(count).unwrap_or(0) {
                parts.push(cx.emit(squeeze(field(&whole, at), Some(ints(&[axis]))))?);
            }
        }
        cx.tuple(parts)
    };
    "meshgrid.default", "meshgrid.indexing" => "reshape, meshgrid", |cx| {
        let tensors = cx.tensors(0, "tensors")?;
        let indexing = cx.text(1, "indexing", "ij")?;
        if let [only] = tensors.as_slice() {
            return Ok(Value::List(vec![only.clone().into()]));
        }
        let mut vectors = Vec::new();
        for tensor in tensors {
            vectors.push(match rank(&tensor)? {
                0 => ops::reshape(tensor, ops::shape(&[1]))?.upcast(),
                _ => tensor,
            });
        }
        cx.result(meshgrid(Tuple::new(vectors).upcast(), Some(indexing.as_str().into())))
    };
    "roll.default" => "reshape, strided_slice, concat", roll;
}

/// The tensors at position 0 with their common element type.
fn same_type(cx: &mut Node<'_, '_>) -> Result<Vec<Expr>, Reason> {
    let tensors = cx.tensors(0, "tensors")?;
    let mut types = tensors.iter().map(dtype_of);
    let first = types.next().ok_or("has no tensors")?;
    let common = types.fold(first, |common, dtype| common_dtype(common, dtype).unwrap_or(common));
    if common.is_void() {
        return Ok(tensors);
    }
    tensors.into_iter().map(|tensor| cx.cast(tensor, common)).collect()
}

/// The length of an axis, which must be known.
pub(super) fn length_of(x: &Expr, axis: i64) -> Result<i64, Reason> {
    let dims = dims(x)?;
    let axis = ops::axis(axis, dims.len())?;
    dims.get(axis)
        .and_then(int_value)
        .ok_or_else(|| Reason(format!("the length of axis {axis} must be known")))
}

fn sections(starts: &[i64]) -> Object {
    int64s(starts).into_object()
}

fn split_in_steps(cx: &mut Node<'_, '_>) -> Converted {
    if cx.ints(1, "split_size")?.is_some_and(|sizes| sizes.len() > 1) {
        let sizes = cx.needed_ints(1, "split_size")?;
        return split_at_sizes(cx, &sizes);
    }
    let x = cx.tensor(0)?;
    let (size, axis) = (cx.needed_int(1, "split_size")?, cx.int(2, "dim", 0)?);
    let length = length_of(&x, axis)?;
    if size < 1 || length / size > MAX_PARTS {
        return Err(Reason(format!("{length} elements cannot be split in parts of {size}")));
    }
    let starts: Vec<i64> = (1..).map(|part| part * size).take_while(|start| *start < length).collect();
    cx.result(split(x, sections(&starts), axis))
}

/// Maximum number of parts.
const MAX_PARTS: i64 = 1 << 16;

fn split_at_sizes(cx: &mut Node<'_, '_>, sizes: &[i64]) -> Converted {
    let (x, axis) = (cx.tensor(0)?, cx.int(2, "dim", 0)?);
    let mut start = 0i64;
    let mut starts = Vec::new();
    for size in sizes.iter().take(sizes.len().saturating_sub(1)) {
        start = start.saturating_add(*size);
        starts.push(start);
    }
    cx.result(split(x, sections(&starts), axis))
}

/// Rotates axes one after the other; without axes, all elements in row-major order.
fn roll(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let shifts = cx.needed_ints(1, "shifts")?;
    match cx.ints(2, "dims")?.filter(|axes| !axes.is_empty()) {
        None => {
            let [shift] = shifts.as_slice() else { return Err("needs one shift without axes".into()) };
            let shape = dims(&x)?;
            let flat = cx.emit(ops::reshape(x, ops::shape(&[-1]))?)?;
            let rolled = rolled_axis(cx, flat, *shift, 0)?;
            reshaped(cx, rolled, shape)
        }
        Some(axes) if axes.len() == shifts.len() => {
            let rank = rank(&x)?;
            let mut value = x;
            for (shift, axis) in shifts.into_iter().zip(axes) {
                value = rolled_axis(cx, value, shift, ops::axis(axis, rank)? as i64)?;
            }
            Ok(value.into())
        }
        Some(_) => Err("needs one shift per axis".into()),
    }
}

fn rolled_axis(cx: &mut Node<'_, '_>, x: Expr, shift: i64, axis: i64) -> Result<Expr, Reason> {
    let length = length_of(&x, axis)?;
    if length == 0 || shift.rem_euclid(length) == 0 {
        return Ok(x);
    }
    let cut = length - shift.rem_euclid(length);
    let one = |value: i64| -> Expr { Tuple::new([int_operand(value)]).upcast() };
    let slice = |x: Expr, begin, end| strided_slice(x, one(axis), one(begin), one(end), Some(one(1)), false);
    let first = cx.emit(slice(x.clone(), 0, cut))?;
    let second = cx.emit(slice(x, cut, length))?;
    cx.emit(concat(Tuple::new([second, first]).upcast(), Some(axis)))
}
