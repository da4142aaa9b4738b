//! Sequences, which are tuples during the conversion, and optional values.

use tvmscript_ir_core::DataType;
use tvmscript_prim::ops::int_value;
use tvmscript_relax::op::join::{concat, split};
use tvmscript_relax::op::shape::{expand_dims, squeeze};
use tvmscript_relax::{Expr, Tuple, TupleStructInfo, struct_info_of};

use super::super::node::{Converted, Node, Output};
use super::join::{parts, starts};
use super::rows;
use crate::error::Reason;
use crate::ops::{self, axis, dims, field, int64_number, ints, number};

rows! {
    "ConcatFromSequence" { 11: concatenated } => "concat; expand_dims";
    "Optional" { 15: |cx| Ok(cx.optional(0).map_or(Output::Empty, Output::Whole)) } => "the operand";
    "OptionalGetElement" { 15: |cx| {
        cx.optional(0).map(Output::Whole).ok_or_else(|| "the optional value is empty".into())
    } } => "the operand";
    "OptionalHasElement" { 15: |cx| {
        Ok(number(DataType::BOOL, if cx.optional(0).is_some() { 1.0 } else { 0.0 }).into())
    } } => "a constant";
    "SequenceAt" { 11: at } => "an element of a tuple", "positions known at run time";
    "SequenceConstruct" { 11: |cx| {
        let items = (0..cx.inputs.len()).map(|at| cx.tensor(at)).collect::<Result<_, _>>()?;
        sequence(cx, items)
    } } => "a tuple";
    "SequenceEmpty" { 11: |cx| sequence(cx, Vec::new()) } => "a tuple";
    "SequenceErase" { 11: erased } => "a tuple", "positions known at run time";
    "SequenceInsert" { 11: inserted } => "a tuple", "positions known at run time";
    "SequenceLength" { 11: |cx| Ok(int64_number(items(cx)?.len() as i64).into()) } => "a constant";
    "SplitToSequence" { 11: divided } => "split; squeeze", "lengths known at run time";
}

fn sequence(cx: &mut Node<'_, '_>, items: Vec<Expr>) -> Converted {
    match cx.graph().affords(items.len().saturating_mul(ITEM_BYTES)) {
        true => Ok(Output::Whole(Tuple::new(items).upcast())),
        false => Err(Reason(format!("the sequence of {} tensors would be too large", items.len()))),
    }
}

/// Memory of an element of a sequence, about.
const ITEM_BYTES: usize = 256;

/// The elements of the first operand, a sequence whose length is known.
fn items(cx: &Node<'_, '_>) -> Result<Vec<Expr>, Reason> {
    let value = cx.input(0)?;
    if let Some(tuple) = value.as_node::<Tuple>() {
        return Ok(tuple.fields.iter().cloned().collect());
    }
    let info = struct_info_of(&value);
    match info.as_ref().and_then(|info| info.as_node::<TupleStructInfo>()) {
        // Elements come from the operator that made the tuple.
        Some(tuple) => {
            Ok((0..tuple.fields.len()).map(|index| field(&value, index).with_span(value.span())).collect())
        }
        None => Err("needs a sequence of known length".into()),
    }
}

/// A constant position in a sequence; one below 0 counts from `length`.
fn position(cx: &mut Node<'_, '_>, index: usize, length: usize) -> Result<Option<usize>, Reason> {
    let Some(stated) = cx.constant_number(index, "the position")? else { return Ok(None) };
    let length = length as i64;
    let stated = stated as i64;
    let found = if stated < 0 { stated.saturating_add(length) } else { stated };
    match usize::try_from(found).ok().filter(|_| found <= length) {
        Some(found) => Ok(Some(found)),
        None => Err(Reason(format!("the position {stated} is outside a sequence of {length}"))),
    }
}

fn at(cx: &mut Node<'_, '_>) -> Converted {
    let items = items(cx)?;
    let position = position(cx, 1, items.len())?.ok_or("the position is missing")?;
    let item = items
        .get(position)
        .ok_or_else(|| Reason(format!("the position {position} is outside a sequence of {}", items.len())))?;
    Ok(item.clone().into())
}

fn inserted(cx: &mut Node<'_, '_>) -> Converted {
    let mut items = items(cx)?;
    let end = items.len();
    let position = position(cx, 2, end)?.unwrap_or(end);
    items.insert(position.min(end), cx.tensor(1)?);
    sequence(cx, items)
}

fn erased(cx: &mut Node<'_, '_>) -> Converted {
    let mut items = items(cx)?;
    let position = position(cx, 1, items.len())?.unwrap_or(items.len().saturating_sub(1));
    if position >= items.len() {
        return Err(Reason(format!("the position {position} is outside a sequence of {}", items.len())));
    }
    items.remove(position);
    sequence(cx, items)
}

fn concatenated(cx: &mut Node<'_, '_>) -> Converted {
    let mut items = items(cx)?;
    let axis = cx.int("axis").unwrap_or(0);
    if cx.flag("new_axis") {
        items = items.into_iter().map(|item| expand_dims(item, ints(&[axis])).upcast()).collect();
    }
    Ok(concat(Tuple::new(items).upcast(), Some(axis)).into())
}

/// Divides a tensor into parts of one length, the last of which may be shorter, or of given lengths.
fn divided(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let stated = cx.int("axis").unwrap_or(0);
    let own = dims(&x)?;
    let length = own.get(axis(stated, own.len())?).and_then(int_value);
    let sizes = cx.constant_ints(1, "the lengths of the parts")?;
    let has_sizes = sizes.is_some();
    let sizes = sizes.unwrap_or_else(|| vec![1]);
    let is_vector = has_sizes && cx.constant(1).is_some_and(|sizes| ops::rank_of(&sizes) == Some(1));
    let sections = match sizes.as_slice() {
        sizes if is_vector && sizes.len() != 1 => starts(sizes),
        [size] if *size > 0 => {
            let length = length.ok_or("needs an axis of known length")?;
            let count = length.div_euclid(*size) + i64::from(length.rem_euclid(*size) != 0);
            let bytes = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(PART_BYTES);
            if !cx.graph().affords(bytes) {
                return Err(Reason(format!("the sequence of {count} tensors would be too large")));
            }
            // Parts of equal length may be shorter than the stated length.
            let is_equal = count > 0 && length.div_euclid(count) + i64::from(length % count != 0) == *size;
            match is_equal {
                true => parts(count),
                false => starts(&vec![*size; count.max(1) as usize]),
            }
        }
        _ => return Err("needs lengths above 0".into()),
    };
    let all: Expr = split(x, sections, stated).upcast();
    if has_sizes || cx.int("keepdims").unwrap_or(1) != 0 {
        return Ok(Output::Whole(all));
    }
    let all = cx.emit(all)?;
    let info = struct_info_of(&all);
    let count =
        info.as_ref().and_then(|info| info.as_node::<TupleStructInfo>()).map_or(0, |t| t.fields.len());
    let mut items = Vec::new();
    for index in 0..count {
        let item = cx.emit(field(&all, index))?;
        items.push(squeeze(item, Some(ints(&[stated]))).upcast());
    }
    sequence(cx, items)
}

/// Memory of a part of a tensor with its type, about.
const PART_BYTES: usize = 1 << 10;
