//! Threads: warps, votes and shuffles, barriers of blocks, clusters and grids.

use tvmscript_ir_macros::operators;
use tvmscript_prim::Expr;
use tvmscript_tir::op::{Effect, Operator, ResultType};

use super::{BOOL, HANDLE, INT32, UINT32, UINT64, VOID};

operators! {
    prefix = "tl.";
    result = Expr;
    script = crate::op::types;
    call = crate::tilelang_0_25::op::call;
    effect = Update;

    /// One plus the position of the lowest set bit, or 0 without one.
    __ffs(value) -> INT32, effect = Pure;
    /// The position of the set bit at `offset` from the bit `base`.
    __fns(mask, base, offset) -> UINT32, effect = Pure;
    /// The lanes that are active, as a mask.
    activemask() -> UINT64;
    /// Tests whether all elements at a pointer are nonzero.
    all_of(src, count = None) -> BOOL, effect = Pure;
    /// Tests whether the predicate holds in all lanes of the mask.
    all_sync(mask, predicate) -> INT32;
    /// Tests whether any element at a pointer is nonzero.
    any_of(src, count = None) -> BOOL, effect = Pure;
    /// Tests whether the predicate holds in any lane of the mask.
    any_sync(mask, predicate) -> INT32;
    /// The lanes in which the predicate holds, as a mask.
    ballot(predicate) -> UINT64;
    /// The lanes of the mask in which the predicate holds.
    ballot_sync(mask, predicate) -> UINT64;
    /// The index of the block in its cluster.
    block_rank_in_cluster() -> INT32, effect = Pure;
    /// The first coordinate of the block that a cancelled launch hands over.
    clc_get_first_ctaid_x(result) -> UINT32, effect = Pure;
    /// The second coordinate of the block that a cancelled launch hands over.
    clc_get_first_ctaid_y(result) -> UINT32, effect = Pure;
    /// The third coordinate of the block that a cancelled launch hands over.
    clc_get_first_ctaid_z(result) -> UINT32, effect = Pure;
    /// Tests whether a launch has been cancelled.
    clc_is_canceled(result) -> INT32, effect = Pure;
    /// Tries to cancel the launch of a cluster, and takes over its blocks.
    clc_try_cancel(result, mbarrier) -> VOID;
    /// [`clc_try_cancel`], with the result for all blocks of the cluster.
    clc_try_cancel_multicast(result, mbarrier) -> VOID;
    /// Arrives at the barrier of the cluster.
    cluster_arrive() -> VOID;
    /// Arrives at the barrier of the cluster, without ordering of memory.
    cluster_arrive_relaxed() -> VOID;
    /// Waits for all threads of the cluster.
    cluster_sync() -> VOID;
    /// Waits until all threads of the cluster have arrived.
    cluster_wait() -> VOID;
    /// The index of the thread in its warp.
    get_lane_idx(warp_size = None) -> INT32, effect = Pure;
    /// The index of the warp group in its block.
    get_warp_group_idx(warp_size = None, warps_per_group = None) -> INT32, effect = Pure;
    /// The index of the warp in its block.
    get_warp_idx(warp_size = None) -> INT32, effect = Pure;
    /// The index of the warp in its block, the same for all lanes to the compiler.
    get_warp_idx_sync(warp_size = None) -> INT32, effect = Pure;
    /// The index of the thread along an axis of the launch, by the axis' number.
    launch_thread_idx(axis) -> INT32;
    /// The mask if all its lanes have the same value, else 0.
    match_all_sync(mask, value) -> UINT32;
    /// The lanes of the mask that have the same value as this one.
    match_any_sync(mask, value) -> UINT32;
    /// Arrives at a named barrier without waiting.
    named_barrier_arrive(barrier_id, thread_count) -> HANDLE;
    /// Waits for the kernel before this one.
    pdl_sync() -> VOID;
    /// Lets the kernel after this one start.
    pdl_trigger() -> VOID;
    /// The value of the lane that is `delta` above.
    shfl_down_sync(mask, value, delta, width) -> same_as(value);
    /// The value of a lane.
    shfl_sync(mask, value, lane, width) -> same_as(value);
    /// The value of the lane that is `delta` below.
    shfl_up_sync(mask, value, delta, width) -> same_as(value);
    /// The value of the lane whose index differs by the bits of `lane_mask`.
    shfl_xor_sync(mask, value, lane_mask, width) -> same_as(value);
    /// Waits for all threads of the grid.
    sync_grid() -> HANDLE;
    /// Waits for the lanes of a mask, or all of a warp.
    sync_warp(mask = None) -> VOID;
    /// Waits for the block; tests whether the predicate holds in all threads.
    syncthreads_and(predicate) -> INT32;
    /// Waits for the block; counts the threads in which the predicate holds.
    syncthreads_count(predicate) -> INT32;
    /// Waits for the block; tests whether the predicate holds in any thread.
    syncthreads_or(predicate) -> INT32;
    /// Holds in one thread of each group of `thread_extent`.
    tl_shuffle_elect(thread_extent) -> BOOL, effect = Pure;
    /// The bits that are set in all lanes of the warp.
    warp_reduce_bitand(value) -> same_as(value);
    /// The bits that are set in any lane of the warp.
    warp_reduce_bitor(value) -> same_as(value);
    /// The maximum over the lanes of the warp.
    warp_reduce_max(value) -> same_as(value);
    /// The minimum over the lanes of the warp.
    warp_reduce_min(value) -> same_as(value);
    /// The sum over the lanes of the warp.
    warp_reduce_sum(value) -> same_as(value);
}
