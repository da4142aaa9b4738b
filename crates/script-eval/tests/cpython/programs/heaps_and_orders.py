# case: heapq
import heapq

result = []
heap = []
for number in (5, 3, 8, 1, 9, 2, 7, 7, 0):
    heapq.heappush(heap, number)
    result.append(list(heap))
while heap:
    result.append((heapq.heappop(heap), list(heap)))
heap = [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
heapq.heapify(heap)
result.append(heap[:])
result.append((heapq.heapreplace(heap, 4), heapq.heappushpop(heap, -1), heapq.heappushpop(heap, 6), heap[:]))
words = ["pear", "fig", "banana", "kiwi", "apple"]
result.append((heapq.nlargest(2, words, key=len), heapq.nsmallest(3, words, key=len), heapq.nsmallest(9, [2, 1])))
result.append((heapq.heappushpop([], 1), heapq.nlargest(0, words), heapq.nlargest(-1, words)))

# case: heapq with wrong arguments
import heapq

result = []
for call in (
    lambda: heapq.heappop([]),
    lambda: heapq.heapreplace([], 1),
    lambda: heapq.heapify((1, 2)),
    lambda: heapq.heappush([1], "a"),
    lambda: heapq.heappush([1]),
    lambda: heapq.heappop((1,)),
    lambda: heapq.heappush((1,), 2),
    lambda: heapq.heapreplace(5, 2),
    lambda: heapq.heapify([1, "a", None]),
):
    try:
        result.append(call())
    except Exception as error:
        result.append((type(error).__name__, str(error)))

# case: a comparison that changes the heap
import heapq


class Greedy:
    def __init__(self, heap):
        self.heap = heap

    def __lt__(self, other):
        self.heap.clear()
        return True


heap = []
heap.extend([Greedy(heap), Greedy(heap)])
try:
    heapq.heappush(heap, Greedy(heap))
    result = "no error"
except RuntimeError as error:
    result = str(error)

# case: bisect
import bisect

numbers = [1, 2, 2, 2, 3, 5, 8]
result = [bisect.bisect_left(numbers, at) for at in range(10)]
result += [bisect.bisect_right(numbers, at) for at in range(10)]
result += [bisect.bisect(numbers, 2, 2), bisect.bisect(numbers, 2, 0, 2), bisect.bisect_left(numbers, 2, lo=2, hi=3)]
words = ["a", "bb", "bb", "cccc"]
result.append(bisect.bisect_left(words, 3, key=len))
bisect.insort(words, "xxx", key=len)
bisect.insort_left(numbers, 2)
bisect.insort_right(numbers, 4, 0, None)
result += [words, numbers]
for call in (
    lambda: bisect.bisect(numbers, 1, -1),
    lambda: bisect.bisect(numbers, "a"),
    lambda: bisect.bisect(numbers),
    lambda: bisect.bisect(numbers, 1, lou=1),
    lambda: bisect.insort((1, 2), 1),
):
    try:
        result.append(call())
    except Exception as error:
        result.append((type(error).__name__, str(error)))

# case: functools.total_ordering
from functools import total_ordering


def made(operation):
    class Number:
        def __init__(self, n):
            self.n = n

        def __eq__(self, other):
            return isinstance(other, Number) and self.n == other.n

    setattr(Number, operation, lambda self, other: getattr(self.n, operation)(other.n) if isinstance(other, Number) else NotImplemented)
    return total_ordering(Number)


result = []
for operation in ("__lt__", "__le__", "__gt__", "__ge__"):
    number = made(operation)
    for a, b in ((1, 2), (2, 2), (3, 2)):
        a, b = number(a), number(b)
        result.append((a < b, a <= b, a > b, a >= b, a == b, a != b))
    for compare in (lambda: number(1) < 2, lambda: number(1) >= 2):
        try:
            result.append(compare())
        except TypeError as error:
            result.append(str(error))
try:
    total_ordering(type("Empty", (), {}))
except ValueError as error:
    result.append(str(error))


@total_ordering
class Version:
    def __init__(self, *parts):
        self.parts = parts

    def __eq__(self, other):
        return self.parts == other.parts

    def __lt__(self, other):
        return self.parts < other.parts

    def __ge__(self, other):
        return "own"


result += [Version(1, 2) <= Version(1, 2), Version(2) > Version(1, 9), Version(1) >= Version(1)]
result += [max(Version(1), Version(3), Version(2)).parts, sorted([Version(2), Version(1)])[0].parts]
