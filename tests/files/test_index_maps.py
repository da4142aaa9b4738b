# Layout transformations with lambdas, and the programs they give.
import tvm
from tvm import tir
from tvm.script import tir as T
from tvm.tir import IndexMap
from tvm.tir.function import TensorIntrin  # noqa: F401

packed_index_map = lambda n, c, h, w: [n, c // 4, h, w, c % 4]
SEPARATED = lambda i, j: [i // 4, IndexMap.AXIS_SEPARATOR, j]


def tile(rows, cols):
    return lambda i, j: (i // rows, j // cols, i % rows, j % cols)


@T.prim_func
def original(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16, 16), "float32")):
    for i, j in T.grid(16, 16):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)


@T.prim_func
def tiled(A: T.Buffer((4, 4, 4, 4), "float32"), B: T.Buffer((16, 16), "float32")):
    for i, j in T.grid(16, 16):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi // 4, vj // 4, vi % 4, vj % 4] * T.float32(2)


@T.prim_func
def separated(a: T.handle, b: T.handle):
    A = T.match_buffer(a, (4, 16), axis_separators=[1])
    B = T.match_buffer(b, (16, 16))
    for i, j in T.grid(16, 16):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi // 4, vj]


@T.prim_func
def mapped_attribute(A: T.Buffer((16, 16), "float32")):
    T.func_attr({"layout_free_buffers": [0]})
    with T.block("A"):
        T.reads()
        T.writes(A[0:16, 0:16])
        T.block_attr({"map": T.index_map(lambda i, j: (j, i)) , "inverse": T.index_map(lambda i: [i // 4, i % 4])})
        for i, j in T.grid(16, 16):
            A[i, j] = T.float32(0)


def test_transform():
    sch = tir.Schedule(original)
    sch.transform_layout("B", ("read", 0), tile(4, 4))
    expected = tiled.with_attr("global_symbol", "original")
    tvm.ir.assert_structural_equal(sch.mod["main"], expected)


def test_padding():
    @T.prim_func
    def padded(A: T.Buffer((14,), "int32"), B: T.Buffer((4, 4), "int32")):
        for i, j in T.grid(4, 4):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = T.if_then_else(vi == 3 and 2 <= vj, 0, A[vi * 4 + vj])

    inverse = IndexMap.from_func(lambda i: [i // 4, i % 4])
    assert padded and inverse.inverse([16]) and packed_index_map and SEPARATED
