# Simplification of index arithmetic: many small pairs.
import tvm
import tvm.testing
from tvm import tir
from tvm.script import tir as T


class BaseBeforeAfter(tvm.testing.CompareBeforeAfter):
    transitively_prove_inequalities = False

    def transform(self):
        def inner(mod):
            config = {"tir.Simplify": {"transitively_prove_inequalities": self.transitively_prove_inequalities}}
            with tvm.transform.PassContext(config=config):
                return tvm.tir.transform.Simplify()(mod)

        return inner


class TestStoreNoop(BaseBeforeAfter):
    @T.prim_func
    def before(A: T.Buffer((1,), "int32")):
        A[0] = A[0]

    @T.prim_func
    def expected(A: T.Buffer((1,), "int32")):
        T.evaluate(0)


class TestStoreNoopAfterSimplify(BaseBeforeAfter):
    @T.prim_func
    def before(A: T.Buffer((1,), "int32")):
        A[0] = A[0] - (5 - 5)

    expected = TestStoreNoop.expected


class TestNested(BaseBeforeAfter):
    @T.prim_func
    def before(A: T.Buffer((16,), "int32")):
        for i in T.serial(16):
            if i == 5:
                if i == 5:
                    A[i] = 0

    @T.prim_func
    def expected(A: T.Buffer((16,), "int32")):
        for i in T.serial(16):
            if i == 5:
                A[i] = 0


class TestElse(BaseBeforeAfter):
    transitively_prove_inequalities = True

    @T.prim_func
    def before(A: T.Buffer((16,), "int32"), i: T.int32, j: T.int32, k: T.int32):
        if i < j and j < k:
            if i < k:
                A[0] = 1
            else:
                A[0] = 2
        else:
            A[0] = 3

    @T.prim_func
    def expected(A: T.Buffer((16,), "int32"), i: T.int32, j: T.int32, k: T.int32):
        if i < j and j < k:
            A[0] = 1
        else:
            A[0] = 3


class TestDivMod(BaseBeforeAfter):
    @T.prim_func
    def before(A: T.Buffer((64,), "int32")):
        for io, ii in T.grid(8, 8):
            A[(io * 8 + ii) // 8 * 8 + (io * 8 + ii) % 8] = T.floormod(io * 8 + ii, 8)

    @T.prim_func
    def expected(A: T.Buffer((64,), "int32")):
        for io, ii in T.grid(8, 8):
            A[io * 8 + ii] = ii


class TestSelect(BaseBeforeAfter):
    def before(self):
        @T.prim_func
        def func(A: T.Buffer((64,), "int32"), n: T.int32):
            A[0] = T.Select(n == n, 1, 2)

        return func

    def expected(self):
        @T.prim_func
        def func(A: T.Buffer((64,), "int32"), n: T.int32):
            A[0] = 1

        return func


class TestAssume(BaseBeforeAfter):
    def before(A: T.Buffer((16,), "int32"), n: T.int32):
        T.evaluate(T.assume(n < 0))
        if n < 0:
            A[0] = 1

    def expected(A: T.Buffer((16,), "int32"), n: T.int32):
        T.evaluate(T.assume(n < 0))
        A[0] = 1


def test_let():
    @T.prim_func
    def before(A: T.Buffer((4,), "int32"), n: T.int32):
        x: T.int32 = n + 0
        A[0] = x

    @T.prim_func
    def expected(A: T.Buffer((4,), "int32"), n: T.int32):
        A[0] = n

    assert tir.transform.Simplify()(tvm.IRModule.from_expr(before)) and expected
