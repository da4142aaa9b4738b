//! Calls that stand for what older texts write shorter.

use tvmscript_ir_core::{DataType, structural_equal};
use tvmscript_prim::{Expr, IntImm, Var};
use tvmscript_tir::Buffer;
use tvmscript_tir::op::bits::REINTERPRET;
use tvmscript_tir::op::thread::TVM_STORAGE_SYNC;

/// What a function holds where the text names the handle of a buffer: the pointer to its data, as a handle.
/// The release has no parameter for the handle beside the buffer.
pub fn handle_value(param: &Var, buffer: &Buffer) -> Expr {
    let data = buffer.data.clone();
    match structural_equal(param.type_annotation.object(), data.type_annotation.object()) {
        true => data.upcast(),
        false => REINTERPRET.call(DataType::HANDLE, [data.upcast()]),
    }
}

/// `T.tvm_storage_sync("shared", T.bool(False), -1)`: a barrier has three arguments.
pub fn storage_sync(scope: Expr, is_load: Option<Expr>, num_blocks: Option<Expr>) -> Expr {
    let is_load = is_load.unwrap_or_else(|| IntImm::bool(false));
    let num_blocks = num_blocks.unwrap_or_else(|| IntImm::int32(-1));
    TVM_STORAGE_SYNC.call(DataType::INT32, [scope, is_load, num_blocks])
}
