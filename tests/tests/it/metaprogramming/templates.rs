//! Templates: variables around a script (79-01, 79-12).

use tvmscript::assert_structural_eq;

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

#[test]
fn p79_22_a_template_of_a_whole_class() {
    let template = r#"
def make(n, dtype):
    @I.ir_module
    class Module:
        I.module_attrs({"size": n})

        @T.prim_func(private=True)
        def add(A: T.Buffer((n,), dtype), B: T.Buffer((n,), dtype)):
            for i in range(n):
                B[i] = A[i] + T.Cast(dtype, n)

        @R.function
        def main(x: R.Tensor((n,), dtype)):
            cls = Module
            y = R.call_tir(cls.add, (x,), R.Tensor((n,), dtype))
            return y

    return Module

first = make(8, "float32")
second = make(4, "float16")
"#;
    let found = scripts(template);
    let names: Vec<_> = found.iter().filter_map(|script| script.name.as_deref()).collect();
    assert_eq!(names, ["first", "second"]);
    for (script, (n, dtype)) in found.iter().zip([("8", "float32"), ("4", "float16")]) {
        let by_hand = r#"
@I.ir_module
class Module:
    I.module_attrs({"size": 8})

    @T.prim_func(private=True)
    def add(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(8):
            B[i] = A[i] + T.Cast("float32", 8)

    @R.function
    def main(x: R.Tensor((8,), "float32")):
        cls = Module
        y = R.call_tir(cls.add, (x,), R.Tensor((8,), "float32"))
        return y
"#;
        let by_hand = by_hand.replace('8', n).replace("float32", dtype);
        assert_structural_eq!(script.node, scripts(&by_hand)[0].node);
    }
}

#[test]
fn p79_22_helpers_with_annotations_of_ir_types() {
    let helpers = r#"
from typing import Callable, List, Optional, Tuple, Union
import tvm
from tvm import tir
from tvm.tir import Buffer, PrimExpr, Var

def flat(index: PrimExpr, stride: Union[int, PrimExpr] = 4) -> PrimExpr:
    return index * stride

def at(A: Buffer, i: tir.Var, j: "tvm.tir.PrimExpr") -> Tuple[PrimExpr, ...]:
    shifted: PrimExpr = j + 1
    return A[flat(i) + shifted], shifted

def apply(f: Callable[[PrimExpr], PrimExpr], x: Optional[PrimExpr]) -> List[tir.PrimExpr]:
    return [f(x)]

@T.prim_func
def f(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i, j in T.grid(8, 4):
        B[apply(flat, i)[0] + j] = at(A, i, j)[0]
"#;
    same(
        helpers,
        r#"
@T.prim_func
def f(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i, j in T.grid(8, 4):
        B[i * 4 + j] = A[i * 4 + (j + 1)]
"#,
    );
}
