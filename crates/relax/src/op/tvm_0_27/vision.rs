//! Object detection.
//!
//! Upstream counterparts: `src/relax/op/vision/{nms,multibox_transform_loc,roi_align,roi_pool}.cc`.

use std::ops::Range;

use crate::analysis::same_dim;
use crate::node::attrs::{
    GetValidCountsAttrs, MultiboxTransformLocAttrs, NonMaximumSuppressionAttrs, ROIAlignAttrs, ROIPoolAttrs,
};
use crate::op::prelude::*;

operators! {
    /// The number of boxes with a sufficient score, the boxes with those first, and their indices.
    get_valid_counts(data: Expr; score_threshold: f64 = 0.0, id_index: i64 = 0, score_index: i64 = 1)
        -> infer(counted), text = "vision.get_valid_counts", attrs = GetValidCountsAttrs;
    /// The boxes that do not overlap better ones: their indices and number, or the boxes themselves.
    non_max_suppression(
        data: Expr, valid_count: Expr, indices: Expr;
        max_output_size: i64 = -1, iou_threshold: f64 = 0.5, force_suppress: bool = false, top_k: i64 = -1,
        coord_start: i64 = 2, score_index: i64 = 1, id_index: i64 = 0, return_indices: bool = true,
        invalid_to_bottom: bool = false, soft_nms_sigma: f64 = 0.0, score_threshold: f64 = 0.0
    ) -> infer(suppressed), text = "vision.non_max_suppression", attrs = NonMaximumSuppressionAttrs;
    /// The boxes that offsets from anchors encode, and the scores of their classes.
    multibox_transform_loc(
        cls_pred: Expr, loc_pred: Expr, anchor: Expr; clip: bool = false, threshold: f64 = 0.0,
        variances: Floats = [1.0, 1.0, 1.0, 1.0], keep_background: bool = true, apply_softmax: bool = true
    ) -> infer(decoded), text = "vision.multibox_transform_loc", attrs = MultiboxTransformLocAttrs;
    /// The data inside regions, interpolated to one size.
    roi_align(
        data: Expr, rois: Expr; pooled_size: Repeated<2>, spatial_scale: f64, sample_ratio: i64 = -1,
        aligned: bool = false, layout: Str = "NCHW", mode: Str = "avg"
    ) -> infer(aligned_regions), text = "vision.roi_align", attrs = ROIAlignAttrs;
    /// The greatest elements of the bins of regions.
    roi_pool(data: Expr, rois: Expr; pooled_size: Repeated<2>, spatial_scale: f64, layout: Str = "NCHW")
        -> infer(pooled_regions), text = "vision.roi_pool", attrs = ROIPoolAttrs;
}

/// The length of an axis, if it is a number.
fn length(x: &TensorStructInfo, axis: usize) -> Option<i64> {
    Some(x.dims()?.get(axis)?.as_node::<IntImm>()?.value)
}

fn all_dims(x: &TensorStructInfo) -> Option<Vec<prim::Expr>> {
    Some(x.dims()?.iter().cloned().collect())
}

/// A tensor on the device of another one, whose dimensions may be unknown.
fn on_device_of(
    x: &TensorStructInfo,
    dims: Option<Vec<prim::Expr>>,
    rank: i64,
    dtype: DataType,
) -> Ref<StructInfo> {
    tensor_with(dims, rank, dtype, x.vdevice.clone())
}

fn check_index(cx: &Infer<'_>, attribute: &'static str, index: i64, range: Range<i64>) -> Checked<()> {
    match range.contains(&index) {
        true => Ok(()),
        false => {
            let what = format!("must be from {} to {}, found {index}", range.start, range.end - 1);
            Err(cx.wrong_attribute(attribute, what))
        }
    }
}

/// Boxes are `(batches, boxes, numbers)`.
fn counted(cx: &mut Infer<'_>) -> Inferred {
    let [boxes] = cx.tensors()?;
    cx.expect_rank(0, &boxes, 3)?;
    let attrs: &GetValidCountsAttrs = cx.attrs()?;
    if let Some(numbers) = length(&boxes, 2) {
        check_index(cx, "score_index", attrs.score_index, 0..numbers)?;
        check_index(cx, "id_index", attrs.id_index, -1..numbers)?;
    }
    let of = |axes: usize, dtype: DataType| {
        let dims = boxes.dims().map(|dims| dims.iter().take(axes).cloned().collect());
        on_device_of(&boxes, dims, axes as i64, dtype)
    };
    Ok(TupleStructInfo::new([of(1, DataType::INT32), of(3, boxes.dtype), of(2, DataType::INT32)]))
}

/// Boxes are `(batches, boxes, numbers)`, counts `(batches,)`, indices `(batches, boxes)`.
fn suppressed(cx: &mut Infer<'_>) -> Inferred {
    let [boxes, counts, indices] = cx.tensors()?;
    for (index, tensor, rank) in [(0, &boxes, 3), (1, &counts, 1), (2, &indices, 2)] {
        cx.expect_rank(index, tensor, rank)?;
        if index > 0 && !tensor.is_unknown_dtype() && tensor.dtype != DataType::INT32 {
            return Err(cx.wrong_dtype(index, "a tensor of `int32`", tensor.dtype));
        }
    }
    for (index, tensor) in [(1, &counts), (2, &indices)] {
        let Some((dims, of_boxes)) = tensor.dims().zip(boxes.dims()) else { continue };
        for (axis, (dim, of_boxes)) in dims.iter().zip(of_boxes.iter()).enumerate() {
            if !same_dim(dim, of_boxes, cx.analyzer) {
                return Err(cx.wrong_shape_at(index, format!("axis {axis} differs from that of the boxes")));
            }
        }
    }
    let attrs: &NonMaximumSuppressionAttrs = cx.attrs()?;
    if let Some(numbers) = length(&boxes, 2) {
        check_index(cx, "score_index", attrs.score_index, 0..numbers)?;
        check_index(cx, "id_index", attrs.id_index, -1..numbers)?;
        check_index(cx, "coord_start", attrs.coord_start, 0..(numbers - 3).max(0))?;
    }
    let data = on_device_of(&boxes, all_dims(&boxes), 3, boxes.dtype);
    if !attrs.return_indices {
        return Ok(data);
    }
    let dims = |last: Option<prim::Expr>| Some(vec![boxes.dims()?[0].clone(), last?]);
    let kept = on_device_of(&boxes, dims(boxes.dims().map(|dims| dims[1].clone())), 2, DataType::INT32);
    let count = on_device_of(&boxes, dims(Some(IntImm::int64(1))), 2, DataType::INT32);
    Ok(match attrs.soft_nms_sigma > 0.0 {
        true => TupleStructInfo::new([data, kept, count]),
        false => TupleStructInfo::new([kept, count]),
    })
}

/// Scores are `(batches, classes, boxes)`, offsets `(batches, 4 * boxes)`, anchors `(1, boxes, 4)`. Dimensions that are
/// not numbers are not checked.
fn decoded(cx: &mut Infer<'_>) -> Inferred {
    let [scores, offsets, anchors] = cx.tensors()?;
    for (index, tensor, rank) in [(0, &scores, 3), (1, &offsets, 2), (2, &anchors, 3)] {
        cx.expect_rank(index, tensor, rank)?;
        if ![scores.dtype, tensor.dtype].contains(&DataType::VOID) && tensor.dtype != scores.dtype {
            let expected = format!("a tensor of the type of the scores, `{}`", scores.dtype);
            return Err(cx.wrong_dtype(index, expected, tensor.dtype));
        }
    }
    if cx.attrs::<MultiboxTransformLocAttrs>()?.variances.len() != 4 {
        return Err(cx.wrong_attribute("variances", "must be 4 numbers"));
    }
    if let Some(found) = length(&offsets, 1).filter(|length| length % 4 != 0) {
        return Err(cx.wrong_shape_at(1, format!("expected 4 offsets per box, found {found} in all")));
    }
    let boxes = length(&scores, 2);
    for (index, tensor, axis, expected) in [
        (1, &offsets, 0, length(&scores, 0)),
        (1, &offsets, 1, boxes.and_then(|boxes| boxes.checked_mul(4))),
        (2, &anchors, 0, Some(1)),
        (2, &anchors, 1, boxes),
        (2, &anchors, 2, Some(4)),
    ] {
        if let (Some(found), Some(expected)) = (length(tensor, axis), expected)
            && found != expected
        {
            return Err(
                cx.wrong_shape_at(index, format!("axis {axis} must have length {expected}, found {found}"))
            );
        }
    }
    let decoded = scores.dims().map(|dims| vec![dims[0].clone(), dims[2].clone(), IntImm::int64(4)]);
    let of_classes = all_dims(&scores);
    Ok(TupleStructInfo::new([decoded, of_classes].map(|dims| on_device_of(&scores, dims, 3, scores.dtype))))
}

fn aligned_regions(cx: &mut Infer<'_>) -> Inferred {
    let attrs: &ROIAlignAttrs = cx.attrs()?;
    if !["avg", "max"].contains(&attrs.mode.as_str()) {
        return Err(cx.wrong_attribute("mode", format!("must be `avg` or `max`, found `{}`", attrs.mode)));
    }
    let is_channels_last = match attrs.layout.as_str() {
        "NCHW" => false,
        "NHWC" => true,
        other => {
            return Err(cx.wrong_attribute("layout", format!("must be `NCHW` or `NHWC`, found `{other}`")));
        }
    };
    regions(cx, &attrs.pooled_size, is_channels_last)
}

fn pooled_regions(cx: &mut Infer<'_>) -> Inferred {
    let attrs: &ROIPoolAttrs = cx.attrs()?;
    if attrs.layout.as_str() != "NCHW" {
        return Err(cx.wrong_attribute("layout", format!("must be `NCHW`, found `{}`", attrs.layout)));
    }
    regions(cx, &attrs.pooled_size, false)
}

/// Regions are `(regions, 5)`: the index of the batch, then two corners.
fn regions(cx: &Infer<'_>, pooled_size: &Ints, is_channels_last: bool) -> Inferred {
    let [data, regions] = cx.tensors()?;
    cx.expect_rank(0, &data, 4)?;
    cx.expect_rank(1, &regions, 2)?;
    if let Some(found) = length(&regions, 1).filter(|found| *found != 5) {
        return Err(cx.wrong_shape_at(1, format!("expected 5 numbers per region, found {found}")));
    }
    let dims = data.dims().zip(regions.dims()).map(|(data, regions)| {
        let sides = wide(pooled_size);
        let mut dims: Vec<prim::Expr> = vec![regions[0].clone()];
        dims.extend(sides.iter().map(|side| side.clone().upcast()));
        let (at, channels) = if is_channels_last { (dims.len(), &data[3]) } else { (1, &data[1]) };
        dims.insert(at, channels.clone());
        dims
    });
    Ok(on_device_of(&data, dims, 4, data.dtype))
}
