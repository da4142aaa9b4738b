# Synchronization of memory: helpers that run passes, hardware markers, early returns.
import pytest
import tvm
import tvm.testing
from tvm.script import tir as T


def run_passes(func: tvm.tir.PrimFunc):
    mod = tvm.IRModule.from_expr(func)
    cuda = tvm.target.Target({"kind": "cuda", "arch": "sm_70"})
    mod = tvm.tir.transform.Apply(lambda f: f.with_attr({"target": cuda}))(mod)
    return tvm.tir.transform.ThreadSync("shared")(mod)


@tvm.testing.requires_cuda
def test_sync_read():
    @T.prim_func(private=True)
    def func(p0: T.Buffer((1, 2), "int32"), p1: T.Buffer((8,), "int32")):
        bx = T.launch_thread("blockIdx.x", 1)
        buf = T.allocate([8], "int32", "shared")
        tx = T.launch_thread("threadIdx.x", 8)
        buf_1 = T.Buffer((8,), "int32", data=buf, scope="shared")
        buf_1[tx] = p0[0, 0] + tx
        T.tvm_storage_sync("shared")
        p1[tx] = buf_1[(tx + bx + 1) % 8]

    run_passes(func)


def test_expected():
    @T.prim_func(private=True)
    def without(A: T.Buffer((32,), "float32")):
        S = T.decl_buffer((32,), scope="shared")
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            S[tx] = A[tx]
            A[tx] = S[31 - tx]

    @T.prim_func(private=True)
    def expected(A: T.Buffer((32,), "float32")):
        S = T.decl_buffer((32,), scope="shared")
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            S[tx] = A[tx]
            T.tvm_storage_sync("shared")
            A[tx] = S[31 - tx]

    if not tvm.cuda().exist:
        return
    tvm.ir.assert_structural_equal(run_passes(without)["without"], expected)


@pytest.mark.skipif(not tvm.runtime.enabled("cuda"), reason="no device")
class TestDynamic:
    @T.prim_func
    def dynamic(A: T.Buffer((128,), "float32")):
        for tx in T.thread_binding(128, thread="threadIdx.x"):
            with T.block("dyn"):
                v = T.axis.spatial(128, tx)
                T.reads(A[v])
                T.writes(A[v])
                S = T.alloc_buffer((128,), scope="shared.dyn")
                with T.block("load"):
                    T.reads(A[v])
                    T.writes(S[v])
                    S[v] = A[v]
                with T.block("store"):
                    T.reads(S[v])
                    T.writes(A[v])
                    A[v] = S[v] * S[v]

    def test_let(self):
        @T.prim_func(private=True)
        def with_let(A: T.Buffer((16 * 512,), "float32")):
            bx = T.launch_thread("blockIdx.x", 16)
            shared = T.allocate([512], "float32", "shared")
            tx = T.launch_thread("threadIdx.x", 128)
            S = T.Buffer((512,), data=shared, scope="shared")
            for k in range(4):
                S[tx * 4 + k] = A[bx * 512 + tx * 4 + k]
            offset: T.int32 = tx * 4
            A[bx * 512 + tx] = S[offset] + S[offset + 3]

        assert with_let
