//! Reductions along axes, and scans.
//!
//! Upstream counterpart: `src/relax/op/tensor/{statistical,search}.cc`.

use tvmscript_ir_core::{DataType, Ref, Span};
use tvmscript_irbuilder::{Result, script_fn};
use tvmscript_prim::IntImm;

use super::{Infer, InferError, Operator, product, tensor_of, tensor_of_rank};
use crate::build::args::{ExprArg, FlagArg, IntArg, IntsArg};
use crate::node::attrs::{ArgmaxArgminAttrs, ScanopAttrs, StatisticalAttrs};
use crate::node::*;

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

/// Declares reductions of any number of axes to values of the operand's type.
macro_rules! statistics {
    ($($(#[$doc:meta])* $function:ident $CONST:ident $name:literal;)*) => {
        $(
            $(#[$doc])*
            #[script_fn(name = $name)]
            pub fn $function(
                x: ExprArg,
                #[default = None] axis: Option<IntsArg>,
                #[default = false] keepdims: FlagArg,
            ) -> Result<Ref<Call>> {
                let attrs = StatisticalAttrs { axis: axis.map(|axis| axis.0), keepdims: keepdims.0 };
                Ok(Call::of_op(concat!("relax.", $name), [x.0], Some(Ref::new(attrs).upcast())))
            }
        )*
        /// Reductions of any number of axes.
        pub static STATISTICS: &[Operator] =
            &[$(Operator::new(concat!("relax.", $name), &$CONST, reduced)),*];
    };
}

statistics! {
    /// The greatest element along axes.
    max MAX "max";
    /// The mean of elements along axes.
    mean MEAN "mean";
    /// The least element along axes.
    min MIN "min";
    /// The product of elements along axes.
    prod PROD "prod";
    /// The standard deviation of elements along axes.
    std STD "std";
    /// The sum of elements along axes.
    sum SUM "sum";
    /// The variance of elements along axes.
    variance VARIANCE "variance";
}

fn place_of_extreme(name: &str, x: ExprArg, axis: Option<IntArg>, keepdims: FlagArg) -> Ref<Call> {
    let attrs = ArgmaxArgminAttrs { axis: axis.map(|axis| axis.0), keepdims: keepdims.0 };
    Call::of_op(name, [x.0], Some(Ref::new(attrs).upcast()))
}

/// Where the greatest element along an axis is.
#[script_fn]
pub fn argmax(
    x: ExprArg,
    #[default = None] axis: Option<IntArg>,
    #[default = false] keepdims: FlagArg,
) -> Result<Ref<Call>> {
    Ok(place_of_extreme("relax.argmax", x, axis, keepdims))
}

/// Where the least element along an axis is.
#[script_fn]
pub fn argmin(
    x: ExprArg,
    #[default = None] axis: Option<IntArg>,
    #[default = false] keepdims: FlagArg,
) -> Result<Ref<Call>> {
    Ok(place_of_extreme("relax.argmin", x, axis, keepdims))
}

fn scan(
    name: &str,
    data: ExprArg,
    axis: Option<IntArg>,
    dtype: Option<DataType>,
    exclusive: Option<FlagArg>,
) -> Result<Ref<Call>> {
    let exclusive = Ref::new(IntImm {
        span: Span::current(),
        dtype: DataType::BOOL,
        value: i64::from(exclusive.is_some_and(|exclusive| exclusive.0)),
    });
    let (axis, dtype) = (axis.map(|axis| axis.0), dtype.unwrap_or(DataType::VOID));
    let attrs = ScanopAttrs { axis, dtype, exclusive };
    Ok(Call::of_op(name, [data.0], Some(Ref::new(attrs).upcast())))
}

/// The products of all elements up to each one; without an axis, of the flattened tensor.
#[script_fn]
pub fn cumprod(
    data: ExprArg,
    #[default = None] axis: Option<IntArg>,
    #[default = None] dtype: Option<DataType>,
    #[default = FlagArg(false)] exclusive: Option<FlagArg>,
) -> Result<Ref<Call>> {
    scan("relax.cumprod", data, axis, dtype, exclusive)
}

/// The sums of all elements up to each one; without an axis, of the flattened tensor.
#[script_fn]
pub fn cumsum(
    data: ExprArg,
    #[default = None] axis: Option<IntArg>,
    #[default = None] dtype: Option<DataType>,
    #[default = FlagArg(false)] exclusive: Option<FlagArg>,
) -> Result<Ref<Call>> {
    scan("relax.cumsum", data, axis, dtype, exclusive)
}

/// Reductions of one axis, and scans.
pub static OTHERS: &[Operator] = &[
    Operator::new("relax.argmax", &ARGMAX, argument),
    Operator::new("relax.argmin", &ARGMIN, argument),
    Operator::new("relax.cumprod", &CUMPROD, scanned),
    Operator::new("relax.cumsum", &CUMSUM, scanned),
];

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
