"""Kernels whose sizes come from a configuration object."""
import dataclasses
import json
from dataclasses import asdict, dataclass
from types import SimpleNamespace

from tvm import tir
from tvm.script import tir as T

OPTIONS = json.loads('{"threads": 64, "dtype": "float32", "layers": [4, 8]}')
PLAIN = {"threads": 32, "dtype": "float16", "layers": (2, 3)}
NAMESPACE = SimpleNamespace(rows=4, cols=6)


@dataclass(frozen=True)
class Shape:
    rows: int
    cols: int = 8

    @property
    def size(self) -> int:
        return self.rows * self.cols

    def __post_init__(self):
        if self.rows <= 0:
            raise ValueError("rows")


SHAPE = Shape(4)
ROWS = 4
COLS = PLAIN["layers"][1]


@T.prim_func
def from_constants(A: T.Buffer((ROWS, COLS), PLAIN["dtype"])):
    for i, j in T.grid(ROWS, COLS):
        A[i, j] = T.float16(0)


@T.prim_func
def from_dictionary(A: T.Buffer((PLAIN["threads"],), "float32")):
    for t in T.thread_binding(PLAIN["threads"], thread="threadIdx.x"):
        with T.block("A"):
            v = T.axis.spatial(PLAIN["threads"], t)
            A[v] = T.float32(0)


class Sizes:
    rows = 4
    cols = rows * 2
    shape = (rows, cols)


@T.prim_func
def from_class(A: T.Buffer((4, 8), "float32")):
    for i, j in T.grid(4, 8):
        A[i, j] = T.float32(1)


def build(shape: Shape = SHAPE, **overrides):
    shape = dataclasses.replace(shape, **overrides)
    rows, cols = asdict(shape).values()

    @T.prim_func
    def fill(A: T.Buffer((rows, cols), "float32")):
        for i, j in T.grid(rows, cols):
            A[i, j] = T.float32(0)

    return fill


def test_build():
    for rows in (1, 2):
        assert isinstance(build(rows=rows), tir.PrimFunc)
    assert OPTIONS["threads"] == 64 and NAMESPACE.rows == 4 and Sizes.shape == (4, 8)


def test_local_config():
    config = {"n": 5, "dtype": "int16"}
    n, dtype = config["n"], config["dtype"]

    @T.prim_func
    def local(A: T.Buffer((n,), dtype)):
        for i in range(n):
            A[i] = T.Cast(dtype, i)

    assert local
