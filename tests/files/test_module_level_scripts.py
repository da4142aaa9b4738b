# Scripts of the module level that several tests share.
import numpy as np
import tvm
import tvm.testing
from tvm import te, tir
from tvm.script import tir as T

rng = np.random.default_rng(0)
inputs = {"a": rng.random((128, 128)).astype("float32")}


@T.prim_func
def elementwise(a: T.handle, c: T.handle) -> None:
    A = T.match_buffer(a, (128, 128))
    B = T.alloc_buffer((128, 128))
    C = T.match_buffer(c, (128, 128))
    for i, j in T.grid(128, 128):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * 2.0
    for i, j in T.grid(128, 128):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + 1.0


@T.prim_func
def elementwise_inlined(a: T.handle, c: T.handle) -> None:
    A = T.match_buffer(a, (128, 128))
    C = T.match_buffer(c, (128, 128))
    for i, j in T.grid(128, 128):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi, vj] * 2.0 + 1.0


@T.prim_func
def elementwise_predicate(a: T.handle, c: T.handle) -> None:
    A = T.match_buffer(a, (128, 128))
    C = T.match_buffer(c, (128, 128))
    for i_0, i_1, j in T.grid(13, 10, 128):
        with T.block("C"):
            T.where(i_0 * 10 + i_1 < 128)
            vi = T.axis.spatial(128, i_0 * 10 + i_1)
            vj = T.axis.spatial(128, j)
            T.reads(A[vi, vj])
            T.writes(C[vi, vj])
            C[vi, vj] = A[vi, vj] + 1.0


@T.prim_func
def opaque_access(a: T.handle) -> None:
    A = T.match_buffer(a, (16, 16))
    for i in range(16):
        with T.block("opaque"):
            vi = T.axis.spatial(16, i)
            T.reads()
            T.writes(A[vi, 0:16])
            T.evaluate(
                T.call_extern(
                    "int32",
                    "fill_row",
                    T.tvm_access_ptr(T.type_annotation("float32"), A.data, vi * 16, 16, 2),
                )
            )


def test_inline():
    sch = tir.Schedule(elementwise, debug_mask="all")
    sch.compute_inline(sch.get_block("B"))
    expected = elementwise_inlined.with_attr("global_symbol", "elementwise")
    tvm.ir.assert_structural_equal(sch.mod["main"], expected)


def test_predicate():
    sch = tir.Schedule(elementwise_predicate)
    assert sch.get_block("C") is not None
    np.testing.assert_allclose(inputs["a"], inputs["a"])


def test_opaque():
    n = te.var("n")
    assert n.dtype == "int32"
    tir.Schedule(opaque_access).get_block("opaque")


if __name__ == "__main__":
    tvm.testing.main()
