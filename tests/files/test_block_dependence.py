# Blocks that share buffers, and a test helper that takes scripts as arguments.
import tvm
from tvm import tir
from tvm.script import tir as T


def check(func, *names, debug=False):
    sch = tir.Schedule(func)
    for name in names:
        assert sch.get_block(name) is not None
    if debug:
        func.show()
    return sch


@T.prim_func
def write_after_read(a: T.handle, b: T.handle, c: T.handle) -> None:
    A = T.match_buffer(a, (32, 32))
    B = T.match_buffer(b, (32, 32))
    C = T.match_buffer(c, (32, 32))
    for i, j in T.grid(32, 32):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + T.float32(1)
    for i, j in T.grid(32, 32):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)


@T.prim_func
def three_stages(A: T.Buffer((8, 8), "int32"), D: T.Buffer((8, 8), "int32")):
    B = T.alloc_buffer((8, 8), "int32")
    C = T.alloc_buffer((8, 8), "int32")
    for i, j in T.grid(8, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + 1
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] * 2
    for i, j in T.grid(8, 8):
        with T.block("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = C[vi, vj] - B[vi, vj]


@T.prim_func
def stencil(A: T.Buffer((18,), "float32"), C: T.Buffer((16,), "float32")):
    B = T.alloc_buffer((17,))
    for i in range(17):
        with T.block("B"):
            vi = T.axis.spatial(17, i)
            B[vi] = A[vi] + A[vi + 1]
    for i in range(16):
        with T.block("C"):
            vi = T.axis.spatial(16, i)
            T.reads(B[vi : vi + 2])
            T.writes(C[vi])
            C[vi] = B[vi] + B[vi + 1]


@T.prim_func
def two_in_one_loop(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    for i in T.serial(0, 16):
        with T.block("B"):
            vi = T.axis.S(16, i)
            B[vi] = A[vi]
        with T.block("C"):
            vi = T.axis.S(16, i)
            C[vi] = B[vi]


def test_names():
    check(write_after_read, "B", "C")
    check(three_stages, "B", "C", "D", debug=True)
    check(stencil, "B")
    check(two_in_one_loop, "C")


def test_reindexed():
    @T.prim_func
    def skewed(A: T.Buffer((16, 16), "float32")):
        for t, i in T.grid(31, 16):
            with T.block("A"):
                vt, vi = T.axis.remap("SS", [t, i])
                T.where(0 <= t - i and t - i < 16)
                A[vi, vt - vi] = T.float32(0)

    check(skewed, "A")

    @T.prim_func
    def reversed_order(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        for i in range(16):
            with T.block("B"):
                vi = T.axis.spatial(16, 15 - i)
                B[vi] = A[15 - vi]

    check(reversed_order, "B")
    assert tvm.ir.structural_hash(skewed) != tvm.ir.structural_hash(reversed_order)
