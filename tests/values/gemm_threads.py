from tvm.script import tir as T

@T.prim_func
def gemm_threads(A: T.Buffer((16, 24), "float32"), B: T.Buffer((24, 16), "float32"), C: T.Buffer((16, 16), "float32")):
    bx = T.launch_thread("blockIdx.x", 2)
    shared_a = T.allocate([64], "float32", "shared")
    shared_b = T.allocate([64], "float32", "shared")
    local = T.allocate([2], "float32", "local")
    tx = T.launch_thread("threadIdx.x", 8)
    ty = T.launch_thread("threadIdx.y", 8)
    sa = T.Buffer((64,), data=shared_a, scope="shared")
    sb = T.Buffer((64,), data=shared_b, scope="shared")
    acc = T.Buffer((2,), data=local, scope="local")
    acc[0] = T.float32(0)
    acc[1] = T.float32(0)
    for k in range(3):
        for half in range(2):
            T.tvm_storage_sync("shared")
            sa[ty * 8 + tx] = A[half * 8 + ty, k * 8 + tx]
            sb[ty * 8 + tx] = B[k * 8 + ty, bx * 8 + tx]
            T.tvm_storage_sync("shared")
            for i in range(8):
                acc[half] = acc[half] + sa[ty * 8 + i] * sb[i * 8 + tx]
    C[ty, bx * 8 + tx] = acc[0]
    C[8 + ty, bx * 8 + tx] = acc[1]
