# Names of LLVM's intrinsics, which TVM turns into numbers when it is built with LLVM.
import pytest
import tvm
from tvm.script import tir as T

llvm = pytest.mark.skipif(not tvm.runtime.enabled("llvm"), reason="needs LLVM")


@T.prim_func
def plain_desc(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
    for i in range(4):
        B[i] = T.popcount(A[i])


@T.prim_func
def pure_extern(A: T.Buffer((4,), "float32")):
    A[0] = T.call_pure_extern("float32", "sqrtf", A[1])
    A[1] = T.call_extern("float32", "fabsf", A[0])
    A[2] = T.sqrt(A[1])


@llvm
def test_popcount():
    @T.prim_func
    def ctpop(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
        for i in range(4):
            B[i] = T.popcount(A[i]) + T.call_pure_extern("int32", "__builtin_clz", A[i])

    tvm.compile(ctpop, target="llvm")


def test_widening():
    @T.prim_func
    def widen(A: T.Buffer((16,), "int8"), C: T.Buffer((4,), "int32")):
        A_vec = A.vload([0], "int8x16")
        low = T.vectorlow("int8x8", A_vec)
        high = T.vectorhigh("int8x8", A_vec)
        C[0] = T.Cast("int32", T.Shuffle([low], [0])) + T.Cast("int32", T.Shuffle([high], [0]))
        both = T.vectorcombine("int8x16", low, high)
        C[T.Ramp(0, 1, 4)] = T.reinterpret("int32x4", both)

    @T.prim_func
    def stores(A: T.Buffer((16,), "int32")):
        T.evaluate(T.call_extern("void", "prefetch", A.access_ptr("r", extent=8)))
        A[T.Ramp(0, 1, 4)] = T.Broadcast(1, 4)

    assert widen and stores
