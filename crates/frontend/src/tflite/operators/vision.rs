//! Object detection and resized images.

use tvmscript_ir_core::Ref;
use tvmscript_relax::op::elementwise::clip;
use tvmscript_relax::op::image::resize2d;
use tvmscript_relax::op::index::take;
use tvmscript_relax::op::shape::{expand_dims, squeeze};
use tvmscript_relax::op::tvm_0_27::vision::{get_valid_counts, non_max_suppression};
use tvmscript_relax::{Call, Expr};

use super::super::importer::element;
use super::super::node::{Converted, Node, Output};
use super::super::schema::{ResizeBilinear, ResizeNearestNeighbor};
use super::rows;
use super::shape::joined;
use super::slice::sliced;
use crate::error::Reason;
use crate::ops::{float_operand, int_operand, ints, reshape, shape};

rows! {
    "NON_MAX_SUPPRESSION_V4": Stored |cx| suppressed(cx, false)
        => "vision.get_valid_counts, vision.non_max_suppression, strided_slice";
    "NON_MAX_SUPPRESSION_V5": Stored |cx| suppressed(cx, true)
        => "vision.get_valid_counts, vision.non_max_suppression, strided_slice, take";
    "RESIZE_BILINEAR": Real |cx| {
        let corners = cx.flag(ResizeBilinear::AlignCorners)?;
        let half = cx.flag(ResizeBilinear::HalfPixelCenters)?;
        resized(cx, "linear", corners, half)
    } => "image.resize2d";
    "RESIZE_NEAREST_NEIGHBOR": Real |cx| {
        let corners = cx.flag(ResizeNearestNeighbor::AlignCorners)?;
        let half = cx.flag(ResizeNearestNeighbor::HalfPixelCenters)?;
        resized(cx, "nearest_neighbor", corners, half)
    } => "image.resize2d";
}

fn resized(cx: &mut Node<'_, '_>, method: &str, corners: bool, half: bool) -> Converted {
    let size = cx.ints(1, "the size")?;
    if size.len() != 2 {
        return Err("the size must be two lengths".into());
    }
    let transform = match (half, corners) {
        (true, _) => "half_pixel",
        (false, true) => "align_corners",
        (false, false) => "asymmetric",
    };
    let [_, height, width, _] = cx.lengths(0)?;
    // TFLite rounds halves up, TVM to the even neighbour unless it is told to.
    let has_halves = || size.iter().zip([height, width]).any(|(result, length)| has_half(length, *result));
    let rounding = match method {
        "linear" => "",
        _ if half && !corners || corners && has_halves() => "round_prefer_ceil",
        _ => "",
    };
    let x = cx.input(0)?;
    let (layout, method) = ("NHWC".into(), method.into());
    let (transform, rounding) = (transform.into(), rounding.into());
    Ok(resize2d(x, shape(&size), None, layout, method, transform, rounding, -0.75, 0, 0.0, None).into())
}

/// Returns `true` if an index of the result lies halfway between two of the operand, with the corners aligned.
fn has_half(length: i64, result: i64) -> bool {
    // Halves are odd multiples of the reduced step, if its denominator is even.
    let (mut a, mut b) = ((length - 1).max(0), (result - 1).max(0));
    let steps = b;
    while b != 0 {
        (a, b) = (b, a % b);
    }
    steps != 0 && a != 0 && steps / a % 2 == 0
}

/// The best boxes that do not overlap better ones. The operands are boxes, scores, their number, thresholds of overlap and
/// score, and with `has_scores` the deviation for softer scores; then the scores are a result, too.
fn suppressed(cx: &mut Node<'_, '_>, has_scores: bool) -> Converted {
    let [count, _] = cx.lengths(0)?;
    let limit = cx.single_int(2, "the number of boxes")?;
    let overlap = cx.single_number(3, "the threshold of overlap")?;
    let least = cx.single_number(4, "the threshold of scores")?;
    let sigma = if has_scores { cx.single_number(5, "the deviation")? } else { 0.0 };
    let (boxes, scores) = (cx.input(0)?, cx.input(1)?);
    let column = expand_dims(scores.clone(), ints(&[-1])).upcast();
    let rows = expand_dims(joined(vec![column, boxes], -1), ints(&[0]));
    let valid: Expr = get_valid_counts(rows.upcast(), least, -1, 0).upcast();
    let valid = cx.normalize(valid)?;
    let [counts, data, indices] = [0, 1, 2].map(|at| element(&valid, at));
    let least = if has_scores { least } else { 0.0 };
    let found: Ref<Call> = non_max_suppression(
        data, counts, indices, limit, overlap, true, -1, 1, 0, -1, true, false, sigma, least,
    );
    let found = cx.normalize(found)?;
    let is_soft = sigma > 0.0;
    let first = usize::from(is_soft);
    let first_of = |x: Expr| sliced(x, &[0], &[0], &[limit], None);
    let selected = first_of(squeeze(element(&found, first), Some(ints(&[0]))).upcast());
    let number = reshape(element(&found, first + 1), shape(&[]))?.upcast();
    if !has_scores {
        return Ok(Output::Many(vec![selected, number]));
    }
    let scores = if is_soft {
        let data = squeeze(element(&found, 0), Some(ints(&[0]))).upcast();
        let column = squeeze(sliced(data, &[1], &[0], &[1], None), Some(ints(&[1]))).upcast();
        let bounds = (float_operand(0.0), float_operand(f64::from(f32::MAX)));
        clip(first_of(column), bounds.0, bounds.1).upcast()
    } else {
        let last = count.checked_sub(1).filter(|last| *last >= 0);
        let last = last.ok_or_else(|| Reason::from("needs at least one box"))?;
        let safe = clip(selected.clone(), int_operand(0), int_operand(last));
        take(scores, safe.upcast(), Some(0), "fast".into()).upcast()
    };
    Ok(Output::Many(vec![selected, scores, number]))
}
