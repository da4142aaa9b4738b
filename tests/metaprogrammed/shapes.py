"""Shapes, strides and indices that comprehensions, generators and the library compute."""
import itertools
import math
import operator
from functools import reduce

from tvm.script import tir as T

DIMS = (2, 3, 4)
SIZES = {"n": 4, "c": 8, "h": 5, "w": 6}


def strides_of(shape):
    return tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))


def flatten(shape):
    total = reduce(operator.mul, shape, 1)
    strides = strides_of(shape)

    def flat(*index):
        return sum((i * s for i, s in zip(index, strides)), 0)

    @T.prim_func
    def main(A: T.Buffer(shape, "float32"), B: T.Buffer((total,), "float32")):
        for i, j, k in T.grid(*shape):
            B[flat(i, j, k)] = A[i, j, k]

    return main


flatten_234 = flatten(DIMS)
flatten_cube = flatten([3] * 3)


def layout(order):
    shape = [SIZES[axis] for axis in order]
    source = list("nchw")

    def at(index):
        named = dict(zip(source, index))
        return [named[axis] for axis in order]

    extents = [SIZES[axis] for axis in source]

    @T.prim_func
    def main(A: T.Buffer(extents, "int8"), B: T.Buffer(shape, "int8")):
        for n, c, h, w in T.grid(*extents):
            B[at((n, c, h, w))] = A[n, c, h, w]

    return main


to_nhwc = layout("nhwc")
to_chwn = layout("chwn")
layouts = {"".join(order): layout(order) for order in itertools.islice(itertools.permutations("nchw"), 3)}


twice = [2 * d for d in DIMS]
pairs = tuple(a * b for a, b in itertools.combinations(DIMS, 2))


@T.prim_func
def doubled(A: T.Buffer(twice, "float32")):
    for i, j, k in T.grid(*twice):
        A[i, j, k] = T.float32(0)


@T.prim_func
def outer(A: T.Buffer(pairs, "float32")):
    for i, j, k in T.grid(*pairs):
        A[i, j, k] = T.float32(len(DIMS))


def blocked(n, *factors):
    """Splits a dimension by each of the factors."""
    sizes = []
    for factor in factors:
        n, rest = divmod(n, factor)
        assert rest == 0
        sizes.append(factor)
    sizes.insert(0, n)
    strides = strides_of(sizes)
    total = n * math.prod(factors)

    def two():
        @T.prim_func
        def main(A: T.Buffer((total,), "float32"), B: T.Buffer(sizes, "float32")):
            for a, b in T.grid(*sizes):
                B[a, b] = A[a * strides[0] + b * strides[1]]

        return main

    def three():
        @T.prim_func
        def main(A: T.Buffer((total,), "float32"), B: T.Buffer(sizes, "float32")):
            for a, b, c in T.grid(*sizes):
                B[a, b, c] = A[a * strides[0] + b * strides[1] + c * strides[2]]

        return main

    return {2: two, 3: three}[len(sizes)]()


blocked_16 = blocked(64, 16)
blocked_4_2 = blocked(64, 4, 2)


def conv_out(size, kernel, stride=1, pad=0, dilation=1):
    return (size + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1


def pool(size, kernel, stride):
    out = conv_out(size, kernel, stride)
    taps = kernel**2

    @T.prim_func
    def main(A: T.Buffer((size, size), "float32"), B: T.Buffer((out, out), "float32")):
        for y, x, dy, dx in T.grid(out, out, kernel, kernel):
            with T.block("pool"):
                vy, vx, vdy, vdx = T.axis.remap("SSRR", [y, x, dy, dx])
                with T.init():
                    B[vy, vx] = T.float32(0)
                B[vy, vx] = B[vy, vx] + A[vy * stride + vdy, vx * stride + vdx] / T.float32(taps)

    return main


pool_2 = pool(8, 2, 2)
pool_3 = pool(9, 3, 1)


def diagonal(rank, n):
    @T.prim_func
    def main(A: T.Buffer((n,) * rank, "float32"), B: T.Buffer((n,), "float32")):
        for i in range(n):
            B[i] = A[(i,) * rank]

    return main


diagonal_2 = diagonal(2, 4)
diagonal_4 = diagonal(4, 3)


@T.prim_func
def largest(A: T.Buffer((max(SIZES.values()), min(SIZES.values())), "float32")):
    for i in range(max(SIZES.values())):
        for j in range(min(SIZES.values())):
            A[i, j] = T.float32(sum(SIZES.values()))
