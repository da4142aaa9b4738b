"""Struct info of every kind, written by hand and inferred."""
from tvm.script import ir as I, relax as R, tir as T


@R.function
def tensors(
    a: R.Tensor,
    b: R.Tensor(ndim=2),
    c: R.Tensor(dtype="float32"),
    d: R.Tensor((1, 2), "float32"),
    e: R.Tensor(("n", "m"), dtype="int8"),
    f: R.Tensor(None, "float32", ndim=3),
) -> R.Tensor:
    return a


@R.function
def tuples(t: R.Tuple(R.Tensor((1,), "float32"), R.Tuple(R.Object, R.Shape(ndim=2)))) -> R.Object:
    x = t[1][0]
    return x


@R.function
def prims(x: R.Prim(value="n"), y: R.Prim("float32"), s: R.Shape(["n", 4])) -> R.Shape(ndim=2):
    return s


@R.function
def callables(
    f: R.Callable((R.Tensor((2,), "float32"),), R.Tensor((2,), "float32"), True),
    x: R.Tensor((2,), "float32"),
) -> R.Tensor((2,), "float32"):
    y: R.Tensor((2,), "float32") = f(x)
    return y


@R.function
def bindings(x: R.Tensor((2, 3), "float32")) -> R.Tensor:
    a: R.Tensor((2, 3), "float32") = x
    b: R.Tensor = R.add(a, a)
    c: R.Object = b
    d = R.match_cast(c, R.Tensor((2, 3), "float32"))
    e = R.shape_of(d)
    f = R.tensor_to_shape(R.const([2, 3], "int64"))
    g = R.prim_value(3)
    h = R.str("text")
    i = R.dtype("float16")
    return d


@R.function
def null_and_assert(x: R.Tensor((2,), "float32")):
    y = R.null_value()
    return (x, y)


@R.function
def from_shape(x: R.Tensor(("n", 2), "float32")) -> R.Tensor(("n * 2",), "float32"):
    n = T.int64()
    y = R.reshape(x, (n * 2,))
    return y


@I.ir_module
class Mixed:
    @T.prim_func(private=True)
    def double(a: T.handle, b: T.handle):
        m = T.int64()
        A = T.match_buffer(a, (m,), "int64")
        B = T.match_buffer(b, (m,), "int64")
        for i in range(m):
            with T.block("double"):
                v = T.axis.spatial(m, i)
                B[v] = A[v] * T.int64(2)

    @R.function
    def main(s: R.Shape(["k"])) -> R.Tensor(("k",), "int64"):
        k = T.int64()
        cls = Mixed
        out = R.call_tir(cls.double, (R.zeros(R.shape([k]), "int64"),), R.Tensor((k,), "int64"))
        return out

    @R.function
    def impure_entry(x: R.Tensor((4,), "float32")) -> R.Tuple:
        R.func_attr({"relax.force_pure": 1})
        with R.dataflow():
            y = R.call_dps_packed("files.dps", (x,), out_sinfo=R.Tensor((4,), "float32"))
            z = R.call_inplace_packed("files.inplace", y, inplace_indices=[0], sinfo_args=[R.Tensor((4,), "float32")])
            w = (y, z)
            R.output(w)
        return w
