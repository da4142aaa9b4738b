//! What the virtual machine does: storage, tensors, objects, calls of functions of unknown shapes.
//!
//! Upstream counterpart: `src/relax/op/op.cc`.

use tvmscript_ir_core::Ref;
use tvmscript_ir_macros::operators;

use super::memory::{any_value, nothing, stated_dtype};
use super::{Infer, InferError, Operator, tensor_of, tensor_of_operand, tensor_of_rank};
#[cfg(feature = "build")]
use crate::build::args::{AnyExprArg, DataTypeImmArg, IntValueArg, StringImmArg};
#[cfg(feature = "build")]
use crate::build::call_args::InlineTupleArg;
use crate::node::*;
use crate::op::Effect;

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// The value that stands for none.
    null_value() -> infer(any_value);
    /// Storage of a size, on a device known at run time.
    alloc_storage(
        shape: AnyExprArg, runtime_device_index: IntValueArg, dtype: DataTypeImmArg,
        storage_scope: StringImmArg = "global"
    ) -> infer(any_value), text = "vm.alloc_storage" {
        let args = [shape.0, runtime_device_index.0, dtype.0.upcast(), storage_scope.0.upcast()];
        Ok(Call::of_op("relax.vm.alloc_storage", args, None))
    }
    /// A tensor in storage.
    alloc_tensor(
        storage: AnyExprArg, offset: IntValueArg, shape: AnyExprArg, dtype: DataTypeImmArg
    ) -> infer(tensor_in_storage), text = "vm.alloc_tensor" {
        let args = [storage.0, offset.0, shape.0, dtype.0.upcast()];
        Ok(Call::of_op("relax.vm.alloc_tensor", args, None))
    }
    /// Lets go of an object.
    kill_object(obj: Expr) -> infer(nothing), text = "vm.kill_object", effect = Opaque;
    /// Calls a function of buffers whose shapes are known at run time; the last argument is a shape with the scalars.
    call_tir_dyn(
        func: AnyExprArg, args: InlineTupleArg
    ) -> infer(nothing), text = "vm.call_tir_dyn", effect = Opaque {
        Ok(Call::of_op("relax.vm.call_tir_dyn", [func.0, args.0.upcast()], None))
    }
}

/// A tensor of the shape that is said, as far as it is known: any value may stand there.
fn tensor_in_storage(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(4)?;
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
