//! Programs as people write them for a release: what its reader computes, and what its printer writes.

use tvmscript::{PrinterConfig, print, registry};

use super::{read, reads_and_prints};

/// Checks that a script of this release prints as `expected`, which prints unchanged.
fn prints_as(source: &str, release: &str, expected: &str) {
    let parsed = read(source);
    assert_eq!(parsed.release.id(), release, "{}", parsed.release_reason);
    let config = PrinterConfig { release: Some(parsed.release), ..PrinterConfig::default() };
    let printed = print(&parsed.scripts[0].node, registry(), &config).expect("prints");
    assert_eq!(printed, expected.trim_end());
    reads_and_prints(expected, release);
}

#[test]
fn tilelang_results_take_the_type_of_their_place() {
    reads_and_prints(
        r#"# from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.handle("float32", "global")):
    A_1 = T.decl_buffer((4,), data=A)
    A_1[0] = T.rng_rand_float("uniform")
    A_1[1] = A_1[0] + T.__exp(A_1[1]) * T.float32(2.0)
    v: T.uint32 = T.rng_rand()
    T.rng_rand()
"#,
        "tilelang-0.25",
    );
}

#[test]
fn tilelang_calls_of_numbers_stay_calls() {
    reads_and_prints(
        r#"# from tvm.script import tirx as T

@T.prim_func
def kernel(x: T.int32, y: T.float32):
    T.bitwise_or(0, 0)
    T.call_extern("int32", "f", T.bitwise_and(5, 3), T.bitwise_xor(1, 1), T.shift_left(1, 3), T.shift_right(x, 0))
    T.call_extern("int32", "f", T.floor(T.float32(1.5)), T.if_then_else(T.bool(True), x, 1))
    T.fence_proxy_async()
"#,
        "tilelang-0.25",
    );
}

#[test]
fn unsigned_numbers_have_64_bits_in_every_release() {
    prints_as(
        r#"from tvm.script import tir as T

@T.prim_func
def f(x: T.uint64):
    T.evaluate(x + T.IntImm("uint64", 2**64 - 1))
"#,
        "tvm-0.23",
        r#"# from tvm.script import tir as T

@T.prim_func
def f(x: T.uint64):
    T.evaluate(x + T.large_uint_imm(T.uint32(4294967295), T.uint32(4294967295)))
"#,
    );
    prints_as(
        r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func
def f(x: T.uint64):
    T.evaluate(x + T.IntImm("uint64", 18446744073709551615))
    T.evaluate(T.uint64(2) - T.uint64(7))
"#,
        "tvm-0.27",
        r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func
def f(x: T.uint64):
    T.evaluate(x + T.uint64(18446744073709551615))
    T.evaluate(T.uint64(18446744073709551611))
"#,
    );
    reads_and_prints(
        r#"from __future__ import annotations

# from tvm_tirx.script import tirx as T

@T.function
def f(x: T.uint64):
    T.evaluate(x + T.IntImm("uint64", 18446744073709551615))
"#,
        "tirx-0.1",
    );
}

#[test]
fn loops_of_tirx_keep_their_ends() {
    reads_and_prints(
        r#"from __future__ import annotations

# from tvm_tirx.script import tirx as T

@T.function
def f(A: T.Tensor((8,), T.float32), n: T.int32):
    for i in range(1, n):
        A[i] = T.float32(0.0)
    for i_1 in T.parallel(n, 8):
        A[i_1] = T.float32(1.0)
    for i_2 in range(n + n):
        A[i_2] = T.float32(2.0)
    for i_3 in range(n, n + 4):
        A[i_3] = T.float32(3.0)
    for i_4 in range(2, 8):
        A[i_4] = T.float32(4.0)
    A[0:4] = A[T.Ramp(0, 1, 4)]
"#,
        "tirx-0.1",
    );
}

#[test]
fn dimensions_of_tirx_stand_in_order() {
    reads_and_prints(
        r#"from __future__ import annotations

# from tvm_tirx.script import tirx as T

n = T.dynamic("n", dtype="int64")
z = T.dynamic("z", dtype="int32")
z_1 = T.dynamic("z", dtype="int32")
@T.ir_module
class Module:
    @T.function
    def f(A: T.Tensor((n, z), T.float32)):
        A[0, 0] = T.float32(0.0)

    @T.function
    def a(A: T.Tensor((n, z_1), T.float32)):
        A[0, 0] = T.float32(1.0)
"#,
        "tirx-0.1",
    );
    reads_and_prints(
        r#"from __future__ import annotations

# from tvm_tirx.script import tirx as T

@T.function
def f[n: T.int64, m: T.int64, a](A: T.Tensor((n, m), T.float32), B: T.Tensor((a, m), T.float32)):
    A[0, 0] = T.float32(1.0)
"#,
        "tirx-0.1",
    );
}

#[test]
fn tirx_computes_what_fits() {
    prints_as(
        r#"from tvm_tirx.script import tirx as T

@T.function
def f(x: T.int32, y: T.float32, l: T.int64):
    v: T.int32 = x
    T.evaluate(T.uint8(200) + T.uint8(100))
    T.evaluate(T.uint8(7) % T.uint8(2))
    T.evaluate(T.int32(2147483647) + 1)
    T.evaluate(T.cast(T.float32(0.5), "float64"))
    T.evaluate(T.if_then_else(T.int32(3) < 5, x, 1))
    T.evaluate(T.int32(3) != 4)
    T.evaluate(x < l)
    T.evaluate(T.floor(T.float32(1.5)))
    T.evaluate(not T.bool(True))
    T.evaluate(~T.int32(5))
    T.call_extern("f", x, ty=T.void)
    for i in T.unroll(4, annotations={"pragma_unroll": True}):
        T.evaluate(i)
"#,
        "tirx-0.1",
        r#"from __future__ import annotations

# from tvm_tirx.script import tirx as T

@T.function
def f(x: T.int32, y: T.float32, l: T.int64):
    v = T.alloc_tensor(ty_args=[T.Tensor((1,), T.int32, scope="local")])
    v[0] = x
    T.evaluate(T.uint8(200) + T.uint8(100))
    T.evaluate(T.uint8(1))
    T.evaluate(T.Add(2147483647, 1))
    T.evaluate(T.Cast("float64", T.float32(0.5)))
    T.if_then_else(T.bool(True), x, 1)
    T.evaluate(T.bool(True))
    T.evaluate(T.Cast("int64", x) < l)
    T.floor(T.float32(1.5))
    T.evaluate(T.Not(T.bool(True)))
    T.evaluate(T.BitwiseNot(5))
    T.call_extern("f", x, ty=T.void)
    for i in T.unroll(0, 4, annotations={"pragma_unroll": True}):
        T.evaluate(i)
"#,
    );
}

#[test]
fn tvm_0_27_comparisons_match_types_and_fold() {
    prints_as(
        r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func
def f(x: T.int32, n: T.int64):
    T.evaluate(T.int32(3) < 5)
    T.evaluate(T.int32(3) == 3)
    T.evaluate(3 < T.int32(5))
    T.evaluate(x < n)
    T.evaluate(T.uint8(7) % T.uint8(2))
"#,
        "tvm-0.27",
        r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func
def f(x: T.int32, n: T.int64):
    T.evaluate(T.bool(True))
    T.evaluate(T.EQ(3, 3))
    T.evaluate(T.LT(3, 5))
    T.evaluate(T.Cast("int64", x) < n)
    T.evaluate(T.uint8(1))
"#,
    );
}

#[test]
fn tvm_0_27_dimensions_are_declared_by_buffer() {
    reads_and_prints(
        r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func
def f(A: T.Buffer(("n", "m + 1", "k", "j * 2"), "float32"), B: T.Buffer(("a", m), "float32"), C: T.Buffer(("b + 1",), "float32")):
    m = T.int32()
    j = T.int32()
    n, k = T.int32(), T.int32()
    a = T.int32()
    b = T.int32()
    T.evaluate(1)
"#,
        "tvm-0.27",
    );
}

#[test]
fn bindings_and_assertions_are_calls_too() {
    prints_as(
        r#"from tvm.script import tirx as T
from tvm.tirx.layout import Axis

@T.prim_func
def f(n: T.int32):
    x = T.Bind(n + 1)
    T.Assert(x < 3, "too large")
    T.Assert(x < 5, ["too ", "large"], error_kind="ValueError")
    T.evaluate(x)
"#,
        "tvm-0.27",
        r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func
def f(n: T.int32):
    x: T.let[T.int32] = n + 1
    assert x < 3, ("RuntimeError", ["too large"])
    assert x < 5, ("ValueError", ["too ", "large"])
    T.evaluate(x)
"#,
    );
}

#[test]
fn a_variable_may_have_the_name_of_a_type_variable_of_the_file() {
    prints_as(
        r#"from typing import TypeVar

from tvm.script import ir as I, relax as R, tirx as T

n = TypeVar("n")


@I.ir_module
class Module:
    @R.function
    def a(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        return x

    @T.prim_func
    def b(A: T.Buffer((16,), "float32"), n: T.int32):
        A[n] = T.float32(0)

    @T.prim_func
    def c(a: T.handle):
        n = T.int32()
        A = T.match_buffer(a, (n,), "float32")
        A[n - 1] = T.float32(0)
"#,
        "tvm-0.27",
        r#"# from typing import TypeVar
# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis
# from tvm.script import relax as R

n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func
    def b(A: T.Buffer((16,), "float32"), n: T.int32):
        A[n] = T.float32(0.0)

    @T.prim_func
    def c(A: T.Buffer(("n",), "float32")):
        n = T.int32()
        A[n - 1] = T.float32(0.0)

    @R.function
    def a(x: R.Tensor((n,), dtype="float32")) -> R.Tensor((n,), dtype="float32"):
        return x
"#,
    );
}

#[test]
fn instructions_are_named_by_their_text() {
    prints_as(
        r#"from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    T.ptx["cp.async.commit_group"]()
    T.ptx["fence.proxy.async.shared::cta"]()
"#,
        "tvm-0.27",
        r#"# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    T.ptx.cp.async_.commit_group()
    T.ptx.fence.proxy.async_.shared__cta()
"#,
    );
}

#[test]
fn tvm_0_24_reads_the_calls_that_it_prints() {
    reads_and_prints(
        r#"# from tvm.script import tirx as T

@T.prim_func
def main(A: T.Buffer((4,), "uint32"), B: T.Buffer((4,), "uint8")):
    B[0] = T.Call("uint8", "tirx.reinterpret", [A[0]])
    T.Call("int32", "tirx.tvm_context_id", [])
"#,
        "tvm-0.24",
    );
}

#[test]
fn a_second_binding_of_a_variable_is_a_call() {
    reads_and_prints(include_str!("../../../fixtures/tvm_0_27/variable_bound_twice.py"), "tvm-0.27");
    // Only a pointer is bound by an assignment then.
    reads_and_prints(
        r#"# from tvm.script import tirx as T

@T.prim_func
def ptr(a: T.handle):
    i: T.int32 = 42
    T.bind(17, var=i)
    p: T.handle = a
    p = T.call_extern("handle", "f", i)
    T.bind(a, var=p)
    T.bind("text", var=p)
    T.evaluate(p)
    T.Call("int32", "tirx.tvm_context_id", [])
"#,
        "tvm-0.24",
    );
}

#[test]
fn functions_in_groups_of_groups_tell_the_release() {
    let parsed = read(
        r#"from tvm.script import tirx as T

@T.prim_func
def main(A: T.Buffer((16,), "uint64")):
    T.ptx.tcgen05.encode_matrix_descriptor(T.address_of(A[0]), T.address_of(A[1]), ldo=1, sdo=1, swizzle=0)
"#,
    );
    assert_eq!(parsed.release.id(), "tvm-0.26");
}

#[test]
fn size_variables_and_bound_pointers_tell_the_release() {
    let parsed = read(
        r#"from tvm.script import relax as R
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle):
        m = T.int64(is_size_var=True)
        A = T.match_buffer(var_A, (m,))
        p: T.handle("int64") = T.tvm_struct_get(var_A, 0, 4, "handle")
        A[0] = T.float32(0)

    @R.function
    def f(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64(is_size_var=True)
        return x
"#,
    );
    let config = PrinterConfig { release: Some(parsed.release), ..PrinterConfig::default() };
    let printed = print(&parsed.scripts[0].node, registry(), &config).expect("prints");
    assert!(parsed.release.id() != "tvm-0.27" && parsed.errors.is_empty(), "{}", parsed.release.id());
    let again = read(&printed);
    assert_eq!(again.release.id(), parsed.release.id());
    assert!(tvmscript::structural_equal(&parsed.scripts[0].node, &again.scripts[0].node), "{printed}");
}
