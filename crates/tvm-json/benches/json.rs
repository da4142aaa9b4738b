//! Saving and loading a program of flat statements.
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tvmscript_ir_core::Value;
use tvmscript_tvm_json as tvm;

use tvmscript_toy_nodes::*;

/// TVM's form of a value whose tensors are whole.
fn tvm_save(value: &Value) -> String {
    tvm::save(value).expect("no tensor is left out")
}

fn benches(c: &mut Criterion) {
    let program = Value::Node(statements(2_000));
    let registry = registry();
    let mut group = c.benchmark_group("json");
    let text = tvm_save(&program);
    group.throughput(Throughput::Bytes(text.len() as u64)).sample_size(20);
    group.bench_function("tvm/save", |bench| bench.iter(|| tvm_save(black_box(&program))));
    group.bench_function("tvm/load", |bench| bench.iter(|| tvm::load(black_box(&text), &registry)));
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
