# Property tests: strategies as decorators, seeds, random shapes drawn within the test.
import random
import string

import numpy as np
import pytest
import tvm
from tvm.script import tir as T

try:
    from hypothesis import given, settings
    from hypothesis import strategies as st
except ImportError:
    st = None

    def given(*_, **__):
        return lambda f: f

    def settings(**_):
        return lambda f: f


random.seed(0)
SHAPES = [(random.randint(1, 4), random.randint(1, 4)) for _ in range(3)]
NAME = "".join(random.choice(string.ascii_lowercase) for _ in range(8))


@given(n=st.integers(1, 8) if st else None)
@settings(max_examples=2, deadline=None)
def test_any_size(n=4):
    @T.prim_func
    def sized(A: T.Buffer((n,), "float32")):
        for i in range(n):
            A[i] = T.float32(i)

    assert sized


@pytest.mark.parametrize("seed", range(2))
def test_seed(seed):
    rng = np.random.RandomState(seed)
    value = int(rng.randint(10))

    @T.prim_func
    def constant(A: T.Buffer((1,), "int32")):
        A[0] = value

    @T.prim_func
    def fixed(A: T.Buffer((1,), "int32")):
        A[0] = 7

    assert constant and fixed


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("op", [lambda x: x + 1, lambda x: x * 2], ids=["inc", "dbl"])
def test_op(shape, op):
    m, n = shape

    @T.prim_func
    def apply(A: T.Buffer((m, n), "int32")):
        for i, j in T.grid(m, n):
            A[i, j] = op(A[i, j])

    assert isinstance(apply, tvm.tir.PrimFunc)


class TestCases:
    @pytest.mark.parametrize("left,right", [(1, 2), (3, 4)])
    def test_add(self, left, right):
        @T.prim_func
        def add(A: T.Buffer((1,), "int32")):
            A[0] = left + right

        assert add

    @pytest.fixture
    def kernel(self):
        @T.prim_func
        def kernel(A: T.Buffer((1,), "int32")):
            A[0] = 1

        return kernel

    def test_kernel(self, kernel):
        assert kernel

        @T.prim_func
        def other(A: T.Buffer((1,), "int32")):
            A[0] = 2

        assert not tvm.ir.structural_equal(kernel, other)
