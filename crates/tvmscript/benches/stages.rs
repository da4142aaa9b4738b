//! Whole stages on W1 and W2 of a thousand statements: text to nodes, nodes to text, equality, hash, JSON, drop.

mod workload;

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use tvmscript::{
    Object, ParseOptions, PrinterConfig, from_tvm_json, parse, print, registry, structural_equal,
    structural_hash, to_tvm_json,
};

fn read(text: &str) -> Object {
    let parsed = parse("workload", text, registry(), &ParseOptions::default());
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors.first());
    parsed.scripts.into_iter().next().expect("one module").node
}

fn stages(criterion: &mut Criterion) {
    for (name, text) in [("w1-1000", workload::w1(1000)), ("w2-1000", workload::w2(1000))] {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes(text.len() as u64));
        text_stages(&mut group, &text);
        node_stages(&mut group, &text);
        group.finish();
    }
}

fn text_stages(group: &mut BenchmarkGroup<'_, WallTime>, text: &str) {
    group.bench_function("parse", |b| b.iter_with_large_drop(|| read(black_box(text))));
    let node = read(text);
    let config = PrinterConfig::default();
    group.bench_function("print", |b| b.iter(|| print(black_box(&node), registry(), &config)));
}

fn node_stages(group: &mut BenchmarkGroup<'_, WallTime>, text: &str) {
    let (node, other) = (read(text), read(text));
    group.bench_function("equal", |b| b.iter(|| structural_equal(black_box(&node), black_box(&other))));
    group.bench_function("hash", |b| b.iter(|| structural_hash(black_box(&node))));
    group.bench_function("drop", |b| b.iter_batched(|| read(text), drop, BatchSize::LargeInput));
    let json = to_tvm_json(&node).expect("a whole node");
    group.throughput(Throughput::Bytes(json.len() as u64));
    group.bench_function("save", |b| b.iter(|| to_tvm_json(black_box(&node))));
    group.bench_function("load", |b| b.iter_with_large_drop(|| from_tvm_json(black_box(&json), registry())));
}

criterion_group!(benches, stages);
criterion_main!(benches);
