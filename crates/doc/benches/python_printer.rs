//! Building docs and printing them as Python: a function of many stores between buffers.
//!
//! The input is made here, so that its size is known: each statement reads
//! `C[n + 3] = A[n * 4 + 12] * B[n + 1306] + T.float32(1.5)`. Bytes are those of the printed text.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tvmscript_doc::python::{self, PythonOptions};
use tvmscript_doc::{BinaryOp, DocArena, ExprDoc, FunctionParts, PathId, PathStep, StmtDoc};

const STATEMENTS: u32 = 10_000;

/// One store. With paths on, each doc carries one, as a docsifier would add them.
fn store(docs: &mut DocArena, number: u32, paths: bool) -> StmtDoc {
    let load = |docs: &mut DocArena, buffer: &str, scale: Option<i64>, offset: i64| {
        let buffer = docs.id(buffer);
        let mut index = docs.id("n");
        if let Some(scale) = scale {
            let scale = docs.int(scale);
            index = docs.binary(BinaryOp::Mult, index, scale);
        }
        let offset = docs.int(offset);
        let index = docs.binary(BinaryOp::Add, index, offset);
        docs.index(buffer, &[index])
    };
    let target = load(docs, "C", None, i64::from(number % 97));
    let a = load(docs, "A", Some(4), i64::from(number));
    let b = load(docs, "B", None, i64::from(number) + 1306);
    let product = docs.binary(BinaryOp::Mult, a, b);
    let prefix = docs.id("T");
    let dtype = docs.attr(prefix, "float32");
    let constant = docs.float(1.5);
    let constant = docs.call_args(dtype, &[constant]);
    let sum = docs.binary(BinaryOp::Add, product, constant);
    let stmt = docs.store(target, sum);
    if paths {
        let path = docs.child_path(PathId::ROOT, PathStep::Index(number));
        docs.add_path(stmt, path);
        for (name, doc) in [("value", sum), ("a", product), ("b", constant), ("x", a), ("y", b)] {
            let path = docs.child_path(path, PathStep::Field(name));
            docs.add_path(doc, path);
        }
    }
    stmt
}

fn build(paths: bool) -> (DocArena, StmtDoc) {
    let mut docs = DocArena::new();
    let body: Vec<StmtDoc> = (0..STATEMENTS).map(|number| store(&mut docs, number, paths)).collect();
    let name: ExprDoc = docs.id("main");
    let parts = FunctionParts { name, args: &[], decorators: &[], return_type: None, body: &body };
    let function = docs.function(parts).expect("the parts fit");
    (docs, function)
}

fn benches(c: &mut Criterion) {
    let options = PythonOptions::default();
    let (docs, function) = build(false);
    let text = python::print(&docs, function, &options).expect("the docs print");
    let mut group = c.benchmark_group("python_printer");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("build", |b| b.iter(|| black_box(build(false))));
    group.bench_function("build_with_paths", |b| b.iter(|| black_box(build(true))));
    group.bench_function("print", |b| b.iter(|| black_box(python::print(&docs, function, &options))));
    group.bench_function("build_and_print", |b| {
        b.iter(|| {
            let (docs, function) = build(false);
            black_box(python::print(&docs, function, &options))
        });
    });
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
