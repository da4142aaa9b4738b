# Stencils and scans in module level functions, one module for each dimension.
import tvm
from tvm.script import ir as I
from tvm.script import tir as T

RADIUS = 1


@T.prim_func
def jacobi_1d(A: T.Buffer((34,), "float64"), B: T.Buffer((32,), "float64")):
    for i in range(32):
        with T.block("jacobi"):
            vi = T.axis.spatial(32, i)
            B[vi] = (A[vi] + A[vi + 1] + A[vi + 2]) / T.float64(3)


@T.prim_func
def jacobi_2d(A: T.Buffer((18, 18), "float32"), B: T.Buffer((16, 16), "float32")):
    for i, j in T.grid(16, 16):
        with T.block("jacobi"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = (
                A[vi, vj + RADIUS]
                + A[vi + 2 * RADIUS, vj + RADIUS]
                + A[vi + RADIUS, vj]
                + A[vi + RADIUS, vj + 2 * RADIUS]
            ) * T.float32(0.25)


@T.prim_func
def heat_3d(A: T.Buffer((10, 10, 10), "float32"), B: T.Buffer((10, 10, 10), "float32"), steps: T.int32):
    for t in T.serial(steps):
        for i, j, k in T.grid(8, 8, 8):
            B[i + 1, j + 1, k + 1] = A[i + 1, j + 1, k + 1] + T.float32(0.125) * (
                A[i, j + 1, k + 1] - T.float32(2) * A[i + 1, j + 1, k + 1] + A[i + 2, j + 1, k + 1]
            )


@T.prim_func
def prefix_sum(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
    B[0] = A[0]
    for i in T.serial(63):
        B[i + 1] = B[i] + A[i + 1]


@T.prim_func
def blelloch(A: T.Buffer((64,), "int32")):
    for d in T.serial(6):
        for i in T.parallel(T.shift_right(64, d + 1)):
            A[(i + 1) * T.shift_left(1, d + 1) - 1] += A[i * T.shift_left(1, d + 1) + T.shift_left(1, d) - 1]


@I.ir_module
class PingPong:
    @T.prim_func
    def even(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32")):
        for i, j in T.grid(8, 8):
            if T.floormod(i + j, 2) == 0:
                B[i, j] = A[i, j]

    @T.prim_func
    def odd(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32")):
        for i, j in T.grid(8, 8):
            if T.floormod(i + j, 2) == 1:
                B[i, j] = A[i, j]


def test_game_of_life():
    @T.prim_func
    def life(A: T.Buffer((10, 10), "int8"), B: T.Buffer((8, 8), "int8")):
        N = T.alloc_buffer((8, 8), "int8")
        for i, j, di, dj in T.grid(8, 8, 3, 3):
            with T.block("neighbours"):
                vi, vj, vdi, vdj = T.axis.remap("SSRR", [i, j, di, dj])
                T.where(di != 1 or dj != 1)
                with T.init():
                    N[vi, vj] = T.int8(0)
                N[vi, vj] = N[vi, vj] + A[vi + vdi, vj + vdj]
        for i, j in T.grid(8, 8):
            with T.block("rule"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = T.Select(
                    N[vi, vj] == T.int8(3) or (N[vi, vj] == T.int8(2) and A[vi + 1, vj + 1] == T.int8(1)),
                    T.int8(1),
                    T.int8(0),
                )

    tvm.IRModule({"life": life}).update(PingPong)
