//! Storage, tensors in storage, and views of tensors.
//!
//! Upstream counterpart: `src/relax/op/op.cc`, `src/relax/op/memory/view.cc`.

use super::elementwise::same_as_operand;
use super::prelude::*;
use super::{Effect, product};
use crate::blocks::is_void;

operators! {
    /// The tensor, copied unless its offset in storage is zero.
    ensure_zero_offset(data: Expr) -> infer(any_as_operand), text = "memory.ensure_zero_offset";
    /// The tensor; computations that depend on it are not lifted out of the function.
    stop_lift_params(x: Expr)
        -> infer(same_as_operand), text = "builtin.stop_lift_params", sharding = Sharding::SameAsOperand;
    /// Storage of a given size on a device of the module.
    alloc_storage(size: AnyExpr, virtual_device_index: IntValue, storage_scope: Text, dtype: Dtype)
        -> infer(any_value), text = "memory.alloc_storage";
    /// A tensor in storage; later releases name the device, too.
    alloc_tensor(
        storage: AnyExpr, offset: IntValue, shape: AnyExpr, dtype: Dtype,
        runtime_device_index: Option<IntValue> = None
    ) -> infer(tensor_in_storage), text = "memory.alloc_tensor";
    /// Releases storage.
    kill_storage(storage: AnyExpr) -> infer(nothing), text = "memory.kill_storage", effect = Opaque;
    /// Releases a tensor.
    kill_tensor(tensor: AnyExpr) -> infer(nothing), text = "memory.kill_tensor", effect = Opaque;
    /// The storage of a tensor with another shape, element type or start; whatever is omitted stays.
    view(
        data: Expr, shape: Option<Shape> = None, dtype: Option<AnyDtype> = None,
        relative_byte_offset: Option<Prim> = None
    ) -> infer(viewed), text = "memory.view",
        args = [data, or_empty(shape), or_empty(dtype), or_empty(relative_byte_offset)];
    /// A new tensor on a device known at run time; later releases state its type, too.
    builtin_alloc_tensor(
        shape: AnyExpr, dtype: Dtype, runtime_device_index: IntValue, storage_scope: Text = "global",
        sinfo_args: Option<Infos> = None
    ) -> infer(new_tensor), text = "builtin.alloc_tensor", stated = sinfo_args;
}

/// The operand, or the empty tuple.
fn or_empty(operand: Option<Expr>) -> Expr {
    operand.unwrap_or_else(|| Tuple::new([]).upcast())
}

/// Any value.
pub(super) fn any_value(_: &mut Infer<'_>) -> Inferred {
    Ok(ObjectStructInfo::new())
}

/// No value.
pub(super) fn nothing(_: &mut Infer<'_>) -> Inferred {
    Ok(TupleStructInfo::void())
}

fn any_as_operand(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(1)?;
    cx.info(0)
}

/// The value of a data type operand.
pub(super) fn stated_dtype(cx: &Infer<'_>, index: usize) -> Checked<DataType> {
    match cx.arg(index)?.as_node::<DataTypeImm>() {
        Some(dtype) => Ok(dtype.value),
        None => Err(cx.wrong_kind(index, "a data type")),
    }
}

fn new_tensor(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(4)?;
    if !cx.arg(0)?.is::<ShapeExpr>() {
        return Err(cx.wrong_kind(0, "a shape with known dimensions"));
    }
    tensor_of_operand(cx, 0, stated_dtype(cx, 1)?, None)
}

fn tensor_in_storage(cx: &mut Infer<'_>) -> Inferred {
    if cx.call.args.len() != 5 {
        cx.expect_args(4)?;
    }
    tensor_of_operand(cx, 2, stated_dtype(cx, 3)?, None)
}

/// The element type of a view: `None` if it stays, void if it is unknown.
fn dtype_of_view(cx: &Infer<'_>) -> Checked<Option<DataType>> {
    let info = cx.info(2)?;
    if is_void(&info) {
        return Ok(None);
    }
    match cx.bound_value(cx.arg(2)?).as_node::<DataTypeImm>() {
        Some(dtype) => Ok(Some(dtype.value)),
        None if info.is::<ObjectStructInfo>() => Ok(Some(DataType::VOID)),
        None => Err(cx.wrong_kind(2, "a data type")),
    }
}

/// The offset of a view in bytes, if it is known.
fn offset_of_view(cx: &Infer<'_>) -> Checked<Option<prim::Expr>> {
    let info = cx.info(3)?;
    if is_void(&info) {
        return Ok(Some(IntImm::int64(0)));
    }
    match info.as_node::<PrimStructInfo>() {
        Some(offset) if offset.dtype == DataType::INT64 => Ok(offset.value.clone()),
        _ => Err(cx.wrong_kind(3, "an `int64` scalar")),
    }
}

/// Bytes per element including all lanes, if the type is known.
fn element_bytes(dtype: DataType) -> Option<i64> {
    let lanes = i64::from(dtype.lanes);
    (!dtype.is_void() && lanes > 0).then(|| (i64::from(dtype.bits) * lanes + 7) / 8)
}

fn element_count(cx: &mut Infer<'_>, dims: Option<&Array<prim::Expr>>) -> Checked<Option<prim::Expr>> {
    let Some(dims) = dims else { return Ok(None) };
    Ok(Some(cx.analyzer.simplify(&product(dims.iter())?)))
}

/// The struct info of a view, which must not provably exceed the tensor.
fn viewed(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(4)?;
    let data = cx.tensor(0)?;
    let shape = if is_void(&cx.info(1)?) { None } else { Some(cx.shape(1)?) };
    let dtype = dtype_of_view(cx)?;
    let offset = offset_of_view(cx)?;
    let whole_dims = data.known_dims();
    let dims = match &shape {
        Some(shape) => shape.values.clone(),
        None => whole_dims.clone(),
    };
    let view_dtype = dtype.unwrap_or(data.dtype);
    let counts = (element_count(cx, whole_dims.as_ref())?, element_count(cx, dims.as_ref())?);
    let bytes = (element_bytes(data.dtype), element_bytes(view_dtype));
    let bounds = match (counts, bytes) {
        ((Some(whole), Some(part)), (Some(whole_bytes), Some(part_bytes))) => {
            let part = ops::mul(part, IntImm::int64(part_bytes))?;
            let end = match offset {
                Some(offset) => ops::add(part, offset)?,
                None => part,
            };
            Some((end, ops::mul(whole, IntImm::int64(whole_bytes))?))
        }
        (_, (Some(whole_bytes), Some(part_bytes))) if shape.is_none() => {
            Some((IntImm::int64(part_bytes), IntImm::int64(whole_bytes)))
        }
        ((Some(whole), Some(part)), _) if dtype.is_none() => Some((part, whole)),
        _ if shape.is_none() && dtype.is_none() => offset.map(|offset| (offset, IntImm::int64(0))),
        _ => None,
    };
    if let Some((end, limit)) = bounds {
        let is_beyond = ops::gt(end, limit)?;
        if cx.analyzer.can_prove(&is_beyond) {
            return Err(cx.wrong_shape_at(0, "the view exceeds the tensor"));
        }
    }
    Ok(match (dims, shape) {
        (Some(dims), _) => tensor_of(dims.iter().cloned(), view_dtype, data.vdevice.clone()),
        (None, Some(shape)) => tensor_of_rank(shape.ndim, view_dtype, data.vdevice.clone()),
        (None, None) => tensor_of_rank(data.ndim, view_dtype, data.vdevice.clone()),
    })
}
