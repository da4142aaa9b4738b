from tvm.script import tir as T

SCALE = 2.0


def load(buffer, indices):
    first, second = indices
    return buffer[first, second] * SCALE


def tile(index, *, factor=4):
    return index // factor, index % factor


@T.macro
def fill(A, n, depth):
    A[n, depth] = T.float32(n)
    if depth > 0:
        fill(A, n, depth - 1)


@T.macro(hygienic=False)
def bump(row):
    A[row, column] = A[row, column] + 1.0


def make(n, dtype="float32"):
    def shifted(x):
        offset = n * 2
        return x + T.cast(offset, dtype)

    @T.prim_func
    def kernel(A: T.Buffer((n, n), dtype), B: T.Buffer((n, n), dtype)):
        for row, column in T.grid(n, n):
            # The offset of another name.
            offset = T.meta_var(row + column)
            B[row, column] = shifted(load(A, (row, column))) + T.cast(offset, dtype)
            bump(row)
            outer, inner = T.meta_var(tile(row * n + column, factor=n))
            B[outer, inner] = load(A, indices=(outer, inner))
        fill(A, 3, depth=2)

    return kernel


small = make(4)
