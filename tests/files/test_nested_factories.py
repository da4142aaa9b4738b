# Factories of scripts, called by tests with arguments and without.
import functools

import tvm
from tvm.script import tir as T


def get_before(dtype="float32"):
    @T.prim_func
    def before(A: T.Buffer((16,), dtype), B: T.Buffer((16,), dtype)):
        for i in range(16):
            B[i] = A[i] + A[i]

    return before


def get_expected():
    dtype = "float32"

    @T.prim_func
    def expected(A: T.Buffer((16,), dtype), B: T.Buffer((16,), dtype)):
        for i in range(16):
            B[i] = A[i] * T.float32(2)

    return expected


def make_sum(extent, threads):
    assert extent % threads == 0
    per_thread = extent // threads

    @T.prim_func
    def reduce_sum(A: T.Buffer((extent,), "float32"), B: T.Buffer((threads,), "float32")):
        for t in T.thread_binding(threads, thread="threadIdx.x"):
            B[t] = T.float32(0)
            for k in range(per_thread):
                B[t] = B[t] + A[t * per_thread + k]

    return reduce_sum


def outer():
    scale = 3

    def middle():
        offset = 4

        @T.prim_func
        def affine(A: T.Buffer((8,), "int32")):
            for i in range(8):
                A[i] = A[i] * scale + offset

        return affine

    return middle()


sum_128 = make_sum(128, 32)
sum_64 = functools.partial(make_sum, threads=16)(64)


def test_factories():
    for dtype in ("float32", "float64"):
        func = get_before(dtype)
        assert func.buffer_map[func.params[0]].dtype == dtype
    assert get_expected() is not None


def test_sum():
    func = make_sum(256, 64)
    assert isinstance(func, tvm.tir.PrimFunc)
    small = make_sum(threads=2, extent=8)
    assert not tvm.ir.structural_equal(func, small)
    assert len(sum_128.params) == len(sum_64.params)


def test_outer():
    print(outer())
