//! Of activations, normalisation, losses and attention.

use tvmscript_ir::Attrs;
use tvmscript_ir_core::{Array, Node, Ref, Str};
use tvmscript_prim::{FloatImm, IntImm};

/// Of `R.nn.softmax` and `R.nn.log_softmax`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.SoftmaxAttrs", parent = Attrs)]
pub struct SoftmaxAttrs {
    /// The axis; negative ones count from the last.
    pub axis: i64,
}

/// Of `R.nn.leakyrelu`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.LeakyReluAttrs", parent = Attrs)]
pub struct LeakyReluAttrs {
    /// The slope for negative values.
    pub alpha: f64,
}

/// Of `R.nn.softplus`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.SoftplusAttrs", parent = Attrs)]
pub struct SoftplusAttrs {
    /// The sharpness.
    pub beta: f64,
    /// From where on the function is linear.
    pub threshold: f64,
}

/// Of `R.nn.prelu`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.PReluAttrs", parent = Attrs)]
pub struct PReluAttrs {
    /// The axis; negative ones count from the last.
    pub axis: i64,
}

/// Of `R.nn.batch_norm`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.BatchNormAttrs", parent = Attrs)]
pub struct BatchNormAttrs {
    /// The axis; negative ones count from the last.
    pub axis: i64,
    /// Added to the variance.
    pub epsilon: f64,
    /// The offset `beta` is added.
    pub center: bool,
    /// The factor `gamma` is applied.
    pub scale: bool,
    /// The weight of the new statistics.
    pub momentum: f64,
    /// Statistics are those of the batch.
    pub training: bool,
}

/// Of `R.nn.layer_norm`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.LayerNormAttrs", parent = Attrs)]
pub struct LayerNormAttrs {
    /// The axes.
    pub axes: Array<Ref<IntImm>>,
    /// Added to the variance.
    pub epsilon: f64,
    /// The offset `beta` is added.
    pub center: bool,
    /// The factor `gamma` is applied.
    pub scale: bool,
}

/// Of `R.nn.group_norm`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.GroupNormAttrs", parent = Attrs)]
pub struct GroupNormAttrs {
    /// In how many groups channels are divided.
    pub num_groups: i64,
    /// The axis of channels.
    pub channel_axis: i64,
    /// The axes.
    pub axes: Array<Ref<IntImm>>,
    /// Added to the variance.
    pub epsilon: f64,
    /// The offset `beta` is added.
    pub center: bool,
    /// The factor `gamma` is applied.
    pub scale: bool,
}

/// Of `R.nn.instance_norm`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.InstanceNormAttrs", parent = Attrs)]
pub struct InstanceNormAttrs {
    /// The axis of channels.
    pub channel_axis: i64,
    /// The axes.
    pub axes: Array<Ref<IntImm>>,
    /// Added to the variance.
    pub epsilon: f64,
    /// The offset `beta` is added.
    pub center: bool,
    /// The factor `gamma` is applied.
    pub scale: bool,
}

/// Of `R.nn.rms_norm`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.RMSNormAttrs", parent = Attrs)]
pub struct RMSNormAttrs {
    /// The axes.
    pub axes: Array<Ref<IntImm>>,
    /// Added to the variance.
    pub epsilon: f64,
}

/// Of `R.nn.nll_loss`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.NLLLossAttrs", parent = Attrs)]
pub struct NLLLossAttrs {
    /// How values at the same place are combined.
    pub reduction: Str,
    /// The class that has no loss.
    pub ignore_index: i64,
}

/// Of `R.nn.dropout`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.DropoutAttrs", parent = Attrs)]
pub struct DropoutAttrs {
    /// The share of elements dropped.
    pub rate: f64,
}

/// Of `R.nn.attention` and its like.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.AttentionAttrs", parent = Attrs)]
pub struct AttentionAttrs {
    /// The factor of the scores; one over the root of the head size where none.
    pub scale: Option<Ref<FloatImm>>,
    /// `TopLeft`, `BottomRight`, or none.
    pub causal_mask: Option<Str>,
    /// How far back attention looks; none where not said.
    pub window_size: Option<Ref<IntImm>>,
}

/// Of `R.nn.pad`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.PadAttrs", parent = Attrs)]
pub struct PadAttrs {
    /// Elements added before and after, per axis.
    pub pad_width: Array<Ref<IntImm>>,
    /// What fills the places that no element has.
    pub pad_value: f64,
    /// What is added: `constant`, `reflect`, `replicate`, `circular`.
    pub pad_mode: Str,
}

/// Of `R.nn.pixel_shuffle`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.PixelShuffleAttrs", parent = Attrs)]
pub struct PixelShuffleAttrs {
    /// How much larger the image becomes.
    pub upscale_factor: i64,
}
