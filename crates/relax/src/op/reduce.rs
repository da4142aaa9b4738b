//! Reductions along axes, and scans.
//!
//! Upstream counterpart: `src/relax/op/tensor/{statistical,search}.cc`.

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_ir_macros::operators;
#[cfg(feature = "build")]
use tvmscript_irbuilder::Result;
use tvmscript_prim::IntImm;

use super::{Infer, InferError, Operator, product, tensor_of, tensor_of_rank};
#[cfg(feature = "build")]
use crate::build::args::{ExprArg, FlagArg, IntArg};
use crate::node::attrs::{ArgmaxArgminAttrs, ScanopAttrs, StatisticalAttrs};
use crate::node::*;
use crate::op::kind::{Flag, Int, Ints};

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    params reduction = (x: Expr; axis: Option<Ints> = None, keepdims: Flag = false);
    params extreme = (x: Expr; axis: Option<Int> = None, keepdims: Flag = false);
    params scan = (
        data: ExprArg, axis: Option<IntArg> = None, dtype: Option<DataType> = None,
        exclusive: Option<FlagArg> = FlagArg(false)
    );

    /// The greatest element along axes.
    max(..reduction) -> infer(reduced), attrs = StatisticalAttrs;
    /// The mean of elements along axes.
    mean(..reduction) -> infer(reduced), attrs = StatisticalAttrs;
    /// The least element along axes.
    min(..reduction) -> infer(reduced), attrs = StatisticalAttrs;
    /// The product of elements along axes.
    prod(..reduction) -> infer(reduced), attrs = StatisticalAttrs;
    /// The standard deviation of elements along axes.
    std(..reduction) -> infer(reduced), attrs = StatisticalAttrs;
    /// The sum of elements along axes.
    sum(..reduction) -> infer(reduced), attrs = StatisticalAttrs;
    /// The variance of elements along axes.
    variance(..reduction) -> infer(reduced), attrs = StatisticalAttrs;
    /// Where the greatest element along an axis is.
    argmax(..extreme) -> infer(argument), attrs = ArgmaxArgminAttrs;
    /// Where the least element along an axis is.
    argmin(..extreme) -> infer(argument), attrs = ArgmaxArgminAttrs;
    /// The products of all elements up to each one; without an axis, of the flattened tensor.
    cumprod(..scan) -> infer(scanned) {
        scan("relax.cumprod", data, axis, dtype, exclusive)
    }
    /// The sums of all elements up to each one; without an axis, of the flattened tensor.
    cumsum(..scan) -> infer(scanned) {
        scan("relax.cumsum", data, axis, dtype, exclusive)
    }
}

#[cfg(feature = "build")]
fn scan(
    name: &str,
    data: ExprArg,
    axis: Option<IntArg>,
    dtype: Option<DataType>,
    exclusive: Option<FlagArg>,
) -> Result<Ref<Call>> {
    let exclusive = Ref::new(IntImm {
        span: tvmscript_ir_core::Span::current(),
        dtype: DataType::BOOL,
        value: i64::from(exclusive.is_some_and(|exclusive| exclusive.0)),
    });
    let (axis, dtype) = (axis.map(|axis| axis.0), dtype.unwrap_or(DataType::VOID));
    let attrs = ScanopAttrs { axis, dtype, exclusive };
    Ok(Call::of_op(name, [data.0], Some(Ref::new(attrs).upcast())))
}

/// A tensor without its reduced axes, or with length 1 there. No axes said means all of them; axes said of a tensor without
/// known rank are not known either.
fn without_axes(
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

fn reduced(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let attrs: &StatisticalAttrs = cx.attrs()?;
    let axes = match &attrs.axis {
        None => None,
        Some(_) if x.is_unknown_ndim() => Some(Vec::new()),
        Some(axes) => Some(cx.axes(axes, x.ndim)?),
    };
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

/// As the operand, or all its elements in one row. An axis that does not exist is no mistake here.
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
