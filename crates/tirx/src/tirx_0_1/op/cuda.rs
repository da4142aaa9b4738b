//! Operators of CUDA, `T.cuda.lane_id()`.

use tvmscript_ir_macros::operators;
use tvmscript_prim::Expr;
use tvmscript_tir::op::{Effect, Operator, ResultType};

use crate::op::{INT32, UINT32, VOID};

operators! {
    prefix = "tirx.cuda.";
    namespace = "cuda";
    result = Expr;
    script = crate::op::types;
    call = crate::tirx_0_1::build::call_entry;
    effect = Update;

    params typed = (*, ty: DataType = None);
    /// The number of threads of the block along an axis, such as `"x"`.
    block_dim(axis, ..typed) -> INT32, effect = Pure;
    /// The index of the block in the grid along an axis.
    block_idx(axis, ..typed) -> INT32, effect = Pure;
    /// The index of the block in its cluster along an axis.
    cluster_cta_id(axis, ..typed) -> INT32, effect = Pure;
    /// The number of blocks of the cluster along an axis.
    cluster_dim(axis, ..typed) -> INT32, effect = Pure;
    /// The index of the cluster in the grid along an axis.
    cluster_id(axis, ..typed) -> INT32, effect = Pure;
    /// The number of blocks of the grid along an axis.
    grid_dim(axis, ..typed) -> INT32, effect = Pure;
    /// The index of the thread in its block along an axis.
    thread_idx(axis, ..typed) -> INT32, effect = Pure;
    /// The index of the block in its pair.
    cta_pair_id(..typed) -> INT32, effect = Pure;
    /// The index of the thread in its warp.
    lane_id(..typed) -> INT32, effect = Pure;
    /// The index of the thread in its warp group.
    thread_in_warpgroup(..typed) -> INT32, effect = Pure;
    /// The index of the warp in its block.
    warp_id(..typed) -> INT32, effect = Pure;
    /// The index of the warp in its warp group.
    warp_in_warpgroup(..typed) -> INT32, effect = Pure;
    /// The index of the warp group in its block.
    warpgroup_id(..typed) -> INT32, effect = Pure;
    /// The number of the thread in its block.
    linear_thread_id(*args, ..typed) -> INT32, effect = Pure;
    /// `D = A @ B + C` on fragments of bits.
    bmma_sync(
        fragment_d, index_d, fragment_a, index_a, fragment_b, index_b, fragment_c, index_c, ..typed
    ) -> VOID;
    /// Calls a function that the source code, the last argument, defines.
    func_call(func_name, *args, ..typed) -> VOID;
    /// Records an event.
    iket_mark(name, payload = None, ..typed) -> VOID;
    /// Records an event by its number.
    iket_official_event(event_id, source_code = "", payload = None, ..typed) -> UINT32;
    /// Ends a recorded range.
    iket_range_end(token, payload = None, ..typed) -> VOID;
    /// Ends the innermost recorded range.
    iket_range_pop(..typed) -> VOID;
    /// Starts a recorded range inside the current one.
    iket_range_push(name, payload = None, ..typed) -> VOID;
    /// Starts a recorded range, and returns its token.
    iket_range_start(name, payload = None, ..typed) -> UINT32;
    /// A token that stands for no range.
    iket_sentinel_token(name, ..typed) -> UINT32;
    /// Sets the fragment of a matrix to zero.
    mma_fill(local_size, local_ptr, offset, ..typed) -> VOID;
    /// Stores the fragment of a matrix.
    mma_store(m, n, dst_ptr, src_ptr, src_offset, dst_stride, ..typed) -> VOID;
    /// Writes the descriptor of a matrix in shared memory.
    tcgen05_encode_matrix_descriptor(desc, addr, ldo, sdo, swizzle, ..typed) -> VOID;
    /// Closes the record of a profiled kernel.
    timer_finalize(
        profiler_buffer, profiler_tag, profiler_write_offset, profiler_write_stride, leader_cond, ..typed
    ) -> VOID;
    /// Opens the record of a profiled kernel.
    timer_init(profiler_buffer, profiler_tag, profiler_write_offset, num_groups, group_id, ..typed) -> VOID;
    /// Ends an event of a profiled kernel.
    timer_end(
        event_type, profiler_buffer, profiler_tag, profiler_write_offset, profiler_write_stride, leader_cond, ..typed
    ) -> VOID;
    /// Starts an event of a profiled kernel.
    timer_start(
        event_type, profiler_buffer, profiler_tag, profiler_write_offset, profiler_write_stride, leader_cond, ..typed
    ) -> VOID;
    /// Writes the descriptor of a matrix in shared memory for the instructions of a warp group.
    wgmma_encode_matrix_descriptor(desc, addr, ldo, sdo, swizzle, ..typed) -> VOID;
    /// Keeps the compiler from moving accesses to a register of a warp group's instruction.
    wgmma_noop_barrier(reg, ..typed) -> VOID;
}
