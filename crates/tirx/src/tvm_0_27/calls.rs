//! Calls that stand for what older texts write shorter.

use tvmscript_ir_core::{DataType, Ref, structural_equal};
use tvmscript_prim::{Expr, IntImm, PointerType, PrimExprExt as _, PrimType, Type, Var};
use tvmscript_tir::Buffer;
use tvmscript_tir::op::Operator;
use tvmscript_tir::op::bits::REINTERPRET;
use tvmscript_tir::op::thread::TVM_STORAGE_SYNC;

use crate::node::TypedCall;

/// The type of a value.
pub fn type_of(value: &Expr) -> Ref<Type> {
    if let Some(pointer) = value.as_node::<Var>() {
        return pointer.type_annotation.clone();
    }
    match value.as_node::<TypedCall>() {
        Some(call) => call.ty.clone(),
        None => PrimType::new(value.dtype()),
    }
}

/// A call whose result is a pointer to elements.
pub fn typed(operator: &Operator, args: impl IntoIterator<Item = Expr>, ty: Ref<Type>) -> Expr {
    TypedCall::make(operator.op.get().clone().upcast(), args.into_iter().collect(), ty)
}

/// A pointer as one of another type, unless it has this type.
pub fn pointer_as(pointer: Expr, ty: &Ref<Type>) -> Expr {
    match structural_equal(type_of(&pointer).object(), ty.object()) {
        true => pointer,
        false if ty.is::<PointerType>() => typed(&REINTERPRET, [pointer], ty.clone()),
        false => REINTERPRET.call(DataType::HANDLE, [pointer]),
    }
}

/// The value of a function where the text names the handle of a buffer: the pointer to its data, as a handle.
/// The release has no parameter for the handle beside the buffer.
pub fn handle_value(param: &Var, buffer: &Buffer) -> Expr {
    pointer_as(buffer.data.clone().upcast(), &param.type_annotation)
}

/// `T.tvm_storage_sync("shared", T.bool(False), -1)`: a barrier has three arguments.
pub fn storage_sync(scope: Expr, is_load: Option<Expr>, num_blocks: Option<Expr>) -> Expr {
    let is_load = is_load.unwrap_or_else(|| IntImm::bool(false));
    let num_blocks = num_blocks.unwrap_or_else(|| IntImm::int32(-1));
    TVM_STORAGE_SYNC.call(DataType::INT32, [scope, is_load, num_blocks])
}
