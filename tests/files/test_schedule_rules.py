# Scheduling: many loops, annotations, bindings.
import tvm
import tvm.testing
from tvm import tir
from tvm.script import ir as I
from tvm.script import tir as T
from tvm.tir.schedule.testing import verify_trace_roundtrip


@T.prim_func
def rowsum(a: T.handle, b: T.handle) -> None:
    A = T.match_buffer(a, (128, 64))
    B = T.match_buffer(b, (128,))
    for i, k in T.grid(128, 64):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = 0.0
            B[vi] = B[vi] + A[vi, vk]


@T.prim_func
def rowsum_rfactor(a: T.handle, b: T.handle) -> None:
    A = T.match_buffer(a, (128, 64))
    B = T.match_buffer(b, (128,))
    B_rf = T.alloc_buffer((128, 8))
    for i, k_o, k_i in T.grid(128, 8, 8):
        with T.block("B_rf"):
            vi, vko, vki = T.axis.remap("SRS", [i, k_o, k_i])
            with T.init():
                B_rf[vi, vki] = 0.0
            B_rf[vi, vki] = B_rf[vi, vki] + A[vi, vko * 8 + vki]
    for i, k_i in T.grid(128, 8):
        with T.block("B"):
            vi, vki = T.axis.remap("SR", [i, k_i])
            with T.init():
                B[vi] = 0.0
            B[vi] = B[vi] + B_rf[vi, vki]


@T.prim_func
def rowsum_cross_thread(a: T.handle, b: T.handle) -> None:
    A = T.match_buffer(a, (128, 64))
    B = T.match_buffer(b, (128,))
    for i in T.thread_binding(128, thread="blockIdx.x"):
        for k in T.thread_binding(64, thread="threadIdx.x"):
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = 0.0
                B[vi] = B[vi] + A[vi, vk]


@T.prim_func
def argmax(idx: T.handle, val: T.handle, out_idx: T.handle, out_val: T.handle) -> None:
    Idx = T.match_buffer(idx, (16, 32), "int32")
    Val = T.match_buffer(val, (16, 32), "float32")
    OutIdx = T.match_buffer(out_idx, (16,), "int32")
    OutVal = T.match_buffer(out_val, (16,), "float32")
    for i0, i1 in T.grid(16, 32):
        with T.block("argmax"):
            i = T.axis.spatial(16, i0)
            k = T.axis.reduce(32, i1)
            T.reads(Idx[i, k], Val[i, k])
            T.writes(OutIdx[i], OutVal[i])
            with T.init():
                OutIdx[i] = -1
                OutVal[i] = T.min_value("float32")
            v_idx: T.int32 = T.Select(OutVal[i] >= Val[i, k], OutIdx[i], Idx[i, k])
            v_val: T.float32 = T.Select(OutVal[i] >= Val[i, k], OutVal[i], Val[i, k])
            OutIdx[i] = v_idx
            OutVal[i] = v_val


def test_rfactor():
    sch = tir.Schedule(rowsum)
    _, k = sch.get_loops(sch.get_block("B"))
    _, ki = sch.split(k, [None, 8])
    sch.rfactor(ki, 1)
    verify_trace_roundtrip(sch, mod=rowsum)


def test_annotations():
    @I.ir_module
    class Annotated:
        @T.prim_func
        def main(A: T.Buffer((64,), "float32")):
            for i in T.serial(0, 64, annotations={"software_pipeline_stage": [0, 1], "unroll": True}):
                with T.block("A"):
                    T.block_attr({"meta_schedule.tiling": "SSR", "depth": 2})
                    vi = T.axis.spatial(64, i)
                    A[vi] = A[vi] * T.float32(2)

    @I.ir_module
    class Shapes:
        @T.prim_func
        def main(A: T.Buffer((64,), "float32")):
            for i in T.parallel(0, 8):
                for j in T.vectorized(2, 8):
                    with T.block():
                        v = T.axis.S(64, i * 8 + j)
                        A[v] = T.float32(0)

    assert Annotated and Shapes


def test_storage_align():
    @T.prim_func
    def aligned(A: T.Buffer((64, 64), "float16"), C: T.Buffer((64, 64), "float16")):
        B = T.alloc_buffer((64, 64), "float16", scope="shared", align=128)
        D = T.alloc_buffer((64, 64), "float16", strides=[72, 1])
        for i, j in T.grid(64, 64):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.block_attr({"buffer_dim_align": [[0, 0, 32, 8]]})
                B[vi, vj] = A[vi, vj]
        for i, j in T.grid(64, 64):
            with T.block("D"):
                vi, vj = T.axis.remap("SS", [i, j])
                D[vi, vj] = B[vj, vi]
        for i, j in T.grid(64, 64):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = D[vi, vj]

    assert aligned


def test_opaque_axis():
    @T.prim_func
    def opaque(A: T.Buffer((8,), "int32")):
        for i in range(8):
            with T.block("opaque"):
                v = T.axis.opaque(8, i)
                T.reads(A[v])
                T.writes(A[v])
                A[v] = A[v] + 1

    @T.prim_func
    def scan(A: T.Buffer((8,), "int32")):
        for i in range(7):
            with T.block("scan"):
                v = T.axis.scan((1, 8), i + 1)
                A[v] = A[v] + A[v - 1]

    assert opaque and scan
