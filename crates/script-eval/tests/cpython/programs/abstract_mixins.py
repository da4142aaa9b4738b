# case: mixin methods of sequences
from collections.abc import Sequence, MutableSequence, Iterable
class S(Sequence):
    def __init__(self, *items): self.items = items
    def __getitem__(self, at): return self.items[at]
    def __len__(self): return len(self.items)
def attempt(f, *args):
    try:
        return f(*args)
    except Exception as e:
        return type(e).__name__, str(e)
s = S(1, 2, 3, 2)
out = [list(s), 2 in s, 9 in s, list(reversed(s)), s.index(2), s.index(2, 2), s.index(2, -1), s.count(2), s.count(7)]
out.append([attempt(s.index, 9), attempt(s.index, 1, 1), attempt(s.index, 2, 0, 1), attempt(s.index, 3, 0, -1)])
class M(MutableSequence):
    def __init__(self, *items): self.items = list(items)
    def __getitem__(self, at): return self.items[at]
    def __setitem__(self, at, new): self.items[at] = new
    def __delitem__(self, at): del self.items[at]
    def __len__(self): return len(self.items)
    def insert(self, at, new): self.items.insert(at, new)
m = M(1, 2)
m.append(3); m.extend([4, 5]); m += (6,); m.extend(m); m.reverse()
out.append(m.items[:]); out.append([m.pop(), m.pop(0), m.pop(-2)])
m.remove(5); out.append(m.items[:]); out.append(attempt(m.remove, 99)); m.clear(); out.append([m.items, attempt(m.pop), bool(m)])
out.append([isinstance(m, (Sequence,)), isinstance(s, MutableSequence), issubclass(M, Iterable), M.__mro__[1:4]])
class Half(Sequence):
    def __len__(self): return 0
out.append([attempt(Half), attempt(Sequence), attempt(MutableSequence)])
out.append(Sequence)
def kind(x):
    match x:
        case [a, *rest]: return ("sequence", a, rest)
        case {"k": v, **rest}: return ("mapping", v, rest)
        case _: return "other"
out.append([kind(S(1, 2)), kind(M(7)), kind(S())])
class R:
    def __len__(self): return 1
    def __getitem__(self, at):
        if at: raise IndexError
        return "r"
out.append(kind(R())); Sequence.register(R); out.append([kind(R()), isinstance(R(), Sequence), isinstance(R(), Iterable), issubclass(R, MutableSequence)])
MutableSequence.register(R); out.append(issubclass(R, MutableSequence))
result = out
# case: mixin methods of mappings and their views
from collections.abc import Mapping, MutableMapping, KeysView, ItemsView, ValuesView, Set
def attempt(f, *args, **kw):
    try:
        return f(*args, **kw)
    except Exception as e:
        return type(e).__name__, str(e)
class D(Mapping):
    def __init__(self, **items): self.data = items
    def __getitem__(self, key): return self.data[key]
    def __iter__(self): return iter(self.data)
    def __len__(self): return len(self.data)
    def __repr__(self): return "D"
d = D(a=1, b=2)
out = [d.get("a"), d.get("x"), d.get("x", 5), "a" in d, "z" in d, list(d.keys()), list(d.items()), list(d.values()), d == {"a": 1, "b": 2}, d == D(a=1), d != D(a=1, b=2), {**d}, dict(d)]
out += [repr(d.keys()), repr(d.items()), len(d.values()), 2 in d.values(), 3 in d.values(), ("a", 1) in d.items(), ("a", 2) in d.items(), ("q", 2) in d.items()]
out += [sorted(d.keys() & {"a", "q"}), sorted(d.keys() | ["q"]), sorted(d.keys() - ["a"]), d.keys() == {"a", "b"}, d.keys() <= {"a", "b", "c"}, d.items().isdisjoint([]), type(d.keys() & d.keys())]
out += [attempt(hash, d), attempt(reversed, d), attempt(Mapping), isinstance(d.keys(), (KeysView, Set)), isinstance({}.items(), ItemsView), isinstance(d.values(), Set)]
class E(MutableMapping):
    def __init__(self): self.data = {}
    def __getitem__(self, key): return self.data[key]
    def __setitem__(self, key, new): self.data[key] = new
    def __delitem__(self, key): del self.data[key]
    def __iter__(self): return iter(self.data)
    def __len__(self): return len(self.data)
e = E()
e.update({"a": 1}, b=2); e.update([("c", 3)]); e.update(d); e.update(z=0)
out += [dict(e), e.pop("a"), attempt(e.pop, "a"), e.pop("a", None), e.setdefault("b", 9), e.setdefault("n", 8), e.popitem(), len(e)]
out += [attempt(e.update, [1]), attempt(e.update, ["abc"]), attempt(e.update, 1, 2)]
e.clear(); out += [dict(e), attempt(e.popitem)]
def kind(x):
    match x:
        case {"a": 1, **rest}: return rest
        case {"q": _}: return "q"
        case _: return None
out.append([kind(d), kind(D(a=2)), kind(D(q=4)), kind({"q": 1})])
result = out
# case: mixin methods of sets
from collections.abc import Set, MutableSet, Hashable
def attempt(f, *args):
    try:
        return f(*args)
    except Exception as e:
        return type(e).__name__, str(e)
class L(Set):
    def __init__(self, items): self.items = list(dict.fromkeys(items))
    def __contains__(self, x): return x in self.items
    def __iter__(self): return iter(self.items)
    def __len__(self): return len(self.items)
    def __repr__(self): return f"L{self.items}"
a, b = L([1, 2, 3]), L([3, 4])
out = [a & b, a | b, a - b, a ^ b, [9] | a, {1, 9} - a, a < b, L([1]) < a, L([1]) <= a, a > L([1]), a >= a, a == L([3, 2, 1]), a == 3, a != b, a.isdisjoint([5]), a.isdisjoint(b)]
out += [attempt(lambda: a & 1), attempt(lambda: a < 1), attempt(lambda: a - 1), attempt(hash, a), a._hash() == hash(frozenset([1, 2, 3])), isinstance(a, Hashable), a == {1, 2, 3}, {1, 2, 3} == a, a <= {1, 2, 3, 4}]
class M(L, MutableSet):
    def add(self, x):
        if x not in self.items: self.items.append(x)
    def discard(self, x):
        if x in self.items: self.items.remove(x)
m = M([1, 2, 3])
m |= [4]; out.append(repr(m)); m &= [1, 4, 9]; out.append(repr(m)); m ^= {1, 7}; out.append(repr(m)); m -= [7]; out.append(repr(m))
m.remove(4); out += [attempt(m.remove, 4), attempt(m.pop), repr(m)]
m |= m; m.add(5); m ^= m; out.append(repr(m)); m.add(1); m -= m; out.append(repr(m)); m.add(2); m.clear(); out.append(len(m))
result = out
# case: abstract classes of one method, and as bases with parameters
import collections.abc, typing
from collections.abc import *
def attempt(f, *args):
    try:
        return f(*args)
    except Exception as e:
        return type(e).__name__, str(e)
T = typing.TypeVar("T")
class I(Iterator):
    n = 3
    def __next__(self):
        if not self.n: raise StopIteration
        self.n -= 1
        return self.n
class G(Generator):
    def __init__(self): self.log = []
    def send(self, x):
        self.log.append(x)
        if len(self.log) > 3: raise StopIteration
        return x
    def throw(self, typ, val=None, tb=None): raise typ
class P(typing.Sequence[int]):
    def __len__(self): return 1
    def __getitem__(self, i):
        if i: raise IndexError
        return "p"
class Q(Mapping[str, T], typing.Generic[T]):
    def __len__(self): return 0
    def __iter__(self): return iter(())
    def __getitem__(self, i): raise KeyError(i)
class H(Hashable): pass
class Sup(Sized, Iterable, Container):
    def __len__(self): return super().__len__()
    def __iter__(self): yield from super().__iter__()
    def __contains__(self, x): return super().__contains__(x)
g = G()
out = [list(I()), [next(g), g.send(4)], attempt(g.close), list(g), g.log, list(P()), P().index("p"), isinstance(P(), Sequence), len(Q()), Q().get("x", 1), attempt(H), attempt(Iterable), attempt(Callable)]
out += [len(Sup()), list(Sup()), 1 in Sup(), Sequence[int], Mapping[str, int], Sequence, collections.abc.Set, Sequence.__name__, Sequence.__module__]
out += [isinstance([], Collection), isinstance(I(), Iterator), isinstance(g, Generator), issubclass(I, Iterable), issubclass(Sequence, Collection), issubclass(MutableMapping, Mapping), issubclass(list, Sequence), issubclass(Sequence, list)]
class Own(Sized): pass
Own2 = type("Own2", (Sequence,), {"__len__": lambda s: 2, "__getitem__": lambda s, i: [5, 6][i]})
out += [attempt(Own), list(Own2()), isinstance(Own2(), (int, Sequence)), isinstance("x", Sequence | int), isinstance(len, Callable), isinstance(3, Callable), isinstance(int, Callable)]
class Virtual: pass
Mapping.register(Virtual)
out += [issubclass(Virtual, Mapping), isinstance(Virtual(), Sized), isinstance(Virtual(), Collection), attempt(Mapping.register, 3), issubclass(Virtual, MutableMapping)]
class Base(Sequence): pass
@Base.register
class Late: pass
out += [issubclass(Late, Base), issubclass(Late, Sequence), isinstance(Late(), Base)]
result = out
