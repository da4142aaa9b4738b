# Decorators of a library around tests.
import pytest
import tvm
import tvm.testing
from tvm.script import ir as I
from tvm.script import tir as T

dev_name = tvm.testing.parameter("cuda", "rocm")


@tvm.testing.requires_cuda
def test_shared_memory():
    @T.prim_func
    def func(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        S = T.alloc_buffer((64,), scope="shared")
        for bx in T.thread_binding(2, thread="blockIdx.x"):
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                with T.block("load"):
                    vb, vt = T.axis.remap("SS", [bx, tx])
                    S[vb * 32 + vt] = A[vb * 32 + vt]
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                with T.block("store"):
                    vb, vt = T.axis.remap("SS", [bx, tx])
                    B[vb * 32 + vt] = S[vb * 32 + 31 - vt]

    mod = tvm.compile(func, target="cuda")
    mod(None)


@tvm.testing.requires_llvm
@tvm.testing.requires_gpu
def test_two_requirements():
    @I.ir_module
    class Module:
        @T.prim_func
        def main(A: T.Buffer((4,), "int32")):
            T.func_attr({"tir.noalias": True})
            A[0] = 0

    tvm.compile(Module, target="llvm")


@tvm.testing.requires_package("torch")
@tvm.testing.uses_gpu
def test_package():
    @T.prim_func
    def func(A: T.Buffer((4,), "int32")):
        A[0] = A[1]

    assert func


@pytest.mark.skip(reason="slow")
@pytest.mark.flaky(reruns=2)
def test_skipped():
    @T.prim_func
    def func(A: T.Buffer((4, 4), "int32")):
        for i in T.serial(4):
            for j in T.serial(i + 1):
                A[i, j] = i - j

    assert func


@tvm.testing.parametrize_targets("llvm", "cuda")
def test_targets(target, dev):
    @T.prim_func
    def func(A: T.Buffer((4,), "float64")):
        for i in range(4):
            A[i] = T.sqrt(A[i])

    tvm.compile(func, target=target)


@tvm.testing.skip_if_32bit(reason="64 bit only")
def test_wide():
    @T.prim_func
    def func(A: T.Buffer((T.int64(4),), "float64")):
        for i in T.serial(T.int64(4)):
            A[i] = T.pow(A[i], T.float64(2))

    assert func
