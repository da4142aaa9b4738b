# Loops of every kind, in pairs.
import tvm
import tvm.testing
from tvm.script import ir as I
from tvm.script import tir as T

simple_target = tvm.target.Target("c")
LANES = 4


@tvm.testing.parametrize_targets("c", {"kind": "c", "mcpu": "generic"})
def test_loop(target):
    @I.ir_module
    class Before:
        @T.prim_func
        def main(A: T.Buffer((16,), "float32")):
            for j in T.vectorized(0, LANES):
                A[j] = T.float32(1)

    @I.ir_module
    class After:
        @T.prim_func
        def main(A: T.Buffer((16,), "float32")):
            A[T.Ramp(0, 1, LANES)] = T.Broadcast(T.float32(1), LANES)

    mod = tvm.tir.transform.VectorizeLoop()(Before)
    tvm.ir.assert_structural_equal(mod, After)


def test_condition():
    @T.prim_func
    def before(A: T.Buffer((16,), "float32"), n: T.int32):
        for i in T.vectorized(4):
            if i < n:
                A[i] = A[i] + T.float32(1)

    @T.prim_func
    def after(A: T.Buffer((16,), "float32"), n: T.int32):
        for i_s in range(4):
            if i_s < n:
                A[i_s] = A[i_s] + T.float32(1)

    assert before and after


def test_nested_kinds():
    @T.prim_func
    def kinds(A: T.Buffer((2, 2, 2, 2, 2), "int32")):
        for a in T.serial(2):
            for b in T.parallel(2):
                for c in T.unroll(2):
                    for d in T.vectorized(2):
                        for e in T.thread_binding(2, thread="threadIdx.x"):
                            A[a, b, c, d, e] = 0

    @T.prim_func
    def bounds(A: T.Buffer((16,), "int32"), n: T.int32):
        for i in T.serial(2, 8):
            A[i] = i
        for i in T.serial(n, n + 4):
            A[i] = i
        for i in T.unroll(n - n, 4, annotations={"pragma": 1}):
            A[i] = i
        for i in range(3, 9):
            A[i] = i

    @T.prim_func
    def triangular(A: T.Buffer((8, 8), "int32")):
        for i in range(8):
            for j in range(i, 8):
                if i == j:
                    continue_marker: T.int32 = 0
                    A[i, j] = continue_marker
                else:
                    A[i, j] = j - i

    @T.prim_func
    def thirty_two_and_sixty_four(A: T.Buffer((16,), "int64")):
        for i in T.serial(T.int64(16)):
            A[i] = i
        for i in T.serial(16):
            A[i] = T.Cast("int64", i)
        for i, j in T.grid(T.int64(4), 4):
            A[i * T.int64(4) + T.Cast("int64", j)] = T.int64(0)

    assert kinds and bounds and triangular and thirty_two_and_sixty_four


class TestPragma:
    factor = 4

    @T.prim_func
    def explicit(A: T.Buffer((16,), "float32")):
        with T.attr(0, "pragma_auto_unroll_max_step", 16):
            for i in range(16):
                A[i] = T.float32(0)

    def test(self):
        with tvm.transform.PassContext(config={"tir.UnrollLoop": {"auto_max_step": self.factor}}):
            tvm.tir.transform.UnrollLoop()(tvm.IRModule({"f": self.explicit}))
