# case: messages of augmented assignments name the operator
result = []
def f(x, y, op):
    if op == 0: x += y
    if op == 1: x -= y
    if op == 2: x **= y
    if op == 3: x @= y
    if op == 4: x |= y
    return x
class A:
    pass
for x, y in ((1, 'a'), ('a', 1), ([1], 2), (None, 1), ({}, 1), ({1}, 2), (1.5, None), (A(), 1), (b'a', 'a')):
    for op in range(5):
        try:
            result.append(f(x, y, op))
        except Exception as error:
            result.append(str(error))
# case: messages of star arguments name the function
def f(*args, **kwargs):
    return args, kwargs
class A:
    def m(self, *args):
        return args
    @classmethod
    def c(cls, *args):
        return args
class M:
    def keys(self):
        return ['p', 'q']
    def __getitem__(self, key):
        return key * 2
result = [f(**M()), {**M()}, dict(M())]
for g in (
    lambda: f(*1), lambda: f(1, *2), lambda: f(**3), lambda: f(**{1: 2}), lambda: f(a=1, **{'a': 2}), lambda: A().m(*1), lambda: A.c(*None), lambda: A(*2),
    lambda: len(*1), lambda: len(**1), lambda: 'a'.join(*1), lambda: [*1], lambda: {**1}, lambda: (lambda *a: 0)(*1.5), lambda: int(*5), lambda: dict.fromkeys(*1),
):
    try:
        result.append(g())
    except Exception as error:
        result.append((type(error).__name__, str(error)))
# case: messages of pow with three arguments
result = []
for args in (('a', 1, 1), (1, 'a', 1), (1, 1, 'a'), (1.0, 1, 1), (1, 1.0, 2), (2, 3, 2.0), (None, 3, 2.0), ([], 1, None), (2, -1, 4), (1, 1, 0)):
    try:
        result.append(pow(*args))
    except Exception as error:
        result.append((type(error).__name__, str(error)))
# case: an overflow of floats has the number of the error
try:
    10.0 ** 400
except OverflowError as error:
    result = (error.args, str(error), repr(error))
# case: an exception of a call ends its iterator
items = iter([3, 2])
result = [list(iter(lambda: next(items), 0))]
# case: arguments of an exception are any iterable
result = []
error = ValueError(1)
for args in ((1, 2), [3], 'ab', iter([4])):
    error.args = args
    result.append((error.args, str(error)))
try:
    error.args = 5
except TypeError as other:
    result.append(str(other))
# case: messages of missing and superfluous arguments
import itertools
result = []
for f in (
    lambda: sorted(), lambda: sorted([1], 2), lambda: [].sort(1), lambda: itertools.repeat(), lambda: itertools.groupby(), lambda: pow(), lambda: pow(1), lambda: pow(1, 2, 3, 4),
    lambda: round(), lambda: print(foo=1), lambda: 'a'.strip(5),
):
    try:
        result.append(f())
    except Exception as error:
        result.append((type(error).__name__, str(error)))
# case: lists name what a slice takes
result = []
for f in (lambda l: l.__setitem__(slice(0, 2), 5), lambda l: l.__setitem__(slice(0, 2, 2), 5), lambda l: l.__delitem__('a'), lambda l: l.__setitem__('a', 1)):
    try:
        result.append(f([1, 2, 3]))
    except Exception as error:
        result.append((type(error).__name__, str(error)))
