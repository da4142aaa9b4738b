//! Loading a description of 500 operators, at most 10 ms.

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use tvmscript_dialect_file::DialectFile;
use tvmscript_ir_core::RegistryBuilder;

/// A dialect with this many operators. Each number gives another text, which no earlier load has seen.
fn description(operators: usize, number: usize) -> String {
    let mut text = format!("[dialect]\nname = \"many{number}\"\nprefix = \"Many\"\n");
    for index in 0..operators {
        let _ = write!(
            text,
            "\n[op.operator_{index}]\ndoc = \"Operator {index}.\"\nvariables = {{ T = {{ any_of = [\"float16\", \"float32\"] }} }}\n\
             parameters = {{ left = \"T\", right = \"T\", axis = {{ kind = \"int\", default = {index} }} }}\nresult = \"T\"\n\
             checks = [\"axis >= 0\"]\n"
        );
    }
    text
}

fn load(c: &mut Criterion) {
    let base = RegistryBuilder::new().build().expect("no dialects");
    // The type table of a process holds some thousand types: few loads are new ones.
    let mut number = 0;
    c.bench_function("load 500 operators, known text", |b| {
        let text = description(500, 0);
        b.iter(|| DialectFile::load(black_box(&text), &base).expect("a description"));
    });
    let start = std::time::Instant::now();
    const NEW: u32 = 12;
    for _ in 0..NEW {
        number += 1;
        let text = description(500, number);
        DialectFile::load(black_box(&text), &base).expect("a description");
    }
    println!("load 500 operators, new text: {:?} each", start.elapsed() / NEW);
}

criterion_group!(benches, load);
criterion_main!(benches);
