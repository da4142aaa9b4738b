"""What the other files of the package import."""
from typing import NamedTuple

from tvm.script import tir as T

THREADS = 128
__slots__ = ()


class Tile(NamedTuple):
    rows: int
    cols: int


def ceil_div(a, b):
    return -(-a // b)


@T.prim_func
def copy(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in range(ceil_div(64, 16)):
        for j in range(16):
            B[i * 16 + j] = A[i * 16 + j]


@T.prim_func
def launch(A: T.Buffer((THREADS,), "float32")):
    for tx in T.thread_binding(THREADS, thread="threadIdx.x"):
        A[tx] = T.float32(0)


def make(tile: Tile):
    rows, cols = tile

    @T.prim_func
    def clear(A: T.Buffer((rows, cols), "float32")):
        for i, j in T.grid(rows, cols):
            A[i, j] = T.float32(0)

    return clear


clear_2x3 = make(Tile(2, 3))
