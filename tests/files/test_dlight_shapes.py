# Dynamic shapes, with modules before and after a rule, parametrised by fixture classes.
import pytest
import tvm
from tvm.script import ir as I
from tvm.script import tir as T
from tvm.target import Target


class Variant:
    def __init__(self, name, threads):
        self.name = name
        self.threads = threads


@pytest.fixture(params=[Variant("small", 64), Variant("large", 256)], ids=lambda v: v.name)
def variant(request):
    return request.param


def test_fallback():
    # fmt: off
    @I.ir_module
    class Before:
        @T.prim_func
        def main(x: T.handle, y: T.handle):
            n = T.int64()
            X = T.match_buffer(x, (T.int64(1), n, T.int64(32)), "float16")
            Y = T.match_buffer(y, (n, T.int64(32)), "float16")
            for i, j in T.grid(n, T.int64(32)):
                with T.block("reshape"):
                    v_i, v_j = T.axis.remap("SS", [i, j])
                    T.reads(X[T.int64(0), v_i, v_j])
                    T.writes(Y[v_i, v_j])
                    Y[v_i, v_j] = X[T.int64(0), v_i, v_j]

    @I.ir_module
    class After:
        @T.prim_func
        def main(x: T.handle, y: T.handle):
            T.func_attr({"tir.is_scheduled": True})
            n = T.int64()
            X = T.match_buffer(x, (T.int64(1), n, T.int64(32)), "float16")
            Y = T.match_buffer(y, (n, T.int64(32)), "float16")
            for f_0 in T.thread_binding((n * T.int64(32) + T.int64(1023)) // T.int64(1024), thread="blockIdx.x"):
                for f_1 in T.thread_binding(T.int64(1024), thread="threadIdx.x"):
                    with T.block("reshape"):
                        v_i = T.axis.spatial(n, (f_0 * T.int64(1024) + f_1) // T.int64(32))
                        v_j = T.axis.spatial(T.int64(32), (f_0 * T.int64(1024) + f_1) % T.int64(32))
                        T.where(f_0 * T.int64(1024) + f_1 < n * T.int64(32))
                        T.reads(X[T.int64(0), v_i, v_j])
                        T.writes(Y[v_i, v_j])
                        Y[v_i, v_j] = X[T.int64(0), v_i, v_j]
    # fmt: on

    with Target("nvidia/geforce-rtx-3090-ti"):
        assert tvm.ir.structural_hash(Before) != tvm.ir.structural_hash(After)


def test_variant(variant):
    threads = variant.threads

    @T.prim_func
    def bound(A: T.Buffer((1024,), "float32")):
        for bx in T.thread_binding(1024 // threads, thread="blockIdx.x"):
            for tx in T.thread_binding(threads, thread="threadIdx.x"):
                with T.block("A"):
                    v = T.axis.spatial(1024, bx * threads + tx)
                    A[v] = T.float32(0)

    assert bound

    @T.prim_func
    def not_bound(A: T.Buffer((1024,), "float32")):
        for i in T.serial(1024):
            with T.block("A"):
                v = T.axis.spatial(1024, i)
                A[v] = T.float32(0)

    assert not_bound


@T.prim_func(private=True)
def gemv(w: T.handle, x: T.handle, y: T.handle):
    m = T.int64()
    W = T.match_buffer(w, (m, T.int64(128)), "float16")
    X = T.match_buffer(x, (T.int64(128),), "float16")
    Y = T.match_buffer(y, (m,), "float16")
    for i, k in T.grid(m, T.int64(128)):
        with T.block("gemv"):
            v_i, v_k = T.axis.remap("SR", [i, k])
            with T.init():
                Y[v_i] = T.float16(0)
            Y[v_i] = Y[v_i] + W[v_i, v_k] * X[v_k]


@T.prim_func(private=True)
def layer_norm(x: T.handle, y: T.handle, n: T.int64):
    X = T.match_buffer(x, (n, T.int64(64)))
    Y = T.match_buffer(y, (n, T.int64(64)))
    s = T.alloc_buffer((n,))
    q = T.alloc_buffer((n,))
    for i, k in T.grid(n, T.int64(64)):
        with T.block("sums"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(X[vi, vk])
            T.writes(s[vi], q[vi])
            with T.init():
                s[vi] = T.float32(0)
                q[vi] = T.float32(0)
            s[vi] = s[vi] + X[vi, vk]
            q[vi] = q[vi] + X[vi, vk] * X[vi, vk]
    for i, k in T.grid(n, T.int64(64)):
        with T.block("normalize"):
            vi, vk = T.axis.remap("SS", [i, k])
            Y[vi, vk] = (X[vi, vk] - s[vi] / T.float32(64)) * T.rsqrt(
                q[vi] / T.float32(64) - s[vi] * s[vi] / T.float32(4096) + T.float32(1e-5)
            )


def test_both():
    assert gemv is not layer_norm
