# Tensorization: intrinsics of the module, programs before and after.
import pytest
import tvm
from tvm import tir
from tvm.script import tir as T

MMA = "files.mma_4x4x4"


@T.prim_func
def mma_desc(a: T.handle, b: T.handle, c: T.handle) -> None:
    A = T.match_buffer(a, (4, 4), align=64, offset_factor=1)
    B = T.match_buffer(b, (4, 4), align=64, offset_factor=1)
    C = T.match_buffer(c, (4, 4), align=64, offset_factor=1)
    with T.block("root"):
        T.reads(C[0:4, 0:4], A[0:4, 0:4], B[0:4, 0:4])
        T.writes(C[0:4, 0:4])
        for i, j, k in T.grid(4, 4, 4):
            with T.block("update"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj, vk]


@T.prim_func
def mma_impl(a: T.handle, b: T.handle, c: T.handle) -> None:
    A = T.match_buffer(a, (4, 4), align=64, offset_factor=1)
    B = T.match_buffer(b, (4, 4), align=64, offset_factor=1)
    C = T.match_buffer(c, (4, 4), align=64, offset_factor=1)
    with T.block("root"):
        T.reads(C[0:4, 0:4], A[0:4, 0:4], B[0:4, 0:4])
        T.writes(C[0:4, 0:4])
        T.evaluate(
            T.tvm_mma_sync(
                C.data,
                C.elem_offset // 16,
                A.data,
                A.elem_offset // 16,
                B.data,
                B.elem_offset // 16,
                C.data,
                C.elem_offset // 16,
                dtype="handle",
            )
        )


tir.TensorIntrin.register(MMA, mma_desc, mma_impl, override=True)


@T.prim_func
def matmul(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):
    for i, j, k in T.grid(16, 16, 16):
        with T.block("update"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj, vk]


def test_tensorize():
    sch = tir.Schedule(matmul)
    block = sch.get_block("update")
    loops = [sch.split(loop, [None, 4]) for loop in sch.get_loops(block)]
    (i0, i1), (j0, j1), (k0, k1) = loops
    sch.reorder(i0, j0, k0, i1, j1, k1)
    sch.decompose_reduction(block, k0)
    sch.tensorize(i1, MMA)


@pytest.mark.xfail(reason="shapes differ")
def test_wrong_shape():
    @T.prim_func
    def narrow(A: T.Buffer((6,), "float32"), B: T.Buffer((6,), "float32")):
        for i in range(6):
            with T.block("B"):
                v = T.axis.spatial(6, i)
                B[v] = A[v]

    tir.Schedule(narrow).tensorize("B", MMA)


@pytest.mark.parametrize("factor", [1, 2])
def test_dot(factor):
    width = 4 * factor

    @T.prim_func
    def dot_desc(a: T.handle, c: T.handle):
        A = T.match_buffer(a, (width,), "int8", offset_factor=1)
        C = T.match_buffer(c, (1,), "int32", offset_factor=1)
        with T.block("root"):
            T.reads(C[0], A[0:width])
            T.writes(C[0])
            for k in range(width):
                with T.block("update"):
                    vk = T.axis.reduce(width, k)
                    C[0] = C[0] + T.Cast("int32", A[vk])

    @T.prim_func
    def dot_impl(a: T.handle, c: T.handle):
        A = T.match_buffer(a, (width,), "int8", offset_factor=1)
        C = T.match_buffer(c, (1,), "int32", offset_factor=1)
        with T.block("root"):
            T.reads(C[0], A[0:width])
            T.writes(C[0])
            C[0] = T.call_extern("int32", "dot", C.access_ptr("rw"), A.access_ptr("r", offset=0), width)

    tir.TensorIntrin.register(f"files.dot_{width}", dot_desc, dot_impl, True)
