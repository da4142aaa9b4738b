def parse(value):
    if value % 4 == 0:
        raise ValueError("a multiple of four")
    return value


def run(n):
    failed = 0
    total = 0
    for i in range(n):
        try:
            total += parse(i)
        except ValueError:
            failed += 1
        try:
            total += 1
        finally:
            total -= 1
    return total + failed


result = run(25_000)
