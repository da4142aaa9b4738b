total = 0
for i in range(100_000):
    if i & 1:
        total += i
    else:
        total -= 1
result = total
