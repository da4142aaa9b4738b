//! Images and volumes.
//!
//! Upstream counterpart: `src/relax/op/image/resize.cc`.

use crate::node::attrs::{AffineGridAttrs, Resize3DAttrs};
use crate::op::image::{no_region, scaled, written_sides};
use crate::op::prelude::*;

operators! {
    /// The volume, scaled to another size.
    resize3d(
        data: Expr, size: ImageSize<3>; roi: Option<Region<6>> = None, layout: Str = "NCDHW", method: Str = "linear",
        coordinate_transformation_mode: Str = "half_pixel", rounding_method: Str = "",
        cubic_alpha: f64 = -0.75, cubic_exclude: i64 = 0, extrapolation_value: f64 = 0.0,
        out_dtype: Option<DataType> = None
    ) -> infer(resized), text = "image.resize3d",
        attrs = Resize3DAttrs { roi: roi.unwrap_or_else(|| no_region(6)), out_dtype: or_void(out_dtype), .. };
    /// The points of the image that an affine map, one per batch, sends a grid of this size to.
    affine_grid(data: Expr, size: PlaneSize; align_corners: bool = true)
        -> infer(grid), text = "image.affine_grid", attrs = AffineGridAttrs;
}

fn resized(cx: &mut Infer<'_>) -> Inferred {
    let attrs = cx.attrs::<Resize3DAttrs>()?;
    scaled::<3>(cx, [&attrs.layout, "NCDHW"], attrs.out_dtype)
}

/// Maps are `(batches, n, n + 1)` for a size of `n` dimensions.
fn grid(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(2)?;
    let maps = cx.tensor(0)?;
    let rank = cx.shape(1)?.ndim;
    if !(2..=3).contains(&rank) {
        return Err(cx.wrong_shape_at(1, format!("expected a size of 2 or 3 dimensions, found {rank}")));
    }
    cx.expect_rank(0, &maps, 3)?;
    for (axis, length) in [(1, rank), (2, rank + 1)] {
        let found = maps.dims().and_then(|dims| dims[axis].as_node::<IntImm>());
        if let Some(found) = found.filter(|found| found.value != length) {
            let what = format!("axis {axis} must have length {length} for this size, found {}", found.value);
            return Err(cx.wrong_shape_at(0, what));
        }
    }
    let (dtype, vdevice) = (maps.dtype, maps.vdevice.clone());
    let sides: Option<Vec<_>> = match rank {
        2 => written_sides::<2>(cx, 1)?.map(Into::into),
        _ => written_sides::<3>(cx, 1)?.map(Into::into),
    };
    let (Some(dims), Some(sides)) = (maps.dims(), sides) else {
        return Ok(tensor_of_rank(rank + 2, dtype, vdevice));
    };
    Ok(tensor_of([dims[0].clone(), IntImm::int64(rank)].into_iter().chain(sides), dtype, vdevice))
}
