# The style of older suites: # type comments, `tir` and `relax` spelt out, `main` functions of modules, extra blank lines.
import tvm
from tvm import tir
from tvm.script import relax, tir as Tir, ir as Ir
from tvm.script.parser.tir import prim_func as pf


@Tir.prim_func
def full_names(a: Tir.handle, b: Tir.handle) -> None:
    A = Tir.match_buffer(a, [16], dtype="float32")
    B = Tir.match_buffer(b, [16], dtype="float32", elem_offset=0, align=64, offset_factor=1)
    # body
    # with T.block("root")
    for i in Tir.serial(0, 16):
        with Tir.block("B"):
            vi = Tir.axis.spatial(16, i)
            Tir.reads([A[vi]])
            Tir.writes([B[vi]])
            B[vi] = A[vi] * Tir.float32(2)


@Ir.ir_module
class FullNames:
    @Tir.prim_func
    def main(a: Tir.handle):
        Tir.func_attr({"global_symbol": "main"})
        A = Tir.match_buffer(a, (16,))
        A[0] = Tir.float32(1)

    @relax.function
    def entry(x: relax.Tensor((16,), "float32")) -> relax.Tensor((16,), "float32"):
        y = relax.add(x, x)
        return y


def test_named_root():
    @Tir.prim_func
    def rooted(a: Tir.handle):
        A = Tir.match_buffer(a, (4, 4))
        with Tir.block("root"):
            Tir.reads([])
            Tir.writes([])
            B = Tir.alloc_buffer((4, 4))
            for i, j in Tir.grid(4, 4):
                with Tir.block("B"):
                    vi, vj = Tir.axis.remap("SS", [i, j])
                    B[vi, vj] = A[vi, vj]

    assert rooted


def test_separate_axes():
    @pf
    def axes(a: Tir.handle, c: Tir.handle):
        A = Tir.match_buffer(a, (8, 8, 8))
        C = Tir.match_buffer(c, (8, 8))
        for i0 in range(0, 8):
            for i1 in range(0, 8):
                for i2 in range(0, 8):
                    with Tir.block("C"):
                        Tir.block_attr({"annotated": 1})
                        i = Tir.axis.S(8, i0)
                        j = Tir.axis.S(8, i1)
                        k = Tir.axis.R(8, i2)
                        with Tir.init():
                            C[i, j] = Tir.float32(0.0)
                        C[i, j] = C[i, j] + A[i, j, k]

    assert isinstance(axes, tir.PrimFunc)


def make_module():  # type: () -> tvm.IRModule
    @Ir.ir_module
    class Made:
        @Tir.prim_func
        def main(A: Tir.Buffer((4,), "int32")):
            A[0] = 0

    return Made


MADE = make_module()  # type: tvm.IRModule
