//! Pooling and its reverse, and rearrangements of pixels and channels.

use tvmscript_ir_core::{Array, Ref, Str};
use tvmscript_prim::{self as prim, IntImm, ops as prim_ops};
use tvmscript_relax::op::create::zeros;
use tvmscript_relax::op::elementwise::{abs, multiply, power};
use tvmscript_relax::op::nn::pool as nn;
use tvmscript_relax::op::nn::resample::pad;
use tvmscript_relax::op::reduce;
use tvmscript_relax::op::scatter::scatter_elements;
use tvmscript_relax::op::shape::permute_dims;
use tvmscript_relax::{Call, Expr};

use super::super::node::{Converted, Node, str};
use super::conv::{Window, image_dims};
use super::rows;
use super::scalar::like;
use crate::error::Reason;
use crate::ops::{dtype_of, int64s, ints, lengths, rank, reshape, shape, shape_of};

rows! {
    "AveragePool" { 1: |cx| {
        let x = cx.input(0)?;
        let counts_pads = cx.flag("count_include_pad");
        Ok(pooled(cx, x, AVERAGE, counts_pads)?.into())
    } } => "nn.avg_pool1d, nn.avg_pool2d or nn.avg_pool3d";
    "DepthToSpace" { 11: depth_to_space } => "reshape, permute_dims";
    "GlobalAveragePool" { 1: |cx| global(cx, reduce::mean) } => "mean";
    "GlobalLpPool" { 2: global_lp_pool } => "abs, power, sum";
    "GlobalMaxPool" { 1: |cx| global(cx, reduce::max) } => "max";
    "LpPool" { 1: lp_pool } => "abs, power, nn.avg_pool2d, multiply";
    "MaxPool" { 1: |cx| {
        if cx.output_count() > 1 {
            return Err("the indices of the greatest elements are not supported".into());
        }
        let x = cx.input(0)?;
        let counts_pads = cx.flag("count_include_pad");
        Ok(pooled(cx, x, MAX, counts_pads)?.into())
    } } => "nn.max_pool1d, nn.max_pool2d or nn.max_pool3d", "the second result";
    "MaxUnpool" { 9: max_unpool } => "zeros, reshape, scatter_elements";
    "SpaceToDepth" { 1: space_to_depth } => "reshape, permute_dims";
}

type Pool = fn(
    Expr,
    Array<Ref<IntImm>>,
    Array<Ref<IntImm>>,
    Array<Ref<IntImm>>,
    Array<Ref<IntImm>>,
    bool,
    bool,
    Str,
    Option<Str>,
) -> Ref<Call>;

/// The operators for 1, 2 and 3 spatial axes, with their layouts.
type Pools = [(Pool, &'static str); 3];

const MAX: Pools = [(nn::max_pool1d, "NCW"), (nn::max_pool2d, "NCHW"), (nn::max_pool3d, "NCDHW")];
const AVERAGE: Pools = [(nn::avg_pool1d, "NCW"), (nn::avg_pool2d, "NCHW"), (nn::avg_pool3d, "NCDHW")];

fn pooled(cx: &Node<'_, '_>, x: Expr, pools: Pools, counts_pads: bool) -> Result<Ref<Call>, Reason> {
    let window = Window::of(cx, &x, None)?;
    let pads = window.resolved_pads(&x)?;
    let (pool, layout) = pools
        .get(window.axes.saturating_sub(1))
        .ok_or_else(|| Reason::from("needs 1, 2 or 3 spatial axes"))?;
    let ceil_mode = cx.flag("ceil_mode");
    let (kernel, strides) = (int64s(&window.kernel), int64s(&window.strides));
    let (pads, dilations) = (int64s(&pads), int64s(&window.dilations));
    Ok(pool(x, kernel, strides, pads, dilations, ceil_mode, counts_pads, str(layout), None))
}

/// The exponent of a norm.
fn exponent(cx: &Node<'_, '_>) -> f64 {
    cx.float("p").or_else(|| cx.int("p").map(|p| p as f64)).unwrap_or(2.0)
}

fn lp_pool(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let p = exponent(cx);
    let powers = cx.emit(power(abs(x.clone()).upcast(), like(&x, p)))?;
    let means = pooled(cx, powers, AVERAGE, true)?.upcast();
    let count = cx.ints("kernel_shape").unwrap_or_default().iter().map(|length| *length as f64).product();
    let sums = multiply(means, like(&x, count)).upcast();
    Ok(power(sums, like(&x, 1.0 / p)).into())
}

fn spatial_axes(x: &Expr) -> Result<Array<Ref<IntImm>>, Reason> {
    let axes: Vec<i64> = (2..rank(x)? as i64).collect();
    Ok(ints(&axes))
}

fn global(cx: &mut Node<'_, '_>, op: super::reduce::Reduction) -> Converted {
    let x = cx.input(0)?;
    let axes = spatial_axes(&x)?;
    Ok(op(x, Some(axes), true).into())
}

fn global_lp_pool(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let (p, axes) = (exponent(cx), spatial_axes(&x)?);
    let powers = power(abs(x.clone()).upcast(), like(&x, p)).upcast();
    let sums = reduce::sum(powers, Some(axes), true).upcast();
    Ok(power(sums, like(&x, 1.0 / p)).into())
}

/// Puts elements back to the places that the indices of a pooling say.
fn max_unpool(cx: &mut Node<'_, '_>) -> Converted {
    let (x, indices) = (cx.input(0)?, cx.input(1)?);
    let window = Window::of(cx, &x, None)?;
    let stated = cx.constant_ints(2, "the shape of the result")?;
    let mut result = lengths(&x)?;
    let (before, after) = window.pads.split_at(window.axes);
    let spatial = result.iter_mut().skip(2).zip(window.kernel.iter().zip(&window.strides));
    for ((length, (kernel, stride)), (before, after)) in spatial.zip(before.iter().zip(after)) {
        *length = length
            .saturating_sub(1)
            .saturating_mul(*stride)
            .saturating_add(*kernel)
            .saturating_sub(before.saturating_add(*after));
    }
    if result.iter().any(|length| *length < 0) {
        return Err("the padding is longer than the result".into());
    }
    let empty = cx.emit(zeros(shape(&result), dtype_of(&x)))?;
    let flat = |value: Expr| Ok::<Expr, Reason>(reshape(value, shape(&[-1]))?.upcast());
    let scattered = scatter_elements(flat(empty)?, flat(indices)?, flat(x)?, 0, str("update")).upcast();
    let unpooled = reshape(scattered, shape(&result))?;
    let Some(stated) = stated.filter(|stated| *stated != result) else { return Ok(unpooled.into()) };
    // The indices count in the smaller result.
    if stated.len() != result.len() || stated.iter().zip(&result).any(|(stated, length)| stated < length) {
        return Err(Reason(format!("the stated shape {stated:?} is smaller than {result:?}")));
    }
    let widths: Vec<i64> =
        stated.iter().zip(&result).flat_map(|(stated, length)| [0, stated - length]).collect();
    Ok(pad(unpooled.upcast(), ints(&widths), str("constant"), 0.0).into())
}

// --- pixels and channels -------------------------------------------------------------------------------------

fn block_size(cx: &Node<'_, '_>) -> Result<prim::Expr, Reason> {
    let size = cx.int("blocksize").filter(|size| (1..1 << 16).contains(size));
    size.map(IntImm::int64).ok_or_else(|| Reason::from("`blocksize` is missing or out of range"))
}

fn depth_to_space(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let [batch, channels, height, width] = image_dims(&x)?;
    let block = block_size(cx)?;
    let square = prim_ops::mul(block.clone(), block.clone())?;
    let depth = prim_ops::floordiv(channels, square)?;
    let (axes, depth_first) = match cx.text("mode").as_deref() {
        None | Some("DCR") => ([0, 3, 4, 1, 5, 2], false),
        Some("CRD") => ([0, 1, 4, 2, 5, 3], true),
        Some(other) => return Err(Reason(format!("the mode `{other}` is neither `DCR` nor `CRD`"))),
    };
    let mut blocks = vec![batch.clone(), block.clone(), block.clone()];
    blocks.insert(if depth_first { 1 } else { 3 }, depth.clone());
    blocks.extend([height.clone(), width.clone()]);
    let split = reshape(x, shape_of(blocks))?.upcast();
    let moved = permute_dims(split, Some(ints(&axes))).upcast();
    let (height, width) = (prim_ops::mul(height, block.clone())?, prim_ops::mul(width, block)?);
    Ok(reshape(moved, shape_of([batch, depth, height, width]))?.into())
}

fn space_to_depth(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let [batch, channels, height, width] = image_dims(&x)?;
    let block = block_size(cx)?;
    let (height, width) =
        (prim_ops::floordiv(height, block.clone())?, prim_ops::floordiv(width, block.clone())?);
    let axes = match cx.text("mode").as_deref() {
        Some("CRD") => [0, 1, 3, 5, 2, 4],
        _ => [0, 3, 5, 1, 2, 4],
    };
    let blocks =
        [batch.clone(), channels.clone(), height.clone(), block.clone(), width.clone(), block.clone()];
    let split = reshape(x, shape_of(blocks))?.upcast();
    let moved = permute_dims(split, Some(ints(&axes))).upcast();
    let depth = prim_ops::mul(prim_ops::mul(channels, block.clone())?, block)?;
    Ok(reshape(moved, shape_of([batch, depth, height, width]))?.into())
}
