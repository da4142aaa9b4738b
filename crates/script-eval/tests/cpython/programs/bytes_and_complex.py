"""Methods of bytes, complex numbers, unions of types, hints of lengths."""

# case: methods of bytes
b = b"Hello, World\n"
result = [b.upper(), b.split(b", "), b.find(b"o"), b.find(111), b.count(b"l"), b.replace(b"l", b"L"), b.startswith((b"x", b"He")),
          b.strip(), b"-".join([b"a", b"b"]), b"ab\x80".isalpha(), b"a1".isalnum(), b"x".center(5, b"*"), b"7".zfill(3),
          b"a\nb\r\nc\rd".splitlines(), b"a\nb".splitlines(True), b"abc".translate(None, b"b"), b"k=v".partition(b"="),
          b"\x1ca".strip(), b"a\tb".expandtabs(4), b"aXb".swapcase(), b"pre-x".removeprefix(b"pre-"), b"\xc4".lower()]

# case: wrong arguments of methods of bytes
found = []
for action in [lambda: b"a".find("a"), lambda: b"a".startswith("a"), lambda: b"a".index(b"b"), lambda: b"".join(["a"]),
               lambda: b"a".split("a"), lambda: b"a".find(300), lambda: b"a".translate(b"x")]:
    try:
        action()
    except (TypeError, ValueError) as error:
        found.append((type(error).__name__, str(error)))
result = found

# case: complex numbers
z = 3 + 4j
result = [z, z.real, z.imag, abs(z), z.conjugate(), z * 2, z / (1 - 1j), z ** 2, -z, z == 3 + 4j, z == 3, 2 + 0j == 2, complex("1-2j"),
          complex(1, 2), complex(), complex(2.5), 1j * 1j, hash(complex(5)) == hash(5), {1 + 2j: "a"}[1 + 2j], bool(0j), type(z).__name__,
          isinstance(z, complex), 1e100j, complex("j"), complex(1j), sum([1j, 2])]

# case: wrong complex numbers
found = []
for action in [lambda: complex("1+"), lambda: complex("1", 2), lambda: complex(1, "2"), lambda: complex([]), lambda: 1j // 2,
               lambda: 1j < 2, lambda: 1j / 0, lambda: int(1j), lambda: complex(1, 2, 3)]:
    try:
        action()
    except (TypeError, ValueError, ZeroDivisionError) as error:
        found.append((type(error).__name__, str(error)))
result = found

# case: a class that converts to complex
class C:
    def __complex__(self):
        return 1 + 2j

result = complex(C())

# case: unions of types
import types

class A:
    pass

union = int | str | None
result = [repr(union), isinstance(1, union), isinstance(None, union), isinstance(1.5, union), issubclass(bool, int | A), union.__args__,
          int | str == str | int, int | int is int, type(union) is types.UnionType, isinstance(A(), A | int)]

# case: hints of lengths
import operator

items = iter([1, 2, 3])
next(items)
class Hint:
    def __length_hint__(self):
        return 7

result = [operator.length_hint(items), items.__length_hint__(), operator.length_hint(range(5)), operator.length_hint(Hint()),
          operator.length_hint(object(), 9), operator.length_hint(iter({1: 2})), operator.length_hint(x for x in [1])]

# case: mappings by their keys
class Mapping:
    def keys(self):
        return ["a", "b"]
    def __getitem__(self, key):
        return key * 2

class D(dict):
    pass

def f(**keywords):
    return keywords

result = [dict(Mapping()), {**Mapping()}, f(**Mapping()), dict(D(x=1)), {**D(y=2)}]

# case: subclasses of ordered dictionaries and partial functions
from collections import OrderedDict, defaultdict
from functools import partial

class Ordered(OrderedDict):
    pass

class Default(defaultdict):
    pass

class Partial(partial):
    pass

d = Ordered([("b", 1), ("a", 2)])
d.move_to_end("b")
e = Default(list)
e["x"].append(1)
result = [list(d), d.popitem(), e["x"], Partial(max, 5)(3, 9), issubclass(OrderedDict, dict), list(OrderedDict.fromkeys("ab", 1).items())]

# case: members and properties of enumerations
import enum

class Base(enum.Enum):
    @property
    def first(self):
        return self.name + "!"

class E(Base):
    first = 1
    second = 2

found = [E.second.first, E.first is E(1)]
for action in [lambda: delattr(E, "first"), lambda: setattr(E, "first", 3)]:
    try:
        action()
    except AttributeError as error:
        found.append(str(error))
class Half(float, enum.ReprEnum):
    A = 0.5

class Loud(enum.IntEnum):
    A = 1
    def __str__(self):
        return "loud"

result = found + [str(Half.A), format(Half.A, ".2f"), f"{Loud.A}", enum.Enum("F", "a b", start=5).b.value]
