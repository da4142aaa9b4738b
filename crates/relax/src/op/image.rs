//! Operators on images, and object detection.
//!
//! Upstream counterparts: `src/relax/op/image/resize.cc`, `src/relax/op/vision/nms.cc`.

use tvmscript_prim::FloatImm;

use super::nn::window::{canonical_dims, layout};
use super::prelude::*;
use crate::node::attrs::{AllClassNonMaximumSuppressionAttrs, GridSampleAttrs, Resize2DAttrs};

operators! {
    /// The image, scaled to another size.
    resize2d(
        data: Expr, size: ImageSize<2>; roi: Option<Region<4>> = None, layout: Str = "NCHW", method: Str = "linear",
        coordinate_transformation_mode: Str = "half_pixel", rounding_method: Str = "round",
        cubic_alpha: f64 = -0.75, cubic_exclude: i64 = 0, extrapolation_value: f64 = 0.0,
        out_dtype: Option<DataType> = None
    ) -> infer(resized), text = "image.resize2d",
        attrs = Resize2DAttrs { roi: roi.unwrap_or_else(|| no_region(4)), out_dtype: or_void(out_dtype), .. };
    /// The image, sampled at the points of a grid.
    grid_sample(
        data: Expr, grid: Expr;
        method: Str = "bilinear", layout: Str = "NCHW", padding_mode: Str = "zeros", align_corners: bool = false
    ) -> infer(sampled), text = "image.grid_sample", attrs = GridSampleAttrs;
    /// The boxes of each class that do not overlap better ones.
    all_class_non_max_suppression(
        boxes: Expr, scores: Expr, max_output_boxes_per_class: Expr, iou_threshold: Expr, score_threshold: Expr;
        output_format: Str = "onnx"
    ) -> infer(suppressed), text = "vision.all_class_non_max_suppression",
        attrs = AllClassNonMaximumSuppressionAttrs;
}

/// Zeros for the bounds of a region.
pub(super) fn no_region(bounds: usize) -> Array<Ref<FloatImm>> {
    let zero = || Ref::new(FloatImm { span: Span::current(), dtype: DataType::FLOAT32, value: 0.0 });
    (0..bounds).map(|_| zero()).collect()
}

/// The operand with other image sides, if they and the operand's dimensions are known.
fn with_sides<const N: usize>(
    cx: &Infer<'_>,
    x: &TensorStructInfo,
    [given, canonical]: [&str; 2],
    dtype: DataType,
    sides: Option<[prim::Expr; N]>,
) -> Inferred {
    let given = layout("layout", given, canonical)?;
    let vdevice = x.vdevice.clone();
    let (Some(dims), Some(sides)) = (canonical_dims(cx, 0, x, &given)?, sides) else {
        return Ok(tensor_of_rank(given.rank(), dtype, vdevice));
    };
    let dims: Vec<_> = dims.into_iter().take(2).chain(sides).collect();
    let dims = given.dims_of_canonical(&dims).map_err(|error| cx.wrong_shape(error.to_string()))?;
    Ok(tensor_of(dims, dtype, vdevice))
}

fn resized(cx: &mut Infer<'_>) -> Inferred {
    let attrs = cx.attrs::<Resize2DAttrs>()?;
    scaled::<2>(cx, [&attrs.layout, "NCHW"], attrs.out_dtype)
}

/// The dimensions of a size operand with `N` sides, if it is written out.
pub(super) fn written_sides<const N: usize>(
    cx: &Infer<'_>,
    index: usize,
) -> Checked<Option<[prim::Expr; N]>> {
    let written = cx.arg(index)?.as_node::<ShapeExpr>();
    Ok(written
        .and_then(|size| <[prim::Expr; N]>::try_from(size.values.iter().cloned().collect::<Vec<_>>()).ok()))
}

/// The first operand, scaled to the size that is the second.
pub(super) fn scaled<const N: usize>(cx: &Infer<'_>, layouts: [&str; 2], out_dtype: DataType) -> Inferred {
    cx.expect_args(2)?;
    let x = cx.tensor(0)?;
    let size = cx.shape(1)?;
    if usize::try_from(size.ndim) != Ok(N) {
        let what = format!("expected an image size of {N} dimensions, found {}", size.ndim);
        return Err(cx.wrong_shape_at(1, what));
    }
    let dtype = if out_dtype.is_void() { x.dtype } else { out_dtype };
    with_sides(cx, &x, layouts, dtype, written_sides::<N>(cx, 1)?)
}

/// The grid is `(N, height, width, 2)`, whatever the layout of the data.
fn sampled(cx: &mut Infer<'_>) -> Inferred {
    let [x, grid] = cx.tensors()?;
    let layout = &cx.attrs::<GridSampleAttrs>()?.layout;
    if layout.len() == 5 {
        let sides = grid.dims().filter(|dims| dims.len() == 5);
        let sides = sides.map(|dims| [dims[2].clone(), dims[3].clone(), dims[4].clone()]);
        return with_sides(cx, &x, [layout, "NCDHW"], x.dtype, sides);
    }
    let sides = match grid.dims() {
        Some(dims) if dims.len() < 3 => {
            return Err(cx.wrong_rank(1, "rank 4", grid.ndim));
        }
        dims => dims.map(|dims| [dims[1].clone(), dims[2].clone()]),
    };
    with_sides(cx, &x, [layout, "NCHW"], x.dtype, sides)
}

fn check_rank(cx: &Infer<'_>, index: usize, x: &TensorStructInfo) -> Checked<()> {
    if x.ndim == 3 {
        return Ok(());
    }
    Err(cx.wrong_rank(index, "rank 3", x.ndim))
}

/// Boxes are `(batches, boxes, 4)`, scores `(batches, classes, boxes)`. For `onnx`, the result is the indices of all
/// boxes and their number; otherwise indices, scores and numbers per batch.
fn suppressed(cx: &mut Infer<'_>) -> Inferred {
    let [boxes, scores, _, _, _] = cx.tensors()?;
    check_rank(cx, 0, &boxes)?;
    check_rank(cx, 1, &scores)?;
    let of = |dims: Option<Vec<prim::Expr>>, rank: i64, dtype: DataType| {
        tensor_with(dims, rank, dtype, boxes.vdevice.clone())
    };
    let known = boxes.dims().zip(scores.dims()).map(|(boxes, scores)| (&boxes[0], &scores[1], &boxes[1]));
    if cx.attrs::<AllClassNonMaximumSuppressionAttrs>()?.output_format.as_str() == "onnx" {
        let all = match known {
            Some((batches, classes, boxes)) => {
                let total = ops::mul(ops::mul(batches.clone(), classes.clone())?, boxes.clone())?;
                Some(vec![total, IntImm::int64(3)])
            }
            None => None,
        };
        let count = of(Some(vec![IntImm::int64(1)]), 1, DataType::INT64);
        return Ok(TupleStructInfo::new([of(all, 2, DataType::INT64), count]));
    }
    let per_batch = match known {
        Some((batches, classes, boxes)) => {
            Some(vec![batches.clone(), ops::mul(classes.clone(), boxes.clone())?])
        }
        None => None,
    };
    let indices = per_batch.clone().map(|mut dims| {
        dims.push(IntImm::int64(2));
        dims
    });
    let counts = boxes.dims().map(|dims| vec![dims[0].clone()]);
    Ok(TupleStructInfo::new([
        of(indices, 3, DataType::INT64),
        of(per_batch, 2, DataType::FLOAT32),
        of(counts, 1, DataType::INT64),
    ]))
}
