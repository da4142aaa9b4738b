# Lowered TIR: allocations, attributes, launches and calls of intrinsics.
import tvm
from tvm.script import ir as I
from tvm.script import tir as T
from tvm.tir import PrimFunc

target = tvm.target.Target({"kind": "cuda", "arch": "sm_80", "max_num_threads": 1024})


@T.prim_func
def allocate_and_free(n: T.int32):
    data = T.allocate([128], "float32", "global")
    buf = T.decl_buffer([128], "float32", data=data)
    for i in range(128):
        buf[i] = T.Cast("float32", n + i)


@T.prim_func
def nested_allocations():
    a = T.allocate([16], "int8", "shared", condition=T.bool(True), annotations={"volatile": 1})
    b = T.allocate([4, 4], "int32", "local")
    A = T.Buffer((16,), "int8", data=a, scope="shared")
    B = T.Buffer((4, 4), "int32", data=b, scope="local")
    A[0] = T.int8(1)
    B[1, 2] = T.Cast("int32", A[0])


@T.prim_func
def launches(A: T.Buffer((1024,), "float32")):
    T.func_attr({"target": T.target({"kind": "cuda", "max_threads_per_block": 256}), "calling_conv": 2})
    bx = T.launch_thread("blockIdx.x", 4)
    tx = T.launch_thread("threadIdx.x", 256)
    with T.attr(A.data, "storage_alignment", 128):
        A[bx * 256 + tx] = T.float32(1)
    T.tvm_storage_sync("shared")


@T.prim_func
def environment_threads(A: T.Buffer((64,), "float32")):
    i = T.env_thread("threadIdx.x")
    T.launch_thread(i, 64)
    A[i] = A[i] * A[i]


@T.prim_func
def constants(out: T.Buffer((4,), "int32")):
    table = T.allocate_const([1, 2, 3, 4], "int32", [4])
    view = T.decl_buffer((4,), "int32", data=table)
    for i in T.serial(4, annotations={"pragma_unroll_explicit": 1}):
        out[i] = view[i]


@T.prim_func
def let_bindings(A: T.Buffer((8,), "int32"), n: T.int32):
    x: T.int32 = n * 2
    with T.LetStmt(x + 1) as y:
        A[0] = y
        A[1] = x


@T.prim_func
def assertions(a: T.handle, n: T.int32):
    A = T.match_buffer(a, (n,), "float32")
    assert n > 0, "n must be positive"
    with T.Assert(n % 4 == 0, "n must be a multiple of four"):
        A[0] = T.float32(0)
    T.evaluate(T.assume(n < 1024))


@T.prim_func
def packed_calls(A: T.Buffer((8,), "float32")):
    stack: T.handle("int8") = T.tvm_stack_alloca("shape", 2)
    T.evaluate(T.call_packed("runtime.print", A.data, 8))
    T.call_extern("void", "external_call", T.address_of(A[2]), T.tvm_stack_make_shape(8))
    T.evaluate(T.ret(0))


@I.ir_module
class Device:
    @T.prim_func
    def host(A: T.Buffer((4,), "float32")):
        T.func_attr({"target": T.target("c")})
        Device.kernel(A.data)

    @T.prim_func(private=True)
    def kernel(p: T.handle("float32")):
        B = T.decl_buffer((4,), "float32", data=p)
        B[0] = T.float32(0)


def lower(func: PrimFunc) -> PrimFunc:
    mod = tvm.IRModule.from_expr(func.with_attr("target", target))
    return tvm.tir.transform.LowerTVMBuiltin()(mod)


lower(allocate_and_free)
