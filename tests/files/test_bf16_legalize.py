# Narrow floats: functions that return pairs of modules.
import tvm
import tvm.testing
from tvm.script import ir as I, tir as T


def get_before():
    @tvm.script.ir_module
    class Before:
        @T.prim_func
        def main(Aptr: T.handle("bfloat16", storage_scope="shared"), Bptr: T.handle("bfloat16", storage_scope="local")):
            T.func_attr({"global_symbol": "main"})
            A = T.decl_buffer((100,), "bfloat16", data=Aptr, scope="shared")
            B = T.decl_buffer((100,), "bfloat16", data=Bptr, scope="local")
            for i in T.grid(100):
                A[i] = B[i] + T.bfloat16(1)

    return Before


def cast(dtype, target):
    def u16(v):
        return T.reinterpret("uint16", v)

    @I.ir_module
    class Cast:
        @T.prim_func
        def main(A: T.Buffer((8,), dtype), B: T.Buffer((8,), target)):
            for i in range(8):
                B[i] = T.Cast(target, A[i])

    @I.ir_module
    class Bits:
        @T.prim_func
        def main(A: T.Buffer((8,), "bfloat16"), B: T.Buffer((8,), "uint16")):
            for i in range(8):
                B[i] = u16(A[i])

    return Cast, Bits


def test_legalize():
    before = get_before()
    after = tvm.tir.transform.BF16ComputeLegalize()(before)
    assert after is not None


def test_casts():
    for source, target in [("float8_e4m3fn", "float16"), ("bfloat16", "float32")]:
        for mod in cast(source, target):
            print(mod)


class TestCompute:
    @I.ir_module
    class before:
        @T.prim_func
        def main(A: T.Buffer((8,), "float8_e5m2"), B: T.Buffer((8,), "float8_e5m2")):
            for i in range(8):
                B[i] = T.exp(A[i]) + A[i]

    @I.ir_module
    class storage:
        @T.prim_func
        def main(A: T.Buffer((8,), "uint8"), B: T.Buffer((8,), "uint8")):
            for i in range(8):
                B[i] = T.Cast("uint8", T.shift_right(T.Cast("uint16", A[i]), T.uint16(8)))
