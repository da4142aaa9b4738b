# Branches, recursion, effects and assertions in Relax.
import pytest
import tvm
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Recursion:
    @R.function
    def countdown(x: R.Tensor((), "int32")) -> R.Tensor((), "int32"):
        cond = R.less(x, R.const(1, "int32"))
        if cond:
            ret = x
        else:
            next_x = R.subtract(x, R.const(1, "int32"))
            ret = Recursion.countdown(next_x)
        return ret

    @R.function
    def main(x: R.Tensor((), "int32")) -> R.Tensor((), "int32"):
        y = Recursion.countdown(x)
        return y


@I.ir_module
class Mutual:
    @R.function
    def even(x: R.Tensor((), "int32")) -> R.Tensor((), "bool"):
        c = R.equal(x, R.const(0, "int32"))
        if c:
            r: R.Tensor((), "bool") = R.const(True, "bool")
        else:
            r: R.Tensor((), "bool") = Mutual.odd(R.subtract(x, R.const(1, "int32")))
        return r

    @R.function
    def odd(x: R.Tensor((), "int32")) -> R.Tensor((), "bool"):
        c = R.equal(x, R.const(0, "int32"))
        if c:
            r: R.Tensor((), "bool") = R.const(False, "bool")
        else:
            r: R.Tensor((), "bool") = Mutual.even(R.subtract(x, R.const(1, "int32")))
        return r


def test_nested_if():
    @R.function
    def nested(a: R.Tensor((), "bool"), b: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")):
        if a:
            if b:
                y = R.add(x, x)
            else:
                y = R.multiply(x, x)
            z = R.exp(y)
        else:
            z = R.negative(x)
        return z

    @R.function
    def dataflow_and_if(a: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")):
        with R.dataflow():
            y = R.add(x, x)
            R.output(y)
        if a:
            z = R.sin(y)
        else:
            z = R.cos(y)
        with R.dataflow():
            w = R.add(z, y)
            R.output(w)
        return w

    assert nested and dataflow_and_if


@pytest.mark.parametrize("pure", [True, False])
def test_effects(pure):
    @R.function(pure=False)
    def effects(x: R.Tensor((2,), "float32"), c: R.Tensor((), "bool")):
        _ = R.print(x, R.prim_value(1), R.str("x"), format="{} {} {}")
        _1 = R.assert_op(c, x, format="failed: {}")
        return x

    @R.function(pure=False)
    def prim_condition(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        _ = R.assert_op(R.prim_value(n > 4), format="too small")
        return x

    @R.function
    def pure_packed(x: R.Tensor((2,), "float32")):
        y = R.call_pure_packed("files.f", x, sinfo_args=(R.Tensor((2,), "float32"),))
        return y

    assert effects and prim_condition and pure_packed and pure is not None


def test_inner_functions():
    @R.function
    def higher_order(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        @R.function
        def twice(y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
            @R.function
            def once(z: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
                w = R.add(z, R.const(1.0, "float32"))
                return w

            a = once(y)
            b = once(a)
            return b

        c = twice(x)
        return c

    tvm.IRModule.from_expr(higher_order).show()
