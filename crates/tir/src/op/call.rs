//! Calls of external, packed and compiler functions.

use tvmscript_prim::{DataType, Expr, PrimExprExt};

use super::{Effect, HANDLE, INT32, LlvmName, Operator, Packed, ResultType};

tir_operators! {
    /// Calls an external function by name.
    call_extern(dtype: DataType, func_name: Expr, *args: Expr) -> dtype, effect = Opaque;
    /// Calls an intrinsic of LLVM.
    call_llvm_intrin(dtype: DataType, name: LlvmName, *args: Expr) -> dtype, effect = Opaque;
    /// Calls an intrinsic of LLVM without effects.
    call_llvm_pure_intrin(dtype: DataType, name: LlvmName, *args: Expr) -> dtype;
    /// Calls an external function without effects.
    call_pure_extern(dtype: DataType, func_name: Expr, *args: Expr) -> dtype;
    /// Calls a function of SPIR-V's extended instruction set.
    call_spirv_pure_glsl450(*args: Expr) -> same_as(args[0]), hidden;
    /// Calls a packed function through the C interface.
    call_cpacked(*args: Packed) -> INT32, name = "tir.tvm_call_cpacked", effect = Opaque;
    /// [`call_cpacked`], with the arguments on the stack.
    call_cpacked_lowered(*args: Packed) -> INT32, name = "tir.tvm_call_cpacked_lowered", effect = Opaque;
    /// Calls a packed function by name.
    call_packed(*args: Packed) -> INT32, name = "tir.tvm_call_packed", effect = Opaque;
    /// [`call_packed`], with the arguments on the stack.
    call_packed_lowered(*args: Packed) -> INT32, name = "tir.tvm_call_packed_lowered", effect = Opaque;
    /// Calls a packed function that traces values.
    tvm_call_trace_packed(*args: Expr) -> INT32, effect = Opaque, hidden;
    /// [`tvm_call_trace_packed`], with the arguments on the stack.
    tvm_call_trace_packed_lowered(*args: Expr) -> INT32, effect = Opaque, hidden;
    /// Checks the result of a call against the expected one.
    tvm_check_return(expected: Expr, return_unexpected: Expr, nested_call: Expr)
        -> same_as(nested_call), hidden;
    /// Raises the last error of the runtime.
    tvm_throw_last_error() -> HANDLE, effect = Opaque;
    /// Several values as one argument.
    tvm_tuple(*value: Expr) -> HANDLE, effect = Embed;
}
