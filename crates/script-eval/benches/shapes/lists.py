def run(n):
    items = []
    for i in range(n):
        items.append(i * 3)
    total = 0
    for i in range(len(items)):
        items[i] = items[i] + 1
        total += items[i]
    return total


result = run(60_000)
