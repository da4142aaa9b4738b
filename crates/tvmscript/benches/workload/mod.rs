//! Deterministic workloads of any size, as TVM prints them: W1, one function of flat stores, and W2, functions of
//! tiled and padded products in blocks.

use std::fmt::Write as _;

const HEADER: &str = "\
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
";
const ELEMENTS: u64 = 65536;

/// A linear congruential generator.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// One function of `count` stores of three to five operators each.
pub fn w1(count: usize) -> String {
    let mut text = String::from(HEADER);
    let buffer = |name: &str| format!("{name}: T.Buffer(({ELEMENTS},), \"float32\")");
    let (a, b, c) = (buffer("A"), buffer("B"), buffer("C"));
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(text, "    @T.prim_func\n    def main({a}, {b}, {c}, n: T.int32):");
    let mut numbers = Numbers(1);
    for index in 0..count as u64 {
        let i = index % ELEMENTS;
        let [a, b, c, e, g] = std::array::from_fn(|_| numbers.below(4096));
        let store = match index % 5 {
            0 => format!("C[{i}] = A[{a}] * B[{b}] + A[{c}] - B[{e}]"),
            1 => format!("C[{i}] = (A[{a}] + B[{b}]) * (A[{c}] - T.float32(0.5)) + B[{e}] * A[{g}]"),
            2 => {
                format!(
                    "C[{i}] = T.max(A[{a}] * T.float32(2.0), B[{b}]) - A[{c}] / (B[{e}] + T.float32(1.0))"
                )
            }
            3 => format!("C[n + {i}] = A[n * 4 + {a}] * B[n + {b}] + T.float32(1.5)"),
            _ => format!("C[{i}] = T.exp(A[{a}] - B[{b}]) * A[{c}] + T.Select(n < {e}, A[{g}], B[{b}])"),
        };
        let _ = writeln!(text, "        {store}");
    }
    text
}

/// Functions of about forty statements each, with about `count` statements in total.
pub fn w2(count: usize) -> String {
    let functions: Vec<String> = (0..usize::max(1, count / 100)).map(w2_function).collect();
    format!("{HEADER}{}", functions.join("\n"))
}

fn w2_function(number: usize) -> String {
    let (m, k, q) = (64 + number % 7 * 16, 128, 256);
    let less = m - 1;
    let (outer, q16, k8, rows, q64) = (m / 16, q / 16, k / 8, less.div_ceil(4), q / 64);
    format!(
        r#"    @T.prim_func
    def matmul_{number:05}(A: T.Buffer(({less}, {k}), "float32"), B: T.Buffer(({k}, {q}), "float32"), bias: T.Buffer(({q},), "float32"), D: T.Buffer(({less}, {q}), "float32")):
        T.func_attr({{"tir.noalias": True}})
        # with T.block("root"):
        A_pad = T.alloc_buffer(({m}, {k}))
        C = T.alloc_buffer(({m}, {q}))
        C_bias = T.alloc_buffer(({m}, {q}))
        for i, j in T.grid({m}, {k}):
            with T.block("A_pad"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(A_pad[vi, vj])
                A_pad[vi, vj] = T.if_then_else(vi < {less}, A[vi, vj], T.float32(0.0))
        for i_0 in T.parallel({outer}):
            for j_0, k_0, i_1, j_1, k_1 in T.grid({q16}, {k8}, 16, 16, 8):
                with T.block("C"):
                    vi = T.axis.spatial({m}, i_0 * 16 + i_1)
                    vj = T.axis.spatial({q}, j_0 * 16 + j_1)
                    vk = T.axis.reduce({k}, k_0 * 8 + k_1)
                    T.reads(A_pad[vi, vk], B[vk, vj])
                    T.writes(C[vi, vj])
                    T.block_attr({{"meta_schedule.tiling_structure": "SRSRS"}})
                    with T.init():
                        C[vi, vj] = T.float32(0.0)
                    C[vi, vj] = C[vi, vj] + A_pad[vi, vk] * B[vk, vj]
        for i, j in T.grid({m}, {q}):
            with T.block("C_bias"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(C[vi, vj], bias[vj])
                T.writes(C_bias[vi, vj])
                C_bias[vi, vj] = C[vi, vj] + bias[vj]
        for i_0 in range({rows}):
            for j_0 in T.unroll({q64}):
                for i_1 in range(4):
                    for j_1 in T.vectorized(64):
                        with T.block("D"):
                            vi = T.axis.spatial({less}, i_0 * 4 + i_1)
                            vj = T.axis.spatial({q}, j_0 * 64 + j_1)
                            T.where(i_0 * 4 + i_1 < {less})
                            T.reads(C_bias[vi, vj])
                            T.writes(D[vi, vj])
                            D[vi, vj] = T.max(C_bias[vi, vj] * T.sigmoid(C_bias[vi, vj]), T.float32(0.0))
"#
    )
}
