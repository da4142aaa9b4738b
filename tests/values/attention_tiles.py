# from tvm.script import tirx as T

@T.prim_func
def attention_tiles(Q_handle: T.handle, K_handle: T.handle, V_handle: T.handle, O_handle: T.handle):
    Q = T.match_buffer(Q_handle, (16, 16), strides=(16, 1))
    K = T.match_buffer(K_handle, (32, 16), strides=(16, 1))
    V = T.match_buffer(V_handle, (32, 16), strides=(16, 1))
    O = T.match_buffer(O_handle, (16, 16), strides=(16, 1))
    # with T.sblock("root"):
    for bx in T.thread_binding(1, thread="blockIdx.x"):
        tx: T.int32 = T.launch_thread_idx(0)
        ty: T.int32 = T.launch_thread_idx(1)
        tz: T.int32 = T.launch_thread_idx(2)
        with T.sblock("tilelang_root"):
            T.reads()
            T.writes()
            T.sblock_attr({"tl.launch_threads": [32, 1, 1]})
            qs = T.sblock_alloc_buffer((16, 16), scope="shared.dyn")
            ks = T.sblock_alloc_buffer((16, 16), scope="shared.dyn")
            vs = T.sblock_alloc_buffer((16, 16), scope="shared.dyn")
            s = T.sblock_alloc_buffer((16, 16), scope="local.fragment")
            o = T.sblock_alloc_buffer((16, 16), scope="local.fragment")
            m = T.sblock_alloc_buffer((16,), scope="local.fragment")
            old = T.sblock_alloc_buffer((16,), scope="local.fragment")
            r = T.sblock_alloc_buffer((16,), scope="local.fragment")
            sums = T.sblock_alloc_buffer((16,), scope="local.fragment")
            l = T.sblock_alloc_buffer((16,), scope="local.fragment")
            T.copy(T.region(Q[0, 0], 1, 16, 16), T.region(qs[0, 0], 2, 16, 16))
            T.fill(T.region(o[0, 0], 2, 16, 16), 0)
            T.fill(T.region(l[0], 2, 16), 0)
            T.fill(T.region(m[0], 2, 16), T.float32(-1e30))
            for k in T.serial(2, annotations={"num_stages": 2}):
                T.copy(T.region(K[k * 16, 0], 1, 16, 16), T.region(ks[0, 0], 2, 16, 16))
                T.copy(T.region(V[k * 16, 0], 1, 16, 16), T.region(vs[0, 0], 2, 16, 16))
                T.gemm(T.region(qs[0, 0], 1, 16, 16), T.region(ks[0, 0], 1, 16, 16), T.region(s[0, 0], 3, 16, 16), T.bool(False), T.bool(True), 16, 16, 16, 0, T.bool(True), 0, 0, 0)
                T.copy(T.region(m[0], 1, 16), T.region(old[0], 2, 16))
                T.reduce(T.region(s[0, 0], 1, 16, 16), T.region(m[0], 2, 16), "max", 1, T.bool(False))
                for i in T.parallel(16):
                    r[i] = T.exp((old[i] - m[i]) * T.float32(0.25))
                for i in T.parallel(16):
                    for j in T.parallel(16):
                        s[i, j] = T.exp((s[i, j] - m[i]) * T.float32(0.25))
                T.reduce(T.region(s[0, 0], 1, 16, 16), T.region(sums[0], 2, 16), "sum", 1, T.bool(True))
                for i in T.parallel(16):
                    l[i] = l[i] * r[i] + sums[i]
                for i in T.parallel(16):
                    for j in T.parallel(16):
                        o[i, j] = o[i, j] * r[i]
                T.gemm(T.region(s[0, 0], 1, 16, 16), T.region(vs[0, 0], 1, 16, 16), T.region(o[0, 0], 3, 16, 16), T.bool(False), T.bool(False), 16, 16, 16, 0, T.bool(False), 0, 0, 0)
            for i in T.parallel(16):
                for j in T.parallel(16):
                    o[i, j] = o[i, j] / l[i]
            T.copy(T.region(o[0, 0], 1, 16, 16), T.region(O[0, 0], 2, 16, 16))
