"""The part of `unittest` that tests of the language use, for `cargo xtask cpython-tests`.

A test that needs anything else raises `SkipTest`, whose text is the cause.
"""

from _harness import search


class SkipTest(Exception):
    pass


class _Outside:
    """A feature that is not there: each use ends the test."""

    def __init__(self, cause):
        self._cause = cause

    def __call__(self, *args, **kwargs):
        raise SkipTest(self._cause)

    def __enter__(self):
        raise SkipTest(self._cause)

    def __exit__(self, *args):
        return False


def _mark(target, cause):
    target.__unittest_skip__ = True
    target.__unittest_skip_why__ = cause
    return target


def skip(cause):
    if callable(cause):
        return _mark(cause, "skipped")
    return lambda target: _mark(target, "skipped: " + str(cause))


def skipIf(condition, cause):
    return skip(cause) if condition else lambda target: target


def skipUnless(condition, cause):
    return lambda target: target if condition else _mark(target, "skipped: " + str(cause))


def expectedFailure(target):
    return _mark(target, "skipped: expected to fail")


def _text(pattern):
    return pattern if isinstance(pattern, str) else getattr(pattern, "pattern", None)


def _finds(pattern, text):
    pattern = _text(pattern)
    if pattern is None:
        raise SkipTest("a compiled regular expression")
    found = search(pattern, text)
    if found is None:
        raise SkipTest("a regular expression with look-around")
    return found


class _Raises:
    def __init__(self, expected, pattern=None):
        if not (isinstance(expected, type) or isinstance(expected, tuple)):
            raise TypeError("assertRaises() arg 1 must be an exception type or tuple of exception types")
        self.expected = expected
        self.pattern = pattern
        self.exception = None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is None:
            raise AssertionError(f"{_names(self.expected)} not raised")
        if not issubclass(kind, self.expected):
            return False
        self.exception = error
        if self.pattern is not None and not _finds(self.pattern, str(error)):
            raise AssertionError(f"{_text(self.pattern)!r} does not match {str(error)!r}")
        return True


def _names(expected):
    if isinstance(expected, tuple):
        return " or ".join(one.__name__ for one in expected)
    return expected.__name__


class TestCase:
    failureException = AssertionError
    maxDiff = None
    longMessage = True
    _testMethodName = "runTest"

    def __init__(self, methodName="runTest"):
        self._testMethodName = methodName
        self._cleanups = []
        self._equal = {}

    def setUp(self):
        pass

    def tearDown(self):
        pass

    @classmethod
    def setUpClass(cls):
        pass

    @classmethod
    def tearDownClass(cls):
        pass

    def id(self):
        return type(self).__name__ + "." + self._testMethodName

    def shortDescription(self):
        return None

    def __str__(self):
        return self.id()

    def addCleanup(self, function, /, *args, **kwargs):
        self._cleanups.append((function, args, kwargs))

    def doCleanups(self):
        while self._cleanups:
            function, args, kwargs = self._cleanups.pop()
            function(*args, **kwargs)

    def enterContext(self, manager):
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def addTypeEqualityFunc(self, kind, function):
        self._equal[kind] = function

    def skipTest(self, cause):
        raise SkipTest("skipped: " + str(cause))

    def subTest(self, msg=None, **parameters):
        return _SubTest()

    def fail(self, msg=None):
        raise self.failureException(msg)

    def _fail(self, msg, text):
        raise self.failureException(text if msg is None else f"{text} : {msg}")

    def assertTrue(self, value, msg=None):
        if not value:
            self._fail(msg, f"{value!r} is not true")

    def assertFalse(self, value, msg=None):
        if value:
            self._fail(msg, f"{value!r} is not false")

    assert_ = assertTrue

    def assertEqual(self, first, second, msg=None):
        if type(first) is type(second) and type(first) in self._equal:
            check = self._equal[type(first)]
            if isinstance(check, str):
                check = getattr(self, check)
            return check(first, second, msg=msg)
        if not first == second:
            self._fail(msg, f"{first!r} != {second!r}")

    def assertNotEqual(self, first, second, msg=None):
        if not first != second:
            self._fail(msg, f"{first!r} == {second!r}")

    def assertIs(self, first, second, msg=None):
        if first is not second:
            self._fail(msg, f"{first!r} is not {second!r}")

    def assertIsNot(self, first, second, msg=None):
        if first is second:
            self._fail(msg, f"unexpectedly identical: {first!r}")

    def assertIsNone(self, value, msg=None):
        if value is not None:
            self._fail(msg, f"{value!r} is not None")

    def assertIsNotNone(self, value, msg=None):
        if value is None:
            self._fail(msg, "unexpectedly None")

    def assertIn(self, member, container, msg=None):
        if member not in container:
            self._fail(msg, f"{member!r} not found in {container!r}")

    def assertNotIn(self, member, container, msg=None):
        if member in container:
            self._fail(msg, f"{member!r} unexpectedly found in {container!r}")

    def assertIsInstance(self, value, kind, msg=None):
        if not isinstance(value, kind):
            self._fail(msg, f"{value!r} is not an instance of {kind!r}")

    def assertNotIsInstance(self, value, kind, msg=None):
        if isinstance(value, kind):
            self._fail(msg, f"{value!r} is an instance of {kind!r}")

    def assertLess(self, a, b, msg=None):
        if not a < b:
            self._fail(msg, f"{a!r} not less than {b!r}")

    def assertLessEqual(self, a, b, msg=None):
        if not a <= b:
            self._fail(msg, f"{a!r} not less than or equal to {b!r}")

    def assertGreater(self, a, b, msg=None):
        if not a > b:
            self._fail(msg, f"{a!r} not greater than {b!r}")

    def assertGreaterEqual(self, a, b, msg=None):
        if not a >= b:
            self._fail(msg, f"{a!r} not greater than or equal to {b!r}")

    def _is_near(self, first, second, places, delta):
        if first == second:
            return True
        difference = abs(first - second)
        return difference <= delta if delta is not None else round(difference, 7 if places is None else places) == 0

    def assertAlmostEqual(self, first, second, places=None, msg=None, delta=None):
        if not self._is_near(first, second, places, delta):
            self._fail(msg, f"{first!r} != {second!r} within the tolerance")

    def assertNotAlmostEqual(self, first, second, places=None, msg=None, delta=None):
        if self._is_near(first, second, places, delta):
            self._fail(msg, f"{first!r} == {second!r} within the tolerance")

    def assertSequenceEqual(self, first, second, msg=None, seq_type=None):
        if seq_type is not None and not (isinstance(first, seq_type) and isinstance(second, seq_type)):
            self._fail(msg, f"not sequences of type {seq_type.__name__}")
        if not first == second and not (len(first) == len(second) and all(a == b for a, b in zip(first, second))):
            self._fail(msg, f"{first!r} != {second!r}")

    def assertListEqual(self, first, second, msg=None):
        self.assertSequenceEqual(first, second, msg, list)

    def assertTupleEqual(self, first, second, msg=None):
        self.assertSequenceEqual(first, second, msg, tuple)

    def assertSetEqual(self, first, second, msg=None):
        if first.difference(second) or second.difference(first):
            self._fail(msg, f"{first!r} != {second!r}")

    def assertDictEqual(self, first, second, msg=None):
        self.assertIsInstance(first, dict)
        self.assertIsInstance(second, dict)
        if first != second:
            self._fail(msg, f"{first!r} != {second!r}")

    def assertMultiLineEqual(self, first, second, msg=None):
        if first != second:
            self._fail(msg, f"{first!r} != {second!r}")

    def assertCountEqual(self, first, second, msg=None):
        rest = list(second)
        for item in first:
            if item not in rest:
                self._fail(msg, f"element counts differ: {first!r}, {second!r}")
            rest.remove(item)
        if rest:
            self._fail(msg, f"element counts differ: {first!r}, {second!r}")

    def assertRegex(self, text, pattern, msg=None):
        if not _finds(pattern, text):
            self._fail(msg, f"{_text(pattern)!r} not found in {text!r}")

    def assertNotRegex(self, text, pattern, msg=None):
        if _finds(pattern, text):
            self._fail(msg, f"{_text(pattern)!r} found in {text!r}")

    def assertRaises(self, expected, *args, **kwargs):
        manager = _Raises(expected)
        if not args:
            return manager
        function, *args = args
        with manager:
            function(*args, **kwargs)

    def assertRaisesRegex(self, expected, pattern, *args, **kwargs):
        manager = _Raises(expected, pattern)
        if not args:
            return manager
        function, *args = args
        with manager:
            function(*args, **kwargs)

    assertWarns = _Outside("warnings")
    assertWarnsRegex = _Outside("warnings")
    assertLogs = _Outside("logging")
    assertNoLogs = _Outside("logging")


class _SubTest:
    def __enter__(self):
        return None

    def __exit__(self, *args):
        return False


class IsolatedAsyncioTestCase:
    pass


def main(*args, **kwargs):
    pass


def names(cls):
    """The names of the test methods of a class."""
    if not (isinstance(cls, type) and issubclass(cls, TestCase)):
        return []
    return [name for name in dir(cls) if name.startswith("test") and callable(getattr(cls, name, None))]


def run(cls, name):
    """Runs one test method."""
    method = getattr(cls, name)
    for target in (cls, method):
        if getattr(target, "__unittest_skip__", False):
            raise SkipTest(target.__unittest_skip_why__)
    cls.setUpClass()
    test = cls(name)
    test.setUp()
    try:
        getattr(test, name)()
    finally:
        test.tearDown()
        test.doCleanups()
        cls.tearDownClass()
