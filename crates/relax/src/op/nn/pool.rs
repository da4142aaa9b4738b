//! Pooling.
//!
//! Upstream counterpart: `src/relax/op/nn/pooling.cc`.

use tvmscript_ir_core::{Array, Ref, Str};
use tvmscript_irbuilder::{Result, script_fn};
use tvmscript_prim::IntImm;

use super::super::{Infer, Operator, tensor_of, tensor_of_rank};
use super::Inferred;
use super::window::{Window, canonical_dims, layout, padding, per_axis};
use crate::build::args::{ExprArg, IntsArg};
use crate::node::attrs::{
    AdaptivePool1DAttrs, AdaptivePool2DAttrs, AdaptivePool3DAttrs, Pool1DAttrs, Pool2DAttrs, Pool3DAttrs,
};
use crate::node::*;

/// Declares operators with a window, by the count of spatial axes, that count's defaults, whether padding counts, the layout.
macro_rules! pools {
    ($($(#[$doc:meta])* $function:ident $name:literal $attrs:ident $rank:literal
       $one:tt $zero:tt $count:tt $layout:literal;)*) => {$(
        $(#[$doc])*
        #[script_fn(name = $name)]
        pub fn $function(
            data: ExprArg,
            #[default = $one] pool_size: IntsArg,
            #[default = $one] strides: IntsArg,
            #[default = $zero] padding: IntsArg,
            #[default = $one] dilation: IntsArg,
            #[default = false] ceil_mode: bool,
            #[default = $count] count_include_pad: bool,
            #[default = $layout] layout: Str,
            #[default = None] out_layout: Option<Str>,
        ) -> Result<Ref<Call>> {
            let attrs = $attrs {
                pool_size: per_axis("pool_size", &pool_size.into_int64(), $rank)?,
                strides: per_axis("strides", &strides.into_int64(), $rank)?,
                dilation: per_axis("dilation", &dilation.into_int64(), $rank)?,
                padding: self::padding(&padding.into_int64(), $rank)?,
                ceil_mode,
                count_include_pad,
                out_layout: out_layout.unwrap_or_else(|| layout.clone()),
                layout,
            };
            Ok(Call::of_op(concat!("relax.", $name), [data.0], Some(Ref::new(attrs).upcast())))
        }
    )*};
}

pools! {
    /// The greatest element of each window along one spatial axis.
    max_pool1d "nn.max_pool1d" Pool1DAttrs 1 [1] [0, 0] false "NCW";
    /// The greatest element of each window along two spatial axes.
    max_pool2d "nn.max_pool2d" Pool2DAttrs 2 [1, 1] [0, 0] false "NCHW";
    /// The greatest element of each window along three spatial axes.
    max_pool3d "nn.max_pool3d" Pool3DAttrs 3 [1, 1, 1] [0, 0, 0] false "NCDHW";
    /// The mean of each window along one spatial axis.
    avg_pool1d "nn.avg_pool1d" Pool1DAttrs 1 [1] [0, 0] true "NCW";
    /// The mean of each window along two spatial axes.
    avg_pool2d "nn.avg_pool2d" Pool2DAttrs 2 [1, 1] [0, 0] false "NCHW";
    /// The mean of each window along three spatial axes.
    avg_pool3d "nn.avg_pool3d" Pool3DAttrs 3 [1, 1, 1] [0, 0, 0] true "NCDHW";
}

/// Declares operators that choose the window themselves, by the count of spatial axes and the layout.
macro_rules! adaptive_pools {
    ($($(#[$doc:meta])* $function:ident $name:literal $attrs:ident $rank:literal $layout:literal;)*) => {$(
        $(#[$doc])*
        #[script_fn(name = $name)]
        pub fn $function(
            data: ExprArg,
            #[default = None] output_size: Option<IntsArg>,
            #[default = $layout] layout: Str,
            #[default = None] out_layout: Option<Str>,
        ) -> Result<Ref<Call>> {
            let output_size = output_size.map(|size| per_axis("output_size", &size.0, $rank)).transpose()?;
            let out_layout = out_layout.unwrap_or_else(|| layout.clone());
            let attrs = Ref::new($attrs { output_size, layout, out_layout }).upcast();
            Ok(Call::of_op(concat!("relax.", $name), [data.0], Some(attrs)))
        }
    )*};
}

adaptive_pools! {
    /// The mean of windows along one spatial axis, as large as gives a result of `output_size`.
    adaptive_avg_pool1d "nn.adaptive_avg_pool1d" AdaptivePool1DAttrs 1 "NCW";
    /// The mean of windows along two spatial axes, as large as gives a result of `output_size`.
    adaptive_avg_pool2d "nn.adaptive_avg_pool2d" AdaptivePool2DAttrs 2 "NCHW";
    /// The mean of windows along three spatial axes, as large as gives a result of `output_size`.
    adaptive_avg_pool3d "nn.adaptive_avg_pool3d" AdaptivePool3DAttrs 3 "NCDHW";
}

/// The operators of this family.
pub static OPERATORS: &[Operator] = &[
    Operator::new("relax.nn.adaptive_avg_pool1d", &ADAPTIVE_AVG_POOL1D, adaptive_1d),
    Operator::new("relax.nn.adaptive_avg_pool2d", &ADAPTIVE_AVG_POOL2D, adaptive_2d),
    Operator::new("relax.nn.adaptive_avg_pool3d", &ADAPTIVE_AVG_POOL3D, adaptive_3d),
    Operator::new("relax.nn.avg_pool1d", &AVG_POOL1D, pooled_1d),
    Operator::new("relax.nn.avg_pool2d", &AVG_POOL2D, pooled_2d),
    Operator::new("relax.nn.avg_pool3d", &AVG_POOL3D, pooled_3d),
    Operator::new("relax.nn.max_pool1d", &MAX_POOL1D, pooled_1d),
    Operator::new("relax.nn.max_pool2d", &MAX_POOL2D, pooled_2d),
    Operator::new("relax.nn.max_pool3d", &MAX_POOL3D, pooled_3d),
];

type Ints = Array<Ref<IntImm>>;

/// What a rule reads of the attributes of any operator with a window.
struct Pool<'a> {
    window: Window<'a>,
    pool_size: &'a Ints,
    ceil_mode: bool,
    layouts: [&'a Str; 2],
}

/// The rules for one count of spatial axes.
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
    let given = layout(cx, "layout", given, canonical)?;
    let out = layout(cx, "out_layout", out, canonical)?;
    let Some(mut dims) = canonical_dims(cx, 0, &x, &given)? else {
        return Ok(tensor_of_rank(out.rank(), x.dtype, x.vdevice.clone()));
    };
    let rank = dims.len() - 2;
    for (axis, size) in pool.pool_size.iter().take(rank).enumerate() {
        let lengths = [&dims[axis + 2], &size.clone().upcast()];
        dims[axis + 2] = pool.window.places(cx, axis, rank, lengths, pool.ceil_mode)?;
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
    let given = layout(cx, "layout", layouts[0], canonical)?;
    let out = layout(cx, "out_layout", layouts[1], canonical)?;
    let Some(mut dims) = canonical_dims(cx, 0, &x, &given)? else {
        // A variable that holds the shape holds that of the result too.
        let keeps_shape = x.shape.is_some() && layouts[0] == layouts[1] && output_size.is_none();
        return Ok(match keeps_shape {
            true => x.upcast(),
            false => tensor_of_rank(out.rank(), x.dtype, x.vdevice.clone()),
        });
    };
    for (dim, size) in dims[2..].iter_mut().zip(output_size.into_iter().flat_map(|sizes| sizes.iter())) {
        *dim = IntImm::int64(size.value);
    }
    let dims = out.dims_of_canonical(&dims).map_err(|error| cx.wrong_shape(error.to_string()))?;
    Ok(tensor_of(dims, x.dtype, x.vdevice.clone()))
}
