"""Functions that the builder of TVM makes, without decorators."""
from tvm.script import tir
from tvm.script.ir_builder import IRBuilder
from tvm.script.ir_builder import tir as T


def decorated(n):
    """The function to compare with."""

    @tir.prim_func
    def main(A: tir.Buffer((n,), "float32")):
        for i in range(n):
            A[i] = tir.float32(0)

    return main


by_decorator = decorated(16)

with IRBuilder() as ib:
    with T.prim_func():
        T.func_name("main")
        A = T.arg("A", T.Buffer((16,), "float32"))
        with T.serial(0, 16) as i:
            T.buffer_store(A, T.float32(0), [i])
by_builder = ib.get()


def build(n, *operations):
    with IRBuilder() as builder:
        with T.prim_func():
            T.func_name("chain")
            X = T.arg("X", T.Buffer((n,), "float32"))
            Y = T.arg("Y", T.Buffer((n,), "float32"))
            for operation in operations:
                with T.parallel(0, n) as i:
                    T.buffer_store(Y, operation(X[i]), [i])
    return builder.get()


built_one = build(8, T.exp)
built_three = build(4, T.sin, T.cos, lambda x: x * T.float32(2))


def matmul(n, m, k, dtype="float32"):
    with IRBuilder() as builder:
        with T.prim_func():
            T.func_name("matmul")
            T.func_attr({"tir.noalias": True})
            A = T.arg("A", T.Buffer((n, k), dtype))
            B = T.arg("B", T.Buffer((k, m), dtype))
            C = T.arg("C", T.Buffer((n, m), dtype))
            with T.grid(n, m, k) as (i, j, r):
                with T.block("C"):
                    vi = IRBuilder.name("vi", T.axis.spatial(n, i))
                    vj = IRBuilder.name("vj", T.axis.spatial(m, j))
                    vr = IRBuilder.name("vr", T.axis.reduce(k, r))
                    T.reads(A[vi, vr], B[vr, vj])
                    T.writes(C[vi, vj])
                    with T.init():
                        T.buffer_store(C, T.Cast(dtype, 0), [vi, vj])
                    T.buffer_store(C, C[vi, vj] + A[vi, vr] * B[vr, vj], [vi, vj])
    return builder.get()


matmuls = {f"{n}x{n}": matmul(n, n, n) for n in (4, 8)}
matmul_half = matmul(2, 3, 4, "float16")


def branches(n):
    with IRBuilder() as builder:
        with T.prim_func():
            T.func_name("branches")
            A = T.arg("A", T.Buffer((n,), "int32"))
            with T.serial(0, n) as i:
                with T.If(i < n // 2):
                    with T.Then():
                        T.buffer_store(A, 1, [i])
                    with T.Else():
                        T.buffer_store(A, 2, [i])
    return builder.get()


branches_8 = branches(8)
