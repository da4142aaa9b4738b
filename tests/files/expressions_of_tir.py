# One function for each family of expressions.
from tvm.script import tir as T


@T.prim_func
def arithmetic(A: T.Buffer((16,), "int32"), x: T.int32, y: T.int32):
    A[0] = x + y - x * y
    A[1] = T.floordiv(x, y) + T.floormod(x, y)
    A[2] = T.truncdiv(x, y) - T.truncmod(x, y)
    A[3] = x // 3 + x % 3
    A[4] = -x
    A[5] = T.min(x, y) + T.max(x, 1)
    A[6] = T.abs(x)
    A[7] = T.ceildiv(x, 4)


@T.prim_func
def comparisons(A: T.Buffer((16,), "bool"), x: T.float32, y: T.float32):
    A[0] = x < y
    A[1] = x <= y
    A[2] = x > y
    A[3] = x >= y
    A[4] = x == y
    A[5] = x != y
    A[6] = x < y and y < T.float32(1)
    A[7] = x < y or T.Not(y < x)
    A[8] = not x < y


@T.prim_func
def bits(A: T.Buffer((16,), "uint32"), x: T.uint32, k: T.uint32):
    A[0] = x & k
    A[1] = x | k
    A[2] = x ^ k
    A[3] = ~x
    A[4] = x << T.uint32(3)
    A[5] = x >> k
    A[6] = T.shift_left(x, k) + T.shift_right(x, k)
    A[7] = T.popcount(x)
    A[8] = T.reinterpret("uint32", T.float32(1))


@T.prim_func
def transcendental(A: T.Buffer((32,), "float32"), x: T.float32):
    A[0] = T.exp(x) + T.exp2(x) + T.exp10(x)
    A[1] = T.log(x) + T.log2(x) + T.log10(x) + T.log1p(x)
    A[2] = T.sin(x) + T.cos(x) + T.tan(x)
    A[3] = T.sinh(x) + T.cosh(x) + T.tanh(x)
    A[4] = T.asin(x) + T.acos(x) + T.atan(x)
    A[5] = T.sqrt(x) + T.rsqrt(x) + T.erf(x) + T.sigmoid(x)
    A[6] = T.floor(x) + T.ceil(x) + T.round(x) + T.trunc(x) + T.nearbyint(x)
    A[7] = T.pow(x, x) + T.fmod(x, x)
    A[8] = T.atan2(x, x) + T.hypot(x, x) + T.copysign(x, x) + T.ldexp(x, 2)
    A[9] = T.Select(T.isnan(x), T.float32(0), x)
    A[10] = T.if_then_else(T.isinf(x), T.infinity("float32"), T.max_value("float32"))


@T.prim_func
def literals(A: T.Buffer((8,), "float64"), B: T.Buffer((8,), "int64"), C: T.Buffer((4,), "bfloat16")):
    A[0] = T.float64(1e-300)
    A[1] = T.float64("nan")
    A[2] = T.float64("-inf")
    B[0] = T.int64(-9223372036854775807)
    B[1] = T.Cast("int64", T.uint8(255))
    B[2] = T.int64(0x7FFF_FFFF)
    C[0] = T.bfloat16(0.5)
    C[1] = T.Cast("bfloat16", 1.0)


@T.prim_func
def vectors(A: T.Buffer((64,), "float32"), B: T.Buffer((16,), "float32x4"), m: T.Buffer((8,), "int32")):
    A[0:8] = T.Broadcast(T.float32(1), 8)
    A[T.Ramp(8, 1, 8)] = A[T.Ramp(0, 1, 8)] * T.Broadcast(T.float32(2), 8)
    A[T.Ramp(0, 1, 4)] = B[0]
    B[1] = T.Broadcast(A[3], 4)
    A[T.Ramp(m[0], 1, 4)] = T.Cast("float32x4", T.Ramp(0, 1, 4))
    B[2] = T.Shuffle([B[0], B[1]], [0, 2, 4, 6])
    T.evaluate(T.vectorlow("float32x2", B[3]))
    T.evaluate(T.Cast("int32x4", B[0]))


@T.prim_func
def swizzles(A: T.Buffer((32,), "int32")):
    tx = T.launch_thread("threadIdx.x", 32)
    A[tx] = T.tvm_warp_shuffle(T.tvm_warp_activemask(), A[tx], 0, 32, 32)
    A[tx] = T.bitwise_xor(tx, T.bitwise_and(tx, 7))
    A[tx] = T.Cast("int32", T.likely(tx < 16))


@T.prim_func
def casts(x: T.float16, y: T.int8, z: T.uint64, out: T.Buffer((4,), "float32")):
    out[0] = T.Cast("float32", x)
    out[1] = T.cast(y, "float32")
    out[2] = z.astype("float32")
    out[3] = T.float32(y) * T.float32(2.5)
