#!/usr/bin/env python
# -*- coding: utf-8 -*-
"""Comments, docstrings and strings in odd places.

    @T.prim_func
    def not_a_script(): ...
"""
# pylint: disable=missing-function-docstring, invalid-name
# ruff: noqa: F821

from __future__ import annotations  # a future import behind a docstring

import tvm  # noqa: F401
from tvm.script import (  # type: ignore
    ir as I,
    relax as R,
    tir as T,
)

__all__ = ["commented", "Commented"]
__version__ = "1.0"


# A comment between

@T.prim_func  # behind the decorator
# between decorator and def
def commented(  # behind the parenthesis
    A: T.Buffer((4,), "float32"),  # behind a parameter
    # a line of its own
    n: T.int32,
) -> None:  # behind the colon
    # the first line
    for i in T.serial(4):  # behind the loop

        # between
        A[i] = T.float32(0)  # behind the store

        pass
    # the last line


@I.ir_module
class Commented:
    """A docstring.

    Of several lines.
    """

    # nothing here

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        # comment
        y = R.add(x, x)  # comment

        return y


def test_strings():
    '''A docstring with @I.ir_module in it.'''
    text = """
@T.prim_func
def in_text(): pass
"""
    raw, formatted, data = r"\n@T", f"{text!r}{{}}", b"@R.function"

    @T.prim_func
    def strings(A: T.Buffer((4,), "float32")):
        T.func_attr({"a": "'", "b": '"', "c": """triple""", "d": "con" "cat"})
        A[0] = T.float32(0)

    assert strings and raw and formatted and data


def test_semicolons(): x = 1; y = 2; assert x < y


if True:    pass
class Empty: ...
class Tabs:
	@T.prim_func
	def with_tabs(A: T.Buffer((4,), "float32")):
		for i in range(4):
			A[i] = T.float32(1)
