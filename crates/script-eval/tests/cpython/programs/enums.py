# case: members
from enum import Enum
class Color(Enum):
    RED = 1
    GREEN = 2
    CRIMSON = 1
    def describe(self): return f"{self.name}={self.value}"
    @property
    def lower(self): return self.name.lower()
    @classmethod
    def default(cls): return cls.GREEN
    @staticmethod
    def help(): return "help"
c = Color.RED
result = (c, str(c), repr(c), c.name, c.value, Color(2), Color["GREEN"], list(Color), len(Color), Color.CRIMSON, Color.CRIMSON is Color.RED, c == Color.RED, c != Color.GREEN, c == 1,
          c.describe(), c.lower, Color.default(), Color.help(), Color.RED in Color, isinstance(c, Color), type(c) is Color, {c: "r"}[Color.RED], f"{c}", f"{c:>12}", "%s" % c,
          list(Color.__members__), [m.name for m in Color], c is Color(1), Color(Color.RED) is c, repr(Color), list(reversed(Color)), bool(Color), Color.__name__, hash(c) == hash(Color.RED))

# case: invalid value
from enum import Enum
class Color(Enum):
    RED = 1
result = Color(5)

# case: invalid name
from enum import Enum
class Color(Enum):
    RED = 1
result = Color["BLUE"]

# case: reassigned member
from enum import Enum
class Color(Enum):
    RED = 1
Color.RED = 2

# case: extended enumeration
from enum import Enum
class Color(Enum):
    RED = 1
class More(Color):
    BLUE = 2

# case: not ordered
from enum import Enum
class Color(Enum):
    RED = 1
    BLUE = 2
result = Color.RED < Color.BLUE

# case: auto
from enum import Enum, auto
class A(Enum):
    X = auto()
    Y = auto()
    Z = 10
    W = auto()
result = [(m.name, m.value) for m in A]

# case: generated values
from enum import Enum, auto
class A(Enum):
    def _generate_next_value_(name, start, count, last_values):
        return f"{name.lower()}:{start}:{count}:{last_values}"
    X = auto()
    Y = auto()
result = [m.value for m in A]

# case: integer enumeration
from enum import IntEnum
class P(IntEnum):
    LOW = 1
    HIGH = 10
result = (P.LOW + 1, P.LOW < P.HIGH, P.HIGH > 3, P.LOW == 1, str(P.LOW), repr(P.LOW), f"{P.HIGH}", [0, 5][P.LOW], P(10), sorted([P.HIGH, P.LOW]), isinstance(P.LOW, int), {1: "one"}[P.LOW],
          list(range(P.LOW)), P.LOW * 2, -P.LOW, max(P), sum(P), "%d" % P.HIGH, f"{P.HIGH:04}", P.HIGH.value, P.HIGH / 4, 2 ** P.LOW, P.LOW | 2, int(P.HIGH), P.LOW.bit_length(), bool(P.LOW), 3 - P.LOW)

# case: string enumeration
from enum import StrEnum, Enum, auto
class D(StrEnum):
    F32 = "float32"
    I8 = auto()
class S(str, Enum):
    A = "a"
result = (D.F32, str(D.F32), f"{D.F32}", D.F32 == "float32", D.F32 + "x4", D("i8"), D.I8.value, len(D.F32), D.F32.upper(), {"float32": 1}[D.F32], isinstance(D.F32, str), S.A == "a", str(S.A), repr(S.A), "a" in {S.A}, ",".join(D), D.F32.startswith("float"))

# case: values are tuples
from enum import Enum
class Planet(Enum):
    EARTH = (5.0, 2)
    MARS = (3.0, 1)
    def __init__(self, mass, moons):
        self.mass = mass
        self.moons = moons
    @property
    def ratio(self): return self.mass / self.moons
result = (Planet.EARTH.mass, Planet.MARS.ratio, Planet.EARTH.value, Planet((3.0, 1)))

# case: new
from enum import Enum
class Coord(bytes, Enum):
    def __new__(cls, value, label):
        obj = bytes.__new__(cls, [value])
        obj._value_ = value
        obj.label = label
        return obj
    X = (0, "x")
    Y = (1, "y")
result = (Coord.X.label, Coord(1).label, Coord.Y.value)

# case: missing hook
from enum import Enum
class Color(Enum):
    RED = "red"
    @classmethod
    def _missing_(cls, value):
        for member in cls:
            if member.value == value.lower():
                return member
        return None
result = [Color("RED")]
try:
    Color("blue")
except ValueError as e:
    result.append(str(e))

# case: unique
from enum import Enum, unique
@unique
class A(Enum):
    X = 1
    Y = 1

# case: unique holds
from enum import Enum, unique
@unique
class A(Enum):
    X = 1
    Y = 2
result = list(A)

# case: flags
from enum import Flag, auto
class Perm(Flag):
    R = auto()
    W = auto()
    X = auto()
    RW = R | W
p = Perm.R | Perm.X
result = (p, Perm.RW, Perm.R in p, Perm.W in p, p & Perm.R, p ^ Perm.R, ~Perm.R, bool(Perm.R & Perm.W), list(p), p.value, p.name, Perm(3), Perm(5) is p, [m.value for m in Perm], len(p), Perm(0), str(p), Perm.R | Perm.R is Perm.R, Perm.R == Perm(1), {p: 1}[Perm.X | Perm.R], repr(Perm))

# case: flag with an invalid value
from enum import Flag
class Perm(Flag):
    R = 1
result = Perm(8)

# case: flag and integer
from enum import Flag
class Perm(Flag):
    R = 1
result = Perm.R | 2

# case: integer flags
from enum import IntFlag
class P(IntFlag):
    R = 4
    W = 2
    X = 1
result = (P.R | P.W, P.R | 1, P.R + 1, P(7), P(8), P.R & 6, P.R == 4, ~P.R, [*P(5)], int(P.R | P.X), f"{P.R}", P.R in P(6), isinstance(P.R, int), 8 | P.R)

# case: functional
from enum import Enum, IntEnum
A = Enum("A", "X Y Z")
B = IntEnum("B", ["P", "Q"], start=5)
C = Enum("C", {"M": "m", "N": "n"})
result = (list(A), A.Y.value, B.Q + 1, C("n"), A.__name__)

# case: methods and constants
from enum import Enum
class Op(Enum):
    ADD = "+"
    SUB = "-"
    def __call__(self, a, b): return a + b if self is Op.ADD else a - b
    def __str__(self): return "op" + self.value
result = (Op.ADD(1, 2), Op("-")(5, 3), str(Op.ADD), f"{Op.SUB}", repr(Op.ADD))

# case: member in something else
from enum import Enum
class A(Enum):
    X = 1
result = 1 in A

# case: value is read only
from enum import Enum
class A(Enum):
    X = 1
A.X.value = 3

# case: enumeration in a dataclass
from enum import Enum
from dataclasses import dataclass, field, asdict
class Kind(Enum):
    A = "a"
@dataclass
class Config:
    kind: Kind = Kind.A
    shape: tuple = (1, 2)
result = (Config(), asdict(Config()), Config(Kind("a")) == Config())

# case: ordered by the class
from enum import Enum
class Size(Enum):
    S = 1
    M = 2
    def __lt__(self, other): return self.value < other.value
    def __hash__(self): return hash(self.name)
result = (Size.S < Size.M, sorted([Size.M, Size.S]), Size.S in {Size.S}, Size.M > Size.S)

# case: no mixed constants
from enum import Enum
class A(Enum):
    X = 1
    __private = 3
    def _helper(self): return 1
result = (list(A), A.X._helper())

# case: nested data types
from enum import IntEnum
class W(IntEnum):
    A = 1
    def __repr__(self): return "W!"
result = ([W.A], str(W.A), f"{W.A}")
