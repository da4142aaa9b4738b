//! Printing: nodes to text, in bytes of text per second.
//!
//! `flat` is one function of stores with three to five operators each, `sum` one store of a long sum, `nest` loops in loops.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tvmscript_docsifier::PrinterConfig;
use tvmscript_ir::DictAttrs;
use tvmscript_ir_core::{Array, DataType, Map, Object, Ref, RegistryBuilder, Span, Value};
use tvmscript_prim::error::PrimResult;
use tvmscript_prim::{Expr, FloatImm, IntImm, PrimType, Select, TupleType, Var, ops};
use tvmscript_tir::{Buffer, BufferLoad, BufferParts, BufferStore, For, ForKind, PrimFunc, SeqStmt, StmtRef};

const SIZE: i32 = 65536;

/// A small generator of numbers, the same on every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> i32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % limit) as i32
    }
}

fn buffer(name: &str) -> Ref<Buffer> {
    Buffer::try_new(BufferParts::compact(name, DataType::FLOAT32, [IntImm::int32(SIZE)]))
        .expect("a plain buffer")
}

fn load(buffer: &Ref<Buffer>, index: Expr) -> Expr {
    BufferLoad::try_new(buffer.clone(), Array::new([index]), None).expect("one index")
}

fn at(buffer: &Ref<Buffer>, index: i32) -> Expr {
    load(buffer, IntImm::int32(index))
}

fn float(value: f64) -> Expr {
    FloatImm::try_new(DataType::FLOAT32, value).expect("a small value")
}

/// The right-hand side of a store, in one of five forms.
fn value(form: usize, a: &Ref<Buffer>, b: &Ref<Buffer>, n: &Expr, i: [i32; 5]) -> PrimResult<Expr> {
    let product = |x: Expr, y: Expr| ops::mul(x, y);
    match form {
        0 => ops::sub(ops::add(product(at(a, i[0]), at(b, i[1]))?, at(a, i[2]))?, at(b, i[3])),
        1 => {
            let left = ops::add(at(a, i[0]), at(b, i[1]))?;
            let right = ops::sub(at(a, i[2]), float(0.5))?;
            ops::add(product(left, right)?, product(at(b, i[3]), at(a, i[4]))?)
        }
        2 => {
            let greater = ops::max(product(at(a, i[0]), float(2.0))?, at(b, i[1]))?;
            ops::sub(greater, ops::div(at(a, i[2]), ops::add(at(b, i[3]), float(1.0))?)?)
        }
        3 => {
            let left = ops::add(ops::mul(n.clone(), IntImm::int32(4))?, IntImm::int32(i[0]))?;
            let right = ops::add(n.clone(), IntImm::int32(i[1]))?;
            ops::add(product(load(a, left), load(b, right))?, float(1.5))
        }
        _ => {
            let exp = tvmscript_tir::op::math::exp(ops::sub(at(a, i[0]), at(b, i[1]))?)?;
            let condition = ops::lt(n.clone(), IntImm::int32(i[3]))?;
            let select = Select::try_new(condition, at(a, i[4]), at(b, i[1]))?;
            ops::add(product(exp, at(a, i[2]))?, select)
        }
    }
}

fn function(buffers: &[Ref<Buffer>], scalars: &[Ref<Var>], body: StmtRef) -> Object {
    let handle = || Var::with_type("handle", PrimType::new(DataType::HANDLE));
    let handles: Vec<Ref<Var>> = buffers.iter().map(|_| handle()).collect();
    let params = Array::new(handles.iter().chain(scalars).cloned());
    let func = PrimFunc {
        span: Span::UNKNOWN,
        struct_info_: None,
        attrs: DictAttrs::new([("global_symbol".into(), Value::str("main"))]),
        params,
        ret_type: TupleType::void(),
        buffer_map: Map::new(handles.iter().cloned().zip(buffers.iter().cloned())),
        body,
    };
    Ref::new(func).into()
}

fn flat(count: usize) -> Object {
    let mut numbers = Numbers(1);
    let [a, b, c] = ["A", "B", "C"].map(buffer);
    let variable = Var::new("n", DataType::INT32);
    let n: Expr = variable.clone().upcast();
    let stmts = (0..count).map(|i| {
        let indices = std::array::from_fn(|_| numbers.below(4096));
        let value = value(i % 5, &a, &b, &n, indices).expect("floats");
        let place = IntImm::int32(i as i32 % SIZE);
        let place = if i % 5 == 3 { ops::add(n.clone(), place).expect("integers") } else { place };
        BufferStore::try_new(c.clone(), value, Array::new([place]), None).expect("a float")
    });
    let seq: Vec<StmtRef> = stmts.collect();
    let body = Ref::new(SeqStmt { span: Span::UNKNOWN, seq: Array::new(seq) }).upcast();
    function(&[a, b, c], &[variable], body)
}

fn sum(terms: usize) -> Object {
    let a = buffer("A");
    let n: Ref<Var> = Var::new("n", DataType::INT32);
    let mut value = at(&a, 0);
    for i in 1..terms {
        value = ops::add(value, at(&a, i as i32 % SIZE)).expect("floats");
    }
    let body = BufferStore::try_new(a.clone(), value, Array::new([IntImm::int32(0)]), None).expect("a float");
    function(&[a], &[n], body)
}

fn nest(depth: usize) -> Object {
    let a = buffer("A");
    let mut body =
        BufferStore::try_new(a.clone(), float(1.0), Array::new([IntImm::int32(0)]), None).expect("a float");
    for _ in 0..depth {
        let parts = For {
            span: Span::UNKNOWN,
            loop_var: Var::new("i", DataType::INT32),
            min: IntImm::int32(0),
            extent: IntImm::int32(2),
            kind: ForKind::Parallel,
            body,
            thread_binding: None,
            annotations: Map::default(),
            step: None,
        };
        body = For::try_new(parts).expect("integers");
    }
    function(&[a], &[], body)
}

fn print(c: &mut Criterion) {
    let registry = RegistryBuilder::new()
        .with(tvmscript_prim::dialect())
        .with(tvmscript_ir::dialect())
        .with(tvmscript_tir::dialect())
        .build()
        .expect("no clash");
    let config = PrinterConfig { indent_spaces: 1, ..PrinterConfig::default() };
    let mut group = c.benchmark_group("print");
    group.sample_size(20);
    for (name, object) in [
        ("flat/1000", flat(1000)),
        ("flat/50000", flat(50_000)),
        ("sum/10000", sum(10_000)),
        ("nest/1000", nest(1000)),
    ] {
        let text = tvmscript_docsifier::print(&object, &registry, &config).expect("prints");
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |b| {
            b.iter(|| tvmscript_docsifier::print(black_box(&object), &registry, &config));
        });
    }
    group.finish();
}

criterion_group!(benches, print);
criterion_main!(benches);
