"""Functions that return scripts for given sizes and data types."""
from functools import partial

from tvm.script import tir as T


def matmul(n, m, k, dtype="float32"):
    @T.prim_func
    def main(A: T.Buffer((n, k), dtype), B: T.Buffer((k, m), dtype), C: T.Buffer((n, m), dtype)):
        for i, j, r in T.grid(n, m, k):
            with T.block("C"):
                vi, vj, vr = T.axis.remap("SSR", [i, j, r])
                with T.init():
                    C[vi, vj] = T.Cast(dtype, 0)
                C[vi, vj] = C[vi, vj] + A[vi, vr] * B[vr, vj]

    return main


matmul_small = matmul(4, 8, 16)
matmul_half = matmul(16, 16, 16, "float16")
matmul_int = matmul(n=2, k=3, m=5, dtype="int32")
square = partial(matmul, 32, 32, 32)
matmul_square = square()
matmul_square_wide = square(dtype="float64")

# Scripts in containers are named by their place.
by_size = [matmul(n, n, n) for n in (1, 2, 4)]
by_dtype = {dtype: matmul(8, 8, 8, dtype) for dtype in ("int8", "int64", "float32")}


def elementwise(operator):
    """A factory of factories: the operator first, then the shape."""

    def of_shape(*shape, dtype="float32"):
        @T.prim_func
        def main(A: T.Buffer(shape, dtype), B: T.Buffer(shape, dtype), C: T.Buffer(shape, dtype)):
            for index in T.grid(*shape):
                C[index] = operator(A[index], B[index])

        @T.prim_func
        def flat(A: T.Buffer(shape[0], dtype), B: T.Buffer(shape[0], dtype), C: T.Buffer(shape[0], dtype)):
            for i in range(shape[0]):
                C[i] = operator(A[i], B[i])

        return flat if len(shape) == 1 else main

    return of_shape


add_1d = elementwise(lambda a, b: a + b)(16)
sub_1d = elementwise(lambda a, b: a - b)(8, dtype="int32")
max_1d = elementwise(T.max)(24)
fused_1d = elementwise(lambda a, b: T.max(a * b + a, T.float32(0)))(12)


def strided_copy(n, *, stride=1, offset=0):
    extent = (n - offset + stride - 1) // stride

    @T.prim_func
    def main(A: T.Buffer((n,), "float32"), B: T.Buffer((extent,), "float32")):
        for i in range(extent):
            B[i] = A[i * stride + offset]

    return main


copy_plain = strided_copy(16)
copy_every_second = strided_copy(16, stride=2)
copy_tail = strided_copy(17, stride=3, offset=2)


def pad(shape, before, after, value=0.0):
    n, m = shape
    rows = n + before + after

    @T.prim_func
    def main(A: T.Buffer(shape, "float32"), B: T.Buffer((rows, m), "float32")):
        for i, j in T.grid(rows, m):
            with T.block("pad"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = T.if_then_else(
                    before <= vi and vi < n + before, A[vi - before, vj], T.float32(value), dtype="float32"
                )

    return main


pad_zero = pad((4, 4), 1, 1)
pad_ones = pad((3, 5), 0, 2, value=1.0)


def symbolic(dtype, has_size):
    """The same text with a symbolic and with a fixed size."""
    if has_size:
        size = 64

        @T.prim_func
        def main(a: T.handle, b: T.handle):
            A = T.match_buffer(a, (size,), dtype)
            B = T.match_buffer(b, (size,), dtype)
            for i in range(size):
                B[i] = A[i] + T.Cast(dtype, 1)

    else:

        @T.prim_func
        def main(a: T.handle, b: T.handle):
            n = T.int32()
            A = T.match_buffer(a, (n,), dtype)
            B = T.match_buffer(b, (n,), dtype)
            for i in range(n):
                B[i] = A[i] + T.Cast(dtype, 1)

    return main


fixed_size = symbolic("float32", True)
symbolic_size = symbolic("int8", has_size=False)
