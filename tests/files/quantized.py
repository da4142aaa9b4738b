"""Quantized kernels: factories over dtypes, module constants, tables of lookup."""
import numpy as np
from tvm.script import relax as R
from tvm.script import tir as T

GROUP = 32
PER_WORD = 8
MAX_INT4 = (1 << 3) - 1
ZERO_POINTS = {"int4": 0, "uint4": 8}
LUT = np.array([-1.0, -0.5, 0.0, 0.5], dtype="float32")


@T.prim_func
def decode_int4(W: T.Buffer((64, 8), "uint32"), S: T.Buffer((64, 2), "float16"), out: T.Buffer((64, 64), "float16")):
    for i, j in T.grid(64, 64):
        with T.block("decode"):
            vi, vj = T.axis.remap("SS", [i, j])
            out[vi, vj] = (
                T.Cast(
                    "float16",
                    T.bitwise_and(
                        T.shift_right(W[vi, vj // PER_WORD], T.Cast("uint32", vj % PER_WORD * 4)),
                        T.uint32(15),
                    ),
                )
                - T.float16(7)
            ) * S[vi, vj // GROUP]


@T.prim_func
def quantize(A: T.Buffer((64,), "float32"), Q: T.Buffer((64,), "int8"), scale: T.float32):
    for i in range(64):
        with T.block("quantize"):
            vi = T.axis.spatial(64, i)
            Q[vi] = T.Cast("int8", T.max(T.min(T.round(A[vi] / scale), T.float32(127)), T.float32(-128)))


@T.prim_func
def requantize(A: T.Buffer((64,), "int32"), Q: T.Buffer((64,), "int8")):
    for i in range(64):
        Q[i] = T.Cast("int8", T.q_multiply_shift(A[i], 1073741824, 31, -1))


def decode(dtype, bits):
    zero = ZERO_POINTS[dtype]
    mask = (1 << bits) - 1

    @T.prim_func
    def decoded(W: T.Buffer((16,), "uint32"), out: T.Buffer((16,), "int32")):
        for i in range(16):
            out[i] = T.Cast("int32", T.bitwise_and(W[i], T.uint32(mask))) - zero

    return decoded


signed = decode("int4", 4)
unsigned = decode("uint4", bits=4)


@R.function
def dequantize(x: R.Tensor((2, 4), "int8"), s: R.Tensor((4,), "float32"), z: R.Tensor((4,), "int8")):
    y = R.dequantize(x, s, z, axis=1, out_dtype="float32")
    q = R.quantize(y, s, z, axis=1, out_dtype="int8")
    return (y, q)


@R.function
def low_bits(x: R.Tensor((4,), "float32")):
    a = R.astype(x, "float8_e4m3fn")
    b = R.astype(a, "bfloat16")
    c = R.astype(b, "uint8")
    d = R.bitwise_and(c, R.const(MAX_INT4, "uint8"))
    return d
