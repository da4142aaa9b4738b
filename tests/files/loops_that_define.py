# Loops, comprehensions and dictionaries of the module level that define scripts.
import tvm
from tvm.script import tir as T

KERNELS = {}
ALL = []

for _n in (1, 2, 4):

    @T.prim_func
    def fill(A: T.Buffer((_n,), "float32")):
        for i in range(_n):
            A[i] = T.float32(_n)

    KERNELS[_n] = fill


for index, dtype in enumerate(["int8", "int16", "int32"]):

    @T.prim_func
    def typed(A: T.Buffer((8,), dtype)):
        A[index] = T.Cast(dtype, index)

    ALL.append(typed)


def scaled(factor):
    @T.prim_func
    def scale(A: T.Buffer((8,), "float32")):
        for i in range(8):
            A[i] = A[i] * T.float32(factor)

    return scale


BY_FACTOR = {factor: scaled(factor) for factor in range(3)}
LIST = [scaled(f) for f in (0.5, 1.5)]
half, three_halves = LIST

step = 1
while step < 4:

    @T.prim_func
    def strided(A: T.Buffer((8,), "float32")):
        A[step] = T.float32(0)

    ALL.append(strided)
    step *= 2


@T.prim_func
def after_loops(A: T.Buffer((8,), "float32")):
    A[step] = T.float32(1)


def test_all():
    assert len(KERNELS) == 3
    assert len(ALL) == 5
    for key, value in KERNELS.items():
        assert isinstance(value, tvm.tir.PrimFunc), key

    for flag in [True, False]:

        @T.prim_func
        def flagged(A: T.Buffer((2,), "bool")):
            A[0] = T.bool(flag)

        assert flagged

    for k in range(2):

        @T.prim_func
        def constant(A: T.Buffer((2,), "bool")):
            A[0] = T.bool(False)

        assert constant, k
