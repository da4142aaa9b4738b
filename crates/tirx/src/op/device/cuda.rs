//! CUDA: threads of warps and blocks, conversions of packed numbers, barriers in memory, `T.cuda.any_sync(..)`.

use tvmscript_ir_macros::operators;
use tvmscript_prim::Expr;
use tvmscript_tir::op::{Effect, Operator, ResultType};

use super::{FLOAT32, INT32, INT64, UINT32, UINT64, VOID, named_by_last, of_bits};

operators! {
    prefix = "tirx.cuda.";
    namespace = "cuda";
    result = Expr;
    script = crate::op::types;
    call = crate::op::device::call;
    effect = Update;

    /// The lanes that are active, as a mask.
    __activemask() -> UINT32, name = "tir.cuda.__activemask", effect = Pure;
    /// The value of the lane that is `delta` above.
    __shfl_down_sync(mask, var, delta, width) -> same_as(var), name = "tir.cuda.__shfl_down_sync", effect = Opaque;
    /// The value of a lane.
    __shfl_sync(mask, var, lane, width) -> same_as(var), name = "tir.cuda.__shfl_sync", effect = Opaque;
    /// The value of the lane that is `delta` below.
    __shfl_up_sync(mask, var, delta, width) -> same_as(var), name = "tir.cuda.__shfl_up_sync", effect = Opaque;
    /// The value of the lane whose index differs by the bits of `lane_mask`.
    __shfl_xor_sync(mask, var, lane_mask, width) -> same_as(var);
    /// Tests whether the predicate holds in any lane of the mask.
    any_sync(mask, pred) -> INT32, effect = Pure;
    /// Adds a value to memory; its value is the previous one.
    atomic_add(res_addr, value) -> same_as(value);
    /// Replaces a value in memory if it is the old one; its value is the previous one.
    atomic_cas(ptr, old_val, new_val) -> same_as(old_val);
    /// The lanes of the mask in which the predicate holds.
    ballot_sync(mask, pred) -> UINT32;
    /// Two `bfloat16` as two `float32`, packed.
    bfloat1622float2(packed) -> UINT64;
    /// A `bfloat16` as `float32`.
    bfloat162float(src) -> FLOAT32;
    /// The number of cycles so far.
    clock64() -> UINT64;
    /// Waits for all threads of the cluster.
    cluster_sync() -> VOID;
    /// Reduces a value over the threads of the block, by an operation such as `"max"`.
    cta_reduce(value, op, num_warps, scratch) -> same_as(value);
    /// Waits for all threads of the block.
    cta_sync() -> VOID;
    /// The address in shared memory of a pointer.
    cvta_generic_to_shared(ptr) -> UINT32;
    /// Holds in one thread of the warp.
    elect_sync() -> UINT32;
    /// Sums of two packed pairs of `float32`.
    fadd2_rn(a, b) -> UINT64;
    /// Quotient, fast and less exact.
    fdividef(x, y) -> FLOAT32, effect = Pure;
    /// One plus the position of the lowest set bit, or 0 without one.
    ffs_u32(value) -> INT32;
    /// Two `float32` as two `bfloat16`, packed.
    float22bfloat162_rn(v0, v1) -> UINT32;
    /// A packed pair of `float32` as two `bfloat16`, packed.
    float22bfloat162_rn_from_float2(packed) -> UINT32;
    /// Converts two `float32` in memory to `float16`.
    float22half2(dst, src) -> VOID;
    /// The first number of a packed pair of `float32`.
    float2_x(packed) -> FLOAT32;
    /// The second number of a packed pair of `float32`.
    float2_y(packed) -> FLOAT32;
    /// Converts eight `float8` in memory to `float16`.
    float8tohalf8(src_addr, dst_addr) -> VOID;
    /// The bits of a `float32`.
    float_as_uint(x) -> UINT32;
    /// Products of two packed pairs of `float32`.
    fmul2_rn(a, b) -> UINT64;
    /// Four `float32` as four `float8_e4m3fn`, packed.
    fp8x4_e4m3_from_float4(x, y, z, w) -> UINT32;
    /// The address in tensor memory at a row and a column.
    get_tmem_addr(addr, row_offset, col_offset) -> UINT32;
    /// Waits for all threads of the grid.
    grid_sync() -> VOID;
    /// A `float16` as `float32`.
    half2float(src) -> FLOAT32;
    /// Converts eight `float16` in memory to `float8`.
    half8tofloat8(src_addr, dst_addr) -> VOID;
    /// Larger numbers of two packed pairs of `float16`.
    hmax2(a, b) -> UINT32;
    /// Smaller numbers of two packed pairs of `float16`.
    hmin2(a, b) -> UINT32;
    /// Loads an element past the caches that are written, by the name of its type.
    ldg(addr, dtype_name) -> VOID = named_by_last;
    /// Two `float32`, packed.
    make_float2(x, y) -> UINT64;
    /// Waits for a phase of a barrier.
    mbarrier_wait(bar, phase) -> VOID;
    /// Waits for a phase of a barrier, and sees what the cluster wrote before it.
    mbarrier_wait_acquire_cluster(bar, phase) -> VOID;
    /// A special register by its number of bits and its name, such as `"laneid"`.
    mov_sreg(bits, reg_name) -> VOID = of_bits, effect = Pure;
    /// Suspends the thread for nanoseconds.
    nano_sleep(time) -> VOID;
    /// Prints values by a format.
    printf(fmt, *args) -> VOID;
    /// The sum over the lanes of a mask.
    reduce_add_sync_u32(mask, value) -> UINT32;
    /// The minimum over the lanes of a mask.
    reduce_min_sync_u32(mask, value) -> UINT32;
    /// Sets the number of the scales in the descriptor of an instruction.
    runtime_instr_desc(desc, sf_id) -> VOID;
    /// The address in shared memory of an address in the cluster.
    smem_addr_from_uint64(cluster_addr) -> UINT32;
    /// Waits for the block; tests whether the condition holds in all threads.
    syncthreads_and(cond) -> INT64;
    /// Waits for the block; tests whether the condition holds in any thread.
    syncthreads_or(cond) -> INT64;
    /// Orders the accesses of the thread to memory.
    thread_fence() -> VOID;
    /// The index of the thread in its block.
    thread_rank() -> INT32, effect = Pure;
    /// Stops the kernel unless the condition holds.
    trap_when_assert_failed(cond) -> VOID;
    /// The `float32` with these bits.
    uint_as_float(bits) -> FLOAT32;
    /// Loads a number from global memory to `dst` until the predicate holds.
    wait_until(dst, ptr, predicate, scope = "gpu", space = "global", ptx_type = "", backoff_ns = 0) -> VOID;
    /// Reduces a value over groups of lanes, by an operation such as `"max"`.
    warp_reduce(value, op, width = 32) -> same_as(value);
    /// Waits for all lanes of the warp.
    warp_sync() -> VOID;
    /// Waits for all threads of the warp group, at a barrier.
    warpgroup_sync(bar_no) -> VOID;
}
