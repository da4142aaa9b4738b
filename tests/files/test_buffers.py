# Buffers of every kind: strides, offsets, scopes, views, zero dimensions, symbolic shapes.
import tvm
from tvm.script import tir as T


def test_match_buffer():
    @T.prim_func
    def strided(a: T.handle, b: T.handle):
        s0 = T.int32()
        s1 = T.int32()
        A = T.match_buffer(a, (16, 16), "float32", strides=[s0, s1])
        B = T.match_buffer(b, (16, 16), "float32", strides=[32, 1], align=64)
        for i, j in T.grid(16, 16):
            B[i, j] = A[j, i]

    @T.prim_func
    def offset(a: T.handle, b: T.handle):
        off = T.int32()
        A = T.match_buffer(a, (16,), elem_offset=off)
        B = T.match_buffer(b, (16,), elem_offset=4, offset_factor=4)
        B[0] = A[0] + T.Cast("float32", off)

    @T.prim_func
    def scopes(a: T.handle):
        A = T.match_buffer(a, (16,), scope="global.texture")
        B = T.alloc_buffer((16,), scope="shared.dyn")
        C = T.alloc_buffer((16,), scope="wmma.accumulator")
        for i in range(16):
            with T.block("B"):
                vi = T.axis.spatial(16, i)
                B[vi] = A[vi]
        for i in range(16):
            with T.block("C"):
                vi = T.axis.spatial(16, i)
                C[vi] = B[vi]

    assert strided and offset and scopes


def test_symbolic():
    @T.prim_func
    def two_vars(a: T.handle, b: T.handle):
        m = T.int64()
        n = T.int64()
        A = T.match_buffer(a, (m, n))
        B = T.match_buffer(b, (m * n,))
        for i, j in T.grid(m, n):
            B[i * n + j] = A[i, j]

    @T.prim_func
    def sized(a: T.handle):
        n = T.int32(is_size_var=True)
        A = T.match_buffer(a, (n, n + 1), "float16")
        for i in T.serial(n):
            A[i, i] = T.float16(0)

    @T.prim_func
    def params(n: T.int64, A: T.Buffer((4,), "int64")):
        A[0] = n

    assert two_vars and sized and params


def test_views():
    @T.prim_func
    def sub_region(A: T.Buffer((16, 16), "float32")):
        for i in range(4):
            with T.block("outer"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi * 4 : vi * 4 + 4, 0:16])
                T.writes(A[vi * 4 : vi * 4 + 4, 0:16])
                sub = T.match_buffer(A[vi * 4 : vi * 4 + 4, 0:16], (4, 16), offset_factor=1)
                for j, k in T.grid(4, 16):
                    with T.block("inner"):
                        vj, vk = T.axis.remap("SS", [j, k])
                        sub[vj, vk] = sub[vj, vk] + T.float32(1)

    @T.prim_func
    def reinterpreted(A: T.Buffer((16,), "float32")):
        raw = T.decl_buffer((16,), "int32", data=A.data)
        flat = T.Buffer((4, 4), "float32", data=A.data)
        raw[0] = 0
        flat[1, 1] = A[2]

    @T.prim_func
    def scalar(A: T.Buffer((), "float32"), B: T.Buffer((1,), "float32")):
        A[()] = B[0]
        B[0] = A[()] + T.float32(1)

    assert sub_region and reinterpreted and scalar


def test_dtypes():
    for dtype in ["int4", "uint8", "float8_e4m3fn", "bfloat16", "float64"]:

        @T.prim_func
        def typed(A: T.Buffer((2,), dtype)):
            A[0] = A[1]

        assert typed

    @T.prim_func
    def handles(A: T.Buffer((2,), "handle"), p: T.handle("float32", "shared"), q: T.handle):
        T.evaluate(p)
        T.evaluate(A[0])
        T.evaluate(T.isnullptr(q))

    @T.prim_func
    def axis_separators(a: T.handle):
        A = T.match_buffer(a, (4, 4, 4), axis_separators=[1, 2])
        A[0, 0, 0] = T.float32(0)

    assert handles and axis_separators
    tvm.IRModule.from_expr(axis_separators).show()
