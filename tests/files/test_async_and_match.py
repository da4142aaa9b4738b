# async def, match, walrus, decorators with arguments, star expressions, nonlocal.
import asyncio

import tvm
from tvm.script import tir as T


async def gather(*factories):
    results = []
    for factory in factories:
        results.append(factory())
        await asyncio.sleep(0)

    @T.prim_func
    def in_async(A: T.Buffer((4,), "int32")):
        A[0] = 1

    return [*results, in_async]


def first():
    @T.prim_func
    def first_func(A: T.Buffer((4,), "int32")):
        A[1] = 1

    return first_func


def second():
    count = 0

    def bump():
        nonlocal count
        count += 1
        return count

    @T.prim_func
    def second_func(A: T.Buffer((4,), "int32")):
        A[2] = 1

    bump()
    return second_func


def choose(kind):
    match kind:
        case "first":
            return first()
        case "second" | "other":
            return second()
        case {"dtype": dtype}:

            @T.prim_func
            def typed(A: T.Buffer((4,), "int32")):
                A[3] = 1

            return typed
        case _:
            raise ValueError(kind)


async def context():
    async with asyncio.Lock() as lock:

        @T.prim_func
        def locked(A: T.Buffer((4,), "int32")):
            A[0] = 2

        return locked, lock


def test_gather():
    assert len(asyncio.run(gather(first, second))) == 3
    assert asyncio.run(context())


def test_choose():
    if (func := choose("first")) is not None:
        assert isinstance(func, tvm.tir.PrimFunc)
    assert choose({"dtype": "int32"})
    head, *tail = [choose(kind) for kind in ("first", "second", "other")]
    assert head and len(tail) == 2


async def test_coroutine():
    @T.prim_func
    def in_test(A: T.Buffer((4,), "int32")):
        A[1] = 2

    assert in_test
