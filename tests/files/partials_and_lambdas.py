# functools, lambdas and helper functions that scripts call.
import functools
import math
import operator

import tvm
from tvm.script import tir as T

ceil_div = lambda a, b: (a + b - 1) // b
BLOCK = 16
LENGTH = 100


def clamp(x, low, high):
    return T.min(T.max(x, low), high)


def row_major(i, j, width):
    return i * width + j


def powers(n):
    return [2**k for k in range(n)]


def total(values):
    result = 0
    for value in values:
        result += value
    return result


@functools.lru_cache(maxsize=None)
def cached(n):
    return n * n


@T.prim_func
def uses_lambda(A: T.Buffer((ceil_div(LENGTH, BLOCK),), "int32")):
    for i in range(ceil_div(LENGTH, BLOCK)):
        A[i] = BLOCK


@T.prim_func
def uses_helper(A: T.Buffer((16,), "int32")):
    for i in T.serial(16):
        A[i] = clamp(A[i], 0, 255)


@T.prim_func
def uses_index_map(A: T.Buffer((8, 8), "float32"), B: T.Buffer((64,), "float32")):
    for i, j in T.grid(8, 8):
        B[row_major(i, j, 8)] = A[i, j]


@T.prim_func
def uses_list(A: T.Buffer((total(powers(4)),), "float32")):
    for i in T.serial(total(powers(4))):
        A[i] = T.float32(0)


@T.prim_func
def uses_math(A: T.Buffer((4,), "float32")):
    A[0] = T.float32(math.pi)
    A[1] = T.float32(math.sqrt(2))
    A[2] = T.float32(math.floor(2.5))


def make(op, name):
    @T.prim_func
    def binary(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"global_symbol": name})
        for i in range(4):
            B[i] = op(A[i], B[i])

    return binary


add = functools.partial(make, operator.add)("add")
make_max = functools.partial(make, op=lambda a, b: T.max(a, b))
maximum = make_max(name="maximum")


def test_reduce():
    product = functools.reduce(operator.mul, [1, 2, 3])

    @T.prim_func
    def six(A: T.Buffer((6,), "int8")):
        A[product - 1] = T.int8(product)

    assert six
    assert cached(3) == 9
    assert isinstance(add, tvm.tir.PrimFunc)
    assert isinstance(maximum, tvm.tir.PrimFunc)
