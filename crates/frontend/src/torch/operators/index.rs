//! Indexing and slicing.

use tvmscript_ir_core::{DataType, structural_equal};
use tvmscript_prim::{self as prim, IntImm, ops as scalar, ops::int_value};
use tvmscript_relax::op::index::{gather_elements, index_tensor, strided_slice, take};
use tvmscript_relax::op::shape::{broadcast_to, nonzero, permute_dims, squeeze};
use tvmscript_relax::{Expr, Tuple};

use super::super::node::{Node, scalar_of};
use super::super::value::{Converted, Value};
use super::rows;
use super::search::cast_to_matrix;
use super::shape::shape_expr;
use crate::error::Reason;
use crate::ops::{self, dims, dims_of, dtype_of, int64_number, ints, lengths_of, rank};

rows! { "aten.":
    "slice.Tensor" => "strided_slice", slice;
    "select.int" => "take", select;
    "narrow.default" => "strided_slice", narrow;
    "index.Tensor", "_unsafe_index.Tensor" => "take, permute_dims, index_tensor" ("masks"), index;
    "index_select.default" => "take", |cx| {
        let (x, axis, index) = (cx.tensor(0)?, cx.needed_int(1, "dim")?, cx.tensor(2)?);
        cx.result(take(x, index, Some(axis), "fast".into()))
    };
    "gather.default" => "gather_elements", |cx| {
        let (x, axis, index) = (cx.tensor(0)?, cx.int(1, "dim", 0)?, cx.tensor(2)?);
        cx.result(gather_elements(x, index, axis))
    };
    "take.default" => "astype, reshape, take", |cx| {
        let (x, index) = (cx.tensor(0)?, cx.tensor(1)?);
        let index = cx.emit(tvmscript_relax::op::datatype::astype(index, DataType::INT32))?;
        let x = match rank(&x)? {
            1 => x,
            _ => cx.emit(ops::reshape(x, ops::shape(&[-1]))?)?,
        };
        cx.result(take(x, index, None, "fast".into()))
    };
    "masked_select.default" => "broadcast_to, reshape, nonzero, match_cast, squeeze, take", masked_select;
}

/// The end of a slice without an end.
const MAX: i64 = i64::MAX;

fn one(value: prim::Expr) -> Expr {
    Tuple::new([scalar_of(value)]).upcast()
}

/// A slice along an axis.
fn sliced(x: Expr, axis: i64, begin: prim::Expr, end: prim::Expr, step: Option<prim::Expr>) -> Expr {
    strided_slice(x, one(IntImm::int64(axis)), one(begin), one(end), step.map(one), false).upcast()
}

/// The only length of an argument, with a default.
fn bound(cx: &mut Node<'_, '_>, at: usize, name: &str, default: i64) -> Result<prim::Expr, Reason> {
    let dims = cx.dims(at, name)?;
    Ok(dims.and_then(|mut dims| dims.pop()).unwrap_or_else(|| IntImm::int64(default)))
}

/// A slice that takes all is left out.
fn slice(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let axis = cx.int(1, "dim", 0)?;
    let begin = bound(cx, 2, "start", 0)?;
    let end = bound(cx, 3, "end", MAX)?;
    let step = bound(cx, 4, "step", 1)?;
    if int_value(&begin) == Some(0) && int_value(&step) == Some(1) {
        let is_whole = match (int_value(&end), dims_of(&x)) {
            (Some(end), _) => end == MAX,
            (None, Some(dims)) => {
                let at = ops::axis(axis, dims.len())?;
                dims.get(at).is_some_and(|dim| structural_equal(dim.object(), end.object()))
            }
            (None, None) => false,
        };
        if is_whole {
            return Ok(x.into());
        }
    }
    cx.result(sliced(x, axis, begin, end, Some(step)))
}

/// A position, counted from the front.
fn position(x: &Expr, axis: i64, index: prim::Expr) -> Result<Option<prim::Expr>, Reason> {
    let Some(value) = int_value(&index).filter(|value| *value < 0) else { return Ok(Some(index)) };
    let dims = dims(x)?;
    let length = dims.get(ops::axis(axis, dims.len())?).and_then(int_value);
    Ok(length.map(|length| IntImm::int64(length.saturating_add(value))))
}

/// An element of an axis. TVM reads before the data for negative positions.
fn select(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let axis = cx.needed_int(1, "dim")?;
    let index = cx.dims(2, "index")?.and_then(|mut dims| dims.pop()).ok_or("the index must be stated")?;
    match position(&x, axis, index.clone())? {
        Some(index) => {
            let index = match int_value(&index) {
                Some(index) => int64_number(index),
                None => cx.length_tensor(index, DataType::INT64)?,
            };
            cx.result(take(x, index, Some(axis), "fast".into()))
        }
        None => {
            let at = int_value(&index).unwrap_or(-1);
            let end = if at == -1 { MAX } else { at + 1 };
            let part = cx.emit(sliced(x, axis, index, IntImm::int64(end), Some(IntImm::int64(1))))?;
            cx.result(squeeze(part, Some(ints(&[axis]))))
        }
    }
}

/// A part of a length. TVM takes the length for the end.
fn narrow(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let axis = cx.needed_int(1, "dim")?;
    let begin = bound(cx, 2, "start", 0)?;
    let begin = position(&x, axis, begin)?.ok_or("a negative start needs a known length")?;
    let length = bound(cx, 3, "length", 0)?;
    let end = scalar::add(begin.clone(), length)?;
    cx.result(sliced(x, axis, begin, end, None))
}

fn index(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let mut indices: Vec<(usize, Expr)> = Vec::new();
    let stated = cx.optional_tensors(1, "indices")?;
    let count = stated.len();
    for (axis, index) in stated.into_iter().enumerate() {
        let Some(index) = index else { continue };
        if dtype_of(&index) == DataType::BOOL {
            return Err("a mask as an index is not supported".into());
        }
        // Bytes count as numbers here.
        let index = if dtype_of(&index).is_uint() { cx.cast(index, DataType::INT64)? } else { index };
        indices.push((axis, index));
    }
    match indices.as_slice() {
        [] => return Ok(x.into()),
        [(axis, index)] => {
            let value = take(x, index.clone(), Some(*axis as i64), "fast".into());
            return cx.result(value);
        }
        several if several.len() == count => {
            let all = several.iter().map(|(_, index)| index.clone());
            return cx.result(index_tensor(x, Tuple::new(all).upcast()));
        }
        [(a, rows), (b, columns)] if b - a == 1 && is_column(rows) && is_row(columns) => {
            // An outer product of indices: the axes one after the other, the last one first.
            let mut value = x;
            for (axis, index) in [(*b, columns), (*a, rows)] {
                let index = match rank(index)? {
                    1 => index.clone(),
                    _ => cx.emit(squeeze(index.clone(), None))?,
                };
                value = cx.emit(take(value, index, Some(axis as i64), "fast".into()))?;
            }
            return Ok(value.into());
        }
        _ => {}
    }
    along_some_axes(cx, x, &indices)
}

/// Returns `true` for indices `(n, 1)`.
fn is_column(index: &Expr) -> bool {
    lengths_of(index).is_some_and(|lengths| matches!(lengths.as_slice(), [n, 1] if *n > 1))
}

/// Returns `true` for indices `(n)` and `(1, n)`.
fn is_row(index: &Expr) -> bool {
    lengths_of(index).is_some_and(|lengths| matches!(lengths.as_slice(), [n] | [1, n] if *n > 1))
}

/// Indices of some axes: these axes come first, are indexed together, and the result goes where the first of them was;
/// to the front if the axes are not neighbours.
fn along_some_axes(cx: &mut Node<'_, '_>, x: Expr, indices: &[(usize, Expr)]) -> Converted {
    let count = rank(&x)?;
    let indexed: Vec<usize> = indices.iter().map(|(axis, _)| *axis).collect();
    let rest = (0..count).filter(|axis| !indexed.contains(axis));
    let order: Vec<i64> = indexed.iter().copied().chain(rest).map(|axis| axis as i64).collect();
    let front = cx.emit(permute_dims(x, Some(ints(&order))))?;
    let all = indices.iter().map(|(_, index)| index.clone());
    let value = cx.emit(index_tensor(front, Tuple::new(all).upcast()))?;
    let are_neighbours = indexed.windows(2).all(|pair| matches!(pair, [a, b] if b - a == 1));
    let before = indexed.first().copied().unwrap_or(0);
    if !are_neighbours || before == 0 {
        return Ok(value.into());
    }
    let new = rank(&value)? - (count - indexed.len());
    let order: Vec<i64> = (new..new + before)
        .chain(0..new)
        .chain(new + before..rank(&value)?)
        .map(|axis| axis as i64)
        .collect();
    cx.result(permute_dims(value, Some(ints(&order))))
}

fn masked_select(cx: &mut Node<'_, '_>) -> Converted {
    let (x, mut mask) = (cx.tensor(0)?, cx.tensor(1)?);
    let (of_x, of_mask) = (dims(&x)?, dims(&mask)?);
    let is_equal = of_x.len() == of_mask.len()
        && of_x.iter().zip(&of_mask).all(|(a, b)| structural_equal(a.object(), b.object()));
    if !is_equal {
        let shape = shape_expr(&x)?;
        mask = cx.emit(broadcast_to(mask, shape))?;
    }
    let flat = cx.emit(ops::reshape(x, ops::shape(&[-1]))?)?;
    let mask = cx.emit(ops::reshape(mask, ops::shape(&[-1]))?)?;
    let places = cx.emit(nonzero(mask))?;
    let places = cast_to_matrix(cx, places, 1)?;
    let places = cx.emit(squeeze(places, Some(ints(&[0]))))?;
    Ok(Value::Known(cx.emit(take(flat, places, Some(0), "fast".into()))?))
}
