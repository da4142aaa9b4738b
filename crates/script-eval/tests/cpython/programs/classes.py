# case: method resolution order
class A:
    def f(self): return "A"
class B(A):
    def f(self): return "B" + super().f()
class C(A):
    def f(self): return "C" + super().f()
class D(B, C):
    def f(self): return "D" + super().f()
result = (D().f(), [c.__name__ for c in D.__mro__], D.__bases__ == (B, C))

# case: inconsistent order
class A: pass
class B(A): pass
class C(A, B): pass

# case: duplicate base
class A: pass
class B(A, A): pass

# case: explicit super
class A:
    def __init__(self, x): self.x = x
class B(A):
    def __init__(self, x, y):
        super(B, self).__init__(x)
        self.y = y
b = B(1, 2)
result = (b.x, b.y, b.__dict__, type(b) is B, b.__class__ is B, type(b).__name__)

# case: super outside
def f(): return super().x
result = f()

# case: super of another class
class A: pass
class B: pass
result = super(A, B())

# case: class attributes and shadowing
class A:
    n = 1
    items = []
a, b = A(), A()
a.n = 5
a.items.append(3)
result = (a.n, b.n, A.n, b.items, "n" in a.__dict__, "n" in b.__dict__)
del a.n
result += (a.n,)

# case: names of a class
class Outer:
    """Text."""
    class Inner:
        def m(self): pass
def make():
    class Local: pass
    return Local
result = (Outer.__name__, Outer.Inner.__qualname__, Outer.__doc__, Outer.Inner.__doc__, Outer.__module__, repr(Outer), repr(Outer.Inner))

# case: isinstance and issubclass
class A: pass
class B(A): pass
class L(list): pass
result = (isinstance(B(), A), isinstance(A(), B), isinstance(B(), (int, A)), issubclass(B, A), issubclass(B, (int, str)),
          isinstance(L(), list), issubclass(L, list), issubclass(bool, int), isinstance(A, type), isinstance(A(), object),
          issubclass(A, object), type(A) is type)

# case: isinstance of something else
class A: pass
result = isinstance(A(), 5)

# case: issubclass of something else
result = issubclass(5, int)

# case: getattr, setattr, hasattr, delattr
class A:
    x = 1
a = A()
setattr(a, "y", 2)
result = (getattr(a, "x"), getattr(a, "y"), getattr(a, "z", 3), hasattr(a, "y"), hasattr(a, "z"), a.y)
delattr(a, "y")
setattr(A, "w", 7)
result += (hasattr(a, "y"), a.w, A.w)

# case: missing attribute
class A: pass
result = A().x

# case: missing attribute of a class
class A: pass
result = A.x

# case: deleting a missing attribute
class A: pass
del A().x

# case: getattr raises
class A: pass
result = getattr(A(), "x")

# case: arguments of object
class A: pass
result = A(1)

# case: init returns a value
class A:
    def __init__(self): return 5
result = A()

# case: new
class A:
    def __new__(cls, *args):
        made = super().__new__(cls)
        made.args = args
        return made
    def __init__(self, x): self.x = x
a = A(4)
result = (a.args, a.x)

# case: new returns something else
class A:
    def __new__(cls): return 7
    def __init__(self): self.never = 1
result = A()

# case: call
class Adder:
    def __init__(self, n): self.n = n
    def __call__(self, x, *, y=0): return self.n + x + y
add = Adder(3)
result = (add(4), add(4, y=1), list(map(add, [1, 2])), callable(add), callable(object()))

# case: getattr hook
class A:
    def __init__(self): self.known = 1
    def __getattr__(self, name):
        if name == "bad":
            raise AttributeError("no " + name)
        return name.upper()
a = A()
result = (a.known, a.other, hasattr(a, "bad"), getattr(a, "bad", 5))

# case: getattribute hook
class A:
    x = 1
    def __getattribute__(self, name):
        if name == "y":
            return "why"
        return super().__getattribute__(name)
result = (A().x, A().y)

# case: setattr hook
class A:
    def __setattr__(self, name, value):
        super().__setattr__(name, value * 2)
    def __delattr__(self, name):
        object.__delattr__(self, name)
a = A()
a.x = 4
result = [a.x]
del a.x
result.append(hasattr(a, "x"))

# case: slots
class P:
    __slots__ = ("x", "y")
    def __init__(self): self.x, self.y = 1, 2
p = P()
result = (p.x, p.y)

# case: properties
class T:
    def __init__(self): self._c = 0
    @property
    def c(self):
        return self._c
    @c.setter
    def c(self, value):
        self._c = value + 1
    @c.deleter
    def c(self):
        self._c = -1
    @property
    def fixed(self): return 9
t = T()
t.c = 5
first = t.c
t.c += 10
second = t.c
del t.c
result = (first, second, t.c, t.fixed, isinstance(T.__dict__["c"], property))

# case: property without setter
class T:
    @property
    def fixed(self): return 9
t = T()
t.fixed = 3

# case: property without deleter
class T:
    @property
    def fixed(self): return 9
del T().fixed

# case: static and class methods
class A:
    count = 0
    @staticmethod
    def s(x): return x + 1
    @classmethod
    def c(cls, x): return (cls.__name__, x)
    @classmethod
    def make(cls): return cls()
class B(A): pass
result = (A.s(1), A().s(2), A.c(3), B.c(4), B().c(5), type(B.make()) is B)

# case: cached property
from functools import cached_property
class A:
    calls = 0
    @cached_property
    def value(self):
        self.calls += 1
        return self.calls * 10
a = A()
result = (a.value, a.value, a.calls, a.__dict__)

# case: init_subclass
class Plugin:
    found = []
    def __init_subclass__(cls, kind="none", **rest):
        super().__init_subclass__(**rest)
        cls.kind = kind
        Plugin.found.append(cls.__name__)
class A(Plugin, kind="a"): pass
class B(A): pass
result = (Plugin.found, A.kind, B.kind)

# case: init_subclass takes no arguments
class A: pass
class B(A, x=1): pass

# case: class decorators
def tag(cls):
    cls.tagged = True
    return cls
def named(name):
    def wrap(cls):
        cls.title = name
        return cls
    return wrap
@tag
@named("N")
class A: pass
@lambda c: 42
class B: pass
result = (A.tagged, A.title, B)

# case: abstract classes
from abc import ABC, abstractmethod
class Shape(ABC):
    @abstractmethod
    def area(self): ...
    @property
    @abstractmethod
    def name(self): ...
class Square(Shape):
    def __init__(self, n): self.n = n
    def area(self): return self.n ** 2
    name = "square"
result = (Square(3).area(), Square(3).name)

# case: instance of an abstract class
from abc import ABC, abstractmethod
class Shape(ABC):
    @abstractmethod
    def area(self): ...
result = Shape()

# case: instance of a class with two abstract methods
import abc
class Shape(metaclass=abc.ABCMeta):
    @abc.abstractmethod
    def b(self): ...
    @abc.abstractmethod
    def a(self): ...
class Part(Shape): pass
result = Part()

# case: abstract base beside another
from abc import ABC
class A: pass
class B(ABC, A): pass
class C(A, ABC): pass
result = [c.__name__ for c in B.__mro__]

# case: protocols
from typing import Protocol
class Sized(Protocol):
    def size(self): ...
class Impl(Sized):
    def size(self): return 3
result = Impl().size()

# case: type with three arguments
def hello(self): return "hello " + self.name
A = type("A", (), {"name": "a", "hello": hello})
B = type("B", (A,), {"name": "b"})
result = (A().hello(), B().hello(), B.__name__, issubclass(B, A))

# case: list subclass
class Stack(list):
    def push(self, x):
        self.append(x)
        return self
    def top(self): return self[-1]
s = Stack([1, 2])
s.push(3)
result = (s, len(s), s.top(), s[0:2], s + [9], 2 in s, list(reversed(s)), isinstance(s, list), s == [1, 2, 3], sum(s), [*s], bool(Stack()))

# case: list subclass with init
class Named(list):
    def __init__(self, name, *items):
        super().__init__(items)
        self.name = name
    def __getitem__(self, i):
        return super().__getitem__(i) * 10
    def __len__(self): return 99
n = Named("x", 1, 2)
result = (n.name, n[0], len(n), n)

# case: int subclass
class Meters(int):
    def __add__(self, other): return Meters(int(self) + int(other))
    def __repr__(self): return f"{int(self)}m"
m = Meters(5)
result = (m + 3, m * 2, type(m + 1).__name__, type(m * 2).__name__, m == 5, hash(m) == hash(5), [10, 20, 30, 40, 50, 60][m], m < 7, -m, range(m), {5: "five"}[m])

# case: int subclass with new
class Even(int):
    def __new__(cls, n):
        return super().__new__(cls, n // 2 * 2)
result = (Even(5), Even(5) + 1, str(Even(7)), f"{Even(7):03}", isinstance(Even(1), int))

# case: str subclass
class Name(str):
    def shout(self): return self.upper() + "!"
n = Name("bob")
result = (n.shout(), n + "by", len(n), n == "bob", n[0], n in {"bob"}, f"{n:>5}", "%s" % n, ",".join([n, n]), isinstance(n, str), repr(n), n.startswith("b"))

# case: tuple subclass
class Pair(tuple):
    def __new__(cls, a, b): return super().__new__(cls, (a, b))
    @property
    def first(self): return self[0]
p = Pair(1, 2)
a, b = p
result = (p.first, a, b, p == (1, 2), p + (3,), hash(p) == hash((1, 2)), p, len(p))

# case: set and float subclasses
class S(set): pass
class F(float): pass
s = S([1, 2])
s.add(3)
result = (s == {1, 2, 3}, 3 in s, len(s), F(1.5) + 1, F("2.5"), repr(F(2)), s)

# case: bool cannot be a base
class B(bool): pass

# case: methods are values
class A:
    def f(self, x): return (self.n, x)
    n = 1
a = A()
g = a.f
h = A.f
result = (g(2), h(a, 3), g.__name__, g.__self__ is a, a.f == a.f)

# case: wrong number of arguments of a method
class A:
    def f(self, x): return x
result = A().f()

# case: not callable
class A: pass
result = A()()

# case: nested classes and closures
def outer(n):
    class C:
        k = n * 2
        def f(self): return n + self.k
    return C
result = (outer(3)().f(), outer(4).k)

# case: class body sees its own names
class A:
    x = 2
    y = x * 3
    def f(self): return self.y
    z = [x for _ in range(1)][:0]
result = (A.y, A().f(), A.z)

# case: conditional members
class A:
    if True:
        def f(self): return 1
    else:
        def f(self): return 2
    for i in range(3):
        last = i
result = (A().f(), A.last, A.i)

# case: class attribute through instance chain
class Node:
    def __init__(self, v, next=None):
        self.v, self.next = v, next
    def __iter__(self):
        at = self
        items = []
        while at is not None:
            items.append(at.v)
            at = at.next
        return iter(items)
result = list(Node(1, Node(2, Node(3))))

# case: classes in tables
class A: pass
class B: pass
table = {A: "a", B: "b", int: "i"}
result = (table[A], table[type(B())], table[type(3)])

# case: classmethod with super
class Base:
    @classmethod
    def make(cls, *args): return ("base", cls.__name__) + args
class Sub(Base):
    @classmethod
    def make(cls, x): return super().make(x, 1)
result = Sub.make(0)

# case: object methods
class A:
    def __init__(self): object.__setattr__(self, "x", 3)
result = (A().x, (5).__add__(3), "ab".__len__(), [1, 2].__getitem__(0), (3).__class__ is int, int.__add__(1, 2))

# case: private names
class A:
    def __init__(self): self.__x = 1
    def get(self): return self.__x
result = (A().get(), A().__dict__)

# case: augmented attribute evaluates once
log = []
class A: pass
a = A()
a.n = 1
def get():
    log.append("get")
    return a
get().n += 5
result = (a.n, log)

# case: dunder class in method
class A:
    def f(self): return __class__.__name__
class B(A): pass
result = B().f()

# case: vars
class A:
    k = 1
    def __init__(self): self.a, self.b = 1, 2
result = (vars(A()), vars(A)["k"])

# case: vars of a number
result = vars(5)
