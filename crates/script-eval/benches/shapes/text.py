def run(n):
    parts = []
    for i in range(n):
        parts.append("x" + str(i) + f"_{i % 7}")
    text = ",".join(parts)
    line = ""
    for i in range(n):
        line += "a"
        if len(line) > 80:
            line = ""
    return len(text) + len(line)


result = run(40_000)
