"""Classes, dataclasses, enumerations and named tuples as configuration."""
import enum
from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Optional, Tuple

from tvm.script import tir as T


@dataclass(frozen=True)
class Gemm:
    m: int
    n: int
    k: int
    dtype: str = "float32"
    tiles: Tuple[int, int] = (4, 4)
    relu: bool = False

    def __post_init__(self):
        if self.m % self.tiles[0] or self.n % self.tiles[1]:
            raise ValueError("tiles must divide the shape")

    @property
    def outer(self):
        return self.m // self.tiles[0], self.n // self.tiles[1]

    def zero(self):
        return T.Cast(self.dtype, 0)


def gemm(c):
    tm, tn = c.tiles
    om, on = c.outer

    @T.prim_func
    def main(A: T.Buffer((c.m, c.k), c.dtype), B: T.Buffer((c.k, c.n), c.dtype), C: T.Buffer((c.m, c.n), c.dtype)):
        for io, jo, ii, ji, k in T.grid(om, on, tm, tn, c.k):
            with T.block("gemm"):
                vi = T.axis.spatial(c.m, io * tm + ii)
                vj = T.axis.spatial(c.n, jo * tn + ji)
                vk = T.axis.reduce(c.k, k)
                with T.init():
                    C[vi, vj] = c.zero()
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
        if c.relu:
            for i, j in T.grid(c.m, c.n):
                C[i, j] = T.max(C[i, j], c.zero())

    return main


BASE = Gemm(16, 16, 8)
gemm_base = gemm(BASE)
gemm_relu = gemm(replace(BASE, relu=True))
gemm_half = gemm(replace(BASE, dtype="float16", tiles=(8, 2)))


class Activation(enum.Enum):
    NONE = 0
    RELU = 1
    SQUARE = 2

    def apply(self, x):
        if self is Activation.RELU:
            return T.max(x, T.float32(0))
        return x * x if self is Activation.SQUARE else x


def activate(kind):
    @T.prim_func
    def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        T.func_attr({"activation": kind.name, "code": kind.value})
        for i in range(8):
            B[i] = kind.apply(A[i])

    return main


activations = {kind.name.lower(): activate(kind) for kind in Activation}


class Threads(NamedTuple):
    x: int
    y: int = 1

    def total(self):
        return self.x * self.y


def launch(threads: Threads, n=128):
    @T.prim_func
    def main(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")):
        for b in T.thread_binding(n // threads.total(), thread="blockIdx.x"):
            for ty in T.thread_binding(threads.y, thread="threadIdx.y"):
                for tx in T.thread_binding(threads.x, thread="threadIdx.x"):
                    B[(b * threads.y + ty) * threads.x + tx] = A[(b * threads.y + ty) * threads.x + tx]

    return main


launch_32 = launch(Threads(32))
launch_8x4 = launch(Threads(8, y=4))
launch_replaced = launch(Threads(8, 4)._replace(x=16))


class Layout:
    """Inheritance, class methods and operators."""

    def __init__(self, *shape):
        self.shape = shape

    @classmethod
    def square(cls, n):
        return cls(n, n)

    def __matmul__(self, other):
        return type(self)(self.shape[0], other.shape[1])

    def __len__(self):
        return len(self.shape)

    def index(self, i, j):
        return [i, j]


class Transposed(Layout):
    def index(self, i, j):
        return super().index(j, i)


def store(layout):
    n, m = layout.shape

    @T.prim_func
    def main(A: T.Buffer((n, m), "int32")):
        T.func_attr({"rank": len(layout)})
        for i, j in T.grid(n, m):
            A[layout.index(i, j)] = i * m + j

    return main


store_plain = store(Layout(4, 6))
store_square = store(Transposed.square(5))
store_product = store(Layout(4, 7) @ Layout(7, 3))

Options = namedtuple("Options", ["vectorize", "unroll"], defaults=[0])
RULES = OrderedDict(fast=Options(True, 4), plain=Options(False))


def scale(options, factor=2.0):
    loop = T.vectorized if options.vectorize else T.serial

    @T.prim_func
    def main(A: T.Buffer((4, 8), "float32")):
        for i in T.serial(4, annotations={"pragma_unroll": options.unroll} if options.unroll else None):
            for j in loop(8):
                A[i, j] = A[i, j] * T.float32(factor)

    return main


scales = {name: scale(options) for name, options in RULES.items()}


@dataclass
class Network:
    widths: list = field(default_factory=list)
    bias: Optional[float] = None

    def layer(self, i):
        n, m, bias = self.widths[i], self.widths[i + 1], self.bias

        @T.prim_func
        def main(X: T.Buffer((n,), "float32"), W: T.Buffer((n, m), "float32"), Y: T.Buffer((m,), "float32")):
            for j in range(m):
                Y[j] = T.float32(0 if bias is None else bias)
                for i in range(n):
                    Y[j] = Y[j] + X[i] * W[i, j]

        return main


network = Network(widths=[4, 8, 2], bias=0.5)
layers = [network.layer(i) for i in range(2)]
unbiased = Network([3, 3]).layer(0)


class Flags(enum.IntFlag):
    FAST = 1
    SAFE = 2


counts = defaultdict(int)
for name in ("a", "b", "a"):
    counts[name] += 1


@T.prim_func
def with_flags(A: T.Buffer((counts["a"], counts["b"] + 1), "int32")):
    for i, j in T.grid(counts["a"], counts["b"] + 1):
        A[i, j] = T.int32(int(Flags.FAST | Flags.SAFE))
