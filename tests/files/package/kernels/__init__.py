from .common import ceil_div, copy
from tvm.script import tir as T

__all__ = ["copy", "ceil_div", "zero"]


@T.prim_func
def zero(A: T.Buffer((8,), "int32")):
    for i in range(8):
        A[i] = 0


@T.prim_func
def one(A: T.Buffer((8,), "int32")):
    for i in range(8):
        A[i] = 1


@T.prim_func
def iota(A: T.Buffer((8,), "int32")):
    for i in range(8):
        A[i] = i


def get_zero():
    return zero


def get_fill(value=3):
    @T.prim_func
    def fill(A: T.Buffer((8,), "int32")):
        for i in range(8):
            A[i] = value

    return fill
