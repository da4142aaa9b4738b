//! Tensors of other lengths along their spatial axes: `Resize` and `Upsample`.

use tvmscript_ir_core::{Array, DataType, Ref, Span, Str};
use tvmscript_prim::{self as prim, FloatImm, IntImm, ops::int_value};
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::{floor, multiply};
use tvmscript_relax::op::image::resize2d;
use tvmscript_relax::op::index::take;
use tvmscript_relax::op::shape::{expand_dims, squeeze, tensor_to_shape};
use tvmscript_relax::op::tvm_0_27::image::resize3d;
use tvmscript_relax::{Call, Expr};

use super::super::node::{Converted, Node};
use super::rows;
use super::runtime::scalars;
use crate::error::Reason;
use crate::ops::{self, dims, int64_vector, ints};

rows! {
    "Resize" { 10: |cx| resize(cx, Version::Ten), 11: |cx| resize(cx, Version::Eleven) } => "image.resize2d, image.resize3d", "regions known at run time";
    "Upsample" { 7: upsample } => "image.resize2d, image.resize3d", "scales known at run time";
}

/// The two forms of `Resize`: scales as the second operand, or a region, scales or sizes.
#[derive(Clone, Copy, PartialEq)]
enum Version {
    Ten,
    Eleven,
}

/// Mappings from coordinates of the result to those of the operand.
const COORDINATES: [&str; 7] = [
    "half_pixel",
    "half_pixel_symmetric",
    "pytorch_half_pixel",
    "align_corners",
    "asymmetric",
    "tf_half_pixel_for_nn",
    "tf_crop_and_resize",
];

/// Ways to the nearest element.
const ROUNDINGS: [&str; 4] = ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"];

/// `R.image.resize2d` or `R.image.resize3d`.
type Operator = fn(
    Expr,
    Expr,
    Option<Array<Ref<FloatImm>>>,
    Str,
    Str,
    Str,
    Str,
    f64,
    i64,
    f64,
    Option<DataType>,
) -> Ref<Call>;

/// New lengths of a tensor, and the way to its elements.
struct Resize {
    /// Lengths of the axes but the first two.
    sizes: Vec<prim::Expr>,
    /// The region that is read: starts, then ends.
    region: Vec<f64>,
    method: &'static str,
    coordinates: &'static str,
    rounding: &'static str,
    cubic_alpha: f64,
    cubic_exclude: i64,
    outside: f64,
}

impl Resize {
    fn of(cx: &Node<'_, '_>, sizes: Vec<prim::Expr>, coordinates: &'static str) -> Result<Resize, Reason> {
        let method = cx.word("mode", "nearest", &["nearest", "linear", "cubic"])?;
        Ok(Resize {
            region: vec![0.0; 2 * sizes.len()],
            sizes,
            method: if method == "nearest" { "nearest_neighbor" } else { method },
            coordinates,
            rounding: "round",
            cubic_alpha: -0.75,
            cubic_exclude: 0,
            outside: 0.0,
        })
    }

    fn build(self, x: Expr) -> Converted {
        let region = |order: &[usize]| -> Array<Ref<FloatImm>> {
            let bound = |at: &usize| {
                let value = self.region.get(*at).copied().unwrap_or(0.0);
                Ref::new(FloatImm { span: Span::current(), dtype: DataType::FLOAT32, value })
            };
            order.iter().map(bound).collect()
        };
        let resized = |operator: Operator, layout: &str, x: Expr, sizes: Vec<prim::Expr>, order: &[usize]| {
            operator(
                x,
                ops::shape_of(sizes),
                Some(region(order)),
                layout.into(),
                self.method.into(),
                self.coordinates.into(),
                self.rounding.into(),
                self.cubic_alpha,
                self.cubic_exclude,
                self.outside,
                None,
            )
        };
        let sizes = self.sizes.clone();
        match self.sizes.len() {
            1 => {
                // A line is a plane of one row.
                let sizes = std::iter::once(IntImm::int64(1)).chain(sizes).collect();
                let x = expand_dims(x, ints(&[2])).upcast();
                let line = resized(resize2d, "NCHW", x, sizes, &[usize::MAX, 0, usize::MAX, 1]);
                Ok(squeeze(line.upcast(), Some(ints(&[2]))).into())
            }
            2 => Ok(resized(resize2d, "NCHW", x, sizes, &[0, 1, 2, 3]).into()),
            // Upstream lists the axes of the region from the last to the first.
            3 => Ok(resized(resize3d, "NCDHW", x, sizes, &[2, 1, 0, 5, 4, 3]).into()),
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

/// Remarks that Relax takes the ratio of the lengths for the scale, where the lengths are rounded.
fn warn_of_rounding(cx: &mut Node<'_, '_>, mut scaled: impl Iterator<Item = (f64, f64)>) {
    if scaled.any(|(length, scale)| (length as f32 * scale as f32).fract() != 0.0) {
        cx.warn("Relax scales by the ratio of the rounded lengths, ONNX by the stated scales");
    }
}

/// Lengths with their scales; a symbolic length counts as 1.
fn with_scales(own: &[prim::Expr], scales: &[f64]) -> impl Iterator<Item = (f64, f64)> {
    let length = |dim| int_value(dim).map_or(1.0, |length| length as f64);
    own.iter().map(length).zip(scales.iter().copied())
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
    // Only the first version has the scales second; models that state an old version may have later ones.
    let version = if cx.inputs.len() > 2 { Version::Eleven } else { version };
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
    let scales = given(cx, scales_at);
    let sizes = given(cx, 3);
    let lengths = match (scales, sizes) {
        (None, Some(sizes)) => stated_sizes(cx, &own, &axes, sizes)?,
        (Some(scales), None) => match ops::numbers(&scales) {
            Some(scales) => {
                check_count(&axes, scales.len())?;
                let chosen = axes.iter().filter_map(|at| own.get(*at)).cloned().collect::<Vec<_>>();
                warn_of_rounding(cx, with_scales(&chosen, &scales));
                scaled(&chosen, &scales)?
            }
            None => scaled_at_run_time(cx, &x, &axes, rank, scales)?,
        },
        (Some(_), Some(_)) => return Err("has both scales and sizes".into()),
        (None, None) => return Err("has neither scales nor sizes".into()),
    };
    check_count(&axes, lengths.len())?;
    let mut all = own.clone();
    for (at, length) in axes.iter().zip(lengths) {
        if let Some(dim) = all.get_mut(*at) {
            *dim = length;
        }
    }
    let coordinates = cx.word("coordinate_transformation_mode", default, &COORDINATES)?;
    let mut resize = Resize::of(cx, spatial(&own, all)?, coordinates)?;
    if version == Version::Eleven {
        resize.region = region(cx, &axes, rank, coordinates == "tf_crop_and_resize")?;
        resize.rounding = cx.word("nearest_mode", "round_prefer_floor", &ROUNDINGS)?;
    } else {
        resize.rounding = "floor";
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

/// An operand, unless it is left out or an empty constant.
fn given(cx: &mut Node<'_, '_>, index: usize) -> Option<Expr> {
    let value = cx.constant_or_value(index)?;
    let is_empty = ops::lengths_of(&value).is_some_and(|dims| dims.contains(&0));
    Some(value).filter(|_| !is_empty)
}

fn check_count(axes: &[usize], found: usize) -> Result<(), Reason> {
    match found == axes.len() {
        true => Ok(()),
        false => Err(Reason(format!("has {found} sizes or scales for {} axes", axes.len()))),
    }
}

/// The sizes of axes: numbers, which may be bounds of sizes that keep the aspect ratio, symbolic ones, or new variables.
fn stated_sizes(
    cx: &mut Node<'_, '_>,
    own: &[prim::Expr],
    axes: &[usize],
    sizes: Expr,
) -> Result<Vec<prim::Expr>, Reason> {
    let policy = cx.word("keep_aspect_ratio_policy", "stretch", &["stretch", "not_larger", "not_smaller"])?;
    let known = ops::integers(&sizes);
    if let Some(size) = known.iter().flatten().find(|size| **size < 0) {
        return Err(Reason(format!("a size is {size}")));
    }
    if policy == "stretch" {
        if let Some(sizes) = scalars(&sizes) {
            return Ok(sizes);
        }
        let vector = cx.int64_tensor(sizes)?;
        return lengths_at_run_time(cx, vector, axes.len());
    }
    let lengths: Option<Vec<f64>> =
        axes.iter().map(|at| own.get(*at).and_then(int_value).map(|length| length as f64)).collect();
    let (Some(lengths), Some(sizes)) = (lengths, known) else {
        return Err("needs sizes and dimensions that are numbers to keep the aspect ratio".into());
    };
    let ratios = lengths.iter().zip(&sizes).map(|(length, size)| *size as f64 / length);
    let ratio = match policy {
        "not_larger" => ratios.fold(f64::INFINITY, f64::min),
        _ => ratios.fold(0.0, f64::max),
    };
    warn_of_rounding(cx, lengths.iter().map(|length| (*length, ratio)));
    let sizes = lengths.iter().map(|length| (length * ratio + 0.5).floor() as i64);
    Ok(sizes.map(IntImm::int64).collect())
}

/// The lengths that a vector holds, as new variables.
fn lengths_at_run_time(cx: &mut Node<'_, '_>, vector: Expr, count: usize) -> Result<Vec<prim::Expr>, Reason> {
    let shape = cx.emit(tensor_to_shape(vector))?;
    cx.cast_shape(shape, count, "resize_dim")
}

/// The lengths of axes, scaled at run time.
fn scaled_at_run_time(
    cx: &mut Node<'_, '_>,
    x: &Expr,
    axes: &[usize],
    rank: usize,
    scales: Expr,
) -> Result<Vec<prim::Expr>, Reason> {
    let mut lengths = cx.shape_tensor(x.clone())?;
    if axes.len() != rank {
        let axes: Vec<i64> = axes.iter().map(|at| *at as i64).collect();
        lengths = take(lengths, int64_vector(&axes), Some(0), "fast".into()).upcast();
    }
    let wide = multiply(scales, astype(lengths, DataType::FLOAT32).upcast());
    let vector = cx.normalize(astype(floor(wide.upcast()).upcast(), DataType::INT64))?;
    lengths_at_run_time(cx, vector, axes.len())
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
    warn_of_rounding(cx, with_scales(&own, &scales));
    let mut resize = Resize::of(cx, sizes, "asymmetric")?;
    if is_operand {
        resize.rounding = "floor";
    }
    resize.build(x)
}
