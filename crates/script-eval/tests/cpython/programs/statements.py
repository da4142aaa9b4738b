# case: del of every target
x = 1
l = [1, 2, 3, 4, 5]
d = {"a": 1, "b": 2}
y, z = 2, 3
del x, l[0], l[1:3], d["a"], (y, [z])
out = []
for f in (lambda: x, lambda: y, lambda: z):
    try:
        f()
    except NameError as e:
        out.append(str(e))
result = (l, d, out)
# case: del of a local
def f():
    x = 1
    del x
    try:
        return x
    except UnboundLocalError as e:
        return str(e)
result = f()
# case: del makes a name local
x = 5
def f():
    try:
        del x
    except UnboundLocalError as e:
        return str(e)
result = f()
# case: del of a nonlocal
def f():
    x = 1
    def g():
        nonlocal x
        del x
    g()
    try:
        return x
    except NameError as e:
        return type(e).__name__
result = f()
# case: del of a global
x = 1
def f():
    global x
    del x
f()
try:
    x
except NameError as e:
    result = str(e)
# case: del of nothing
try:
    del nothing
except NameError as e:
    result = str(e)
# case: global in a nested function
x = "global"
def outer():
    x = "outer"
    def inner():
        global x
        before = x
        x = "set"
        return before
    return inner(), x
result = (outer(), x)
# case: global and nonlocal
x = 0
def outer():
    x = 1
    def middle():
        nonlocal x
        x += 10
        def inner():
            global x
            x += 100
            return x
        return inner(), x
    return middle(), x
result = (outer(), x)
# case: global that is not defined yet
def f():
    global fresh
    fresh = 5
f()
result = fresh
# case: global in a class
class C:
    global made
    made = 7
    own = made + 1
result = (made, C.own)
# case: global loop variable, import and function
def f():
    global i, g
    for i in range(3):
        pass
    def g():
        return "g"
f()
result = (i, g())
# case: class scope is not seen by methods
x = "global"
class C:
    x = "class"
    def m(self):
        return x
    y = x
result = (C().m(), C.y)
# case: while else
out = []
def f(stop):
    n = 0
    while n < 3:
        n += 1
        if n == stop:
            break
    else:
        return "else"
    return "break"
result = (f(2), f(5))
# case: for else and continue
out = []
for x in range(3):
    if x == 1:
        continue
    out.append(x)
else:
    out.append("else")
result = out
# case: the loop variable stays
for i in range(3):
    pass
for j in []:
    pass
try:
    j
except NameError as e:
    result = (i, str(e))
# case: walrus
if (n := 10) > 5:
    r = n
result = (r, n, [y := 1, y**2], (z := 3))
# case: walrus in a comprehension binds outside
def f():
    found = [last := x for x in range(4) if x % 2]
    return found, last
result = f()
# case: walrus in any
def f(items):
    if any((bad := x) < 0 for x in items):
        return bad
    return None
result = (f([1, -2, 3]), f([1]))
# case: walrus in a lambda is its own
n = 1
f = lambda x: (n := x) + n
result = (f(5), n)
# case: walrus in while
it = iter([1, 2, 0, 3])
out = []
while (x := next(it)):
    out.append(x)
result = (out, x)
# case: walrus in an assert, raise and del
def f():
    assert (a := 1), (b := 2)
    try:
        raise (e := ValueError("v"))
    except ValueError:
        return a, repr(e)
result = f()
# case: order of assignment
out = []
def f(x):
    out.append(x)
    return x
l = [0] * 5
l[f(1)], l[f(2)] = f(3), f(4)
l[f(0)] = l[f(3)] = f(9)
result = (out, l)
# case: order of augmented assignment
out = []
def f(x):
    out.append(x)
    return x
l = [[0], [1]]
f(l)[f(1)] += f([5])
result = (out[1:], l)
# case: stars everywhere
a, *b, c = range(5)
*d, = "ab"
(e, *f), g = [1, 2, 3], 4
for h, *i in [(1, 2, 3), (4,)]:
    pass
result = (a, b, c, d, e, f, g, h, i, [*b, *d], (*b,), {*d}, {**{"k": 1}, "l": 2}, max(*b, *[7]))
# case: unpacking stops at the first error
l = [0]
try:
    l[5], x = 1, 2
except IndexError as e:
    try:
        x
    except NameError as n:
        result = (str(e), str(n))
# case: for targets
d = {}
for d["k"], (a, *b) in [(1, "xyz"), (2, "pq")]:
    pass
result = (d, a, b)
# case: comprehension targets
result = [(a, b, c) for a, (b, *c) in [(1, "xy"), (2, "pqr")]]
# case: comprehension scope
x = "outer"
l = [x for x in range(3)]
result = (x, l)
# case: chained assignment
a = b = c = []
a.append(1)
result = (b, c is a)
# case: annotations
x: int = 5
y: str
def f():
    z: int
    try:
        return z
    except UnboundLocalError as e:
        return "unbound"
result = (x, f())
# case: if chains
def f(x):
    if x < 0:
        return "neg"
    elif x == 0:
        return "zero"
    elif x < 10:
        return "small"
    else:
        return "big"
result = [f(x) for x in (-1, 0, 5, 50)]
# case: pass and ellipsis
def f():
    ...
class C: ...
result = f()
# case: nested functions and defaults
def outer(a, b=[]):
    def inner(c=a):
        b.append(c)
        return list(b)
    return inner
f = outer(1)
g = outer(2)
result = (f(), g(), f(5))
# case: late binding
result = [f() for f in [lambda: i for i in range(3)]]
# case: recursion of closures
def make():
    def even(n):
        return n == 0 or odd(n - 1)
    def odd(n):
        return n != 0 and even(n - 1)
    return even, odd
even, odd = make()
result = (even(10), odd(7), even(3))
