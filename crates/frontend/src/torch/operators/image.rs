//! Images: scaling, sampling, padding.

use tvmscript_ir_core::Str;
use tvmscript_prim::{IntImm, ops::int_value};
use tvmscript_relax::op::image::{grid_sample, resize2d};
use tvmscript_relax::op::nn::resample::{pad, pixel_shuffle};
use tvmscript_relax::op::shape::permute_dims;
use tvmscript_relax::op::tvm_0_27::image::{affine_grid, resize3d};

use super::super::node::Node;
use super::super::value::Converted;
use super::rows;
use super::shape::reshaped;
use crate::error::Reason;
use crate::ops::{dims, dtype_of, ints, lengths, rank, shape, tensor_of};

rows! { "aten.":
    "upsample_bilinear2d.vec", "upsample_bilinear2d.default", "_upsample_bilinear2d_aa.default",
    "_upsample_bilinear2d_aa.vec" => "image.resize2d" ("smoothing of smaller images"), |cx| {
        let aligns = cx.flag(2, "align_corners", false)?;
        let size = target_size(cx, 3)?;
        resized(cx, &size, Scaling::of("linear", aligns))
    };
    "upsample_bicubic2d.vec", "upsample_bicubic2d.default" => "image.resize2d", |cx| {
        let aligns = cx.flag(2, "align_corners", false)?;
        let size = target_size(cx, 3)?;
        resized(cx, &size, Scaling::of("cubic", aligns))
    };
    "upsample_nearest2d.vec", "upsample_nearest2d.default", "upsample_nearest3d.vec", "upsample_nearest3d.default"
        => "image.resize2d, image.resize3d", nearest;
    "upsample_trilinear3d.vec", "upsample_trilinear3d.default" => "image.resize3d", |cx| {
        let aligns = cx.flag(2, "align_corners", false)?;
        let size = target_size(cx, 3)?;
        resized(cx, &size, Scaling::of("linear", aligns))
    };
    "grid_sampler_2d.default", "grid_sampler.default" => "permute_dims, image.grid_sample", |cx| {
        let (x, grid) = (cx.tensor(0)?, cx.tensor(1)?);
        if rank(&x)? != 4 {
            return Err("needs images of two dimensions".into());
        }
        let method = ["bilinear", "nearest", "bicubic"];
        let outside = ["zeros", "border", "reflection"];
        let method = choice(cx, 2, "interpolation_mode", &method)?;
        let outside = choice(cx, 3, "padding_mode", &outside)?;
        let aligns = cx.flag(4, "align_corners", false)?;
        // Relax has the coordinates of a point on axis 1, and TVM 0.27 infers the sides from the axes after it.
        let grid = cx.emit(permute_dims(grid, Some(ints(&[0, 3, 1, 2]))))?;
        let dtype = dtype_of(&x);
        let sizes = dims(&x)?.into_iter().take(2).chain(dims(&grid)?.into_iter().skip(2));
        let info = tensor_of(sizes, dtype);
        let mut call = grid_sample(x, grid, method, "NCHW".into(), outside, aligns);
        call.make_mut().struct_info_ = Some(info.into());
        cx.result(call)
    };
    "affine_grid_generator.default" => "image.affine_grid, permute_dims", |cx| {
        let (theta, size) = (cx.tensor(0)?, cx.needed_ints(1, "size")?);
        let aligns = cx.flag(2, "align_corners", false)?;
        let [_, _, sides @ ..] = size.as_slice() else { return Err("the size needs four lengths".into()) };
        let mut order = vec![0];
        order.extend(2..size.len() as i64);
        order.push(1);
        let grid = cx.emit(affine_grid(theta, shape(sides), aligns))?;
        cx.result(permute_dims(grid, Some(ints(&order))))
    };
    "pixel_shuffle.default" => "nn.pixel_shuffle", |cx| {
        let (x, factor) = (cx.tensor(0)?, cx.needed_int(1, "upscale_factor")?);
        cx.result(pixel_shuffle(x, factor))
    };
    "pixel_unshuffle.default" => "reshape, permute_dims", pixel_unshuffle;
    "pad.default" => "nn.pad" ("negative widths"), |cx| {
        let mode = cx.text(2, "mode", "constant")?;
        padded(cx, &mode, 3)
    };
    "constant_pad_nd.default" => "nn.pad" ("negative widths"), |cx| padded(cx, "constant", 2);
    "reflection_pad1d.default", "reflection_pad2d.default", "reflection_pad3d.default"
        => "nn.pad", |cx| padded(cx, "reflect", usize::MAX);
    "replication_pad1d.default", "replication_pad2d.default", "replication_pad3d.default"
        => "nn.pad", |cx| padded(cx, "replicate", usize::MAX);
}

/// One of several modes by number.
fn choice(cx: &mut Node<'_, '_>, at: usize, name: &str, modes: &[&'static str]) -> Result<Str, Reason> {
    let number = cx.int(at, name, 0)?;
    let mode = usize::try_from(number).ok().and_then(|number| modes.get(number));
    mode.map(|mode| Str::from(*mode)).ok_or_else(|| Reason(format!("the mode {number} is unknown")))
}

/// The way to scale an image.
#[derive(Debug, Clone, Copy)]
struct Scaling {
    method: &'static str,
    coordinates: &'static str,
    rounding: &'static str,
}

impl Scaling {
    fn of(method: &'static str, aligns_corners: bool) -> Scaling {
        let coordinates = if aligns_corners { "align_corners" } else { "half_pixel" };
        Scaling { method, coordinates, rounding: "round" }
    }
}

/// The size of the result: stated, or the sides times factors.
fn target_size(cx: &mut Node<'_, '_>, factors_at: usize) -> Result<Vec<i64>, Reason> {
    if let Some(size) = cx.ints(1, "output_size")? {
        return Ok(size);
    }
    let x = cx.tensor(0)?;
    let sides: Vec<i64> = lengths(&x)?.into_iter().skip(2).collect();
    let factors = match cx.value(factors_at, "scale_factors")? {
        Some(super::super::value::Value::List(items)) => items,
        Some(one) => vec![one],
        None => return Err("needs a size or factors".into()),
    };
    let mut size = Vec::new();
    for (at, side) in sides.iter().enumerate() {
        match factors.get(at).or(factors.first()) {
            Some(super::super::value::Value::Number(factor)) => {
                size.push((*side as f64 * factor.as_f64()) as i64)
            }
            _ => return Err("the factors must be numbers".into()),
        }
    }
    Ok(size)
}

fn resized(cx: &mut Node<'_, '_>, size: &[i64], scaling: Scaling) -> Converted {
    let x = cx.tensor(0)?;
    let Scaling { method, coordinates, rounding } = scaling;
    let size = shape(size);
    match rank(&x)? {
        4 => cx.result(resize2d(
            x,
            size,
            None,
            "NCHW".into(),
            method.into(),
            coordinates.into(),
            rounding.into(),
            -0.75,
            0,
            0.0,
            None,
        )),
        5 => cx.result(resize3d(
            x,
            size,
            None,
            "NCDHW".into(),
            method.into(),
            coordinates.into(),
            rounding.into(),
            -0.75,
            0,
            0.0,
            None,
        )),
        _ => Err("needs images of two or three dimensions".into()),
    }
}

/// The nearest pixel is that below the position, counted from the corner. Relax finds the same from the middle of pixels for
/// many sizes, which is the form that TVM's importer uses for all.
fn nearest(cx: &mut Node<'_, '_>) -> Converted {
    let size = target_size(cx, 2)?;
    let x = cx.tensor(0)?;
    let sides: Option<Vec<i64>> = dims(&x)?.iter().skip(2).map(int_value).collect();
    let is_same =
        sides.is_some_and(|sides| sides.iter().zip(&size).all(|(from, to)| is_same_nearest(*from, *to)));
    let scaling = match is_same {
        true => Scaling::of("nearest_neighbor", false),
        false => Scaling { method: "nearest_neighbor", coordinates: "asymmetric", rounding: "floor" },
    };
    resized(cx, &size, scaling)
}

/// Maximum length for which all positions are compared.
const MAX_COMPARED: i64 = 1 << 16;

/// Returns `true` if rounding from the middle of pixels and cutting from the corner find the same pixels.
fn is_same_nearest(from: i64, to: i64) -> bool {
    let factor = from as f64 / to as f64;
    let is_same = |at: i64| {
        let middle = (at as f64 + 0.5) * factor - 0.5;
        let is_tie = (middle.fract().abs() - 0.5).abs() < 1e-6;
        let below = (at as f64 * factor + 1e-5).floor();
        !is_tie && middle.round().clamp(0.0, (from - 1) as f64) == below.clamp(0.0, (from - 1) as f64)
    };
    to % from.max(1) == 0 || to <= MAX_COMPARED && (0..to).all(is_same)
}

fn pixel_unshuffle(cx: &mut Node<'_, '_>) -> Converted {
    let (x, factor) = (cx.tensor(0)?, cx.needed_int(1, "downscale_factor")?);
    let [batch, channels, height, width] =
        <[i64; 4]>::try_from(lengths(&x)?).map_err(|_| "needs four axes")?;
    if factor < 1 || height % factor != 0 || width % factor != 0 {
        return Err("the factor must divide the sides".into());
    }
    let (high, wide) = (height / factor, width / factor);
    let of = |dims: &[i64]| dims.iter().map(|dim| IntImm::int64(*dim)).collect::<Vec<_>>();
    let parts = cx.emit(crate::ops::reshape(x, shape(&[batch, channels, high, factor, wide, factor]))?)?;
    let parts = cx.emit(permute_dims(parts, Some(ints(&[0, 1, 3, 5, 2, 4]))))?;
    reshaped(cx, parts, of(&[batch, channels.saturating_mul(factor).saturating_mul(factor), high, wide]))
}

/// Widths are in pairs, of the last axis first.
fn padded(cx: &mut Node<'_, '_>, mode: &str, value_at: usize) -> Converted {
    let (x, widths) = (cx.tensor(0)?, cx.needed_ints(1, "pad")?);
    let value = cx.float(value_at, "value", 0.0)?;
    let rank = rank(&x)?;
    if widths.iter().any(|width| *width < 0) {
        return Err("negative widths are not supported".into());
    }
    if widths.len() > 2 * rank || widths.len() % 2 != 0 {
        return Err(Reason(format!("{} widths do not fit rank {rank}", widths.len())));
    }
    let mut all = vec![0; 2 * rank - widths.len()];
    all.extend(widths.rchunks_exact(2).flatten());
    cx.result(pad(x, ints(&all), mode.into(), value))
}
