"""Control flow in TIR: while, nested conditions, early exits by flags."""
from tvm.script import tir as T

LIMIT = 1 << 10


@T.prim_func
def bubble_sort(A: T.Buffer((16,), "int32")):
    tmp = T.decl_buffer((1,), "int32", scope="local")
    for i in range(16):
        for j in range(15 - i):
            if A[j] > A[j + 1]:
                tmp[0] = A[j]
                A[j] = A[j + 1]
                A[j + 1] = tmp[0]


@T.prim_func
def insertion_sort(A: T.Buffer((16,), "float32")):
    j = T.decl_buffer((1,), "int32", scope="local")
    key = T.decl_buffer((1,), "float32", scope="local")
    for i in T.serial(1, 16):
        key[0] = A[i]
        j[0] = i - 1
        while T.if_then_else(j[0] >= 0, A[T.max(j[0], 0)] > key[0], T.bool(False)):
            A[j[0] + 1] = A[j[0]]
            j[0] = j[0] - 1
        A[j[0] + 1] = key[0]


@T.prim_func
def top_k(A: T.Buffer((64,), "float32"), V: T.Buffer((2,), "float32"), I: T.Buffer((2,), "int64")):
    for k in T.unroll(2):
        V[k] = T.min_value("float32")
        I[k] = T.int64(-1)
    for i in range(64):
        if A[i] > V[0]:
            V[1] = V[0]
            I[1] = I[0]
            V[0] = A[i]
            I[0] = T.Cast("int64", i)
        elif A[i] > V[1]:
            V[1] = A[i]
            I[1] = T.Cast("int64", i)


@T.prim_func
def gcd(a: T.int32, b: T.int32, out: T.Buffer((1,), "int32")):
    x = T.decl_buffer((2,), "int32", scope="local")
    x[0] = a
    x[1] = b
    while x[1] != 0:
        t: T.int32 = T.truncmod(x[0], x[1])
        x[0] = x[1]
        x[1] = t
    out[0] = x[0]


@T.prim_func
def hash_probe(keys: T.Buffer((LIMIT,), "int64"), key: T.int64, out: T.Buffer((1,), "int32")):
    slot = T.decl_buffer((1,), "int32", scope="local")
    done = T.decl_buffer((1,), "bool", scope="local")
    slot[0] = T.Cast("int32", T.floormod(key * T.int64(31), T.int64(LIMIT)))
    done[0] = T.bool(False)
    while not done[0]:
        if keys[slot[0]] == key or keys[slot[0]] == T.int64(-1):
            done[0] = T.bool(True)
        else:
            slot[0] = T.floormod(slot[0] + 1, LIMIT)
    out[0] = slot[0]


@T.prim_func
def classify(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "int8")):
    for i in range(64):
        if A[i] < T.float32(0):
            if T.isinf(A[i]):
                C[i] = T.int8(0)
            else:
                C[i] = T.int8(1)
        elif A[i] == T.float32(0):
            C[i] = T.int8(2)
        elif T.isnan(A[i]):
            C[i] = T.int8(3)
        else:
            C[i] = T.int8(4)


def reference(values):
    """Python's own."""
    for i in range(len(values)):
        for j in range(len(values) - 1 - i):
            if values[j] > values[j + 1]:
                values[j], values[j + 1] = values[j + 1], values[j]
    return values
