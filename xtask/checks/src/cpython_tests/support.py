"""The part of `test.support` that tests of the language use, for `cargo xtask cpython-tests`."""

import unittest

verbose = False
is_wasi = False
is_emscripten = False
is_android = False
has_fork_support = False
has_subprocess_support = False
Py_DEBUG = False
MAX_Py_ssize_t = 9223372036854775807
NHASHBITS = 61


def _same(target):
    return target


cpython_only = unittest.skip("a detail of CPython")
requires_IEEE_754 = _same
requires_docstrings = unittest.skip("docstrings of built-in functions")
requires_subprocess = lambda: unittest.skip("processes")


def impl_detail(msg=None, **guards):
    return unittest.skip("a detail of CPython")


def check_impl_detail(**guards):
    return False


def bigmemtest(*args, **kwargs):
    return unittest.skip("much memory")


def bigaddrspacetest(target):
    return unittest.skip("much memory")(target)


def precisionbigmemtest(*args, **kwargs):
    return unittest.skip("much memory")


def requires_resource(name):
    return unittest.skip("the resource " + name)


def no_tracing(target):
    return target


class _Equal:
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False


class _NotEqual:
    def __eq__(self, other):
        return False

    def __ne__(self, other):
        return True

    def __hash__(self):
        return 1


ALWAYS_EQ = _Equal()
NEVER_EQ = _NotEqual()


class _Swap:
    """Sets an attribute or item within `with`."""

    def __init__(self, target, name, new, get, put, delete):
        self.parts = target, name, new, get, put, delete

    def __enter__(self):
        target, name, new, get, put, delete = self.parts
        missing = object()
        self.old, self.missing = get(target, name, missing), missing
        put(target, name, new)
        return None if self.old is missing else self.old

    def __exit__(self, *args):
        target, name, new, get, put, delete = self.parts
        if self.old is self.missing:
            delete(target, name)
        else:
            put(target, name, self.old)
        return False


def _delete_item(target, key):
    del target[key]


def _set_item(target, key, new):
    target[key] = new


def swap_attr(target, name, new):
    return _Swap(target, name, new, getattr, setattr, delattr)


def swap_item(target, key, new):
    return _Swap(target, key, new, lambda of, name, default: of.get(name, default), _set_item, _delete_item)


def get_attribute(target, name):
    try:
        return getattr(target, name)
    except AttributeError:
        raise unittest.SkipTest("no attribute " + name)


def adjust_int_max_str_digits(limit):
    return unittest._Outside("the limit of digits")


def check_syntax_error(*args, **kwargs):
    raise unittest.SkipTest("`compile`")


def _raises_skip(cause):
    def run(*args, **kwargs):
        raise unittest.SkipTest(cause)

    return run


check_syntax_warning = _raises_skip("warnings")
