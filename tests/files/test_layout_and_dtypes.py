# Relax: layouts, dtypes, constants, vdevices.
import numpy as np
import pytest
import tvm
from tvm.relax.transform import ConvertLayout, Normalize, ToMixedPrecision
from tvm.script.parser import ir as I, relax as R, tir as T


def verify(input_module, expected=None):
    mod = ConvertLayout({"relax.nn.conv2d": ["NHWC", "OHWI"]})(input_module)
    mod = Normalize()(mod)
    if expected is not None:
        assert len(mod.functions) == len(expected.functions)


def test_conv2d():
    @I.ir_module
    class Input:
        @R.function
        def main(x: R.Tensor((2, 3, 28, 28), "float32"), w: R.Tensor((4, 3, 3, 3), "float32")) -> R.Tensor(None, "float32", ndim=4):
            with R.dataflow():
                gv: R.Tensor((2, 4, 26, 26), "float32") = R.nn.conv2d(x, w, out_dtype="float32")
                R.output(gv)
            return gv

    @I.ir_module
    class Expected:
        @R.function
        def main(
            x: R.Tensor((2, 3, 28, 28), dtype="float32"), w: R.Tensor((4, 3, 3, 3), dtype="float32")
        ) -> R.Tensor(None, dtype="float32", ndim=4):
            with R.dataflow():
                lv: R.Tensor((2, 28, 28, 3), dtype="float32") = R.permute_dims(x, axes=[0, 2, 3, 1])
                lv1: R.Tensor((4, 3, 3, 3), dtype="float32") = R.permute_dims(w, axes=[0, 2, 3, 1])
                lv2: R.Tensor((2, 26, 26, 4), dtype="float32") = R.nn.conv2d(
                    lv, lv1, data_layout="NHWC", kernel_layout="OHWI", out_layout="NHWC", out_dtype="float32"
                )
                gv: R.Tensor((2, 4, 26, 26), dtype="float32") = R.permute_dims(lv2, axes=[0, 3, 1, 2])
                R.output(gv)
            return gv

    verify(Input, Expected)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_mixed(dtype):
    @tvm.script.ir_module
    class Input:
        @R.function
        def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 4), "float32")):
            with R.dataflow():
                y = R.matmul(x, w)
                z = R.astype(y, "float32")
                R.output(z)
            return z

    ToMixedPrecision()(Input)
    assert dtype


def test_constants():
    @R.function
    def constants(x: R.Tensor((2,), "float32")):
        a = R.const(1)
        b = R.const(1.5)
        c = R.const([1, 2, 3], "int64")
        d = R.const([[True, False]], "bool")
        e = R.const([[0, 0], [0, 0]], "int8")
        return (a, b, c, d, e)

    @R.function
    def casts(x: R.Tensor((2,), "bool")):
        a = R.astype(x, dtype="int32")
        b = R.astype(a, dtype="uint64")
        c = R.wrap_param(R.const([1.0], "float32"), dtype="float16")
        return (b, c)

    assert constants and casts


@I.ir_module
class TwoDevices:
    I.module_global_infos({"vdevice": [I.vdevice("cuda", 0), I.vdevice("llvm")]})

    @R.function
    def main(x: R.Tensor((2,), "float32", "cuda")):
        with R.dataflow():
            y = R.add(x, x)
            z: R.Tensor((2,), "float32", "llvm") = R.to_vdevice(y, "llvm")
            R.output(z)
        return z

    @T.prim_func(private=True)
    def unused(A: T.Buffer((2,), "float32")):
        A[0] = T.float32(0)
