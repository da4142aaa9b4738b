# Modules with PrimFuncs and Relax functions that call them.
import tvm
from tvm import relax
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class AddMul:
    @T.prim_func(private=True)
    def add(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": True})
        for i in range(4):
            with T.block("add"):
                vi = T.axis.spatial(4, i)
                C[vi] = A[vi] + B[vi]

    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = AddMul
        with R.dataflow():
            lv = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((4,), "float32"))
            lv1 = R.multiply(lv, y)
            R.output(lv1)
        return lv1


@I.ir_module
class Symbolic:
    @T.prim_func
    def double(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            with T.block("double"):
                vi = T.axis.spatial(n, i)
                B[vi] = A[vi] * T.float32(2)

    @R.function
    def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        out = R.call_tir(Symbolic.double, (x,), out_sinfo=R.Tensor((n,), dtype="float32"))
        return out


@I.ir_module
class Subroutine:
    @R.function(private=True)
    def helper(x: R.Tensor((2, 2), "float32")) -> R.Tensor((2, 2), "float32"):
        return R.exp(x)

    @R.function
    def main(x: R.Tensor((2, 2), "float32")) -> R.Tensor((2, 2), "float32"):
        y = Subroutine.helper(x)
        z = Subroutine.helper(y)
        return z


@I.ir_module
class Attributed:
    I.module_attrs({"device_num": 2, "name": "attributed"})

    @R.function
    def main(x: R.Tensor((2,), "int32")):
        R.func_attr({"num_input": 1})
        return R.add(x, R.const(1, "int32"))


@I.ir_module
class Branches:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        if c:
            y = R.add(x, x)
            z = R.sqrt(y)
        else:
            y = R.multiply(x, x)
            z = R.exp(y)
        return z


@I.ir_module
class Packed:
    @R.function(pure=False)
    def main(x: R.Tensor((3, 4), "float32")):
        y = R.call_packed("vm.builtin.copy", x, sinfo_args=R.Tensor((3, 4), "float32"))
        _ = R.print(y, format="{}")
        z = R.call_pure_packed("my.pure", y, sinfo_args=[R.Tensor((3, 4), "float32")])
        return z


mod = relax.transform.LegalizeOps()(AddMul)
mod = tvm.transform.Sequential([relax.transform.FuseOps(), relax.transform.FuseTIR()])(mod)


def test_modules():
    for module in [AddMul, Symbolic, Subroutine, Attributed, Branches, Packed]:
        assert relax.analysis.well_formed(module)
