//! Operators of TVM 0.27 beside those of 0.23 and of [`device`](crate::op).

use tvmscript_ir_core::{Array, DataType};
use tvmscript_ir_macros::operators;
use tvmscript_prim::error::PrimResult;
use tvmscript_prim::{Expr, IntImm, PointerType, PrimExprExt as _, PrimType, StringImm, ops};
use tvmscript_tir::op::bits::BITWISE_AND;
use tvmscript_tir::op::memory::TYPE_ANNOTATION;
use tvmscript_tir::op::{Effect, Operator, ResultType};

use crate::op::{BOOL, HANDLE, INT32, UINT32, VOID};

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
    /// The address of shared memory of the first block of a pair, as an operand of an instruction.
    sm100_2sm_leader_smem_addr(ptr)
        -> UINT32 = leader_address, name = "tirx.cuda.sm100_2sm_leader_smem_addr", text = "cuda.sm100_2sm_leader_smem_addr";
    /// Sets the fragment of a matrix to zero.
    mma_fill(dtype: DataType, local_size, local_ptr, offset) -> dtype, text = "cuda.mma_fill", name = "tirx.mma_fill";
    /// Stores the fragment of a matrix.
    mma_store(dtype: DataType, m, n, dst_ptr, src_ptr, src_offset, dst_stride)
        -> dtype, text = "cuda.mma_store", name = "tirx.mma_store";
    /// Starts a copy from global to shared memory, as a pass writes it.
    cp_async_raw(dtype: DataType, dst, dst_offset, src, src_offset, cp_size)
        -> dtype, name = "tirx.s_tir.cp_async_raw", text = "s_tir.cp_async_raw";
    /// Prints a buffer: its number of dimensions, and its shape.
    print_buffer(buffer_var, dtype_name, is_string, is_scalar, dim_num, *shape) -> VOID = printed;
    /// A pointer to elements of a type, so many bytes after another pointer.
    ptr_byte_offset(data, byte_offset, element) -> HANDLE = moved, effect = Pure;
    /// Writes the descriptor of a tensor in memory: dimensions, strides in bytes, dimensions and strides of a box.
    tensormap_encode_tiled(
        *args, *, descriptor_dtype: DataType, rank: i64, interleave: i64 = 0, swizzle: i64 = 0, l2_promotion: i64 = 0,
        oob_fill: i64 = 0, force_cu_dtype: i64 = -1
    ) -> INT32;
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
    /// Starts a copy from the memory of a process by all threads of the block.
    getmem_nbi_block(dst, src, nelems, pe)
        -> VOID, name = "tirx.nvshmem.getmem_nbi_block", text = "nvshmem.getmem_nbi.block";
    /// Starts a copy from the memory of a process by all lanes of the warp.
    getmem_nbi_warp(dst, src, nelems, pe)
        -> VOID, name = "tirx.nvshmem.getmem_nbi_warp", text = "nvshmem.getmem_nbi.warp";
    /// Starts a copy to the memory of a process by all threads of the block.
    putmem_nbi_block(dst, src, nelems, pe)
        -> VOID, name = "tirx.nvshmem.putmem_nbi_block", text = "nvshmem.putmem_nbi.block";
    /// Starts a copy to the memory of a process by all lanes of the warp.
    putmem_nbi_warp(dst, src, nelems, pe)
        -> VOID, name = "tirx.nvshmem.putmem_nbi_warp", text = "nvshmem.putmem_nbi.warp";
    /// Starts a copy to the memory of a process, which then changes a signal there, by all threads of the block.
    putmem_signal_nbi_block(dst, src, nelems, sig_addr, signal, sig_op, pe)
        -> VOID, name = "tirx.nvshmem.putmem_signal_nbi_block", text = "nvshmem.putmem_signal_nbi.block";
    /// Starts a copy to the memory of a process, which then changes a signal there, by all lanes of the warp.
    putmem_signal_nbi_warp(dst, src, nelems, sig_addr, signal, sig_op, pe)
        -> VOID, name = "tirx.nvshmem.putmem_signal_nbi_warp", text = "nvshmem.putmem_signal_nbi.warp";
    /// Keeps the compiler from moving accesses to a register of a warp group's instruction.
    wgmma_noop_barrier(reg) -> VOID, name = "tirx.cuda.wgmma_noop_barrier", text = "cuda.wgmma.noop_barrier";
}

/// The address with the bit of the second block cleared.
fn leader_address(_: DataType, args: &Array<Expr>) -> Option<PrimResult<Expr>> {
    let address = crate::op::device::cuda::CVTA_GENERIC_TO_SHARED.call(UINT32, args.iter().cloned());
    let mask = ops::make_const(UINT32, 0xFEFF_FFFF_i64);
    Some(mask.map(|mask| BITWISE_AND.call(UINT32, [address, mask])))
}

/// The call of `print_buffer`, whose literals have the types of the parameters, and whose type is the one that is named.
fn printed(_: DataType, args: &Array<Expr>) -> Option<PrimResult<Expr>> {
    let dtype = args.get(1)?.as_node::<StringImm>()?.value.as_str().parse().ok()?;
    let literal = |(at, arg): (usize, &Expr)| {
        let ty = match at {
            2 | 3 => BOOL,
            4 => UINT32,
            _ => return Ok(arg.clone()),
        };
        match arg.as_node::<IntImm>().filter(|literal| literal.dtype != ty) {
            Some(literal) => ops::make_const(ty, literal.value),
            None => Ok(arg.clone()),
        }
    };
    let operands = args.iter().enumerate().map(literal).collect::<PrimResult<Vec<Expr>>>();
    Some(operands.map(|operands| PRINT_BUFFER.call(dtype, operands)))
}

/// The call of `ptr_byte_offset`, whose type is a pointer to the element.
fn moved(_: DataType, args: &Array<Expr>) -> Option<PrimResult<Expr>> {
    let (data, offset, element) = (args.first()?, args.get(1)?, args.get(2)?);
    let element = match element.as_node::<StringImm>() {
        Some(name) => TYPE_ANNOTATION.call(name.value.as_str().parse().ok()?, []),
        None => element.clone(),
    };
    let scope = match super::calls::type_of(data).as_node::<PointerType>() {
        Some(pointer) => pointer.storage_scope.clone(),
        None => "global".into(),
    };
    let ty = PointerType::new(PrimType::new(element.dtype()), &scope);
    Some(Ok(super::calls::typed(&PTR_BYTE_OFFSET, [data.clone(), offset.clone(), element], ty)))
}
