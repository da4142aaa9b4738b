# case: enter and exit
out = []
class M:
    def __enter__(self):
        out.append("enter")
        return 5
    def __exit__(self, *args):
        out.append(args)
with M() as x:
    out.append(x)
result = out
# case: without a target
out = []
class M:
    def __enter__(self):
        out.append("enter")
    def __exit__(self, t, v, tb):
        out.append("exit")
with M():
    out.append("body")
result = out
# case: several contexts
out = []
class M:
    def __init__(self, name):
        self.name = name
    def __enter__(self):
        out.append("+" + self.name)
        return self.name
    def __exit__(self, t, v, tb):
        out.append("-" + self.name)
with M("a") as a, M("b") as b:
    out.append(a + b)
with (M("c") as c, M("d"),):
    out.append(c)
result = out
# case: exit sees the exception
out = []
class M:
    def __enter__(self):
        return self
    def __exit__(self, t, v, tb):
        out.append((t.__name__, str(v)))
try:
    with M():
        raise ValueError("bad")
except ValueError as e:
    out.append(str(e))
result = out
# case: exit suppresses
out = []
class M:
    def __enter__(self):
        return self
    def __exit__(self, t, v, tb):
        return t is KeyError
with M():
    raise KeyError("k")
out.append("after")
try:
    with M():
        raise ValueError("v")
except ValueError:
    out.append("not suppressed")
result = out
# case: exit raises
class M:
    def __enter__(self):
        return self
    def __exit__(self, t, v, tb):
        raise TypeError("in exit")
try:
    with M():
        raise ValueError("v")
except TypeError as e:
    result = (str(e), repr(e.__context__))
# case: enter raises
out = []
class M:
    def __init__(self, fails):
        self.fails = fails
    def __enter__(self):
        if self.fails:
            raise ValueError("enter")
    def __exit__(self, *args):
        out.append("exit")
try:
    with M(False), M(True):
        out.append("body")
except ValueError as e:
    out.append(str(e))
result = out
# case: return, break and continue leave the context
out = []
class M:
    def __enter__(self):
        return self
    def __exit__(self, *args):
        out.append(args[0])
def f():
    for i in range(4):
        with M():
            if i == 0:
                continue
            if i == 2:
                break
            out.append(i)
    with M():
        return "r"
result = (f(), out)
# case: suppressed in a function
class M:
    def __enter__(self):
        return self
    def __exit__(self, *args):
        return True
def f():
    with M():
        1 / 0
        return 1
    return 2
result = f()
# case: the target is an element
class M:
    def __enter__(self):
        return (1, (2, 3))
    def __exit__(self, *args):
        pass
d = {}
with M() as (a, (b, d["c"])):
    pass
result = (a, b, d)
# case: an error in the target leaves the context
out = []
class M:
    def __enter__(self):
        return 5
    def __exit__(self, *args):
        out.append(args[0].__name__)
try:
    with M() as (a, b):
        pass
except TypeError as e:
    out.append(str(e))
result = out
# case: no context manager
try:
    with 5:
        pass
except TypeError as e:
    result = str(e)
# case: contextmanager
from contextlib import contextmanager
out = []
def f(x):
    out.append("enter")
    try:
        yield x * 2
    finally:
        out.append("exit")
f = contextmanager(f)
with f(4) as v:
    out.append(v)
try:
    with f(1):
        raise ValueError("v")
except ValueError as e:
    out.append(str(e))
result = out
# case: contextmanager suppresses
from contextlib import contextmanager
out = []
@contextmanager
def f():
    try:
        yield
    except ValueError as e:
        out.append(str(e))
with f():
    raise ValueError("v")
result = out
# case: contextmanager replaces the exception
from contextlib import contextmanager
def f():
    try:
        yield
    except ValueError as e:
        raise KeyError("k") from e
f = contextmanager(f)
try:
    with f():
        raise ValueError("v")
except KeyError as e:
    result = (repr(e), repr(e.__cause__))
# case: contextmanager that yields twice
from contextlib import contextmanager
@contextmanager
def f():
    yield
    yield
try:
    with f():
        pass
except RuntimeError as e:
    result = str(e)
# case: contextmanager that does not yield
from contextlib import contextmanager
def f():
    return
    yield
f = contextmanager(f)
try:
    with f():
        pass
except RuntimeError as e:
    result = str(e)
# case: stop iteration through a context manager
from contextlib import contextmanager
@contextmanager
def f():
    yield
try:
    with f():
        raise StopIteration("s")
except StopIteration as e:
    result = repr(e)
# case: nullcontext
from contextlib import nullcontext
with nullcontext(5) as x:
    pass
with nullcontext() as y:
    pass
result = (x, y)
# case: suppress
from contextlib import suppress
out = []
with suppress(KeyError, ZeroDivisionError):
    out.append(1)
    1 / 0
    out.append(2)
try:
    with suppress(KeyError):
        raise ValueError("v")
except ValueError as e:
    out.append(str(e))
result = out
# case: exit stack
from contextlib import ExitStack
out = []
class M:
    def __init__(self, name):
        self.name = name
    def __enter__(self):
        out.append("+" + self.name)
        return self.name
    def __exit__(self, t, v, tb):
        out.append(("-" + self.name, t and t.__name__))
with ExitStack() as stack:
    names = [stack.enter_context(M(n)) for n in "abc"]
    stack.callback(out.append, "callback")
    stack.callback(lambda **k: out.append(k), x=1)
    stack.push(lambda t, v, tb: out.append(("push", t)))
    out.append(names)
result = out
# case: exit stack with an exception
from contextlib import ExitStack
out = []
class M:
    def __init__(self, name, suppresses=False):
        self.name, self.suppresses = name, suppresses
    def __enter__(self):
        return self
    def __exit__(self, t, v, tb):
        out.append((self.name, t and t.__name__))
        return self.suppresses
with ExitStack() as stack:
    stack.enter_context(M("a"))
    stack.enter_context(M("b", True))
    stack.enter_context(M("c"))
    raise ValueError("v")
result = out
# case: exit stack is closed
from contextlib import ExitStack
out = []
stack = ExitStack()
stack.callback(out.append, 1)
other = stack.pop_all()
stack.close()
out.append("closed")
other.close()
result = out
# case: closing
from contextlib import closing
def g():
    try:
        yield 1
    finally:
        out.append("closed")
out = []
with closing(g()) as it:
    out.append(next(it))
result = out
# case: with in a generator
out = []
class M:
    def __enter__(self):
        out.append("enter")
        return "m"
    def __exit__(self, t, v, tb):
        out.append(t and t.__name__)
        return t is ValueError
def g():
    with M() as m:
        yield m
        yield "second"
    yield "after"
it = g()
r = [next(it), next(it), next(it), next(it, "end")]
it = g()
next(it)
r.append(it.throw(ValueError("v")))
it = g()
next(it)
it.close()
result = (r, out)
# case: several contexts in a generator
out = []
class M:
    def __init__(self, n):
        self.n = n
    def __enter__(self):
        out.append(self.n)
        return self.n
    def __exit__(self, t, v, tb):
        out.append((self.n, t and t.__name__))
def g():
    with M((yield "first")) as a, M((yield "second")) as b:
        yield a, b
    yield "after"
it = g()
result = ([next(it), it.send(1), it.send(2), next(it)], out)
# case: return in a context in a generator
out = []
class M:
    def __enter__(self):
        return self
    def __exit__(self, *args):
        out.append("exit")
def g():
    for i in range(3):
        with M():
            yield i
            if i == 1:
                return "done"
it = g()
try:
    while True:
        out.append(next(it))
except StopIteration as e:
    out.append(e.value)
result = out
# case: contexts of the context
class M:
    def __enter__(self):
        return self
    def __exit__(self, *args):
        return False
try:
    with M():
        try:
            raise ValueError("a")
        except ValueError:
            raise KeyError("b")
except KeyError as e:
    result = repr(e.__context__)
# case: contextmanager methods
import contextlib
out = []
class C:
    def __init__(self, name):
        self.name = name
    @contextlib.contextmanager
    def scope(self, extra=""):
        out.append("+" + self.name)
        yield self.name + extra
        out.append("-" + self.name)
c = C("c")
with c.scope("x") as s, C("d").scope() as t:
    out.append(s + t)
result = out
