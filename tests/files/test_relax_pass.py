# A pass over Relax functions: modules before and after, inside of test functions.
import tvm
import tvm.testing
from tvm import relax
from tvm.ir.base import assert_structural_equal
from tvm.script import ir as I, relax as R, tir as T
from tvm.script.parser import ir as _ir  # the long way


def test_fold_constants():
    @I.ir_module
    class Before:
        @R.function
        def main(x: R.Tensor((2,), "float32")):
            with R.dataflow():
                a = R.add(R.const([1.0, 2.0], "float32"), R.const([3.0, 4.0], "float32"))
                y = R.add(x, a)
                R.output(y)
            return y

    @I.ir_module
    class Expected:
        @R.function
        def main(x: R.Tensor((2,), "float32")):
            with R.dataflow():
                y = R.add(x, R.const([4.0, 6.0], "float32"))
                R.output(y)
            return y

    assert Before.get_global_vars() and Expected.get_global_vars()


def test_dead_code():
    @tvm.script.ir_module
    class Before:
        @R.function
        def main(x: R.Tensor((4, 4), "float32")):
            with R.dataflow():
                dead = R.exp(x)
                live = R.abs(x)
                R.output(live)
            return live

    @tvm.script.ir_module
    class Expected:
        @R.function
        def main(x: R.Tensor((4, 4), "float32")):
            with R.dataflow():
                live = R.abs(x)
                R.output(live)
            return live

    assert_structural_equal(relax.transform.DeadCodeElimination()(Before), Expected)


def test_match_cast():
    @R.function
    def before(x: R.Tensor) -> R.Object:
        n = T.int64()
        y = R.match_cast(x, R.Tensor((n, 4), "float32"))
        z = R.reshape(y, R.shape([n * 4]))
        return z

    @R.function
    def flat(x: R.Tensor((2, 4), "float32")):
        z = R.reshape(x, R.shape([8]))
        w: R.Tensor((8,), "float32") = z
        return w

    print(before, flat)


def test_tuples():
    @R.function
    def before(t: R.Tuple(R.Tensor((2,), "float32"), R.Tensor((3,), "int32"))):
        a = t[0]
        b = t[1]
        c = (b, a)
        d = (c, R.tuple())
        return d

    @R.function
    def split(x: R.Tensor((2, 6), "float32")):
        with R.dataflow():
            parts = R.split(x, indices_or_sections=3, axis=1)
            first = parts[0]
            last = parts[2]
            both = R.concat([first, last], axis=1)
            R.output(both)
        return both

    assert before and split


def test_shape_values():
    @R.function
    def before(s: R.Shape(["n", "m"]), p: R.Prim("int64")):
        n = T.int64()
        m = T.int64()
        out = R.zeros(R.shape([n, m + 1]), "float32")
        return out

    @R.function
    def full(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        out = R.full(R.shape([n, 2]), R.const(0, "int8"), "int8")
        return out

    assert before.struct_info is not None
    assert full.struct_info is not None


def test_closures():
    @R.function
    def outer(x: R.Tensor((2,), "float32")):
        @R.function
        def inner(y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
            z = R.add(x, y)
            return z

        w = inner(x)
        return w

    assert outer


if __name__ == "__main__":
    tvm.testing.main()
