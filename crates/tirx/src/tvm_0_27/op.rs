//! Operators of TVM 0.27 beside those of 0.23 and of [`device`](crate::op).

use tvmscript_ir_macros::operators;
use tvmscript_prim::Expr;
use tvmscript_tir::op::{Effect, Operator, ResultType};

use crate::op::{BOOL, INT32, UINT32, VOID};

operators! {
    prefix = "tirx.";
    result = Expr;
    script = crate::op::types;
    call = crate::op::device::call;
    effect = Update;

    /// Launches a kernel by its name, with its arguments and then the values of the launch, which `launch_params`
    /// names.
    call_ffi_kernel(*args, *, launch_params: Vec<Str>, ret_ty: DataType = DataType::INT32) -> INT32;
    /// Fills a cooperative tensor with a value.
    cooperative_tensor_fill(d, index, value, rows, cols) -> VOID;
    /// Loads a cooperative tensor from memory.
    cooperative_tensor_load(
        d, index, ptr, stride, rows, cols, transpose_matrix = false, mma_M = 0, mma_N = 0, mma_K = 0, operand_role = 0
    ) -> VOID;
    /// `D = A @ B + C` on cooperative tensors.
    cooperative_tensor_multiply_accumulate(
        d, index_d, a, index_a, b, index_b, c, index_c, M, N, K, transpose_a = false, transpose_b = false
    ) -> VOID;
    /// Stores a cooperative tensor in memory.
    cooperative_tensor_store(
        d, index, ptr, stride, rows, cols, transpose_matrix = false, mma_M = 0, mma_N = 0, mma_K = 0, operand_role = 0
    ) -> VOID;
    /// Tests whether the thread with this index is selected by the predicate.
    filter(var, pred) -> BOOL, effect = Pure;
    /// The index of the thread that the predicate selects.
    selector(var, pred) -> same_as(var);
    /// An address, so many bytes after another one, as an operand of an instruction.
    ptx_addr(base, byte_offset) -> same_as(base), name = "tirx.ptx.addr", text = "ptx.addr", effect = Pure;
    /// The place at which a kernel is put in.
    tvm_kernel_replace_point() -> VOID;
    /// The value of the lane whose index differs by the bits of `lane_mask`.
    tvm_warp_shuffle_xor(mask, value, lane_mask, width, warp_size) -> same_as(value);
    /// Loads 32 bits from global memory under a condition.
    ldg32(reg, guard, addr, local_addr) -> VOID, name = "tirx.s_tir.ldg32", text = "s_tir.ldg32", effect = Pure;
    /// Closes the record of a profiled kernel.
    timer_finalize(
        profiler_buffer, profiler_tag, profiler_write_offset, profiler_write_stride, leader_cond
    ) -> VOID, name = "tirx.timer_finalize_cuda", text = "cuda.timer_finalize";
    /// Opens the record of a profiled kernel.
    timer_init(
        profiler_buffer, profiler_tag, profiler_write_offset, num_groups, group_id
    ) -> VOID, name = "tirx.timer_init_cuda", text = "cuda.timer_init";
    /// Ends an event of a profiled kernel.
    timer_end(
        event_type, profiler_buffer, profiler_tag, profiler_write_offset, profiler_write_stride, leader_cond
    ) -> VOID, name = "tirx.timer_end_cuda", text = "cuda.timer_end";
    /// Starts an event of a profiled kernel.
    timer_start(
        event_type, profiler_buffer, profiler_tag, profiler_write_offset, profiler_write_stride, leader_cond
    ) -> VOID, name = "tirx.timer_start_cuda", text = "cuda.timer_start";
    /// Records an event.
    iket_mark(name, payload = None) -> VOID, name = "tirx.cuda.iket_mark", text = "cuda.iket.mark";
    /// Records an event by its number.
    iket_official_event(event_id, source_code = "", payload = None)
        -> UINT32, name = "tirx.cuda.iket_official_event", text = "cuda.iket.official_event";
    /// Ends a recorded range.
    iket_range_end(token, payload = None) -> VOID, name = "tirx.cuda.iket_range_end", text = "cuda.iket.range_end";
    /// Ends the innermost recorded range.
    iket_range_pop() -> VOID, name = "tirx.cuda.iket_range_pop", text = "cuda.iket.range_pop";
    /// Starts a recorded range inside the current one.
    iket_range_push(name, payload = None) -> VOID, name = "tirx.cuda.iket_range_push", text = "cuda.iket.range_push";
    /// Starts a recorded range, and returns its token.
    iket_range_start(name, payload = None)
        -> UINT32, name = "tirx.cuda.iket_range_start", text = "cuda.iket.range_start";
    /// A token that stands for no range.
    iket_sentinel_token(name) -> UINT32, name = "tirx.cuda.iket_sentinel_token", text = "cuda.iket.sentinel_token";
    /// Writes the descriptor of a multiplication.
    tcgen05_encode_instr_descriptor(
        desc, d_dtype, a_dtype, b_dtype, M, N, K, trans_a, trans_b, n_cta_groups = 1, neg_a = false, neg_b = false,
        sat_d = false, is_sparse = false
    ) -> VOID, name = "tirx.cuda.tcgen05_encode_instr_descriptor", text = "cuda.tcgen05.encode_instr_descriptor";
    /// Writes the descriptor of a multiplication of matrices whose blocks have scales.
    tcgen05_encode_instr_descriptor_block_scaled(
        desc, d_dtype, a_dtype, b_dtype, sfa_dtype, sfb_dtype, sfa_tmem_addr, sfb_tmem_addr, M, N, K, trans_a,
        trans_b, n_cta_groups = 1, neg_a = false, neg_b = false, is_sparse = false
    ) -> VOID,
        name = "tirx.cuda.tcgen05_encode_instr_descriptor_block_scaled", text = "cuda.tcgen05.encode_instr_descriptor_block_scaled";
    /// Writes the descriptor of a matrix in shared memory.
    tcgen05_encode_matrix_descriptor(desc, addr, ldo, sdo, swizzle)
        -> VOID, name = "tirx.cuda.tcgen05_encode_matrix_descriptor", text = "cuda.tcgen05.encode_matrix_descriptor";
    /// Writes the descriptor of a matrix in shared memory for the instructions of a warp group.
    wgmma_encode_matrix_descriptor(desc, addr, ldo, sdo, swizzle)
        -> VOID, name = "tirx.cuda.wgmma_encode_matrix_descriptor", text = "cuda.wgmma.encode_matrix_descriptor";
    /// Keeps the compiler from moving accesses to a register of a warp group's instruction.
    wgmma_noop_barrier(reg) -> VOID, name = "tirx.cuda.wgmma_noop_barrier", text = "cuda.wgmma.noop_barrier";
}
