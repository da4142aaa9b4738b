"""The part of `test.support.import_helper` that tests use: there is one implementation of each module."""

import bisect
import collections
import copy
import functools
import heapq
import operator
import unittest

_MODULES = {
    "bisect": bisect,
    "collections": collections,
    "copy": copy,
    "functools": functools,
    "heapq": heapq,
    "operator": operator,
}


def import_fresh_module(name, fresh=(), blocked=(), deprecated=False):
    return _MODULES.get(name)


def import_module(name, deprecated=False, required_on=()):
    if name in _MODULES:
        return _MODULES[name]
    raise unittest.SkipTest("module " + name)
