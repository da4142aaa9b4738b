def run(n):
    squares = [i * i for i in range(n) if i % 2 == 0]
    table = {i: i + 1 for i in range(n)}
    nested = [(i, j) for i in range(n // 10) for j in range(10)]
    return sum(squares) + len(table) + sum(j for _, j in nested)


result = run(50_000)
