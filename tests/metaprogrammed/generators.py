"""Generators, itertools and functools prepare what scripts use."""
import functools
import itertools

from tvm.script import tir as T


def primes():
    """Without end."""
    found = []
    for n in itertools.count(2):
        if all(n % p for p in found):
            found.append(n)
            yield n


FIRST = list(itertools.islice(primes(), 5))


def weighted(weights):
    def dot(A, i):
        return functools.reduce(lambda x, y: x + y, (A[i, k] * w for k, w in enumerate(weights)))

    @T.prim_func
    def main(A: T.Buffer((4, len(weights)), "int32"), B: T.Buffer((4,), "int32")):
        for i in range(4):
            B[i] = dot(A, i)

    return main


weighted_primes = weighted(FIRST)
weighted_sums = weighted(list(itertools.accumulate(FIRST)))
weighted_gaps = weighted([b - a for a, b in itertools.pairwise(FIRST)])


def blocks(total, *sizes):
    """Start and length of each block."""
    start = 0
    for size in itertools.cycle(sizes):
        if start >= total:
            return start
        yield start, min(size, total - start)
        start += size


def fill(A, total, sizes):
    for number, (start, length) in enumerate(blocks(total, *sizes)):
        with T.serial(length) as i:
            T.buffer_store(A, number, [start + i])


def segmented(total, *sizes):
    @T.prim_func
    def main(A: T.Buffer((total,), "int32")):
        fill(A, total, sizes)

    return main


segments_4 = segmented(10, 4)
segments_mixed = segmented(11, 1, 3)


def tiles(n, m):
    for i, j in itertools.product(range(n), range(m)):
        if (i + j) % 2 == 0:
            yield i, j


def store_tiles(A, points):
    for order, point in enumerate(points):
        T.buffer_store(A, order, list(point))


@T.prim_func
def checkerboard(A: T.Buffer((3, 3), "int32")):
    store_tiles(A, tiles(3, 3))


def inner(values):
    received = yield from values
    yield received


def delegating():
    total = 0
    while True:
        value = yield total
        if value is None:
            return total
        total += value


machine = delegating()
next(machine)
SUMS = [machine.send(n) for n in (1, 2, 3)]


@T.prim_func
def sent(A: T.Buffer((SUMS[-1],), "int32")):
    for i in range(SUMS[-1]):
        A[i] = SUMS[1]


groups = {key: list(items) for key, items in itertools.groupby("aabccc")}
lengths = sorted(map(len, groups.values()), reverse=True)


def ranked(n, m, k):
    @T.prim_func
    def main(A: T.Buffer((n, m, k), "int8")):
        for i, j, l in T.grid(n, m, k):
            A[i, j, l] = T.int8(1)

    return main


ranked_groups = ranked(*lengths)
ranked_zip = ranked(*(a + b for a, b in zip((1, 2, 3), itertools.repeat(1))))
many = [ranked(*shape) for shape in itertools.combinations_with_replacement((1, 2), 3)]


def extent(value):
    if isinstance(value, int):
        return value
    return sum(value) if isinstance(value, tuple) else 1


mixed = ranked(extent(3), extent((1, 1)), extent("text"))
keyed = ranked(*sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: b - a)))
