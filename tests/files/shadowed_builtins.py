# Host functions that use Python's names while TIR has its own: range, min, max, abs, list, sum.
from tvm.script import tir as T

EXTENTS = list(range(4))
LARGEST = max(EXTENTS)
SMALLEST = min(EXTENTS)
TOTAL = sum(x for x in EXTENTS if x % 2)
PAIRS = sorted(zip(EXTENTS, reversed(EXTENTS)), key=lambda p: -p[0])
TEXT = ",".join(str(n) for n in EXTENTS)


def divisors(n):
    return [d for d in range(1, n + 1) if n % d == 0]


def largest_tile(n, limit):
    best = 1
    for d in range(1, limit + 1):
        if n % d == 0:
            best = d
    return best


def strides_of(shape):
    result = []
    stride = 1
    for extent in reversed(shape):
        result.insert(0, stride)
        stride *= extent
    return tuple(result)


def any_odd(values):
    return any(v % 2 for v in values) and not all(v % 2 for v in values)


@T.prim_func
def tiled(A: T.Buffer((60,), "int32")):
    for i in range(60 // largest_tile(60, 8)):
        for j in range(largest_tile(60, 8)):
            A[i * largest_tile(60, 8) + j] = len(divisors(60))


@T.prim_func
def strided(A: T.Buffer((24,), "int32")):
    for i, j, k in T.grid(2, 3, 4):
        A[i * strides_of((2, 3, 4))[0] + j * strides_of((2, 3, 4))[1] + k * strides_of((2, 3, 4))[2]] = i


@T.prim_func
def constants(A: T.Buffer((8,), "int32")):
    A[0] = LARGEST
    A[1] = SMALLEST
    A[2] = TOTAL
    A[3] = PAIRS[0][1]
    A[4] = len(TEXT)
    A[5] = sum([1, 2, 3])
    A[6] = max(3, 5) + abs(-2)


@T.prim_func
def branches(A: T.Buffer((8,), "int32")):
    if any_odd(EXTENTS):
        A[0] = 1
    else:
        A[0] = 2


@T.prim_func
def unrolled_on_host(A: T.Buffer((8,), "int32")):
    for i in range(8):
        A[i] = i + sum(EXTENTS)
