# case: operands before a yield are evaluated first
log = []
def t(x):
    log.append(x)
    return x
def g():
    r = [t(1), (yield t(2)), t(3), (yield t(4)), *(t(5), (yield 6))]
    yield r
it = g()
result = (next(it), it.send('a'), it.send('b'), it.send('c'), log)
# case: keys and values of a dictionary around a yield
log = []
def t(x):
    log.append(x)
    return x
def g():
    d = {t('a'): (yield 1), t('b'): t(2), **{'z': (yield 3)}}
    return d
it = g()
out = [next(it), it.send('x')]
try:
    it.send('y')
except StopIteration as e:
    out.append(e.value)
result = (out, log)
# case: short circuits, conditions and chains of comparisons
def g():
    a = (yield 1) and (yield 2) or (yield 3)
    b = (yield 4) if (yield 5) else (yield 6)
    c = 1 < (yield 7) < (yield 8) <= 9
    return a, b, c
def drive(answers):
    it = g()
    out = [next(it)]
    for a in answers:
        try:
            out.append(it.send(a))
        except StopIteration as e:
            out.append(('end', e.value))
            break
    return out
result = [drive(x) for x in ([0, 1, 1, 2, 3, 4, 5], [1, 0, 0, 0, 5, 0], [1, 5, 1, 3, 3, 9, 1], [1, 5, 0, 3, 1], [0, 0, 0, 0, 3, 2])]
# case: an augmented assignment of what is sent
def g():
    total = 0
    while True:
        total += (yield total)
it = g()
next(it)
result = [it.send(x) for x in range(5)]
# case: targets with a yield
def g():
    xs = [1, 2, 3]
    i = 0
    xs[(yield 'i')] += (yield 'v')
    xs[(yield 'j')] = y = (yield 'w'), 9
    return xs, y
it = g()
out = [next(it)]
try:
    for v in [1, 10, 'val', 0]:
        out.append(it.send(v))
except StopIteration as e:
    out.append(e.value)
result = out
# case: a while loop whose test is sent
def g():
    n = 0
    while (yield n) != 'stop':
        n += 1
        if n == 2:
            continue
        if n == 5:
            break
    else:
        yield 'else'
    yield 'end'
a = g()
b = g()
result = ([next(a)] + [a.send(0) for _ in range(5)], [next(b)] + [b.send(x) for x in (0, 'stop', 0)])
# case: an if whose tests are sent
def g():
    if (yield 1):
        yield 'a'
    elif (yield 2):
        yield 'b'
    elif 0:
        yield 'c'
    elif (yield 3):
        yield 'd'
    else:
        yield 'e'
def run(xs):
    it = g()
    return [next(it)] + [it.send(x) for x in xs]
result = [run([1]), run([0, 1]), run([0, 0, 1]), run([0, 0, 0])]
# case: contexts that are sent
class C:
    def __init__(self, name, log): self.name, self.log = name, log
    def __enter__(self):
        self.log.append('enter ' + self.name)
        return self
    def __exit__(self, *a):
        self.log.append('exit ' + self.name + ' ' + str(a[0] and a[0].__name__))
        return self.name == 's'
log = []
def g():
    box = {}
    with (yield 1) as box[2], C('s', log) as c, C('b', log):
        yield sorted(box)
        raise ValueError('x')
    yield 'after'
it = g()
result = ([next(it), it.send(C('a', log)), next(it)], log)
# case: try statements around a yield
log = []
def g():
    try:
        try:
            yield 1
        except ValueError as e:
            log.append(('caught', str(e)))
            yield 'handler'
        else:
            log.append('else')
        finally:
            log.append('finally')
            yield 'fin'
    finally:
        log.append('outer')
it = g()
out = [next(it), it.throw(ValueError('v')), next(it)]
it.close()
jt = g()
next(jt)
out.append(next(jt))
jt.close()
kt = g()
next(kt)
try:
    kt.throw(KeyError('k'))
    kt.throw(IndexError('i'))
except IndexError as e:
    out.append((repr(e), repr(e.__context__)))
result = (out, log)
# case: closing and resuming a yield from
def inner():
    try:
        x = yield 1
        y = yield x
        return x, y
    except GeneratorExit:
        log.append('closed')
    finally:
        log.append('inner done')
log = []
def outer():
    r = yield from inner()
    log.append(('result', r))
    yield r
a = outer()
out = [next(a), a.send('p'), a.send('q')]
b = outer()
next(b)
b.close()
result = (out, log)
# case: a yield from over an instance with send and throw
class It:
    def __init__(self): self.n = 0
    def __iter__(self): return self
    def __next__(self):
        self.n += 1
        if self.n > 3: raise StopIteration('done')
        return self.n
    def send(self, v):
        return ('sent', v)
    def throw(self, e, *a):
        return ('thrown', repr(e))
def g():
    r = yield from It()
    yield r
result = list(g())
it = g()
result = (result, next(it), it.send(5), it.throw(ValueError('z')))
# case: lambdas that yield
def g():
    f = lambda: (yield 5)
    x = f()
    r = [next(x)]
    try:
        x.send(8)
    except StopIteration as e:
        r.append(e.value)
    yield r
    h = lambda a: [a, (yield a), (yield from (1, 2)), a]
    y = h(3)
    yield next(y), y.send('s'), next(y)
result = list(g())
# case: a yield in an f-string and in an assertion
def g():
    s = f"{(yield 1)}-{[1]}-{(yield 2)!r:>{(yield 3)}}"
    yield s
    assert (yield 'test'), 'message'
it = g()
out = [next(it), it.send('a'), it.send('b'), it.send(6)]
out.append(it.send(None))
try:
    it.send(0)
except AssertionError as e:
    out.append(repr(e))
result = out
# case: loops, comprehensions and exceptions that are sent
def g(xs):
    r = [x * y for x in (yield 'iter') for y in (1, 2)]
    yield r
    z = sum(x for x in (yield 'gen'))
    raise (yield 'exc') from KeyError('k')
it = g([0, 0])
out = [next(it), it.send([1, 2]), next(it), it.send([3, 4])]
try:
    it.send(ValueError('v'))
except ValueError as e:
    out.append((repr(e), repr(e.__cause__)))
result = out
# case: calls with arguments that are sent
def f(*a, k=0, **kw): return a, k, kw
log = []
def t(x):
    log.append(x)
    return x
def g():
    r = t([f])[0](t(1), *t([2, 3]), (yield 'a'), k=t(4), z=(yield 'b'), **t({'q': 1}))
    yield r
    o = []
    o.append((yield 'c'))
    yield o
    (n := (yield 'd'))
    yield n, not (yield 'e'), -(yield 'f')
it = g()
result = ([next(it), it.send(7), it.send(8), next(it), it.send('el'), next(it), it.send('n'), it.send(0), it.send(3)], log[1:])
# case: errors beside a yield
def g():
    try:
        x = [1, (yield 1), undefined]
    except NameError as e:
        yield str(e)
    try:
        y = (yield 2) + 'a'
    except TypeError as e:
        yield str(e)
    return 3
it = g()
out = [next(it), it.send(0), next(it), it.send(1)]
try:
    next(it)
except StopIteration as e:
    out.append(e.value)
out.append(next(it, 'over'))
result = out
# case: generators that recurse and delegate
def countdown(n):
    while n > 0:
        got = yield n
        if got is not None:
            n = got
        else:
            n -= 1
def chain(*its):
    for it in its:
        yield from it
def tree(n):
    if n:
        yield from tree(n - 1)
        yield n
        yield from tree(n - 1)
result = (list(chain(countdown(3), tree(3), (x * x for x in range(3)))), sum(1 for _ in tree(8)))
# case: misuse of a generator
def g():
    yield 1
it = g()
out = []
try:
    it.send(5)
except TypeError as e:
    out.append(str(e))
next(it)
try:
    it.throw(KeyError, 'boom')
except KeyError as e:
    out.append(repr(e))
try:
    next(it)
except StopIteration as e:
    out.append(repr(e))
def bad():
    try:
        yield 1
    except GeneratorExit:
        yield 2
b = bad()
next(b)
try:
    b.close()
except RuntimeError as e:
    out.append(str(e))
def stop():
    yield 1
    raise StopIteration(4)
try:
    list(stop())
except RuntimeError as e:
    out.append((str(e), repr(e.__cause__)))
def me():
    yield next(m)
m = me()
try:
    next(m)
except ValueError as e:
    out.append(str(e))
result = out
# case: generators of loops that are left
log = []
def g():
    try:
        for i in range(5):
            yield i
    finally:
        log.append('closed')
for x in g():
    if x == 2:
        break
def h():
    for x in g():
        yield x
        if x == 1:
            break
    yield 'after'
out = list(h())
def loops():
    for i in range(3):
        for j in range(3):
            if j == i:
                continue
            try:
                if j == 2:
                    break
                yield i, j
            finally:
                log.append((i, j))
out.append(list(loops()))
result = (out, log)
# case: context managers around a yield
import contextlib
log = []
@contextlib.contextmanager
def cm(x):
    log.append('in')
    try:
        y = yield x
        log.append(y)
    except ValueError as e:
        log.append(str(e))
    finally:
        log.append('out')
with cm(3) as v:
    log.append(v)
with cm(4) as v:
    raise ValueError('swallowed')
def gen():
    with cm(5) as a, cm(6) as b:
        yield a + b
        yield a * b
    with contextlib.suppress(KeyError):
        yield 'x'
        raise KeyError
    return 'ret'
def outer():
    r = yield from gen()
    yield r
result = (list(outer()), log)
# case: names that change while a generator is suspended
def g():
    def inner():
        nonlocal n
        n += 1
        return n
    n = 0
    yield inner() + (yield inner()) + inner()
    yield [n, (yield n), inner()]
it = g()
result = [next(it), it.send(10), next(it), it.send(5)]
# case: values are kept as they were before a yield
def g(a):
    x = a
    r = (x, (yield 1), x)
    yield r
    l = [1]
    s = f"{l}{(yield 2)}{l}"
    yield s
it = g(1)
out = [next(it), it.send(2), next(it)]
out.append(it.send('s'))
result = out
