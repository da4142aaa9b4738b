# PrimFuncs that call each other, private and public, in modules and across.
import tvm
from tvm.script import ir as I, tir as T


@I.ir_module
class Calls:
    @T.prim_func
    def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        Calls.copy(A.data, B.data, 4)
        if A[0] > T.float32(0):
            Calls.scale(B.data, T.float32(2))
        for i in range(4):
            B[i] = B[i] + Calls.twice(T.float32(1))

    @T.prim_func(private=True)
    def copy(a: T.handle("float32"), b: T.handle("float32"), n: T.int32):
        A = T.decl_buffer((4,), data=a)
        B = T.decl_buffer((4,), data=b)
        for i in range(n):
            B[i] = A[i]

    @T.prim_func(private=True)
    def scale(b: T.handle("float32"), factor: T.float32):
        B = T.decl_buffer((4,), data=b)
        for i in range(4):
            B[i] = B[i] * factor

    @T.prim_func(private=True)
    def twice(x: T.float32) -> T.float32:
        return x + x


@I.ir_module
class Recursive:
    @T.prim_func
    def even(n: T.int32) -> T.int32:
        if n == 0:
            return 1
        return Recursive.odd(n - 1)

    @T.prim_func
    def odd(n: T.int32) -> T.int32:
        if n == 0:
            return 0
        return Recursive.even(n - 1)


def test_results():
    @T.prim_func
    def value(x: T.int64) -> T.int64:
        return x * T.int64(2)

    @T.prim_func
    def returns_early(x: T.int32, A: T.Buffer((1,), "int32")) -> T.int32:
        if x < 0:
            return -1
        A[0] = x
        return 0

    assert value and returns_early


def test_externs():
    @T.prim_func
    def pointers(A: T.Buffer((16,), "float32")):
        T.call_extern("int32", "memset", A.data, 0, 64)
        T.call_extern("int32", "memcpy", T.address_of(A[0]), T.address_of(A[8]), 32)
        T.evaluate(T.tvm_struct_get(A.data, 0, 1, dtype="handle"))

    @T.prim_func
    def packed(A: T.Buffer((16,), "float32")):
        T.evaluate(T.call_packed("files.packed", A.data, "text", 1, T.float32(2)))
        T.evaluate(T.call_cpacked("files.cpacked", A.data, 1))
        x: T.int32 = T.call_packed("files.value", 3)
        A[x] = T.float32(0)

    @I.ir_module
    class Linked:
        I.module_attrs({"runtime": None, "system_lib_prefix": "abc"})

        @T.prim_func
        def entry(p: T.handle("int32")):
            T.func_attr({"calling_conv": 1, "global_symbol": "abc_entry"})
            A = T.decl_buffer((1,), "int32", data=p)
            A[0] = 42

    tvm.IRModule({"pointers": pointers, "packed": packed}).update(Linked)
