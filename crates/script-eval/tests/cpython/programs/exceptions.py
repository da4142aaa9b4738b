# case: the instance
try:
    raise ValueError("bad", 3)
except ValueError as e:
    result = (e.args, str(e), repr(e), type(e).__name__, isinstance(e, Exception), isinstance(e, KeyError))
# case: one argument
try:
    raise ValueError("bad")
except Exception as e:
    result = (e.args, str(e), repr(e))
# case: a class without a call
try:
    raise ValueError
except ValueError as e:
    result = (e.args, str(e), repr(e))
# case: an operator
try:
    1 / 0
except ArithmeticError as e:
    result = (type(e).__name__, e.args, str(e))
# case: a key
try:
    {"a": 1}["b"]
except KeyError as e:
    result = (e.args, str(e), repr(e))
# case: a key that is a tuple
try:
    {}[1, "x"]
except LookupError as e:
    result = (e.args, str(e))
# case: keys of pop and remove
out = []
for f in (lambda: {}.pop(3), lambda: set().remove("q"), lambda: {}.popitem(), lambda: set().pop()):
    try:
        f()
    except KeyError as e:
        out.append((e.args, str(e)))
result = out
# case: an undefined name
try:
    missing
except NameError as e:
    result = (type(e).__name__, str(e))
# case: an unbound local name
def f():
    try:
        x
    except UnboundLocalError as e:
        return str(e)
    x = 1
result = f()
# case: an unbound free name
def f():
    def g():
        try:
            return x
        except NameError as e:
            return type(e).__name__, str(e)
    r = g()
    x = 1
    return r
result = f()
# case: an attribute
try:
    (1).missing
except AttributeError as e:
    result = str(e)
# case: tuple of classes in a variable
errors = (KeyError, ZeroDivisionError)
try:
    1 // 0
except errors as e:
    result = type(e).__name__
# case: class in a variable
E = IndexError
try:
    [][0]
except E as e:
    result = str(e)
# case: the first handler that fits
def f(x):
    try:
        raise x
    except LookupError:
        return "lookup"
    except (ValueError, TypeError):
        return "value"
    except Exception:
        return "other"
result = [f(x) for x in (KeyError(1), IndexError(), ValueError(), TypeError, OSError(), UnicodeError())]
# case: the name is unbound afterwards
e = 5
try:
    raise ValueError
except ValueError as e:
    pass
try:
    e
except NameError as x:
    result = str(x)
# case: bare raise
try:
    try:
        raise ValueError("a")
    except ValueError:
        raise
except ValueError as e:
    result = (str(e), e.__context__)
# case: bare raise without an exception
try:
    raise
except RuntimeError as e:
    result = str(e)
# case: bare raise in a called function
def again():
    raise
try:
    try:
        raise KeyError("k")
    except KeyError:
        again()
except KeyError as e:
    result = repr(e)
# case: from
try:
    try:
        raise KeyError("k")
    except KeyError as e:
        raise ValueError("v") from e
except ValueError as e:
    result = (repr(e.__cause__), repr(e.__context__), e.__suppress_context__)
# case: from None
try:
    try:
        raise KeyError("k")
    except KeyError as e:
        raise ValueError("v") from None
except ValueError as e:
    result = (e.__cause__, repr(e.__context__), e.__suppress_context__)
# case: from a class
try:
    raise ValueError("v") from KeyError
except ValueError as e:
    result = repr(e.__cause__)
# case: from something else
try:
    raise ValueError("v") from 3
except TypeError as e:
    result = str(e)
# case: context of an operator
try:
    try:
        1 / 0
    except ZeroDivisionError:
        {}["k"]
except KeyError as e:
    result = (repr(e), repr(e.__context__), e.__cause__)
# case: chain of contexts
try:
    try:
        try:
            raise ValueError(1)
        except ValueError:
            raise TypeError(2)
    except TypeError:
        raise KeyError(3)
except KeyError as e:
    result = (repr(e), repr(e.__context__), repr(e.__context__.__context__))
# case: context in finally
try:
    try:
        raise ValueError(1)
    finally:
        raise TypeError(2)
except TypeError as e:
    result = repr(e.__context__)
# case: raise something else
try:
    raise 3
except TypeError as e:
    result = str(e)
# case: raise a class that is none
try:
    raise int
except TypeError as e:
    result = str(e)
# case: except something else
try:
    try:
        raise ValueError
    except 3:
        pass
except TypeError as e:
    result = (str(e), repr(e.__context__))
# case: else
out = []
try:
    out.append("body")
except ValueError:
    out.append("no")
else:
    out.append("else")
finally:
    out.append("finally")
result = out
# case: an exception in else is not handled
out = []
try:
    try:
        pass
    except ValueError:
        out.append("wrong")
    else:
        raise ValueError("else")
except ValueError as e:
    out.append(str(e))
result = out
# case: finally returns
def f():
    try:
        raise ValueError
    finally:
        return 5
result = f()
# case: finally after return
out = []
def f():
    try:
        return out.append("body") or 1
    finally:
        out.append("finally")
result = (f(), out)
# case: finally overrides return
def f():
    try:
        return 1
    finally:
        return 2
result = f()
# case: finally breaks
def f():
    for i in range(3):
        try:
            raise ValueError
        finally:
            break
    return i
result = f()
# case: finally continues
def f():
    out = []
    for i in range(3):
        try:
            if i == 1:
                raise ValueError
            out.append(i)
        finally:
            continue
    return out
result = f()
# case: finally after break and continue
out = []
for i in range(4):
    try:
        if i == 1:
            continue
        if i == 3:
            break
        out.append(i)
    finally:
        out.append("f")
else:
    out.append("else")
result = out
# case: nested finally
out = []
try:
    try:
        try:
            raise ValueError("x")
        finally:
            out.append(1)
    finally:
        out.append(2)
except ValueError as e:
    out.append(str(e))
result = out
# case: assert with a value
try:
    assert 1 == 2, (1, "two")
except AssertionError as e:
    result = (e.args, str(e))
# case: assert alone
try:
    assert []
except AssertionError as e:
    result = (e.args, str(e))
# case: a class of the program
class MyError(ValueError):
    pass
try:
    raise MyError("m", 1)
except ValueError as e:
    result = (type(e).__name__, e.args, str(e), repr(e), isinstance(e, MyError))
# case: a class with a field
class MyError(Exception):
    def __init__(self, code):
        self.code = code
try:
    raise MyError(7)
except MyError as e:
    result = (e.code, e.args, str(e))
# case: two classes of the program
class A(Exception): pass
class B(A): pass
class C(A, KeyError): pass
def f(x):
    try:
        raise x
    except B:
        return "B"
    except LookupError:
        return "lookup"
    except A:
        return "A"
result = [f(A()), f(B), f(C("k"))]
# case: a method of an exception
class E(Exception):
    def double(self):
        return self.args[0] * 2
try:
    raise E(21)
except E as e:
    result = e.double()
# case: an uncaught class of the program
class E(ValueError):
    pass
raise E("text")
# case: an uncaught exception without code
raise NotImplementedError("later")
# case: uncaught exception of a function
def f(x):
    raise TypeError(f"no {x}")
f(3)
# case: os errors
try:
    raise OSError(2, "No such file", "a.txt")
except FileNotFoundError as e:
    result = (str(e), e.errno, e.strerror, e.filename, IOError is OSError)
# case: stop iteration
try:
    next(iter([]))
except StopIteration as e:
    result = (e.args, e.value)
# case: value of stop iteration
result = StopIteration(3, 4).value
# case: notes
e = ValueError("a")
e.add_note("one")
e.add_note("two")
result = e.__notes__
# case: arguments can be changed
e = ValueError("a")
e.args = ("b", "c")
result = (str(e), e.args)
# case: a cause set by hand
e = ValueError("a")
e.__cause__ = KeyError("k")
result = (repr(e.__cause__), e.__suppress_context__)
# case: a field of an exception
e = ValueError("a")
e.extra = 5
result = e.extra
# case: keyword arguments
try:
    ValueError(a=1)
except TypeError as e:
    result = str(e)
# case: exceptions are distinct
a, b = ValueError("x"), ValueError("x")
result = (a == b, a == a, a is a, len({a, b}))
# case: with_traceback
e = ValueError("x")
result = e.with_traceback(None) is e
# case: raise the same exception again
first = None
try:
    try:
        raise ValueError("x")
    except ValueError as e:
        first = e
        raise KeyError("y")
except KeyError as e:
    try:
        raise first
    except ValueError as again:
        result = (again is first, repr(again.__context__))
# case: recursion of contexts
try:
    try:
        raise ValueError("x")
    except ValueError as a:
        try:
            raise KeyError("y")
        except KeyError:
            raise a
except ValueError as e:
    result = (repr(e), repr(e.__context__), e.__context__.__context__)
# case: an error in a comprehension
try:
    [1 // x for x in (1, 0)]
except ZeroDivisionError as e:
    result = str(e)
# case: exceptions as control flow
def find(items, wanted):
    class Found(Exception):
        pass
    try:
        for i, x in enumerate(items):
            if x == wanted:
                raise Found(i)
    except Found as e:
        return e.args[0]
    return -1
result = (find("abc", "b"), find("abc", "z"))
# case: return in a handler
def f():
    try:
        raise ValueError("x")
    except ValueError as e:
        return str(e)
result = f()
# case: loop in a handler
out = []
for x in (1, 0, "a", None):
    try:
        out.append(10 // x)
    except ZeroDivisionError:
        out.append("zero")
        continue
    except TypeError as e:
        out.append(str(e))
result = out
# case: an undefined class in except
try:
    try:
        raise ValueError("x")
    except Missing:
        pass
except NameError as e:
    result = (str(e), repr(e.__context__))
# case: except is not evaluated without an exception
try:
    x = 1
except Missing:
    pass
result = x
# case: bases
result = [issubclass_(a, b) for a, b in []] if False else [
    isinstance(UnicodeDecodeError, type), KeyError.__name__, isinstance(RecursionError("x"), RuntimeError)]
# case: system exit
try:
    raise SystemExit(3)
except Exception:
    result = "wrong"
except BaseException as e:
    result = (type(e).__name__, e.code)
# case: exception group of loops
def f():
    while True:
        try:
            try:
                break
            finally:
                x = 1
        finally:
            y = 2
    return x, y
result = f()
# case: error in the handler and finally
out = []
try:
    try:
        raise ValueError("a")
    except ValueError:
        out.append("handler")
        raise KeyError("b")
    finally:
        out.append("finally")
except KeyError as e:
    out.append(repr(e.__context__))
result = out
