# case: keys that log what they are compared with
class Item:
    def __init__(self, key, log):
        self.key = key
        self.log = log

    def __lt__(self, other):
        self.log.append((self.key, other.key))
        return self.key < other.key


def shuffled(count, seed):
    numbers = list(range(count))
    for at in range(count - 1, 0, -1):
        seed = (seed * 1103515245 + 12345) % 2**31
        other = (seed >> 8) % (at + 1)
        numbers[at], numbers[other] = numbers[other], numbers[at]
    return numbers


def digest(log):
    total = 0
    for a, b in log:
        total = (total * 31 + a * 7 + b) % 1000003
    return total


def compared(numbers, reverse=False):
    log = []
    items = sorted((Item(number, log) for number in numbers), reverse=reverse)
    return [item.key for item in items] == sorted(numbers, reverse=reverse), len(log), digest(log)


small = []
Item.__repr__ = lambda self: str(self.key)
sorted([Item(key, small) for key in (3, 1, 2, 5, 4)])

result = [small]
for count in (0, 1, 2, 3, 10, 50):
    numbers = shuffled(count, count + 1)
    result.append((count, compared(numbers), compared(numbers, True)))
    result.append(compared(sorted(numbers)))
    result.append(compared(sorted(numbers, reverse=True)))
    result.append(compared([number // 7 for number in numbers]))
    # Long runs, which merges skip over.
    half = count // 2
    result.append(compared(list(range(half)) + list(range(half))))
    result.append(compared(list(range(half, count)) + list(range(half))))
    result.append(compared([(at * 8) % max(count, 1) + at // 8 for at in range(count)]))
    result.append(compared(sorted(numbers[:half]) + sorted(numbers[half:]) + numbers[:10]))
    result.append(compared(sorted(numbers[: count // 3]) + sorted(numbers[count // 3 :], reverse=True)))

# case: a comparison that fails
result = []
for mixed in ([1, "a"], ["a", 1], [3, 2, "a"], [1, 2, None], [None, None], [2, 1, 3, "x", 0]):
    try:
        sorted(mixed)
    except TypeError as error:
        result.append(str(error))
    try:
        sorted(mixed, reverse=True)
    except TypeError as error:
        result.append(str(error))

# case: integers of math
import math

result = []
for function in (math.trunc, math.floor, math.ceil):
    for value in ("x", [1], None, 2.5, True):
        try:
            result.append(function(value))
        except TypeError as error:
            result.append(str(error))
