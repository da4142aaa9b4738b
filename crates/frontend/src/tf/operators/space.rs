//! Images: blocks of pixels as channels or batches, and other sizes.

use tvmscript_ir_core::{DataType, Str};
use tvmscript_prim::{self as prim, IntImm, ops as dim};
use tvmscript_relax::Expr;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::image::resize2d;
use tvmscript_relax::op::nn::resample::pad;
use tvmscript_relax::op::shape::permute_dims;

use super::super::node::{Converted, Node};
use super::slice::{Range, slice};
use super::{only, rows};
use crate::error::Reason;
use crate::ops::{self, dtype_of, ints, shape_of};

rows! {
    "BatchToSpace", "BatchToSpaceND" => batch_to_space, "reshape, permute_dims, strided_slice", "blocks or crops that are not constant";
    "DepthToSpace" => |cx| depth(cx, false), "reshape, permute_dims, reshape", "`NCHW_VECT_C`";
    "ResizeBilinear" => |cx| resize(cx, "linear"), "image.resize2d", "a size that is not constant";
    "ResizeNearestNeighbor" => |cx| resize(cx, "nearest_neighbor"), "image.resize2d", "a size that is not constant";
    "SpaceToBatch", "SpaceToBatchND" => space_to_batch, "nn.pad, reshape, permute_dims", "blocks or paddings that are not constant";
    "SpaceToDepth" => |cx| depth(cx, true), "reshape, permute_dims, reshape", "`NCHW_VECT_C`";
}

type Dims = Vec<prim::Expr>;

fn times(a: &prim::Expr, factor: i64) -> Result<prim::Expr, Reason> {
    Ok(tvmscript_arith::simplify(&dim::mul(a.clone(), IntImm::int64(factor))?))
}

/// The quotient; lengths that are known must be multiples.
fn over(a: &prim::Expr, divisor: i64) -> Result<prim::Expr, Reason> {
    match dim::int_value(a) {
        _ if divisor < 1 => Err("blocks must be positive".into()),
        Some(length) if length % divisor != 0 => {
            Err(Reason(format!("a length of {length} is not a multiple of the block, {divisor}")))
        }
        _ => Ok(tvmscript_arith::simplify(&dim::floordiv(a.clone(), IntImm::int64(divisor))?)),
    }
}

/// The tensor in one shape, its axes reordered, then in another shape.
fn rearranged(x: Expr, inner: Dims, axes: &[i64], outer: Dims) -> Converted {
    let split = ops::reshape(x, shape_of(inner))?;
    let ordered = permute_dims(split.upcast(), Some(ints(axes)));
    Ok(ops::reshape(ordered.upcast(), shape_of(outer))?.into())
}

/// Moves blocks of pixels to channels, or back.
fn depth(cx: &mut Node<'_, '_>, to_depth: bool) -> Converted {
    let block = cx.int_attr("block_size").filter(|block| (1..=1 << 15).contains(block));
    let block = block.ok_or_else(|| Reason::from("`block_size` must be positive"))?;
    let format = only("data_format", cx.text_attr("data_format"), &["NHWC", "NCHW"])?;
    let x = cx.input(0)?;
    let [batch, a, b, c] = <[prim::Expr; 4]>::try_from(ops::dims(&x)?)
        .map_err(|_| Reason::from("needs an operand of rank 4"))?;
    let is_last = format == "NHWC";
    let (height, width, channels) = if is_last { (a, b, c) } else { (b, c, a) };
    let side = || IntImm::int64(block);
    let area = block * block;
    let outer = |height, width, channels| match is_last {
        true => vec![batch.clone(), height, width, channels],
        false => vec![batch.clone(), channels, height, width],
    };
    if to_depth {
        let (down, across) = (over(&height, block)?, over(&width, block)?);
        let result = outer(down.clone(), across.clone(), times(&channels, area)?);
        return match is_last {
            true => {
                let inner = vec![batch.clone(), down, side(), across, side(), channels];
                rearranged(x, inner, &[0, 1, 3, 2, 4, 5], result)
            }
            false => {
                let inner = vec![batch.clone(), channels, down, side(), across, side()];
                rearranged(x, inner, &[0, 3, 5, 1, 2, 4], result)
            }
        };
    }
    let fewer = over(&channels, area)?;
    let result = outer(times(&height, block)?, times(&width, block)?, fewer.clone());
    match is_last {
        true => {
            let inner = vec![batch.clone(), height, width, side(), side(), fewer];
            rearranged(x, inner, &[0, 1, 3, 2, 4, 5], result)
        }
        false => {
            let inner = vec![batch.clone(), side(), side(), fewer, height, width];
            rearranged(x, inner, &[0, 3, 4, 1, 5, 2], result)
        }
    }
}

/// The sizes of blocks, and two numbers for each axis that has them.
fn blocks(cx: &Node<'_, '_>, what: &str) -> Result<(Vec<i64>, Vec<[i64; 2]>), Reason> {
    // The older operators have one block size for both axes.
    let (blocks, pairs) = match cx.int_attr("block_size") {
        Some(size) => (vec![size; 2], cx.ints(1, what)?),
        None => (cx.ints(1, "the sizes of blocks")?, cx.ints(2, what)?),
    };
    let pairs: Vec<[i64; 2]> = pairs.chunks_exact(2).filter_map(|pair| pair.try_into().ok()).collect();
    let is_good = pairs.len() == blocks.len()
        && pairs.iter().flatten().all(|count| *count >= 0)
        && blocks.iter().all(|block| (1..=1 << 30).contains(block));
    match is_good {
        true => Ok((blocks, pairs)),
        false => Err(Reason(format!("the sizes of blocks and {what} do not go together"))),
    }
}

fn product(blocks: &[i64]) -> Result<i64, Reason> {
    let product = blocks.iter().try_fold(1i64, |all, block| all.checked_mul(*block));
    product.ok_or_else(|| "the blocks are too large".into())
}

fn space_to_batch(cx: &mut Node<'_, '_>) -> Converted {
    let (blocks, paddings) = blocks(cx, "the paddings")?;
    let mut x = cx.input(0)?;
    let rank = ops::rank(&x)?;
    let count = blocks.len();
    if paddings.iter().flatten().any(|count| *count > 0) {
        let mut widths = vec![0; 2];
        widths.extend(paddings.iter().flatten());
        widths.resize(2 * rank.max(count + 1), 0);
        x = cx.step(pad(x, ints(&widths), Str::from("constant"), 0.0))?;
    }
    let dims = ops::dims(&x)?;
    let (Some(batch), Some(spatial), Some(rest)) = (dims.first(), dims.get(1..=count), dims.get(count + 1..))
    else {
        return Err("has more blocks than axes".into());
    };
    let mut inner = vec![batch.clone()];
    let mut outer = vec![times(batch, product(&blocks)?)?];
    let mut axes: Vec<i64> = (0..count as i64).map(|i| 2 * i + 2).collect();
    axes.push(0);
    for (i, (length, block)) in spatial.iter().zip(&blocks).enumerate() {
        let places = over(length, *block)?;
        inner.extend([places.clone(), IntImm::int64(*block)]);
        outer.push(places);
        axes.push(2 * i as i64 + 1);
    }
    axes.extend((0..rest.len() as i64).map(|i| 2 * count as i64 + 1 + i));
    inner.extend(rest.iter().cloned());
    outer.extend(rest.iter().cloned());
    rearranged(x, inner, &axes, outer)
}

fn batch_to_space(cx: &mut Node<'_, '_>) -> Converted {
    let (blocks, crops) = blocks(cx, "the crops")?;
    let x = cx.input(0)?;
    let dims = ops::dims(&x)?;
    let count = blocks.len();
    let (Some(batch), Some(spatial), Some(rest)) = (dims.first(), dims.get(1..=count), dims.get(count + 1..))
    else {
        return Err("has more blocks than axes".into());
    };
    let batch = over(batch, product(&blocks)?)?;
    let mut inner: Dims = blocks.iter().map(|block| IntImm::int64(*block)).collect();
    inner.push(batch.clone());
    inner.extend(spatial.iter().chain(rest).cloned());
    let mut outer = vec![batch];
    let mut axes = vec![count as i64];
    let mut ranges = Vec::new();
    for (i, ((length, block), [first, last])) in spatial.iter().zip(&blocks).zip(&crops).enumerate() {
        axes.extend([(count + 1 + i) as i64, i as i64]);
        let length = times(length, *block)?;
        if *first > 0 || *last > 0 {
            let end = tvmscript_arith::simplify(&dim::sub(length.clone(), IntImm::int64(*last))?);
            ranges.push(Range::until(i + 1, *first, end));
        }
        outer.push(length);
    }
    axes.extend((0..rest.len()).map(|i| (2 * count + 1 + i) as i64));
    outer.extend(rest.iter().cloned());
    let value = rearranged(x, inner, &axes, outer)?;
    match value {
        super::super::node::Output::One(value) if !ranges.is_empty() => Ok(slice(value, &ranges).into()),
        other => Ok(other),
    }
}

fn resize(cx: &mut Node<'_, '_>, method: &str) -> Converted {
    let size = cx.ints(1, "the size")?;
    let x = cx.input(0)?;
    if size.len() != 2 || size.iter().any(|length| *length < 1) {
        return Err("the size must be two positive numbers".into());
    }
    let is_nearest = method == "nearest_neighbor";
    let (mode, rounding) = match (cx.flag("align_corners"), cx.flag("half_pixel_centers")) {
        (true, _) => ("align_corners", "round_prefer_ceil"),
        (false, true) => ("half_pixel", "round_prefer_ceil"),
        (false, false) => ("asymmetric", "floor"),
    };
    let rounding = if is_nearest { rounding } else { "" };
    // Interpolation is done in floating-point numbers.
    let x = match !is_nearest && !dtype_of(&x).is_any_float() {
        true => astype(x, DataType::FLOAT32).upcast(),
        false => x,
    };
    let [layout, method, mode, rounding] = ["NHWC", method, mode, rounding].map(Str::from);
    Ok(resize2d(x, ops::shape(&size), None, layout, method, mode, rounding, -0.75, 0, 0.0, None).into())
}
