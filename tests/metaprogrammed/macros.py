"""Macros: parts of scripts that are visited at each call."""
from tvm.script import tir as T

LIMIT = 6


@T.macro
def assign(target, index, value):
    target[index] = value


@T.prim_func
def assigned(A: T.Buffer((8,), "int32")):
    for i in range(8):
        assign(A, i, i * 2)


@T.macro(hygienic=True)
def at_limit(A, B):
    B[0] = A[LIMIT]


@T.macro(hygienic=False)
def at_current(A, B):
    B[0] = A[LIMIT]


@T.prim_func
def both_captures(A: T.Buffer((8,), "int32"), B: T.Buffer((1,), "int32")):
    for LIMIT in T.serial(8):
        at_limit(A, B)
        at_current(A, B)


@T.macro(hygienic=False)
def accumulate(offset):
    out[i] = out[i] + data[i + offset]


@T.prim_func
def dynamic_names(data: T.Buffer((10,), "float32"), out: T.Buffer((8,), "float32")):
    for i in range(8):
        out[i] = T.float32(0)
        accumulate(0)
        accumulate(1)
        accumulate(2)


@T.macro
def init_block(C, vi, vj, value=0.0):
    with T.init():
        C[vi, vj] = T.float32(value)


@T.prim_func
def matmul_with_macro(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32"), C: T.Buffer((4, 4), "float32")):
    for i, j, k in T.grid(4, 4, 4):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            init_block(C, vi, vj)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]


@T.macro
def choose(A, i, kind, *, scale=1):
    if kind == "double":
        A[i] = A[i] * 2
    elif kind == "scale":
        A[i] = A[i] * scale
    else:
        A[i] = 0


def chosen(kind, **options):
    @T.prim_func
    def main(A: T.Buffer((8,), "int32")):
        for i in range(8):
            choose(A, i, kind, **options)

    return main


chosen_double = chosen("double")
chosen_scale = chosen("scale", scale=5)
chosen_other = chosen(None)


def shifted(step):
    @T.macro
    def advance(A, i):
        A[i] = A[i] + step

    return advance


by_one, by_ten = shifted(1), shifted(10)


@T.prim_func
def two_macros(A: T.Buffer((8,), "int32")):
    for i in range(8):
        by_one(A, i)
        by_ten(A, i)


@T.macro
def row_loop(A, n, i):
    for j in T.serial(n):
        A[i, j] = A[i, j] + 1


@T.macro
def all_rows(A, n, m):
    for i in T.serial(n):
        row_loop(A, m, i)


@T.prim_func
def nested_macros(A: T.Buffer((3, 5), "int32")):
    all_rows(A, 3, 5)


@T.macro
def locals_of_macro(A, B):
    total = T.alloc_buffer((1,), "int32", scope="local")
    total[0] = A[0] + A[1]
    B[0] = total[0]


@T.prim_func
def allocations(A: T.Buffer((2,), "int32"), B: T.Buffer((1,), "int32")):
    locals_of_macro(A, B)


@T.macro
def varargs(A, *values):
    A[0] = sum(values)
    A[1] = len(values)


@T.prim_func
def starred_call(A: T.Buffer((2,), "int32")):
    varargs(A, 1, 2, *(3, 4))


class Kernels:
    """A macro of a class."""

    def __init__(self, local):
        self.local = local

    @T.macro
    def store(self, A, i):
        A[i] = self.local


kernels = Kernels(7)


@T.prim_func
def method_macro(A: T.Buffer((4,), "int32")):
    for i in range(4):
        kernels.store(A, i)


def bound_macro(factor):
    @T.macro
    def use(A, i):
        y = A[i] * factor
        A[i] = y * y

    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        for i in range(4):
            use(A, i)

    return main


bound_2 = bound_macro(T.float32(2))
bound_half = bound_macro(T.float32(0.5))


@T.macro
def while_loop(A, n):
    while A[0] < n:
        A[0] = A[0] + 1


@T.prim_func
def loop_in_macro(A: T.Buffer((1,), "int32")):
    while_loop(A, 10)
    while_loop(A, 20)
