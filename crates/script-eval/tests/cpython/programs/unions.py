"""Unions of types, members of enumerations."""

# case: unions of types
import types

class A:
    pass

union = int | str | None
result = [repr(union), isinstance(1, union), isinstance(None, union), isinstance(1.5, union), issubclass(bool, int | A), union.__args__,
          int | str == str | int, int | int is int, type(union) is types.UnionType, isinstance(A(), A | int)]

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
