"""Enumerations, protocols, overloads and annotations around scripts."""
from __future__ import annotations

import abc
import enum
import typing
from collections import namedtuple
from typing import TYPE_CHECKING, Any, Callable, ClassVar, Dict, Generic, Literal, Protocol, TypeVar, overload

from tvm.script import tir as T
from tvm.tir import PrimFunc

if TYPE_CHECKING:
    from tvm.ir import IRModule

Kind = Literal["fast", "slow"]
V = TypeVar("V", bound="Visitor")
Point = namedtuple("Point", ["x", "y"])
Factory = Callable[..., PrimFunc]
ORIGIN: Point = Point(0, 0)


class Layout(enum.Enum):
    ROW = 0
    COL = enum.auto()

    @property
    def transposed(self) -> "Layout":
        return Layout.COL if self is Layout.ROW else Layout.ROW


class Bits(enum.IntFlag):
    READ = 1
    WRITE = 2


class Builder(Protocol):
    def build(self, n: int) -> PrimFunc: ...


class Visitor(abc.ABC, Generic[V]):
    registry: ClassVar[Dict[str, Factory]] = {}

    @abc.abstractmethod
    def visit(self, node: Any) -> V: ...


class CopyBuilder:
    def __init__(self, layout: Layout = Layout.ROW):
        self.layout = layout

    def build(self, n: int = 8) -> PrimFunc:
        if self.layout is Layout.ROW:

            @T.prim_func
            def rows(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32")):
                for i, j in T.grid(8, 8):
                    B[i, j] = A[i, j]

            return rows

        @T.prim_func
        def cols(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32")):
            for i, j in T.grid(8, 8):
                B[j, i] = A[j, i]

        return cols


@overload
def pick(kind: Literal["fast"]) -> PrimFunc: ...
@overload
def pick(kind: Literal["slow"]) -> PrimFunc: ...
def pick(kind: Kind) -> PrimFunc:
    return {"fast": fast, "slow": slow}[kind]


@T.prim_func
def fast(A: T.Buffer((32,), "float32")):
    for i in T.vectorized(32):
        A[i] = A[i] + T.float32(1)


@T.prim_func
def slow(A: T.Buffer((32,), "float32")):
    for i in T.serial(32):
        A[i] = A[i] + T.float32(1)


def module() -> "IRModule":
    import tvm

    return tvm.IRModule({"fast": pick("fast"), "slow": pick("slow")})


def test_layouts() -> None:
    for layout in Layout:
        assert CopyBuilder(layout).build(), layout.transposed
    assert Bits.READ | Bits.WRITE
    reveal: typing.Optional[int] = ORIGIN.x
    assert reveal == 0
