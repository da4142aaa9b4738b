# Loop partition and hoisting: functions that compare modules.
import functools

import tvm
import tvm.testing
from tvm import te, tir
from tvm.ir.module import IRModule
from tvm.script import tir as T


def collect_visit(stmt, f):
    ret = []
    tir.stmt_functor.post_order_visit(stmt, lambda x: ret.append(f(x)))
    return ret


def with_config(**config):
    def decorate(test):
        @functools.wraps(test)
        def inner(*args, **kwargs):
            with tvm.transform.PassContext(config={"tir.LoopPartition": config}):
                return test(*args, **kwargs)

        return inner

    return decorate


@T.prim_func
def partitioned_concat(a: T.handle, b: T.handle, c: T.handle) -> None:
    T.func_attr({"from_legacy_te_schedule": True, "global_symbol": "main", "tir.noalias": True})
    A = T.match_buffer(a, [16], dtype="float32")
    B = T.match_buffer(b, [16], dtype="float32")
    C = T.match_buffer(c, [32], dtype="float32")
    for i in T.serial(0, 16):
        C[i] = A[i]
    for i in T.serial(0, 16):
        C[i + 16] = B[i]


@with_config(partition_const_loop=True)
def test_concat():
    @T.prim_func
    def concat(a: T.handle, b: T.handle, c: T.handle) -> None:
        T.func_attr({"from_legacy_te_schedule": True, "global_symbol": "main", "tir.noalias": True})
        A = T.match_buffer(a, [16], dtype="float32")
        B = T.match_buffer(b, [16], dtype="float32")
        C = T.match_buffer(c, [32], dtype="float32")
        for i in T.serial(0, 32):
            if i < 16:
                C[i] = A[i]
            else:
                C[i] = B[i - 16]

    mod = tir.transform.LoopPartition()(IRModule.from_expr(concat))
    mod = tir.transform.Simplify()(mod)
    assert not any(collect_visit(mod["main"].body, lambda x: isinstance(x, tir.IfThenElse)))


@with_config(partition_const_loop=True, no_unroll_loop_with_extent_one=True)
def test_hint():
    @T.prim_func
    def hinted(A: T.Buffer((160,), "int32"), B: T.Buffer((160,), "int32")):
        for i in T.serial(160, annotations={"pragma_loop_partition_hint": True}):
            if i < 10:
                B[i] = A[i] + 10
            if T.likely(i >= 150):
                B[i] = A[i] + 20

    @T.prim_func
    def expected(A: T.Buffer((160,), "int32"), B: T.Buffer((160,), "int32")):
        for i in range(10):
            B[i] = A[i] + 10
        for i in range(140):
            T.evaluate(0)
        for i in range(10):
            B[i + 150] = A[i + 150] + 20

    assert hinted and expected


def test_hoist():
    @T.prim_func
    def before(A: T.Buffer((16,), "float32"), n: T.int32):
        for i in T.serial(16):
            if n > 3:
                A[i] = T.float32(1)

    @T.prim_func
    def after(A: T.Buffer((16,), "float32"), n: T.int32):
        if n > 3:
            for i in T.serial(16):
                A[i] = T.float32(1)

    mod = tir.transform.HoistIfThenElse()(IRModule.from_expr(before))
    tvm.ir.assert_structural_equal(mod["before"], after.with_attr("global_symbol", "before"))
    assert te.size_var("n") is not None


def test_double_buffer():
    @T.prim_func
    def db(A: T.Buffer((64, 4), "float32"), C: T.Buffer((64, 4), "float32")):
        for i in range(64):
            B_data = T.allocate((4,), "float32", scope="shared")
            B = T.Buffer((4,), data=B_data, scope="shared")
            with T.attr(B_data, "double_buffer_scope", 1):
                for j in range(4):
                    B[j] = A[i, j]
            for j in range(4):
                C[i, j] = B[j] + T.float32(1)

    assert db
