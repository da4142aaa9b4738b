//! `T.compute` and reductions (79-04).

use super::support::{errors, same, script};

#[test]
fn p79_04_compute_of_the_rfc() {
    same(
        r#"
@T.prim_func
def te_compute_sugar(
  A: T.Buffer[(128, 128)],
  B: T.Buffer[(128, 128)],
) -> None:
  C = T.compute((128, 128), lambda i, j: A[i, j] + B[i, j])
"#,
        r#"
@T.prim_func
def te_compute_sugar(
  A: T.Buffer[(128, 128)],
  B: T.Buffer[(128, 128)],
) -> None:
  C = T.alloc_buffer((128, 128))
  for i in range(128):
    for j in range(128):
      with T.block("C"):
        vi, vj = T.axis.remap("SS", [i, j])
        C[vi, vj] = A[vi, vj] + B[vi, vj]
"#,
    );
}

#[test]
fn p79_04_the_result_is_used_and_named() {
    let text = r#"
@T.prim_func
def f(A: T.Buffer((8, 16), "float32"), D: T.Buffer((8, 16), "float32")):
    B = T.compute(A.shape, lambda i, j: A[i, j] * T.float32(2))
    C = T.compute(B.shape, lambda x, y: B[x, y] + T.float32(1))
    for i, j in T.grid(8, 16):
        D[i, j] = C[i, j]
"#;
    same(
        text,
        r#"
@T.prim_func
def f(A: T.Buffer((8, 16), "float32"), D: T.Buffer((8, 16), "float32")):
    B = T.alloc_buffer((8, 16))
    C = T.alloc_buffer((8, 16))
    for i, j in T.grid(8, 16):
        with T.block("B"):
            v_i, v_j = T.axis.remap("SS", [i, j])
            B[v_i, v_j] = A[v_i, v_j] * T.float32(2)
    for x, y in T.grid(8, 16):
        with T.block("C"):
            v_x, v_y = T.axis.remap("SS", [x, y])
            C[v_x, v_y] = B[v_x, v_y] + T.float32(1)
    for i, j in T.grid(8, 16):
        D[i, j] = C[i, j]
"#,
    );
    let printed = tvmscript::print(&script(text, "f").node, tvmscript::registry(), &Default::default())
        .expect("it prints");
    assert!(printed.contains("    for x, y in T.grid(8, 16):\n        with T.block(\"C\"):\n            v_x, v_y = T.axis.remap("), "{printed}");
}

#[test]
fn p79_04_reductions() {
    for (call, init, update) in [
        ("T.sum(A[i, k], axis=k)", "T.float32(0)", "B[vi] + A[vi, vk]"),
        ("T.sum(A[i, k], k)", "T.float32(0)", "B[vi] + A[vi, vk]"),
        ("T.max(A[i, k], axis=[k])", "T.min_value('float32')", "T.max(B[vi], A[vi, vk])"),
        ("T.min(A[i, k], k)", "T.max_value('float32')", "T.min(B[vi], A[vi, vk])"),
        ("T.sum(A[i, k], axis=k, init=T.float32(7))", "T.float32(7)", "B[vi] + A[vi, vk]"),
        (
            "T.sum(A[i, k], axis=k, where=A[i, k] > T.float32(1))",
            "T.float32(0)",
            "T.Select(A[vi, vk] > T.float32(1), B[vi] + A[vi, vk], B[vi])",
        ),
    ] {
        same(
            &format!(
                "@T.prim_func\ndef f(A: T.Buffer((8, 32), 'float32')):\n    k = T.reduce_axis((0, 32))\n    B = T.compute((8,), lambda i: {call})\n"
            ),
            &format!(
                r#"
@T.prim_func
def f(A: T.Buffer((8, 32), "float32")):
    B = T.alloc_buffer((8,))
    for i, k in T.grid(8, 32):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = {init}
            B[vi] = {update}
"#
            ),
        );
    }
}

#[test]
fn p79_04_matmul_over_several_axes() {
    same(
        r#"
@T.prim_func
def f(A: T.Buffer((8, 4, 2), "float16"), B: T.Buffer((4, 2, 16), "float16")):
    x = T.reduce_axis((0, 4), "x")
    y = T.reduce_axis(2, "y")
    C = T.compute((8, 16), lambda i, j: T.sum(T.Cast("float32", A[i, x, y] * B[x, y, j]), axis=[x, y]))
    D = T.compute((8,), lambda i: T.sum(T.Cast("float32", A[i, x, 0]), axis=x))
"#,
        r#"
@T.prim_func
def f(A: T.Buffer((8, 4, 2), "float16"), B: T.Buffer((4, 2, 16), "float16")):
    C = T.alloc_buffer((8, 16))
    D = T.alloc_buffer((8,))
    for i, j, x, y in T.grid(8, 16, 4, 2):
        with T.block("C"):
            vi, vj, vx, vy = T.axis.remap("SSRR", [i, j, x, y])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + T.Cast("float32", A[vi, vx, vy] * B[vx, vy, vj])
    for i, x in T.grid(8, 4):
        with T.block("D"):
            vi, vx = T.axis.remap("SR", [i, x])
            with T.init():
                D[vi] = T.float32(0)
            D[vi] = D[vi] + T.Cast("float32", A[vi, vx, 0])
"#,
    );
}

#[test]
fn p79_04_several_outputs() {
    same(
        r#"
@T.prim_func
def f(A: T.Buffer((8,), "float32")):
    B, C = T.compute((8,), lambda i: (A[i] + T.float32(1), T.Cast("int32", A[i])))
"#,
        r#"
@T.prim_func
def f(A: T.Buffer((8,), "float32")):
    B = T.alloc_buffer((8,), "float32")
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] + T.float32(1)
            C[vi] = T.Cast("int32", A[vi])
"#,
    );
    same(
        r#"
@T.prim_func
def f(A: T.Buffer((8, 4), "float32")):
    k = T.reduce_axis((0, 4))
    B, C = T.compute((8,), lambda i: (T.sum(A[i, k], k), T.max(A[i, k], k)), name="both")
"#,
        r#"
@T.prim_func
def f(A: T.Buffer((8, 4), "float32")):
    B = T.alloc_buffer((8,), "float32")
    C = T.alloc_buffer((8,), "float32")
    for i, k in T.grid(8, 4):
        with T.block("both"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
                C[vi] = T.min_value("float32")
            B[vi] = B[vi] + A[vi, vk]
            C[vi] = T.max(C[vi], A[vi, vk])
"#,
    );
}

#[test]
fn p79_04_every_rank_and_a_helper() {
    same(
        r#"
def double(A):
    return T.compute(A.shape, lambda *i: A[i] * T.float32(2))

@T.prim_func
def f(A: T.Buffer((), "float32"), B: T.Buffer((2, 3, 4), "float32")):
    C = double(A)
    D = double(B)
"#,
        r#"
@T.prim_func
def f(A: T.Buffer((), "float32"), B: T.Buffer((2, 3, 4), "float32")):
    C = T.alloc_buffer((), "float32")
    D = T.alloc_buffer((2, 3, 4), "float32")
    with T.block("C"):
        C[()] = A[()] * T.float32(2)
    for i, j, k in T.grid(2, 3, 4):
        with T.block("D"):
            vi, vj, vk = T.axis.remap("SSS", [i, j, k])
            D[vi, vj, vk] = B[vi, vj, vk] * T.float32(2)
"#,
    );
}

#[test]
fn wrong_computations_are_explained() {
    let found = |call: &str| {
        errors(&format!(
            "@T.prim_func\ndef f(A: T.Buffer((8, 4), 'float32')):\n    k = T.reduce_axis((0, 4))\n    l = T.reduce_axis((0, 4))\n    B = {call}\n"
        ))
    };
    for (call, message) in [
        (
            "T.compute((8,), lambda i: T.sum(A[i, k], k) + T.float32(1))",
            "a reduction is the whole value of an element",
        ),
        (
            "T.compute((8,), lambda i: (T.sum(A[i, k], k), A[i, 0]))",
            "all reductions over the same axes, or none",
        ),
        (
            "T.compute((8,), lambda i: (T.sum(A[i, k], k), T.sum(A[i, l], l)))",
            "all reductions over the same axes, or none",
        ),
        ("T.compute((8,), 3)", "expected a function of the indices"),
        ("T.compute((8,), lambda i, j: A[i, j])", "missing 1 required positional argument"),
        ("T.compute((8,), lambda i: ())", "a value for each element"),
        ("T.compute((8,), lambda i: T.sum(A[i, 0], axis=i))", "an axis of `T.reduce_axis`"),
    ] {
        let errors = found(call);
        assert!(errors.len() == 1 && errors[0].contains(message), "{call}: {errors:?}");
    }
}
