"""Modules from factories: TIR kernels and the Relax functions that call them."""
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


def network(n, m, dtype="float32", activation=True):
    @I.ir_module
    class Module:
        @T.prim_func
        def scale(A: T.Buffer((n, m), dtype), B: T.Buffer((n, m), dtype)):
            for i, j in T.grid(n, m):
                with T.block("scale"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    B[vi, vj] = A[vi, vj] * T.Cast(dtype, 2)

        @R.function
        def main(x: R.Tensor((n, m), dtype)) -> R.Tensor((n, m), dtype):
            cls = Module
            with R.dataflow():
                y = R.call_tir(cls.scale, (x,), out_sinfo=R.Tensor((n, m), dtype))
                z = R.nn.relu(y) if activation else y
                R.output(z)
            return z

    return Module


small = network(2, 3)
half = network(4, 4, dtype="float16")
no_activation = network(8, 1, activation=False)


def sized(names):
    """The names of attributes and their values come from outside."""

    @I.ir_module
    class Module:
        I.module_attrs({"names": names, "count": len(names)})

        @T.prim_func
        def first(A: T.Buffer((len(names),), "int32")):
            T.func_attr({"global_symbol": names[0]})
            for i in range(len(names)):
                A[i] = i

    return Module


attributes = sized(["one", "two", "three"])


def shared(helper):
    @I.ir_module
    class Module:
        @T.prim_func
        def left(A: T.Buffer((8,), "float32")):
            for i in range(8):
                A[i] = helper(A[i])

        @T.prim_func
        def right(A: T.Buffer((4, 4), "float32")):
            for i, j in T.grid(4, 4):
                A[i, j] = helper(helper(A[i, j]))

    return Module


shared_exp = shared(T.exp)
shared_lambda = shared(lambda x: x * x)


def calls(extent):
    @I.ir_module
    class Module:
        @T.prim_func(private=True)
        def inner(A: T.Buffer((extent,), "float32")):
            for i in range(extent):
                A[i] = T.float32(1)

        @T.prim_func
        def outer(A: T.Buffer((extent,), "float32")):
            Module.inner(A.data)

    return Module


calls_16 = calls(16)
variants = {f"n{n}": network(n, n) for n in (1, 16)}
