# case: a dataclass
from dataclasses import dataclass
@dataclass
class P:
    x: int
    y: int = 2
    z: str = "z"
    def total(self): return self.x + self.y
p = P(1)
q = P(1, 2, z="z")
result = (p, p == q, p != P(2), p.total(), P(y=5, x=1), p.__dict__, P.y, P.__match_args__, p == (1, 2, "z"))
p.x = 9
result += (p,)

# case: missing argument
from dataclasses import dataclass
@dataclass
class P:
    x: int
    y: int
result = P(1)

# case: too many arguments
from dataclasses import dataclass
@dataclass
class P:
    x: int
    y: int = 1
result = P(1, 2, 3)

# case: unknown argument
from dataclasses import dataclass
@dataclass
class P:
    x: int
result = P(1, q=3)

# case: argument twice
from dataclasses import dataclass
@dataclass
class P:
    x: int
result = P(1, x=3)

# case: default before non-default
from dataclasses import dataclass
@dataclass
class P:
    x: int = 1
    y: int

# case: mutable default
from dataclasses import dataclass
@dataclass
class P:
    x: list = []

# case: default factories
from dataclasses import dataclass, field
@dataclass
class P:
    items: list = field(default_factory=list)
    table: dict = field(default_factory=lambda: {"a": 1})
    n: int = field(default=3, repr=False)
    hidden: int = field(init=False, default=7)
    free: int = field(default=0, compare=False)
a, b = P(), P()
a.items.append(1)
result = (a, b, a == b, P(free=1) == P(free=2), a.hidden, hasattr(P, "items"), P.n)

# case: order
from dataclasses import dataclass
@dataclass(order=True)
class V:
    major: int
    minor: int = 0
result = (V(1, 2) < V(1, 3), V(2) > V(1, 9), V(1) <= V(1), V(1) >= V(2), sorted([V(3), V(1, 5), V(1)]), max(V(1), V(0, 9)))

# case: order of different classes
from dataclasses import dataclass
@dataclass(order=True)
class V:
    a: int
@dataclass(order=True)
class W:
    a: int
result = V(1) < W(2)

# case: unorderable
from dataclasses import dataclass
@dataclass
class V:
    a: int
result = V(1) < V(2)

# case: frozen
from dataclasses import dataclass, FrozenInstanceError
@dataclass(frozen=True)
class P:
    x: int
    y: int = 0
p = P(1)
result = [hash(P(1)) == hash(P(1, 0)), {P(1): "a"}[P(1)], len({P(1), P(1), P(2)}), {(P(1), 2): 3}[(P(1), 2)]]
try:
    p.x = 2
except FrozenInstanceError as e:
    result.append(str(e))
try:
    del p.x
except AttributeError as e:
    result.append((type(e).__name__, str(e)))

# case: frozen raises
from dataclasses import dataclass
@dataclass(frozen=True)
class P:
    x: int
P(1).x = 2

# case: frozen with post init
from dataclasses import dataclass, field
@dataclass(frozen=True)
class P:
    x: int
    double: int = field(init=False)
    def __post_init__(self):
        object.__setattr__(self, "double", self.x * 2)
result = P(4)

# case: unhashable
from dataclasses import dataclass
@dataclass
class P:
    x: int
result = {P(1)}

# case: unsafe hash
from dataclasses import dataclass
@dataclass(unsafe_hash=True)
class P:
    x: int
result = ({P(1), P(1)} == {P(1)}, hash(P(3)) == hash((3,)))

# case: eq off
from dataclasses import dataclass
@dataclass(eq=False)
class P:
    x: int
a = P(1)
result = (a == P(1), a == a, {a: 1}[a], repr(a))

# case: repr off
from dataclasses import dataclass
@dataclass(repr=False)
class P:
    x: int
    def __repr__(self): return "mine"
@dataclass
class Q:
    x: int
    def __repr__(self): return "own"
    def __eq__(self, o): return True
result = (P(1), Q(2), Q(1) == Q(2))

# case: keyword only
from dataclasses import dataclass, field, KW_ONLY
@dataclass(kw_only=True)
class A:
    x: int = 1
    y: int
@dataclass
class B:
    a: int
    _: KW_ONLY
    b: int = 2
    c: int
@dataclass
class C:
    a: int = field(kw_only=True)
    b: int
result = (A(y=2), B(1, c=3), C(5, a=1), B.__match_args__)

# case: keyword only missing
from dataclasses import dataclass
@dataclass(kw_only=True)
class A:
    x: int
    y: int
result = A(x=1)

# case: post init and InitVar
from dataclasses import dataclass, field, InitVar
from typing import ClassVar
@dataclass
class P:
    n: int
    scale: InitVar[int] = 10
    count: ClassVar[int] = 0
    total: int = field(init=False)
    def __post_init__(self, scale):
        P.count += 1
        self.total = self.n * scale
result = (P(2), P(2, 3), P(1, scale=7).total, P.count, P(1).scale)

# case: inheritance
from dataclasses import dataclass
@dataclass
class A:
    x: int
    y: int = 1
@dataclass
class B(A):
    z: int = 5
    x: int = 3
@dataclass
class C(A):
    def __init__(self): super().__init__(7)
result = (B(), B(1, 2, 3), C(), isinstance(B(), A), A(1) == B(1))

# case: fields, asdict, astuple, replace
from dataclasses import dataclass, field, fields, asdict, astuple, replace, is_dataclass
@dataclass
class Inner:
    a: int
@dataclass
class Outer:
    n: int
    inner: Inner
    many: list = field(default_factory=list)
    table: dict = field(default_factory=dict, metadata={"doc": "t"})
o = Outer(1, Inner(2), [Inner(3), (Inner(4), 5)], {"k": Inner(6)})
d = asdict(o)
o.many.append(0)
result = (d, astuple(Outer(1, Inner(2))), replace(o, n=9).n, replace(o, n=9).inner is o.inner, [f.name for f in fields(o)], [f.name for f in fields(Outer)],
          fields(Outer)[3].metadata["doc"], fields(Outer)[0].type, is_dataclass(o), is_dataclass(Outer), is_dataclass(int), is_dataclass(5), o == o, len(d["many"]))

# case: fields of something else
from dataclasses import fields
result = fields(5)

# case: asdict of a class
from dataclasses import dataclass, asdict
@dataclass
class A:
    x: int
result = asdict(A)

# case: replace with an unknown field
from dataclasses import dataclass, replace
@dataclass
class A:
    x: int
result = replace(A(1), y=2)

# case: replace of a field without init
from dataclasses import dataclass, replace, field
@dataclass
class A:
    x: int
    y: int = field(init=False, default=0)
result = replace(A(1), y=2)

# case: both defaults
from dataclasses import field
result = field(default=1, default_factory=list)

# case: field without annotation
from dataclasses import dataclass, field
@dataclass
class P:
    x = field(default=1)

# case: nested repr
from dataclasses import dataclass
@dataclass
class Node:
    v: int
    next: "Node" = None
n = Node(1, Node(2))
n.next.next = n
result = repr(n)

# case: properties and methods of dataclasses
from dataclasses import dataclass
@dataclass
class Rect:
    w: float
    h: float = 2.0
    @property
    def area(self): return self.w * self.h
    @classmethod
    def square(cls, n): return cls(n, n)
    @staticmethod
    def unit(): return Rect(1, 1)
result = (Rect(3).area, Rect.square(2), Rect.unit().area)

# case: frozen inherits non-frozen
from dataclasses import dataclass
@dataclass
class A:
    x: int
@dataclass(frozen=True)
class B(A):
    y: int

# case: named tuple class
from typing import NamedTuple
class P(NamedTuple):
    x: int
    y: int = 5
    def norm(self): return self.x + self.y
    @property
    def twice(self): return (self.x * 2, self.y * 2)
p = P(1)
x, y = p
result = (p, p.x, p[1], x, y, p.norm(), p.twice, P._fields, P._field_defaults, p._asdict(), p._replace(x=7), P._make([3, 4]), p == (1, 5), p == P(1), p + (9,),
          len(p), list(p), (1, 5) in {p}, {p: 1}[(1, 5)], p < P(2), max(P(0, 9), P(1, 0)), isinstance(p, tuple), p * 2, p[::-1], sorted([P(2), P(1)]), 5 in p, p.index(5), "%d-%d" % p, hash(p) == hash((1, 5)), repr(P("a", None)), str(p), f"{p}")

# case: namedtuple
from collections import namedtuple
P = namedtuple("P", "x y z", defaults=[2, 3])
Q = namedtuple("Q", ["a", "b"])
R = namedtuple("R", "a, class, a, _x", rename=True)
result = (P(1), P(1, z=0), Q(1, 2)._replace(b=5), Q._make("xy"), R._fields, P._field_defaults, Q(*[1, 2]), Q(**{"a": 1, "b": 2}), P.__name__, type(Q(1, 2)).__name__, Q(1, 2) == (1, 2))

# case: namedtuple missing
from collections import namedtuple
result = namedtuple("P", "x y")(1)

# case: namedtuple too many
from collections import namedtuple
result = namedtuple("P", "x y")(1, 2, 3)

# case: namedtuple is immutable
from collections import namedtuple
p = namedtuple("P", "x y")(1, 2)
p.x = 3

# case: namedtuple replace of an unknown field
from collections import namedtuple
namedtuple("P", "x y")(1, 2)._replace(z=3)

# case: namedtuple make of a wrong length
from collections import namedtuple
namedtuple("P", "x y")._make([1])

# case: namedtuple with a bad name
from collections import namedtuple
namedtuple("P", "x 1y")

# case: namedtuple with a keyword
from collections import namedtuple
namedtuple("P", "x class")

# case: namedtuple with duplicates
from collections import namedtuple
namedtuple("P", "x x")

# case: namedtuple with an underscore
from collections import namedtuple
namedtuple("P", "_x")

# case: subclass of a namedtuple
from collections import namedtuple
class P(namedtuple("Base", "x y")):
    __slots__ = ()
    def __new__(cls, x, y=10): return super().__new__(cls, x, y)
    def sum(self): return self.x + self.y
result = (P(1), P(1).sum(), P(1, 2)._replace(x=5), isinstance(P(1), tuple))

# case: named tuple with a default before
from typing import NamedTuple
class P(NamedTuple):
    x: int = 1
    y: int
