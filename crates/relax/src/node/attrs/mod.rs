//! What calls say besides their arguments: one node a family of operators. Fields print as keywords, in this order.
//!
//! Upstream counterpart: `include/tvm/relax/attrs`.

mod call;
mod conv;
mod image;
mod index;
mod manipulate;
mod nn;
mod pool;
mod reduce;
mod tensor;

pub use call::*;
pub use conv::*;
pub use image::*;
pub use index::*;
pub use manipulate::*;
pub use nn::*;
pub use pool::*;
pub use reduce::*;
pub use tensor::*;

use tvmscript_ir_core::Dialect;

/// Whether the function of an operator decides the type of the integers in an attribute, whatever type they are said to
/// have: `int64`, or `bool` for `exclusive`. The others keep the type, and make a plain integer as narrow as it fits.
#[cfg(feature = "print")]
pub(crate) fn decides_type(op: Option<&str>, field: &str) -> bool {
    match field {
        "strides" | "padding" | "output_padding" | "dilation" | "indices_or_sections" | "exclusive" => true,
        // The gradients of pooling keep it as it is.
        "pool_size" => op.is_none_or(|op| !op.ends_with("_backward")),
        _ => false,
    }
}

/// Adds the nodes of this module.
pub(crate) fn nodes<N>(dialect: Dialect<N>) -> Dialect {
    dialect
        .node::<CallTIRInplaceAttrs>()
        .node::<CallTIRWithGradAttrs>()
        .node::<CallInplacePackedAttrs>()
        .node::<HintOnDeviceAttrs>()
        .node::<ToVDeviceAttrs>()
        .node::<AllReduceAttrs>()
        .node::<AllGatherAttrs>()
        .node::<ScatterCollectiveAttrs>()
        .node::<DistributionAttrs>()
        .node::<InitAttrs>()
        .node::<TriluAttrs>()
        .node::<AstypeAttrs>()
        .node::<WrapParamAttrs>()
        .node::<MatmulAttrs>()
        .node::<EinsumAttrs>()
        .node::<QuantizeAttrs>()
        .node::<MultinomialFromUniformAttrs>()
        .node::<ConcatAttrs>()
        .node::<ExpandDimsAttrs>()
        .node::<LayoutTransformAttrs>()
        .node::<PermuteDimsAttrs>()
        .node::<SplitAttrs>()
        .node::<SqueezeAttrs>()
        .node::<StackAttrs>()
        .node::<RepeatAttrs>()
        .node::<TileAttrs>()
        .node::<FlipAttrs>()
        .node::<MeshgridAttrs>()
        .node::<OneHotAttrs>()
        .node::<TakeAttrs>()
        .node::<StridedSliceAttrs>()
        .node::<GatherElementsAttrs>()
        .node::<GatherNDAttrs>()
        .node::<IndexPutAttrs>()
        .node::<ScatterElementsAttrs>()
        .node::<ScatterNDAttrs>()
        .node::<SliceScatterAttrs>()
        .node::<StatisticalAttrs>()
        .node::<ArgmaxArgminAttrs>()
        .node::<ScanopAttrs>()
        .node::<SortAttrs>()
        .node::<ArgsortAttrs>()
        .node::<TopKAttrs>()
        .node::<BucketizeAttrs>()
        .node::<Conv1DAttrs>()
        .node::<Conv2DAttrs>()
        .node::<Conv3DAttrs>()
        .node::<Conv1DTransposeAttrs>()
        .node::<Conv2DTransposeAttrs>()
        .node::<Pool1DAttrs>()
        .node::<Pool2DAttrs>()
        .node::<Pool3DAttrs>()
        .node::<AdaptivePool1DAttrs>()
        .node::<AdaptivePool2DAttrs>()
        .node::<AdaptivePool3DAttrs>()
        .node::<SoftmaxAttrs>()
        .node::<LeakyReluAttrs>()
        .node::<SoftplusAttrs>()
        .node::<PReluAttrs>()
        .node::<BatchNormAttrs>()
        .node::<LayerNormAttrs>()
        .node::<GroupNormAttrs>()
        .node::<InstanceNormAttrs>()
        .node::<RMSNormAttrs>()
        .node::<NLLLossAttrs>()
        .node::<DropoutAttrs>()
        .node::<AttentionAttrs>()
        .node::<PadAttrs>()
        .node::<PixelShuffleAttrs>()
        .node::<Resize2DAttrs>()
        .node::<GridSampleAttrs>()
        .node::<AllClassNonMaximumSuppressionAttrs>()
        .finish()
}
