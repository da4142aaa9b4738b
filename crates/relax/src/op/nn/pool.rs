//! Pooling.
//!
//! Upstream counterpart: `src/relax/op/nn/pooling.cc`.

use super::window::{Window, canonical_dims, layout};
use crate::node::attrs::{
    AdaptivePool1DAttrs, AdaptivePool2DAttrs, AdaptivePool3DAttrs, Pool1DAttrs, Pool2DAttrs, Pool3DAttrs,
};
use crate::op::prelude::*;

operators! {
    params window_1d = (
        data: Expr; pool_size: PerAxis<1> = [1], strides: PerAxis<1> = [1], padding: Padding<1> = [0, 0],
        dilation: PerAxis<1> = [1], ceil_mode: bool = false
    );
    params layouts_1d = (; layout: Str = "NCW", out_layout: Option<Str> = None);
    params window_2d = (
        data: Expr; pool_size: PerAxis<2> = [1, 1], strides: PerAxis<2> = [1, 1], padding: Padding<2> = [0, 0],
        dilation: PerAxis<2> = [1, 1], ceil_mode: bool = false
    );
    params layouts_2d = (; layout: Str = "NCHW", out_layout: Option<Str> = None);
    params window_3d = (
        data: Expr; pool_size: PerAxis<3> = [1, 1, 1], strides: PerAxis<3> = [1, 1, 1], padding: Padding<3> = [0, 0, 0],
        dilation: PerAxis<3> = [1, 1, 1], ceil_mode: bool = false
    );
    params layouts_3d = (; layout: Str = "NCDHW", out_layout: Option<Str> = None);

    /// The greatest element of each window along one spatial axis.
    max_pool1d(..window_1d, count_include_pad: bool = false, ..layouts_1d)
        -> infer(pooled_1d), text = "nn.max_pool1d",
        attrs = Pool1DAttrs { out_layout: out_layout.unwrap_or_else(|| layout.clone()), .. };
    /// The greatest element of each window along two spatial axes.
    max_pool2d(..window_2d, count_include_pad: bool = false, ..layouts_2d)
        -> infer(pooled_2d), text = "nn.max_pool2d",
        attrs = Pool2DAttrs { out_layout: out_layout.unwrap_or_else(|| layout.clone()), .. };
    /// The greatest element of each window along three spatial axes.
    max_pool3d(..window_3d, count_include_pad: bool = false, ..layouts_3d)
        -> infer(pooled_3d), text = "nn.max_pool3d",
        attrs = Pool3DAttrs { out_layout: out_layout.unwrap_or_else(|| layout.clone()), .. };
    /// The mean of each window along one spatial axis.
    avg_pool1d(..window_1d, count_include_pad: bool = true, ..layouts_1d)
        -> infer(pooled_1d), text = "nn.avg_pool1d",
        attrs = Pool1DAttrs { out_layout: out_layout.unwrap_or_else(|| layout.clone()), .. };
    /// The mean of each window along two spatial axes.
    avg_pool2d(..window_2d, count_include_pad: bool = false, ..layouts_2d)
        -> infer(pooled_2d), text = "nn.avg_pool2d",
        attrs = Pool2DAttrs { out_layout: out_layout.unwrap_or_else(|| layout.clone()), .. };
    /// The mean of each window along three spatial axes.
    avg_pool3d(..window_3d, count_include_pad: bool = true, ..layouts_3d)
        -> infer(pooled_3d), text = "nn.avg_pool3d",
        attrs = Pool3DAttrs { out_layout: out_layout.unwrap_or_else(|| layout.clone()), .. };
    /// The mean of windows along one spatial axis, of a size that yields `output_size` results.
    adaptive_avg_pool1d(data: Expr; output_size: Option<Repeated<1>> = None, ..layouts_1d)
        -> infer(adaptive_1d), text = "nn.adaptive_avg_pool1d",
        attrs = AdaptivePool1DAttrs { out_layout: out_layout.unwrap_or_else(|| layout.clone()), .. };
    /// The mean of windows along two spatial axes, of a size that yields `output_size` results.
    adaptive_avg_pool2d(data: Expr; output_size: Option<Repeated<2>> = None, ..layouts_2d)
        -> infer(adaptive_2d), text = "nn.adaptive_avg_pool2d",
        attrs = AdaptivePool2DAttrs { out_layout: out_layout.unwrap_or_else(|| layout.clone()), .. };
    /// The mean of windows along three spatial axes, of a size that yields `output_size` results.
    adaptive_avg_pool3d(data: Expr; output_size: Option<Repeated<3>> = None, ..layouts_3d)
        -> infer(adaptive_3d), text = "nn.adaptive_avg_pool3d",
        attrs = AdaptivePool3DAttrs { out_layout: out_layout.unwrap_or_else(|| layout.clone()), .. };
}

/// The attributes that all pooling operators have.
struct Pool<'a> {
    window: Window<'a>,
    pool_size: &'a Ints,
    ceil_mode: bool,
    layouts: [&'a Str; 2],
}

/// Inference for a number of spatial axes.
macro_rules! rules {
    ($($pooled:ident $pool:ident $adaptive:ident $adaptive_pool:ident $canonical:literal;)*) => {$(
        fn $pooled(cx: &mut Infer<'_>) -> Inferred {
            let $pool { pool_size, strides, dilation, padding, ceil_mode, layout, out_layout, .. } = cx.attrs()?;
            let window = Window { strides, padding, dilation };
            let pool = Pool { window, pool_size, ceil_mode: *ceil_mode, layouts: [layout, out_layout] };
            pooled(cx, &pool, $canonical)
        }

        fn $adaptive(cx: &mut Infer<'_>) -> Inferred {
            let $adaptive_pool { output_size, layout, out_layout } = cx.attrs()?;
            adaptively_pooled(cx, output_size.as_ref(), [layout, out_layout], $canonical)
        }
    )*};
}
rules! {
    pooled_1d Pool1DAttrs adaptive_1d AdaptivePool1DAttrs "NCW";
    pooled_2d Pool2DAttrs adaptive_2d AdaptivePool2DAttrs "NCHW";
    pooled_3d Pool3DAttrs adaptive_3d AdaptivePool3DAttrs "NCDHW";
}

fn pooled(cx: &mut Infer<'_>, pool: &Pool<'_>, canonical: &str) -> Inferred {
    let [x] = cx.tensors()?;
    let [given, out] = pool.layouts;
    let given = layout("layout", given, canonical)?;
    let out = layout("out_layout", out, canonical)?;
    let Some(mut dims) = canonical_dims(cx, 0, &x, &given)? else {
        return Ok(tensor_of_rank(out.rank(), x.dtype, x.vdevice.clone()));
    };
    let rank = dims.len() - 2;
    for (axis, (dim, size)) in dims.iter_mut().skip(2).zip(pool.pool_size.iter()).enumerate() {
        let lengths = [&*dim, &size.clone().upcast()];
        *dim = pool.window.places(cx, axis, rank, lengths, pool.ceil_mode)?;
    }
    let dims = out.dims_of_canonical(&dims).map_err(|error| cx.wrong_shape(error.to_string()))?;
    Ok(tensor_of(dims, x.dtype, x.vdevice.clone()))
}

fn adaptively_pooled(
    cx: &mut Infer<'_>,
    output_size: Option<&Ints>,
    layouts: [&Str; 2],
    canonical: &str,
) -> Inferred {
    let [x] = cx.tensors()?;
    let given = layout("layout", layouts[0], canonical)?;
    let out = layout("out_layout", layouts[1], canonical)?;
    let Some(mut dims) = canonical_dims(cx, 0, &x, &given)? else {
        // If a variable holds the shape, it holds that of the result too.
        let keeps_shape = x.shape.is_some() && layouts[0] == layouts[1] && output_size.is_none();
        return Ok(match keeps_shape {
            true => x.upcast(),
            false => tensor_of_rank(out.rank(), x.dtype, x.vdevice.clone()),
        });
    };
    for (dim, size) in dims.iter_mut().skip(2).zip(output_size.into_iter().flat_map(|sizes| sizes.iter())) {
        *dim = IntImm::int64(size.value);
    }
    let dims = out.dims_of_canonical(&dims).map_err(|error| cx.wrong_shape(error.to_string()))?;
    Ok(tensor_of(dims, x.dtype, x.vdevice.clone()))
}
