//! Tensor cores: matrix instructions, their descriptors, and tensor memory.

use tvmscript_ir_macros::operators;
use tvmscript_prim::Expr;
use tvmscript_tir::op::{Effect, Operator, ResultType};

use super::{HANDLE, VOID};

operators! {
    prefix = "tl.";
    result = Expr;
    script = crate::op::types;
    call = crate::tilelang_0_25::op::call;
    effect = Update;

    /// Fills a cooperative tensor with a value.
    cooperative_tensor_fill(data, index, value, rows, cols) -> HANDLE;
    /// Loads a cooperative tensor from memory.
    cooperative_tensor_load(
        data, index, src, stride, rows, cols, transpose_matrix, mma_M, mma_N, mma_K, operand_role
    ) -> HANDLE;
    /// `D = A @ B + C` on cooperative tensors.
    cooperative_tensor_multiply_accumulate(
        d, index_d, a, index_a, b, index_b, c, index_c, M, N, K, transpose_a, transpose_b
    ) -> HANDLE;
    /// Stores a cooperative tensor in memory.
    cooperative_tensor_store(
        data, index, dst, stride, rows, cols, transpose_matrix, mma_M, mma_N, mma_K, operand_role
    ) -> HANDLE;
    /// Releases tensor memory.
    deallocate_tmem(data) -> HANDLE;
    /// Moves the start of a descriptor.
    increase_descriptor_offset(descriptor, offset) -> HANDLE;
    /// Writes the descriptor of a matrix in shared memory for [`ptx_tcgen05_mma_ss`] and its kind.
    initialize_tcgen05_descriptor(
        descriptor, start_address, leading_byte_offset, stride_byte_offset, base_offset, leading_is_absolute,
        swizzle_mode
    ) -> HANDLE;
    /// Writes the descriptor of a matrix in shared memory for [`ptx_wgmma_ss`] and its kind.
    initialize_wgmma_descriptor(descriptor, start_address, layout_type, leading_byte_offset, stride_byte_offset)
        -> HANDLE;
    /// Releases columns of tensor memory.
    ptx_deallocate_tensor_memory(data, num_cols, **annotations) -> HANDLE;
    /// Allocates columns of tensor memory.
    ptx_init_tensor_memory(data, num_cols, **annotations) -> HANDLE;
    /// Loads matrices from shared memory to registers. With more arguments, TVM's operator of this name.
    ptx_ldmatrix(transposed, num, src, dst) -> HANDLE;
    /// Multiply-accumulate of matrices whose blocks have scales.
    ptx_mma_block_scale(
        accum_dtype, shape, A_layout, B_layout, kind, scale_vec_size, A_dtype, B_dtype, scale_type, multiplicand_a,
        a_index, multiplicand_b, b_index, accumulator, c_index, scale_a, scale_b, scale_a_byte_id, scale_a_thread_id,
        scale_b_byte_id, scale_b_thread_id
    ) -> HANDLE;
    /// Multiply-accumulate of matrices on the first generation of tensor cores.
    ptx_mma_sm70(
        shape, A_layout, B_layout, A_dtype, B_dtype, C_dtype, multiplicand_a, a_index, multiplicand_b, b_index,
        accumulator, c_index, saturate = None
    ) -> HANDLE;
    /// Stores matrices from registers in shared memory.
    ptx_stmatrix(transposed, num, dst, *values) -> HANDLE;
    /// Copies shared memory to tensor memory for four warps.
    ptx_tcgen05_cp_warpx4(src, dst, col_offset, **annotations) -> VOID;
    /// [`ptx_tcgen05_mma_ss`] of matrices whose blocks have scales.
    ptx_tcgen05_mma_blockscaled_ss(
        kind_dtype, desc_a, A_offset, desc_b, B_offset, C_ptr, C_offset, desc_val, scale_out, sfa_ptr, sfa_offset,
        sfb_ptr, sfb_offset, reserved0, reserved1, enable_2cta, **annotations
    ) -> HANDLE;
    /// Multiply-accumulate in tensor memory of two matrices in shared memory.
    ptx_tcgen05_mma_ss(
        kind_dtype, desc_a, A_offset, desc_b, B_offset, C_ptr, C_offset, desc_val, scale_out, mask0, mask1, mask2,
        mask3, enable_ws = None, enable_2cta = None, **annotations
    ) -> HANDLE;
    /// [`ptx_tcgen05_mma_ss`] with the first matrix in tensor memory.
    ptx_tcgen05_mma_ts(
        kind_dtype, A_ptr, A_offset, desc_b, B_offset, C_ptr, C_offset, desc_val, scale_out, mask0, mask1, mask2, mask3,
        enable_2cta = None, **annotations
    ) -> HANDLE;
    /// Transposes scales within a warp.
    ptx_tcgen05_sf_warp_transpose(data) -> VOID;
    /// Multiply-accumulate by a warp group, with the first matrix in registers.
    ptx_wgmma_rs(
        wgmma_prefix, b_is_k_major, a_dtype_abbrv, b_dtype_abbrv, accum_dtype_abbrv, A_buf, A_offset, B_desc, B_offset,
        C_data, C_offset, scale_out, scale_in_a, scale_in_b
    ) -> VOID;
    /// [`ptx_wgmma_rs`] with a sparse first matrix.
    ptx_wgmma_sp_rs(
        wgmma_prefix, b_is_k_major, a_dtype_abbrv, b_dtype_abbrv, accum_dtype_abbrv, A_buf, A_offset, E_buf, E_offset,
        sparse_selector, B_desc, B_offset, C_data, C_offset, scale_out, scale_in_a, scale_in_b
    ) -> VOID;
    /// [`ptx_wgmma_ss`] with a sparse first matrix.
    ptx_wgmma_sp_ss(
        wgmma_prefix, a_is_k_major, b_is_k_major, a_dtype_abbrv, b_dtype_abbrv, accum_dtype_abbrv, A_desc, A_offset,
        E_data, E_offset, sparse_selector, B_desc, B_offset, C_data, C_offset, scale_out, scale_in_a, scale_in_b
    ) -> VOID;
    /// Multiply-accumulate by a warp group, with both matrices in shared memory.
    ptx_wgmma_ss(
        wgmma_prefix, a_is_k_major, b_is_k_major, a_dtype_abbrv, b_dtype_abbrv, accum_dtype_abbrv, A_desc, A_offset,
        B_desc, B_offset, C_data, C_offset, scale_out, scale_in_a, scale_in_b
    ) -> VOID;
    /// Orders accesses to tensor memory after a barrier of threads.
    tcgen05_after_thread_sync() -> VOID;
    /// Orders accesses to tensor memory before a barrier of threads.
    tcgen05_before_thread_sync() -> VOID;
    /// Loads tensor memory to registers.
    tcgen05_ld(bits, chunks, pack, src, col_offset, datapaths_per_warp, dst) -> HANDLE;
    /// Lets a barrier wait for the matrix instructions so far.
    tcgen05_mma_arrive(mbarrier, **annotations) -> VOID;
    /// Stores registers in tensor memory.
    tcgen05_st(bits, chunks, unpack, dst, col_offset, datapaths_per_warp, src) -> HANDLE;
    /// Multiply-accumulate of matrices by the matrix cores of CDNA.
    tvm_mfma(
        shape, A_layout, B_layout, A_dtype, B_dtype, C_dtype, multiplicand_a, a_index, multiplicand_b, b_index,
        accumulator, c_index
    ) -> VOID;
    /// Stores the result of [`tvm_mfma`].
    tvm_mfma_store(m, n, dst_ptr, src_ptr, src_offset, dst_stride) -> VOID;
    /// Multiply-accumulate of matrices by the matrix cores of RDNA.
    tvm_rdna_wmma(
        shape, A_layout, B_layout, A_dtype, B_dtype, C_dtype, multiplicand_a, a_index, multiplicand_b, b_index,
        accumulator, c_index
    ) -> VOID;
    /// Stores the result of [`tvm_rdna_wmma`].
    tvm_rdna_wmma_store(m, n, dst_ptr, src_ptr, src_offset, dst_stride) -> VOID;
    /// Waits until at most `num_mma` groups of a warp group are pending.
    wait_wgmma(num_mma) -> HANDLE;
    /// Orders registers before the instructions of a warp group.
    warpgroup_arrive() -> HANDLE;
    /// Closes the group of the instructions so far.
    warpgroup_commit_batch() -> HANDLE;
    /// Keeps the compiler from moving accesses to registers of a warp group's instruction.
    warpgroup_fence_operand(dtype_name, data, offset, num_regs) -> HANDLE;
    /// Waits until at most `num_mma` groups of a warp group are pending.
    warpgroup_wait(num_mma) -> HANDLE;
}
