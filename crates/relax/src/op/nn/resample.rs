//! Padding and pixel shuffling.
//!
//! Upstream counterpart: `src/relax/op/nn/nn.cc`.

use crate::node::attrs::{PadAttrs, PixelShuffleAttrs};
use crate::op::prelude::*;

operators! {
    /// Adds elements before and after each axis: `pad_width` has two numbers per axis.
    pad(data: Expr; pad_width: IntList, pad_mode: Str = "constant", pad_value: f64 = 0.0)
        -> infer(padded), text = "nn.pad", attrs = PadAttrs;
    /// Rearranges channels into pixels: the image becomes `upscale_factor` times as high and as wide.
    pixel_shuffle(data: Expr; upscale_factor: i64)
        -> infer(shuffled), text = "nn.pixel_shuffle", attrs = PixelShuffleAttrs;
}

fn padded(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let widths = &cx.attrs::<PadAttrs>()?.pad_width;
    if x.is_unknown_ndim() || widths.len() as i64 != 2 * x.ndim {
        let what = format!("must have two numbers per axis, found {}", widths.len());
        return Err(cx.wrong_attribute("pad_width", what));
    }
    let Some(dims) = x.dims() else { return Ok(tensor_of_rank(x.ndim, x.dtype, None)) };
    let mut padded = Vec::with_capacity(dims.len());
    for (axis, dim) in dims.iter().enumerate() {
        let [before, after] = [2 * axis, 2 * axis + 1].map(|i| widths[i].clone().upcast());
        let added = ops::add(before, after)?;
        padded.push(ops::add(dim.clone(), added)?);
    }
    Ok(tensor_of(padded, x.dtype, None))
}

fn shuffled(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let factor = cx.attrs::<PixelShuffleAttrs>()?.upscale_factor;
    cx.expect_positive("upscale_factor", factor)?;
    let wrong_rank = |cx: &Infer<'_>| cx.wrong_rank(0, "at least rank 3", x.ndim);
    if x.ndim < 3 {
        return Err(wrong_rank(cx));
    }
    let Some(dims) = x.dims() else { return Ok(tensor_of_rank(x.ndim, x.dtype, None)) };
    let factor = IntImm::int64(factor);
    let area = ops::mul(factor.clone(), factor.clone())?;
    let mut dims: Vec<prim::Expr> = dims.iter().cloned().collect();
    let Some([channels, height, width]) = dims.last_chunk_mut::<3>() else { return Err(wrong_rank(cx)) };
    if cx.is_no_multiple(channels, &area)? {
        return Err(cx.wrong_shape_at(0, "the number of channels must be a multiple of the squared factor"));
    }
    *channels = ops::floordiv(channels.clone(), area)?;
    for side in [height, width] {
        *side = ops::mul(side.clone(), factor.clone())?;
    }
    Ok(tensor_of(dims, x.dtype, None))
}
