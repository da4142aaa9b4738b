def swap(pair):
    a, b = pair
    return b, a


def run(n):
    pair = (1, 2)
    total = 0
    for i, item in enumerate(range(n)):
        pair = swap(pair)
        x, y = pair
        total += x * item - y * i
    return total


result = run(40_000)
