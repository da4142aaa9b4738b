"""Metaclasses, and what class statements do besides the body."""

# case: a metaclass sees the namespace and adds members
class Meta(type):
    def __new__(mcs, name, bases, namespace, **options):
        namespace["members"] = sorted(key for key in namespace if not key.startswith("__"))
        return super().__new__(mcs, name, bases, namespace)

    def __init__(cls, name, bases, namespace, **options):
        super().__init__(name, bases, namespace)
        cls.options = options

class Base(metaclass=Meta, size=3):
    x = 1
    def method(self):
        return self.x

class Derived(Base):
    y = 2

result = [Base.members, Derived.members, Base.options, type(Derived).__name__, isinstance(Derived, Meta), Base().method()]

# case: methods of a metaclass are methods of the class and not of its instances
class Meta(type):
    def twice(cls):
        return cls.__name__ * 2
    @property
    def label(cls):
        return "<" + cls.__name__ + ">"
    def __len__(cls):
        return 7
    def __getitem__(cls, key):
        return (cls.__name__, key)
    def __iter__(cls):
        return iter("ab")
    def __contains__(cls, item):
        return item == 1
    def __call__(cls, *args):
        return super().__call__(*args[:1])
    def __repr__(cls):
        return f"class {cls.__name__}"
    def __add__(cls, other):
        return (cls.__name__, other)
    def __eq__(cls, other):
        return True
    def __hash__(cls):
        return 1
    def __bool__(cls):
        return False

class C(metaclass=Meta):
    def __init__(self, x):
        self.x = x

result = [C.twice(), C.label, len(C), C[2], list(C), 1 in C, 2 in C, C(5, 6).x, repr(C), C + 1, C == 3, bool(C),
          hasattr(C(1), "twice")]

# case: attributes of a class by its metaclass
class Meta(type):
    def __getattr__(cls, name):
        return name.upper()
    def __setattr__(cls, name, value):
        super().__setattr__(name + "_", value)
    def __delattr__(cls, name):
        super().__delattr__(name + "_")

class C(metaclass=Meta):
    pass

C.x = 1
found = [C.x_, C.missing]
del C.x
result = found + [hasattr(C, "x_"), C.x_]

# case: the most derived metaclass is called
class M1(type):
    pass

class M2(M1):
    pass

class A(metaclass=M1):
    pass

class B(metaclass=M2):
    pass

class C(A, B):
    pass

result = [type(C).__name__, type(type("D", (C,), {})).__name__]

# case: metaclasses without an order conflict
class M1(type):
    pass

class M2(type):
    pass

class A(metaclass=M1):
    pass

class B(metaclass=M2):
    pass

class C(A, B):
    pass

result = C

# case: a function as metaclass
def make(name, bases, namespace):
    return (name, bases, sorted(key for key in namespace if not key.startswith("__")))

class C(metaclass=make):
    x = 1
    y = 2

result = C

# case: prepare gives the namespace
class Meta(type):
    @classmethod
    def __prepare__(mcs, name, bases):
        return {"given": name}

class C(metaclass=Meta):
    x = 1

result = [C.given, C.x]

# case: bases by mro entries
class Proxy:
    def __init__(self, *classes):
        self.classes = classes
    def __mro_entries__(self, bases):
        return self.classes

class A:
    pass

class B:
    pass

class C(Proxy(A, B)):
    pass

result = [C.__bases__ == (A, B), len(C.__orig_bases__)]

# case: isinstance and issubclass by a metaclass
class Meta(type):
    def __instancecheck__(cls, value):
        return value == 1
    def __subclasscheck__(cls, other):
        return other is int

class C(metaclass=Meta):
    pass

result = [isinstance(1, C), isinstance(2, C), issubclass(int, C), issubclass(str, C)]

# case: registered classes and the subclass hook
import abc

class Shape(abc.ABC):
    @classmethod
    def __subclasshook__(cls, other):
        return True if hasattr(other, "area") else NotImplemented

class Square:
    area = 1

class Line:
    pass

before = [issubclass(Square, Shape), isinstance(Square(), Shape), issubclass(Line, Shape)]
Shape.register(Line)
result = before + [issubclass(Line, Shape), isinstance(Line(), Shape), type(Shape) is abc.ABCMeta]

# case: the class cell
class A:
    @staticmethod
    def own():
        return __class__
    def __init_subclass__(cls):
        cls.seen = __class__

class B(A):
    pass

result = [A.own() is A, B.own() is A, B.seen is A]

# case: an error in set name
class Descriptor:
    def __set_name__(self, owner, name):
        1 / 0

try:
    class C:
        x = Descriptor()
except RuntimeError as error:
    result = [str(error), type(error.__cause__).__name__]

# case: methods of type
class A:
    pass

class B(A):
    pass

result = [B.mro() == [B, A, object], type.__call__(B).__class__ is B, type(None)() is None, type(len).__name__,
          type(...).__name__, type(NotImplemented).__name__, type(lambda: 0).__name__, type([].append).__name__]
