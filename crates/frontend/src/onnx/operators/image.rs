//! Images: other sizes, sampling, regions and boxes.

use tvmscript_ir_core::{Array, DataType, Ref, Span};
use tvmscript_prim::{self as prim, FloatImm, IntImm, ops::int_value};
use tvmscript_relax::evaluate::Tensor;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::{add, divide, subtract};
use tvmscript_relax::op::image::{all_class_non_max_suppression, grid_sample, resize2d};
use tvmscript_relax::op::join::{concat, split};
use tvmscript_relax::op::shape::{expand_dims, permute_dims, squeeze};
use tvmscript_relax::op::tvm_0_27::image::{affine_grid, resize3d};
use tvmscript_relax::op::tvm_0_27::vision::{roi_align, roi_pool};
use tvmscript_relax::{Call, Constant, Expr, ShapeExpr, Tuple};

use super::super::node::{Converted, Node};
use super::join::parts;
use super::rows;
use crate::error::Reason;
use crate::ops::{self, dims, dtype_of, field, ints, lengths_of, number, rank, reshape};

rows! {
    "AffineGrid" { 20: affine_grid_ } => "image.affine_grid, permute_dims", "a size known at run time";
    "AllClassNMS" { 1: |cx| Ok(suppressed(cx)?.into()) } => "vision.all_class_non_max_suppression";
    "GridSample" { 16: grid_sample_ } => "permute_dims, image.grid_sample", "cubic sampling of volumes";
    "MaxRoiPool" { 1: max_roi_pool } => "vision.roi_pool";
    "NonMaxSuppression" { 10: |cx| {
        let found = suppressed(cx)?;
        Ok(cx.emit(field(&found, 0))?.into())
    } } => "vision.all_class_non_max_suppression";
    "Resize" { 10: |cx| resize(cx, Version::Ten), 11: |cx| resize(cx, Version::Eleven) } => "image.resize2d, image.resize3d", "sizes, scales and regions known at run time";
    "RoiAlign" { 10: |cx| aligned(cx, "output_half_pixel"), 16: |cx| aligned(cx, "half_pixel") } => "vision.roi_align";
    "Upsample" { 7: upsample } => "image.resize2d, image.resize3d", "scales known at run time";
}

// --- Resize ------------------------------------------------------------------------------------------------------

/// The two forms of `Resize`: scales as the second operand, or a region, scales or sizes.
#[derive(Clone, Copy, PartialEq)]
enum Version {
    Ten,
    Eleven,
}

/// How a tensor is resized.
struct Resize {
    /// Lengths of the axes but the first two.
    sizes: Vec<prim::Expr>,
    /// The region that is read: starts, then ends.
    region: Vec<f64>,
    method: String,
    coordinates: String,
    rounding: String,
    cubic_alpha: f64,
    cubic_exclude: i64,
    outside: f64,
}

impl Resize {
    fn of(cx: &Node<'_, '_>, sizes: Vec<prim::Expr>, coordinates: &str) -> Resize {
        let method = cx.text("mode").unwrap_or_else(|| "nearest".to_owned());
        Resize {
            region: vec![0.0; 2 * sizes.len()],
            sizes,
            method: if method == "nearest" { "nearest_neighbor".to_owned() } else { method },
            coordinates: coordinates.to_owned(),
            rounding: "round".to_owned(),
            cubic_alpha: -0.75,
            cubic_exclude: 0,
            outside: 0.0,
        }
    }

    fn build(self, x: Expr) -> Converted {
        let region = |order: &[usize]| -> Array<Ref<FloatImm>> {
            let bound = |at: &usize| {
                let value = self.region.get(*at).copied().unwrap_or(0.0);
                Ref::new(FloatImm { span: Span::current(), dtype: DataType::FLOAT32, value })
            };
            order.iter().map(bound).collect()
        };
        let plane = |x: Expr, sizes: Vec<prim::Expr>, region: Array<Ref<FloatImm>>| {
            resize2d(
                x,
                ops::shape_of(sizes),
                Some(region),
                "NCHW".into(),
                self.method.as_str().into(),
                self.coordinates.as_str().into(),
                self.rounding.as_str().into(),
                self.cubic_alpha,
                self.cubic_exclude,
                self.outside,
                None,
            )
        };
        match self.sizes.len() {
            1 => {
                // A line is a plane of one row.
                let sizes = std::iter::once(IntImm::int64(1)).chain(self.sizes.iter().cloned()).collect();
                let line = plane(
                    expand_dims(x, ints(&[2])).upcast(),
                    sizes,
                    region(&[usize::MAX, 0, usize::MAX, 1]),
                );
                Ok(squeeze(line.upcast(), Some(ints(&[2]))).into())
            }
            2 => Ok(plane(x, self.sizes.clone(), region(&[0, 1, 2, 3])).into()),
            3 => Ok(resize3d(
                x,
                ops::shape_of(self.sizes.clone()),
                // Upstream lists the axes of the region from the last to the first.
                Some(region(&[2, 1, 0, 5, 4, 3])),
                "NCDHW".into(),
                self.method.as_str().into(),
                self.coordinates.as_str().into(),
                self.rounding.as_str().into(),
                self.cubic_alpha,
                self.cubic_exclude,
                self.outside,
                None,
            )
            .into()),
            _ => Err("needs an operand of rank 3, 4 or 5".into()),
        }
    }
}

/// The lengths of all axes, scaled and rounded down, in the arithmetic of `float32`.
fn scaled(own: &[prim::Expr], scales: &[f64]) -> Result<Vec<prim::Expr>, Reason> {
    let one = |(dim, scale): (&prim::Expr, &f64)| -> Result<prim::Expr, Reason> {
        if !scale.is_finite() || *scale <= 0.0 {
            return Err(Reason(format!("a scale is {scale}")));
        }
        if let Some(length) = int_value(dim) {
            let length = length as f32 * *scale as f32;
            return match length < (1u64 << 62) as f32 {
                true => Ok(IntImm::int64(length as i64)),
                false => Err(Reason(format!("a length of {length} is too large"))),
            };
        }
        let scale = Ref::new(FloatImm { span: Span::current(), dtype: DataType::FLOAT32, value: *scale });
        let wide = prim::ops::cast(DataType::FLOAT32, dim.clone())?;
        Ok(prim::ops::cast(DataType::INT64, prim::ops::mul(scale.upcast(), wide)?)?)
    };
    own.iter().zip(scales).map(one).collect()
}

/// Checks that the first two axes keep their lengths, and returns the others.
fn spatial(own: &[prim::Expr], all: Vec<prim::Expr>) -> Result<Vec<prim::Expr>, Reason> {
    let changes = |(old, new): (&prim::Expr, &prim::Expr)| match (int_value(old), int_value(new)) {
        (Some(old), Some(new)) => old != new,
        _ => false,
    };
    match own.iter().zip(&all).take(2).any(changes) {
        true => Err("batches and channels cannot be resized".into()),
        false => Ok(all.into_iter().skip(2).collect()),
    }
}

fn resize(cx: &mut Node<'_, '_>, version: Version) -> Converted {
    let x = cx.tensor(0)?;
    let own = dims(&x)?;
    let rank = own.len();
    if !(3..=5).contains(&rank) {
        return Err(Reason(format!("needs an operand of rank 3, 4 or 5, not {rank}")));
    }
    let (scales_at, default) = match version {
        Version::Ten => (1, "asymmetric"),
        Version::Eleven => (2, "half_pixel"),
    };
    let axes = match cx.ints("axes") {
        Some(axes) => axes.iter().map(|at| ops::axis(*at, rank)).collect::<Result<Vec<_>, _>>()?,
        None => (0..rank).collect(),
    };
    let is_given = |values: &Option<Vec<f64>>| values.as_ref().is_some_and(|values| !values.is_empty());
    let scales = cx.constant_numbers(scales_at, "the scales")?;
    let sizes = if version == Version::Ten { None } else { cx.constant_numbers(3, "the sizes")? };
    let all = match (scales, sizes) {
        (scales, Some(sizes)) if !is_given(&scales) => {
            let sizes = fitted(cx, &own, &axes, &sizes)?;
            let mut all = own.clone();
            check_count(&axes, sizes.len())?;
            for (at, size) in axes.iter().zip(&sizes) {
                if let Some(dim) = all.get_mut(*at) {
                    *dim = IntImm::int64(*size);
                }
            }
            all
        }
        (Some(scales), sizes) if !is_given(&sizes) => {
            check_count(&axes, scales.len())?;
            let mut by_axis = vec![1.0; rank];
            for (at, scale) in axes.iter().zip(&scales) {
                if let Some(slot) = by_axis.get_mut(*at) {
                    *slot = *scale;
                }
            }
            scaled(&own, &by_axis)?
        }
        (Some(_), _) => return Err("has both scales and sizes".into()),
        _ => return Err("has neither scales nor sizes".into()),
    };
    let coordinates = cx.text("coordinate_transformation_mode").unwrap_or_else(|| default.to_owned());
    let mut resize = Resize::of(cx, spatial(&own, all)?, &coordinates);
    if version == Version::Eleven {
        resize.region = region(cx, &axes, rank, coordinates == "tf_crop_and_resize")?;
        resize.rounding = cx.text("nearest_mode").unwrap_or_else(|| "round_prefer_floor".to_owned());
    } else {
        resize.rounding = "floor".to_owned();
    }
    resize.cubic_alpha = cx.float("cubic_coeff_a").unwrap_or(-0.75);
    resize.cubic_exclude = cx.int("exclude_outside").unwrap_or(0);
    resize.outside = cx.float("extrapolation_value").unwrap_or(0.0);
    if cx.flag("antialias") {
        cx.warn("`antialias` has no counterpart in Relax and is ignored");
    }
    if cx.flag("exclude_outside") && resize.method == "cubic" {
        cx.warn("TVM computes cubic interpolation with `exclude_outside` otherwise than ONNX");
    }
    resize.build(x)
}

fn check_count(axes: &[usize], found: usize) -> Result<(), Reason> {
    match found == axes.len() {
        true => Ok(()),
        false => Err(Reason(format!("has {found} sizes or scales for {} axes", axes.len()))),
    }
}

/// The sizes of axes, which may be bounds of sizes that keep the aspect ratio.
fn fitted(cx: &Node<'_, '_>, own: &[prim::Expr], axes: &[usize], sizes: &[f64]) -> Result<Vec<i64>, Reason> {
    let policy = cx.text("keep_aspect_ratio_policy").unwrap_or_else(|| "stretch".to_owned());
    if let Some(size) = sizes.iter().find(|size| **size < 0.0) {
        return Err(Reason(format!("a size is {size}")));
    }
    if policy == "stretch" {
        return Ok(sizes.iter().map(|size| *size as i64).collect());
    }
    let lengths: Option<Vec<f64>> =
        axes.iter().map(|at| own.get(*at).and_then(int_value).map(|length| length as f64)).collect();
    let lengths = lengths.ok_or("needs an operand whose dimensions are numbers to keep its aspect ratio")?;
    let ratios = lengths.iter().zip(sizes).map(|(length, size)| size / length);
    let ratio = match policy.as_str() {
        "not_larger" => ratios.fold(f64::INFINITY, f64::min),
        "not_smaller" => ratios.fold(0.0, f64::max),
        other => return Err(Reason(format!("the policy `{other}` is unknown"))),
    };
    Ok(lengths.iter().map(|length| (length * ratio + 0.5).floor() as i64).collect())
}

/// The region of the axes but the first two: starts, then ends.
fn region(cx: &mut Node<'_, '_>, axes: &[usize], rank: usize, is_used: bool) -> Result<Vec<f64>, Reason> {
    let spatial = rank - 2;
    let region = match cx.constant_numbers(1, "the region") {
        Ok(region) => region.unwrap_or_default(),
        Err(reason) if is_used => return Err(reason),
        Err(_) => Vec::new(),
    };
    if region.is_empty() {
        return Ok(vec![0.0; 2 * spatial]);
    }
    if region.len() == 2 * spatial {
        return Ok(region);
    }
    if region.len() != 2 * axes.len() {
        return Err(Reason(format!("has a region of {} bounds for {} axes", region.len(), axes.len())));
    }
    let mut all: Vec<f64> = std::iter::repeat_n(0.0, rank).chain(std::iter::repeat_n(1.0, rank)).collect();
    let (starts, ends) = region.split_at(axes.len());
    for ((at, start), end) in axes.iter().zip(starts).zip(ends) {
        for (slot, bound) in [(*at, start), (at + rank, end)] {
            if let Some(slot) = all.get_mut(slot) {
                *slot = *bound;
            }
        }
    }
    let (starts, ends) = all.split_at(rank);
    Ok(starts.iter().skip(2).chain(ends.iter().skip(2)).copied().collect())
}

fn upsample(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.tensor(0)?;
    let own = dims(&x)?;
    let (scales, is_operand) = match cx.floats("scales") {
        Some(scales) => (scales, false),
        None => (cx.constant_numbers(1, "the scales")?.ok_or("the scales are missing")?, true),
    };
    if scales.len() != own.len() {
        return Err(Reason(format!("has {} scales for an operand of rank {}", scales.len(), own.len())));
    }
    let sizes = spatial(&own, scaled(&own, &scales)?)?;
    let mut resize = Resize::of(cx, sizes, "asymmetric");
    if is_operand {
        resize.rounding = "floor".to_owned();
    }
    resize.build(x)
}

// --- grids -------------------------------------------------------------------------------------------------------

fn grid_sample_(cx: &mut Node<'_, '_>) -> Converted {
    let (x, grid) = (cx.tensor(0)?, cx.tensor(1)?);
    let method = match cx.text("mode").as_deref() {
        None | Some("linear" | "bilinear") => "bilinear".to_owned(),
        Some("cubic" | "bicubic") => "bicubic".to_owned(),
        Some(other) => other.to_owned(),
    };
    let (axes, layout): (&[i64], _) = match rank(&x)? {
        4 => (&[0, 3, 1, 2], "NCHW"),
        5 if method == "bicubic" => return Err("volumes cannot be sampled with cubic interpolation".into()),
        5 => (&[0, 4, 1, 2, 3], "NCDHW"),
        rank => return Err(Reason(format!("needs an operand of rank 4 or 5, not {rank}"))),
    };
    let padding = cx.text("padding_mode").unwrap_or_else(|| "zeros".to_owned());
    let grid: Expr = permute_dims(grid, Some(ints(axes))).upcast();
    let method = method.as_str().into();
    let is_aligned = cx.flag("align_corners");
    let found =
        grid_sample(x.clone(), grid.clone(), method, layout.into(), padding.as_str().into(), is_aligned);
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

fn aligned(cx: &mut Node<'_, '_>, default: &str) -> Converted {
    let (x, mut regions, batches) = (cx.tensor(0)?, cx.tensor(1)?, cx.tensor(2)?);
    let dtype = dtype_of(&regions);
    let mode = cx.text("mode").unwrap_or_else(|| "avg".to_owned());
    match mode.as_str() {
        "avg" => {}
        "max" => cx.warn("TVM takes the greatest interpolated element, ONNX the greatest weighted one"),
        other => return Err(Reason(format!("the mode `{other}` is unknown"))),
    }
    let coordinates = cx.text("coordinate_transformation_mode").unwrap_or_else(|| default.to_owned());
    let is_aligned = match coordinates.as_str() {
        "half_pixel" => true,
        "output_half_pixel" => false,
        other => return Err(Reason(format!("the coordinate transformation `{other}` is unknown"))),
    };
    if is_aligned {
        let offset = Constant::new(Tensor::of_floats(dtype, vec![4], [-0.5; 4]).encode()).upcast();
        regions = add(regions, offset).upcast();
    }
    let batches = astype(expand_dims(batches, ints(&[1])).upcast(), dtype).upcast();
    let regions = concat(Tuple::new([batches, regions]).upcast(), Some(1)).upcast();
    let size = ints(&[cx.int("output_height").unwrap_or(1), cx.int("output_width").unwrap_or(1)]);
    let scale = cx.float("spatial_scale").unwrap_or(1.0);
    let ratio = cx.int("sampling_ratio").unwrap_or(0);
    Ok(roi_align(x, regions, size, scale, ratio, is_aligned, "NCHW".into(), mode.as_str().into()).into())
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
