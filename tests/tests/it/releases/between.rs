//! Texts of TVM 0.24, 0.25 and 0.26, as these releases print them.

use super::{read, reads_and_prints};

#[test]
fn tvm_0_24_statements_are_flat() {
    reads_and_prints(
        r#"# from tvm.script import tirx as T

@T.prim_func
def kernel(a: T.handle, n: T.int32):
    A = T.match_buffer(a, (n, 4), "float16")
    for i in range(n):
        v: T.int32 = i * 2
        b = T.alloc_buffer((4,), scope="shared")
        c = T.decl_buffer((2, 2), data=b.data, scope="shared")
        c[0, 1] = T.Cast("float32", A[i, T.bitwise_and(v, 3)])
        assert v < n, ("RuntimeError", ["too many"])
        A[i, 0] = T.Cast("float16", b[1])
"#,
        "tvm-0.24",
    );
}

#[test]
fn tvm_0_25_functions_match_buffers_and_have_flags() {
    reads_and_prints(
        r#"# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def dyn(a: T.handle, b: T.handle, n: T.int32):
        T.func_attr({"tirx.noalias": True})
        m = T.int32()
        A = T.match_buffer(a, (m, n))
        B = T.match_buffer(b, (m, n), "float16")
        # with T.sblock("root"):
        for i, j in T.grid(m, n):
            with T.sblock("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.where(i < n)
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = T.Cast("float16", T.exp(A[vi, vj]))

    @T.prim_func(private=True)
    def low(A: T.Buffer((16, 16), "float32"), x: T.int32) -> T.int32:
        w: T.let[T.int32] = x * 2
        y: T.int32 = x + 1
        y = y + w
        b = T.alloc_shared((128,))
        c = T.alloc_local((4,), "int32")
        for i in T.serial(4, unroll=False):
            b[i] = A[i, 0] + T.ceil(A[0, i])
            c[i] = T.bitwise_or(T.bitwise_and(x, 3), T.shift_left(x, 1))
        C = T.decl_buffer((256,), "int32", data=A.data)
        T.evaluate(C[3])
        assert x < 3, ("RuntimeError", ["bad"])
        T.tvm_storage_sync("shared", T.bool(False), -1)
        b[0:4] = T.Broadcast(T.float32(1.0), 4)
        with T.attr({"k": 1}):
            return x + 1

    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), p: R.Prim("int64")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            y: R.Tensor((n, 4), dtype="float32") = R.add(x, R.const(1.0, "float32"))
            gv: R.Tensor((n, 4), dtype="float32") = R.nn.softmax(y, axis=-1)
            R.output(gv)
        o: R.Object = R.str("a")
        return gv
"#,
        "tvm-0.25",
    );
}

#[test]
fn tvm_0_26_buffers_are_parameters_with_shapes_by_text() {
    reads_and_prints(
        r#"# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def dyn(A: T.Buffer(("n", 4), "float32"), B: T.Buffer((n + T.int64(1), n), "float32")):
        n = T.int64()
        B[0, 0] = A[0, T.bitwise_and(n, T.int64(3))]

    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), q: R.Any, p: T.int64) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        o: R.Any = R.str("a")
        m: T.int64 = 3
        z: R.Tensor = R.call_pure_packed("foo", x, ty_args=(R.Tensor,))
        s: R.Shape([n, n + 1]) = R.shape([n, n + 1])
        return x
"#,
        "tvm-0.26",
    );
}

#[test]
fn tvm_0_25_loops_have_any_step() {
    reads_and_prints(
        r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func
def before(A: T.Buffer((128,), "float32"), s: T.int32):
    for i in range(0, 127, -3):
        A[i] = T.float32(0.0)
    for i in range(0, 127, s):
        A[i] = T.float32(0.0)"#,
        "tvm-0.27",
    );
}

#[test]
fn a_variable_whose_pointer_another_buffer_has_is_a_buffer() {
    reads_and_prints(
        r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func
def before(A: T.Buffer((4,), "float32")):
    x = T.alloc_local((1,))
    y = T.decl_buffer((1,), data=x.data, scope="local")
    A[0] = y[0]
    v: T.void = T.call_extern("void", "f")
    T.call_extern("int32", "g", v)"#,
        "tvm-0.27",
    );
}

#[test]
fn functions_and_keywords_tell_the_release_of_a_file() {
    let of = |body: &str| {
        let text = format!(
            "from tvm.script import tirx as T, relax as R\n@R.function\ndef f(x: R.Tensor((4,), \"float32\")):\n    {body}\n"
        );
        read(&text).release.id()
    };
    assert_eq!(of("return R.add(x, x)"), "tvm-0.27");
    assert_eq!(of("return R.size(x)"), "tvm-0.27");
    assert_eq!(of("y: R.Object = x\n    return R.atan2(x, x)"), "tvm-0.25");
    assert_eq!(
        of("return R.emit_with_sinfo(\"relax.add\", (x, x), (R.Tensor((4,), \"float32\"),))"),
        "tvm-0.25"
    );
    assert_eq!(of("return R.emit_with_type(\"relax.add\", (x, x), R.Tensor((4,), \"float32\"))"), "tvm-0.27");
}
