"""Shapes and constants that numpy computes."""
import numpy as np
from tvm.script import relax as R
from tvm.script import tir as T

KERNEL = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]])


def stencil(kernel, n):
    rows, cols = kernel.shape

    def apply(A, y, x):
        total = T.int32(0)
        for dy in range(rows):
            for dx in range(cols):
                total = total + A[y + dy, x + dx] * int(kernel[dy, dx])
        return total

    @T.prim_func
    def main(A: T.Buffer((n + rows - 1, n + cols - 1), "int32"), B: T.Buffer((n, n), "int32")):
        for y, x in T.grid(n, n):
            B[y, x] = apply(A, y, x)

    return main


gauss = stencil(KERNEL, 8)
transposed = stencil(np.arange(6).reshape(2, 3).T, 4)


def of_shape(shape):
    total = int(np.prod(shape))

    @T.prim_func
    def main(A: T.Buffer((total,), "float32")):
        for i in range(total):
            A[i] = T.float32(total)

    return main


product = of_shape((2, 3, 4))
ceil_div = of_shape([int(np.ceil(17 / 4)), 2])
maximum = of_shape((max(np.zeros((3, 5)).shape),))


@T.prim_func
def constants(A: T.Buffer((4,), "float32")):
    A[0] = T.float32(float(np.float32(0.5)))
    A[1] = T.float32(np.pi)
    A[2] = T.float32(float(KERNEL.sum()))
    A[3] = T.float32(float(KERNEL.max() - KERNEL.min()))


def dtype_of(array):
    dtype = str(array.dtype)

    @T.prim_func
    def main(A: T.Buffer(array.shape, dtype)):
        T.func_attr({"size": array.size, "rank": array.ndim})
        T.evaluate(0)

    return main


dtypes = {str(a.dtype): dtype_of(a) for a in (np.zeros((2, 3), "float32"), np.ones(4, dtype=np.int8), np.eye(2))}


def with_constant(array):
    dtype = str(array.dtype)

    @R.function
    def main(x: R.Tensor(array.shape, str(array.dtype))):
        y = R.add(x, R.const(array, dtype))
        return y

    return main


constant_float = with_constant(np.arange(6, dtype="float32").reshape(2, 3))


def by_default(array):
    """Arrays of 64 bits become constants of 32 bits."""

    @R.function
    def main(x: R.Tensor((1,), "int8")):
        y = R.const(array)
        return y

    return main


default_float = by_default(np.linspace(0, 1, 3))
default_int = by_default(np.arange(3))
default_half = by_default(np.ones((2, 2), "float16"))
constant_int = with_constant(np.full((4,), 7, dtype="int64"))


def lookup(values):
    table = [int(v) for v in values]

    def select(i):
        result = T.int32(table[-1])
        for k in range(len(table) - 2, -1, -1):
            result = T.if_then_else(i == k, T.int32(table[k]), result)
        return result

    @T.prim_func
    def main(A: T.Buffer((len(table),), "int32")):
        for i in range(len(table)):
            A[i] = select(i)

    return main


squares = lookup(np.arange(4) ** 2)
sums = lookup(np.cumsum([1, 2, 3, 4, 5]))
