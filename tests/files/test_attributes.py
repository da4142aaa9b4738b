# Attributes of functions and modules, private functions, checks switched off.
import tvm
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@T.prim_func(private=True)
def private(A: T.Buffer((4,), "float32")):
    A[0] = T.float32(0)


@T.prim_func(check_well_formed=False)
def unchecked(A: T.Buffer((4,), "float32")):
    i = T.int32()
    A[i] = T.float32(0)


@T.prim_func
def many_attributes(A: T.Buffer((4,), "float32")):
    T.func_attr(
        {
            "tir.noalias": True,
            "count": 3,
            "ratio": 0.5,
            "names": ["a", "b"],
            "nested": {"x": 1, "y": [1, 2, {"z": "w"}]},
            "none": None,
        }
    )
    A[0] = T.float32(0)


@R.function(private=True)
def private_relax(x: R.Tensor((2,), "float32")):
    R.func_attr({"Composite": "files.add", "Primitive": 1})
    y = R.add(x, x)
    return y


@R.function(pure=False)
def impure(x: R.Tensor((2,), "float32")):
    _ = R.print(x, format="x = {}")
    return x


@I.ir_module(check_well_formed=False)
class Unchecked:
    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        j = T.int32()
        A[j] = T.float32(0)


@I.ir_module
class Devices:
    I.module_attrs({"attr": 10, "system_lib_prefix": "files_"})
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0, "global"), I.vdevice({"kind": "c"})]})

    @R.function
    def main(x: R.Tensor((2,), "float32", "llvm:0")) -> R.Tensor((2,), "float32", "cuda:0"):
        y = R.to_vdevice(x, "cuda:0")
        return y


def test_attributes():
    assert many_attributes.attrs["count"] == 3
    assert "global_symbol" not in (private.attrs or {})

    @T.prim_func(private=True, check_well_formed=True)
    def both(A: T.Buffer((4,), "float32")):
        A[1] = T.float32(0)

    assert both
    assert tvm.ir.structural_equal(impure, impure)
