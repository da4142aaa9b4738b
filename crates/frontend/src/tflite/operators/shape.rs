//! Changes of shape and order.

use tvmscript_ir_core::{Object, ObjectLike};
use tvmscript_prim::IntImm;
use tvmscript_relax::op::create::full;
use tvmscript_relax::op::elementwise::{equal, maximum, where_};
use tvmscript_relax::op::join::{concat, flip, split, stack, tile};
use tvmscript_relax::op::nn::resample::pad;
use tvmscript_relax::op::shape::{broadcast_to, expand_dims, permute_dims, squeeze};
use tvmscript_relax::op::tvm_0_27::sequence::reverse_sequence;
use tvmscript_relax::{Expr, Tuple};

use super::super::importer::element;
use super::super::node::{Converted, Node, Output, quantization};
use super::super::schema::{
    Concatenation, MirrorPad, Pack, Reshape, ReverseSequence, SpaceToDepth, Split, Squeeze, Unpack,
};
use super::activation::fused_after;
use super::rows;
use crate::error::Reason;
use crate::ops::{int, int64s, ints, number, reshape, shape};

rows! {
    "BATCH_TO_SPACE_ND": Real batch_to_space => "reshape, permute_dims, strided_slice";
    "BROADCAST_ARGS": Real broadcast_args => "full, concat, equal, maximum, where";
    "BROADCAST_TO": Real broadcast => "broadcast_to";
    "CONCATENATION": Stored concatenation => "concat";
    "DEPTH_TO_SPACE": Real depth_to_space => "reshape, permute_dims";
    "EXPAND_DIMS": Real |cx| {
        let axis = cx.single_int(1, "the axis")?;
        Ok(expand_dims(cx.input(0)?, ints(&[axis])).into())
    } => "expand_dims";
    "MIRROR_PAD": Real mirror_pad => "nn.pad", "the symmetric mode";
    "PACK": Real pack => "expand_dims, concat";
    "PAD": Real padded => "nn.pad";
    "PADV2": Real padded => "nn.pad";
    "RESHAPE": Stored reshaped => "reshape";
    "REVERSE_SEQUENCE": Real |cx| {
        let (sequence, batch) = (cx.int(ReverseSequence::SeqDim, 0)?, cx.int(ReverseSequence::BatchDim, 0)?);
        Ok(reverse_sequence(cx.input(0)?, cx.input(1)?, sequence, batch).into())
    } => "reverse_sequence";
    "REVERSE_V2": Real reversed => "flip";
    "SPACE_TO_BATCH_ND": Real space_to_batch => "nn.pad, reshape, permute_dims";
    "SPACE_TO_DEPTH": Real space_to_depth => "reshape, permute_dims";
    "SPLIT": Real |cx| {
        let (axis, count) = (cx.single_int(0, "the axis")?, cx.int(Split::NumSplits, 0)?);
        let x = cx.input(1)?;
        parts(cx, x, count, axis)
    } => "split";
    "SPLIT_V": Real split_v => "split";
    "SQUEEZE": Real |cx| {
        let axes = cx.list::<i32>(Squeeze::SqueezeDims)?.filter(|axes| !axes.is_empty());
        Ok(squeeze(cx.input(0)?, axes.map(|axes| ints(&axes))).into())
    } => "squeeze";
    "TILE": Real |cx| {
        let repeats = cx.ints(1, "the number of repeats")?;
        Ok(tile(cx.input(0)?, ints(&repeats)).into())
    } => "tile";
    "TRANSPOSE": Real |cx| {
        let axes = Some(cx.ints(1, "the order of axes")?).filter(|axes| !axes.is_empty());
        Ok(permute_dims(cx.input(0)?, axes.map(|axes| ints(&axes))).into())
    } => "permute_dims";
    "UNPACK": Real unpack => "split, squeeze";
}

/// The tensors concatenated along an axis.
pub(super) fn joined(tensors: Vec<Expr>, axis: i64) -> Expr {
    concat(Tuple::new(tensors).upcast(), Some(axis)).upcast()
}

/// The tensors stacked along a new axis.
pub(super) fn stacked(tensors: Vec<Expr>, axis: i64) -> Expr {
    stack(Tuple::new(tensors).upcast(), Some(int(axis))).upcast()
}

/// A number of equal parts, as the second operand of `R.split`.
pub(super) fn sections(count: i64) -> Object {
    IntImm::int64(count).into()
}

/// Equal parts of a tensor along an axis.
fn parts(cx: &mut Node<'_, '_>, x: Expr, count: i64, axis: i64) -> Converted {
    if count < 1 || count != cx.operator.outputs.len() as i64 {
        return Err(Reason(format!("has {} results and {count} parts", cx.operator.outputs.len())));
    }
    Ok(match count {
        1 => x.into(),
        _ => split(x, sections(count), axis).into(),
    })
}

fn split_v(cx: &mut Node<'_, '_>) -> Converted {
    let axis = cx.single_int(2, "the axis")?;
    let mut sizes = cx.ints(1, "the lengths of the parts")?;
    let lengths = cx.shape(0)?;
    let length = lengths.get(crate::ops::axis(axis, lengths.len())?).copied().unwrap_or(0);
    // One length may be left to the importer.
    let known: i64 = sizes.iter().filter(|size| **size > 0).fold(0, |sum, size| sum.saturating_add(*size));
    sizes.iter_mut().filter(|size| **size < 0).for_each(|size| *size = (length - known).max(0));
    let cuts: Vec<i64> = sizes
        .iter()
        .scan(0i64, |end, size| {
            *end = end.saturating_add(*size);
            Some(*end)
        })
        .collect();
    let x = cx.input(0)?;
    Ok(match cuts.split_last() {
        Some((_, [])) | None => x.into(),
        Some((_, cuts)) => split(x, int64s(cuts).into_object(), axis).into(),
    })
}

fn unpack(cx: &mut Node<'_, '_>) -> Converted {
    let (count, axis) = (cx.int(Unpack::Num, 0)?, cx.int(Unpack::Axis, 0)?);
    let x = cx.input(0)?;
    let squeezed = |x| squeeze(x, Some(ints(&[axis]))).upcast();
    if count == 1 {
        return Ok(Output::One(squeezed(x)));
    }
    let outputs = cx.operator.outputs.len();
    if count < 1 || count as usize != outputs {
        return Err(Reason(format!("has {outputs} results and {count} parts")));
    }
    let whole: Expr = split(x, sections(count), axis).upcast();
    Ok((0..outputs).map(|at| squeezed(element(&whole, at))).collect::<Vec<Expr>>().into())
}

fn pack(cx: &mut Node<'_, '_>) -> Converted {
    let axis = cx.int(Pack::Axis, 0)?;
    let parts = cx.all()?.into_iter().map(|part| expand_dims(part, ints(&[axis])).upcast());
    Ok(joined(parts.collect(), axis).into())
}

fn concatenation(cx: &mut Node<'_, '_>) -> Converted {
    let axis = cx.int(Concatenation::Axis, 0)?;
    let activation = cx.choice(Concatenation::FusedActivationFunction)?;
    let parts = (0..cx.operator.inputs.len()).map(|at| cx.real(at)).collect::<Result<Vec<_>, _>>()?;
    let whole = joined(parts, axis);
    Ok(fused_after(cx, whole, activation)?.into())
}

fn reshaped(cx: &mut Node<'_, '_>) -> Converted {
    let lengths = if cx.has(1) && cx.is_constant(1) {
        cx.ints(1, "the shape")?
    } else if cx.has(1) {
        // The model states the result of the shape that is computed.
        cx.output(0)?.dims()
    } else {
        cx.list::<i32>(Reshape::NewShape)?.unwrap_or_default()
    };
    let (input, output) = (cx.tensor(0)?, cx.output(0)?);
    let same = match (quantization(input), quantization(output)) {
        (Some(a), Some(b)) => a.scales == b.scales && a.zero_points == b.zero_points,
        (a, b) => a.is_none() && b.is_none(),
    };
    if same {
        return Ok(reshape(cx.stored(0)?, shape(&lengths))?.into());
    }
    let x = cx.real(0)?;
    let x = cx.normalize(x)?;
    let out = reshape(x, shape(&lengths))?.upcast();
    Ok(cx.quantized(0, out)?.into())
}

fn broadcast(cx: &mut Node<'_, '_>) -> Converted {
    let lengths = match cx.is_constant(1) {
        true => cx.ints(1, "the shape")?,
        false => cx.output(0)?.dims(),
    };
    Ok(broadcast_to(cx.input(0)?, shape(&lengths)).into())
}

/// The shape to which two shapes are broadcast, computed at run time.
fn broadcast_args(cx: &mut Node<'_, '_>) -> Converted {
    let ([a], [b]) = (cx.lengths(0)?, cx.lengths(1)?);
    let dtype = cx.output_dtype(0)?;
    let one = number(dtype, 1.0);
    let longest = a.max(b);
    let (x, y) = (cx.input(0)?, cx.input(1)?);
    let extended = |x: Expr, length: i64| {
        let ones = full(shape(&[longest - length]), one.clone(), Some(dtype)).upcast();
        joined(vec![ones, x], 0)
    };
    let (x, y) = (extended(x, a), extended(y, b));
    let is_one = |x: &Expr| equal(x.clone(), one.clone()).upcast();
    let rest = where_(is_one(&y), x.clone(), maximum(x.clone(), y.clone()).upcast());
    Ok(where_(is_one(&x), y, rest.upcast()).into())
}

fn reversed(cx: &mut Node<'_, '_>) -> Converted {
    let axes = cx.ints(1, "the axes")?;
    let x = cx.input(0)?;
    Ok(axes.into_iter().fold(x, |x, axis| flip(x, int(axis)).upcast()).into())
}

/// Pairs of elements before and after each axis.
fn pairs(cx: &mut Node<'_, '_>, at: usize, rank: usize) -> Result<Vec<[i64; 2]>, Reason> {
    let flat = cx.ints(at, "the padding")?;
    let pairs: Vec<[i64; 2]> = flat.chunks_exact(2).filter_map(|pair| pair.try_into().ok()).collect();
    match pairs.len() == rank && flat.iter().all(|count| *count >= 0) {
        true => Ok(pairs),
        false => Err(Reason(format!("the padding must be {rank} pairs of numbers that are not negative"))),
    }
}

fn padded(cx: &mut Node<'_, '_>) -> Converted {
    let rank = cx.shape(0)?.len();
    let widths = pairs(cx, 1, rank)?.concat();
    let value = match (cx.has(2), quantization(cx.tensor(0)?)) {
        (false, _) => 0.0,
        (true, None) => cx.single_number(2, "the value")?,
        (true, Some(scales)) => {
            let stored = cx.single_number(2, "the value")?;
            let scale = scales.scales.first().copied().map_or(1.0, f64::from);
            (stored - scales.zero_points.first().copied().unwrap_or(0) as f64) * scale
        }
    };
    Ok(pad(cx.input(0)?, ints(&widths), "constant".into(), value).into())
}

fn mirror_pad(cx: &mut Node<'_, '_>) -> Converted {
    if cx.choice(MirrorPad::Mode)? != 0 {
        return Err("the symmetric mode is not supported".into());
    }
    let rank = cx.shape(0)?.len();
    let widths = pairs(cx, 1, rank)?.concat();
    Ok(pad(cx.input(0)?, ints(&widths), "reflect".into(), 0.0).into())
}

/// The length of blocks, which is positive and divides the lengths.
fn block(cx: &Node<'_, '_>, lengths: &[i64]) -> Result<i64, Reason> {
    // Both operators have their block size in the same slot.
    let block = cx.int(SpaceToDepth::BlockSize, 0)?;
    match block > 0 && lengths.iter().all(|length| length % block == 0) {
        true => Ok(block),
        false => Err(Reason(format!("blocks of {block} do not divide the lengths {lengths:?}"))),
    }
}

/// Splits axes, permutes the parts and joins them.
fn rearranged(x: Expr, parts: &[i64], order: &[i64], lengths: &[i64]) -> Result<Expr, Reason> {
    let split = reshape(x, shape(parts))?;
    let moved = permute_dims(split.upcast(), Some(ints(order)));
    Ok(reshape(moved.upcast(), shape(lengths))?.upcast())
}

fn depth_to_space(cx: &mut Node<'_, '_>) -> Converted {
    let [n, h, w, c] = cx.lengths(0)?;
    let b = block(cx, &[])?;
    let depth = c / b.saturating_mul(b);
    let x = cx.input(0)?;
    let lengths = [n, h.saturating_mul(b), w.saturating_mul(b), depth];
    Ok(rearranged(x, &[n, h, w, b, b, depth], &[0, 1, 3, 2, 4, 5], &lengths)?.into())
}

fn space_to_depth(cx: &mut Node<'_, '_>) -> Converted {
    let [n, h, w, c] = cx.lengths(0)?;
    let b = block(cx, &[h, w])?;
    let x = cx.input(0)?;
    let lengths = [n, h / b, w / b, c.saturating_mul(b).saturating_mul(b)];
    Ok(rearranged(x, &[n, h / b, b, w / b, b, c], &[0, 1, 3, 2, 4, 5], &lengths)?.into())
}

/// The lengths of blocks along the axes after the first, with pairs of padding or crops.
fn blocks(cx: &mut Node<'_, '_>, rank: usize) -> Result<(Vec<i64>, Vec<[i64; 2]>), Reason> {
    let blocks = cx.ints(1, "the lengths of blocks")?;
    let pairs = pairs(cx, 2, blocks.len())?;
    match blocks.len() < rank && blocks.iter().all(|block| *block > 0) {
        true => Ok((blocks, pairs)),
        false => {
            Err("the lengths of blocks must be positive, one for each axis between batch and channels".into())
        }
    }
}

fn space_to_batch(cx: &mut Node<'_, '_>) -> Converted {
    let mut lengths = cx.shape(0)?;
    let rank = lengths.len();
    let (blocks, pads) = blocks(cx, rank)?;
    let count = blocks.len();
    let mut x = cx.input(0)?;
    if pads.iter().flatten().any(|count| *count > 0) {
        let mut widths = vec![0, 0];
        widths.extend(pads.iter().flatten());
        widths.resize(2 * rank, 0);
        x = pad(x, ints(&widths), "constant".into(), 0.0).upcast();
    }
    for (length, [before, after]) in lengths.iter_mut().skip(1).zip(&pads) {
        *length = length.saturating_add(*before).saturating_add(*after);
    }
    // The batch, then each axis as blocks and places in a block, then the rest.
    let (batch, inner) = lengths.split_first().ok_or_else(|| Reason::from("needs a batch"))?;
    let mut parts = vec![*batch];
    let mut results = vec![blocks.iter().fold(*batch, |all, block| all.saturating_mul(*block))];
    for (length, block) in inner.iter().zip(&blocks) {
        if length % block != 0 {
            return Err(Reason(format!("blocks of {block} do not divide the length {length}")));
        }
        parts.extend([length / block, *block]);
        results.push(length / block);
    }
    let rest: Vec<i64> = inner.iter().skip(count).copied().collect();
    parts.extend(&rest);
    results.extend(&rest);
    let within = (0..count).map(|axis| 2 * axis + 2);
    let outside = (0..count).map(|axis| 2 * axis + 1);
    let order = within.chain([0]).chain(outside).chain(2 * count + 1..parts.len());
    let order: Vec<i64> = order.map(|axis| axis as i64).collect();
    Ok(rearranged(x, &parts, &order, &results)?.into())
}

fn batch_to_space(cx: &mut Node<'_, '_>) -> Converted {
    let lengths = cx.shape(0)?;
    let rank = lengths.len();
    let (blocks, crops) = blocks(cx, rank)?;
    let count = blocks.len();
    let (batch, inner) = lengths.split_first().ok_or_else(|| Reason::from("needs a batch"))?;
    let all = blocks.iter().fold(1i64, |all, block| all.saturating_mul(*block));
    // The places in a block, the batch, then the axes.
    let parts: Vec<i64> = blocks.iter().copied().chain([batch / all]).chain(inner.iter().copied()).collect();
    let mut order = vec![count as i64];
    let mut results = vec![batch / all];
    for (axis, (length, block)) in inner.iter().zip(&blocks).enumerate() {
        order.extend([(count + 1 + axis) as i64, axis as i64]);
        results.push(length.saturating_mul(*block));
    }
    order.extend((2 * count + 1..parts.len()).map(|axis| axis as i64));
    results.extend(inner.iter().skip(count));
    let x = cx.input(0)?;
    let x = rearranged(x, &parts, &order, &results)?;
    if crops.iter().flatten().all(|count| *count == 0) {
        return Ok(x.into());
    }
    let axes: Vec<i64> = (1..=count as i64).collect();
    let begins: Vec<i64> = crops.iter().map(|[before, _]| *before).collect();
    let ends = results.iter().skip(1).zip(&crops).map(|(length, [_, after])| length.saturating_sub(*after));
    Ok(super::slice::sliced(x, &axes, &begins, &ends.collect::<Vec<i64>>(), None).into())
}

/// Returns `true` for a square matrix that is its own transpose.
pub(super) fn is_symmetric(values: &[i64], lengths: &[i64]) -> bool {
    let [rows, columns] = lengths else { return false };
    let size = usize::try_from(*rows).unwrap_or(0);
    let at = |row: usize, column: usize| values.get(row * size + column);
    rows == columns && (0..size).all(|row| (0..row).all(|column| at(row, column) == at(column, row)))
}
