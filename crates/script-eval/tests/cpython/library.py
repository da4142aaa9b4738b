"""Records what CPython's library computes: run with CPython 3.11, writes library.jsonl beside this file.

Each case is a program that sets `result`; recorded is `repr(result)`, or the exception it raises and its text.
"""

import json
import pathlib

ITERTOOLS = """
list(accumulate([1, 2, 3, 4]))
list(accumulate([1, 2, 3], lambda a, b: a * b))
list(accumulate([1, 2, 3], initial=100))
list(accumulate([], initial=5))
list(accumulate([]))
list(chain([1, 2], 'ab', (3,)))
list(chain())
list(chain.from_iterable(['ab', [1], ()]))
list(islice(chain.from_iterable(repeat([1, 2])), 5))
list(combinations('abcd', 2))
list(combinations(range(4), 0))
list(combinations(range(3), 4))
list(combinations(range(5), 5))
list(combinations_with_replacement('abc', 2))
list(combinations_with_replacement('', 2))
list(combinations_with_replacement('', 0))
list(combinations('abc', -1))
list(islice(count(), 4))
list(islice(count(10, -2), 4))
list(islice(count(2.5, 0.5), 3))
list(islice(count(2**63 - 2), 3))
count('a')
list(islice(cycle('abc'), 8))
list(cycle([]))
list(takewhile(lambda x: x < 3, [1, 2, 3, 1, 2]))
[(k, list(g)) for k, g in groupby('aaabbca')]
[(k, list(g)) for k, g in groupby([1, 3, 2, 4, 5], key=lambda x: x % 2)]
[k for k, g in groupby('aabbcc')]
[(k, next(g)) for k, g in groupby('aabbcc')]
list(groupby([]))
list(islice('abcdef', 3))
list(islice('abcdef', 2, 5))
list(islice('abcdef', 1, None, 2))
list(islice('abcdef', None))
list(islice('abc', -1))
list(islice('abc', 0, 2, 0))
list(islice('abc', 'x'))
islice('abc')
list(pairwise('abcd'))
list(pairwise([1]))
list(permutations('abc'))
list(permutations(range(4), 2))
list(permutations(range(2), 3))
list(permutations(range(3), 0))
list(permutations([1], -1))
list(permutations([1], 1.5))
list(product('ab', [1, 2]))
list(product([0, 1], repeat=3))
list(product())
list(product([1, 2], []))
list(product('ab', repeat=0))
list(product([1], repeat=-1))
list(repeat(7, 3))
list(repeat(7, -1))
list(starmap(pow, [(2, 5), (3, 2)]))
list(starmap(pow, [1]))
list(zip_longest('ab', [1, 2, 3], fillvalue='-'))
list(zip_longest([1], []))
list(zip_longest())
list(zip(count(), 'abc'))
sum(takewhile(lambda x: x < 100, (x * x for x in count())))
next(product(range(10**6), range(3)))
"""

FUNCTOOLS = """
partial(pow, 2)(5)
partial(int, base=2)('101')
partial(partial(max, 3), 2)(9)
partial(pow, 2).func is pow
partial(max, 1, key=abs).args
partial(max, 1, key=abs).keywords
partial()
partial(1)
reduce(lambda a, b: a + b, [1, 2, 3])
reduce(lambda a, b: a + b, [], 5)
reduce(lambda a, b: a + b, [])
reduce(lambda a, b: a + b, 5)
sorted([3, 1, 2], key=cmp_to_key(lambda a, b: b - a))
cmp_to_key(lambda a, b: a - b)(1) < cmp_to_key(lambda a, b: a - b)(2)
cmp_to_key(lambda a, b: a - b)(1) == cmp_to_key(lambda a, b: a - b)(1)
"""

OPERATOR = """
add(2, 3), sub(2, 3), mul(2, 3), truediv(3, 2), floordiv(-3, 2), mod(-3, 2), pow(2, 10)
and_(6, 3), or_(6, 3), xor(6, 3), lshift(1, 4), rshift(16, 2)
lt(1, 2), le(2, 2), eq(1, 1.0), ne(1, 2), gt(1, 2), ge(2, 3)
neg(3), pos(-3), invert(5), inv(5), not_([]), truth([0]), abs(-4)
is_(None, None), is_not(1, None)
getitem({'a': 1}, 'a'), getitem([1, 2], -1)
index(True)
index(1.5)
itemgetter(1)([1, 2, 3])
itemgetter(1, 0)('abc')
itemgetter('a')({'b': 1})
itemgetter(slice(1, 3))('abcd')
itemgetter()
itemgetter(1)
itemgetter(2, 'x')
itemgetter(1)([1], 2)
attrgetter('real')(5)
attrgetter('real.imag')(5)
attrgetter('real', 'imag')(5)
attrgetter('nope')(5)
attrgetter(1)
sorted([(1, 'b'), (0, 'c')], key=itemgetter(1))
"""

COLLECTIONS = """
OrderedDict([('a', 1), ('b', 2)])
OrderedDict()
OrderedDict(a=1) == {'a': 1}
OrderedDict([(1, 1), (2, 2)]) == OrderedDict([(2, 2), (1, 1)])
OrderedDict([(1, 1), (2, 2)]) == dict([(2, 2), (1, 1)])
isinstance(OrderedDict(), dict), isinstance({}, OrderedDict)
list(reversed(OrderedDict(a=1, b=2)))
OrderedDict(a=1) | {'b': 2}
OrderedDict(a=1).copy()
defaultdict(int)
defaultdict(list, {'a': [1]})
defaultdict(5)
defaultdict(None)['x']
defaultdict(int)['x']
defaultdict(int).get('x')
defaultdict(lambda: 7)['q']
len(defaultdict(list))
Counter('abracadabra')
Counter('abracadabra').most_common(2)
Counter(a=3, b=1)['z']
Counter()
Counter(a=1) == Counter(a=1, b=0)
Counter([1, 2], [3])
Counter(1)
deque([1, 2, 3])
deque('abc', 2)
deque([1, 2], maxlen=-1)
deque(maxlen=3).maxlen, deque().maxlen
deque([1, 2]) == deque([1, 2]), deque([1]) == [1], deque([1, 2]) < deque([2])
deque([1, 2, 3])[-1], deque([1, 2])[0]
deque([1])[3]
deque([1])['a']
2 in deque([1, 2]), len(deque([1])), bool(deque())
list(reversed(deque([1, 2, 3])))
deque().pop()
deque().popleft()
{deque(): 1}
[x for x in deque([3, 4])]
"""

TYPING = """
Optional[int], List[int], Dict[str, int]
Callable[[int, str], None]
Tuple[int, ...]
Union[int, str]
Any
TypeVar('T')
cast(int, 'x')
TYPE_CHECKING
NewType('N', int)(5)
Sequence[str]
"""

COPY = """
copy([1, [2]]), deepcopy([1, [2]])
copy((1, 2)), copy({'a': [1]}), copy({1, 2}), copy('x'), copy(None)
deepcopy({'a': [1, {2: (3, [4])}]})
deepcopy(5)
"""

STRING = """
ascii_letters, digits, hexdigits, octdigits, punctuation, whitespace
ascii_lowercase, ascii_uppercase, printable
"""

TYPES = """
SimpleNamespace(a=1, b='x')
SimpleNamespace()
SimpleNamespace(a=1).a
SimpleNamespace(a=1) == SimpleNamespace(a=1), SimpleNamespace(a=1) == SimpleNamespace(a=2)
SimpleNamespace(1)
SimpleNamespace(a=1).b
"""

MATH = """
isclose(1.0, 1.0 + 1e-10), isclose(1, 1.1), isclose(0, 1e-10), isclose(0, 1e-10, abs_tol=1e-9), isclose(inf, inf), isclose(1, 2, rel_tol=0.5)
isclose(1, 2, rel_tol=-1)
"""

BUILTINS = """
'ab'.translate({97: 'x', 98: None}), 'ab'.translate({97: 99}), 'abc'.translate(['x'] * 98)
'ab'.translate({97: -1})
'ab'.translate({97: 1.5})
'ab'.translate(5)
str.maketrans('ab', 'xy', 'z'), str.maketrans({'a': 1, 98: 'q'})
str.maketrans('ab', 'x')
str.maketrans({'ab': 1})
str.maketrans(1)
'hello'.translate(str.maketrans('el', 'ip'))
'Stra\u00dfe \u0130 \u03a3\u03c2 \ufb01'.casefold()
'{a} {b[0]} {c.real:>4}'.format_map({'a': 1, 'b': [2], 'c': 3})
'{a}'.format_map({})
'{}'.format_map({'a': 1})
slice(1, 10, 2).indices(5), slice(None, None, -1).indices(4), slice(-3, None).indices(10)
slice(1).indices(-1)
(5).from_bytes(b'\x01\x02', 'big'), 'x'.maketrans('a', 'b'), {}.fromkeys('ab', 0)
list(iter([1, 2].pop, 1))
iter(5, 6)
"""

PROGRAMS = r"""
from functools import lru_cache\n@lru_cache(maxsize=None)\ndef fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nresult = fib(60)
from functools import lru_cache\n@lru_cache\ndef f(x):\n    return x * 2\nf(1); f(2); f(1)\nresult = f(1), f.__wrapped__(3)
from functools import lru_cache\n@lru_cache(maxsize=2)\ndef f(x):\n    return [x]\na = f(1)\nf(2)\nf(3)\nresult = f(1) is a
from functools import cache\ncalls = []\n@cache\ndef f(x, y=1):\n    calls.append(x)\n    return x + y\nf(1); f(1); f(x=1); f(1, 2)\nf.cache_clear()\nf(1)\nresult = calls, f.__name__
from functools import cache\n@cache\ndef f(x):\n    return x\nresult = f([])
from functools import wraps\ndef d(f):\n    @wraps(f)\n    def g(*a):\n        return f(*a) + 1\n    return g\n@d\ndef h(x):\n    return x\nresult = h(1), h.__name__, h.__wrapped__(1)
from functools import reduce, partial\nresult = reduce(partial(lambda k, a, b: k * a + b, 10), [1, 2, 3])
from collections import deque\nd = deque(range(5))\nd.rotate(2)\nd.extendleft([8, 9])\ndel d[0]\nd[0] = 'x'\nresult = d, d.pop(), d.popleft()
from collections import deque\nd = deque([1, 2, 3], maxlen=3)\nd.append(4)\nd.appendleft(0)\nresult = d
from collections import deque\nd = deque([1, 2, 3])\nfor x in d:\n    d.append(x)\nresult = 1
from collections import defaultdict\nd = defaultdict(list)\nfor k, v in [('a', 1), ('b', 2), ('a', 3)]:\n    d[k].append(v)\nresult = d, dict(d), d.default_factory
from collections import defaultdict\nd = defaultdict(lambda: defaultdict(int))\nd[1][2] += 3\nresult = d[1][2]
from collections import defaultdict\nd = defaultdict(int)\nd['x'] += 1\nd.clear()\nresult = d['y'], d
from collections import Counter\nc = Counter('aab')\nc.update('bbb')\nc.update({'z': 2})\nc['q'] += 5\ndel c['z']\nresult = c, c.most_common()
from collections import OrderedDict\nd = OrderedDict(a=1, b=2, c=3)\nd.move_to_end('a')\nd.move_to_end('c', last=False)\nresult = d, d.popitem(), d.popitem(last=False), d
from collections import OrderedDict\nd = OrderedDict(a=1)\nd.move_to_end('x')
from itertools import groupby\ng = groupby('aab')\nk, first = next(g)\nk2, second = next(g)\nresult = list(first), list(second)
from itertools import count\nc = count(5)\nresult = next(c), next(c), [next(c) for _ in range(2)]
from itertools import chain\nit = chain([1, 2], [3])\nnext(it)\nresult = list(it), list(it)
import itertools\nresult = list(itertools.islice(itertools.count(1), 0, 10, 3))
import copy\na = [1]\nb = [a, a]\nc = copy.deepcopy(b)\nc[0].append(2)\nresult = c, a
import copy\na = []\na.append(a)\nb = copy.deepcopy(a)\nresult = b, b[0] is b
from types import SimpleNamespace\nn = SimpleNamespace(a=1)\nn.b = [n.a]\nresult = n, n.__dict__
import operator\nf = operator.attrgetter('real')\nresult = list(map(f, [1, 2]))
import collections.abc\nresult = isinstance([], collections.abc.Sequence), isinstance({}, collections.abc.Mapping)
import typing\nT = typing.TypeVar('T')\ndef f(x: typing.Optional[int]) -> typing.List[T]:\n    return [x]\nresult = f(1)
def f():\n    f.calls += 1\n    return f.calls\nf.calls = 0\nf()\nresult = f(), f.calls
import sys\nresult = sys.maxsize, sys.version_info[:2], sys.version_info >= (3, 8), sys.byteorder
from collections import Counter, OrderedDict, defaultdict\nresult = [type(x).__name__ for x in (Counter(), OrderedDict(), defaultdict(int))]
result = list(iter([3, 2, 1, 0].pop, 1))
"""

SECTIONS = [("from math import *", MATH), ("", BUILTINS), ("from itertools import *", ITERTOOLS), ("from functools import *", FUNCTOOLS), ("from operator import *", OPERATOR),
            ("from collections import *", COLLECTIONS), ("from typing import *", TYPING), ("from copy import *", COPY),
            ("from string import *", STRING), ("from types import SimpleNamespace", TYPES)]


def programs():
    for header, lines in SECTIONS:
        for line in filter(None, lines.split("\n")):
            yield f"{header}\nresult = ({line})"
    for line in filter(None, PROGRAMS.split("\n")):
        yield line.replace("\\n", "\n")


def record(code):
    names = {}
    try:
        exec(code, names)
        return {"code": code, "result": repr(names["result"])}
    except Exception as error:
        return {"code": code, "error": type(error).__name__, "message": str(error)}


if __name__ == "__main__":
    with open(pathlib.Path(__file__).with_name("library.jsonl"), "w") as out:
        for code in programs():
            out.write(json.dumps(record(code)) + "\n")
