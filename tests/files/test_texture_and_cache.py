# Caches in several scopes; a schedule function for each test, closures over module constants.
import tvm
from tvm.script import tir as T

VEC = 4
TEXTURE = "global.texture"
SHAPES = {"activation": (1, 8, 8, VEC), "weight": (8, VEC)}


def schedule(sch, *, scope=TEXTURE, index=0):
    block = sch.get_block("compute")
    sch.cache_read(block, index, scope)
    return sch


@T.prim_func
def activation(A: T.Buffer(SHAPES["activation"], "float32"), B: T.Buffer(SHAPES["activation"], "float32")):
    for n, h, w, c in T.grid(1, 8, 8, VEC):
        with T.block("compute"):
            vn, vh, vw, vc = T.axis.remap("SSSS", [n, h, w, c])
            B[vn, vh, vw, vc] = T.max(A[vn, vh, vw, vc], T.float32(0))


@T.prim_func
def cached(A: T.Buffer(SHAPES["activation"], "float32"), B: T.Buffer(SHAPES["activation"], "float32")):
    A_texture = T.alloc_buffer(SHAPES["activation"], scope=TEXTURE)
    for n, h, w in T.grid(1, 8, 8):
        for c in T.vectorized(VEC):
            with T.block("cache"):
                vn, vh, vw, vc = T.axis.remap("SSSS", [n, h, w, c])
                A_texture[vn, vh, vw, vc] = A[vn, vh, vw, vc]
    for n, h, w, c in T.grid(1, 8, 8, VEC):
        with T.block("compute"):
            vn, vh, vw, vc = T.axis.remap("SSSS", [n, h, w, c])
            B[vn, vh, vw, vc] = T.max(A_texture[vn, vh, vw, vc], T.float32(0))


def test_cache_read():
    sch = schedule(tvm.tir.Schedule(activation))
    assert sch.mod is not None and cached is not None


def test_weight():
    rows, cols = SHAPES["weight"]

    @T.prim_func
    def weight(W: T.Buffer(SHAPES["weight"], "float32"), x: T.Buffer((VEC,), "float32"), y: T.Buffer((8,), "float32")):
        for i, k in T.grid(rows, cols):
            with T.block("compute"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    y[vi] = T.float32(0)
                y[vi] += W[vi, vk] * x[vk]

    @T.prim_func
    def write_cache(W: T.Buffer((8, 4), "float32"), y: T.Buffer((8,), "float32")):
        y_local = T.alloc_buffer((8,), scope="local")
        for i in range(8):
            with T.block("init"):
                vi = T.axis.spatial(8, i)
                y_local[vi] = T.float32(0)
            for k in range(4):
                with T.block("update"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    y_local[vi] = y_local[vi] + W[vi, vk]
        for i in range(8):
            with T.block("write"):
                vi = T.axis.spatial(8, i)
                y[vi] = y_local[vi]

    schedule(tvm.tir.Schedule(weight), index=1)
    assert write_cache


def test_compute_at():
    @T.prim_func
    def producer_consumer(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        B = T.alloc_buffer((64,))
        for i_0 in range(8):
            for ax0 in range(8):
                with T.block("B"):
                    v = T.axis.spatial(64, i_0 * 8 + ax0)
                    T.reads(A[v])
                    T.writes(B[v])
                    B[v] = T.sqrt(A[v])
            for i_1 in range(8):
                with T.block("C"):
                    v = T.axis.spatial(64, i_0 * 8 + i_1)
                    T.reads(B[v])
                    T.writes(C[v])
                    C[v] = B[v] - T.float32(1)

    assert producer_consumer
