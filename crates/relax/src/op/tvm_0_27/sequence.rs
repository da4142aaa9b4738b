//! Sequences of different lengths in one tensor. TVM 0.25 lacks them.
//!
//! Upstream counterpart: `src/relax/op/tensor/manipulate.cc`.

use crate::node::attrs::ReverseSequenceAttrs;
use crate::op::prelude::*;

operators! {
    /// Reverses the first elements of each batch, as many as `seq_lengths` has for it.
    reverse_sequence(data: Expr, seq_lengths: Expr; seq_axis: Int = 1, batch_axis: Int = 0)
        -> infer(reversed), attrs = ReverseSequenceAttrs;
}

/// The lengths are one `int32` or `int64` per batch.
fn reversed(cx: &mut Infer<'_>) -> Inferred {
    let [x, lengths] = cx.tensors()?;
    cx.expect_rank(1, &lengths, 1)?;
    if !lengths.is_unknown_dtype() && ![DataType::INT32, DataType::INT64].contains(&lengths.dtype) {
        return Err(cx.wrong_dtype(1, "a tensor of `int32` or `int64`", lengths.dtype));
    }
    let attrs: &ReverseSequenceAttrs = cx.attrs()?;
    if !x.is_unknown_ndim() {
        let batch_axis = cx.axis(attrs.batch_axis, x.ndim)?;
        cx.axis(attrs.seq_axis, x.ndim)?;
        if let (Some(dims), Some(lengths)) = (x.dims(), lengths.dims())
            && let (Some(batches), Some(count)) = (dims.get(batch_axis), lengths.first())
            && let (Some(batches), Some(count)) = (batches.as_node::<IntImm>(), count.as_node::<IntImm>())
            && batches.value != count.value
        {
            let what = format!("{} lengths for {} batches", count.value, batches.value);
            return Err(cx.wrong_shape_at(1, what));
        }
    }
    Ok(x.upcast())
}
