# Device code: threads, synchronization, asynchronous copies, matrix fragments.
import pytest
import tvm
from tvm.script import tir as T

pytestmark = pytest.mark.gpu
WARP = 32


@T.prim_func
def warp_reduce(A: T.Buffer((WARP,), "float32"), B: T.Buffer((1,), "float32")):
    tx = T.launch_thread("threadIdx.x", WARP)
    red = T.decl_buffer((1,), scope="local")
    red[0] = A[tx]
    red[0] = red[0] + T.tvm_warp_shuffle_down(T.uint32(0xFFFFFFFF), red[0], 16, WARP, WARP)
    red[0] = red[0] + T.tvm_warp_shuffle_down(T.uint32(0xFFFFFFFF), red[0], 8, WARP, WARP)
    if tx == 0:
        B[0] = red[0]


@T.prim_func
def cross_thread(A: T.Buffer((WARP,), "float32"), B: T.Buffer((1,), "float32")):
    tx = T.launch_thread("threadIdx.x", WARP)
    result = T.decl_buffer((1,), scope="local")
    with T.attr(
        T.comm_reducer(lambda x, y: x + y, [T.float32(0)]),
        "reduce_scope",
        T.reinterpret("handle", T.uint64(0)),
    ):
        T.tvm_thread_allreduce(T.uint32(1), A[tx], T.bool(True), result[0], tx)
    B[0] = result[0]


@T.prim_func
def async_copy(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    S = T.decl_buffer((64,), scope="shared")
    tx = T.launch_thread("threadIdx.x", 16)
    T.evaluate(T.ptx_cp_async("float32", S.data, tx * 4, A.data, tx * 4, 16))
    T.evaluate(T.ptx_commit_group())
    T.evaluate(T.ptx_wait_group(0))
    T.tvm_storage_sync("shared")
    B[tx] = S[tx]


@T.prim_func
def fragments(a: T.handle, c: T.handle):
    A = T.match_buffer(a, (16, 16), "float16", scope="shared")
    C = T.match_buffer(c, (16, 16), "float32")
    FA = T.decl_buffer((256,), "float16", scope="wmma.matrix_a")
    FC = T.decl_buffer((256,), "float32", scope="wmma.accumulator")
    T.tvm_fill_fragment(FC.data, 16, 16, 16, 0, T.float32(0))
    T.tvm_load_matrix_sync(FA.data, 16, 16, 16, 0, A.access_ptr("r"), 16, "row_major")
    T.tvm_mma_sync(FC.data, 0, FA.data, 0, FA.data, 0, FC.data, 0)
    T.tvm_store_matrix_sync(FC.data, 16, 16, 16, 0, C.access_ptr("w"), 16, "row_major")


@tvm.testing.requires_cuda
@pytest.mark.parametrize("vectorize", [True, False])
def test_histogram(vectorize):
    @T.prim_func
    def histogram(A: T.Buffer((1024,), "uint8"), H: T.Buffer((256,), "int32")):
        for bx in T.thread_binding(4, "blockIdx.x"):
            for tx in T.thread_binding(256, "threadIdx.x"):
                with T.block("count"):
                    v = T.axis.spatial(1024, bx * 256 + tx)
                    T.reads(A[v], H[0:256])
                    T.writes(H[0:256])
                    T.evaluate(
                        T.call_extern("int32", "atomicAdd", T.address_of(H[T.Cast("int32", A[v])]), 1)
                    )

    assert histogram


def test_virtual_threads():
    @T.prim_func
    def virtual(A: T.Buffer((64,), "float32")):
        for vx in T.thread_binding(2, thread="vthread.x"):
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                with T.block("A"):
                    v = T.axis.spatial(64, vx * 32 + tx)
                    A[v] = T.float32(0)

    @T.prim_func
    def barriers(A: T.Buffer((64,), "float32")):
        T.evaluate(T.create_barriers(2))
        T.evaluate(T.ptx_init_barrier_thread_count(0, 32))
        T.evaluate(T.ptx_arrive_barrier(0))
        T.evaluate(T.ptx_wait_barrier(0))
        A[0] = T.float32(1)

    assert virtual and barriers
