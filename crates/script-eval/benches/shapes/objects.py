class Counter:
    def __init__(self, step):
        self.step = step
        self.total = 0

    def add(self, value):
        self.total += value * self.step

    def reset(self):
        self.total = 0


def run(n):
    counter = Counter(3)
    for i in range(n):
        counter.add(i)
        if counter.total > 1_000_000:
            counter.reset()
    return counter.total


result = run(40_000)
