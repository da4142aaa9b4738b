"""Matrix multiplication in several stages of scheduling."""
import numpy
import tvm
from tvm.script import tir as T

M = N = K = 64
TILE = 16


@T.prim_func
def gemm(A: T.Buffer((M, K), "float32"), B: T.Buffer((K, N), "float32"), C: T.Buffer((M, N), "float32")):
    for i, j, k in T.grid(M, N, K):
        with T.block("gemm"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            T.reads(A[vi, vk], B[vk, vj])
            T.writes(C[vi, vj])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] += A[vi, vk] * B[vk, vj]


@T.prim_func
def gemm_tiled(A: T.Buffer((M, K), "float32"), B: T.Buffer((K, N), "float32"), C: T.Buffer((M, N), "float32")):
    for i0, j0, k0, i1, j1, k1 in T.grid(M // TILE, N // TILE, K // TILE, TILE, TILE, TILE):
        with T.block("gemm"):
            vi = T.axis.spatial(M, i0 * TILE + i1)
            vj = T.axis.spatial(N, j0 * TILE + j1)
            vk = T.axis.reduce(K, k0 * TILE + k1)
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]


@T.prim_func
def gemm_cached(A: T.Buffer((M, K), "float32"), B: T.Buffer((K, N), "float32"), C: T.Buffer((M, N), "float32")):
    C_local = T.alloc_buffer((M, N), scope="local")
    for bx in T.thread_binding(M // TILE, thread="blockIdx.x"):
        for tx in T.thread_binding(TILE, thread="threadIdx.x"):
            for j, k in T.grid(N, K):
                with T.block("compute"):
                    vi = T.axis.spatial(M, bx * TILE + tx)
                    vj, vk = T.axis.remap("SR", [j, k])
                    with T.init():
                        C_local[vi, vj] = T.float32(0)
                    C_local[vi, vj] += A[vi, vk] * B[vk, vj]
            for j in T.vectorized(N):
                with T.block("write_back"):
                    vi = T.axis.spatial(M, bx * TILE + tx)
                    vj = T.axis.spatial(N, j)
                    C[vi, vj] = C_local[vi, vj]


@T.prim_func
def gemm_tensorized(a: T.handle, b: T.handle, c: T.handle):
    A = T.match_buffer(a, (M, K), "float32")
    B = T.match_buffer(b, (K, N), "float32")
    C = T.match_buffer(c, (M, N), "float32")
    for i, j, k in T.grid(M // TILE, N // TILE, K // TILE):
        with T.block("outer"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            T.reads(
                C[vi * TILE : vi * TILE + TILE, vj * TILE : vj * TILE + TILE],
                A[vi * TILE : vi * TILE + TILE, vk * TILE : vk * TILE + TILE],
                B[vk * TILE : vk * TILE + TILE, vj * TILE : vj * TILE + TILE],
            )
            T.writes(C[vi * TILE : vi * TILE + TILE, vj * TILE : vj * TILE + TILE])
            sa = T.match_buffer(
                A[vi * TILE : vi * TILE + TILE, vk * TILE : vk * TILE + TILE],
                (TILE, TILE),
                strides=[K, 1],
                offset_factor=1,
            )
            T.evaluate(
                T.call_extern(
                    "int32",
                    "gemm_micro_kernel",
                    C.access_ptr("rw"),
                    sa.access_ptr("r"),
                    B.access_ptr("r"),
                )
            )


@T.prim_func
def gemm_dynamic(a: T.handle, b: T.handle, c: T.handle, m: T.int32, n: T.int32, k: T.int32):
    A = T.match_buffer(a, (m, k))
    B = T.match_buffer(b, (k, n))
    C = T.match_buffer(c, (m, n))
    for i, j, l in T.grid(m, n, k):
        with T.block("gemm"):
            vi, vj, vl = T.axis.remap("SSR", [i, j, l])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vl] * B[vl, vj]


@T.prim_func
def gemm_split_k(A: T.Buffer((M, K), "float16"), B: T.Buffer((K, N), "float16"), C: T.Buffer((M, N), "float16")):
    C_rf = T.alloc_buffer((4, M, N), "float32")
    for s, i, j, k in T.grid(4, M, N, K // 4):
        with T.block("rf"):
            vs, vi, vj, vk = T.axis.remap("SSSR", [s, i, j, k])
            with T.init():
                C_rf[vs, vi, vj] = T.float32(0)
            C_rf[vs, vi, vj] += T.Cast("float32", A[vi, vs * (K // 4) + vk]) * T.Cast("float32", B[vs * (K // 4) + vk, vj])
    for i, j, s in T.grid(M, N, 4):
        with T.block("sum"):
            vi, vj, vs = T.axis.remap("SSR", [i, j, s])
            with T.init():
                C[vi, vj] = T.float16(0)
            C[vi, vj] = C[vi, vj] + T.Cast("float16", C_rf[vs, vi, vj])


def reference(a: numpy.ndarray, b: numpy.ndarray) -> numpy.ndarray:
    return a @ b


schedule = tvm.tir.Schedule(gemm)
schedule.split(schedule.get_loops("gemm")[0], factors=[None, TILE])
schedule.mod.show()
