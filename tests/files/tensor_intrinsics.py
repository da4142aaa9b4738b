# Descriptions and implementations of tensor intrinsics, registered with TVM.
from tvm.script import tir as T
from tvm.tir import TensorIntrin


@T.prim_func
def dot4_desc(a: T.handle, b: T.handle, c: T.handle) -> None:
    A = T.match_buffer(a, (4,), "int8", offset_factor=1, scope="shared")
    B = T.match_buffer(b, (4,), "int8", offset_factor=1, scope="shared")
    C = T.match_buffer(c, (1,), "int32", offset_factor=1, scope="local")
    with T.block("root"):
        T.reads(C[0], A[0:4], B[0:4])
        T.writes(C[0])
        for i in range(0, 4):
            with T.block("update"):
                vi = T.axis.remap("R", [i])
                C[0] = C[0] + T.cast(A[vi], "int32") * T.cast(B[vi], "int32")


@T.prim_func
def dot4_impl(a: T.handle, b: T.handle, c: T.handle) -> None:
    A = T.match_buffer(a, (4,), "int8", offset_factor=1, scope="shared")
    B = T.match_buffer(b, (4,), "int8", offset_factor=1, scope="shared")
    C = T.match_buffer(c, (1,), "int32", offset_factor=1, scope="local")
    with T.block("root"):
        T.reads(C[0], A[0:4], B[0:4])
        T.writes(C[0])
        C[0] += T.call_pure_extern(
            "int32",
            "__dp4a",
            A.vload([0], "int8x4"),
            B.vload([0], "int8x4"),
            T.int32(0),
        )


TensorIntrin.register("files.dot4", dot4_desc, dot4_impl)


def get_load_intrin(rows: int, cols: int, dtype: str = "float16", scope: str = "shared"):
    elements = rows * cols // 32

    @T.prim_func
    def load_desc(warp: T.handle, shared: T.handle) -> None:
        S = T.match_buffer(shared, (rows, cols), dtype, align=64, offset_factor=cols, scope=scope)
        W = T.match_buffer(warp, (32, elements), dtype, align=64, offset_factor=cols, scope="warp")
        with T.block("root"):
            T.reads(S[0:rows, 0:cols])
            T.writes(W[0:32, 0:elements])
            for i, j in T.grid(rows, cols):
                with T.block("load"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    W[(vi * cols + vj) // elements, (vi * cols + vj) % elements] = S[vi, vj]

    @T.prim_func
    def load_impl(warp: T.handle, shared: T.handle) -> None:
        s0 = T.int32()
        s1 = T.int32()
        S = T.match_buffer(
            shared, (rows, cols), dtype, align=64, offset_factor=cols, scope=scope, strides=[s0, s1]
        )
        W = T.match_buffer(warp, (32, elements), dtype, align=64, offset_factor=cols, scope="warp")
        with T.block("root"):
            T.reads(S[0:rows, 0:cols])
            T.writes(W[0:32, 0:elements])
            for tx in T.thread_binding(0, 32, thread="threadIdx.x"):
                T.evaluate(
                    T.ptx_ldmatrix(
                        False,
                        4,
                        ".b16",
                        W.data,
                        W.elem_offset + elements * tx,
                        S.access_ptr("r"),
                        s0 * (tx % 16) + 8 * (tx // 16),
                        dtype=dtype,
                    )
                )

    return load_desc, load_impl


LOAD_16x16 = "files.load_16x16"
TensorIntrin.register(LOAD_16x16, *get_load_intrin(16, 16))
for _dtype in ("int8", "uint8"):
    TensorIntrin.register(f"files.load_16x32_{_dtype}", *get_load_intrin(16, 32, _dtype))


def get_fill_intrin(zero):
    @T.prim_func
    def fill_desc(a: T.handle) -> None:
        A = T.match_buffer(a, (8, 8), "float32", offset_factor=1, scope="warp")
        with T.block("root"):
            T.reads()
            T.writes(A[0:8, 0:8])
            for i, j in T.grid(8, 8):
                with T.block("init"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    A[vi, vj] = T.float32(zero)

    @T.prim_func
    def fill_impl(a: T.handle) -> None:
        A = T.match_buffer(a, (8, 8), "float32", offset_factor=1, scope="warp")
        with T.block("root"):
            T.reads()
            T.writes(A[0:8, 0:8])
            T.evaluate(T.mma_fill(8, A.data, A.elem_offset, dtype="float32"))

    return fill_desc, fill_impl


TensorIntrin.register("files.fill", *get_fill_intrin(0))
