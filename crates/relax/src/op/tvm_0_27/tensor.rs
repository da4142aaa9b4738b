//! Tensors of any rank.
//!
//! Upstream counterparts: `src/relax/op/tensor/{binary,statistical,unary}.cc`.

use crate::node::attrs::StatisticalAttrs;
use crate::op::elementwise::arithmetic;
use crate::op::prelude::*;
use crate::op::reduce::{reduced_axes, without_axes};

operators! {
    /// The angle of the point `(x2, x1)`.
    atan2(x1: Expr, x2: Expr) -> infer(arithmetic);
    /// The median of the elements along axes; along one axis, also its index.
    median(x: Expr; axis: Option<Ints> = None, keepdims: Flag = false) -> infer(median_and_index), attrs = StatisticalAttrs;
    /// The number of elements.
    size(expr: Expr) -> infer(count);
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

/// A scalar.
fn count(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    Ok(tensor_of([], DataType::INT64, x.vdevice.clone()))
}
