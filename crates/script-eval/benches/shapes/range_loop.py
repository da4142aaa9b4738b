def run(n):
    total = 0
    for i in range(n):
        for j in range(10):
            total = total + i * j - (j << 1)
    return total


result = run(15_000)
