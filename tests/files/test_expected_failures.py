# Scripts that must fail beside scripts that must not.
import pytest
import tvm
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


def test_undefined_name():
    with pytest.raises(tvm.error.DiagnosticError):

        @T.prim_func
        def bad(A: T.Buffer((4,), "float32")):
            A[0] = nothing_has_this_name

    @T.prim_func
    def good(A: T.Buffer((4,), "float32")):
        A[0] = A[1]

    assert good


def test_wrong_axis():
    with pytest.raises(tvm.error.DiagnosticError) as error:

        @T.prim_func
        def bad(A: T.Buffer((4, 4), "float32")):
            for i, j in T.grid(4, 4):
                with T.block("B"):
                    vi, vj = T.axis.remap("SS", [i])
                    A[vi, vj] = 0.0

    assert error is not None


def test_relax_errors():
    with pytest.raises(tvm.error.DiagnosticError):

        @R.function
        def unknown_var(x: R.Tensor((2,), "float32")):
            y = R.add(x, z)
            return y

    with pytest.raises(Exception, match="ret"):

        @I.ir_module
        class NoReturn:
            @R.function
            def main(x: R.Tensor((2,), "float32")):
                with R.dataflow():
                    y = R.add(x, x)
                    R.output(y)
                return q

    @I.ir_module
    class Fine:
        @R.function
        def main(x: R.Tensor((2,), "float32")):
            with R.dataflow():
                y = R.add(x, x)
                R.output(y)
            return y

    assert Fine["main"]


def test_pass_fails():
    @T.prim_func
    def func(A: T.Buffer((4,), "float32")):
        for i in T.serial(4):
            A[i] = A[i] + 1.0

    sch = tvm.tir.Schedule(func)
    with pytest.raises(ValueError):
        sch.get_block("missing")


@T.prim_func
def shared(A: T.Buffer((4,), "float32")):
    A[0] = T.float32(1)


def test_shared():
    with pytest.raises(AttributeError):
        shared.no_such_attribute
