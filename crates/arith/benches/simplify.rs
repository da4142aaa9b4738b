//! Simplification of constants, variables, loop extents, a typical index and a long sum.

#![allow(missing_docs)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tvmscript_arith::{Analyzer, simplify};
use tvmscript_ir_core::DataType;
use tvmscript_prim::ops::BinaryOp;
use tvmscript_prim::{Expr, IntImm, Var};

fn var(name: &str) -> Expr {
    Var::new(name, DataType::INT32).upcast()
}

fn node(op: BinaryOp, a: &Expr, b: &Expr) -> Expr {
    op.node(a.clone(), b.clone()).unwrap()
}

fn benches(c: &mut Criterion) {
    let (x, y, constant) = (var("x"), var("y"), IntImm::int32(16));
    let tile = node(BinaryOp::Mul, &x, &constant);
    let extent = node(BinaryOp::Sub, &node(BinaryOp::Add, &tile, &constant), &tile);
    let index = node(BinaryOp::FloorMod, &node(BinaryOp::Add, &tile, &y), &IntImm::int32(8));
    let mut group = c.benchmark_group("simplify");
    for (name, e) in [("constant", &constant), ("variable", &x), ("extent", &extent), ("remainder", &index)] {
        group.bench_function(name, |b| b.iter(|| simplify(e)));
    }
    let terms: Vec<Expr> = (0..10_000).map(|i| var(&format!("x{i}"))).collect();
    let sum = terms[1..].iter().fold(terms[0].clone(), |sum, term| node(BinaryOp::Add, &sum, term));
    group.sample_size(10).throughput(Throughput::Elements(10_000));
    group.bench_function("sum of 10,000 variables", |b| b.iter(|| Analyzer::new().simplify(&sum)));
}

criterion_group!(all, benches);
criterion_main!(all);
