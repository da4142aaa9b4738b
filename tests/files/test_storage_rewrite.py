# Storage: allocations that share memory, alias tests, one-line functions.
import sys

import pytest
import tvm
import tvm.testing
from tvm.driver.build_module import schedule_to_module as _missing  # noqa: an import that may not exist
from tvm.script import tir as T


def register_mem(scope, max_bits):
    @tvm.register_func("files.info.mem.%s" % scope, override=True)
    def mem_info_inp_buffer():
        return tvm.ir.make_node("MemoryInfo", unit_bits=16, max_simd_bits=32, max_num_bits=max_bits, head_address=None)


@T.prim_func
def alloc_sequence(n: T.int32):
    for i in T.serial(n):
        for j in range(10):
            A_data = T.allocate([200], "float32", "local")
            A = T.Buffer([200], data=A_data, scope="local")
            A[j] = T.float32(1.2)
        for j in range(10):
            B_data = T.allocate([200], "float32", "local")
            B = T.Buffer([200], data=B_data, scope="local")
            B[j] = T.float32(1.3)


@T.prim_func
def alloc_types():
    for dtype_index in T.serial(2):
        A_data = T.allocate([100], "float16", "local")
        B_data = T.allocate([100], "float32", "local")
        A = T.decl_buffer([100], "float16", data=A_data, scope="local")
        B = T.decl_buffer([100], "float32", data=B_data, scope="local")
        A[0] = T.float16(0)
        B[0] = T.Cast("float32", A[0]) + T.Cast("float32", dtype_index)


@T.prim_func
def in_parallel(n: T.int32):
    for i in T.parallel(n):
        for j in range(10):
            A_data = T.allocate([n], "float32", "global")
            A = T.Buffer([n], data=A_data)
            A[j] = A[j] + T.float32(2)


def test_rewrite():
    mod = tvm.IRModule.from_expr(alloc_sequence.with_attr("global_symbol", "main"))
    body = tvm.tir.transform.StorageRewrite()(mod)["main"].body
    assert body is not None
    with pytest.raises(AttributeError):
        body.no_field


def test_inplace():
    @T.prim_func
    def inplace(n: T.int32):
        A_data = T.allocate([64], "float32", "global")
        A = T.decl_buffer([64], data=A_data)
        B_data = T.allocate([64], "float32", "global")
        B = T.decl_buffer([64], data=B_data)
        for i in range(64):
            A[i] = T.Cast("float32", n)
        for i in range(64):
            B[i] = A[i] + T.float32(1)

    @T.prim_func
    def expected(n: T.int32):
        A_data = T.allocate([64], "float32", "global")
        A = T.decl_buffer([64], data=A_data)
        B = T.decl_buffer([64], data=A_data)
        for i in range(64):
            A[i] = T.Cast("float32", n)
        for i in range(64):
            B[i] = A[i] + T.float32(1)

    assert inplace and expected


if __name__ == "__main__":
    sys.exit(pytest.main([__file__] + sys.argv[1:]))
