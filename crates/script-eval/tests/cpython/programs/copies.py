# case: copies of instances
import copy
class A:
    def __init__(self, v):
        self.v = v
    def __repr__(self):
        return f'A({self.v})'
class L(list):
    pass
a = A([1, [2]])
b, c = copy.copy(a), copy.deepcopy(a)
a.v[1].append(3)
a.w = 1
l = L([[1]])
l.tag = [2]
m, n = copy.copy(l), copy.deepcopy(l)
d = dict(k=[1])
e = copy.deepcopy(d)
result = [a, b, c, b is a, b.v is a.v, c.v is a.v, hasattr(b, 'w'), m, m is l, m[0] is l[0], n[0] is l[0], type(n).__name__, n.tag, n.tag is l.tag, e, type(e).__name__, e['k'] is d['k']]
# case: copies by methods of the class
import copy
class C:
    def __init__(self, v):
        self.v = v
    def __copy__(self):
        return C(('copied', self.v))
    def __deepcopy__(self, memo):
        return C(('deep', copy.deepcopy(self.v, memo)))
    def __repr__(self):
        return f'C({self.v})'
c = C([1])
pair = [c, c]
deep = copy.deepcopy(pair)
result = [copy.copy(c), copy.deepcopy(c), deep, deep[0] is deep[1], deep[0] is c]
# case: deep copies keep cycles and sharing between instances
import copy
class N:
    pass
a, b = N(), N()
a.other, b.other = b, a
a.shared = b.shared = []
c = copy.deepcopy(a)
result = [c is a, c.other is b, c.other.other is c, c.shared is c.other.shared, c.shared is a.shared]
# case: members of enumerations and tuples of numbers are their own copies
import copy
from enum import Enum
class E(Enum):
    A = [1]
t = (1, (2, 'a'))
result = [copy.copy(E.A) is E.A, copy.deepcopy([E.A])[0] is E.A, copy.deepcopy(t) is t, copy.deepcopy((1, [2])) == (1, [2])]
# case: words of a text get capital letters
import string
result = [string.capwords('  hello  big\tworld '), string.capwords('a-bC--d', '-'), string.capwords(''), string.capwords('ñandú éa')]
# case: members of enumerations are found by value
from enum import Enum, IntEnum
class E(Enum):
    A = 1
    B = [1]
    C = 'c'
    D = 1.0
class I(IntEnum):
    X = 1
    Y = True
result = [E(1), E([1]), E('c'), E(True), E.D is E.A, I(1.0), I.Y is I.X, list(E), sorted(k for k in E._value2member_map_ if isinstance(k, str))]
for value in (2, [2], 'd', {}):
    try:
        E(value)
    except ValueError as error:
        result.append(str(error))
# case: a method for calls may be an instance
class F:
    def __call__(self, x):
        return x + 1
class A:
    __call__ = F()
result = [A()(1)]
# case: text formats instances instead of asking them
class R:
    def __rmod__(self, other):
        return 'rmod'
    def __radd__(self, other):
        return 'radd'
    def __str__(self):
        return 'R'
result = ['%s' % R(), 'a' + R(), 5 % R()]
try:
    'a' % R()
except TypeError as error:
    result.append(str(error))
# case: containers do not repeat sequences
result = [Ellipsis is ..., [Ellipsis]]
for x in ({1}, {}, range(2), frozenset(), None, 1.5):
    try:
        x *= 'ab'
    except TypeError as error:
        result.append(str(error))
# case: a subclass goes first only with a reflected method of its own
class V:
    def __sub__(self, other):
        return 'V sub'
    def __rsub__(self, other):
        return 'V rsub'
    def __pow__(self, other):
        raise ValueError('pow')
    def __rpow__(self, other):
        return 'V rpow'
class W(V):
    pass
class X(V):
    def __rsub__(self, other):
        return 'X rsub'
result = [V() - W(), V() - X(), X() - V(), W() - V()]
try:
    V() ** W()
except ValueError as error:
    result.append(str(error))
