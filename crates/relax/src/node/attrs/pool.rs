//! Of pooling.

use tvmscript_ir::Attrs;
use tvmscript_ir_core::{Array, Node, Ref, Str};
use tvmscript_prim::IntImm;

/// Of `R.nn.max_pool1d` and `R.nn.avg_pool1d`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.Pool1DAttrs", parent = Attrs)]
pub struct Pool1DAttrs {
    /// The window, one length per spatial axis.
    pub pool_size: Array<Ref<IntImm>>,
    /// Steps of the window, one per spatial axis.
    pub strides: Array<Ref<IntImm>>,
    /// Steps inside the window, one per spatial axis.
    pub dilation: Array<Ref<IntImm>>,
    /// Elements added before, then after, per spatial axis.
    pub padding: Array<Ref<IntImm>>,
    /// A last, partial window counts.
    pub ceil_mode: bool,
    /// Padding takes part in averages.
    pub count_include_pad: bool,
    /// The axes of the data.
    pub layout: Str,
    /// The axes of the result.
    pub out_layout: Str,
}

/// Of `R.nn.max_pool2d` and `R.nn.avg_pool2d`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.Pool2DAttrs", parent = Attrs)]
pub struct Pool2DAttrs {
    /// The window, one length per spatial axis.
    pub pool_size: Array<Ref<IntImm>>,
    /// Steps of the window, one per spatial axis.
    pub strides: Array<Ref<IntImm>>,
    /// Steps inside the window, one per spatial axis.
    pub dilation: Array<Ref<IntImm>>,
    /// Elements added before, then after, per spatial axis.
    pub padding: Array<Ref<IntImm>>,
    /// A last, partial window counts.
    pub ceil_mode: bool,
    /// Padding takes part in averages.
    pub count_include_pad: bool,
    /// The axes of the data.
    pub layout: Str,
    /// The axes of the result.
    pub out_layout: Str,
}

/// Of `R.nn.max_pool3d` and `R.nn.avg_pool3d`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.Pool3DAttrs", parent = Attrs)]
pub struct Pool3DAttrs {
    /// The window, one length per spatial axis.
    pub pool_size: Array<Ref<IntImm>>,
    /// Steps of the window, one per spatial axis.
    pub strides: Array<Ref<IntImm>>,
    /// Steps inside the window, one per spatial axis.
    pub dilation: Array<Ref<IntImm>>,
    /// Elements added before, then after, per spatial axis.
    pub padding: Array<Ref<IntImm>>,
    /// A last, partial window counts.
    pub ceil_mode: bool,
    /// Padding takes part in averages.
    pub count_include_pad: bool,
    /// The axes of the data.
    pub layout: Str,
    /// The axes of the result.
    pub out_layout: Str,
}

/// Of `R.nn.adaptive_avg_pool1d`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.AdaptivePool1DAttrs", parent = Attrs)]
pub struct AdaptivePool1DAttrs {
    /// The spatial lengths of the result; none where not said.
    pub output_size: Option<Array<Ref<IntImm>>>,
    /// The axes of the data.
    pub layout: Str,
    /// The axes of the result.
    pub out_layout: Str,
}

/// Of `R.nn.adaptive_avg_pool2d`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.AdaptivePool2DAttrs", parent = Attrs)]
pub struct AdaptivePool2DAttrs {
    /// The spatial lengths of the result; none where not said.
    pub output_size: Option<Array<Ref<IntImm>>>,
    /// The axes of the data.
    pub layout: Str,
    /// The axes of the result.
    pub out_layout: Str,
}

/// Of `R.nn.adaptive_avg_pool3d`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.AdaptivePool3DAttrs", parent = Attrs)]
pub struct AdaptivePool3DAttrs {
    /// The spatial lengths of the result; none where not said.
    pub output_size: Option<Array<Ref<IntImm>>>,
    /// The axes of the data.
    pub layout: Str,
    /// The axes of the result.
    pub out_layout: Str,
}
