//! Saving and loading a program of flat statements as JSON.
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tvmscript_ir_core::Value;
use tvmscript_ir_core::json::native;

use tvmscript_toy_nodes::*;

fn benches(c: &mut Criterion) {
    let program = Value::Node(statements(2_000));
    let registry = registry();
    let mut group = c.benchmark_group("json");
    let text = native::save(&program);
    group.throughput(Throughput::Bytes(text.len() as u64)).sample_size(20);
    group.bench_function("native/save", |bench| bench.iter(|| native::save(black_box(&program))));
    group.bench_function("native/load", |bench| bench.iter(|| native::load(black_box(&text), &registry)));
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
