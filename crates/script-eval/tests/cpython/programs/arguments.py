# case: wrong keywords and counts
def attempt(f):
    try:
        return f()
    except Exception as error:
        return type(error).__name__, str(error)

def f(a, /, b, *, c=0, d=0):
    return a, b, c, d

def g(a, b=1, /, **rest):
    return a, b, rest

result = [
    attempt(lambda: f(a=1, b=2)),
    attempt(lambda: f(1, b=2, e=3)),
    attempt(lambda: f(1, 2, b=3)),
    attempt(lambda: f(1, 2, 3)),
    attempt(lambda: f(1, 2, 3, c=4)),
    attempt(lambda: f(1, 2, 3, 4, c=4, d=5)),
    attempt(lambda: f(1, 2, 3, e=4)),
    attempt(lambda: g(1, a=2, b=3)),
    attempt(lambda: g(1, 2, 3)),
    attempt(lambda: (lambda a, b, /: 0)(a=1, b=2)),
]
# case: starred values that are not iterable
def attempt(f):
    try:
        return f()
    except Exception as error:
        return type(error).__name__, str(error)

result = [
    attempt(lambda: [*None]),
    attempt(lambda: (1, *2.5)),
    attempt(lambda: {*1}),
    attempt(lambda: [*range(3), *"ab"]),
]
# case: messages of arguments
def attempt(f):
    try:
        return f()
    except Exception as error:
        return type(error).__name__, str(error)

result = [
    attempt(lambda: "a".replace(None, "")),
    attempt(lambda: "a".replace("", 1)),
    attempt(lambda: "a".removeprefix(None)),
    attempt(lambda: "a".find(None)),
    attempt(lambda: int.from_bytes("a", "big")),
    attempt(lambda: int.from_bytes(3, "big")),
    attempt(lambda: int.from_bytes([1, 2], "big")),
    attempt(lambda: b"a\xff".decode()),
    attempt(lambda: b"a\xe2\x82".decode()),
    attempt(lambda: b"a\xe2".decode()),
    attempt(lambda: b"\xe2\x82a".decode()),
    attempt(lambda: b"\xe2a".decode()),
    attempt(lambda: divmod(1.5, 0)),
    attempt(lambda: 1.5 // 0),
]