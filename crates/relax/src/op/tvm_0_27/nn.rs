//! Neural networks.
//!
//! Upstream counterparts: `src/relax/op/nn/{convolution,nn}.cc`.

use crate::node::attrs::Conv3DTransposeAttrs;
use crate::op::nn::conv::convolved;
use crate::op::prelude::*;
use crate::op::product;

operators! {
    /// Transposed convolution along three spatial axes.
    conv3d_transpose(
        data: Expr, weight: Expr; strides: PerAxis<3> = [1, 1, 1], padding: Padding<3> = [0, 0, 0],
        output_padding: PerAxis<3> = [0, 0, 0],
        dilation: PerAxis<3> = [1, 1, 1], groups: Positive = 1, data_layout: Str = "NCDHW",
        kernel_layout: Str = "IODHW", out_layout: Option<Str> = None, out_dtype: Option<DataType> = None
    ) -> infer(|cx| convolved(cx, cx.attrs::<Conv3DTransposeAttrs>()?.into(), "DHW")), text = "nn.conv3d_transpose",
        attrs = Conv3DTransposeAttrs {
            out_layout: out_layout.unwrap_or_else(|| data_layout.clone()), out_dtype: or_void(out_dtype), ..
        };
    /// One row per batch: all axes but the first become one.
    batch_flatten(data: Expr) -> infer(flattened), text = "nn.batch_flatten";
}

fn flattened(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    if !x.is_unknown_ndim() && x.ndim < 2 {
        return Err(cx.wrong_rank(0, "rank 2 or more", x.ndim));
    }
    let Some(dims) = x.dims() else { return Ok(tensor_of_rank(2, x.dtype, x.vdevice.clone())) };
    let row = product(dims.iter().skip(1))?;
    Ok(tensor_of([dims[0].clone(), row], x.dtype, x.vdevice.clone()))
}
