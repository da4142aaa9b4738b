# Optional imports, and scripts in `try` and `with`.
import contextlib

import tvm
from tvm.script import tir as T

try:
    import torch
except ImportError:
    torch = None

try:
    from some_private_package import helper
except ImportError:

    def helper(x):
        return x


try:

    @T.prim_func
    def in_try(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(1)

except tvm.error.DiagnosticError:
    in_try = None
else:

    @T.prim_func
    def in_else(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(2)

finally:

    @T.prim_func
    def in_finally(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(3)


with contextlib.suppress(ValueError):

    @T.prim_func
    def in_with(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(4)


with tvm.target.Target("llvm"), tvm.transform.PassContext(opt_level=3) as ctx:

    @T.prim_func
    def in_target(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(5)

    lowered = tvm.tir.transform.Simplify()(tvm.IRModule.from_expr(in_target))


def test_torch():
    if torch is None:
        return

    @T.prim_func
    def with_torch(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(6)

    torch.zeros(4)
    assert helper(with_torch)


def test_helper():
    try:

        @T.prim_func
        def local(A: T.Buffer((4,), "float32")):
            A[0] = T.sigmoid(A[0])

        assert helper(local)
    finally:
        print("done")
