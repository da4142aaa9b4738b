# Intrinsics of a vendor: long constants, generated names, loops over registrations.
from tvm.script import tir as T
from tvm.tir import TensorIntrin

VECTOR = 128
DMA_READ = "files.dma_read_{}_{}"


def generate_dma_load(size: int, dtype: str):
    @T.prim_func
    def dma_desc(a: T.handle, c: T.handle) -> None:
        A = T.match_buffer(a, (size,), dtype, offset_factor=1, scope="global")
        C = T.match_buffer(c, (size,), dtype, offset_factor=1, scope="global.vtcm")
        with T.block("root"):
            T.reads(A[0:size])
            T.writes(C[0:size])
            for i in T.serial(size):
                with T.block("load"):
                    vii = T.axis.remap("S", [i])
                    C[vii] = A[vii]

    @T.prim_func
    def dma_impl(a: T.handle, c: T.handle) -> None:
        A = T.match_buffer(a, (size,), dtype, offset_factor=1, scope="global")
        C = T.match_buffer(c, (size,), dtype, offset_factor=1, scope="global.vtcm")
        with T.block("root"):
            T.reads(A[0:size])
            T.writes(C[0:size])
            T.evaluate(
                T.call_packed(
                    "device_api.hexagon.dma_copy",
                    -1,
                    T.address_of(C[0]),
                    T.address_of(A[0]),
                    size,
                    0,
                )
            )

    return dma_desc, dma_impl


for _size in (VECTOR, VECTOR * 2):
    for _dtype in ["uint8", "int8"]:
        TensorIntrin.register(DMA_READ.format(_size, _dtype), *generate_dma_load(_size, _dtype))


@T.prim_func
def vrmpy_desc(a: T.handle, b: T.handle, c: T.handle) -> None:
    A = T.match_buffer(a, (4,), "uint8", offset_factor=1)
    B = T.match_buffer(b, (32, 4), "uint8", offset_factor=1)
    C = T.match_buffer(c, (32,), "int32", offset_factor=1)
    with T.block("root"):
        T.reads(C[0:32], A[0:4], B[0:32, 0:4])
        T.writes(C[0:32])
        for i in T.serial(0, 32):
            for k in T.serial(0, 4):
                with T.block("update"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    C[vi] = C[vi] + T.cast(A[vk], "int32") * T.cast(B[vi, vk], "int32")


@T.prim_func
def vrmpy_impl(a: T.handle, b: T.handle, c: T.handle) -> None:
    A = T.match_buffer(a, (4,), "uint8", offset_factor=1)
    B = T.match_buffer(b, (32, 4), "uint8", offset_factor=1)
    C = T.match_buffer(c, (32,), "int32", offset_factor=1)
    with T.block("root"):
        T.reads(C[0:32], A[0:4], B[0:32, 0:4])
        T.writes(C[0:32])
        A_u8x4 = A.vload([0], "uint8x4")
        A_i32 = T.reinterpret(A_u8x4, dtype="int32")
        A_brdcst = T.Broadcast(A_i32, 32)
        A_u8x128 = T.reinterpret(A_brdcst, dtype="uint8x128")
        B_u8x128 = B.vload([0, 0], dtype="uint8x128")
        B_i32x32 = T.reinterpret(B_u8x128, dtype="int32x32")
        C[T.Ramp(T.int32(0), 1, 32)] = T.call_pure_extern(
            "int32x32", "vrmpy_acc", C[T.Ramp(T.int32(0), 1, 32)], B_i32x32, A_u8x128
        )


VRMPY_INTRIN = "files.dot_32x4_u8u8i32_vrmpy"
TensorIntrin.register(VRMPY_INTRIN, vrmpy_desc, vrmpy_impl)


def masked(width):
    half = width // 2

    @T.prim_func
    def masked_copy(A: T.Buffer((width,), "int16"), B: T.Buffer((width,), "int16")):
        for i in T.vectorized(half):
            B[i] = A[i + half]

    return masked_copy


MASKED = [masked(w) for w in (VECTOR // 2, VECTOR)]
