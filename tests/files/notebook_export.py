# %% [markdown]
# # A notebook exported as a script
# Text between cells.

# %%
import IPython.display as display
import matplotlib.pyplot as plt
import numpy as np
import tvm
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T

# %%
get_ipython().run_line_magic("matplotlib", "inline")


# %%
@I.ir_module
class MyModule:
    @T.prim_func
    def mm_relu(
        A: T.Buffer((128, 128), "float32"),
        B: T.Buffer((128, 128), "float32"),
        C: T.Buffer((128, 128), "float32"),
    ):
        Y = T.alloc_buffer((128, 128), dtype="float32")
        for i, j, k in T.grid(128, 128, 128):
            with T.block("Y"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + A[vi, vk] * B[vk, vj]
        for i, j in T.grid(128, 128):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = T.max(Y[vi, vj], T.float32(0))

    @R.function
    def main(A: R.Tensor((128, 128), "float32"), B: R.Tensor((128, 128), "float32")):
        cls = MyModule
        with R.dataflow():
            C = R.call_tir(cls.mm_relu, (A, B), out_sinfo=R.Tensor((128, 128), dtype="float32"))
            R.output(C)
        return C


# %%
display.display(MyModule)
MyModule.show()
sch = tvm.tir.Schedule(MyModule)
block = sch.get_block("Y", func_name="mm_relu")
i, j, k = sch.get_loops(block)
j0, j1 = sch.split(j, factors=[None, 4])
sch.reorder(j0, k, j1)
sch.mod["mm_relu"].show()


# %%
@T.prim_func
def exercise(A: T.Buffer((4, 4), "int64"), B: T.Buffer((4, 4), "int64"), C: T.Buffer((4, 4), "int64")):
    T.func_attr({"global_symbol": "add", "tir.noalias": True})
    for i in range(4):
        for j in range(4):
            with T.block("C"):
                vi = T.axis.spatial(4, i)
                vj = T.axis.spatial(4, j)
                C[vi, vj] = A[vi, vj] + B[vi, vj]


# %%
rt_lib = tvm.compile(MyModule, target="llvm")
a = tvm.nd.array(np.random.rand(128, 128).astype("float32"))
timer = rt_lib.mod.time_evaluator("mm_relu", tvm.cpu())
plt.plot([timer(a, a, a).mean for _ in range(3)])
plt.show()


# %%
@R.function
def last_cell(x: R.Tensor((1, 784), "float32"), w: R.Tensor((128, 784), "float32")):
    with R.dataflow():
        wt = R.permute_dims(w)
        y = R.nn.relu(R.matmul(x, wt))
        R.output(y)
    return y


last_cell
