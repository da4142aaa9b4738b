# case: isinstance and issubclass of collections.abc
from collections.abc import Iterable, Sized, Hashable, Callable, Sequence, Mapping, Container, Iterator, MutableMapping, Set, Collection, Reversible, Generator
import collections.abc
class A:
    def __iter__(self): return iter(())
    def __len__(self): return 0
    def __contains__(self, x): return False
class B:
    def __call__(self): pass
class C:
    __hash__ = None
class L(list): pass
out = []
def attempt(f):
    try:
        return f()
    except Exception as e:
        return type(e).__name__, str(e)
ABCS = (Iterable, Sized, Hashable, Callable, Sequence, Mapping, Container, Iterator, MutableMapping, Set, Collection, Reversible, Generator)
for v in (A(), B(), C(), 1, "x", [], (), {}, set(), frozenset(), b"", range(3), iter([]), (i for i in ()), {}.keys(), {}.items(), {}.values(), None, len, int, lambda: 0, 1.5, A, B.__call__, L()):
    out.append([attempt(lambda: isinstance(v, a)) for a in ABCS])
for c in (A, B, C, L, int, str, list, dict, set, tuple, range, type(iter([])), object, type):
    out.append([attempt(lambda: issubclass(c, a)) for a in ABCS])

out.append([attempt(lambda: issubclass(int, (Sized, Hashable)))])
out.append(attempt(lambda: isinstance(1, (Sized, int))))
result = out
