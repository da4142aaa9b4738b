"""Python functions that scripts call: values, tuples, containers and statements."""
import functools

from tvm import tir
from tvm.script import tir as T


def clamp(x, low, high):
    return T.max(T.min(x, high), low)


@T.prim_func
def clamped(A: T.Buffer((8,), "float32")):
    for i in range(8):
        A[i] = clamp(A[i], T.float32(-1), T.float32(1))


def corners(box, i):
    """A tuple of expressions."""
    return box[i, 0], box[i, 1], box[i, 2], box[i, 3]


@T.prim_func
def areas(boxes: T.Buffer((10, 4), "float32"), area: T.Buffer((10,), "float32")):
    for i in range(10):
        area[i] = (corners(boxes, i)[2] - corners(boxes, i)[0]) * (corners(boxes, i)[3] - corners(boxes, i)[1])


def horner(coefficients, x):
    result = T.float32(0)
    for c in coefficients:
        result = result * x + T.float32(c)
    return result


@T.prim_func
def polynomial(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(16):
        B[i] = horner([1, -2, 0.5, 3], A[i])


def tree_sum(values):
    """Recursion: a balanced tree."""
    if len(values) == 1:
        return values[0]
    half = len(values) // 2
    return tree_sum(values[:half]) + tree_sum(values[half:])


def row_sum(buffer, i):
    return tree_sum([buffer[i, k] for k in range(int(buffer.shape[1]))])


@T.prim_func
def balanced(A: T.Buffer((4, 7), "int32"), B: T.Buffer((4,), "int32")):
    for i in range(4):
        B[i] = row_sum(A, i)


def power(x, n):
    if n == 0:
        return T.int64(1)
    half = power(x, n // 2)
    return half * half * x if n % 2 else half * half


@T.prim_func
def powers(A: T.Buffer((3,), "int64")):
    for i in range(3):
        A[i] = power(A[i], 5)


class Complex:
    """A pair of expressions with operators."""

    def __init__(self, re, im):
        self.re, self.im = re, im

    def __add__(self, other):
        return Complex(self.re + other.re, self.im + other.im)

    def __mul__(self, other):
        return Complex(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    @staticmethod
    def load(buffer, i):
        return Complex(buffer[i, 0], buffer[i, 1])


@T.prim_func
def complex_square(A: T.Buffer((8, 2), "float32"), B: T.Buffer((8, 2), "float32")):
    for i in range(8):
        B[i, 0] = (Complex.load(A, i) * Complex.load(A, i) + Complex.load(B, i)).re
        B[i, 1] = (Complex.load(A, i) * Complex.load(A, i) + Complex.load(B, i)).im


def compose(*functions):
    return functools.reduce(lambda f, g: lambda x: g(f(x)), functions)


def make(steps):
    f = compose(*steps)

    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        for i in range(4):
            A[i] = f(A[i])

    return main


composed_two = make([T.exp, T.log])
composed_lambdas = make([lambda x: x + T.float32(1), T.sqrt, lambda x: x * x])


@functools.lru_cache(maxsize=None)
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@T.prim_func
def memoized(A: T.Buffer((fibonacci(7),), "int32")):
    for i in range(fibonacci(7)):
        A[i] = fibonacci(40)


def clear(buffer, n, value=0.0):
    """Statements: a loop with a store."""
    with T.serial(0, n) as i:
        T.buffer_store(buffer, T.float32(value), [i])


@T.prim_func
def cleared(A: T.Buffer((16,), "float32")):
    clear(A, 16)
    clear(A, 8, value=1.5)


def unrolled(count, body):
    for k in range(count):
        body(k)


@T.prim_func
def unrolled_stores(A: T.Buffer((4,), "int32")):
    unrolled(4, lambda k: T.buffer_store(A, k * k, [k]))


def guarded(condition, then, otherwise):
    with T.If(condition):
        with T.Then():
            then()
        with T.Else():
            otherwise()


@T.prim_func
def both_branches(A: T.Buffer((8,), "int32")):
    for i in range(8):
        guarded(
            i < 4, lambda: T.buffer_store(A, 1, [i]), lambda: T.buffer_store(A, 2, [i])
        )


def tile(loop, inner):
    return loop // inner, loop % inner


@T.prim_func
def tiled_access(A: T.Buffer((4, 8), "int32")):
    for ij in range(32):
        A[tile(ij, 8)] = tile(ij, 8)[0] - tile(ij, 8)[1]


def dispatch(name):
    return {"add": tir.Add, "mul": tir.Mul, "max": tir.Max}[name]


def binary(name):
    op = dispatch(name)

    @T.prim_func
    def main(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        for i in range(4):
            B[i] = op(A[i], B[i])

    return main


binaries = [binary(name) for name in ("add", "mul", "max")]


def block_copy(source, target, shape, name):
    """A nest of loops around a block."""
    with T.grid(*shape) as (i, j):
        with T.block(name):
            vi = T.axis.spatial(shape[0], i)
            vj = T.axis.spatial(shape[1], j)
            T.reads(source[vi, vj])
            T.writes(target[vi, vj])
            T.buffer_store(target, source[vi, vj], [vi, vj])


@T.prim_func
def copies(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32")):
    C = T.alloc_buffer((4, 4))
    block_copy(A, C, (4, 4), "to_C")
    block_copy(C, B, (4, 4), "to_B")
