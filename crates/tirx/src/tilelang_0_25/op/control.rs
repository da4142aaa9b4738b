//! Control, hints to the compiler, random numbers, and what fits nowhere else.

use tvmscript_ir_macros::operators;
use tvmscript_prim::Expr;
use tvmscript_tir::op::{Effect, Operator, ResultType};

use super::{HANDLE, INT32, UINT32, VOID};

operators! {
    prefix = "tl.";
    result = Expr;
    script = crate::op::types;
    call = crate::tilelang_0_25::op::call;
    effect = Update;

    /// How the warps of a multiplication divide its result.
    GemmWarpPolicy(*args) -> VOID, effect = Opaque;
    /// Number of registers per thread that the consumers of a specialized kernel get.
    annotate_consumer_reg_alloc(num_reg) -> HANDLE;
    /// Number of registers per thread that the producers of a specialized kernel keep.
    annotate_producer_reg_dealloc(num_reg) -> HANDLE;
    /// States whether two operations of a schedule conflict.
    conflict_hint(a, b, level, cross, group, is_conflict) -> HANDLE, effect = Pure;
    /// Stops the kernel unless the condition holds.
    device_assert(condition) -> VOID;
    /// [`device_assert`], with a message.
    device_assert_with_msg(condition, message) -> VOID;
    /// Leaves the innermost loop.
    loop_break() -> HANDLE;
    /// The stage of a buffer in several versions.
    mvb_stage_index(stage) -> same_as(stage), effect = Pure;
    /// Leaves the number of registers per thread as it is.
    no_set_max_nreg() -> HANDLE;
    /// Two 16-bit values as one of 32 bits.
    pack_b16(low, high) -> UINT32, effect = Pure;
    /// Four 8-bit values as one of 32 bits.
    pack_b8x4(x0, x1, x2, x3) -> INT32, effect = Pure;
    /// Adds a value to a reduction.
    reducer_update(target, value) -> HANDLE;
    /// Starts the random numbers of this thread.
    rng_init(seed, sequence, offset, generator) -> VOID;
    /// The next random number of this thread.
    rng_rand() -> UINT32;
    /// The next random float of this thread, with a distribution such as `"uniform"`.
    rng_rand_float(distribution) -> open;
    /// Raises or lowers the number of registers per thread.
    set_max_nreg(num_reg, is_inc) -> HANDLE;
    /// Calls a packed function with arguments and result in an array that exists.
    tvm_ffi_call_with_result(func_name, args, num_args, result) -> INT32;
    /// Waits for the threads of a scope, by the number of a barrier and of its threads.
    tvm_storage_sync(storage_scope, barrier_id = None, thread_count = None, *args)
        -> INT32, name = "tir.tvm_storage_sync", effect = Opaque;
}
