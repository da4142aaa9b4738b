# Statements around scripts that only Python and TVM can run.
import logging
import os
import subprocess
import tempfile
import threading

import numpy as np
import tvm
from tvm import te
from tvm.script import tir as T

logger = logging.getLogger(__name__)
logging.basicConfig(level=logging.INFO)
os.environ.setdefault("TVM_NUM_THREADS", "1")
TOLERANCE = np.finfo("float32").eps * 10
CACHE_DIR = os.path.join(os.path.expanduser("~"), ".cache", "kernels")
LOCK = threading.Lock()
VERSION = tuple(int(part) for part in "0.23.0".split("."))
data = np.arange(16, dtype="float32").reshape(4, 4)
a = te.placeholder((4,), name="a")
b = te.compute((4,), lambda i: a[i] + 1.0, name="b")
prim_from_te = te.create_prim_func([a, b])


@T.prim_func
def negate(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32")):
    for i, j in T.grid(4, 4):
        with T.block("negate"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = -A[vi, vj]


print(negate.script())
negate.show()
lib = tvm.tir.build(negate, target="c") if os.environ.get("BUILD") else None
module = tvm.IRModule.from_expr(negate)
module["negate"] = module["negate"].with_attr("tir.noalias", True)
assert tvm.ir.structural_equal(negate, negate)
tvm.ir.assert_structural_equal(negate, negate)
del module


@T.prim_func
def transposed(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32")):
    for i, j in T.grid(4, 4):
        B[j, i] = A[i, j]


with open(os.devnull, "w") as sink:
    sink.write(transposed.script())
with tempfile.TemporaryDirectory() as folder, LOCK:
    logger.info("in %s", folder)

global_count = 0


def count():
    global global_count
    global_count += 1
    return subprocess.run(["true"], check=False).returncode


count()
data[0, 0], data[1, 1] = data[1, 1], data[0, 0]
data += 1
(first, *rest), last = data[0], data[-1]
if (length := len(rest)) > 2:
    print(f"{length=} {first!r:>8} {last[0]:.3f}")


@T.prim_func
def diagonal(A: T.Buffer((4, 4), "float32")):
    for i in range(4):
        A[i, i] = T.float32(0)


@tvm.register_func("files.test_unrunnable_statements.callback", override=True)
def callback(x):
    return x


@tvm.tir.transform.prim_func_pass(opt_level=0)
def my_pass(func, mod, ctx):
    @T.prim_func
    def replacement(A: T.Buffer((4, 4), "float32")):
        A[0, 0] = T.float32(1)

    return replacement.with_attrs(func.attrs) if ctx is None else func


my_pass(tvm.IRModule.from_expr(diagonal))
