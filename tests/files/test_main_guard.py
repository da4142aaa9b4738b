# Scripts under `if __name__ == "__main__":` and under other conditions of the module level.
import os
import sys

import tvm
from tvm.script import tir as T

WIDE = sys.maxsize > 2**32
DEBUG = os.environ.get("TVM_DEBUG_FILES", "0") == "1"


@T.prim_func
def always(A: T.Buffer((2,), "int32")):
    A[0] = 0


if WIDE:

    @T.prim_func
    def indexed(A: T.Buffer((2,), "int64")):
        A[0] = T.int64(9)

else:

    @T.prim_func
    def indexed(A: T.Buffer((2,), "int64")):
        A[0] = T.int64(7)


if not DEBUG:

    @T.prim_func
    def quiet(A: T.Buffer((2,), "int32")):
        T.evaluate(A[1])


def main(argv=None):
    argv = sys.argv[1:] if argv is None else argv

    @T.prim_func
    def local(A: T.Buffer((2,), "float32")):
        A[0] = T.exp(A[1])

    if "--show" in argv:
        local.show()
    return 0


if __name__ == "__main__":

    @T.prim_func
    def demo(A: T.Buffer((2,), "float32")):
        A[1] = T.tanh(A[0])

    demo.show()
    mod = tvm.IRModule({"demo": demo})
    print(mod.script())
    sys.exit(main())
