# Classes with methods that are scripts, with and without base classes.
import tvm
import tvm.testing
from tvm.script import ir as I
from tvm.script import tir as T


class BaseCompare(tvm.testing.CompareBeforeAfter):
    transform = tvm.tir.transform.Simplify()


class TestAddZero(BaseCompare):
    @T.prim_func
    def before(A: T.Buffer((8,), "int32"), n: T.int32):
        A[0] = n + 0

    @T.prim_func
    def expected(A: T.Buffer((8,), "int32"), n: T.int32):
        A[0] = n


class TestLoopBound(BaseCompare):
    """A condition that the bounds of the loop decide."""

    @T.prim_func
    def before(A: T.Buffer((8,), "bool")):
        for i in T.serial(8):
            A[i] = i < 10

    @T.prim_func
    def expected(A: T.Buffer((8,), "bool")):
        for i in T.serial(8):
            A[i] = T.bool(True)


class TestMethodsReturn(BaseCompare):
    def before(self):
        @T.prim_func
        def func(A: T.Buffer((4,), "float32")):
            A[0] = T.max(A[1], A[1])

        return func

    def expected(self):
        @T.prim_func
        def func(A: T.Buffer((4,), "float32")):
            A[0] = A[1]

        return func


class TestModules(BaseCompare):
    @I.ir_module
    class before:
        @T.prim_func
        def main(A: T.Buffer((16,), "int32")):
            for i in range(16):
                if T.floormod(i, 1) == 0:
                    A[i] = 5

    @I.ir_module
    class expected:
        @T.prim_func
        def main(A: T.Buffer((16,), "int32")):
            for i in range(16):
                A[i] = 5


class Plain:
    """No base class, no test: a holder of scripts."""

    factor = 2

    @T.prim_func
    def scale(A: T.Buffer((4,), "float32")):
        for i in range(4):
            A[i] = A[i] * T.float32(2)

    @staticmethod
    def make():
        @T.prim_func
        def inner(A: T.Buffer((4,), "float32")):
            A[3] = T.float32(0)

        return inner

    @classmethod
    def default(cls):
        @T.prim_func
        def other(A: T.Buffer((4,), "float32")):
            A[2] = T.float32(0)

        return other
