# from tvm.script import tirx as T

@T.prim_func
def gemm_tiles(A_handle: T.handle, B_handle: T.handle, C_handle: T.handle):
    A = T.match_buffer(A_handle, (32, 32), "float16", strides=(32, 1))
    B = T.match_buffer(B_handle, (32, 32), "float16", strides=(32, 1))
    C = T.match_buffer(C_handle, (32, 32), strides=(32, 1))
    # with T.sblock("root"):
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        for by in T.thread_binding(2, thread="blockIdx.y"):
            tx: T.int32 = T.launch_thread_idx(0)
            ty: T.int32 = T.launch_thread_idx(1)
            tz: T.int32 = T.launch_thread_idx(2)
            with T.sblock("tilelang_root"):
                T.reads()
                T.writes()
                T.sblock_attr({"tl.launch_threads": [32, 1, 1]})
                As = T.sblock_alloc_buffer((16, 16), "float16", scope="shared.dyn")
                Bs = T.sblock_alloc_buffer((16, 16), "float16", scope="shared.dyn")
                acc = T.sblock_alloc_buffer((16, 16), scope="local.fragment")
                T.fill(T.region(acc[0, 0], 2, 16, 16), 0)
                for k in T.serial(2, annotations={"num_stages": 2}):
                    T.copy(T.region(A[by * 16, k * 16], 1, 16, 16), T.region(As[0, 0], 2, 16, 16))
                    T.copy(T.region(B[k * 16, bx * 16], 1, 16, 16), T.region(Bs[0, 0], 2, 16, 16))
                    T.gemm(T.region(As[0, 0], 1, 16, 16), T.region(Bs[0, 0], 1, 16, 16), T.region(acc[0, 0], 3, 16, 16), T.bool(False), T.bool(False), 16, 16, 16, 0, T.bool(False), 0, 0, 0)
                T.copy(T.region(acc[0, 0], 1, 16, 16), T.region(C[by * 16, bx * 16], 2, 16, 16))
