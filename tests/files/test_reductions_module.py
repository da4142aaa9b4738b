# A kernel library: a registry filled by a decorator of its own.
import functools
import inspect
from typing import Callable

import tvm
from tvm.script import ir as I
from tvm.script import tir as T

REGISTRY = {}


def register(name=None, *, tags=()):
    def decorate(func: Callable):
        REGISTRY[name or func.__name__] = (func, frozenset(tags))

        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            return func(*args, **kwargs)

        return wrapper

    return decorate


@register("sum", tags=["reduce"])
def make_sum(n: int = 32):
    @T.prim_func
    def row_sum(A: T.Buffer((8, 32), "float32"), B: T.Buffer((8,), "float32")):
        for i, j in T.grid(8, 32):
            with T.block("sum"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] += A[vi, vj]

    return row_sum


@register()
def make_mean(n: int = 32):
    @T.prim_func
    def row_mean(A: T.Buffer((8, n), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(8):
            B[i] = T.float32(0)
            for j in range(n):
                B[i] = B[i] + A[i, j] / T.float32(n)

    return row_mean


@register(tags={"reduce", "index"})
def make_norms():
    @T.prim_func
    def l1(A: T.Buffer((32,), "float32"), B: T.Buffer((1,), "float32")):
        for i in range(32):
            with T.block("l1"):
                vi = T.axis.reduce(32, i)
                with T.init():
                    B[0] = 0.0
                B[0] = B[0] + T.abs(A[vi])

    @T.prim_func
    def l2(A: T.Buffer((32,), "float32"), B: T.Buffer((1,), "float32")):
        B[0] = 0.0
        for i in range(32):
            B[0] += A[i] * A[i]
        B[0] = T.sqrt(B[0])

    @T.prim_func
    def linf(A: T.Buffer((32,), "float32"), B: T.Buffer((1,), "float32")):
        B[0] = T.float32(0)
        for i in range(32):
            if T.abs(A[i]) > B[0]:
                B[0] = T.abs(A[i])

    return {"l1": l1, "l2": l2, "linf": linf}


@I.ir_module
class Softmax:
    @T.prim_func
    def main(A: T.Buffer((4, 16), "float32"), B: T.Buffer((4, 16), "float32")):
        top = T.alloc_buffer((4,))
        total = T.alloc_buffer((4,))
        for i, k in T.grid(4, 16):
            with T.block("top"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    top[vi] = T.min_value("float32")
                top[vi] = T.max(top[vi], A[vi, vk])
        for i, k in T.grid(4, 16):
            with T.block("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + T.exp(A[vi, vk] - top[vi])
        for i, j in T.grid(4, 16):
            with T.block("divide"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = T.exp(A[vi, vj] - top[vi]) / total[vi]


def test_registry():
    for name, (factory, tags) in sorted(REGISTRY.items()):
        result = factory()
        assert inspect.isfunction(factory), name
        assert isinstance(result, (tvm.tir.PrimFunc, dict)), tags
