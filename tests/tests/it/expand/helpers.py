from tvm.script import ir as I, tir as T, relax as R


def scale(A, i, by):
    """Multiplies an element."""
    T.buffer_store(A, A[i] * by, [i])


def square(x):
    return x * x


def clear(buffer, n, value=0.0):
    size = n * 2
    half = size // 2
    with T.serial(half) as i:
        # A comment.
        for k in range(2):
            T.buffer_store(buffer, T.float32(value) + T.float32(k), [i])


@T.macro
def copy(A, B, name):
    for i in range(4):
        with T.block(f"copy_{name}"):
            vi = T.axis.spatial(4, i)
            B[vi] = A[vi]


def pick(flag, a, b):
    if flag:
        return a
    return b


def nested(A, i):
    scale(A, i, square(A[i] + 1.0))


@R.macro
def double(x):
    y = R.add(x, x)
    return R.multiply(y, y)


def relu(x):
    return R.nn.relu(x)


class Config:
    def size(self):
        return 4


config = Config()


@I.ir_module
class M:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        i = T.int32()
        clear(A, 4, value=1.5)
        copy(A, B, "x")
        for i in range(config.size()):
            nested(A, i)
            B[i] = square(A[i] + 1.0) + pick(True, A[i], B[i])

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        y = R.add(relu(x), x)
        z = double(y)
        return z
