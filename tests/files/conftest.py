# Shared fixtures, as pytest finds them.
import pytest
import tvm
from tvm.script import relax as R
from tvm.script import tir as T


def pytest_configure(config):
    config.addinivalue_line("markers", "gpu: needs a device")


@pytest.fixture(scope="session", autouse=True)
def seed():
    yield 42


@pytest.fixture(scope="session")
def copy_kernel():
    @T.prim_func
    def copy(A: T.Buffer((16,), "uint8"), B: T.Buffer((16,), "uint8")):
        for i in T.vectorized(16):
            B[i] = A[i]

    yield copy
    del copy


@pytest.fixture
def mixed_module(copy_kernel):
    @R.function
    def main(x: R.Tensor((16,), "uint8")):
        y = R.add(x, x)
        return y

    return tvm.IRModule({"main": main, "copy": copy_kernel})


@pytest.fixture(params=[1, 2], ids=str)
def filled(request):
    count = request.param

    @T.prim_func
    def fill(A: T.Buffer((count,), "uint8")):
        A[count - 1] = T.uint8(1)

    return fill


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.name)


@T.prim_func
def shared_by_all(A: T.Buffer((1,), "uint8")):
    A[0] = T.uint8(0)
