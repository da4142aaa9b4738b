//! Templates: variables around a script (79-01, 79-12).

use super::support::{same, scripts};

const MATMUL: &str = r#"
@T.prim_func
def f(A: T.Buffer[(128, 128)], B: T.Buffer[(128, 128)], C: T.Buffer[(128, 128)]) -> None:
    for i, j, k in T.grid(128, 128, 128):
        with T.block("matmul"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
"#;

#[test]
fn p79_01_gen_matmul_of_the_rfc() {
    same(
        r#"
def gen_matmul(n, m) -> None:
  @T.prim_func
  def f(A: T.Buffer[(n, m)], B: T.Buffer[(m, n)], C: T.Buffer[(n, n)]):
    for i, j, k in T.grid(n, n, m):
        with T.block("matmul"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
  return f

f = gen_matmul(n=128, m=128)
"#,
        MATMUL,
    );
}

#[test]
fn p79_01_every_kind_of_captured_value() {
    let by_hand = r#"
@T.prim_func
def f(A: T.Buffer((8, 16), "float16"), B: T.Buffer((8, 16), "float16")):
    for i, j in T.grid(8, 16):
        with T.block("scale"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float16(0.5) + T.float16(2)
"#;
    let body = |shape: &str, dtype: &str, name: &str, scale: &str, shift: &str, types: &str| {
        format!(
            "    @T.prim_func\n    def f(A: {types}, B: {types}):\n        for i, j in T.grid(*{shape}):\n            with \
             T.block({name}):\n                vi, vj = T.axis.remap('SS', [i, j])\n                B[vi, vj] = A[vi, vj] * \
             T.Cast({dtype}, {scale}) + {shift}\n    return f\n"
        )
        .replace("T.Cast(dtype, ", "T.float16(")
        .replace("T.Cast(c.dtype, ", "T.float16(")
        .replace("T.Cast(config['dtype'], ", "T.float16(")
        .replace("T.Cast(nested['types'][0], ", "T.float16(")
    };
    let buffer = |shape: &str, dtype: &str| format!("T.Buffer({shape}, {dtype})");
    // numbers, texts, tuples
    let text = body("shape", "dtype", "name", "scale", "T.float16(shift)", &buffer("shape", "dtype"));
    same(
        &format!(
            "def make(shape, dtype, name, scale, shift):\n{text}\nf = make((8, 16), 'float16', 'scale', 0.5, 2)\n"
        ),
        by_hand,
    );
    // lists and dictionaries
    let (shape, dtype) = ("config['shape']", "config['dtype']");
    let text = body(
        shape,
        dtype,
        "config['name']",
        "config['scale']",
        "T.float16(config['shift'])",
        &buffer(shape, dtype),
    );
    let config = "{'shape': [8, 16], 'dtype': 'float16', 'name': 'scale', 'scale': 0.5, 'shift': 2}";
    same(&format!("def make(config):\n{text}\nf = make({config})\n"), by_hand);
    // nested containers
    let (shape, dtype) = ("nested['shapes'][1]", "nested['types'][0]");
    let text = body(shape, dtype, "nested['names'][0][0]", "0.5", "T.float16(2)", &buffer(shape, dtype));
    let nested = "{'shapes': ((1, 1), (8, 16)), 'types': ['float16'], 'names': [('scale',)]}";
    same(&format!("def make(nested):\n{text}\nf = make({nested})\n"), by_hand);
    // classes as configuration
    let text = body(
        "c.shape",
        "c.dtype",
        "c.name()",
        "c.scale",
        "T.float16(c.shift)",
        &buffer("c.shape", "c.dtype"),
    );
    let class = "class Config:\n    dtype = 'float16'\n    scale = 0.5\n    def __init__(self, n):\n        self.shape = (n, 2 * n)\n        \
                 self.shift = 2\n    def name(self):\n        return 'scale'\n";
    same(&format!("{class}\ndef make(c):\n{text}\nf = make(Config(8))\n"), by_hand);
    // functions and lambdas
    let text = body("shape()", "dtype", "name", "half(1)", "two", &buffer("shape()", "dtype"));
    same(
        &format!(
            "def half(x):\n    return x / 2\ndef make(shape, dtype, name, two):\n{text}\nf = make(lambda: (8, 16), 'float16', 'scale', T.float16(2))\n"
        ),
        by_hand,
    );
    // annotations
    let text = body("(8, 16)", "dtype", "'scale'", "0.5", "T.float16(2)", "BufferType");
    same(
        &format!(
            "BufferType = T.Buffer((8, 16), 'float16')\n{}",
            format!("def make(BufferType):\n{text}\n").replace(
                "A: BufferType, B: BufferType",
                "A: T.BufferFrom(BufferType), B: T.BufferFrom(BufferType)"
            ) + "f = make(BufferType)\n"
        )
        .replace("T.Cast(dtype", "T.float16("),
        by_hand,
    );
}

#[test]
fn p79_01_captured_buffers_and_functions() {
    same(
        r#"
def make(n):
    def index(i):
        return n - 1 - i
    @T.prim_func
    def f(a: T.handle):
        A = T.match_buffer(a, (n,), "int32")
        for i in range(n):
            A[index(i)] = i
    return f
f = make(4)
"#,
        r#"
@T.prim_func
def f(a: T.handle):
    A = T.match_buffer(a, (4,), "int32")
    for i in range(4):
        A[3 - i] = i
"#,
    );
}

#[test]
fn p79_01_the_results_have_their_own_nodes() {
    let all = scripts(
        "def make(n):\n    @T.prim_func\n    def f(A: T.Buffer((n,), 'float32')):\n        A[0] = T.float32(n)\n    return f\n\
         a = make(4)\nb = make(4)\nc = make(5)\n",
    );
    let [a, b, c] = &all[..] else { panic!("{all:?}") };
    assert!(tvmscript::structural_equal(&a.node, &b.node));
    assert!(!tvmscript::structural_equal(&a.node, &c.node));
}
