# Generators, context managers and asynchronous functions in a file of scripts.
import asyncio
import contextlib
import itertools

import tvm
from tvm.script import tir as T


def shapes():
    for m, n in itertools.product([1, 2], repeat=2):
        yield m, n


def kernels():
    @T.prim_func
    def first(A: T.Buffer((4,), "int32")):
        A[0] = 1

    yield first

    @T.prim_func
    def second(A: T.Buffer((4,), "int32")):
        A[1] = 2

    yield second
    yield from ()


def by_shape():
    for m, n in shapes():

        @T.prim_func
        def shaped(A: T.Buffer((m, n), "int32")):
            A[m - 1, n - 1] = 0

        yield shaped


@contextlib.contextmanager
def patched_kernel():
    @T.prim_func
    def patched(A: T.Buffer((4,), "int32")):
        A[2] = 3

    try:
        yield patched
    finally:
        pass


async def produce():
    await asyncio.sleep(0)
    return 4


async def consume():
    async with contextlib.AsyncExitStack() as stack:
        value = await produce()
        async for _ in aiter_of(value):
            stack.callback(print)
    return value


async def aiter_of(n):
    for i in range(n):
        yield i


total = sum(m * n for m, n in shapes())
squares = {m: n**2 for m, n in shapes() if m != n}


@T.prim_func
def uses_host_values(A: T.Buffer((total,), "int32")):
    for i in range(total):
        A[i] = i


def test_generators():
    assert len(list(kernels())) == 2
    assert len(list(by_shape())) == 4
    with patched_kernel() as kernel:
        assert isinstance(kernel, tvm.tir.PrimFunc)
    assert asyncio.run(consume()) == 4
