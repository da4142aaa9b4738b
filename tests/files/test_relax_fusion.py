# Fused functions, composite patterns and what a pass makes of them, as test classes.
import pytest
import tvm
import tvm.testing
from tvm import relax
from tvm.relax.dpl import is_op, wildcard
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T

PATTERNS = [("files.add_relu", is_op("relax.nn.relu")(is_op("relax.add")(wildcard(), wildcard())))]


def _fuse(mod):
    return relax.transform.FuseOpsByPattern(PATTERNS)(mod)


@tvm.script.ir_module
class AddRelu:
    @R.function
    def main(x: R.Tensor((2, 8), "float32"), y: R.Tensor((2, 8), "float32")):
        with R.dataflow():
            lv = R.add(x, y)
            gv = R.nn.relu(lv)
            R.output(gv)
        return gv


@tvm.script.ir_module
class AddReluFused:
    @R.function(private=True)
    def fused_relax_add_relax_nn_relu(
        x: R.Tensor((2, 8), "float32"), y: R.Tensor((2, 8), "float32")
    ) -> R.Tensor((2, 8), "float32"):
        R.func_attr({"Composite": "files.add_relu", "Primitive": True})
        with R.dataflow():
            lv = R.add(x, y)
            gv = R.nn.relu(lv)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((2, 8), "float32"), y: R.Tensor((2, 8), "float32")) -> R.Tensor((2, 8), "float32"):
        cls = AddReluFused
        with R.dataflow():
            gv: R.Tensor((2, 8), "float32") = cls.fused_relax_add_relax_nn_relu(x, y)
            R.output(gv)
        return gv


@pytest.mark.parametrize("before, after", [(AddRelu, AddReluFused)])
def test_pattern(before, after):
    tvm.ir.assert_structural_equal(_fuse(before), after)


def test_fuse_tir():
    @I.ir_module
    class Fused:
        @T.prim_func(private=True)
        def add(x: T.Buffer((T.int64(4),), "float32"), y: T.Buffer((T.int64(4),), "float32")):
            T.func_attr({"op_pattern": 0})
            for i in range(T.int64(4)):
                with T.block("add"):
                    v = T.axis.spatial(T.int64(4), i)
                    y[v] = x[v] + T.float32(1)

        @T.prim_func(private=True)
        def exp(x: T.Buffer((T.int64(4),), "float32"), y: T.Buffer((T.int64(4),), "float32")):
            T.func_attr({"op_pattern": 0})
            for i in range(T.int64(4)):
                with T.block("exp"):
                    v = T.axis.spatial(T.int64(4), i)
                    y[v] = T.exp(x[v])

        @R.function(private=True)
        def fused(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            R.func_attr({"Primitive": True})
            cls = Fused
            with R.dataflow():
                lv = R.call_tir(cls.add, (x,), out_sinfo=R.Tensor((4,), "float32"))
                gv = R.call_tir(cls.exp, (lv,), out_sinfo=R.Tensor((4,), "float32"))
                R.output(gv)
            return gv

        @R.function
        def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            cls = Fused
            gv = cls.fused(x)
            return gv

    relax.transform.FuseTIR()(Fused)


def test_tuple_outputs():
    @I.ir_module
    class Module:
        @T.prim_func
        def both(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "int32")):
            for i in range(4):
                with T.block("both"):
                    v = T.axis.spatial(4, i)
                    B[v] = A[v]
                    C[v] = T.Cast("int32", A[v])

        @R.function
        def main(x: R.Tensor((4,), "float32")):
            cls = Module
            with R.dataflow():
                pair = R.call_tir(
                    cls.both, x, out_sinfo=[R.Tensor((4,), "float32"), R.Tensor((4,), "int32")]
                )
                second = pair[1]
                R.output(second)
            return second

    assert Module


def test_inplace():
    @I.ir_module
    class Inplace:
        @T.prim_func
        def increment(A: T.Buffer((4,), "int32")):
            for i in range(4):
                with T.block("inc"):
                    v = T.axis.spatial(4, i)
                    A[v] = A[v] + 1

        @R.function
        def main(x: R.Tensor((4,), "int32")) -> R.Tensor((4,), "int32"):
            cls = Inplace
            y = R.call_tir_inplace(cls.increment, (x,), inplace_indices=0, out_sinfo=R.Tensor((4,), "int32"))
            return y

    assert Inplace
