# case: arithmetic
class V:
    def __init__(self, x, y): self.x, self.y = x, y
    def __add__(self, o): return V(self.x + o.x, self.y + o.y) if isinstance(o, V) else NotImplemented
    def __sub__(self, o): return V(self.x - o.x, self.y - o.y)
    def __mul__(self, k): return V(self.x * k, self.y * k)
    __rmul__ = __mul__
    def __matmul__(self, o): return self.x * o.x + self.y * o.y
    def __neg__(self): return V(-self.x, -self.y)
    def __pos__(self): return self
    def __invert__(self): return V(self.y, self.x)
    def __abs__(self): return (self.x ** 2 + self.y ** 2) ** 0.5
    def __eq__(self, o): return isinstance(o, V) and (self.x, self.y) == (o.x, o.y)
    def __repr__(self): return f"V({self.x}, {self.y})"
    def __bool__(self): return bool(self.x or self.y)
    def __floordiv__(self, k): return V(self.x // k, self.y // k)
    def __truediv__(self, k): return V(self.x / k, self.y / k)
    def __mod__(self, k): return V(self.x % k, self.y % k)
    def __divmod__(self, k): return (self // k, self % k)
    def __pow__(self, k): return V(self.x ** k, self.y ** k)
    def __lshift__(self, k): return V(self.x << k, self.y << k)
    def __and__(self, k): return "and"
    def __ror__(self, k): return "ror"
    def __xor__(self, k): return "xor"
    def __round__(self, n=0): return ("round", n)
a, b = V(3, 4), V(1, 2)
result = (a + b, a - b, a * 2, 2 * a, a @ b, -a, +a, ~a, abs(a), a == V(3, 4), a != b, bool(V(0, 0)), a // 2, a / 2, a % 2,
          divmod(a, 2), a ** 2, a << 1, a & 1, 1 | a, a ^ 1, round(a), round(a, 2), not a, a and 1)

# case: unsupported operand
class A: pass
result = A() + 1

# case: unsupported on the right
class A: pass
result = 1 - A()

# case: not implemented by both
class A:
    def __add__(self, o): return NotImplemented
class B:
    def __radd__(self, o): return NotImplemented
result = A() + B()

# case: reflected after not implemented
class A:
    def __add__(self, o): return NotImplemented
class B:
    def __radd__(self, o): return "B.radd"
result = A() + B()

# case: subclass reflects first
class A:
    def __add__(self, o): return "A.add"
    def __radd__(self, o): return "A.radd"
class B(A):
    def __radd__(self, o): return "B.radd"
result = (A() + B(), B() + A(), A() + A(), 1 + A())

# case: in place
class Acc:
    def __init__(self): self.items = []
    def __iadd__(self, x):
        self.items.append(x)
        return self
    def __imul__(self, k): return "replaced"
a = b = Acc()
a += 1
a += 2
first = (a is b, a.items)
a *= 3
result = first + (a,)

# case: in place falls back
class N:
    def __init__(self, n): self.n = n
    def __add__(self, o): return N(self.n + o)
x = N(1)
x += 4
class Holder: pass
h = Holder()
h.n = N(2)
h.n += 3
d = {"k": N(5)}
d["k"] += 1
result = (x.n, h.n.n, d["k"].n)

# case: bad unary
class A: pass
result = -A()

# case: comparisons
class N:
    def __init__(self, n): self.n = n
    def __lt__(self, o): return self.n < o.n
    def __le__(self, o): return self.n <= o.n
    def __repr__(self): return f"N{self.n}"
a, b = N(1), N(2)
result = (a < b, a <= b, a > b, a >= b, a == b, a != b, sorted([N(3), N(1), N(2)]), max(a, b), min([b, a]), [a] < [b], (1, a) < (1, b))

# case: unorderable
class A: pass
result = A() < A()

# case: unorderable with int
class A: pass
result = A() >= 3

# case: equality reflects
class A:
    def __eq__(self, o): return "eq"
result = (5 == A(), A() == 5, [A()] == [1], A() != 5)

# case: comparisons return any value
class E:
    def __init__(self, t): self.t = t
    def __lt__(self, o): return E(f"({self.t} < {o})")
    def __gt__(self, o): return E(f"({self.t} > {o})")
    def __eq__(self, o): return E(f"({self.t} == {o})")
result = ((E("a") < 3).t, (4 < E("b")).t, (E("c") == "d").t)

# case: keys
class P:
    def __init__(self, x, y): self.x, self.y = x, y
    def __eq__(self, o): return isinstance(o, P) and (self.x, self.y) == (o.x, o.y)
    def __hash__(self): return hash((self.x, self.y))
d = {P(1, 2): "a", P(3, 4): "b"}
d[P(1, 2)] = "c"
result = (len(d), d[P(1, 2)], P(3, 4) in d, P(5, 6) in d, len({P(1, 1), P(1, 1), P(1, 2)}), d.get(P(9, 9)), {(P(1, 2), 3): 1}[(P(1, 2), 3)],
          {P(1, 2)} == {P(1, 2)}, {P(1, 2)} | {P(1, 2), P(0, 0)} == {P(0, 0), P(1, 2)}, {P(1, 2)} & {P(1, 2)} == set())

# case: keys by identity
class A: pass
a, b = A(), A()
d = {a: 1, b: 2}
result = (d[a], d[b], len({a, b, a}), A() in d, hash(a) == hash(a))

# case: equality without hash
class A:
    def __eq__(self, o): return True
result = {A(): 1}

# case: hash of a class without hash
class A:
    def __eq__(self, o): return True
result = hash(A())

# case: hash is inherited
class A:
    def __eq__(self, o): return True
    def __hash__(self): return 5
class B(A):
    def __eq__(self, o): return True
class C(A): pass
result = (hash(C()), hash(A()), B.__hash__)

# case: hash of a wrong type
class A:
    def __hash__(self): return "x"
result = hash(A())

# case: truth and length
class L:
    def __init__(self, n): self.n = n
    def __len__(self): return self.n
class Plain: pass
result = (bool(L(0)), bool(L(2)), len(L(3)), bool(Plain()), [x for x in [L(0), L(1)] if x] != [])

# case: bool of a wrong type
class A:
    def __bool__(self): return 1
result = bool(A())

# case: negative length
class A:
    def __len__(self): return -1
result = len(A())

# case: length of a wrong type
class A:
    def __len__(self): return "x"
result = len(A())

# case: no length
class A: pass
result = len(A())

# case: containers
class Grid:
    def __init__(self): self.cells = {}
    def __getitem__(self, key): return self.cells.get(key, 0)
    def __setitem__(self, key, value): self.cells[key] = value
    def __delitem__(self, key): del self.cells[key]
    def __contains__(self, key): return key in self.cells
    def __len__(self): return len(self.cells)
    def __iter__(self): return iter(sorted(self.cells))
g = Grid()
g[1, 2] = 5
g[0, 0] = 7
g[1, 2] += 1
result = [g[1, 2], g[9, 9], (1, 2) in g, (9, 9) in g, len(g), list(g), g[1:2], [k for k in g]]
del g[1, 2]
result.append(len(g))

# case: slices reach getitem
class S:
    def __getitem__(self, key): return key
result = (S()[1:2], S()[::3], S()[1, 2:3], S()[...], S()[-1])

# case: not subscriptable
class A: pass
result = A()[0]

# case: no item assignment
class A: pass
A()[0] = 1

# case: no item deletion
class A: pass
del A()[0]

# case: iteration
class Count:
    def __init__(self, n): self.n = n
    def __iter__(self): return Counter(self.n)
class Counter:
    def __init__(self, n): self.i, self.n = 0, n
    def __iter__(self): return self
    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.i
c = Counter(2)
a, b, *rest = Count(5)
result = (list(Count(3)), sum(Count(4)), [*Count(2)], a, rest, next(c), next(c), next(c, "end"), 3 in Count(5), 9 in Count(5), dict(zip(Count(2), "ab")), tuple(Count(0)), max(Count(3)), list(enumerate(Count(2))), list(map(str, Count(2))), {**{1: 2}}, sorted(Count(3), reverse=True))

# case: old sequence protocol
class Old:
    def __init__(self, n): self.n = n
    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError(i)
        return i * i
    def __len__(self): return self.n
result = (list(Old(4)), 9 in Old(4), 5 in Old(4), list(reversed(Old(3))), [x for x in Old(2)])

# case: not iterable
class A: pass
for x in A(): pass

# case: iter returns a non-iterator
class A:
    def __iter__(self): return 5
result = list(A())

# case: next of a non-iterator
class A: pass
result = next(A())

# case: in something without
class A: pass
result = 1 in A()

# case: reversed
class R:
    def __reversed__(self): return iter([3, 2, 1])
result = list(reversed(R()))

# case: not reversible
class A: pass
result = reversed(A())

# case: conversions
class N:
    def __int__(self): return 7
    def __float__(self): return 2.5
    def __index__(self): return 3
    def __str__(self): return "str"
    def __repr__(self): return "repr"
    def __format__(self, spec): return f"<{spec}>"
n = N()
result = (int(n), float(n), [10, 20, 30, 40][n], list(range(n)), hex(n), "abcdef"[n], str(n), repr(n), f"{n}", f"{n!r}", f"{n:>5}", format(n, "x"), "{:abc}".format(n), "%s %r" % (n, n), [n], {"k": n}, "ab" * n, [1, 2, 3, 4, 5][:n], bin(n), round(2.34567, n))

# case: str falls back to repr
class A:
    def __repr__(self): return "A()"
class B(A): pass
result = (str(A()), f"{B()}", [B()], "%s" % B(), "{}".format(A()))

# case: repr of a wrong type
class A:
    def __repr__(self): return 5
result = repr(A())

# case: str of a wrong type
class A:
    def __str__(self): return 5
result = str(A())

# case: index of a wrong type
class A:
    def __index__(self): return "x"
result = [1][A()]

# case: int of something else
class A: pass
result = int(A())

# case: float of something else
class A: pass
result = float(A())

# case: float of a wrong type
class A:
    def __float__(self): return 1
result = float(A())

# case: float by index
class A:
    def __index__(self): return 4
result = (float(A()), int(A()))

# case: format of an object
class A: pass
result = format(A(), "x")

# case: index as a list index
class A: pass
result = [1][A()]

# case: polynomial
class Poly:
    def __init__(self, *c): self.c = c
    def __call__(self, x): return sum(k * x ** i for i, k in enumerate(self.c))
    def __add__(self, o):
        n = max(len(self.c), len(o.c))
        pad = lambda c: list(c) + [0] * (n - len(c))
        return Poly(*[a + b for a, b in zip(pad(self.c), pad(o.c))])
    def __mul__(self, o):
        out = [0] * (len(self.c) + len(o.c) - 1)
        for i, a in enumerate(self.c):
            for j, b in enumerate(o.c):
                out[i + j] += a * b
        return Poly(*out)
    def __eq__(self, o): return self.c == o.c
    def __repr__(self): return " + ".join(f"{k}x^{i}" for i, k in enumerate(self.c))
p, q = Poly(1, 2), Poly(0, 1, 3)
result = (p + q, p * q, p(3), (p * q)(2) == p(2) * q(2), p == Poly(1, 2))

# case: sum of instances
class M:
    def __init__(self, n): self.n = n
    def __radd__(self, o): return o + self.n
    def __add__(self, o): return self.n + o
result = sum([M(1), M(2), M(3)])

# case: comparison chain
class N:
    def __init__(self, n): self.n = n
    def __lt__(self, o): return self.n < o.n
a, b, c = N(1), N(2), N(3)
result = (a < b < c, c < b < a)

# case: error inside a method
class A:
    def __add__(self, o): return self.missing
result = A() + 1
