"""Properties, and special methods as attributes."""

# case: documentation and names of properties
class C:
    @property
    def x(self):
        "text"
    y = property(doc="own")
    z = property(lambda self: 1)

found = [C.x.__doc__, C.y.__doc__, C.z.__doc__]
for name in ["x", "y", "z"]:
    try:
        setattr(C(), name, 1)
    except AttributeError as error:
        found.append(str(error))
C.w = property()
for action in [lambda: C().w, lambda: delattr(C(), "y")]:
    try:
        action()
    except AttributeError as error:
        found.append(str(error))
C.z.__doc__ = "new"
result = found + [C.z.__doc__]

# case: attributes of functions
def f(a, b: int = 1, *, c: "text" = 2) -> str:
    "doc"

found = [f.__annotations__, f.__defaults__, f.__kwdefaults__, f.__dict__, f.__call__ is not None]
f.__defaults__ = (7, 8)
f.__kwdefaults__ = {"c": 9}
f.__name__ = "g"
f.extra = 1
def g(a, b=1):
    return (a, b)
g.__defaults__ = (5, 6)
result = found + [f.__name__, f.__dict__, g(), g(1)]

# case: wrong attributes of functions
def f():
    pass

found = []
for name, value in [("__name__", 1), ("__defaults__", 1), ("__dict__", 1), ("__annotations__", 1)]:
    try:
        setattr(f, name, value)
    except TypeError as error:
        found.append(str(error))
class C:
    def method(self):
        pass
for action in [lambda: setattr(C().method, "x", 1), lambda: setattr(5, "x", 1)]:
    try:
        action()
    except AttributeError as error:
        found.append(str(error))
result = found

# case: special methods of built-in values
items = [1, 2]
same = items
items.__iadd__([3])
items.__imul__(2)
result = [same, (7).__index__(), (7).__divmod__(2), (2.5).__floor__(), (2.5).__ceil__(), (7.9).__int__(), (7).__float__(),
          (5).__invert__(), {1: 2}.__or__({3: 4}), list([1, 2].__reversed__()), range(3).__len__(), range(3).__contains__(2),
          "ab".__rmul__(2), {1, 2}.__ior__({3}), (1).__round__(), True.__int__()]

# case: indices of classes that extend int
class Trap(int):
    def __index__(self):
        return 42

import operator
result = [int(Trap(7)), operator.index(Trap(7)), [0, 1, 2][Trap(1)], 2 * Trap(3)]

# case: sequences repeated by an index
class Count:
    def __index__(self):
        return 2

result = ["ab" * Count(), Count() * "ab", [1] * Count(), Count() * (1,), range(5)[Count()]]

# case: power with a modulus
class P:
    def __pow__(self, exponent, modulus=None):
        return (exponent, modulus)

result = [P() ** 2, pow(P(), 3), pow(P(), 3, 5)]

# case: decorators run in order
log = []
def named(name):
    log.append("eval " + name)
    def decorate(f):
        log.append("call " + name)
        return f
    return decorate

def define():
    @named("a")
    @named("b")
    @named("c")
    def f():
        pass

define()
result = log

# case: enumerations describe themselves
import enum

class Color(enum.Enum):
    RED = 1
    BLUE = 2
    CRIMSON = 1

result = [Color._member_names_, Color._member_type_ is object, sorted(Color._value2member_map_), type(Color) is enum.EnumType]

# case: star imports of modules for classes
from dataclasses import *

@dataclass
class Point:
    x: int
    y: int = 0

result = [Point(1), replace(Point(1), y=2), asdict(Point(3)), is_dataclass(Point), [f.name for f in fields(Point)],
          Point.__annotations__]
