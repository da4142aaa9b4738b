"""Groups of exceptions and `except*`."""

# case: parts of a group
group = ExceptionGroup("all", [ValueError(1), TypeError("t"), ExceptionGroup("inner", [ValueError(2), OSError(3)])])
values, rest = group.split(ValueError)
result = [repr(values), repr(rest), str(group), group.message, len(group.exceptions), group.subgroup(KeyError),
          repr(group.subgroup(lambda e: isinstance(e, OSError)))]

# case: the class depends on the contained exceptions
result = [type(BaseExceptionGroup("a", [ValueError()])).__name__, type(BaseExceptionGroup("a", [KeyboardInterrupt()])).__name__,
          issubclass(ExceptionGroup, Exception), issubclass(BaseExceptionGroup, Exception), ExceptionGroup.__mro__[1].__name__]

# case: wrong arguments of a group
found = []
for args in [(), ("a",), (1, [ValueError()]), ("a", 1), ("a", []), ("a", [1]), ("a", [SystemExit()])]:
    try:
        ExceptionGroup(*args)
    except Exception as error:
        found.append((type(error).__name__, str(error)))
result = found

# case: each handler takes its part
def run(error):
    log = []
    try:
        try:
            raise error
        except* ValueError as group:
            log.append(("values", repr(group)))
        except* (TypeError, KeyError) as group:
            log.append(("types", repr(group)))
        else:
            log.append("else")
        finally:
            log.append("finally")
    except BaseException as left:
        log.append(("left", repr(left)))
    return log

result = [run(ValueError(1)), run(ExceptionGroup("g", [ValueError(1), TypeError(2), OSError(3)])), run(OSError(4)),
          run(ExceptionGroup("g", [ExceptionGroup("h", [KeyError(1), ValueError(2)]), KeyError(3)]))]

# case: handlers that raise
def run(error, action):
    try:
        try:
            raise error
        except* ValueError as group:
            action(group)
        except* TypeError:
            raise
    except BaseException as left:
        return repr(left)
    return "nothing"

def new(group):
    raise KeyError("new")

def again(group):
    raise group

group = lambda: ExceptionGroup("g", [ValueError(1), TypeError(2), OSError(3)])
result = [run(group(), new), run(group(), again), run(group(), lambda g: None), run(ValueError(5), new), run(TypeError(6), new)]

# case: groups cannot be caught by except star
try:
    try:
        raise ValueError
    except* ExceptionGroup:
        pass
except TypeError as error:
    result = str(error)

# case: derived groups
class MyGroup(ExceptionGroup):
    def __new__(cls, message, exceptions, code):
        self = super().__new__(MyGroup, message, exceptions)
        self.code = code
        return self
    def derive(self, exceptions):
        return MyGroup(self.message, exceptions, self.code + 1)

group = MyGroup("m", [ValueError(1), TypeError(2)], 5)
group.add_note("note")
matched, rest = group.split(TypeError)
result = [type(matched).__name__, matched.code, rest.code, matched.__notes__, repr(rest.exceptions)]

# case: attributes of exceptions
found = []
try:
    [].missing
except AttributeError as error:
    found.append(error.name)
try:
    unknown
except NameError as error:
    found.append(error.name)
error = ImportError("text", name="module", path="file")
found += [error.name, error.path, ImportError("x").name]
syntax = SyntaxError("bad", ("file.py", 3, 4, "text"))
found += [syntax.msg, syntax.filename, syntax.lineno, syntax.offset, syntax.text, syntax.end_lineno]
result = found

# case: notes and attributes that cannot be deleted
error = ValueError(1)
error.add_note("one")
found = [error.__notes__]
error.__notes__ = 5
for action in [lambda: error.add_note("two"), lambda: delattr(error, "__cause__"), lambda: delattr(error, "args")]:
    try:
        action()
    except TypeError as wrong:
        found.append(str(wrong))
del error.__notes__
result = found + [hasattr(error, "__notes__")]

# case: a cycle of contexts ends
first, second, third = ValueError(1), TypeError(2), KeyError(3)
first.__context__ = second
second.__context__ = first
try:
    try:
        raise first
    except ValueError:
        raise third
except KeyError as error:
    result = [error.__context__ is first, first.__context__ is second]
