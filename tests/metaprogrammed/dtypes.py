"""Data types as parameters."""
from tvm import DataType
from tvm.script import tir as T

ACCUMULATORS = {"int8": "int32", "uint8": "uint32", "float16": "float32", "float32": "float32"}


def dot(n, dtype):
    acc = ACCUMULATORS[dtype]

    @T.prim_func
    def main(A: T.Buffer((n,), dtype), B: T.Buffer((n,), dtype), C: T.Buffer((), acc)):
        for k in range(n):
            with T.block("dot"):
                vk = T.axis.reduce(n, k)
                with T.init():
                    C[()] = T.Cast(acc, 0)
                C[()] = C[()] + T.Cast(acc, A[vk]) * T.Cast(acc, B[vk])

    return main


dot_int8 = dot(16, "int8")
dot_uint8 = dot(16, "uint8")
dot_half = dot(32, "float16")
dot_float = dot(8, "float32")


def vector_load(dtype, lanes):
    vec = f"{dtype}x{lanes}"

    @T.prim_func
    def main(A: T.Buffer((16, lanes), dtype), B: T.Buffer((16,), vec)):
        for i in range(16):
            B[i] = A[i, T.ramp(0, 1, lanes)]

    return main


load_f32x4 = vector_load("float32", 4)
load_i8x8 = vector_load("int8", 8)


def packed(dtype, storage="int32"):
    bits = DataType(dtype).bits
    per_word = DataType(storage).bits // bits
    mask = (1 << bits) - 1

    @T.prim_func
    def main(W: T.Buffer((8,), storage), D: T.Buffer((8 * per_word,), storage)):
        for i in range(8 * per_word):
            D[i] = T.bitwise_and(T.shift_right(W[i // per_word], (i % per_word) * bits), mask)

    return main


unpack_int4 = packed("int4")
unpack_int8 = packed("int8")


def limits(dtype):
    low, high = T.min_value, T.max_value

    @T.prim_func
    def main(A: T.Buffer((2,), dtype)):
        A[0] = low(dtype)
        A[1] = high(dtype)

    return main


limits_int8 = limits("int8")
limits_float = limits("float32")
limits_uint16 = limits("uint16")


def typed(make, dtype):
    """A constructor of constants as a parameter."""

    @T.prim_func
    def main(A: T.Buffer((4,), dtype)):
        for i in range(4):
            A[i] = make(2) * A[i] + make(1)

    return main


typed_f32 = typed(T.float32, "float32")
typed_f64 = typed(T.float64, "float64")
typed_i64 = typed(T.int64, "int64")
typed_u8 = typed(T.uint8, "uint8")


def chain(*dtypes):
    first, *_, last = dtypes

    def convert(value):
        for dtype in dtypes[1:]:
            value = T.Cast(dtype, value)
        return value

    @T.prim_func
    def main(A: T.Buffer((8,), first), B: T.Buffer((8,), last)):
        for i in range(8):
            B[i] = convert(A[i])

    return main


chain_two = chain("int8", "float32")
chain_four = chain("int8", "int32", "float32", "float16")
