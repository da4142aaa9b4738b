# case: partialmethod
from functools import partialmethod, partial
class Cell:
    def __init__(self): self.alive = False
    def set_state(self, state, *more, key=None): self.alive = state, more, key; return self.alive
    set_alive = partialmethod(set_state, True)
    set_dead = partialmethod(set_state, False, 1, key="k")
    nested = partialmethod(set_alive, 5)
    @classmethod
    def make(cls, a, b): return cls.__name__, a, b
    @staticmethod
    def plain(a, b): return a, b
    made = partialmethod(make, 1)
    plained = partialmethod(plain, 1)
    built = partialmethod(max, 7)
    over_partial = partialmethod(partial(set_state, key=9), 3)
c = Cell()
def attempt(f, *args, **kw):
    try:
        return f(*args, **kw)
    except Exception as e:
        return type(e).__name__, str(e)
result = [c.set_alive(), c.set_dead(), c.set_dead(2, key="z"), c.nested(6), c.made(2), Cell.made(3), c.plained(2), Cell.set_alive(c, 4), c.over_partial(1)]
result += [attempt(partialmethod, 3), c.set_alive.func is not None if hasattr(c.set_alive, "func") else None]
# case: singledispatch
from functools import singledispatch
from collections.abc import Sequence, Mapping
import typing
@singledispatch
def f(x, *more): return "object", more
@f.register
def _(x: int, *more): return "int", more
@f.register(list)
def g(x): return "list", len(x)
f.register(str, lambda x: "str " + x)
@f.register(float)
@f.register(complex)
def h(x): return "number"
@f.register
def _(x: Mapping): return "mapping"
@f.register(Sequence)
def _(x): return "sequence"
@f.register
def _(x: bytes | None): return "bytes or none"
class A: pass
class B(A): pass
class C(B): pass
f.register(A)(lambda x: "A")
f.register(C)(lambda x: "C")
def attempt(f, *args, **kw):
    try:
        return f(*args, **kw)
    except Exception as e:
        return type(e).__name__, str(e)
result = [f(1), f(True, 2), f([1, 2]), f("x"), f(1.5), f(1j), f({}), f((1,)), f(None), f(b""), f(A()), f(B()), f(C()), f(set()), g([3]), f.dispatch(bool) is f.dispatch(int), f.dispatch(dict)({}), len(f.registry), f.__name__, int in f.registry]
result += [attempt(f), attempt(f.register, 3), attempt(f.register, lambda x: 1)[0]]
# case: singledispatchmethod
from functools import singledispatchmethod
class N:
    def __init__(self, n): self.n = n
    @singledispatchmethod
    def neg(self, x): raise TypeError("no way")
    @neg.register
    def _(self, x: int): return self.n, -x
    @neg.register(bool)
    def _(self, x): return self.n, not x
    @neg.register
    @classmethod
    def _(cls, x: str): return cls.__name__, x
    @singledispatchmethod
    @staticmethod
    def s(x): return "any", x
    @s.register(int)
    @staticmethod
    def _(x): return "int", x
    @singledispatchmethod
    @classmethod
    def k(cls, x): return cls.__name__, x
    @k.register(int)
    @classmethod
    def _(cls, x): return cls.__name__, "int", x
class O(N): pass
def attempt(f, *args, **kw):
    try:
        return f(*args, **kw)
    except Exception as e:
        return type(e).__name__, str(e)
n = N(5)
result = [n.neg(3), n.neg(True), n.neg("x"), attempt(n.neg, 1.5), n.s(1), N.s(2.5), n.k(1), N.k("q"), O.k(2), O(6).neg(7), attempt(n.neg)]
# case: percent on bytes
def attempt(f, *args, **kw):
    try:
        return f(*args, **kw)
    except Exception as e:
        return type(e).__name__, str(e)
class X:
    def __bytes__(self): return b"<X>"
result = [b"%d %5d|%-5d|%05d" % (1, 2, 3, 4), b"%s %b" % (b"a", bytearray(b"b")), b"%a %r" % ("e", b"q"), b"%c%c" % (65, b"B"), b"%x %X %o %#x" % (255, 255, 8, 16), b"%.2f %e %g" % (1.5, 2.5, 3.5), b"%%" % (), b"%(a)d" % {b"a": 3}, b"%s" % X(), b"%10s|%-10s|" % (b"ab", b"cd"), bytearray(b"%d") % 3, b"%.2s" % b"abc"]
result += [attempt(lambda: b"%s" % "x"), attempt(lambda: b"%d" % "x"), attempt(lambda: b"%d"  % ()), attempt(lambda: b"x" % 3), attempt(lambda: b"%c" % 300), attempt(lambda: b"%z" % 3), attempt(lambda: b"%s" % 3), attempt(lambda: b"%c" % "a")]
# case: identity numbers
a = []
b = []
result = [id(a) == id(a), id(a) == id(b), id(a) != id(b), isinstance(id(3), int), id(None) == id(None), id(len) == id(len), id(a) > 0, len({id(x) for x in (a, b, a)})]
class C: pass
c, d = C(), C()
result += [id(c) == id(c), id(c) == id(d), id(C) == id(C), {id(c): 1}[id(c)]]
# case: templates of string and its constants
import string
from string import Template
def attempt(f, *args, **kw):
    try:
        return f(*args, **kw)
    except Exception as e:
        return type(e).__name__, str(e)
t = Template("$who likes ${what}s for $$5")
result = [t.substitute(who="tim", what="kung pao"), t.substitute({"who": 1, "what": 2}), t.substitute({"who": 1, "what": 2}, who="over"), t.safe_substitute(who="x"), t.template, attempt(t.substitute, who="x"), attempt(Template("$").substitute), attempt(Template("a\n  $ x").substitute), Template("$ $1 ${}").safe_substitute(), Template("$a_b1 $ab-c").substitute(a_b1=3, ab=4), attempt(Template("${a b}").substitute, a=3)]
result += [t.is_valid(), Template("$ x").is_valid(), t.get_identifiers(), Template("$a $b $a ${c}").get_identifiers()] if hasattr(t, "is_valid") else []
result += [string.ascii_letters, string.ascii_lowercase, string.ascii_uppercase, string.digits, string.hexdigits, string.octdigits, string.punctuation, string.printable, string.whitespace, string.capwords("a bC d")]
class P(Template):
    delimiter = "%"
result += [P("%x and $x").substitute(x=1)]
# case: hashes of nested keys
class K:
    def __init__(self, v): self.v = v
    def __hash__(self): return hash(("K", self.v))
    def __eq__(self, o): return isinstance(o, K) and self.v == o.v
d = {(1, K(2)): "a", frozenset([K(3), 4]): "b", ((), ((K(5),),)): "c"}
result = [d[(1, K(2))], d[frozenset([4, K(3)])], d[((), ((K(5),),))], (1, K(9)) in d, hash((K(1), 2)) == hash((K(1), 2)), hash(K(1)) == hash(K(1)), len({K(1), K(1), K(2)}), hash(frozenset([1, 2])) == hash(frozenset([2, 1])), hash((1, (2, 3))), hash(1.5) == hash(1.5), hash("a") == hash("a"), hash(-1), hash(2**61 - 1), {1: "x", 1.0: "y", True: "z"}]
def attempt(f, *args, **kw):
    try:
        return f(*args, **kw)
    except Exception as e:
        return type(e).__name__, str(e)
result += [attempt(hash, ([],)), attempt(hash, (1, {})), attempt(lambda: {(1, [2]): 3})]
# case: cached properties in subclasses
from functools import cached_property
class Tracked(cached_property):
    calls = []
    def __get__(self, instance, owner=None):
        self.calls.append(self.attrname)
        return super().__get__(instance, owner)
class A:
    n = 0
    @cached_property
    def x(self):
        "doc of x"
        A.n += 1
        return [self.n]
    @Tracked
    def y(self): return "y"
class B(A):
    @cached_property
    def x(self): return super().x + ["B"]
a, b = A(), B()
def attempt(f, *args, **kw):
    try:
        return f(*args, **kw)
    except Exception as e:
        return type(e).__name__, str(e)
result = [a.x, a.x, a.x is a.x, "x" in a.__dict__, b.x, b.x, a.y, a.y, Tracked.calls, A.x.func.__name__, A.x.attrname, A.x.__doc__, isinstance(A.x, cached_property)]
a.x = 3
result.append(a.x)
del a.x
result.append(a.x)
def broken():
    class Two:
        @cached_property
        def one(self): return 1
        two = one
result.append(attempt(broken))
