def run(n):
    table = {}
    for i in range(n):
        key = i % 1000
        table[key] = table.get(key, 0) + i
    total = 0
    for key, value in table.items():
        total += value if key in table else 0
    names = {"alpha": 1, "beta": 2, "gamma": 3}
    for i in range(n):
        names["beta"] = names["alpha"] + names["gamma"]
        names["alpha"] = i
    return total + names["beta"]


result = run(40_000)
