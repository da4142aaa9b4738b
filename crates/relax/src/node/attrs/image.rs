//! Of images and detection.

use tvmscript_ir::Attrs;
use tvmscript_ir_core::{Array, DataType, Node, Ref, Str};
use tvmscript_prim::FloatImm;

/// Of `R.image.resize2d`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.Resize2DAttrs", parent = Attrs)]
pub struct Resize2DAttrs {
    /// The region of interest.
    pub roi: Array<Ref<FloatImm>>,
    /// The axes of the data.
    pub layout: Str,
    /// The interpolation.
    pub method: Str,
    /// How places of the result become places of the image.
    pub coordinate_transformation_mode: Str,
    /// How places are rounded, for nearest neighbours.
    pub rounding_method: Str,
    /// The coefficient of bicubic interpolation.
    pub cubic_alpha: f64,
    /// 1 where weights outside the image are left out.
    pub cubic_exclude: i64,
    /// The value outside the image.
    pub extrapolation_value: f64,
    /// The element type of the result; void for that of the operands.
    pub out_dtype: DataType,
}

/// Of `R.image.grid_sample`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.GridSampleAttrs", parent = Attrs)]
pub struct GridSampleAttrs {
    /// The interpolation.
    pub method: Str,
    /// The axes of the data.
    pub layout: Str,
    /// What lies outside the image.
    pub padding_mode: Str,
    /// Corners stand for the centres of corner pixels.
    pub align_corners: bool,
}

/// Of `R.vision.all_class_non_max_suppression`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.AllClassNonMaximumSuppressionAttrs", parent = Attrs)]
pub struct AllClassNonMaximumSuppressionAttrs {
    /// `onnx` or `tensorflow`.
    pub output_format: Str,
}
