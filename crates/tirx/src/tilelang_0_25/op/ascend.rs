//! Instructions of Ascend: copies between memories, multiplications, flags between pipes.

use tvmscript_ir_macros::operators;
use tvmscript_prim::Expr;
use tvmscript_tir::op::{Effect, Operator, ResultType};

use super::VOID;

operators! {
    prefix = "tl.";
    result = Expr;
    script = crate::op::types;
    call = crate::tilelang_0_25::op::call;
    effect = Update;

    /// Multiplies tiles with scales whose operands lie in the L1 buffer.
    ascend_blockscaled_gemm_l1(
        c, a, b, sfa, sfb, M, K, N, tile_k_sub, trans_b, clear_accum, in_dtype, sf_dtype, accum_dtype, buf_offset,
        sf_k_offset, sf_nz_stride, unit_flag_ctrl = None
    ) -> VOID;
    /// Copies global memory to the L1 buffer, in the layout of fractals.
    ascend_copy_gm_to_cbuf(
        dst, src, sid, loop1_src_stride, l2_cache_ctrl, n_value, d_value, loop4_src_stride, smallc0_en, transpose,
        dst_n_value, physical_dtype = None
    ) -> VOID;
    /// Copies global memory to the unified buffer.
    ascend_copy_gm_to_ubuf(
        dst, src, sid, burst_num, burst_len, left_padding, right_padding, data_select, l2_cache_ctrl,
        burst_src_stride, burst_dst_stride
    ) -> VOID;
    /// Copies the result of a multiplication to global memory.
    ascend_copy_matrix_cc_to_gm(
        dst, src, sid, n_size, m_size, dst_stride, src_stride, l2_cache_ctrl, clip_relu_pre, unit_flag_ctrl,
        quant_pre, relu_pre, split_en, nz2nd_en, quant_post, relu_post, clip_relu_post, loop_enhance_en, eltwise_op,
        eltwise_antq_en, loop_enhance_merge_en, c0_pad_en, wino_post_en, broadcast_en, nz2dn_en
    ) -> VOID;
    /// Copies the result of a multiplication to the unified buffer.
    ascend_copy_matrix_cc_to_ub(
        dst, src, sid, n_size, m_size, loop_dst_stride, loop_src_stride, dual_dst_ctrl, sub_block_id, clip_relu_pre,
        unit_flag_ctrl, quant_pre, relu_pre, split_en, nz2nd_en, quant_post, relu_post, clip_relu_post,
        loop_enhance_en, eltwise_op, eltwise_antq_en, loop_enhance_merge_en, c0_pad_en, wino_post_en, broadcast_en,
        nz2dn_en
    ) -> VOID;
    /// Copies the unified buffer to the L1 buffer.
    ascend_copy_ubuf_to_cbuf(dst, src, sub_block_id, burst_num, burst_len, src_gap, dst_gap) -> VOID;
    /// Copies the unified buffer to global memory.
    ascend_copy_ubuf_to_gm(
        dst, src, sid, burst_num, burst_len, l2_cache_ctrl, burst_dst_stride, burst_src_stride
    ) -> VOID;
    /// Sets a flag for other cores, after the instructions of a pipe.
    ascend_cross_core_set_flag(mode, pipe, flag_id) -> VOID;
    /// Lets a pipe wait for a flag of other cores.
    ascend_cross_core_wait_flag(mode, pipe, flag_id) -> VOID;
    /// Fills blocks of the L1 buffer.
    ascend_fill_l1(dst, byte_offset, value, repeat_times, block_num, dst_gap, word_bits) -> VOID;
    /// Multiplies tiles whose operands lie in the L1 buffer.
    ascend_gemm_l1(
        c, a, b, M, K, N, tile_k_sub, trans_b, clear_accum, dtype_name, buf_offset, unit_flag_ctrl = None
    ) -> VOID;
    /// Takes a buffer for a pipe.
    ascend_get_buf(pipe, buf_id, mode) -> VOID;
    /// Loads the scales of the first operand of a multiplication.
    ascend_load_ca_sf(dst, src, x_start, y_start, x_step, y_step, src_stride, dst_stride) -> VOID;
    /// Loads the scales of the second operand of a multiplication.
    ascend_load_cb_sf(dst, src, x_start, y_start, x_step, y_step, src_stride, dst_stride) -> VOID;
    /// Loads the first operand of a multiplication from the L1 buffer.
    ascend_load_cbuf_to_ca(dst, src, m_start, k_start, m_step, k_step, src_stride, dst_stride, transpose) -> VOID;
    /// Loads the second operand of a multiplication from the L1 buffer.
    ascend_load_cbuf_to_cb(dst, src, m_start, k_start, m_step, k_step, src_stride, dst_stride, transpose) -> VOID;
    /// Multiplies matrices and adds the product.
    ascend_mad(dst, a, b, M, K, N, unit_flag_ctrl, gemv_ctrl, bias_ctrl, clear_accum) -> VOID;
    /// [`ascend_mad`] of matrices whose blocks have scales.
    ascend_mad_mx(dst, a, b, M, K, N, unit_flag_ctrl, gemv_ctrl, bias_ctrl, clear_accum) -> VOID;
    /// Copies rows in the layout of fractals to the L1 buffer.
    ascend_nd2nz_post_copy(dst, src, rows, cols, full_rows, dtype_name) -> VOID;
    /// Brings rows into the layout of fractals within the unified buffer.
    ascend_nd2nz_scatter(src, dst, rows, cols, dst_dtype, src_dtype, *args) -> VOID;
    /// Waits for the instructions of a pipe.
    ascend_pipe_barrier(pipe) -> VOID;
    /// Loads an element of global memory past the cache.
    ascend_read_gm_bypass_dcache(src) -> VOID, effect = Pure;
    /// Gives a buffer back for a pipe.
    ascend_rls_buf(pipe, buf_id, mode) -> VOID;
    /// Lets copies to memory combine elements: by the kind, in the type of `zero`.
    ascend_set_atomic(kind, zero) -> VOID;
    /// Lets copies to memory store elements again.
    ascend_set_atomic_none() -> VOID;
    /// Sets the value of padding.
    ascend_set_copy_pad_value(value) -> VOID;
    /// Sets the flag of an event between two pipes.
    ascend_set_flag(event, event_id) -> VOID;
    /// Sets the mode of multiplications of `float32`.
    ascend_set_hf32_mode(mode) -> VOID;
    /// Sets the order in which multiplications visit blocks.
    ascend_set_mmad_direction(direction) -> VOID;
    /// Orders the accesses of the thread to memory.
    ascend_threadfence() -> VOID;
    /// Waits for the flag of an event between two pipes.
    ascend_wait_flag(event, event_id) -> VOID;
    /// Stores an element of global memory past the cache.
    ascend_write_gm_bypass_dcache(dst, value) -> VOID;
}
