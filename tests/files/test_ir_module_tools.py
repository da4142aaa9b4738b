# Tests that take modules apart: nothing but the scripts can be read here.
import pickle
from unittest import mock

import pytest
import tvm
import tvm.testing
from tvm import relax, rpc, tir
from tvm.contrib import utils
from tvm.ir.instrument import pass_instrument
from tvm.runtime import Object
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@pass_instrument
class Counter:
    def __init__(self):
        self.count = 0

    def run_before_pass(self, mod, info):
        self.count += 1


class Thing(Object):
    pass


@I.ir_module
class Module:
    @T.prim_func
    def tir_func(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("B"):
                v = T.axis.spatial(4, i)
                B[v] = A[v]

    @R.function
    def relax_func(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        y = R.call_tir(cls.tir_func, (x,), R.Tensor((4,), "float32"))
        return y


def test_instrument():
    counter = Counter()
    with tvm.transform.PassContext(instruments=[counter]):
        tir.transform.Simplify()(Module)
    assert counter.count


def test_json():
    text = tvm.ir.save_json(Module)
    tvm.ir.assert_structural_equal(tvm.ir.load_json(text), Module)
    with mock.patch.object(pickle, "dumps") as dumps:
        pickle.dumps(text)
        dumps.assert_called_once()

    @T.prim_func
    def stored(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(0)

    temp = utils.tempdir()
    with open(temp.relpath("stored.json"), "w") as stream:
        stream.write(tvm.ir.save_json(stored))


def test_update():
    mod = Module.clone() if hasattr(Module, "clone") else tvm.IRModule(Module.functions)

    @T.prim_func
    def extra(A: T.Buffer((4,), "float32")):
        A[3] = T.float32(0)

    mod["extra"] = extra
    mod.update_func(mod.get_global_var("extra"), extra.with_attr("tir.noalias", True))
    del mod["extra"]


def test_visitor():
    found = []

    @T.prim_func
    def visited(A: T.Buffer((4,), "float32")):
        for i in T.serial(4):
            A[i] = A[i] * T.float32(2)

    def fvisit(node):
        nonlocal found
        found.append(type(node).__name__)

    tir.stmt_functor.post_order_visit(visited.body, fvisit)
    assert "For" in found
    new = visited.with_body(tir.stmt_functor.substitute(visited.body, {visited.params[0]: visited.params[0]}))
    assert new.body is not None


def test_builder():
    bb = relax.BlockBuilder()
    x = relax.Var("x", R.Tensor((4,), "float32"))
    with bb.function("main", [x]):
        with bb.dataflow():
            lv = bb.emit(R.add(x, x))
            gv = bb.emit_output(lv)
        bb.emit_func_output(gv)
    built = bb.get()

    @I.ir_module
    class Expected:
        @R.function
        def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            with R.dataflow():
                lv = R.add(x, x)
                R.output(lv)
            return lv

    assert built["main"] and Expected["main"]


@pytest.mark.usefixtures("seed")
def test_rpc():
    @T.prim_func
    def remote(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(0)

    with pytest.raises(Exception):
        rpc.connect("127.0.0.1", 1).upload(remote)
