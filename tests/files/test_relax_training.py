# Gradients: functions with many tensors, tuples of results, shared helpers of the module level.
import numpy as np
import pytest
import tvm
from tvm import relax
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T

lr = 0.1
learning_rates = [lr * 2**k for k in range(3)]


def expected_gradient(x):
    return np.ones_like(x) * 2


@I.ir_module
class Loss:
    @R.function
    def main(x: R.Tensor((3, 3), "float32"), y: R.Tensor((3, 3), "float32")):
        with R.dataflow():
            lv = R.subtract(x, y)
            lv1 = R.multiply(lv, lv)
            gv = R.sum(lv1)
            R.output(gv)
        return gv


@I.ir_module
class CrossEntropy:
    @R.function
    def main(p: R.Tensor((3, 10), "float32"), t: R.Tensor((3,), "int64"), w: R.Tensor((10,), "float32")):
        with R.dataflow():
            lv = R.nn.log_softmax(p, axis=1)
            gv = R.nn.nll_loss(lv, t, w, reduction="mean", ignore_index=-100)
            R.output(gv)
        return gv


def sgd():
    @R.function
    def update(p: R.Tensor((3, 3), "float32"), g: R.Tensor((3, 3), "float32"), s: R.Tensor((), "int64")):
        with R.dataflow():
            n = R.add(s, R.const(1, "int64"))
            d = R.multiply(R.const(lr, "float32"), g)
            q = R.subtract(p, d)
            R.output(n, q)
        return (q, n)

    return update


def adam(beta=0.9):
    @R.function
    def moments(g: R.Tensor((3,), "float32"), m: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        with R.dataflow():
            a = R.multiply(R.const(beta, "float32"), m)
            b = R.multiply(R.const(1 - beta, "float32"), g)
            c = R.add(a, b)
            R.output(c)
        return c

    return moments


@pytest.mark.parametrize("rate", learning_rates)
def test_rates(rate):
    @R.function
    def step(p: R.Tensor((3,), "float32"), g: R.Tensor((3,), "float32")):
        q = R.subtract(p, R.multiply(g, R.const(rate, "float32")))
        return q

    assert step


def test_gradient():
    @I.ir_module
    class Expected:
        @R.function
        def main(x: R.Tensor((3, 3), "float32"), y: R.Tensor((3, 3), "float32")) -> R.Tensor((), "float32"):
            with R.dataflow():
                lv: R.Tensor((3, 3), "float32") = R.subtract(x, y)
                lv1: R.Tensor((3, 3), "float32") = R.multiply(lv, lv)
                gv: R.Tensor((), "float32") = R.sum(lv1, axis=None, keepdims=False)
                R.output(gv)
            return gv

    tvm.ir.assert_structural_equal(Loss["main"].body, Expected["main"].body, map_free_vars=True)


def test_optimizers():
    assert sgd() is not None and adam(0.5) is not None
    assert relax.analysis.well_formed(CrossEntropy)

    @T.prim_func
    def te_style(A: T.Buffer((T.int64(3), T.int64(3)), "float32"), B: T.Buffer((T.int64(3), T.int64(3)), "float32")):
        for ax0, ax1 in T.grid(T.int64(3), T.int64(3)):
            with T.block("T_multiply"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                B[v_ax0, v_ax1] = A[v_ax0, v_ax1] * T.float32(lr)

    assert te_style
