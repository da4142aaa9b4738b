# Functions in functions in classes in conditions.
import tvm
from tvm.script import tir as T

FLAG = True

if FLAG:
    if not FLAG:
        pass
    else:
        for outer_index in range(1):
            try:
                with tvm.target.Target("c"):

                    @T.prim_func
                    def at_the_bottom(A: T.Buffer((4,), "int32")):
                        A[outer_index] = 1

            finally:
                bottom = at_the_bottom


def level0():
    class Level1:
        def level2(self):
            def level3():
                class Level4:
                    @T.prim_func
                    def level5(A: T.Buffer((4,), "int32")):
                        A[0] = 5

                return Level4.level5

            return level3

        @T.prim_func
        def sibling(A: T.Buffer((4,), "int32")):
            A[1] = 6

    return Level1().level2()()


def conditional(which=0):
    if which == 0:

        @T.prim_func
        def func(A: T.Buffer((4,), "int32")):
            A[0] = 0

    elif which == 1:

        @T.prim_func
        def func(A: T.Buffer((4,), "int32")):
            A[0] = 1

    else:

        @T.prim_func
        def func(A: T.Buffer((4,), "int32")):
            A[0] = 2

    return func


def early_return(n=3):
    if n < 0:
        raise ValueError("negative")
    if n == 0:
        return None

    @T.prim_func
    def func(A: T.Buffer((4,), "int32")):
        A[n] = 0

    while True:

        @T.prim_func
        def in_while(A: T.Buffer((4,), "int32")):
            A[0] = 0

        break
    else:

        @T.prim_func
        def never(A: T.Buffer((4,), "int32")):
            A[0] = 0

    return func, in_while


def test_levels():
    assert level0() is not None
    assert conditional(1) is not None
    assert conditional(2) is not None
    assert early_return(0) is None
    match FLAG:
        case True:

            @T.prim_func
            def matched(A: T.Buffer((4,), "int32")):
                A[0] = 7

        case _:
            matched = None
    assert matched is not None

    def recursive(depth):
        if depth:
            return recursive(depth - 1)

        @T.prim_func
        def leaf(A: T.Buffer((4,), "int32")):
            A[0] = 8

        return leaf

    assert recursive(3) is not None
