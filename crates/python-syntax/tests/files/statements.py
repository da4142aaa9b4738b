"""A module docstring."""
# every statement and expression kind once
import os, sys as system
from . import a
from ..b.c import d as e, f  # trailing
from g import (
    h,
    i,
)
from j import *

@decorator
@other.decorator(1, x=2)
# between
def function(a, b: int = 1, /, c=2, *args: t, d, e: T.int32 = 3, **kwargs) -> None:
    "docstring"
    global x, y
    return
    return 1, 2

def plain(): pass

@deco
class C(Base, metaclass=Meta, **kw):
    x: int
    y: T.Buffer((1, 2), "float32") = 1
    (z): int = 2
    def method(self):
        nonlocal q
        del a, b[0], (c, d)
        raise ValueError(1) from None

class D: pass
class E(): pass

for i, *rest in range(3), 4:
    continue
else:
    pass
for *i, in x:
    break
while a < b <= c is not d not in e:
    a += 1; b **= 2; c //= 3; d >>= 1; e @= f
else:
    x = y = z = 3
if a:
    pass
elif b:
    pass
elif (c):
    if d: pass
    else: pass
else:
    if e:
        pass
if x: y
else: z
with a as b, c(d) as (e, f): pass
with (a as b, c): pass
with (a, b): pass
with (a): pass
with a, b: pass
try:
    pass
except (A, B) as err:
    pass
except C:
    pass
except:
    pass
else:
    pass
finally:
    pass
try: pass
finally: pass
assert a, "message"
assert b
x = 1 if a else 2 if b else 3
f = lambda: 0
f = lambda a, *b, c=1, **d: (yield)
g = [i for i in x if i if not j for k in l]
g = {i for i in x}
g = {i: j for i, j in x}
g = (i for i in x)
call(i for i in x)
call(a, *b, c=1, **d)(e)[f].g[1:2, ::3, ..., a:, :b]
x[()] = x[1,] = x[-1]
x = not a and b or c and d and e
x = -a ** -b + ~c * (d - e) @ f / g % h // i << j >> k & l | m ^ n
x = (a := 1)
x = {**a, 'b': c, **d}
x = {1, 2, *a}
x = [*a, b]
x = *a, b
x = (((((a)))))
x = ()
x = a,
x = (a, b)
x = (a), (b)
x = 0xff, 0o17, 0b11, 1_000, 123456789012345678901234567890, 0xffffffffffffffffffff, 9223372036854775807, 9223372036854775808
x = 1.5, 1e10, .5, 5., 1_0.0_1e-1_0, 2j, 1.5J
x = 'a' "b" 'c\n\x41\u0042\N{BULLET}\101\
d'
x = r'\n', rb'\x00' if a else b'\x00a' b'c'
x = u'x' '''triple
"quoted"''' """another"""
x = f"plain" f'{a}' 'lit' f"{b!r:>{width}.{prec}} {{braces}} {c=} {d:%Y}"
x = f"{a + b * c}{ d.e[f] }text"
x = None, True, False, ...
print(x, end='')  # comment
x = await_ + yield_
if x:
	tab = 1
	if y:
		tab = 2
x = a if b \
    else c
x = [
    # inside
    1,  # trailing inside

    2,
]
def é(ü): return ü.ä
async def coro():
    await x
match x:
    case 1: pass
type Alias = int
def generic[T](x: T): pass
def gen():
    x = yield
    y = yield 1, 2
    yield from z
    yield
a.b.c = d; e[f] = g
a = b if c else (yield)
x = a < b == c
x = "\
"
