//! Reductions along axes, and scans.
//!
//! Upstream counterpart: `src/relax/op/tensor/{statistical,search}.cc`.

use super::prelude::*;
use super::product;
use crate::node::attrs::{ArgmaxArgminAttrs, ScanopAttrs, StatisticalAttrs};

operators! {
    params reduction = (x: Expr; axis: Option<Ints> = None, keepdims: Flag = false);
    params extreme = (x: Expr; axis: Option<Int> = None, keepdims: Flag = false);
    params scan = (
        data: Expr; axis: Option<Int> = None, dtype: Option<DataType> = None, exclusive: Option<Flag> = false
    );

    /// The greatest element along axes.
    max(..reduction) -> infer(reduced), attrs = StatisticalAttrs, sharding = Sharding::Reduced;
    /// The mean of the elements along axes.
    mean(..reduction) -> infer(reduced), attrs = StatisticalAttrs, sharding = Sharding::Reduced;
    /// The least element along axes.
    min(..reduction) -> infer(reduced), attrs = StatisticalAttrs, sharding = Sharding::Reduced;
    /// The product of the elements along axes.
    prod(..reduction) -> infer(reduced), attrs = StatisticalAttrs, sharding = Sharding::Reduced;
    /// The standard deviation of the elements along axes.
    std(..reduction) -> infer(reduced), attrs = StatisticalAttrs, sharding = Sharding::Reduced;
    /// The sum of the elements along axes.
    sum(..reduction) -> infer(reduced), attrs = StatisticalAttrs, sharding = Sharding::Reduced;
    /// The variance of the elements along axes.
    variance(..reduction) -> infer(reduced), attrs = StatisticalAttrs, sharding = Sharding::Reduced;
    /// The index of the greatest element along an axis.
    argmax(..extreme) -> infer(argument), attrs = ArgmaxArgminAttrs;
    /// The index of the least element along an axis.
    argmin(..extreme) -> infer(argument), attrs = ArgmaxArgminAttrs;
    /// The cumulative product; without an axis, of the flattened tensor.
    cumprod(..scan) -> infer(scanned),
        attrs = ScanopAttrs { dtype: or_void(dtype), exclusive: bool_literal(exclusive), .. };
    /// The cumulative sum; without an axis, of the flattened tensor.
    cumsum(..scan) -> infer(scanned),
        attrs = ScanopAttrs { dtype: or_void(dtype), exclusive: bool_literal(exclusive), .. };
}

fn bool_literal(value: Option<bool>) -> Ref<IntImm> {
    let value = i64::from(value == Some(true));
    Ref::new(IntImm { span: Span::current(), dtype: DataType::BOOL, value })
}

/// A tensor without its reduced axes, or with length 1 there. `None` reduces all axes.
pub(super) fn without_axes(
    x: &TensorStructInfo,
    axes: Option<&[usize]>,
    keepdims: bool,
    dtype: DataType,
) -> Ref<StructInfo> {
    let vdevice = x.vdevice.clone();
    let one = || IntImm::int64(1);
    if let Some(dims) = x.dims() {
        let is_reduced = |i: usize| axes.is_none_or(|axes| axes.contains(&i));
        let left = dims.iter().enumerate().filter_map(|(i, dim)| match (is_reduced(i), keepdims) {
            (false, _) => Some(dim.clone()),
            (true, true) => Some(one()),
            (true, false) => None,
        });
        return tensor_of(left, dtype, vdevice);
    }
    let ndim = match axes {
        _ if keepdims => x.ndim,
        None => 0,
        Some(_) if x.is_unknown_ndim() => UNKNOWN_NDIM,
        Some(axes) => x.ndim - axes.len() as i64,
    };
    match (ndim, axes) {
        (0, _) => tensor_of([], dtype, vdevice),
        (1.., None) if keepdims => tensor_of((0..ndim).map(|_| one()), dtype, vdevice),
        _ => tensor_of_rank(ndim, dtype, vdevice),
    }
}

/// The axes of the attributes; none if the rank is unknown.
pub(super) fn reduced_axes(
    cx: &Infer<'_>,
    x: &TensorStructInfo,
    axes: Option<&Ints>,
) -> Checked<Option<Vec<usize>>> {
    match axes {
        None => Ok(None),
        Some(_) if x.is_unknown_ndim() => Ok(Some(Vec::new())),
        Some(axes) => cx.axes(axes, x.ndim).map(Some),
    }
}

fn reduced(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let attrs: &StatisticalAttrs = cx.attrs()?;
    let axes = reduced_axes(cx, &x, attrs.axis.as_ref())?;
    Ok(without_axes(&x, axes.as_deref(), attrs.keepdims, x.dtype))
}

fn argument(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let attrs: &ArgmaxArgminAttrs = cx.attrs()?;
    let axes = match attrs.axis {
        None => None,
        Some(_) if x.is_unknown_ndim() => Some(Vec::new()),
        Some(axis) => Some(vec![cx.axis(axis, x.ndim)?]),
    };
    Ok(without_axes(&x, axes.as_deref(), attrs.keepdims, DataType::INT64))
}

/// Like the operand, or flattened. Like upstream, the axis is not checked.
fn scanned(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let attrs: &ScanopAttrs = cx.attrs()?;
    let dtype = if attrs.dtype.is_void() { x.dtype } else { attrs.dtype };
    if attrs.axis.is_some() {
        return Ok(super::elementwise::with_dtype(&x, dtype));
    }
    match x.dims() {
        Some(dims) => {
            let length = product(dims.iter())?;
            Ok(tensor_of([length], dtype, x.vdevice.clone()))
        }
        None => Ok(tensor_of_rank(x.ndim, dtype, x.vdevice.clone())),
    }
}
