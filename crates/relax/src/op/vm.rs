//! What the virtual machine does: storage, tensors, objects, calls of functions of unknown shapes.
//!
//! Upstream counterpart: `src/relax/op/op.cc`.

use tvmscript_ir_core::Ref;
use tvmscript_irbuilder::{Result, script_fn};

use super::memory::{any_value, nothing, stated_dtype};
use super::{Infer, InferError, Operator, plain_operators, tensor_of, tensor_of_operand, tensor_of_rank};
use crate::build::args::{AnyExprArg, DataTypeImmArg, ExprArg, IntValueArg, StringImmArg};
use crate::build::call_args::InlineTupleArg;
use crate::node::*;

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

plain_operators! { PLAIN;
    /// The value that stands for none.
    null_value NULL_VALUE "null_value" () any_value;
}

/// Storage of a size, on a device known at run time.
#[script_fn(name = "vm.alloc_storage")]
pub fn alloc_storage(
    shape: AnyExprArg,
    runtime_device_index: IntValueArg,
    dtype: DataTypeImmArg,
    #[default = "global"] storage_scope: StringImmArg,
) -> Result<Ref<Call>> {
    let args = [shape.0, runtime_device_index.0, dtype.0.upcast(), storage_scope.0.upcast()];
    Ok(Call::of_op("relax.vm.alloc_storage", args, None))
}

/// A tensor in storage.
#[script_fn(name = "vm.alloc_tensor")]
pub fn alloc_tensor(
    storage: AnyExprArg,
    offset: IntValueArg,
    shape: AnyExprArg,
    dtype: DataTypeImmArg,
) -> Result<Ref<Call>> {
    let args = [storage.0, offset.0, shape.0, dtype.0.upcast()];
    Ok(Call::of_op("relax.vm.alloc_tensor", args, None))
}

/// Lets go of an object.
#[script_fn(name = "vm.kill_object")]
pub fn kill_object(obj: ExprArg) -> Result<Ref<Call>> {
    Ok(Call::of_op("relax.vm.kill_object", [obj.0], None))
}

/// Calls a function of buffers whose shapes are known at run time; the last argument is a shape with the scalars.
#[script_fn(name = "vm.call_tir_dyn")]
pub fn call_tir_dyn(func: AnyExprArg, args: InlineTupleArg) -> Result<Ref<Call>> {
    Ok(Call::of_op("relax.vm.call_tir_dyn", [func.0, args.0.upcast()], None))
}

/// The other operators of this family.
pub static OPERATORS: &[Operator] = &[
    Operator::new("relax.vm.alloc_storage", &ALLOC_STORAGE, any_value),
    Operator::new("relax.vm.alloc_tensor", &ALLOC_TENSOR, tensor_in_storage),
    Operator::new("relax.vm.call_tir_dyn", &CALL_TIR_DYN, nothing).impure(),
    Operator::new("relax.vm.kill_object", &KILL_OBJECT, nothing).impure(),
];

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
