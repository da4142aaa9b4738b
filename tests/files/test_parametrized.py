# Parameters that only the test needs, and parameters that the scripts need.
import pytest
import tvm
import tvm.testing
from tvm.script import ir as I
from tvm.script import tir as T

SIZES = [4, 8]


@pytest.mark.parametrize("n", SIZES)
def test_copy(n):
    @T.prim_func
    def copy(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")):
        for i in range(n):
            with T.block("copy"):
                vi = T.axis.spatial(n, i)
                B[vi] = A[vi]

    sch = tvm.tir.Schedule(copy)
    (loop,) = sch.get_loops(sch.get_block("copy"))
    sch.vectorize(loop)


@pytest.mark.parametrize("dtype,lanes", [("float32", 4), ("int8", 16)])
def test_ramp(dtype, lanes):
    @T.prim_func
    def store(A: T.Buffer((64,), dtype)):
        A[T.Ramp(0, 1, lanes)] = T.Broadcast(T.Cast(dtype, 1), lanes)

    assert store.buffer_map[store.params[0]].dtype == dtype


@pytest.mark.parametrize("target", ["llvm", "cuda"])
@pytest.mark.parametrize("level", [0, 1, 2])
def test_ignores_parameters(target, level):
    @T.prim_func
    def fill(A: T.Buffer((128,), "float32")):
        for i in T.parallel(128):
            A[i] = T.float32(0)

    @T.prim_func
    def fill_twice(A: T.Buffer((128,), "float32")):
        for i in T.parallel(128):
            A[i] = T.float32(0)
        for i in T.parallel(128):
            A[i] = T.float32(1)

    @I.ir_module
    class Both:
        @T.prim_func
        def zero(A: T.Buffer((128,), "float32")):
            for i in T.parallel(128):
                A[i] = T.float32(0)

        @T.prim_func
        def one(A: T.Buffer((128,), "float32")):
            for i in T.parallel(128):
                A[i] = T.float32(1)

    with tvm.transform.PassContext(opt_level=level):
        mod = tvm.tir.transform.Simplify()(Both)
    assert len(mod.functions) == 2
    assert target in ("llvm", "cuda")
    assert not tvm.ir.structural_equal(fill, fill_twice)


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param((2, 3), id="small"),
        pytest.param((16, 16), marks=pytest.mark.skipif(False, reason="never")),
    ],
)
def test_shape(shape):
    rows, cols = shape

    @T.prim_func
    def transpose(A: T.Buffer((rows, cols), "int32"), B: T.Buffer((cols, rows), "int32")):
        for i, j in T.grid(rows, cols):
            B[j, i] = A[i, j]

    assert transpose is not None
