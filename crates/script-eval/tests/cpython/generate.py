"""Records what CPython makes of programs: run with CPython 3.11, writes cases.jsonl beside this file.

Each case is a program that sets `result`; recorded is `repr(result)`, or the exception it raises and its text.
"""

import itertools
import json
import math
import pathlib

NUMBERS = ["0", "1", "-1", "7", "-3", "True", "-(2**63)", "2**63-1", "10**20", "-0.0", "-2.5", "1e300", "3.0", "float('inf')", "float('nan')"]
BINARY = ["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "==", "!=", "<", "<=", ">", ">="]
OTHERS = ["None", "'ab'", "''", "[1, 2]", "(1, 2)", "{1: 2}", "b'xy'", "{1, 2}", "range(3)"]
FORMATS = ["", "d", "5", "<5", ">5", "^6", "=+6", "05", "+", " ", "+d", "x", "X", "#x", "o", "#o", "b", "#b", "#010b", ",", "_", ",d", "_x",
           "012,", "*^9", "e", ".2e", "E", "f", ".0f", ".1f", ".3f", "#.0f", "10.2f", "<10.2f", "g", ".3g", "#.3g", "G", "%", ".1%", "n",
           ".3", ".10", ".0", "s", "5s", "c", "08.3f", "+.2f", ",.2f", "_.1f", "q", "5.", "z5"]
VALUES = ["0", "5", "-42", "1234567", "10**20", "-255", "True", "0.0", "-0.0", "3.14159", "-2.5", "1e10", "1e16", "123456789.125", "1e-7",
          "0.1", "2.675", "1e22", "float('inf')", "float('nan')", "'text'", "'x'", "None", "[1]"]

PROGRAMS = r"""
result = [i * 2 for i in range(5) if i % 2]
result = {k: v for k, v in zip('abc', range(3))}
result = [(x, y) for x in range(3) for y in range(x)]
result = [[j for j in range(i)] for i in range(4)]
result = sum(x * x for x in range(10))
result = list(x for x in [1, 2, 3] if x != 2)
result = sorted({3, 1, 2}, reverse=True)
result = (lambda x, y=2, *a, z=3, **k: (x, y, a, z, k))(1)
result = (lambda x, y=2, *a, z=3, **k: (x, y, a, z, k))(1, 5, 6, 7, z=8, w=9)
result = (lambda x: x)()
result = (lambda x: x)(1, 2)
result = (lambda x, y: x)(1)
result = (lambda x, y, z: x)()
result = (lambda x: x)(1, x=2)
result = (lambda x: x)(y=2)
result = (lambda *, k: k)()
result = (lambda x, /, y: x + y)(1, y=2)
result = (lambda x, y=1: 0)(1, 2, 3)
result = [f(2) for f in [lambda x, i=i: x + i for i in range(3)]]
result = [f() for f in [lambda: i for i in range(3)]]
def f(n): return 1 if n < 2 else n * f(n - 1)\nresult = f(25)
def fib(n):\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a\nresult = fib(200)
def outer():\n    n = 1\n    def inner():\n        nonlocal n\n        n += 1\n        return n\n    return inner() + inner()\nresult = outer()
def make(n):\n    def add(x):\n        return x + n\n    return add\nresult = make(3)(4)
def f():\n    return\nresult = f()
def f(a, b=[], *c):\n    b.append(a)\n    return b\nf(1)\nf(2)\nresult = f(3)
def f():\n    for i in range(10):\n        if i == 3:\n            continue\n        if i == 5:\n            break\n    else:\n        return 'no'\n    return i\nresult = f()
def f():\n    for i in range(3):\n        pass\n    else:\n        return 'done'\nresult = f()
def f():\n    i = 0\n    while i < 5:\n        i += 2\n    else:\n        i = -i\n    return i\nresult = f()
def f():\n    return x\nx = 5\nresult = f()
def f():\n    x = 1\n    del x\n    return x\nresult = 1
a, b = 1, 2\nb, a = a, b\nresult = (a, b)
a, *b = 'xyz'\nresult = b
*a, b = range(4)\nresult = (a, b)
a, (b, *c), d = 1, (2, 3, 4), 5\nresult = (a, b, c, d)
a, b = 1, 2, 3\nresult = a
a, b, c = 1, 2\nresult = a
a, *b, c = [1]\nresult = a
a, b = 5\nresult = a
[a, b] = {'x': 1, 'y': 2}\nresult = a + b
x = y = [1]\nx.append(2)\nresult = y
x = [1, 2, 3]\nx[1] = 5\nresult = x
x = [1, 2, 3]\nx[5] = 5\nresult = x
x = [1, 2, 3, 4]\nx[1:3] = [9]\nresult = x
x = [1, 2, 3, 4]\nx[::2] = [8, 9]\nresult = x
x = [1, 2, 3, 4]\nx[::2] = [8]\nresult = x
x = [1, 2, 3, 4]\ndel x[1]\nresult = x
x = [1, 2, 3, 4, 5]\ndel x[::2]\nresult = x
x = {'a': 1}\nx['b'] = 2\nx['a'] += 5\nresult = x
x = {'a': 1}\ndel x['a']\nresult = x
x = {'a': 1}\nresult = x['b']
x = (1, 2)\nx[0] = 1\nresult = x
x = [1]\nx += (2, 3)\nresult = x
x = 5\nx //= 2\nresult = x
x = [3, 1, 2]\nx.sort()\nresult = x
x = [3, 1, 2]\nx.sort(key=lambda v: -v)\nresult = x
x = ['b', 'A', 'c']\nresult = sorted(x, key=str.lower) if False else sorted(x)
x = [1, 2, 3]\nx.insert(-1, 9)\nx.pop(0)\nx.reverse()\nresult = (x, x.index(9), x.count(2))
x = []\nresult = x.pop()
x = [1]\nresult = x.pop(3)
x = [1]\nresult = x.remove(2)
x = [1]\nresult = x.index(2)
result = [1, 2, 3][-1]
result = [1, 2, 3][3]
result = [1, 2, 3]['a']
result = 'abc'[1]
result = 'abc'[-4]
result = 'abc'[::-1]
result = 'äöü'[1]
result = 'äöü'[1:]
result = (1, 2, 3, 4)[1:-1]
result = list(range(10))[8:2:-2]
result = list(range(10))[::3]
result = list(range(10))[100:]
result = list(range(5))[1:2:0]
result = range(10)[2:8:3]
result = range(10)[-1]
result = list(range(10, 0, -3))
result = list(range(0))
result = range(0)
result = range(1, 10, 2)
result = len(range(1, 10, 4))
result = 5 in range(0, 10, 5)
result = 3 in range(0, 10, 5)
result = range(3) == range(0, 3, 1)
result = range(1, 2, 0)
result = range('a')
result = list(reversed(range(5)))
result = list(reversed([1, 2, 3]))
result = list(zip([1, 2, 3], 'ab'))
result = list(zip([1, 2], 'a', strict=True))
result = list(enumerate('ab', start=5))
result = list(map(lambda x, y: x + y, [1, 2], [3, 4]))
result = list(filter(None, [0, 1, '', 'a']))
result = list(filter(lambda x: x > 1, range(4)))
result = any([0, 0, 3])
result = all([])
result = min(3, 1, 2)
result = max([1, 5, 3], key=lambda x: -x)
result = max([])
result = max([], default=7)
result = max(1)
result = min()
result = sum([[1], [2]], [])
result = sum(['a'])
result = sum([0.1] * 10)
result = abs(-5)
result = abs(-2.5)
result = abs('a')
result = divmod(-7, 2)
result = divmod(7.5, -2)
result = divmod(1, 0)
result = divmod('a', 2)
result = pow(2, 10)
result = pow(2, -1)
result = pow(3, 100, 7)
result = pow(2, 3, 0)
result = round(2.5)
result = round(-2.5)
result = round(3.14159, 2)
result = round(1234, -2)
result = round(1250, -2)
result = round(2.675, 2)
result = round(1234.5, -2)
result = round(float('inf'))
result = round(5.0, 0)
result = int('12')
result = int('-0x1f', 16)
result = int('0b101', 0)
result = int('  42  ')
result = int('1_000')
result = int('1__0')
result = int('12a')
result = int('')
result = int('z', 36)
result = int('9', 8)
result = int(3.9)
result = int(-3.9)
result = int(1e20)
result = int(float('nan'))
result = int(float('inf'))
result = int(None)
result = int([])
result = float('1.5')
result = float(' -1e3 ')
result = float('inf')
result = float('nan')
result = float('1_0.5')
result = float('abc')
result = float('')
result = float(10**400)
result = float([])
result = float('infinity')
result = str(1.0)
result = str('a')
result = str([1, 'a', None, True, 2.5])
result = str()
result = bool([])
result = bool('a')
result = list('abc')
result = tuple([1, 2])
result = dict([(1, 2), (3, 4)])
result = dict(a=1, b=2)
result = dict([1])
result = dict([(1, 2, 3)])
result = set([1, 1, 2])
result = {1, 2} | {3}
result = {1, 2} & {2, 3}
result = {1, 2} - {2}
result = {1, 2} ^ {2, 3}
result = {1} < {1, 2}
result = {1, 2} == {2, 1}
result = {[1]}
result = {[1]: 2}
result = {(1, [2]): 3}
result = {1: 'a', 1.0: 'b', True: 'c'}
result = frozenset([1])
result = set()
result = len('äö')
result = len(5)
result = chr(97) + chr(8364)
result = chr(-1)
result = ord('a')
result = ord('ab')
result = ord(5)
result = hex(255)
result = hex(-255)
result = bin(10)
result = oct(8)
result = hex(1.5)
result = isinstance(True, int)
result = isinstance(1, (str, int))
result = isinstance([], list)
result = isinstance(1.0, int)
result = isinstance(1, 5)
result = type(1) is int
result = type('a') == str
result = callable(len)
result = 1 < 2 < 3
result = 1 < 3 < 2
result = 1 == 1.0 == True
result = 2**53 + 1 == float(2**53)
result = 2**53 + 1 > float(2**53)
result = 10**400 > 1e308
result = 10**400 < float('inf')
result = (1, 2) < (1, 3)
result = [1, 'a'] < [1, 2]
result = [1] == [1.0]
result = 'a' < 'b'
result = 'a' < 1
result = None == 0
result = None is None
result = 1 is not None
result = 'b' in 'abc'
result = 1 in 'abc'
result = 1 in [1, 2]
result = 1 in {1: 2}
result = 1 in 5
result = 3 not in (1, 2)
result = not []
result = not 1
result = 0 or 'a'
result = '' and 1
result = 1 and 2 or 3
result = [] or {} or None
result = 1 if [] else 2
result = -True
result = ~5
result = ~2.5
result = -'a'
result = +[]
result = - - 3
result = -(2**63)
result = 'a' * 3
result = 3 * [1, 2]
result = [1] * -1
result = (1,) * 2
result = 'a' * 2.0
result = 'a' + 'b' 'c'
result = 'a' + 1
result = [1] + (2,)
result = (1,) + [2]
result = 1 + 'a'
result = b'a' + b'b'
result = b'abc'[0]
result = b'abc'[1:]
result = {'a': 1} | {'b': 2}
result = {**{'a': 1}, 'b': 2, **{'a': 3}}
result = [*range(3), *'ab']
result = (*[], 1)
result = print('x')
result = (y := 5) + y
result = [z := i for i in range(3)] + [z]
result = f'{1 + 1} {"a"!r} {2.5:.2f} {[1, 2]}'
x = 8\nresult = f'{x:>{x}}|{x:0{4}d}'
result = f'{{}} {3!s:>4}'
result = f'{"ä"!a}'
result = f'{1:q}'
x = 3\nresult = f'{x=}'
result = '%d %s %r %5.2f %x %%' % (1, 'a', 'b', 3.14159, 255)
result = '%05d|%-5d|%+d' % (42, 42, 42)
result = '%s' % 5
result = '%d' % 'a'
result = '%s %s' % (1,)
result = '%s' % (1, 2)
result = '%(a)s' % {'a': 1}
result = '%c%c' % ('a', 98)
result = '%e' % 12345.678
result = '%g' % 1e-10
result = '{} {1}'.format(1, 2) if False else '{0} {1} {0}'.format(1, 2)
result = '{:>5}|{a:<5}|{{}}'.format('x', a='y')
result = '{}'.format()
result = '{a}'.format()
result = 'a,b,,c'.split(',')
result = ' a  b '.split()
result = 'a b c d'.split(None, 2)
result = 'a,b,c'.rsplit(',', 1)
result = 'a b c'.rsplit(maxsplit=1)
result = 'a,b'.split('')
result = ','.join(['a', 'b'])
result = ','.join([1])
result = 'abc'.upper() + 'ABC'.lower()
result = 'hello world'.title()
result = 'hELLO'.capitalize()
result = 'aBc'.swapcase()
result = '  a '.strip() + '|' + ' a '.lstrip() + '|' + ' a '.rstrip()
result = 'xxaxx'.strip('x')
result = 'banana'.replace('a', 'o', 2)
result = 'abc'.replace('', '-')
result = 'abc'.startswith(('x', 'a'))
result = 'abc'.endswith('bc')
result = 'abc'.startswith(1)
result = 'banana'.find('an'), 'banana'.rfind('an'), 'banana'.find('x')
result = 'banana'.index('x')
result = 'banana'.find('a', 2)
result = 'banana'.count('a'), 'banana'.count('')
result = '42'.zfill(5), '-42'.zfill(5)
result = 'a'.ljust(3) + '|' + 'a'.rjust(3, '*') + '|' + 'a'.center(4)
result = '12'.isdigit(), 'a1'.isalnum(), 'a'.isalpha(), ' '.isspace(), 'A'.isupper(), 'a'.islower()
result = 'a.b.c'.partition('.'), 'a.b.c'.rpartition('.'), 'abc'.partition('x')
result = 'prefix_x'.removeprefix('prefix_'), 'x.py'.removesuffix('.py')
result = 'a\nb\r\nc'.splitlines()
result = 'abc'.foo
result = [].foo
result = (5).foo
result = {'a': 1}.get('b'), {'a': 1}.get('b', 2), {'a': 1}.get('a')
result = list({'a': 1, 'b': 2}.keys()), list({'a': 1}.values()), list({'a': 1}.items())
d = {'a': 1}\nresult = d.setdefault('b', []), d
d = {'a': 1}\nresult = d.pop('a'), d.pop('z', 0), d
d = {}\nresult = d.pop('a')
d = {'a': 1}\nd.update({'b': 2}, c=3)\nresult = d
s = {1}\ns.add(2)\ns.discard(1)\nresult = s
result = {1, 2}.union([3]), {1, 2}.intersection([2]), {1, 2}.difference([2]), {1}.issubset([1, 2])
import math\nresult = math.ceil(2.1), math.floor(-2.1), math.trunc(2.9), math.sqrt(16)
import math\nresult = math.log2(1024), math.log(math.e), math.log10(1000), math.log(8, 2)
import math\nresult = math.sqrt(-1)
import math\nresult = math.log(0)
import math\nresult = math.gcd(12, 18), math.lcm(4, 6), math.isqrt(17), math.prod([2, 3, 4])
import math\nresult = math.factorial(20), math.comb(5, 2), math.pi, math.inf
import math\nresult = math.exp(1000)
import math\nresult = math.floor(1e300)
import math\nresult = math.ceil('a')
import math\nresult = math.pow(2, 0.5), math.fmod(-7, 3), math.hypot(3, 4), math.copysign(1, -0.0)
import math\nresult = math.isnan(float('nan')), math.isinf(1), math.isfinite(1.0)
from math import ceil as c\nresult = c(1.2)
result = math
result = undefined_name
result = 'a' if 1 else undefined_name
result = 1 or undefined_name
result = 5()
result = len()
result = len([1], [2])
result = None[0]
result = 5[0]
result = None + 1
result = [1, 2].append
for i in 5:\n    pass\nresult = 1
for i in range(3):\n    pass\nresult = i
total = 0\nfor i, (a, b) in enumerate([(1, 2), (3, 4)]):\n    total += i * a + b\nresult = total
i = 0\nwhile True:\n    i += 1\n    if i > 5:\n        break\nresult = i
if 0:\n    result = 1\nelif []:\n    result = 2\nelse:\n    result = 3
assert 1 == 1\nresult = 'ok'
assert 1 == 2, 'wrong'\nresult = 'ok'
assert False\nresult = 'ok'
raise ValueError('bad')\nresult = 1
raise KeyError('k')\nresult = 1
try:\n    x = 1 // 0\nexcept ZeroDivisionError:\n    x = 'caught'\nresult = x
try:\n    x = [][1]\nexcept (KeyError, IndexError) as e:\n    x = str(e)\nresult = x
try:\n    x = 1\nexcept ValueError:\n    x = 2\nelse:\n    x = 3\nfinally:\n    y = 4\nresult = (x, y)
try:\n    x = int('a')\nexcept KeyError:\n    x = 2\nresult = x
try:\n    raise ValueError('v')\nexcept Exception as e:\n    result = str(e)
it = iter([1, 2])\nresult = next(it), next(it), next(it, 'end')
it = iter([])\nresult = next(it)
g = (x for x in range(3))\nresult = next(g), list(g), list(g)
result = next([1])
result = [x for x in 5]
a = [1]\na.append(a)\nresult = len(a)
result = getattr('a', 'zzz', 5)
result = hasattr('a', 'upper')
result = (5).bit_length(), (2.0).is_integer()
result = 1_000_000, 0xff, 0b11, 0o17, 1e3, .5, 1.e2
result = 'tab\there', "quote'", 'both\'"', 'back\\slash', 'nul\x00', 'é', '\u200b', '\U0001f600'
result = b'\x00a\n\'"'
result = ...
result = 12345678901234567890 * 98765432109876543210
result = 2**200 // 3**50, 2**200 % 3**50, -(2**200) // 3**50, -(2**200) % 3**50
result = 2**200 / 3**50, 3**50 / 2**200, (2**1100) / (2**1090)
result = 2**2000 / 1
result = 1 / 2**1074, 1 / 2**1075, 3 / 2**1075, (2**53 + 1) / 2, (2**54 + 2) / 4
result = 10**25 / 10**3, 7 / 10**30, (10**25 + 1) / (10**24 + 3)
result = 2**64 >> 3, -5 >> 1, 1 << 100, -1 << 70, -(2**70) >> 200, 5 >> 10**30
result = 1 << -1
result = 2**64 & 2**65 - 1, -(2**64) | 1, 2**64 ^ -1
result = 0 ** 0, 0.0 ** 0, (-8) ** 3, (-8.0) ** 2, 2 ** 0.5, 0 ** 5
result = 0 ** -1
result = 0.0 ** -1
result = 10.0 ** 400
result = 1e308 * 10, -1e308 * 10
result = 7 // 0.0
result = 7 % 0.0
result = 7 / 0.0
result = 5.5 // 2, -5.5 // 2, 5.5 % -2, -5.5 % 2, -0.0 % 5, 0.0 // -3
result = 1e100 // 3, 1e100 % 7
result = float('inf') // 1, float('inf') % 2, 5 // float('inf'), -5 % float('inf')
result = 1e15, 1e16, 123456789012345680.0, 1e-4, 1e-5, 0.1 + 0.2, 1/3, 100.0, 5e-324, 1.7976931348623157e308
result = 3 @ 4
result = [1, 2] - [1]
result = [] < 5
result = slice(1, 2), slice(5), slice(1, 2, 3)
result = str(b'a'), repr('a'), ascii('ä')
result = bytes([65, 66]), bytes(3), bytes([300])
result = (lambda: (yield))
""".strip("\n").split("\n")

# The last one has no meaning without generators.
PROGRAMS = [p for p in PROGRAMS if "yield" not in p]


def run(program):
    names = {}
    try:
        exec(program, names)
        return {"code": program, "result": repr(names["result"])}
    except Exception as error:
        return {"code": program, "error": type(error).__name__, "message": str(error)}


def main():
    programs = [f"result = ({a}) {op} ({b})" for op in BINARY for a, b in itertools.product(NUMBERS, NUMBERS)
                if not (op in ("**", "<<") and "**" in b)]
    programs += [f"result = {a} {op} {b}" for op in BINARY for a, b in itertools.product(OTHERS, ["2", "'ab'", "[3]", "(3,)", "None", "{2}"])
                 if not (op == "%" and a.startswith("b"))]
    programs += [f"result = {op} ({a})" for op in ["-", "+", "~", "not"] for a in NUMBERS + OTHERS]
    programs += [f"result = format({v}, {f!r})" for f in FORMATS for v in VALUES]
    programs += [p.replace("\\n", "\n") if "\\n    " in p or "\\nresult" in p or "\\n" in p and "'" not in p else p for p in PROGRAMS]
    seen = set()
    with open(pathlib.Path(__file__).with_name("cases.jsonl"), "w") as out:
        for program in programs:
            if program in seen:
                continue
            seen.add(program)
            case = run(program)
            text = case.get("result", "") + case.get("message", "")
            if " at 0x" in text or len(text) > 2000 or "j)" in text or "complex" in text:
                continue
            out.write(json.dumps(case) + "\n")


main()
