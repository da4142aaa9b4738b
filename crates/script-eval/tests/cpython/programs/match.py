# case: literals
def f(x):
    match x:
        case 0:
            return "zero"
        case -1 | 1.5:
            return "number"
        case "a" | b"a":
            return "text"
        case None:
            return "none"
        case True:
            return "true"
        case _:
            return "other"
result = [f(x) for x in (0, 0.0, -1, 1.5, "a", b"a", None, True, False, 1, "b", [])]
# case: capture
match 5:
    case x:
        pass
result = x
# case: sequences
def f(x):
    match x:
        case []:
            return "empty"
        case [a]:
            return ("one", a)
        case (a, b):
            return ("two", a, b)
        case [a, *rest]:
            return ("many", a, rest)
        case _:
            return "no"
result = [f(x) for x in ([], (), [1], (1, 2), [1, 2, 3], range(4), "ab", b"ab", {1: 2}, {1, 2}, 5)]
# case: stars
def f(x):
    match x:
        case [*_, 0]:
            return "ends in 0"
        case [0, *_]:
            return "starts with 0"
        case [a, *b, c]:
            return (a, b, c)
        case [*a]:
            return a
result = [f(x) for x in ([1, 0], [0, 1], [1, 2, 3, 4], [1, 2], [1], [], [0])]
# case: nested sequences
def f(x):
    match x:
        case [[a, b], [c, *d]]:
            return a, b, c, d
        case [a, [b, [c]]]:
            return a, b, c
        case _:
            return None
result = [f(x) for x in ([[1, 2], [3, 4, 5]], [1, [2, [3]]], [1, 2], [[1, 2], []])]
# case: mappings
def f(x):
    match x:
        case {"op": "add", "args": [a, b]}:
            return a + b
        case {"op": "neg", "arg": a, **rest}:
            return (-a, rest)
        case {"x": int() as n}:
            return ("x", n)
        case {1: a, None: b}:
            return (a, b)
        case {}:
            return "any"
        case _:
            return "no mapping"
result = [f(x) for x in (
    {"op": "add", "args": (1, 2)}, {"op": "neg", "arg": 3, "k": 1, "l": 2}, {"op": "neg"}, {"x": 5, "y": 6},
    {"x": "s"}, {1: "a", None: "b"}, {}, {"z": 0}, [], 3)]
# case: built-in classes
def f(x):
    match x:
        case bool(b):
            return ("bool", b)
        case int(n):
            return ("int", n)
        case float():
            return "float"
        case str(s):
            return ("str", s)
        case list([a, b]):
            return ("pair", a, b)
        case tuple(t):
            return ("tuple", t)
        case dict(d):
            return ("dict", d)
        case set() | frozenset():
            return "set"
        case _:
            return "other"
result = [f(x) for x in (True, 3, 2.5, "s", [1, 2], [1], (1,), {1: 2}, {1}, frozenset(), None)]
# case: or binds one side
def f(x):
    match x:
        case [1, a] | [a, 2] | {"a": a}:
            return a
        case (("x" | "y") as c):
            return c
        case _:
            return None
result = [f(x) for x in ([1, 5], [5, 2], {"a": 7}, [3, 3], "x", "y", "z")]
# case: as
match [1, [2, 3]]:
    case [a, [b, c] as inner] as whole:
        result = (a, b, c, inner, whole)
# case: guards
def f(x):
    match x:
        case n if n < 0:
            return "negative"
        case n if n == 0:
            return "zero"
        case [a, b] if a == b:
            return "same"
        case n:
            return ("positive", n)
result = [f(x) for x in (-1, 0, 5)]
# case: names stay bound after a failed guard
match [1, 2]:
    case [a, b] if a > b:
        pass
    case _:
        pass
result = (a, b)
# case: names are not bound by a failed pattern
def f():
    match [1, 2]:
        case [a, 3]:
            return "no"
        case _:
            try:
                return a
            except UnboundLocalError as e:
                return str(e)
result = f()
# case: dotted names
class Color:
    RED = 0
    GREEN = 1
def f(x):
    match x:
        case Color.RED:
            return "red"
        case Color.GREEN:
            return "green"
        case _:
            return "other"
result = [f(x) for x in (0, 1, 2)]
# case: no case
x = "before"
match 5:
    case 6:
        x = "six"
result = x
# case: too many positional parts
try:
    match 5:
        case int(a, b):
            pass
except TypeError as e:
    result = str(e)
# case: no class
try:
    x = 3
    match 5:
        case x():
            pass
except TypeError as e:
    result = str(e)
# case: duplicate keys
class K:
    A = "k"
    B = "k"
try:
    match {"k": 1, "l": 2}:
        case {K.A: 1, K.B: 2}:
            pass
except ValueError as e:
    result = str(e)
# case: match in a loop
out = []
for x in (1, "a", None, [1, 2]):
    match x:
        case int():
            continue
        case None:
            break
        case _:
            out.append(x)
result = out
# case: match in a generator
def g(x):
    match x:
        case [a, *rest]:
            yield a
            yield from g(rest)
        case {"k": v} if v > 4:
            yield v
        case _:
            yield "end"
it = g({"k": 5})
result = (list(g([1, 2, 3])), list(it))
# case: the subject is a tuple
a, b = 1, 2
match a, b:
    case 1, x:
        result = x
# case: the subject is evaluated once
out = []
def f():
    out.append(1)
    return 3
match f():
    case 1:
        pass
    case 2:
        pass
    case 3:
        out.append("three")
result = out
# case: exceptions
def f(e):
    match e:
        case ValueError(args=[message]):
            return message
        case KeyError():
            return "key"
        case Exception(args=a):
            return a
result = [f(ValueError("v")), f(KeyError("k")), f(TypeError(1, 2)), f(ValueError(1, 2))]
# case: commands
def run(command):
    match command.split():
        case ["go", ("north" | "south") as d]:
            return d
        case ["get", item]:
            return item
        case ["drop", *items]:
            return items
        case [] | ["quit"]:
            return "bye"
        case _:
            return "?"
result = [run(c) for c in ("go north", "go up", "get key", "drop a b c", "quit", "")]
# case: soft keywords
match = 1
case = 2
_ = 3
result = match + case + _
# case: large and complex literals
def f(x):
    match x:
        case 100000000000000000000:
            return "large"
        case "a" "b":
            return "joined"
        case _:
            return "other"
result = [f(10**20), f("ab"), f(1)]
