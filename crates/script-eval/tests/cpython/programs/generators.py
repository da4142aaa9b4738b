# case: values in order
def g():
    yield 1
    yield 2
    yield 3
result = list(g())
# case: lazy
out = []
def g():
    out.append("start")
    yield 1
    out.append("middle")
    yield 2
    out.append("end")
it = g()
out.append("made")
a = next(it)
out.append("first")
b = next(it)
out.append("second")
c = next(it, None)
result = (out, a, b, c)
# case: endless
def count():
    n = 0
    while True:
        yield n
        n += 1
it = count()
result = [next(it) for _ in range(5)]
# case: zip with endless
def count():
    n = 0
    while True:
        yield n
        n += 1
result = list(zip("abc", count()))
# case: unpack endless
def count():
    n = 0
    while True:
        yield n
        n += 1
a, b = (x for x, _ in zip(count(), range(2)))
result = (a, b)
# case: fibonacci
def fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b
out = []
for x in fib():
    if x > 50:
        break
    out.append(x)
result = out
# case: return value
def g():
    yield 1
    return 42
it = g()
next(it)
try:
    next(it)
except StopIteration as e:
    first = (e.value, e.args)
try:
    next(it)
except StopIteration as e:
    result = (first, e.value, e.args)
# case: send
def g():
    x = yield 1
    y = yield x * 2
    return x + y
it = g()
out = [next(it), it.send(10)]
try:
    it.send(5)
except StopIteration as e:
    out.append(e.value)
result = out
# case: send before the start
def g():
    yield
it = g()
try:
    it.send(1)
except TypeError as e:
    result = str(e)
# case: running average
def average():
    total, count, mean = 0, 0, None
    while True:
        x = yield mean
        total += x
        count += 1
        mean = total / count
it = average()
next(it)
result = [it.send(x) for x in (10, 20, 60)]
# case: yield in expressions
def g():
    return [(yield 1), (yield 2), (yield 3)]
it = g()
next(it)
out = [it.send("a"), it.send("b")]
try:
    it.send("c")
except StopIteration as e:
    out.append(e.value)
result = out
# case: effects before a yield happen once
log = []
def f(x):
    log.append(x)
    return x
def g():
    z = f(1) + f(2) * (yield f(3)) + f(4) + (yield f(5)) - f(6)
    return z
it = g()
out = [next(it), it.send(10)]
try:
    it.send(100)
except StopIteration as e:
    out.append(e.value)
result = (out, log)
# case: values before a yield are kept
def g():
    global x
    return x + (yield) + x
x = 1
it = g()
next(it)
x = 100
try:
    it.send(10)
except StopIteration as e:
    result = e.value
# case: yield in arguments
def f(*args, **kw):
    return args, kw
def g():
    yield f((yield 1), [1, 2], *(yield 2), k=(yield 3), **(yield 4))
it = g()
next(it)
out = [it.send("a"), it.send((7, 8)), it.send("k"), it.send({"z": 1})]
result = out
# case: yield in a condition
def g():
    out = []
    if (yield "if") == 1:
        out.append("one")
    elif (yield "elif") == 2:
        out.append("two")
    else:
        out.append((yield "else"))
    while (yield "while"):
        out.append("loop")
    for x in (yield "for"):
        out.append(x)
    yield out
def run(*values):
    it = g()
    out = [next(it)]
    for v in values:
        out.append(it.send(v))
    return out
result = (run(1, False, "ab"), run(0, 2, True, True, False, ()), run(0, 0, "x", False, "q"))
# case: yield in and, or, conditional
def g():
    a = (yield 1) and (yield 2)
    b = (yield 3) or (yield 4)
    c = (yield 5) if (yield 6) else (yield 7)
    d = 1 < (yield 8) < (yield 9)
    yield (a, b, c, d)
def run(*values):
    it = g()
    out = [next(it)]
    for v in values:
        out.append(it.send(v))
    return out
result = (run(0, 1, 1, "c", 5, 9), run(3, 4, 0, 5, 0, "d", 0))
# case: yield in displays and subscripts
def g():
    d = {(yield 1): (yield 2), "k": (yield 3)}
    l = [10, 20, 30]
    l[(yield 4)] = (yield 5)
    l[(yield 6)] += (yield 7)
    s = l[(yield 8):(yield 9)]
    f = f"{(yield 10)}-{(yield 11)!r}"
    t = (*(yield 12), (yield 13))
    yield d, l, s, f, t
it = g()
next(it)
out = []
for v in ("a", "b", "c", 5, 0, 1, 100, 0, 2, "x", "y", "pq", 1):
    out.append(it.send(v))
result = out
# case: yield from
def inner():
    x = yield 1
    y = yield x
    return (x, y)
def outer():
    r = yield from inner()
    yield ("inner", r)
it = outer()
result = [next(it), it.send("a"), it.send("b")]
# case: yield from containers
def g():
    yield from [1, 2]
    yield from "ab"
    yield from range(2)
    yield from {"k": 1}
    yield from (x * x for x in range(3))
result = list(g())
# case: yield from of nothing
def g():
    x = yield from ()
    yield x
result = list(g())
# case: yield from of a number
def g():
    yield from 3
try:
    list(g())
except TypeError as e:
    result = str(e)
# case: recursive yield from
def flatten(x):
    if isinstance(x, list):
        for y in x:
            yield from flatten(y)
    else:
        yield x
result = list(flatten([1, [2, [3, [4]], 5], [[]], 6]))
# case: tree
def tree(n):
    if n:
        yield from tree(n - 1)
        yield n
        yield from tree(n - 1)
result = list(tree(4))
# case: send to a list iterator
def g():
    yield from [1, 2]
it = g()
next(it)
try:
    it.send(5)
except AttributeError as e:
    result = str(e)
# case: permutations
def perm(items):
    if len(items) <= 1:
        yield items
    else:
        for i in range(len(items)):
            for rest in perm(items[:i] + items[i + 1:]):
                yield [items[i]] + rest
result = list(perm([1, 2, 3]))
# case: throw
out = []
def g():
    while True:
        try:
            x = yield len(out)
            out.append(x)
        except ValueError as e:
            out.append(("caught", str(e)))
it = g()
next(it)
a = it.send("a")
b = it.throw(ValueError("v"))
try:
    it.throw(KeyError("k"))
except KeyError as e:
    out.append(repr(e))
result = (a, b, out, next(it, "done"))
# case: throw forms
def g():
    while True:
        try:
            yield
        except Exception as e:
            out.append(repr(e))
out = []
it = g()
next(it)
it.throw(ValueError)
it.throw(ValueError("x"))
try:
    it.throw(5)
except TypeError as e:
    out.append(str(e))
result = out
# case: throw before the start
def g():
    yield 1
it = g()
try:
    it.throw(ValueError("v"))
except ValueError as e:
    result = (str(e), next(it, "done"))
# case: throw after the end
def g():
    yield 1
it = g()
list(it)
try:
    it.throw(ValueError("v"))
except ValueError as e:
    result = str(e)
# case: throw into yield from
out = []
def inner():
    try:
        yield 1
    except ValueError:
        out.append("inner")
        yield 2
def outer():
    yield from inner()
    yield 3
it = outer()
result = (next(it), it.throw(ValueError), next(it), out)
# case: close
out = []
def g():
    try:
        yield 1
        yield 2
    except GeneratorExit:
        out.append("exit")
        raise
    finally:
        out.append("finally")
it = g()
next(it)
r = it.close()
result = (r, out, next(it, "done"))
# case: close before the start
out = []
def g():
    out.append("start")
    yield
it = g()
it.close()
result = (out, list(it))
# case: close ignored
def g():
    while True:
        try:
            yield 1
        except GeneratorExit:
            pass
it = g()
next(it)
try:
    it.close()
except RuntimeError as e:
    result = str(e)
# case: close raises
def g():
    try:
        yield 1
    finally:
        raise KeyError("k")
it = g()
next(it)
try:
    it.close()
except KeyError as e:
    result = (repr(e), repr(e.__context__))
# case: close of yield from
out = []
def inner():
    try:
        yield 1
    finally:
        out.append("inner")
def outer():
    try:
        yield from inner()
    finally:
        out.append("outer")
it = outer()
next(it)
it.close()
result = out
# case: a loop that is left closes the generator
out = []
def g():
    try:
        yield 1
        yield 2
    finally:
        out.append("closed")
for x in g():
    break
out.append("after")
result = out
# case: stop iteration in a generator
def g():
    yield 1
    raise StopIteration(5)
try:
    list(g())
except RuntimeError as e:
    result = (str(e), repr(e.__cause__), repr(e.__context__))
# case: next in a generator
def g(it):
    while True:
        yield next(it)
try:
    list(g(iter([1, 2])))
except RuntimeError as e:
    result = str(e)
# case: an exception ends it
def g():
    yield 1
    1 / 0
    yield 2
it = g()
out = [next(it)]
try:
    next(it)
except ZeroDivisionError as e:
    out.append(str(e))
result = (out, next(it, "done"))
# case: an uncaught exception of a generator
def g():
    yield 1
    raise ValueError("in g")
list(g())
# case: already executing
def g():
    yield next(it)
it = g()
try:
    next(it)
except ValueError as e:
    result = str(e)
# case: try, else and finally
out = []
def g(x):
    try:
        yield "body"
        if x:
            raise ValueError(x)
    except ValueError as e:
        yield ("handler", str(e))
    else:
        yield "else"
    finally:
        yield "finally"
    yield "end"
result = (list(g(0)), list(g(1)))
# case: the handled exception is kept
def g():
    try:
        raise ValueError("v")
    except ValueError:
        yield 1
        try:
            raise
        except ValueError as e:
            yield str(e)
        yield 2
it = g()
out = []
try:
    raise KeyError("outer")
except KeyError:
    out.append(next(it))
    try:
        raise
    except KeyError as e:
        out.append(repr(e))
out += list(it)
result = out
# case: return in try
out = []
def g():
    try:
        yield 1
        return "r"
    finally:
        out.append("f")
        yield 2
it = g()
vals = [next(it), next(it)]
try:
    next(it)
except StopIteration as e:
    vals.append(e.value)
result = (vals, out)
# case: break and continue through finally
out = []
def g():
    for i in range(5):
        try:
            if i == 1:
                continue
            if i == 3:
                break
            yield i
        finally:
            yield ("f", i)
    else:
        yield "else"
    yield "end"
result = list(g())
# case: loop else
def g(stop):
    for i in range(3):
        if i == stop:
            break
        yield i
    else:
        yield "else"
    n = 0
    while n < 2:
        n += 1
        yield n * 10
    else:
        yield "while else"
result = (list(g(1)), list(g(7)))
# case: nested loops
def g(n):
    for i in range(n):
        for j in range(i):
            if (i + j) % 2:
                yield i, j
result = list(g(5))
# case: closures
def make(n):
    def g():
        nonlocal n
        while n:
            n -= 1
            yield n
    return g, lambda: n
g, left = make(5)
it = g()
result = (next(it), next(it), left())
# case: methods as generators
class Tree:
    def __init__(self, value, *children):
        self.value = value
        self.children = children
    def walk(self, depth=0):
        yield depth, self.value
        for child in self.children:
            yield from child.walk(depth + 1)
result = list(Tree(1, Tree(2, Tree(3)), Tree(4)).walk())
# case: lambda
f = lambda: (yield 5)
result = list(f())
# case: lambda inside does not make a generator
def f():
    g = lambda: (yield 1)
    return list(g())
result = f()
# case: pipelines
def numbers():
    n = 1
    while True:
        yield n
        n += 1
def squares(it):
    for x in it:
        yield x * x
def take(n, it):
    for _, x in zip(range(n), it):
        yield x
result = sum(take(5, squares(numbers())))
# case: sieve
def sieve(it):
    p = next(it)
    yield p
    yield from sieve(x for x in it if x % p)
def from2():
    n = 2
    while True:
        yield n
        n += 1
s = sieve(from2())
result = [next(s) for _ in range(10)]
# case: changes seen between yields
items = [1, 2]
def g():
    for x in items:
        yield x
it = g()
out = [next(it)]
items.append(3)
out += list(it)
result = out
# case: bool and iter of a generator
def g():
    yield 1
it = g()
result = (bool(it), iter(it) is it, type(it).__name__ if False else "generator")
# case: membership
def g():
    yield 1
    yield 2
    yield 3
it = g()
result = (2 in it, list(it))
# case: star
def g():
    yield from "abc"
a, *b = g()
result = (a, b, [*g()], max(g()), "".join(g()), dict(zip(g(), g())))
# case: walrus and yield
def g():
    while (x := (yield)) is not None:
        out.append(x)
out = []
it = g()
next(it)
it.send(1)
it.send(2)
result = (next(it, "end"), out)
# case: assert and raise
def g():
    try:
        assert (yield 1), (yield 2)
    except AssertionError as e:
        yield str(e)
    try:
        raise (yield 3)
    except ValueError as e:
        yield repr(e)
it = g()
result = [next(it), it.send(0), it.send("text"), it.send(None), it.send(ValueError("v"))]
# case: multiple generators at once
def g(n):
    for i in range(n):
        yield (n, i)
a, b = g(2), g(3)
result = [next(x, None) for x in (a, b, a, b, a, b)]
# case: generator in a comprehension of a generator
def g(n):
    yield [x for x in h(n)]
    yield sum(x for x in h(n))
def h(n):
    for i in range(n):
        yield i
result = list(g(4))
# case: send through two levels
def a():
    while True:
        x = yield
        if x is None:
            return "a done"
        out.append(x)
def b():
    while True:
        out.append((yield from a()))
out = []
it = b()
next(it)
for v in (1, 2, None, 3):
    it.send(v)
result = out
# case: exceptions from the delegate
def a():
    yield 1
    raise KeyError("a")
def b():
    try:
        yield from a()
    except KeyError as e:
        yield repr(e)
result = list(b())
# case: deep
def nest(n):
    if n:
        yield from nest(n - 1)
    yield n
result = sum(nest(100))
