//! Time to parse to a syntax tree, compared with the bare foreign parser.
//!
//! Both sides include dropping the result. Their ratio is the cost of the scan, the conversion and the tree.

use std::fmt::Write;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tvmscript_python_syntax::prescan::{FStrings, Limits, Prescan};
use tvmscript_python_syntax::{Backend, PythonOptions, parse_python};

/// A function of flat stores, as in printed scripts.
fn stores(count: usize) -> String {
    let mut text = String::from(
        "@I.ir_module\nclass Module:\n    @T.prim_func\n    def main(A: T.Buffer((65536,), \"float32\"), B: T.Buffer((65536,), \"float32\"), C: T.Buffer((65536,), \"float32\"), n: T.int32):\n",
    );
    let mut seed = 1u32;
    let mut next = || {
        seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
        (seed >> 16) % 4096
    };
    for i in 0..count {
        let [a, b, c, d, e] = [(); 5].map(|()| next());
        let line = match i % 5 {
            0 => format!("C[{i}] = A[{a}] * B[{b}] + A[{c}] - B[{d}]"),
            1 => format!("C[{i}] = (A[{a}] + B[{b}]) * (A[{c}] - T.float32(0.5)) + B[{d}] * A[{e}]"),
            2 => format!(
                "C[{i}] = T.max(A[{a}] * T.float32(2.0), B[{b}]) - A[{c}] / (B[{d}] + T.float32(1.0))"
            ),
            3 => format!("C[n + {i}] = A[n * 4 + {a}] * B[n + {b}] + T.float32(1.5)"),
            _ => format!("C[{i}] = T.exp(A[{a}] - B[{b}]) * A[{c}] + T.Select(n < {d}, A[{e}], B[{b}])"),
        };
        writeln!(text, "        {line}").expect("writing to a string");
    }
    text
}

fn ast(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ast");
    for count in [1_000, 10_000] {
        let text = stores(count);
        group.throughput(Throughput::Elements(count as u64));
        group.sample_size(20);
        group.bench_function(BenchmarkId::new("scan", count), |b| {
            b.iter(|| Prescan::new(black_box(&text), FStrings::Plain, &Limits::default()));
        });
        group.bench_function(BenchmarkId::new("rustpython alone", count), |b| {
            b.iter(|| {
                rustpython_parser::parse(black_box(&text), rustpython_parser::Mode::Module, "").is_ok()
            });
        });
        let mut options = PythonOptions::default();
        options.backend = Backend::RustPython;
        group.bench_function(BenchmarkId::new("rustpython", count), |b| {
            b.iter(|| parse_python(black_box(&text), &options));
        });
        #[cfg(feature = "ruff")]
        {
            group.bench_function(BenchmarkId::new("ruff alone", count), |b| {
                b.iter(|| rustpython_ruff_python_parser::parse_module(black_box(&text)).is_ok());
            });
            options.backend = Backend::Ruff;
            group.bench_function(BenchmarkId::new("ruff", count), |b| {
                b.iter(|| parse_python(black_box(&text), &options));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, ast);
criterion_main!(benches);
