# Classes in classes, class attributes, properties, metaclasses, setup methods.
import unittest

import tvm
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


class Outer:
    size = 8

    class Inner:
        @T.prim_func
        def kernel(A: T.Buffer((8,), "float32")):
            A[0] = T.float32(0)

        class Deep:
            @I.ir_module
            class Module:
                @T.prim_func
                def main(A: T.Buffer((8,), "float32")):
                    A[1] = T.float32(1)

                @R.function
                def entry(x: R.Tensor((8,), "float32")):
                    y = R.sin(x)
                    return y

    @property
    def kernel(self):
        @T.prim_func
        def func(A: T.Buffer((8,), "float32")):
            A[2] = T.float32(2)

        return func

    kernels = [Inner.kernel]
    table = {"inner": Inner.kernel}


class Registered(type):
    instances = []

    def __new__(mcs, name, bases, namespace):
        cls = super().__new__(mcs, name, bases, namespace)
        mcs.instances.append(cls)
        return cls


class Base(metaclass=Registered):
    extent = 4

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)

    def get(self):
        raise NotImplementedError


class Child(Base):
    def get(self):
        extent = self.extent

        @T.prim_func
        def sized(A: T.Buffer((extent,), "int32")):
            A[extent - 1] = 0

        return sized


class GrandChild(Child):
    extent = 16

    @T.prim_func
    def own(A: T.Buffer((16,), "int32")):
        for i in range(16):
            A[i] = 16


class CaseOfUnittest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.count = 3

    def setUp(self):
        @T.prim_func
        def prepared(A: T.Buffer((3,), "int32")):
            A[0] = 3

        self.func = prepared

    def test_prepared(self):
        @T.prim_func
        def other(A: T.Buffer((3,), "int32")):
            A[0] = 3

        self.assertIsNotNone(other)

    def test_raises(self):
        with self.assertRaises(tvm.error.DiagnosticError):

            @T.prim_func
            def wrong(A: T.Buffer((3,), "int32")):
                A[0] = T.no_such_function(1)

    def tearDown(self):
        self.func = None


class TestGroup:
    def helper(self):
        @T.prim_func
        def helped(A: T.Buffer((3,), "int32")):
            A[1] = 3

        return helped

    def test_first(self):
        assert self.helper() is not None

    def test_second(self):
        class Local:
            @T.prim_func
            def local(A: T.Buffer((3,), "int32")):
                A[2] = 3

        assert Local.local is not None


if __name__ == "__main__":
    unittest.main()
