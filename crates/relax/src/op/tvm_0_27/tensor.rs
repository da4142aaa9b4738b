//! Tensors of any rank.
//!
//! Upstream counterparts: `src/relax/op/tensor/{binary,statistical,manipulate}.cc`.

use crate::node::attrs::{ReverseSequenceAttrs, StatisticalAttrs};
use crate::op::elementwise::arithmetic;
use crate::op::prelude::*;
use crate::op::reduce::{reduced_axes, without_axes};

operators! {
    /// The angle of the point `(x2, x1)`.
    atan2(x1: Expr, x2: Expr) -> infer(arithmetic);
    /// The median of the elements along axes; along one axis, also its index.
    median(x: Expr; axis: Option<Ints> = None, keepdims: Flag = false) -> infer(median_and_index), attrs = StatisticalAttrs;
    /// Reverses the first elements of each batch, as many as `seq_lengths` has for it.
    reverse_sequence(data: Expr, seq_lengths: Expr; seq_axis: Int = 1, batch_axis: Int = 0)
        -> infer(reversed), attrs = ReverseSequenceAttrs;
}

/// The median, with the indices unless several axes are known to be reduced.
fn median_and_index(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let attrs: &StatisticalAttrs = cx.attrs()?;
    let axes = reduced_axes(cx, &x, attrs.axis.as_ref())?;
    let of = |dtype: DataType| without_axes(&x, axes.as_deref(), attrs.keepdims, dtype);
    let median = of(x.dtype);
    let is_alone = match x.dims() {
        Some(_) => axes.as_ref().is_none_or(|axes| axes.len() > 1),
        // Like upstream, which looks at the result.
        None => median.as_node::<TensorStructInfo>().is_some_and(|median| median.dims().is_some()),
    };
    Ok(if is_alone { median } else { TupleStructInfo::new([median, of(DataType::INT64)]) })
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
