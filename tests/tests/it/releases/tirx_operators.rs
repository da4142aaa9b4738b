//! Operators of TIRx 0.1 in its text.

use tvmscript::ir_core::equal::StructuralEqual;

use super::{read, reads_and_prints};

#[test]
fn tirx_operators_read_and_print() {
    reads_and_prints(
        r#"from __future__ import annotations

# from tvm_tirx.script import tirx as T

@T.function
def f(A: T.Tensor((64, 64), T.float32), p: T.Ptr(T.float32), n: T.int32):
    T.cuda.block_idx("x")
    T.cuda.block_dim(0)
    T.cuda.lane_id()
    T.cuda.warp_id()
    T.cuda.cta_pair_id()
    T.cuda.warpgroup_id()
    T.cuda.warp_in_warpgroup()
    T.cuda.thread_in_warpgroup()
    T.cuda.bmma_sync(p, 0, p, 0, p, 0, p, 0)
    T.cuda.func_call("foo", n, "src")
    T.cuda.iket_mark("a")
    T.cuda.iket_mark("a", n)
    T.cuda.iket_official_event(3, "")
    T.cuda.iket_official_event(3, "src", n)
    t: T.let[T.uint32] = T.cuda.iket_range_start("a")
    T.cuda.iket_range_end(t)
    T.cuda.iket_range_pop()
    T.cuda.iket_range_push("a")
    T.cuda.iket_sentinel_token("a")
    T.cuda.mma_fill(8, p, 0)
    T.cuda.mma_fill(8, p, 0, ty=T.float32)
    T.cuda.mma_store(16, 16, p, p, 0, n)
    T.cuda.mma_store(16, 16, p, p, 0, n, ty=T.float32)
    T.cuda.mov_sreg(32, "laneid")
    T.cuda.tcgen05_encode_matrix_descriptor(p, p, 1, 2, 3)
    T.cuda.wgmma_encode_matrix_descriptor(p, p, 1, 2, 3)
    T.cuda.wgmma_noop_barrier(n)
    T.cuda.timer_init(p, p, p, 1, 2)
    T.cuda.timer_start(1, p, p, p, 1, T.bool(True))
    T.cuda.timer_end(1, p, p, p, 1, T.bool(True))
    T.cuda.timer_finalize(p, p, p, 1, T.bool(True))
    x = T.alloc_tensor(ty_args=[T.Tensor((1,), T.int32, scope="local")])
    T.cuda.wait_until(x[0], p, n > 3, "gpu", "global", "", 0)
    T.cuda.wait_until(n, p, n > 3, "sys", "global", "u32", 5)
    T.gpu_dp4a(n, n, 0)
    T.gpu_dp4a(n, n, n)
    T.metal.cooperative_tensor_fill(p, 0, T.float32(0.0), 8, 8)
    T.metal.cooperative_tensor_load(p, 0, p, 1, 8, 8, T.bool(False), 0, 0, 0, 0)
    T.metal.cooperative_tensor_multiply_accumulate(p, 0, p, 0, p, 0, p, 0, 8, 8, 8, T.bool(False), T.bool(False))
    T.metal.cooperative_tensor_store(p, 0, p, 1, 8, 8, T.bool(True), 0, 0, 0, 0)
    T.metal.make_filled_simdgroup_matrix(p, 0, T.float32(0.0), 8, 8)
    T.metal.simdgroup_load(p, 0, p, 1, 8, 8, T.bool(False))
    T.metal.simdgroup_store(p, 0, p, 1, 8, 8, T.bool(True))
    T.metal.simdgroup_multiply_accumulate(p, 0, p, 0, p, 0, p, 0)
    T.nvshmem.getmem_nbi(p, p, 4, 1)
    T.nvshmem.getmem_nbi_warp(p, p, 4, 1)
    T.nvshmem.putmem_signal_nbi_block(p, p, 4, p, 1, "set", 1)
    T.ptx_legacy.ldmatrix(T.bool(False), 4, ".b16", p, 0, p, 1)
    T.ptx_legacy.ldmatrix(T.bool(False), 4, ".b16", p, 0, p, 1, ty=T.float16)
    T.ptx_legacy.mma("m16n8k16", "row", "col", "fp16", "fp16", "fp32", p, 0, p, 0, p, 0, T.bool(False))
    T.s_tir.cp_async_raw("float32", p, 0, p, 1, 16)
    T.s_tir.cp_async_raw(p, 0, p, 1, 16, ty=T.float32)
    T.s_tir.cp_async_raw(T.ptr_byte_offset(p, 0, ty=T.Ptr(T.float32)), 0, T.ptr_byte_offset(p, 1, ty=T.Ptr(T.float32)), 0, 16)
    T.static_handle()
    T.vector_combine(T.Broadcast(n, 2), T.Broadcast(n, 2))
    T.vector_high(T.Broadcast(n, 4))
    T.vector_low(T.Broadcast(n, 4))
"#,
        "tirx-0.1",
    );
}

#[test]
fn other_names_of_tirx_functions_are_the_same_functions() {
    let text = |a: &str, b: &str| {
        format!(
            "# from tvm_tirx.script import tirx as T\n\n@T.function\ndef f(p: T.Ptr(T.float32)):\n    T.nvshmem.{a}(p, p, 4, 1)\n    T.cuda.{b}(\"a\")\n"
        )
    };
    let (one, other) =
        (read(&text("getmem_nbi_warp", "iket_mark")), read(&text("getmem_nbi.warp", "iket.mark")));
    let (one, other) = (&one.scripts[0].node, &other.scripts[0].node);
    assert!(StructuralEqual { map_free_vars: true, ..StructuralEqual::default() }.compare(one, other));
}
