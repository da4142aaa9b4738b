# Closures over values that change, names that are bound again, scripts that replace scripts.
from tvm.script import tir as T

SIZE = 4


@T.prim_func
def size_before(A: T.Buffer((SIZE,), "int32")):
    A[SIZE - 1] = SIZE


SIZE = 8


@T.prim_func
def size_after(A: T.Buffer((SIZE,), "int32")):
    A[SIZE - 1] = SIZE


@T.prim_func
def replaced(A: T.Buffer((1,), "int32")):
    A[0] = 1


@T.prim_func
def replaced(A: T.Buffer((1,), "int32")):
    A[0] = 2


def counter():
    value = 10

    @T.prim_func
    def ten(A: T.Buffer((1,), "int32")):
        A[0] = value

    value += 1

    @T.prim_func
    def eleven(A: T.Buffer((1,), "int32")):
        A[0] = value

    return ten, eleven


def shadows(SIZE=2):
    T_local = T

    @T_local.prim_func
    def shadowed(A: T.Buffer((SIZE,), "int32")):
        A[SIZE - 1] = SIZE

    return shadowed


def late_binding():
    makers = []
    for k in range(3):
        makers.append(lambda: k)

    @T.prim_func
    def last(A: T.Buffer((3,), "int32")):
        A[makers[0]()] = makers[1]()

    return last


def deleted():
    temporary = 5
    kept = temporary
    del temporary

    @T.prim_func
    def uses_kept(A: T.Buffer((8,), "int32")):
        A[kept] = kept

    return uses_kept


def augmented():
    sizes = [1]
    sizes += [2, 3]
    sizes[0] *= 4
    names = {}
    names["a"] = sizes[-1]
    names.setdefault("b", len(sizes))
    a, b = names["a"], names["b"]

    @T.prim_func
    def from_containers(A: T.Buffer((16,), "int32")):
        A[a] = sizes[0]
        A[b + 4] = sizes[1]

    return from_containers


ten, eleven = counter()
two = shadows()


def test_all():
    results = [late_binding(), deleted(), augmented(), shadows(3)]
    assert all(results) and size_before and size_after and replaced
