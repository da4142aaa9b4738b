//! Equality, hash, walks and drop of programs of flat statements: 17 nodes a statement, like a store in TIR.
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use tvmscript_ir_core::{post_order_mutate, post_order_visit, structural_equal, structural_hash};

use tvmscript_toy_nodes::*;

const STATEMENTS: usize = 10_000;

fn benches(c: &mut Criterion) {
    let (a, b) = (statements(STATEMENTS), statements(STATEMENTS));
    let mut group = c.benchmark_group("statement");
    group.throughput(Throughput::Elements(STATEMENTS as u64)).sample_size(20);
    group.bench_function("equal", |bench| bench.iter(|| assert!(structural_equal(black_box(&a), &b))));
    group.bench_function("hash", |bench| bench.iter(|| structural_hash(black_box(&a))));
    group.bench_function("drop", |bench| {
        bench.iter_batched(|| statements(STATEMENTS), drop, BatchSize::PerIteration);
    });
    group.bench_function("visit", |bench| bench.iter(|| post_order_visit(black_box(&a), |_| {})));
    group.bench_function("mutate_idle", |bench| {
        bench.iter_batched(|| a.clone(), |a| post_order_mutate(a, |_| None), BatchSize::PerIteration);
    });
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
