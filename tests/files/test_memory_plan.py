# Storage and memory of the Relax virtual machine.
import tvm
from tvm.script import ir as I, relax as R, tir as T


def test_alloc():
    @I.ir_module
    class Tensors:
        @T.prim_func
        def fill(a: T.handle):
            T.evaluate(0)

        @R.function(pure=False)
        def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
            cls = Tensors
            alloc: R.Tensor((2, 3), "float32") = R.builtin.alloc_tensor(R.shape([2, 3]), "float32", R.prim_value(0))
            _ = cls.fill(alloc)
            return alloc

    @I.ir_module
    class Storage:
        @R.function(pure=False)
        def main(x: R.Tensor((2, 3), "float32")):
            storage: R.Object = R.memory.alloc_storage(
                R.shape([24]), R.prim_value(0), R.str("global"), R.dtype("float32")
            )
            tensor: R.Tensor((2, 3), "float32") = R.memory.alloc_tensor(
                storage, R.prim_value(0), R.shape([2, 3]), R.dtype("float32")
            )
            _: R.Tuple = R.memory.kill_tensor(tensor)
            _1: R.Tuple = R.memory.kill_storage(storage)
            return x

    assert Tensors and Storage


def test_vm():
    @R.function(pure=False)
    def vm_alloc(x: R.Tensor((4,), "float32")):
        storage = R.vm.alloc_storage(R.shape([16]), R.prim_value(0), R.dtype("uint8"))
        tensor = R.vm.alloc_tensor(storage, R.prim_value(0), R.shape([4]), R.dtype("float32"))
        _ = R.vm.kill_object(storage)
        return tensor

    @R.function(pure=False)
    def vm_call(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        y = R.call_builtin_with_ctx("vm.builtin.paged", [x, R.prim_value(n)], sinfo_args=[R.Tensor(ndim=1)])
        z = R.call_packed("vm.builtin.read_if_cond", y, sinfo_args=[R.Prim("bool")])
        _ = R.vm.call_tir_dyn("files.kernel", (x, y, R.shape([n])))
        return z

    @R.function(pure=False)
    def nested_calls(x: R.Tensor((4,), "float32")):
        y = R.call_packed("files.extern", x, sinfo_args=[R.Tensor((4,), "float32")])
        return y

    assert vm_alloc and vm_call and nested_calls


@I.ir_module
class Upper:
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32")) -> R.Tensor(("n", "m"), "float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 16, "m": 32}, "relax.memory_plan_dynamic_func_output": True})
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            a = R.exp(x)
            b = R.exp(a)
            c = R.exp(b)
            R.output(c)
        return c


def test_upper():
    tvm.relax.transform.StaticPlanBlockMemory()(Upper)
