//! Parts of Python that are not evaluated: each is an error that names it, which no code can catch.

use crate::calculator;
use tvmscript_script_eval::{Limits, Run};

/// The message of the only error.
fn message(text: &str) -> String {
    let errors = calculator::evaluate(text, Limits::default(), Run::Strict).errors;
    assert_eq!(errors.len(), 1, "{text}: {errors:?}");
    errors[0].kind.to_string()
}

#[test]
fn syntax_and_classes_that_are_not_evaluated_are_named() {
    for (text, expected) in [
        ("try:\n    pass\nexcept* ValueError:\n    pass", "`except*` is not supported in a script"),
        ("ExceptionGroup('a', [ValueError()])", "ExceptionGroup is not supported"),
        (
            "def g(x):\n    match x:\n        case 1 if (yield):\n            pass\nlist(g(1))",
            "this `yield` is not supported",
        ),
        ("x = 3j", "a complex number is not supported"),
        ("complex(1, 2)", "complex is not supported"),
        ("bytearray(3)", "bytearray is not supported"),
        ("b'a' % 1", "`%` of bytes is not supported"),
        ("b'ab'.find(b'b')", "this method of `bytes` is not supported"),
        ("bytes.fromhex('00')", "this method of `bytes` is not supported"),
        ("(1.5).hex()", "the hexadecimal text of floats is not supported"),
        ("class C(metaclass=print):\n    pass", "this metaclass is not supported"),
        ("class M(type):\n    pass", "a metaclass is not supported"),
        ("class D(dict):\n    pass", "a class that extends `dict` is not supported"),
        ("class P(property):\n    pass", "a class that extends a descriptor is not supported"),
        (
            "class D:\n    def __get__(self, of, kind):\n        return 1",
            "a descriptor, a class with `__get__`, is not supported",
        ),
        (
            "class D:\n    def __set_name__(self, owner, name):\n        pass",
            "a class with `__set_name__` is not supported",
        ),
        (
            "from collections.abc import Mapping\nclass M(Mapping):\n    pass",
            "a class that extends one of `collections.abc` is not supported",
        ),
        (
            "from enum import Enum\nclass E(Enum):\n    _ignore_ = 'x'",
            "`_ignore_` of an enumeration is not supported",
        ),
    ] {
        assert_eq!(message(text), expected, "{text}");
        // Nothing catches it.
        let indented = text.replace('\n', "\n    ");
        let caught = format!("try:\n    {indented}\nexcept Exception:\n    pass");
        assert_eq!(message(&caught), expected, "{caught}");
    }
}

#[test]
fn modules_and_functions_that_are_not_evaluated_are_named() {
    for (text, expected) in [
        ("import heapq\nheapq.heappush([], 1)", "`heapq` cannot be used here"),
        ("import bisect\nbisect.insort([], 1)", "`bisect` cannot be used here"),
        ("import functools\nfunctools.singledispatch(len)", "`functools.singledispatch` cannot be used here"),
        (
            "from functools import total_ordering\ntotal_ordering(int)",
            "`functools.total_ordering` cannot be used here",
        ),
        ("from string import Template\nTemplate('$x')", "`string.Template` cannot be used here"),
        ("import functools\nfunctools.cache(len).cache_info()", "this method of a cache is not supported"),
        (
            "from collections import Counter\nCounter('a') + Counter('b')",
            "this operator of `Counter` is not supported",
        ),
        ("from math import *\nperm(5)", "`math.perm` cannot be used here"),
        (
            "import abc\nclass A(abc.ABC):\n    pass\nA.register(int)",
            "`register` of an abstract class is not supported",
        ),
    ] {
        assert_eq!(message(text), expected, "{text}");
    }
}

#[cfg(feature = "numpy")]
#[test]
fn operations_on_arrays_that_are_not_evaluated_are_named() {
    for (text, expected) in [
        ("a[[0, 1]]", "a subscript of an array by an array is not supported"),
        ("a @ a", "`@` of arrays is not supported"),
        ("a.std()", "this attribute of an array is not supported"),
        ("np.linalg", "`numpy.linalg` cannot be used here"),
    ] {
        assert_eq!(message(&format!("import numpy as np\na = np.arange(3)\n{text}")), expected, "{text}");
    }
}

#[test]
fn an_empty_tuple_of_axes_is_an_error() {
    let text = "import numpy as np\nnp.cumsum(np.array(3), axis=())";
    assert_eq!(message(text), "'tuple' object cannot be interpreted as an integer");
}
