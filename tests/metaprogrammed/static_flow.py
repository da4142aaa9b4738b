"""Conditions on Python values, recursion and loops of host code decide what a script contains."""
from tvm.script import tir as T


def epilogue(bias=False, activation=None, scale=None):
    @T.prim_func
    def main(A: T.Buffer((8,), "float32"), bias_data: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(8):
            B[i] = A[i]
            if bias:
                B[i] = B[i] + bias_data[i]
            if activation == "relu":
                B[i] = T.max(B[i], T.float32(0))
            elif activation == "sigmoid":
                B[i] = T.float32(1) / (T.float32(1) + T.exp(T.float32(0) - B[i]))
            if scale is not None and scale != 1:
                B[i] = B[i] * T.float32(scale)

    return main


plain = epilogue()
with_bias = epilogue(bias=True)
relu_scaled = epilogue(activation="relu", scale=0.5)
everything = epilogue(True, "sigmoid", 3)
scale_of_one = epilogue(scale=1)


def conditional_expression(fast):
    @T.prim_func
    def main(A: T.Buffer((8,), "float32")):
        for i in range(8 if fast else 4):
            A[i] = T.exp2(A[i]) if fast else T.exp(A[i])

    return main


fast, slow = conditional_expression(True), conditional_expression(False)


def loop_kind(kind):
    loops = {
        "serial": T.serial,
        "parallel": T.parallel,
        "vectorized": T.vectorized,
        "unroll": T.unroll,
        "thread": lambda n: T.thread_binding(n, thread="threadIdx.x"),
    }
    loop = loops[kind]

    @T.prim_func
    def main(A: T.Buffer((8,), "float32")):
        for i in loop(8):
            A[i] = A[i] + T.float32(1)

    return main


loop_kinds = {kind: loop_kind(kind) for kind in ("serial", "parallel", "vectorized", "unroll", "thread")}


@T.macro
def descend(A, index, extents):
    if len(extents) == 0:
        A[index] = T.float32(0)
    else:
        for i in range(extents[0]):
            descend_again(A, index, i, extents)


def descend_again(A, index, i, extents):
    descend(A, index + (i,), extents[1:])


def visit(A, index, extents):
    """The same nest, built by a function."""
    if not extents:
        T.buffer_store(A, T.float32(0), index)
        return
    with T.serial(extents[0]) as i:
        visit(A, index + [i], extents[1:])


def clear(*shape):
    @T.prim_func
    def main(A: T.Buffer(shape, "float32")):
        visit(A, [], list(shape))

    return main


clear_1 = clear(4)
clear_3 = clear(2, 3, 4)
clear_5 = clear(1, 2, 1, 2, 1)


def taps(weights):
    n = len(weights)

    def total(A, i):
        result = None
        for k, w in enumerate(weights):
            if w == 0:
                continue
            term = A[i + k] * w if w != 1 else A[i + k]
            result = term if result is None else result + term
        return result

    @T.prim_func
    def main(A: T.Buffer((16 + n - 1,), "int32"), B: T.Buffer((16,), "int32")):
        for i in range(16):
            B[i] = total(A, i)

    return main


taps_3 = taps([1, 2, 1])
taps_sparse = taps([3, 0, 0, 1, 0, 5])


def sort_network(n):
    """Compare-and-swap steps of a bubble sort, without loops in the result."""

    def swaps(A, last):
        for end in range(n - 1, 0, -1):
            for i in range(end):
                low, high = T.min(A[i], A[i + 1]), T.max(A[i], A[i + 1])
                T.buffer_store(last, low, [0])
                T.buffer_store(A, high, [i + 1])
                T.buffer_store(A, last[0], [i])

    @T.prim_func
    def main(A: T.Buffer((n,), "float32"), last: T.Buffer((1,), "float32")):
        swaps(A, last)

    return main


sort_3 = sort_network(3)
sort_4 = sort_network(4)


def checks(values):
    for value in values:
        try:
            if value < 0:
                raise ValueError("negative", value)
            yield 10 // value
        except ZeroDivisionError:
            yield -1
        except ValueError as error:
            yield error.args[1]
        else:
            pass


codes = list(checks([5, 0, -3, 2]))


@T.prim_func
def from_exceptions(A: T.Buffer((4,), "int32")):
    A[0] = codes[0]
    A[1] = codes[1]
    A[2] = codes[2]
    A[3] = codes[3]


def match_shape(value):
    match value:
        case int(n):
            return (n,)
        case (n, m):
            return (n, m)
        case {"rows": n, **rest}:
            return (n, rest.get("cols", 1))
        case _:
            return ()


def by_pattern(value):
    shape = match_shape(value)

    @T.prim_func
    def main(A: T.Buffer(shape, "float32")):
        T.func_attr({"rank": len(shape)})
        T.evaluate(0)

    return main


patterns = [by_pattern(value) for value in (4, (2, 3), {"rows": 5, "cols": 6}, {"rows": 7}, "other")]


def assertions(n):
    assert n > 0, "positive"

    @T.prim_func
    def main(A: T.Buffer((n,), "float32")):
        assert n < 100, "small"
        for i in range(n):
            assert A[i] < T.float32(3), "bounded"

    return main


asserted = assertions(4)
