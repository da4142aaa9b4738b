"""An operator of one's own: registration, legalization, a pass as a class."""
import tvm
from tvm import relax
from tvm.ir import Op, register_op_attr
from tvm.relax.expr_functor import PyExprMutator, mutator
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@T.prim_func(private=True)
def fast_gelu(x: T.handle, y: T.handle):
    n = T.int64()
    X = T.match_buffer(x, (n,))
    Y = T.match_buffer(y, (n,))
    for i in range(n):
        with T.block("gelu"):
            v = T.axis.spatial(n, i)
            Y[v] = X[v] * T.sigmoid(X[v] * T.float32(1.702))


@mutator
class Rewriter(PyExprMutator):
    def __init__(self, mod):
        super().__init__(mod)
        self.mod_ = mod
        self.gelu = Op.get("relax.nn.gelu")

    def visit_call_(self, call):
        call = super().visit_call_(call)
        if call.op == self.gelu and call.struct_info.ndim == 1:
            gvar = self.builder_.add_func(fast_gelu, "fast_gelu")
            return relax.call_tir(gvar, call.args, call.struct_info)
        return call


@tvm.transform.module_pass(opt_level=0, name="UseFastGelu")
class UseFastGelu:
    def transform_module(self, mod, ctx):
        rewriter = Rewriter(mod)
        for gvar, func in mod.functions_items():
            if isinstance(func, relax.Function):
                rewriter.builder_.update_func(gvar, rewriter.visit_expr(func))
        return rewriter.builder_.get()


@I.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((8,), "float32")) -> R.Tensor((8,), "float32"):
        y = R.nn.gelu(x)
        return y


@I.ir_module
class After:
    @T.prim_func(private=True)
    def fast_gelu(x: T.handle, y: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n,))
        Y = T.match_buffer(y, (n,))
        for i in range(n):
            with T.block("gelu"):
                v = T.axis.spatial(n, i)
                Y[v] = X[v] * T.sigmoid(X[v] * T.float32(1.702))

    @R.function
    def main(x: R.Tensor((8,), "float32")) -> R.Tensor((8,), "float32"):
        cls = After
        y = R.call_tir(cls.fast_gelu, (x,), out_sinfo=R.Tensor((8,), "float32"))
        return y


def legalize(bb: relax.BlockBuilder, call: relax.Call) -> relax.Expr:
    @T.prim_func(private=True)
    def identity(A: T.Buffer((T.int64(8),), "float32"), B: T.Buffer((T.int64(8),), "float32")):
        for i in range(T.int64(8)):
            with T.block("identity"):
                v = T.axis.spatial(T.int64(8), i)
                B[v] = A[v]

    return bb.call_tir(bb.add_func(identity, "identity"), call.args, call.struct_info)


def test_rewrite():
    rewritten = UseFastGelu()(Before)
    assert rewritten is not None
    assert After["main"].ret_struct_info == Before["main"].ret_struct_info
