# Scripts in dictionaries, lists and tuples of the module level; tests that loop over them.
import itertools
from collections import OrderedDict

import pytest
import tvm
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@T.prim_func
def add_one(A: T.Buffer((8,), "int32")):
    for i in range(8):
        A[i] = A[i] + 1


@T.prim_func
def add_two(A: T.Buffer((8,), "int32")):
    for i in range(8):
        A[i] = A[i] + 2


@I.ir_module
class Identity:
    @R.function
    def main(x: R.Tensor((8,), "int32")):
        return x


@I.ir_module
class Twice:
    @R.function
    def main(x: R.Tensor((8,), "int32")):
        y = R.add(x, x)
        return y


FUNCTIONS = {"one": add_one, "two": add_two}
MODULES = [Identity, Twice]
PAIRS = list(itertools.product(FUNCTIONS.values(), MODULES))
ORDERED = OrderedDict(sorted(FUNCTIONS.items(), reverse=True))
BY_ATTR = {f.attrs["global_symbol"]: f for f in FUNCTIONS.values()}
(first, second), (_, fourth) = MODULES, PAIRS[0]
alias = add_one
add_one_again: tvm.tir.PrimFunc = add_one


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("mod", MODULES, ids=["identity", "twice"])
def test_pairs(name, mod):
    merged = tvm.IRModule({name: FUNCTIONS[name]})
    assert len(merged.functions) == 1


@pytest.mark.parametrize("func", [add_one, add_two])
def test_functions(func):
    @T.prim_func
    def reference(A: T.Buffer((8,), "int32")):
        for i in range(8):
            A[i] = A[i] + 3

    assert not tvm.ir.structural_equal(func, reference)


def test_returned_tuple():
    def pair():
        @T.prim_func
        def left(A: T.Buffer((8,), "int32")):
            A[0] = 0

        @T.prim_func
        def right(A: T.Buffer((8,), "int32")):
            A[7] = 7

        return left, right

    left, right = pair()
    assert left is not right
