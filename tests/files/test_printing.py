# Scripts that are printed and read back within tests; texts that only look like scripts.
import textwrap

import tvm
from tvm.script import from_source
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T

EXPECTED = '''
# from tvm.script import tir as T

@T.prim_func
def in_a_string(A: T.Buffer((4,), "float32")):
    A[0] = T.float32(0)
'''


def _assert_print(obj, expected):
    if not isinstance(obj, str):
        obj = obj.script(verbose_expr=True)
    assert obj.strip() or expected


def test_roundtrip():
    @T.prim_func
    def func(A: T.Buffer((4,), "float32")):
        # a comment, and a text with a decorator
        T.evaluate(T.call_extern("int32", "@T.prim_func", 1))
        A[0] = T.float32(0)

    again = from_source(func.script())
    tvm.ir.assert_structural_equal(func, again)
    _assert_print(func, EXPECTED)
    _assert_print(textwrap.dedent(EXPECTED), r"\n @I.ir_module")


def test_docstring():
    """
    @T.prim_func
    def in_a_docstring():
        pass
    """

    @I.ir_module
    class Module:
        """What the module is for."""

        @T.prim_func
        def main(A: T.Buffer((4,), "float32")):
            """What the function is for."""
            A[0] = T.float32(0)

    Module.show(style="light", black_format=False)


def test_configured():
    @R.function
    def func(x: R.Tensor((2,), "float32")):
        y = R.add(
            x,  # the left side
            R.const(1, "float32"),  # the right side
        )
        return y

    print(func.script(show_meta=True, indent_spaces=2))
    for line in func.script().splitlines():
        _assert_print(line or " ", None)


def test_unicode():
    @T.prim_func
    def größe(A: T.Buffer((4,), "float32"), π: T.float32):
        T.func_attr({"text": "naïve — \"quoted\" \\ \n ünïcode ✓"})
        A[0] = π

    assert größe


@T.prim_func
def continuation(
    A: T.Buffer((4,), "float32"),
    B: T.Buffer(
        (4,), "float32"
    ),
) -> None:
    for i in \
            range(4):
        B[
            i
        ] = (
            A[i]
            + T.float32(1)
        )
    A[0] = T.float32(0); A[1] = T.float32(1)
