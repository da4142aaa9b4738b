//! Attributes of calls: one node per family of operators. Fields print as keyword arguments, in this order.
//!
//! A field's documentation is that of its name (`field_doc!`); `Option` fields are `None` where the call omits them.
//!
//! Upstream counterpart: `include/tvm/relax/attrs`.

use tvmscript_ir::{Attrs, VDevice};
use tvmscript_ir_core::{Array, DataType, Dialect, Map, Node, Object, Ref, Str, Value};
use tvmscript_prim::{FloatImm, IndexMap, IntImm};

use super::{DeviceMesh, Placement, PrimValue};

type Ints = Array<Ref<IntImm>>;

/// The documentation of a field without a comment of its own, by its name.
#[rustfmt::skip]
macro_rules! field_doc {
    (align_corners) => { "`true` if the corners of the image are the centres of its corner pixels." };
    (axes) => { "Axes; negative values count from the last axis." };
    (axis) => { "Axis, or axes; negative values count from the last axis." };
    (axis_separators) => { "First axis of each group of result axes." };
    (batch_dims) => { "Number of leading batch axes." };
    (causal_mask) => { "`TopLeft`, `BottomRight`, or `None` for no mask." };
    (ceil_mode) => { "`true` if a partial window at the end counts." };
    (center) => { "`true` to add the offset `beta`." };
    (channel_axis) => { "Axis of the channels." };
    (coordinate_transformation_mode) => { "Mapping from coordinates of the result to those of the image." };
    (count_include_pad) => { "`true` if averages include the padding." };
    (cubic_alpha) => { "Coefficient of bicubic interpolation." };
    (cubic_exclude) => { "1 to leave out weights outside the image." };
    (data_layout) => { "Layout of the data." };
    (depth) => { "Number of classes." };
    (descending) => { "`true` for descending order." };
    (device_mesh) => { "Mesh of devices." };
    (device_type) => { "DLPack number of the kind of device." };
    (dilation) => { "Steps inside the window, per spatial axis." };
    (dst_vdevice) => { "Target device." };
    (dtype) => { "Element type of the result; void for that of the operand." };
    (epsilon) => { "Value added to the variance." };
    (exclusive) => { "1 if an element is not part of its own sum or product." };
    (extrapolation_value) => { "Value outside the image." };
    (groups) => { "Number of channel groups." };
    (id_index) => { "Index of the class in the numbers of a box; -1 for none." };
    (ignore_index) => { "Class without loss." };
    (in_group) => { "`true` to combine within the group of workers, not among all." };
    (index) => { "Index among the devices of this kind." };
    (index_map) => { "Map from old indices to new ones." };
    (indexing) => { "`ij` or `xy`." };
    (indices_or_sections) => { "Number of equal parts, or the start of each part but the first." };
    (inplace_indices) => { "For each result the index of the argument that it overwrites; -1 for none." };
    (input_axis_separators) => { "First axis of each group of operand axes." };
    (k) => { "Number of elements, or index of a diagonal, counted from the main one." };
    (keepdims) => { "`true` to keep reduced axes with length 1." };
    (kernel_layout) => { "Layout of the weight." };
    (largest) => { "`true` for the largest elements, `false` for the smallest." };
    (layout) => { "Layout of the data." };
    (memory_scope) => { "Memory scope, e.g. `global`." };
    (method) => { "Interpolation method." };
    (momentum) => { "Weight of the new statistics." };
    (num_groups) => { "Number of channel groups." };
    (num_workers) => { "Number of workers." };
    (op_type) => { "Reduction: `sum`, `prod`, `min`, `max` or `avg`." };
    (out_dtype) => { "Element type of the result; void for that of the operands." };
    (out_int32) => { "`true` for a result of `int32`, `false` for `int64`." };
    (out_layout) => { "Layout of the result." };
    (output_format) => { "`onnx` or `tensorflow`." };
    (output_padding) => { "Elements added to one side of the result, per spatial axis." };
    (output_size) => { "Spatial dimensions of the result." };
    (pad_mode) => { "`constant`, `reflect`, `replicate` or `circular`." };
    (pad_value) => { "Value of the elements that are added." };
    (pad_width) => { "Elements added before and after, per axis." };
    (padding) => { "Elements added before each spatial axis, then those added after each." };
    (padding_mode) => { "Value outside the image: `zeros`, `border` or `reflection`." };
    (placement) => { "Placement on the mesh." };
    (pool_size) => { "Size of the window, per spatial axis." };
    (pooled_size) => { "Height and width of the result." };
    (rate) => { "Fraction of elements that are dropped." };
    (reduction) => { "Reduction of several values to one." };
    (repeats) => { "Number of repetitions." };
    (ret_type) => { "`both`, `values` or `indices`." };
    (right) => { "`true` if a bucket includes its right boundary." };
    (roi) => { "Region of interest." };
    (rounding_method) => { "Rounding of coordinates for nearest neighbours." };
    (strides) => { "Steps of the window, per spatial axis." };
    (subscripts) => { "Subscripts, e.g. `ij,jk->ik`." };
    (score_index) => { "Index of the score in the numbers of a box." };
    (score_threshold) => { "Score from which a box counts." };
    (spatial_scale) => { "Side of the data divided by that of the image." };
    (te_grad_kwargs) => { "Keyword arguments of the gradient function." };
    (te_grad_name) => { "Name of the gradient function." };
    (training) => { "`true` to use the statistics of the batch." };
    (upscale_factor) => { "Factor of height and width." };
    (window_size) => { "Number of preceding positions that are attended." };
    ($field:ident) => {
        compile_error!(concat!("the field `", stringify!($field), "` needs a doc comment or a line in `field_doc!`"))
    };
    ($field:ident, $($own:meta),+) => { "" };
}

/// Declares a node: its operators, then its fields.
macro_rules! attributes_node {
    ($name:ident, $operators:literal, { $($(#[$doc:meta])* $field:ident: $ty:ty),* $(,)? }) => {
        #[doc = concat!("Attributes of ", $operators, ".")]
        #[derive(Debug, Clone, Node)]
        #[node(key = "relax.attrs.", parent = Attrs)]
        pub struct $name {
            $(
                #[doc = field_doc!($field $(, $doc)*)]
                $(#[$doc])*
                pub $field: $ty,
            )*
        }
    };
}

/// Declares nodes, several of them with the same fields, and registers all of them.
macro_rules! attributes {
    ($($($name:ident, $operators:literal)|+ => $fields:tt)*) => {
        $($(attributes_node!($name, $operators, $fields);)+)*

        /// Registers the attributes.
        pub(crate) fn nodes<N>(dialect: Dialect<N>) -> Dialect {
            dialect$($(.node::<$name>())+)*.finish()
        }
    };
}

attributes! {
    CallTIRInplaceAttrs, "`R.call_tir_inplace`" => { inplace_indices: Ints }
    CallTIRWithGradAttrs, "`R.call_tir_with_grad`" => { te_grad_name: Str, te_grad_kwargs: Map<Str, Value> }
    CallInplacePackedAttrs, "`R.call_inplace_packed`" => { inplace_indices: Ints }
    HintOnDeviceAttrs, "`R.hint_on_device`" => { device_type: i64, index: i64, memory_scope: Str }
    ToVDeviceAttrs, "`R.to_vdevice`" => { dst_vdevice: Ref<VDevice> }
    AllReduceAttrs, "`R.ccl.allreduce`" => { op_type: Str, in_group: bool }
    AllGatherAttrs, "`R.ccl.allgather`" => { num_workers: i64, in_group: bool }
    ScatterCollectiveAttrs, "`R.ccl.scatter_from_worker0`" => { num_workers: i64, axis: i64 }
    DistributionAttrs, "`R.dist.annotate_sharding` and `R.dist.redistribute`" => {
        device_mesh: Ref<DeviceMesh>, placement: Ref<Placement>
    }
    InitAttrs, "`R.full`, `R.zeros`, `R.ones`, `R.arange` and the like" => { dtype: DataType }
    TriluAttrs, "triangular parts (not used by operators)" => { k: i64 }
    AstypeAttrs, "`R.astype`" => { dtype: DataType }
    WrapParamAttrs, "`R.wrap_param`" => { dtype: DataType }
    MatmulAttrs, "`R.matmul`" => { out_dtype: DataType }
    EinsumAttrs, "`R.einsum`" => { subscripts: Str }
    QuantizeAttrs, "`R.quantize` and `R.dequantize`" => { out_dtype: DataType, axis: i64 }
    MultinomialFromUniformAttrs, "`R.multinomial_from_uniform`" => { dtype: DataType }
    ConcatAttrs, "`R.concat`" => { axis: Option<i64> }
    ExpandDimsAttrs, "`R.expand_dims`" => { axis: Ints }
    LayoutTransformAttrs, "`R.layout_transform`" => {
        index_map: Ref<IndexMap>, pad_value: Option<Ref<PrimValue>>, axis_separators: Option<Ints>,
        input_axis_separators: Option<Ints>
    }
    PermuteDimsAttrs, "`R.permute_dims`" => { axes: Option<Ints> }
    SplitAttrs, "`R.split`" => { indices_or_sections: Object, axis: i64 }
    SqueezeAttrs, "`R.squeeze`" => { axis: Option<Ints> }
    StackAttrs, "`R.stack`" => { axis: Option<Ref<IntImm>> }
    RepeatAttrs, "`R.repeat`" => { repeats: i64, axis: Option<i64> }
    TileAttrs, "`R.tile`" => { repeats: Ints }
    FlipAttrs, "`R.flip`" => { axis: Ref<IntImm> }
    MeshgridAttrs, "`R.meshgrid`" => { indexing: Option<Str> }
    OneHotAttrs, "`R.one_hot`" => { depth: i64, axis: i64 }
    TakeAttrs, "`R.take`" => {
        axis: Option<i64>,
        /// Result for indices out of bounds: `fast`, `wrap`, `clip` or `nan`.
        mode: Str
    }
    StridedSliceAttrs, "`R.strided_slice`" => {
        /// `true` if bounds are known to lie inside the tensor.
        assume_inbound: bool
    }
    GatherElementsAttrs, "`R.gather_elements`" => { axis: Ref<IntImm> }
    GatherNDAttrs, "`R.gather_nd`" => { batch_dims: Ref<IntImm> }
    IndexPutAttrs, "`R.index_put`" => {
        /// `true` to add the values, `false` to store them.
        accumulate: bool
    }
    ScatterElementsAttrs, "`R.scatter_elements`" => { axis: Ref<IntImm>, reduction: Str }
    ScatterNDAttrs, "`R.scatter_nd`" => { reduction: Str }
    SliceScatterAttrs, "`R.slice_scatter`" => { axis: i64 }
    StatisticalAttrs, "`R.sum`, `R.mean` and the other reductions" => { axis: Option<Ints>, keepdims: bool }
    ArgmaxArgminAttrs, "`R.argmax` and `R.argmin`" => { axis: Option<i64>, keepdims: bool }
    ScanopAttrs, "`R.cumsum` and `R.cumprod`" => { axis: Option<i64>, dtype: DataType, exclusive: Ref<IntImm> }
    SortAttrs, "`R.sort`" => { axis: i64, descending: bool }
    ArgsortAttrs, "`R.argsort`" => { axis: i64, descending: bool, dtype: DataType }
    TopKAttrs, "`R.topk`" => { k: i64, axis: i64, ret_type: Str, largest: bool, dtype: DataType }
    BucketizeAttrs, "`R.bucketize`" => { out_int32: bool, right: bool }
    Conv1DAttrs, "`R.nn.conv1d`"
    | Conv2DAttrs, "`R.nn.conv2d`"
    | Conv3DAttrs, "`R.nn.conv3d`" => {
        strides: Ints, padding: Ints, dilation: Ints, groups: i64, data_layout: Str, kernel_layout: Str,
        out_layout: Str, out_dtype: DataType
    }
    Conv1DTransposeAttrs, "`R.nn.conv1d_transpose`"
    | Conv2DTransposeAttrs, "`R.nn.conv2d_transpose`"
    | Conv3DTransposeAttrs, "`R.nn.conv3d_transpose`" => {
        strides: Ints, padding: Ints, output_padding: Ints, dilation: Ints, groups: i64, data_layout: Str,
        kernel_layout: Str, out_layout: Str, out_dtype: DataType
    }
    Pool1DAttrs, "`R.nn.max_pool1d` and `R.nn.avg_pool1d`"
    | Pool2DAttrs, "`R.nn.max_pool2d` and `R.nn.avg_pool2d`"
    | Pool3DAttrs, "`R.nn.max_pool3d` and `R.nn.avg_pool3d`" => {
        pool_size: Ints, strides: Ints, dilation: Ints, padding: Ints, ceil_mode: bool, count_include_pad: bool,
        layout: Str, out_layout: Str
    }
    AdaptivePool1DAttrs, "`R.nn.adaptive_avg_pool1d`"
    | AdaptivePool2DAttrs, "`R.nn.adaptive_avg_pool2d`"
    | AdaptivePool3DAttrs, "`R.nn.adaptive_avg_pool3d`" => { output_size: Option<Ints>, layout: Str, out_layout: Str }
    SoftmaxAttrs, "`R.nn.softmax` and `R.nn.log_softmax`" => { axis: i64 }
    LeakyReluAttrs, "`R.nn.leakyrelu`" => {
        /// Slope for negative values.
        alpha: f64
    }
    SoftplusAttrs, "`R.nn.softplus`" => {
        /// Sharpness.
        beta: f64,
        /// Value from which the function is linear.
        threshold: f64
    }
    PReluAttrs, "`R.nn.prelu`" => { axis: i64 }
    BatchNormAttrs, "`R.nn.batch_norm`" => {
        axis: i64, epsilon: f64, center: bool,
        /// `true` to apply the factor `gamma`.
        scale: bool,
        momentum: f64, training: bool
    }
    LayerNormAttrs, "`R.nn.layer_norm`" => {
        axes: Ints, epsilon: f64, center: bool,
        /// `true` to apply the factor `gamma`.
        scale: bool
    }
    GroupNormAttrs, "`R.nn.group_norm`" => {
        num_groups: i64, channel_axis: i64, axes: Ints, epsilon: f64, center: bool,
        /// `true` to apply the factor `gamma`.
        scale: bool
    }
    InstanceNormAttrs, "`R.nn.instance_norm`" => {
        channel_axis: i64, axes: Ints, epsilon: f64, center: bool,
        /// `true` to apply the factor `gamma`.
        scale: bool
    }
    RMSNormAttrs, "`R.nn.rms_norm`" => { axes: Ints, epsilon: f64 }
    NLLLossAttrs, "`R.nn.nll_loss`" => { reduction: Str, ignore_index: i64 }
    DropoutAttrs, "`R.nn.dropout`" => { rate: f64 }
    AttentionAttrs, "`R.nn.attention` and its variants" => {
        /// Factor of the scores; `None` for one over the square root of the head size.
        scale: Option<Ref<FloatImm>>,
        causal_mask: Option<Str>, window_size: Option<Ref<IntImm>>
    }
    PadAttrs, "`R.nn.pad`" => { pad_width: Ints, pad_value: f64, pad_mode: Str }
    PixelShuffleAttrs, "`R.nn.pixel_shuffle`" => { upscale_factor: i64 }
    Resize2DAttrs, "`R.image.resize2d`"
    | Resize3DAttrs, "`R.image.resize3d`" => {
        roi: Array<Ref<FloatImm>>, layout: Str, method: Str, coordinate_transformation_mode: Str,
        rounding_method: Str, cubic_alpha: f64, cubic_exclude: i64, extrapolation_value: f64, out_dtype: DataType
    }
    GridSampleAttrs, "`R.image.grid_sample`" => { method: Str, layout: Str, padding_mode: Str, align_corners: bool }
    AllClassNonMaximumSuppressionAttrs, "`R.vision.all_class_non_max_suppression`" => { output_format: Str }
    AffineGridAttrs, "`R.image.affine_grid`" => { align_corners: bool }
    GetValidCountsAttrs, "`R.vision.get_valid_counts`" => { score_threshold: f64, id_index: i64, score_index: i64 }
    MultiboxTransformLocAttrs, "`R.vision.multibox_transform_loc`" => {
        /// `true` to clip boxes to the image.
        clip: bool,
        /// Score below which a class scores 0.
        threshold: f64,
        /// Scales of the encoded boxes: `x`, `y`, width, height; Python floats.
        variances: Array<Value>,
        /// `false` to score the first class 0.
        keep_background: bool,
        /// `true` to turn logits into scores.
        apply_softmax: bool
    }
    NonMaximumSuppressionAttrs, "`R.vision.non_max_suppression`" => {
        /// Greatest number of boxes per batch; -1 for no limit.
        max_output_size: i64,
        /// Overlap from which a box is suppressed.
        iou_threshold: f64,
        /// `true` to suppress boxes of other classes too.
        force_suppress: bool,
        /// Number of best boxes to consider; -1 for all.
        top_k: i64,
        /// Index of the first of four coordinates.
        coord_start: i64,
        score_index: i64,
        id_index: i64,
        /// `true` for indices of boxes, `false` for the boxes themselves.
        return_indices: bool,
        /// `true` to move suppressed boxes to the end.
        invalid_to_bottom: bool,
        /// Width of the penalty that lowers the scores of overlapping boxes; 0 to suppress them.
        soft_nms_sigma: f64,
        score_threshold: f64
    }
    ROIAlignAttrs, "`R.vision.roi_align`" => {
        pooled_size: Ints,
        spatial_scale: f64,
        /// Number of samples per bin and axis; not positive to choose it by the region's size.
        sample_ratio: i64,
        /// `true` for centres of pixels at half coordinates.
        aligned: bool,
        layout: Str,
        /// `avg` or `max`.
        mode: Str
    }
    ROIPoolAttrs, "`R.vision.roi_pool`" => { pooled_size: Ints, spatial_scale: f64, layout: Str }
    ReverseSequenceAttrs, "`R.reverse_sequence`" => {
        /// Axis along which elements are reversed.
        seq_axis: i64,
        /// Axis of the batches.
        batch_axis: i64
    }
}
