# Plain test functions, a script before and a script after a pass.
import tvm
import tvm.testing
from tvm import tir
from tvm.script import tir as T


def _check(before, expected, transform):
    mod = transform(tvm.IRModule.from_expr(before.with_attr("global_symbol", "main")))
    tvm.ir.assert_structural_equal(mod["main"], expected.with_attr("global_symbol", "main"))


def test_constant_condition():
    @T.prim_func
    def before(A: T.Buffer((16,), "int32")):
        for i in range(16):
            if i < 16:
                A[i] = 1
            else:
                A[i] = 2

    @T.prim_func
    def expected(A: T.Buffer((16,), "int32")):
        for i in range(16):
            A[i] = 1

    _check(before, expected, tir.transform.Simplify())


def test_dead_store_stays():
    @T.prim_func
    def before(A: T.Buffer((8,), "float32")):
        A[0] = 0.0
        A[0] = 1.0

    _check(before, before, tir.transform.Simplify())


def test_unroll_small_loop():
    @T.prim_func
    def before(A: T.Buffer((4,), "int64")):
        for i in T.unroll(4):
            A[i] = T.int64(2) * T.Cast("int64", i)

    @T.prim_func
    def expected(A: T.Buffer((4,), "int64")):
        A[0] = T.int64(0)
        A[1] = T.int64(2)
        A[2] = T.int64(4)
        A[3] = T.int64(6)

    after = tir.transform.UnrollLoop()(tvm.IRModule.from_expr(before))
    after = tir.transform.Simplify()(after)
    assert after["before"].body is not None
    assert expected.params[0].dtype == "handle"


def test_vector_store():
    @T.prim_func
    def before(A: T.Buffer((32,), "float16")):
        for i in T.vectorized(32):
            A[i] = T.float16(1)

    @T.prim_func
    def expected(A: T.Buffer((32,), "float16")):
        A[0:32] = T.Broadcast(T.float16(1), 32)

    after = tir.transform.VectorizeLoop()(tvm.IRModule.from_expr(before))
    print(after.script())
    assert "Broadcast" in str(expected)


if __name__ == "__main__":
    tvm.testing.main()
