//! Synchronization and exchange between threads.

use tvmscript_prim::{Expr, PrimExprExt};

use super::{Effect, HANDLE, INT32, Operator, ResultType, UINT32, VOID};

tir_operators! {
    /// Creates barriers in shared memory.
    create_barriers(barrier_count: Expr) -> VOID, effect = Opaque;
    /// Initializes the global barrier of a kernel.
    tvm_global_barrier_kinit(*args: Expr) -> INT32, effect = Opaque, hidden;
    /// Waits until all threads of a storage scope arrive.
    tvm_storage_sync(storage_scope: Expr) -> INT32, effect = Opaque;
    /// Reduction over the threads of a block.
    tvm_thread_allreduce(*freduce_args: Expr) -> HANDLE, effect = Opaque;
    /// Context of the current thread.
    tvm_thread_context(*args: Expr) -> HANDLE, effect = Opaque, hidden;
    /// Mask of the active lanes of the warp.
    tvm_warp_activemask() -> UINT32, effect = Opaque;
    /// Value of another lane of the warp.
    tvm_warp_shuffle(mask: Expr, value: Expr, warp_id: Expr, width: Expr, warp_size: Expr)
        -> same_as(value), effect = Opaque;
    /// Value of the lane `offset` above.
    tvm_warp_shuffle_down(mask: Expr, value: Expr, offset: Expr, width: Expr, warp_size: Expr)
        -> same_as(value), effect = Opaque;
    /// Value of the lane `offset` below.
    tvm_warp_shuffle_up(mask: Expr, value: Expr, offset: Expr, width: Expr, warp_size: Expr)
        -> same_as(value), effect = Opaque;
    /// CUDA's mask of active lanes.
    cuda_activemask(*args: Expr)
        -> UINT32, name = "tir.cuda.__activemask", text = "tir.cuda.__activemask", hidden;
    /// CUDA's exchange with the lane above.
    cuda_shfl_down_sync(*args: Expr)
        -> same_as(args[1]), name = "tir.cuda.__shfl_down_sync", text = "tir.cuda.__shfl_down_sync", effect = Opaque, hidden;
    /// CUDA's exchange with another lane.
    cuda_shfl_sync(*args: Expr)
        -> same_as(args[1]), name = "tir.cuda.__shfl_sync", text = "tir.cuda.__shfl_sync", effect = Opaque, hidden;
    /// CUDA's exchange with the lane below.
    cuda_shfl_up_sync(*args: Expr)
        -> same_as(args[1]), name = "tir.cuda.__shfl_up_sync", text = "tir.cuda.__shfl_up_sync", effect = Opaque, hidden;
    /// Metal's exchange with another lane.
    metal_simd_shuffle(*args: Expr)
        -> same_as(args[0]), name = "tir.metal.simd_shuffle", text = "tir.metal.simd_shuffle", effect = Opaque, hidden;
    /// Metal's exchange with the lane above.
    metal_simd_shuffle_down(*args: Expr)
        -> same_as(args[0]), name = "tir.metal.simd_shuffle_down", text = "tir.metal.simd_shuffle_down", effect = Opaque, hidden;
    /// Metal's exchange with the lane below.
    metal_simd_shuffle_up(*args: Expr)
        -> same_as(args[0]), name = "tir.metal.simd_shuffle_up", text = "tir.metal.simd_shuffle_up", effect = Opaque, hidden;
}
