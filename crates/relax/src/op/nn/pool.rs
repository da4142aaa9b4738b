//! Pooling.
//!
//! Upstream counterpart: `src/relax/op/nn/pooling.cc`.

use tvmscript_ir_core::{Array, Ref, Str};
use tvmscript_ir_macros::operators;
use tvmscript_prim::IntImm;

use super::super::{Infer, Operator, tensor_of, tensor_of_rank};
use super::Inferred;
use super::window::{Window, canonical_dims, layout};
#[cfg(feature = "build")]
use super::window::{padding, per_axis};
#[cfg(feature = "build")]
use crate::build::args::{ExprArg, IntsArg};
use crate::node::attrs::{
    AdaptivePool1DAttrs, AdaptivePool2DAttrs, AdaptivePool3DAttrs, Pool1DAttrs, Pool2DAttrs, Pool3DAttrs,
};
use crate::node::*;

/// Declares pooling by its attributes, the number of spatial axes with the defaults for it, whether padding counts, and the
/// layout; then operators that choose the window themselves.
macro_rules! pools {
    (windows { $($(#[$doc:meta])* $function:ident $text:literal $attrs:ident $rank:literal
       $one:tt $zero:tt $count:tt $layout:literal $infer:ident;)* }
     adaptive { $($(#[$adaptive_doc:meta])* $adaptive:ident $adaptive_text:literal $adaptive_attrs:ident
       $adaptive_rank:literal $adaptive_layout:literal $adaptive_infer:ident;)* }) => {
        operators! {
            prefix = "relax.";
            result = Ref<Call>;
            script = crate::build::operator;

            $(
                $(#[$doc])*
                $function(
                    data: ExprArg, pool_size: IntsArg = $one, strides: IntsArg = $one, padding: IntsArg = $zero,
                    dilation: IntsArg = $one, ceil_mode: bool = false, count_include_pad: bool = $count,
                    layout: Str = $layout, out_layout: Option<Str> = None
                ) -> infer($infer), text = $text {
                    let attrs = $attrs {
                        pool_size: per_axis("pool_size", &pool_size.into_int64(), $rank)?,
                        strides: per_axis("strides", &strides.into_int64(), $rank)?,
                        dilation: per_axis("dilation", &dilation.into_int64(), $rank)?,
                        padding: super::padding(&padding.into_int64(), $rank)?,
                        ceil_mode,
                        count_include_pad,
                        out_layout: out_layout.unwrap_or_else(|| layout.clone()),
                        layout,
                    };
                    Ok(Call::of_op(concat!("relax.", $text), [data.0], Some(Ref::new(attrs).upcast())))
                }
            )*
            $(
                $(#[$adaptive_doc])*
                $adaptive(
                    data: ExprArg, output_size: Option<IntsArg> = None, layout: Str = $adaptive_layout,
                    out_layout: Option<Str> = None
                ) -> infer($adaptive_infer), text = $adaptive_text {
                    let size = output_size.map(|size| per_axis("output_size", &size.0, $adaptive_rank));
                    let out_layout = out_layout.unwrap_or_else(|| layout.clone());
                    let attrs = $adaptive_attrs { output_size: size.transpose()?, layout, out_layout };
                    let attrs = Ref::new(attrs).upcast();
                    Ok(Call::of_op(concat!("relax.", $adaptive_text), [data.0], Some(attrs)))
                }
            )*
        }
    };
}

pools! {
windows {
    /// The greatest element of each window along one spatial axis.
    max_pool1d "nn.max_pool1d" Pool1DAttrs 1 [1] [0, 0] false "NCW" pooled_1d;
    /// The greatest element of each window along two spatial axes.
    max_pool2d "nn.max_pool2d" Pool2DAttrs 2 [1, 1] [0, 0] false "NCHW" pooled_2d;
    /// The greatest element of each window along three spatial axes.
    max_pool3d "nn.max_pool3d" Pool3DAttrs 3 [1, 1, 1] [0, 0, 0] false "NCDHW" pooled_3d;
    /// The mean of each window along one spatial axis.
    avg_pool1d "nn.avg_pool1d" Pool1DAttrs 1 [1] [0, 0] true "NCW" pooled_1d;
    /// The mean of each window along two spatial axes.
    avg_pool2d "nn.avg_pool2d" Pool2DAttrs 2 [1, 1] [0, 0] false "NCHW" pooled_2d;
    /// The mean of each window along three spatial axes.
    avg_pool3d "nn.avg_pool3d" Pool3DAttrs 3 [1, 1, 1] [0, 0, 0] true "NCDHW" pooled_3d;
}
adaptive {
    /// The mean of windows along one spatial axis, as large as gives a result of `output_size`.
    adaptive_avg_pool1d "nn.adaptive_avg_pool1d" AdaptivePool1DAttrs 1 "NCW" adaptive_1d;
    /// The mean of windows along two spatial axes, as large as gives a result of `output_size`.
    adaptive_avg_pool2d "nn.adaptive_avg_pool2d" AdaptivePool2DAttrs 2 "NCHW" adaptive_2d;
    /// The mean of windows along three spatial axes, as large as gives a result of `output_size`.
    adaptive_avg_pool3d "nn.adaptive_avg_pool3d" AdaptivePool3DAttrs 3 "NCDHW" adaptive_3d;
}
}

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
