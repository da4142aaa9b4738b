"""Factories with default values, keyword-only and variadic parameters."""
from typing import Optional

from tvm.script import relax as R
from tvm.script import tir as T


def copy(n=16, *, dtype="float32", scope="global"):
    @T.prim_func
    def func(A: T.Buffer((n,), dtype), B: T.Buffer((n,), dtype)):
        C = T.alloc_buffer((n,), dtype, scope=scope)
        for i in range(n):
            with T.block("C"):
                v = T.axis.spatial(n, i)
                C[v] = A[v]
        for i in range(n):
            with T.block("B"):
                v = T.axis.spatial(n, i)
                B[v] = C[v]

    return func


def cast(*shape, source="float32", target="int32", **attrs):
    rank = len(shape)

    @T.prim_func
    def func(A: T.Buffer(shape, source), B: T.Buffer(shape, target)):
        T.func_attr({"rank": rank})
        for i, j in T.grid(shape[0], shape[1]):
            B[i, j] = T.Cast(target, A[i, j])

    return func


def maybe_bias(bias: Optional[float] = None, /, n: int = 4):
    if bias is None:

        @T.prim_func
        def no_bias(A: T.Buffer((n,), "float32")):
            A[0] = T.float32(0)

        return no_bias

    @T.prim_func
    def with_bias(A: T.Buffer((n,), "float32")):
        A[0] = T.float32(bias)

    return with_bias


def defaults_of_locals(n=len("four"), values=(1, 2, 3), table={"a": 1}):
    total = sum(values) + table["a"] + n

    @T.prim_func
    def func(A: T.Buffer((16,), "int32")):
        A[0] = total

    return func


def relax_scale(factor=2.0):
    @R.function
    def func(x: R.Tensor((4,), "float32")):
        y = R.multiply(x, R.const(factor, "float32"))
        return y

    return func


copy_16 = copy()
copy_8 = copy(8, dtype="int8", scope="shared")
cast_2x3 = cast(2, 3)
cast_half = cast(*(4, 4), **{"target": "float16"})
bias = maybe_bias(1.0)
no_bias = maybe_bias(n=2)
scaled, unscaled = relax_scale(3.0), relax_scale()


def test_defaults():
    assert defaults_of_locals() is not None
    assert all([copy_16, copy_8, cast_2x3, cast_half, bias, no_bias, scaled, unscaled])
