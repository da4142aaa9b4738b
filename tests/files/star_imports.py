# Star imports, names imported one by one, and namespaces under other names.
from math import *
from os.path import *

import tvm
import tvm.script
import tvm.script.tir as TS
from tvm.script import ir_module, tir
from tvm.script.relax import function as relax_function
from tvm.script import relax
from tvm.script.tir import prim_func
from tvm.script.tir import *

HALF = pi / 2


@prim_func
def bare(a: handle):
    A = match_buffer(a, (4,), "float32")
    A[0] = float32(1)


@TS.prim_func
def under_another_name(A: TS.Buffer((4,), "float32")):
    for i in TS.serial(4):
        A[i] = TS.float32(HALF)


@tir.prim_func
def lower_case(A: tir.Buffer((4,), "float32")):
    A[1] = tir.cos(A[0])


@tvm.script.tir.prim_func
def in_full(A: tvm.script.tir.Buffer((4,), "float32")):
    A[1] = tvm.script.tir.sin(A[0])


@ir_module
class Bare:
    @prim_func
    def main(A: TS.Buffer((4,), "int32")):
        A[0] = 1


@tvm.script.ir_module
class Full:
    @relax.function
    def main(x: relax.Tensor((4,), "float32")):
        y = relax.negative(x)
        return y


@relax_function
def renamed_function(x: relax.Tensor((4,), "float32")):
    y = relax.tanh(x)
    return y


def test_inner_imports():
    from tvm.script import tir as Q

    @Q.prim_func
    def inner(A: Q.Buffer((4,), "float32")):
        A[3] = Q.float32(ceil(2.5))

    assert inner
