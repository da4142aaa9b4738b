# Relative imports, star imports among them, whose names scripts do not need.
import tvm
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T

from . import kernels
from .kernels import *
from .kernels.common import Tile, make
from .. import nothing_here as missing  # noqa


@T.prim_func
def local(A: T.Buffer((8,), "int32")):
    A[0] = 1


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((8,), "int32")):
        A[0] = 2

    @R.function
    def entry(x: R.Tensor((8,), "int32")):
        y = R.add(x, x)
        return y


def test_imported():
    mod = tvm.IRModule({"zero": kernels.zero, "copy": copy, "local": local})
    mod.update(Module)
    assert make(Tile(4, 4)) is not None

    @T.prim_func
    def after(A: T.Buffer((8,), "int32")):
        A[0] = 3

    assert after


class TestInherited(kernels.Base if hasattr(kernels, "Base") else object):
    @T.prim_func
    def before(A: T.Buffer((8,), "int32")):
        A[0] = 4

    def expected(self):
        @T.prim_func
        def func(A: T.Buffer((8,), "int32")):
            A[0] = 5

        return func
