//! What is known of a tensor at run time: its type, rank, shape, strides and where it begins.
//!
//! Scripts write these calls as attributes (`x.shape[0]`, `x.dtype.bits`); the functions are there for what is printed.
//!
//! Upstream counterpart: `src/relax/op/tensor/inspect.cc`.

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_ir_macros::operators;
use tvmscript_prim::{self as prim, IntImm};

use super::{Infer, InferError, InferErrorKind, Operator, product};
use crate::node::*;
use crate::op::kind::Prim;

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

const UINT8: DataType = DataType::uint(8);
const UINT16: DataType = DataType::uint(16);
const UINT64: DataType = DataType::uint(64);

/// The value that a call of these operators gives, where its struct info knows it. Then the value takes the place of the call
/// in a well-formed function.
///
/// # Source
/// `NormalizeToKnownPrimValue`, which the operators have as `FNormalize`.
pub(crate) fn known_result(call: &Call) -> Option<&prim::Expr> {
    if !call.op_name()?.starts_with("relax.inspect.") {
        return None;
    }
    call.struct_info_.as_ref()?.as_node::<PrimStructInfo>()?.value.as_ref()
}

/// A scalar of this type, with its value where it is known.
fn scalar(dtype: DataType, value: Option<i64>) -> Inferred {
    Ok(match value {
        Some(value) => PrimStructInfo::of_value(IntImm::try_new(dtype, value)?),
        None => PrimStructInfo::new(dtype),
    })
}

fn of_dtype(cx: &Infer<'_>, result: DataType, part: impl Fn(DataType) -> i64) -> Inferred {
    let [x] = cx.tensors()?;
    scalar(result, (!x.is_unknown_dtype()).then(|| part(x.dtype)))
}

fn dtype_bits(cx: &mut Infer<'_>) -> Inferred {
    of_dtype(cx, UINT8, |dtype| dtype.bits.into())
}

fn dtype_code(cx: &mut Infer<'_>) -> Inferred {
    of_dtype(cx, UINT8, |dtype| dtype.code as i64)
}

fn dtype_lanes(cx: &mut Infer<'_>) -> Inferred {
    of_dtype(cx, UINT16, |dtype| dtype.lane_count().into())
}

fn ndim(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    scalar(DataType::INT32, (!x.is_unknown_ndim()).then_some(x.ndim))
}

/// Tensors of known shape begin where their memory does.
fn offset(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    scalar(UINT64, x.known_dims().map(|_| 0))
}

/// The dimensions, where known, and the axis, where known.
type Axis = (Option<tvmscript_ir_core::Array<prim::Expr>>, Option<usize>);

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// How many bytes into its memory a tensor begins.
    tensor_byte_offset(x: Expr) -> infer(offset), text = "inspect.tensor_byte_offset";
    /// The bits of an element's lane.
    tensor_dtype_bits(x: Expr) -> infer(dtype_bits), text = "inspect.tensor_dtype_bits";
    /// The number of the kind of an element's type.
    tensor_dtype_code(x: Expr) -> infer(dtype_code), text = "inspect.tensor_dtype_code";
    /// The lanes of an element.
    tensor_dtype_lanes(x: Expr) -> infer(dtype_lanes), text = "inspect.tensor_dtype_lanes";
    /// How many elements into its memory a tensor begins.
    tensor_elem_offset(x: Expr) -> infer(offset), text = "inspect.tensor_elem_offset";
    /// How many axes a tensor has.
    tensor_ndim(x: Expr) -> infer(ndim), text = "inspect.tensor_ndim";
    /// The length of an axis.
    tensor_shape_i(x: Expr, axis: Prim) -> infer(length), text = "inspect.tensor_shape_i";
    /// How many elements apart neighbours along an axis are.
    tensor_stride_i(x: Expr, axis: Prim) -> infer(stride), text = "inspect.tensor_stride_i";
}

fn axis_of(cx: &Infer<'_>) -> std::result::Result<Axis, InferError> {
    cx.expect_args(2)?;
    let x = cx.tensor(0)?;
    let Some(axis) = cx.scalar(1)? else { return Ok((x.known_dims(), None)) };
    let Some(axis) = axis.as_node::<IntImm>().map(|axis| axis.value) else {
        return Ok((x.known_dims(), None));
    };
    let is_beyond = !x.is_unknown_ndim() && axis >= x.ndim;
    match usize::try_from(axis) {
        Ok(axis) if !is_beyond => Ok((x.known_dims(), Some(axis))),
        _ => Err(InferErrorKind::Axis { axis, ndim: x.ndim }.at(1)),
    }
}

fn length(cx: &mut Infer<'_>) -> Inferred {
    Ok(match axis_of(cx)? {
        (Some(dims), Some(axis)) if axis < dims.len() => PrimStructInfo::of_value(dims[axis].clone()),
        _ => PrimStructInfo::new(DataType::INT64),
    })
}

/// Elements lie row by row without gaps.
fn stride(cx: &mut Infer<'_>) -> Inferred {
    let (Some(dims), Some(axis)) = axis_of(cx)? else { return Ok(PrimStructInfo::new(DataType::INT64)) };
    Ok(PrimStructInfo::of_value(product(dims.iter().skip(axis + 1))?))
}
