"""What the nodes of `toy.toml` mean, in TIR."""


def clamp(value, low, high):
    return T.min(T.max(value, low), high)


def twice(value):
    return value + value


@T.macro
def trace(label, value):
    T.evaluate(value)


@T.macro
def region(label, body):
    with T.attr(T.int32(0), "region", T.StringImm(label)):
        body()
