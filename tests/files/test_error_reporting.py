# Tests of the parser itself: wrong scripts in strings, in `raises`, in functions that check them.
import inspect

import pytest
import tvm
from tvm.error import DiagnosticError
from tvm.script import from_source
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


def check_error(func, rel_lineno):
    source_code = inspect.getsource(func)
    with pytest.raises(DiagnosticError):
        from_source("from tvm.script import tir as T\n" + source_code)
    assert source_code.splitlines()[rel_lineno - 1]


def test_undefined_buffer():
    def undefined_buffer(a: T.handle) -> None:
        A = T.match_buffer(a, (16,), "float32")
        T.writes(A[0])
        C[0] = 1.0  # error

    check_error(undefined_buffer, 4)


def test_return_not_allowed():
    def return_not_allowed(a: T.handle) -> None:
        return T.evaluate(0)  # error

    assert return_not_allowed is not None


def test_in_raises():
    with pytest.raises(DiagnosticError):

        @T.prim_func
        def no_bound_iter(A: T.Buffer((16,), "float32")):
            for i in A:
                A[0] = 1.0

    with pytest.raises((DiagnosticError, ValueError)):

        @I.ir_module
        class Broken:
            @R.function
            def main(x: R.Tensor((2,), "float32")):
                y = R.add(x, x, x)
                return y

    with pytest.raises(DiagnosticError), tvm.target.Target("c"):

        @R.function
        def not_in_dataflow(x: R.Tensor((2,), "float32")):
            with R.dataflow():
                y = R.add(x, x)
            return y


@pytest.mark.parametrize("wrong", ["@T.prim_func\ndef f(: pass", "def", ""])
def test_texts(wrong):
    with pytest.raises(Exception):
        from_source(wrong)

    @T.prim_func
    def right(A: T.Buffer((1,), "float32")):
        A[0] = T.float32(1)

    assert right


def test_not_raised():
    @T.prim_func
    def unusual(A: T.Buffer((4,), "float32")):
        for i in T.serial(4):
            with T.block("b"):
                v = T.axis.spatial(4, i)
                T.reads([A[v]])
                T.writes([A[v]])
                A[v] = A[v]

    @R.function
    def unusual_relax(x: R.Tensor((2,), "float32")):
        return R.add(x, R.multiply(x, R.const(2, "float32")))

    @I.ir_module
    class Empty:
        pass

    assert unusual and unusual_relax and Empty is not None
