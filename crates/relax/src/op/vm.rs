//! Instructions of the virtual machine: storage, tensors, objects, and calls of functions with dynamic shapes.
//!
//! Upstream counterpart: `src/relax/op/op.cc`.

use super::Effect;
use super::memory::{any_value, nothing, stated_dtype};
use super::prelude::*;

operators! {
    /// The null value.
    null_value() -> infer(any_value);
    /// Storage of a given size on a device known at run time.
    alloc_storage(shape: AnyExpr, runtime_device_index: IntValue, dtype: Dtype, storage_scope: Text = "global")
        -> infer(any_value), text = "vm.alloc_storage";
    /// A tensor in storage; later releases name the device, too.
    alloc_tensor(
        storage: AnyExpr, offset: IntValue, shape: AnyExpr, dtype: Dtype,
        runtime_device_index: Option<IntValue> = None
    ) -> infer(tensor_in_storage), text = "vm.alloc_tensor";
    /// Releases an object.
    kill_object(obj: Expr) -> infer(nothing), text = "vm.kill_object", effect = Opaque;
    /// Calls a PrimFunc whose shapes are known at run time; the last argument is a shape with the scalars.
    call_tir_dyn(func: AnyExpr, args: InlineTuple)
        -> infer(nothing), text = "vm.call_tir_dyn", effect = Opaque;
}

/// A tensor of the given shape, as far as it is known: any value is accepted.
fn tensor_in_storage(cx: &mut Infer<'_>) -> Inferred {
    if cx.call.args.len() != 5 {
        cx.expect_args(4)?;
    }
    let dtype = stated_dtype(cx, 3)?;
    if cx.arg(2)?.is::<ShapeExpr>() {
        return tensor_of_operand(cx, 2, dtype, None);
    }
    Ok(match cx.info(2)?.as_node::<ShapeStructInfo>() {
        Some(ShapeStructInfo { values: Some(dims), .. }) => tensor_of(dims.iter().cloned(), dtype, None),
        Some(shape) => tensor_of_rank(shape.ndim, dtype, None),
        None => tensor_of_rank(UNKNOWN_NDIM, dtype, None),
    })
}
