def run(n):
    total = 0
    i = 0
    while i < n:
        if i % 3 == 0 and i > 10:
            total += i * 2
        else:
            total -= i // 7
        i += 1
    return total


result = run(100_000)
