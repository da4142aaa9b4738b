# pytest fixtures that give scripts, and tests that take them.
import pytest
import tvm
from tvm.script import relax as R
from tvm.script import tir as T


@pytest.fixture
def matmul():
    @T.prim_func
    def func(
        A: T.Buffer((64, 32), "float32"),
        B: T.Buffer((32, 16), "float32"),
        C: T.Buffer((64, 16), "float32"),
    ):
        for i, j, k in T.grid(64, 16, 32):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    return func


@pytest.fixture(params=["int8", "uint8"])
def narrow(request):
    dtype = request.param

    @T.prim_func
    def func(A: T.Buffer((16,), dtype), B: T.Buffer((16,), "int32")):
        for i in range(16):
            B[i] = T.Cast("int32", A[i])

    return func


@pytest.fixture(scope="module")
def relax_identity():
    @R.function
    def func(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        return x

    return func


def test_schedule(matmul):
    sch = tvm.tir.Schedule(matmul)
    block = sch.get_block("C")
    i, j, k = sch.get_loops(block)
    sch.split(i, [None, 8])
    sch.reorder(j, k)

    @T.prim_func
    def unrelated(A: T.Buffer((1,), "float32")):
        A[0] = T.float32(3)

    assert unrelated.attrs["global_symbol"] == "unrelated"


def test_narrow(narrow):
    assert "int32" in narrow.script()


def test_identity(relax_identity, matmul):
    mod = tvm.IRModule({"main": relax_identity, "matmul": matmul})
    mod.show()
