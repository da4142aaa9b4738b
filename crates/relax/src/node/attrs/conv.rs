//! Of convolutions.

use tvmscript_ir::Attrs;
use tvmscript_ir_core::{Array, DataType, Node, Ref, Str};
use tvmscript_prim::IntImm;

/// Of `R.nn.conv1d`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.Conv1DAttrs", parent = Attrs)]
pub struct Conv1DAttrs {
    /// Steps of the window, one per spatial axis.
    pub strides: Array<Ref<IntImm>>,
    /// Elements added before, then after, per spatial axis.
    pub padding: Array<Ref<IntImm>>,
    /// Steps inside the window, one per spatial axis.
    pub dilation: Array<Ref<IntImm>>,
    /// In how many groups channels are divided.
    pub groups: i64,
    /// The axes of the data.
    pub data_layout: Str,
    /// The axes of the weight.
    pub kernel_layout: Str,
    /// The axes of the result.
    pub out_layout: Str,
    /// The element type of the result; void for that of the operands.
    pub out_dtype: DataType,
}

/// Of `R.nn.conv2d`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.Conv2DAttrs", parent = Attrs)]
pub struct Conv2DAttrs {
    /// Steps of the window, one per spatial axis.
    pub strides: Array<Ref<IntImm>>,
    /// Elements added before, then after, per spatial axis.
    pub padding: Array<Ref<IntImm>>,
    /// Steps inside the window, one per spatial axis.
    pub dilation: Array<Ref<IntImm>>,
    /// In how many groups channels are divided.
    pub groups: i64,
    /// The axes of the data.
    pub data_layout: Str,
    /// The axes of the weight.
    pub kernel_layout: Str,
    /// The axes of the result.
    pub out_layout: Str,
    /// The element type of the result; void for that of the operands.
    pub out_dtype: DataType,
}

/// Of `R.nn.conv3d`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.Conv3DAttrs", parent = Attrs)]
pub struct Conv3DAttrs {
    /// Steps of the window, one per spatial axis.
    pub strides: Array<Ref<IntImm>>,
    /// Elements added before, then after, per spatial axis.
    pub padding: Array<Ref<IntImm>>,
    /// Steps inside the window, one per spatial axis.
    pub dilation: Array<Ref<IntImm>>,
    /// In how many groups channels are divided.
    pub groups: i64,
    /// The axes of the data.
    pub data_layout: Str,
    /// The axes of the weight.
    pub kernel_layout: Str,
    /// The axes of the result.
    pub out_layout: Str,
    /// The element type of the result; void for that of the operands.
    pub out_dtype: DataType,
}

/// Of `R.nn.conv1d_transpose`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.Conv1DTransposeAttrs", parent = Attrs)]
pub struct Conv1DTransposeAttrs {
    /// Steps of the window, one per spatial axis.
    pub strides: Array<Ref<IntImm>>,
    /// Elements added before, then after, per spatial axis.
    pub padding: Array<Ref<IntImm>>,
    /// Elements added to one side of the result.
    pub output_padding: Array<Ref<IntImm>>,
    /// Steps inside the window, one per spatial axis.
    pub dilation: Array<Ref<IntImm>>,
    /// In how many groups channels are divided.
    pub groups: i64,
    /// The axes of the data.
    pub data_layout: Str,
    /// The axes of the weight.
    pub kernel_layout: Str,
    /// The axes of the result.
    pub out_layout: Str,
    /// The element type of the result; void for that of the operands.
    pub out_dtype: DataType,
}

/// Of `R.nn.conv2d_transpose`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.Conv2DTransposeAttrs", parent = Attrs)]
pub struct Conv2DTransposeAttrs {
    /// Steps of the window, one per spatial axis.
    pub strides: Array<Ref<IntImm>>,
    /// Elements added before, then after, per spatial axis.
    pub padding: Array<Ref<IntImm>>,
    /// Elements added to one side of the result.
    pub output_padding: Array<Ref<IntImm>>,
    /// Steps inside the window, one per spatial axis.
    pub dilation: Array<Ref<IntImm>>,
    /// In how many groups channels are divided.
    pub groups: i64,
    /// The axes of the data.
    pub data_layout: Str,
    /// The axes of the weight.
    pub kernel_layout: Str,
    /// The axes of the result.
    pub out_layout: Str,
    /// The element type of the result; void for that of the operands.
    pub out_dtype: DataType,
}
