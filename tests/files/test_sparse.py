# Sparse formats: loops with bounds from buffers, while loops, binary search.
import pytest
import tvm
from tvm.script import tir as T


@T.prim_func
def csrmm(a: T.handle, b: T.handle, c: T.handle, indptr: T.handle, indices: T.handle, m: T.int32, n: T.int32, k: T.int32, nnz: T.int32) -> None:
    A_data = T.match_buffer(a, (nnz,), "float32")
    B = T.match_buffer(b, (n * k,), "float32")
    C = T.match_buffer(c, (m * k,), "float32")
    A_indptr = T.match_buffer(indptr, (m + 1,), "int32")
    A_indices = T.match_buffer(indices, (nnz,), "int32")
    for i, v_k in T.grid(m, k):
        with T.block("spmm_outer"):
            vi, vk = T.axis.remap("SS", [i, v_k])
            T.reads(A_indptr[vi : vi + 2], A_data[0:nnz], A_indices[0:nnz], B[0 : n * k], C[vi * k + vk])
            T.writes(C[vi * k + vk])
            C[vi * k + vk] = T.float32(0)
            for j in T.serial(A_indptr[vi + 1] - A_indptr[vi]):
                with T.block("spmm_inner"):
                    T.block_attr({"sparse": True})
                    vj = T.axis.reduce(nnz, j + A_indptr[vi])
                    C[vi * k + vk] = C[vi * k + vk] + A_data[vj] * B[A_indices[vj] * k + vk]


def test_ell():
    @T.prim_func
    def ell_spmv(a: T.handle, cols: T.handle, x: T.handle, y: T.handle):
        m = T.int32()
        n = T.int32()
        A = T.match_buffer(a, (m, 4))
        Cols = T.match_buffer(cols, (m, 4), "int32")
        X = T.match_buffer(x, (n,))
        Y = T.match_buffer(y, (m,))
        for i, j in T.grid(m, 4):
            with T.block("spmv"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    Y[vi] = 0.0
                Y[vi] = Y[vi] + A[vi, vj] * X[Cols[vi, vj]]

    assert ell_spmv


def test_binary_search():
    @T.prim_func
    def lower_bound(A: T.Buffer((1024,), "int32"), key: T.int32, out: T.Buffer((1,), "int32")):
        low = T.alloc_buffer((1,), "int32", scope="local")
        high = T.alloc_buffer((1,), "int32", scope="local")
        with T.block("search"):
            T.reads(A[0:1024])
            T.writes(out[0])
            low[0] = 0
            high[0] = 1024
            while low[0] < high[0]:
                mid: T.int32 = low[0] + T.floordiv(high[0] - low[0], 2)
                if A[mid] < key:
                    low[0] = mid + 1
                else:
                    high[0] = mid
            out[0] = low[0]

    @T.prim_func
    def count_up(n: T.int32, out: T.Buffer((1,), "int32")):
        i = T.decl_buffer((1,), "int32", scope="local")
        i[0] = 0
        while i[0] < n and i[0] >= 0:
            i[0] = i[0] + 1
        out[0] = i[0]

    tvm.IRModule({"lower_bound": lower_bound, "count_up": count_up}).show()


@pytest.mark.parametrize("bucket", [1, 2])
def test_hyb(bucket):
    @T.prim_func
    def hyb(A: T.Buffer((8, bucket), "float32"), map: T.Buffer((8,), "int32"), Y: T.Buffer((64,), "float32")):
        for i, j in T.grid(8, bucket):
            with T.block("hyb"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    Y[map[vi]] = T.float32(0)
                Y[map[vi]] = Y[map[vi]] + A[vi, vj]

    assert hyb


@T.prim_func
def segment_sum(values: T.Buffer((256,), "float32"), offsets: T.Buffer((17,), "int32"), out: T.Buffer((16,), "float32")):
    for s in T.thread_binding(16, thread="blockIdx.x"):
        with T.block("segment"):
            vs = T.axis.spatial(16, s)
            T.reads(values[0:256], offsets[vs : vs + 2], out[vs])
            T.writes(out[vs])
            out[vs] = T.float32(0)
            for j in range(offsets[vs + 1] - offsets[vs]):
                out[vs] = out[vs] + values[offsets[vs] + j]
