def numbers(n):
    i = 0
    while i < n:
        yield i
        i += 1


def evens(source):
    for value in source:
        if value % 2 == 0:
            yield value


def run(n):
    total = 0
    for value in evens(numbers(n)):
        total += value
    return total


result = run(50_000)
