//! Images: grids, regions and boxes.

use tvmscript_ir_core::DataType;
use tvmscript_relax::evaluate::Tensor;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::{add, divide, subtract};
use tvmscript_relax::op::image::{all_class_non_max_suppression, grid_sample};
use tvmscript_relax::op::join::{concat, split};
use tvmscript_relax::op::shape::{expand_dims, permute_dims};
use tvmscript_relax::op::tvm_0_27::image::affine_grid;
use tvmscript_relax::op::tvm_0_27::vision::{roi_align, roi_pool};
use tvmscript_relax::{Call, Constant, Expr, ShapeExpr, Tuple};

use super::super::node::{Converted, Node};
use super::join::parts;
use super::rows;
use crate::error::Reason;
use crate::ops::{self, dtype_of, field, ints, lengths_of, number, rank, reshape};

rows! {
    "AffineGrid" { 20: affine_grid_ } => "image.affine_grid, permute_dims", "a size known at run time";
    "AllClassNMS" { 1: |cx| Ok(suppressed(cx)?.into()) } => "vision.all_class_non_max_suppression";
    "GridSample" { 16: grid_sample_ } => "permute_dims, image.grid_sample", "cubic sampling of volumes";
    "MaxRoiPool" { 1: max_roi_pool } => "vision.roi_pool";
    "NonMaxSuppression" { 10: |cx| {
        let found = suppressed(cx)?;
        Ok(cx.emit(field(&found, 0))?.into())
    } } => "vision.all_class_non_max_suppression";
    "RoiAlign" { 10: |cx| aligned(cx, "output_half_pixel"), 16: |cx| aligned(cx, "half_pixel") } => "vision.roi_align";
}

// --- grids -------------------------------------------------------------------------------------------------------

fn grid_sample_(cx: &mut Node<'_, '_>) -> Converted {
    let (x, grid) = (cx.tensor(0)?, cx.tensor(1)?);
    let method = match cx.word("mode", "linear", &["linear", "bilinear", "cubic", "bicubic", "nearest"])? {
        "linear" => "bilinear",
        "cubic" => "bicubic",
        other => other,
    };
    let (axes, layout): (&[i64], _) = match rank(&x)? {
        4 => (&[0, 3, 1, 2], "NCHW"),
        5 if method == "bicubic" => return Err("volumes cannot be sampled with cubic interpolation".into()),
        5 => (&[0, 4, 1, 2, 3], "NCDHW"),
        rank => return Err(Reason(format!("needs an operand of rank 4 or 5, not {rank}"))),
    };
    let padding = cx.word("padding_mode", "zeros", &["zeros", "border", "reflection"])?;
    let grid: Expr = permute_dims(grid, Some(ints(axes))).upcast();
    let is_aligned = cx.flag("align_corners");
    let found =
        grid_sample(x.clone(), grid.clone(), method.into(), layout.into(), padding.into(), is_aligned);
    let found = cx.normalize(found)?;
    // Before TVM 0.27, inference takes the grid for one whose last axis has the coordinates, and so does ours.
    let sides = ops::dims_of(&cx.normalize(grid)?).unwrap_or_default();
    match (found.clone().downcast::<Call>(), ops::dims_of(&x)) {
        (Ok(mut call), Some(own)) if sides.len() == own.len() => {
            let dims = own.iter().take(2).chain(sides.iter().skip(2)).cloned();
            call.make_mut().struct_info_ = Some(ops::tensor_of(dims, dtype_of(&x)).into());
            Ok(call.into())
        }
        _ => Ok(found.into()),
    }
}

fn affine_grid_(cx: &mut Node<'_, '_>) -> Converted {
    let theta = cx.tensor(0)?;
    // TVM compiles sizes of numbers alone.
    let size = cx.constant_ints(1, "the size")?.ok_or("the size is missing")?;
    let sides = match size.as_slice() {
        [_, _, sides @ ..] if matches!(sides.len(), 2 | 3) => sides,
        _ => return Err(Reason(format!("needs a size of 4 or 5 lengths, not {}", size.len()))),
    };
    let grid = cx.emit(affine_grid(theta, ops::shape(sides), cx.flag("align_corners")))?;
    let axes: Vec<i64> = std::iter::once(0).chain(2..size.len() as i64).chain([1]).collect();
    Ok(cx.emit(permute_dims(grid, Some(ints(&axes))))?.into())
}

// --- regions and boxes -------------------------------------------------------------------------------------------

fn aligned(cx: &mut Node<'_, '_>, default: &'static str) -> Converted {
    let (x, mut regions, batches) = (cx.tensor(0)?, cx.tensor(1)?, cx.tensor(2)?);
    let dtype = dtype_of(&regions);
    let mode = cx.word("mode", "avg", &["avg", "max"])?;
    if mode == "max" {
        cx.warn("TVM takes the greatest interpolated element, ONNX the greatest weighted one");
    }
    let coordinates = ["half_pixel", "output_half_pixel"];
    let is_aligned = cx.word("coordinate_transformation_mode", default, &coordinates)? == "half_pixel";
    if is_aligned {
        let offset = Constant::new(Tensor::of_floats(dtype, vec![4], [-0.5; 4]).encode()).upcast();
        regions = add(regions, offset).upcast();
    }
    let batches = astype(expand_dims(batches, ints(&[1])).upcast(), dtype).upcast();
    let regions = concat(Tuple::new([batches, regions]).upcast(), Some(1)).upcast();
    let size = ints(&[cx.int("output_height").unwrap_or(1), cx.int("output_width").unwrap_or(1)]);
    let scale = cx.float("spatial_scale").unwrap_or(1.0);
    let ratio = cx.int("sampling_ratio").unwrap_or(0);
    Ok(roi_align(x, regions, size, scale, ratio, is_aligned, "NCHW".into(), mode.into()).into())
}

fn max_roi_pool(cx: &mut Node<'_, '_>) -> Converted {
    let size = cx.ints("pooled_shape").filter(|size| size.len() == 2);
    let size = size.ok_or("needs a `pooled_shape` of two lengths")?;
    let scale = cx.float("spatial_scale").unwrap_or(1.0);
    Ok(roi_pool(cx.tensor(0)?, cx.tensor(1)?, ints(&size), scale, "NCHW".into()).into())
}

/// The boxes that do not overlap better ones, and their number.
fn suppressed(cx: &mut Node<'_, '_>) -> Result<Expr, Reason> {
    let (mut boxes, scores) = (cx.tensor(0)?, cx.tensor(1)?);
    let count = limit(cx, 2, DataType::INT64, 0.0)?;
    let overlap = limit(cx, 3, DataType::FLOAT32, 0.5)?;
    let score = limit(cx, 4, DataType::FLOAT32, 0.0)?;
    if cx.flag("center_point_box") {
        let dtype = dtype_of(&boxes);
        let sides = split(boxes, parts(4), 2).upcast();
        let [x, y, width, height] = [0, 1, 2, 3].map(|at| field(&sides, at));
        let half = |length: Expr| -> Expr { divide(length, number(dtype, 2.0)).upcast() };
        let (width, height) = (half(width), half(height));
        let low = |center: &Expr, half: &Expr| -> Expr { subtract(center.clone(), half.clone()).upcast() };
        let high = |center: &Expr, half: &Expr| -> Expr { add(center.clone(), half.clone()).upcast() };
        let corners = [low(&y, &height), low(&x, &width), high(&y, &height), high(&x, &width)];
        boxes = concat(Tuple::new(corners).upcast(), Some(2)).upcast();
    }
    cx.normalize(all_class_non_max_suppression(boxes, scores, count, overlap, score, "onnx".into()))
}

/// A limit of the suppression, as a tensor of rank 0.
fn limit(cx: &mut Node<'_, '_>, index: usize, dtype: DataType, default: f64) -> Result<Expr, Reason> {
    let Some(value) = cx.constant_or_value(index) else { return Ok(number(dtype, default)) };
    if value.is::<Constant>() || value.is::<ShapeExpr>() {
        return match ops::numbers(&value).as_deref() {
            Some([value]) => Ok(number(dtype, *value)),
            _ => Err("a limit must be one number".into()),
        };
    }
    let value = cx.tensor(index)?;
    if dtype == DataType::INT64 {
        cx.warn("TVM 0.27 compiles a maximum of boxes that is known at run time as if it were all boxes");
    }
    let point = if lengths_of(&value).is_some_and(|dims| dims.is_empty()) {
        value
    } else {
        reshape(value, ops::shape(&[]))?.upcast()
    };
    Ok(if dtype_of(&point) == dtype { point } else { astype(point, dtype).upcast() })
}
