//! Matrix units of GPUs, and asynchronous copies to their memory.

use tvmscript_prim::{DataType, Expr};

use super::{Effect, HANDLE, Operator, ResultType, VOID};

tir_operators! {
    /// Fills a matrix of a SIMD group.
    make_filled_simdgroup_matrix(d: Expr, index: Expr, value: Expr, col: Expr = 8, row: Expr = 8)
        -> HANDLE, effect = Opaque;
    /// Fills a fragment with zeros.
    mma_fill(dtype: DataType, local_size: Expr, local_ptr: Expr, offset: Expr) -> dtype, effect = Opaque;
    /// Stores a fragment.
    mma_store(
        dtype: DataType, m: Expr, n: Expr, dst_ptr: Expr, src_ptr: Expr, src_offset: Expr, dst_stride: Expr
    ) -> dtype, effect = Opaque;
    /// Arrives at a barrier.
    ptx_arrive_barrier(barrier_id: Expr) -> VOID, effect = Opaque;
    /// Arrives at a barrier that expects `byte_count` bytes.
    ptx_arrive_barrier_expect_tx(barrier_id: Expr, byte_count: Expr) -> VOID, effect = Opaque;
    /// Commits the asynchronous copies as a group.
    ptx_commit_group() -> VOID, effect = Opaque;
    /// Asynchronous copy from global to shared memory.
    ptx_cp_async(
        dtype: DataType, shared_ptr: Expr, shared_offset: Expr, global_ptr: Expr, global_offset: Expr,
        bytes: Expr
    ) -> dtype, effect = Opaque;
    /// Arrives at a barrier when the asynchronous copies finish.
    ptx_cp_async_barrier(barrier_id: Expr) -> VOID, effect = Opaque;
    /// Asynchronous bulk copy from global to shared memory.
    ptx_cp_async_bulk(
        dtype: DataType, shared_ptr: Expr, shared_offset: Expr, global_ptr: Expr, global_offset: Expr,
        bytes: Expr, barrier_id: Expr
    ) -> dtype, effect = Opaque;
    /// Initializes a barrier for `thread_count` threads.
    ptx_init_barrier_thread_count(barrier_id: Expr, thread_count: Expr) -> VOID, effect = Opaque;
    /// Guarded load of 32 bits from global memory.
    ptx_ldg32(*args: Expr) -> VOID, hidden;
    /// Loads matrices from shared memory to registers.
    ptx_ldmatrix(
        dtype: DataType, trans: Expr, num: Expr, type: Expr, local_ptr: Expr, local_offset: Expr,
        smem_ptr: Expr, smem_offset: Expr
    ) -> dtype, effect = Opaque;
    /// Multiplies matrices and accumulates.
    ptx_mma(
        dtype: DataType, shape: Expr, A_layout: Expr, B_layout: Expr, A_dtype: Expr, B_dtype: Expr,
        C_dtype: Expr, multiplicand_a: Expr, a_index: Expr, multiplicand_b: Expr, b_index: Expr,
        accumulator: Expr, c_index: Expr, saturate: Expr, operator: Option<Expr> = None
    ) -> dtype, effect = Opaque;
    /// [`ptx_mma`] with a sparse first operand.
    ptx_mma_sp(
        dtype: DataType, shape: Expr, A_layout: Expr, B_layout: Expr, A_dtype: Expr, B_dtype: Expr,
        C_dtype: Expr, multiplicand_a: Expr, a_index: Expr, multiplicand_b: Expr, b_index: Expr,
        accumulator: Expr, c_index: Expr, metadata: Expr, meta_index: Expr, sparse_selector: Expr,
        saturate: Expr
    ) -> dtype, effect = Opaque;
    /// Waits at a barrier.
    ptx_wait_barrier(barrier_id: Expr) -> VOID, effect = Opaque;
    /// Waits until at most `num` groups of copies are pending.
    ptx_wait_group(num: Expr) -> VOID, effect = Opaque;
    /// Loads a matrix of a SIMD group.
    simdgroup_load(
        d: Expr, index: Expr, ptr: Expr, stride: Expr, col: Expr = 8, row: Expr = 8,
        transpose_matrix: Expr = false
    ) -> HANDLE, effect = Opaque;
    /// Multiplies matrices of a SIMD group and accumulates.
    simdgroup_multiply_accumulate(
        d: Expr, index_d: Expr, a: Expr, index_a: Expr, b: Expr, index_b: Expr, c: Expr, index_c: Expr
    ) -> HANDLE, effect = Opaque;
    /// Stores a matrix of a SIMD group.
    simdgroup_store(
        d: Expr, index: Expr, ptr: Expr, stride: Expr, col: Expr = 8, row: Expr = 8,
        transpose_matrix: Expr = false
    ) -> HANDLE, effect = Opaque;
    /// Multiplies fragments of bits and accumulates.
    tvm_bmma_sync(
        fragment_d: Expr, index_d: Expr, fragment_a: Expr, index_a: Expr, fragment_b: Expr, index_b: Expr,
        fragment_c: Expr, index_c: Expr
    ) -> HANDLE, effect = Opaque;
    /// Fills a fragment with a value.
    tvm_fill_fragment(fragment: Expr, m: Expr, n: Expr, k: Expr, index: Expr, value: Expr)
        -> HANDLE, effect = Opaque;
    /// Loads a fragment.
    tvm_load_matrix_sync(
        fragment: Expr, m: Expr, n: Expr, k: Expr, index: Expr, buffer_ptr: Expr, stride: Expr, layout: Expr
    ) -> HANDLE, effect = Read;
    /// Multiplies fragments and accumulates.
    tvm_mma_sync(
        fragment_d: Expr, index_d: Expr, fragment_a: Expr, index_a: Expr, fragment_b: Expr, index_b: Expr,
        fragment_c: Expr, index_c: Expr
    ) -> HANDLE, effect = Opaque;
    /// Stores a fragment.
    tvm_store_matrix_sync(
        fragment: Expr, m: Expr, n: Expr, k: Expr, index: Expr, buffer_ptr: Expr, stride: Expr, layout: Expr
    ) -> HANDLE, effect = Opaque;
}
