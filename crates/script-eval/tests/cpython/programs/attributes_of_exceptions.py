"""Attributes, notes and contexts of exceptions."""

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
