//! Properties of a tensor at run time: element type, rank, shape, strides and offset.
//!
//! Scripts write these calls as attributes (`x.shape[0]`, `x.dtype.bits`); the printer writes the functions.
//!
//! Upstream counterpart: `src/relax/op/tensor/inspect.cc`.

use super::prelude::*;
use super::product;

operators! {
    params axis_of = (x: Expr, axis: Prim);

    /// The offset of a tensor in its storage, in bytes.
    tensor_byte_offset(x: Expr) -> infer(offset), text = "inspect.tensor_byte_offset";
    /// The number of bits per lane of an element.
    tensor_dtype_bits(x: Expr) -> infer(dtype_bits), text = "inspect.tensor_dtype_bits";
    /// The type code of an element.
    tensor_dtype_code(x: Expr) -> infer(dtype_code), text = "inspect.tensor_dtype_code";
    /// The number of lanes of an element.
    tensor_dtype_lanes(x: Expr) -> infer(dtype_lanes), text = "inspect.tensor_dtype_lanes";
    /// The offset of a tensor in its storage, in elements.
    tensor_elem_offset(x: Expr) -> infer(offset), text = "inspect.tensor_elem_offset";
    /// The rank of a tensor.
    tensor_ndim(x: Expr) -> infer(ndim), text = "inspect.tensor_ndim";
    /// The length of an axis.
    tensor_shape_i(..axis_of) -> infer(length), text = "inspect.tensor_shape_i";
    /// The stride of an axis, in elements.
    tensor_stride_i(..axis_of) -> infer(stride), text = "inspect.tensor_stride_i";
}

const UINT8: DataType = DataType::uint(8);
const UINT16: DataType = DataType::uint(16);
const UINT64: DataType = DataType::uint(64);

/// The result of a call of these operators, if its struct info has it. In a well-formed function, the value replaces
/// the call.
///
/// # Source
/// `NormalizeToKnownPrimValue`, which the operators have as `FNormalize`.
pub(crate) fn known_result(call: &Call) -> Option<&prim::Expr> {
    let name = call.op_name()?;
    OPERATORS.iter().find(|operator| operator.name == name)?;
    call.struct_info_.as_ref()?.as_node::<PrimStructInfo>()?.value.as_ref()
}

/// A scalar of this type, with its value if it is known.
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

/// Tensors of known shape have no offset.
fn offset(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    scalar(UINT64, x.known_dims().map(|_| 0))
}

/// The dimensions and the axis, if they are known.
type Axis = (Option<Array<prim::Expr>>, Option<usize>);

fn axis_of(cx: &Infer<'_>) -> Checked<Axis> {
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
    let (dims, axis) = axis_of(cx)?;
    let dim = dims.as_ref().zip(axis).and_then(|(dims, axis)| dims.get(axis));
    Ok(dim.map_or_else(|| PrimStructInfo::new(DataType::INT64), |dim| PrimStructInfo::of_value(dim.clone())))
}

/// The layout is row-major and compact.
fn stride(cx: &mut Infer<'_>) -> Inferred {
    let (Some(dims), Some(axis)) = axis_of(cx)? else { return Ok(PrimStructInfo::new(DataType::INT64)) };
    Ok(PrimStructInfo::of_value(product(dims.iter().skip(axis + 1))?))
}
